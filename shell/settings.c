/* SPDX-License-Identifier: MIT */
/* Settings that can be changed while the shell runs: option, trace, timing, notices; and version,
 * history. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/edit.h"
#include "help/help.h"
#include "output/print.h"
#include "out.h"
#include "session.h"

static const struct word on_off[] = { { "on", 1, "yes" }, { "off", 0, "no" }, { 0 } };

uint64_t setting_take(const struct setting_args *a, const char *name, const struct word *words,
		      uint64_t now, struct out *o)
{
	const char *word = word_known(words, now);

	if (a->how.set)
		return a->how.v;
	out_str(o, NULL, word, "%s is %s\n", name, word);
	return now;
}

/* ------------------------------------------------------------------- option -- */

struct setting {
	enum {
		SETTING_FLAG,	/* bool */
		SETTING_FORMAT, /* enum out_format */
		SETTING_TEXT,	/* char *, NULL: the default */
	} kind;
	size_t at; /* in struct session */
	void (*changed)(struct session *s);
};
#define AT_OPTION(field) offsetof(struct session, opt.field)

static void hints_changed(struct session *s)
{
	if (s->edit)
		edit_hints(s->edit, s->opt.hints);
}

static const struct setting settings[] = {
	{ SETTING_FLAG, AT_OPTION(color), NULL },
	{ SETTING_FLAG, AT_OPTION(echo), NULL },
	{ SETTING_FORMAT, AT_OPTION(format), NULL },
	{ SETTING_FLAG, AT_OPTION(hints), hints_changed },
	{ SETTING_FLAG, AT_OPTION(keep_going), NULL },
	{ SETTING_TEXT, AT_OPTION(prompt), NULL },
	{ SETTING_FLAG, AT_OPTION(quiet), NULL },
};

/* Their names, each with its index in settings. */
static const struct word setting_words[] = {
	{ "color", 0, "colours in output" },
	{ "echo", 1, "show each command before it runs (-x)" },
	{ "format", 2, "text, json or csv" },
	{ "hints", 3, "grey hints while typing" },
	{ "keep-going", 4, "errors do not end a script (-k)" },
	{ "prompt", 5, "%p device, QP and state; %t time; %e last error; %n number" },
	{ "quiet", 6, "neither results nor notices of devices are printed (-q)" },
	{ 0 }
};

static const struct word format_words[] = { { "text", OUT_TEXT, NULL },
					    { "json", OUT_JSON, NULL },
					    { "csv", OUT_CSV, NULL },
					    { 0 } };

struct option_args {
	struct num name;
	const char *value;
};

static const struct arg option_arg_table[] = {
	POS_OPT("name", option_args, name, kind_enum, "which option (default: show all)",
		.data = setting_words),
	POS_OPT("value", option_args, value, kind_str,
		"on or off; text, json or csv for format; a text for prompt"),
	ARGS_END,
};

static const char *setting_value(const struct session *s, const struct setting *t)
{
	const void *p = (const char *)s + t->at;

	switch (t->kind) {
	case SETTING_FLAG:
		return *(const bool *)p ? "on" : "off";
	case SETTING_FORMAT:
		return out_formats[*(const enum out_format *)p];
	case SETTING_TEXT:
		break;
	}
	return *(char *const *)p ? *(char *const *)p : PROMPT;
}

/* Refuses a % that the prompt does not know. */
static int check_prompt(struct session *s, const char *text)
{
	for (const char *p = text; (p = strchr(p, '%')); p += 2)
		if (!p[1] || !strchr("pten%", p[1])) {
			fail(s, "option", "BADVALUE", "prompt: '%.*s' is not known",
			     p[1] ? 1 + (int)(Tcl_UtfNext(p + 1) - (p + 1)) : 1, p);
			return fail_row(s, "one of",
					"%%p %%t %%e %%n, and %%%% for a percent sign");
		}
	return 0;
}

static int set_option(struct session *s, const struct word *name, const char *value)
{
	const struct setting *t = &settings[name->value];
	const struct word *w = word_find(t->kind == SETTING_FLAG ? on_off : format_words, value);
	void *p = (char *)s + t->at;

	if (t->kind == SETTING_TEXT) {
		if (check_prompt(s, value))
			return -1;
		free(*(char **)p);
		*(char **)p = *value ? xstrdup(value) : NULL;
		return 0;
	}
	if (!w)
		return fail(s, "option", "BADVALUE", "%s is %s, not '%s'", name->name,
			    t->kind == SETTING_FLAG ? "on or off" : "text, json or csv", value);
	if (t->kind == SETTING_FLAG)
		*(bool *)p = w->value != 0;
	else
		*(enum out_format *)p = (enum out_format)w->value;
	if (t->changed)
		t->changed(s);
	return 0;
}

