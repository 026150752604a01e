/* SPDX-License-Identifier: MIT */
/*
 * The recorder. All that is typed is remembered, so that a script can be made of it
 * afterwards, too: often one knows only then that it was worth it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "builtin.h"
#include "cmd.h"
#include "file.h"
#include "out.h"
#include "record.h"
#include "session.h"
#include "xmem.h"

#define KEPT 1000 /* commands */

struct recorder {
	char *kept[KEPT]; /* a ring of what succeeded */
	unsigned long n;
	FILE *to; /* being recorded to, or NULL */
	char *path;
};

struct recorder *recorder_new(void)
{
	return xcalloc(1, sizeof(struct recorder));
}

static void stop(struct recorder *r)
{
	if (r->to)
		fclose(r->to);
	free(r->path);
	r->to = NULL;
	r->path = NULL;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	stop(r);
	for (unsigned i = 0; i < KEPT; i++)
		free(r->kept[i]);
	free(r);
}

/* Is the command one that is left out? Judged by its first two words. */
static bool left_out(const char *command, int len)
{
	const char *words[2] = { NULL, NULL };
	const struct cmd *c = NULL;
	Tcl_Parse parse;
	const Tcl_Token *t;
	int n = 0, used;
	char *text[2] = { NULL, NULL };

	if (Tcl_ParseCommand(NULL, command, len, 0, &parse) != TCL_OK)
		return true;
	t = parse.tokenPtr;
	for (; n < parse.numWords && n < 2; n++, t += t->numComponents + 1)
		words[n] = text[n] = xasprintf("%.*s", t->size, t->start);
	if (n)
		c = cmd_find(NULL, words, n, &used);
	Tcl_FreeParse(&parse);
	free(text[0]);
	free(text[1]);
	return c && c->flags & CMD_NO_RECORD;
}

static void comment(FILE *to, const char *text)
{
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");

		fprintf(to, "# %.*s\n", (int)len, p);
		p += len + (p[len] == '\n');
	}
}

static void keep(struct recorder *r, char *command)
{
	char **slot = &r->kept[r->n++ % KEPT];

	free(*slot);
	*slot = command;
}

void record_note(struct session *s, const char *command, int len, bool failed)
{
	struct recorder *r = s->recorder;
	char *text;

	if (!r || left_out(command, len))
		return;
	text = xasprintf("%.*s", len, command);
	if (r->to && failed) {
		/* a continued last line of a comment would swallow the next command */
		comment(r->to, text);
		comment(r->to, s->fail.text ? s->fail.text : "failed");
	} else if (r->to) {
		fprintf(r->to, "%s\n", text);
	}
	if (r->to && fflush(r->to)) {
		print_error("record: %s: %s; recording stops\n", r->path, strerror(errno));
		stop(r);
	}
	if (failed)
		free(text);
	else
		keep(r, text);
}

struct record_args {
	struct num last;
	bool stop;
	const char *path;
};

static const struct arg record_arg_table[] = {
	OPT("last", record_args, last, kind_u32, "only the commands that came last, so many",
	    .min = 1, .max = KEPT),
	SWITCH("stop", record_args, stop, "no more"),
	POS_OPT("file", record_args, path, kind_path, "the script to write"),
	ARGS_END,
};

static FILE *create(struct session *s, const char *path)
{
	int fd = file_open(s, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !to) {
		fail_call(s, errno, "fdopen", "%s", path);
		close(fd);
	}
	if (to)
		fputs("# recorded by rdmash\n", to);
	return to;
}

static int record_last(struct session *s, const struct record_args *a, struct out *o)
{
	struct recorder *r = s->recorder;
	unsigned long have = r->n < KEPT ? r->n : KEPT;
	unsigned long n = a->last.v < have ? a->last.v : have;
	FILE *to = create(s, a->path);

	if (!to)
		return -1;
	for (unsigned long i = r->n - n; i < r->n; i++)
		fprintf(to, "%s\n", r->kept[i % KEPT]);
	if (fclose(to))
		return fail_call(s, errno, "fclose", "%s", a->path);
	out_int(o, NULL, (int64_t)n, "%lu commands written to %s\n", n, a->path);
	return 0;
}

static int record_exec(struct session *s, const void *args, struct out *o)
{
	const struct record_args *a = args;
	struct recorder *r = s->recorder;
	FILE *to;

	if (a->stop + a->last.set > 1 || (a->stop && a->path))
		return fail(s, "args", "TOOMANY", "record: -stop stands alone");
	if (a->last.set && !a->path)
		return fail(s, "args", "MISSING", "record: -last needs a file to write");
	if (a->stop && !r->to)
		return fail(s, "record", "IDLE", "nothing is being recorded");
	if (a->stop) {
		out_str(o, NULL, r->path, "recorded to %s\n", r->path);
		stop(r);
		return 0;
	}
	if (!a->path) {
		out_str(o, NULL, r->to ? r->path : "",
			r->to ? "recording to %s\n" : "%sno recording\n", r->to ? r->path : "");
		return 0;
	}
	if (a->last.set)
		return record_last(s, a, o);
	to = create(s, a->path);
	if (!to)
		return -1;
	stop(r);
	r->to = to;
	r->path = xstrdup(a->path);
	out_str(o, NULL, r->path, "recording to %s\n", r->path);
	return 0;
}

static const struct cmd_eg record_examples[] = {
	{ "record", "no recording" },
	{ "record session.rdma", "recording to session.rdma" },
	{ "record -stop", "recorded to session.rdma" },
	{ "record -last 2 again.rdma", "written to again.rdma" },
	{ NULL, NULL },
};

const struct cmd cmd_record = {
	.name = "record",
	.family = "scripts",
	.summary = "write what is typed to a script",
	.text = "record FILE writes each command to FILE from now on, record -last N FILE the last\n"
		"commands that went well, record -stop ends it. Alone it says whether it is on.\n"
		"Only what succeeded becomes a command of the script; what failed is kept as a\n"
		"comment with its error. help, record itself and other commands that only look\n"
		"are left out. The file can be run at once: rdmash FILE.",
	.examples = record_examples,
	.args = record_arg_table,
	.size = sizeof(struct record_args),
	.flags = CMD_NO_RECORD,
	.exec = record_exec,
};
