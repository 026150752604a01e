/* SPDX-License-Identifier: MIT */
/*
 * record: writes the session as a script. The last commands are always kept, so that a script can
 * be made of them afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cmd.h"
#include "file/file.h"
#include "out.h"
#include "session.h"
#include "alloc.h"

#define KEPT 1000 /* commands */

struct recorder {
	char *kept[KEPT]; /* ring of commands that succeeded */
	unsigned long n;
	int fd; /* the file being written, or -1 */
	char *path;
};

struct recorder *recorder_new(void)
{
	struct recorder *r = xcalloc(1, sizeof *r);

	r->fd = -1;
	return r;
}

static void stop_recording(struct recorder *r)
{
	if (r->fd >= 0 && close(r->fd))
		save_ends(r->path, errno);
	free(r->path);
	r->fd = -1;
	r->path = NULL;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	stop_recording(r);
	for (unsigned i = 0; i < KEPT; i++)
		free(r->kept[i]);
	free(r);
}

/* Appends text as a comment. A blank after a backslash at the end of a line keeps it from
 * continuing the comment. */
static void append_comment(struct text *to, const char *text)
{
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");

		xappendf(to, "# %.*s%s\n", (int)len, p, len && p[len - 1] == '\\' ? " " : "");
		p += len + (p[len] == '\n');
	}
}

static void write_note(struct session *s, struct recorder *r, const char *text, bool failed)
{
	SCOPED_TEXT(piece);

	if (failed) {
		append_comment(&piece, text);
		append_comment(&piece, s->fail.text ? s->fail.text : "failed");
	} else {
		xappendf(&piece, "%s\n", text);
	}
	if (save_piece(r->fd, text_str(&piece), text_len(&piece))) {
		save_ends(r->path, errno);
		stop_recording(r);
	}
}

static void keep_command(struct recorder *r, char *command)
{
	char **slot = &r->kept[r->n++ % KEPT];

	free(*slot);
	*slot = command;
}

/* The command with that number behind its -repeat; NULL: it has none. */
static char *repeated(const char *command, int len, unsigned n)
{
	static const char option[] = "-repeat";
	char *changed = NULL;
	Tcl_Parse parse;
	const Tcl_Token *t;

	if (Tcl_ParseCommand(NULL, command, len, 0, &parse) != TCL_OK)
		return NULL;
	t = parse.tokenPtr;
	for (int i = 0; i + 1 < parse.numWords && !changed; i++) {
		const Tcl_Token *value = t + t->numComponents + 1;

		if (t->size > 3 && t->size < (int)sizeof option &&
		    strncmp(t->start, option, (size_t)t->size) == 0)
			changed = xasprintf("%.*s%u%.*s", (int)(value->start - command), command, n,
					    (int)(command + len - value->start - value->size),
					    value->start + value->size);
		t = value;
	}
	Tcl_FreeParse(&parse);
	return changed;
}

void recorder_note(struct session *s, const char *command, int len, bool failed)
{
	struct recorder *r = s->recorder;
	const struct cmd *c = r ? cmd_of_line(command, len, NULL) : NULL;
	char *text;

	if (!r || (c && c->flags & CMD_NO_RECORD))
		return;
	text = xasprintf("%.*s", len, command);
	if (r->fd >= 0)
		write_note(s, r, text, failed);
	if (failed) {
		free(text);
		text = s->partly ? repeated(command, len, s->partly) : NULL;
		if (text && r->fd >= 0)
			write_note(s, r, text, false);
	}
	if (text)
		keep_command(r, text);
}

struct record_args {
	struct num last;
	bool force;
	const char *path; /* or "off" */
};

static const struct arg record_arg_table[] = {
	OPT("last", record_args, last, kind_u32, "only the last commands, this many", .min = 1,
	    .max = KEPT),
	SWITCH("force", record_args, force, "replace an existing file"),
	POS_OPT("file", record_args, path, kind_path, "the script to write; off: no more"),
	ARGS_END,
};

static const char heading[] = "# recorded by rdmash\n";

static int record_last(struct session *s, const struct record_args *a, struct out *o)
{
	struct recorder *r = s->recorder;
	unsigned long have = r->n < KEPT ? r->n : KEPT;
	unsigned long n = a->last.v < have ? a->last.v : have;
	SCOPED_TEXT(text);
	int rc;

	text_add(&text, heading);
	for (unsigned long i = r->n - n; i < r->n; i++)
		xappendf(&text, "%s\n", r->kept[i % KEPT]);
	rc = save_file(s, a->path, a->force, 0666, text_str(&text), text_len(&text));
	if (rc)
		return -1;
	out_int(o, NULL, (int64_t)n, "%lu commands written to %s\n", n, a->path);
	return 0;
}

static int begin_recording(struct session *s, const struct record_args *a)
{
	struct recorder *r = s->recorder;
	int fd = save_growing(s, a->path, a->force, 0666);

	if (fd < 0)
		return -1;
	if (save_piece(fd, heading, sizeof heading - 1)) {
		fail_call(s, errno, "write", "%s", a->path);
		close(fd);
		return -1;
	}
	stop_recording(r);
	r->fd = fd;
	r->path = xstrdup(a->path);
	return 0;
}

static int record_off(struct session *s, const struct record_args *a, struct out *o)
{
	struct recorder *r = s->recorder;

	if (a->last.set || a->force) {
		fail(s, "args", "TOOMANY", "record off: it takes no options");
		return fail_row(s, "note", "a file of that name is ./off");
	}
	if (r->fd < 0) {
		fail(s, "record", "IDLE", "record off: nothing is being recorded");
		return fail_next(s, "record FILE");
	}
	out_str(o, NULL, r->path, "recorded to %s\n", r->path);
	stop_recording(r);
	return 0;
}

static int record_exec(struct session *s, const void *args, struct out *o)
{
	const struct record_args *a = args;
	struct recorder *r = s->recorder;

	if (a->last.set && !a->path)
		return fail(s, "args", "MISSING", "record: -last needs a file to write");
	if (a->path && strcmp(a->path, "off") == 0)
		return record_off(s, a, o);
	if (!a->path) {
		out_str(o, NULL, r->path ? r->path : "",
			r->path ? "recording to %s\n" : "%sno recording\n", r->path ? r->path : "");
		return 0;
	}
	if (a->last.set)
		return record_last(s, a, o);
	if (begin_recording(s, a))
		return -1;
	out_str(o, NULL, r->path, "recording to %s\n", r->path);
	return 0;
}

/** record FILE writes each command to FILE from now on, record -last N FILE writes the last
 * commands that succeeded, record off ends the recording. Without arguments it says
 * whether it is on. A command that fails is written as a comment with its error, and with
 * the part of its -repeat that was done. help,
 * record itself and other commands that only show something are left out. Each command
 * is written when it has run, and rdmash FILE runs the script. An existing file is
 * replaced only with -force.
 * > record => no recording
 * > record session.rdma => recording to session.rdma
 * > record off => recorded to session.rdma
 * > record -last 2 again.rdma => written to again.rdma */
const struct cmd cmd_record = {
	.name = "record",
	.family = "scripts",
	.summary = "write what is typed to a script",
	.args = record_arg_table,
	.flags = CMD_NO_RECORD,
	.exec = record_exec,
};