static int shell_option_exec(struct session *s, const void *args, struct out *o)
{
	const struct option_args *a = args;
	const char *value;

	if (a->value)
		return set_option(s, &setting_words[a->name.v], a->value);
	if (a->name.set) {
		value = setting_value(s, &settings[a->name.v]);
		out_str(o, NULL, value, "%s\n", value);
		return 0;
	}
	for (const struct word *w = setting_words; w->name; w++) {
		value = setting_value(s, &settings[w->value]);
		out_str(o, w->name, value, "  %-11s %-5s %s\n", w->name, value, w->help);
	}
	return 0;
}

/** color, echo, hints, keep-going and quiet are on or off; format is text, json or csv. json prints
 * each result as one line of JSON, csv a line of names and a line for each row. In prompt, %p is
 * the default prompt (device, QP and its state), %t the time, %e the error code of the previous
 * line (empty if it succeeded), %n the number of lines run so far. In braces \x1b[32m makes what
 * follows green, and \x1b[0m ends the colour; %% is a percent sign. An empty text restores the
 * default prompt. Options last until the shell ends; put commands for every session into the start
 * file (see 'help files').
 * > option => format      text
 * > option hints off
 * > option prompt {%t %p> }
 * > option prompt {\x1b[32m%p\x1b[0m> }
 * > option prompt {}
 * > echo hints are [option hints] => hints are off */
const struct cmd cmd_option = {
	.name = "option",
	.family = "settings",
	.summary = "show or set an option of the shell",
	.args = option_arg_table,
	.flags = CMD_LOOKS,
	.exec = shell_option_exec,
};

/* -------------------------------------------------------------------- trace -- */

static const struct word trace_words[] = { { "off", 0, "nothing" },
					   { "on", 1, "the calls, a short line each" },
					   { "all", 2, "with arguments, results, structs" },
					   { 0 } };

static const struct arg trace_arg_table[] = {
	SETTING_ARG(trace_words, "how much (default: show the setting)"), ARGS_END
};

static int trace_exec(struct session *s, const void *args, struct out *o)
{
	uint64_t how = setting_take(args, "trace", trace_words, s->opt.trace + s->opt.raw, o);

	s->opt.trace = how > 0;
	s->opt.raw = how > 1;
	return 0;
}

/** on: a short line for each call of libibverbs and librdmacm, with the object it created.
 * all: a line with time, number, kind, arguments and result, and the structs of work
 * requests, completions and QPs. The kinds: set-up for objects and connections, prepare
 * for memory and QP states, data for posting and polling, info for dumps and remarks. It
 * is on at the prompt and off in scripts. The lines of a script go to standard error.
 * > trace on
 * > trace => trace is on
 * > trace all
 * > trace off */
const struct cmd cmd_trace = {
	.name = "trace",
	.family = "understanding",
	.summary = "show each library call",
	.args = trace_arg_table,
	.flags = CMD_LOOKS,
	.exec = trace_exec,
};

/* ------------------------------------------------------------------- timing -- */

static const struct arg timing_arg_table[] = {
	SETTING_ARG(on_off, "on or off (default: show the setting)"), ARGS_END
};

static int timing_exec(struct session *s, const void *args, struct out *o)
{
	s->opt.timing = setting_take(args, "timing", on_off, s->opt.timing, o);
	return 0;
}

/** Prints after each line typed at the prompt how long it took. Lines of scripts are not
 * timed one by one; to time a single command, use Tcl's time.
 * > timing on
 * > timing => timing is on
 * > timing off */
const struct cmd cmd_timing = {
	.name = "timing",
	.family = "settings",
	.summary = "show how long each line that is typed takes",
	.args = timing_arg_table,
	.flags = CMD_LOOKS,
	.exec = timing_exec,
};

/* ------------------------------------------------------------------ notices -- */

#define ALL_NOTICES ((1u << NOTICE_KINDS) - 1)

static const struct word notice_flags[] = {
	{ "cm", 1 << NOTICE_CM, "connection events" },
	{ "async", 1 << NOTICE_ASYNC, "asynchronous events of devices" },
	{ "cq", 1 << NOTICE_CQ, "completion events" },
	{ "wire", 1 << NOTICE_WIRE, "packets, while wire is on" },
	{ "peer", 1 << NOTICE_PEER, "peers that you started (see peer)" },
	{ "handler", 1 << NOTICE_HANDLER, "failed handlers of 'on'" },
	{ "check", 1 << NOTICE_CHECK, "mistakes that need not fail, while check is on" },
	{ "on", ALL_NOTICES, "all" },
	{ "off", 0, "none" },
	{ 0 }
};

