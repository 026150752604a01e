/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "fixture.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"

struct write_args last_write;

static const struct word flag_words[] = { { "SIGNALED", 2, "a completion" },
					  { "FENCE", 1, NULL },
					  { "LOCAL_WRITE", 4, NULL },
					  { 0 } };
static const struct word type_words[] = { { "RC", 2, NULL },
					  { "UC", 3, NULL },
					  { "UD", 4, NULL },
					  { 0 } };

static const struct arg write_table[] = {
	POS("mr", write_args, mr, kind_str, "region the bytes come from"),
	OPT("remote", write_args, remote, kind_u64, "address at the peer", .flags = ARG_NEED),
	OPT("rkey", write_args, rkey, kind_u32, "key of the peer's region"),
	OPT("len", write_args, len, kind_size, "how many bytes", .dflt = "4K"),
	OPT("within", write_args, within, kind_ms, "give up after", .max = 60000),
	OPT("flags", write_args, flags, kind_flags, "send flags", .data = flag_words),
	OPT("type", write_args, type, kind_enum, "transport", .data = type_words),
	OPT("port", write_args, port, kind_u8, "port", .min = 1, .max = 254),
	SWITCH("inline", write_args, inline_, "copied into the request"),
	OPT("sge", write_args, sge, kind_str, "piece of memory", .flags = ARG_MANY),
	ARGS_END,
};

static int write_exec(struct session *s, const void *args, struct out *o)
{
	(void)s;
	last_write = *(const struct write_args *)args;
	out_str(o, "status", "SUCCESS", "posted\n");
	return 0;
}

struct dump_args {
	struct num off;
	struct num len;
};

static const struct arg dump_table[] = {
	POS_OPT("off", dump_args, off, kind_size, "where", .dflt = "0"),
	POS_OPT("len", dump_args, len, kind_size, "how much"),
	ARGS_END,
};

static int dump_exec(struct session *s, const void *args, struct out *o)
{
	const struct dump_args *a = args;

	(void)s;
	out_u64(o, "off", a->off.v, NULL);
	out_bool(o, "len", a->len.set, NULL);
	return 0;
}

static int fail_exec(struct session *s, const void *args, struct out *o)
{
	(void)args, (void)o;
	fail_call(s, 22, "ibv_modify_qp", "RESET -> INIT");
	return fail_row(s, "port", "1");
}

static const struct cmd dump = { .name = "mem dump",
				 .family = "memory",
				 .summary = "Bytes",
				 .args = dump_table,
				 .exec = dump_exec };
static const struct cmd modify = { .name = "modify-qp",
				   .family = "by hand",
				   .summary = "Fails",
				   .exec = fail_exec };
static const struct cmd post_read = { .name = "post read",
				      .family = "data path",
				      .summary = "Read",
				      .args = write_table,
				      .exec = write_exec };
static const struct cmd post_recv = { .name = "post recv",
				      .family = "data path",
				      .summary = "Receive",
				      .args = write_table,
				      .exec = write_exec };
static const struct cmd post_write = { .name = "post write",
				       .family = "data path",
				       .summary = "Write",
				       .args = write_table,
				       .exec = write_exec };
static const struct cmd show = { .name = "show",
				 .family = "resources",
				 .summary = "Show",
				 .exec = fail_exec };
static const struct cmd show_all = { .name = "show all",
				     .family = "resources",
				     .summary = "Show all",
				     .exec = dump_exec,
				     .args = dump_table };

extern const struct cmd cmd_echo, cmd_expect, cmd_help, cmd_option, cmd_record, cmd_repeat,
	cmd_source;

const struct cmd *const cmd_table[] = {
	&cmd_echo,   &cmd_expect, &cmd_help,  &dump,	   &modify,
	&cmd_option, &post_read,  &post_recv, &post_write, &cmd_record,
	&cmd_repeat, &show,	  &show_all,  &cmd_source, NULL,
};

static const struct cmd_eg none[] = { { NULL, NULL } };
static const struct cmd_eg of_repeat[] = { { "repeat 3 {echo round [incr n]}", NULL },
					   { NULL, NULL } };

const char *const cmd_texts[] = { [0 ... 13] = "" };
const struct cmd_eg *const cmd_example_lists[] = { [0 ... 9] = none, of_repeat, none, none, none };
extern const struct topic topic_language;

const struct topic *const topic_table[] = { &topic_language, NULL };
const char *const topic_texts[] = { "" };

static const struct cmd_member mem_members[] = { { "dump", &dump }, { NULL, NULL } };
static const struct cmd_member post_members[] = { { "read", &post_read },
						  { "recv", &post_recv },
						  { "write", &post_write },
						  { NULL, NULL } };
static const struct cmd_member show_members[] = { { "all", &show_all }, { NULL, NULL } };

const struct cmd_group cmd_groups[] = {
	{ "echo", &cmd_echo, NULL },	 { "expect", &cmd_expect, NULL },
	{ "help", &cmd_help, NULL },	 { "mem", NULL, mem_members },
	{ "modify-qp", &modify, NULL },	 { "option", &cmd_option, NULL },
	{ "post", NULL, post_members },	 { "record", &cmd_record, NULL },
	{ "repeat", &cmd_repeat, NULL }, { "show", &show, show_members },
	{ "source", &cmd_source, NULL }, { NULL, NULL, NULL },
};

static int app_open(struct session *s)
{
	(void)s;
	return 0;
}

static void app_close(struct session *s)
{
	(void)s;
}

static void app_prompt(struct session *s, struct text *prompt)
{
	(void)s, (void)prompt;
}

static void app_version(struct text *text)
{
	(void)text;
}

const struct app app = { .open = app_open,
			 .close = app_close,
			 .prompt = app_prompt,
			 .version = app_version };

struct session *fixture_new(void)
{
	struct session *s = xcalloc(1, sizeof *s);

	arena_init(&s->arena);
	Tcl_FindExecutable("test");
	s->loop = loop_new();
	s->notices = notices_new(s->loop);
	s->recorder = recorder_new();
	interp_new(s);
	return s;
}

void fixture_free(struct session *s)
{
	recorder_free(s->recorder);
	interp_free(s);
	notices_free(s->notices);
	fail_clear(&s->fail);
	loop_free(s->loop);
	arena_free(&s->arena, NULL);
	free(s);
}

const char *fixture_run(struct session *s, const char *command)
{
	static char text[4096];
	int n;

	fail_clear(&s->fail);
	if (Tcl_EvalEx(s->tcl, command, -1, TCL_EVAL_GLOBAL) == TCL_OK)
		return Tcl_GetStringResult(s->tcl);
	interp_fail(s);
	n = snprintf(text, sizeof text, "error: %s", s->fail.text);
	for (unsigned i = 0; i < s->fail.nrows; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, " | %s %s", s->fail.rows[i].label,
			      s->fail.rows[i].text);
	return text;
}