struct notices_args {
	struct num kinds;
};

static const struct arg notices_arg_table[] = {
	POS_OPT("kinds", notices_args, kinds, kind_flags,
		"the kinds to show, such as cm,async; on: all, off: none (default: list them)",
		.data = notice_flags),
	ARGS_END,
};

static int notices_exec(struct session *s, const void *args, struct out *o)
{
	const struct notices_args *a = args;
	unsigned shown;

	if (a->kinds.set) {
		notices_show(s->notices, (unsigned)a->kinds.v);
		return 0;
	}
	shown = notices_shown(s->notices);
	out_list(o, NULL);
	for (unsigned i = 0; i < NOTICE_KINDS; i++)
		if (shown & 1u << i)
			out_str(o, NULL, notice_words[i], "%s ", notice_words[i]);
	out_end(o);
	if (!shown)
		out_text(o, "off");
	return 0;
}

/** A notice is a line that begins with '*' and reports an event. cm: the connection
 * manager (a request, a disconnect), async: asynchronous events of a device, cq:
 * completion events of an armed completion queue, wire: packets, while 'wire on' is set,
 * peer: a peer started or ended (its own notices keep their kinds, with its name),
 * handler: a handler of 'on' failed, check: what 'check on' finds.
 * Notices appear above the line being typed, or on standard error without a terminal.
 * Hiding them does not change how events are handled.
 * > notices cm,async
 * > notices => cm async
 * > notices on */
const struct cmd cmd_notices = {
	.name = "notices",
	.family = "settings",
	.summary = "choose which events are shown as they happen",
	.args = notices_arg_table,
	.flags = CMD_LOOKS,
	.exec = notices_exec,
};

/* ------------------------------------------------------------------ version -- */

static int version_exec(struct session *s, const void *args, struct out *o)
{
	SCOPED_TEXT(libs);

	(void)s, (void)args;
	app.version(&libs);
	out_str(o, "rdmash", help_version_number(), "rdmash %s\n", help_version_number());
	out_str(o, "tcl", Tcl_GetVar(s->tcl, "tcl_patchLevel", TCL_GLOBAL_ONLY), "Tcl %s\n",
		Tcl_GetVar(s->tcl, "tcl_patchLevel", TCL_GLOBAL_ONLY));
	out_str(o, "compiler", __VERSION__, "compiled by %s\n", __VERSION__);
	out_str(o, "libraries", text_str(&libs), "%s", text_str(&libs));
	return 0;
}

/** Shows the versions of the shell, Tcl, the compiler, and the verbs libraries with their
 * providers. Please include it in bug reports.
 * > version => rdmash
 * > dict get [version] tcl */
const struct cmd cmd_version = {
	.name = "version",
	.family = "settings",
	.summary = "show the versions of the shell and its libraries",
	.flags = CMD_NO_RECORD,
	.exec = version_exec,
};

/* ------------------------------------------------------------------ history -- */

struct history_args {
	const char *text;
	struct num n;
};

static const struct arg history_arg_table[] = {
	POS_OPT("text", history_args, text, kind_str, "only lines that contain it"),
	OPT("n", history_args, n, kind_u32, "how many of the last ones", .dflt = "20", .min = 1,
	    .max = 10000),
	ARGS_END,
};

static int history_exec(struct session *s, const void *args, struct out *o)
{
	const struct history_args *a = args;
	SCOPED_LIST(list);
	Tcl_Obj **line;
	Tcl_Size n = 0;

	if (!s->edit)
		return fail(s, "history", "EINVAL", "there is a history at the prompt only");
	edit_history(s->edit, (unsigned)a->n.v, a->text ? a->text : "", list);
	Tcl_ListObjGetElements(NULL, list, &n, &line);
	out_list(o, NULL);
	for (int i = 0; i < n; i++)
		out_str(o, NULL, Tcl_GetString(line[i]), "%s\n", Tcl_GetString(line[i]));
	out_end(o);
	return 0;
}

/** The oldest line comes first. At the prompt Ctrl-R searches the history and the arrow
 * keys move through it. 'record FILE' makes a script of the commands that succeed.
 * > history connect => at the prompt only */
const struct cmd cmd_history = {
	.name = "history",
	.family = "settings",
	.summary = "show what was typed, in this and earlier sessions",
	.args = history_arg_table,
	.flags = CMD_NO_RECORD,
	.exec = history_exec,
};
