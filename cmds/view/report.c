/* SPDX-License-Identifier: MIT */
/* report FILE.html: the page of this session as a file. */
#include <string.h>

#include "command/cmd.h"
#include "explain/explain.h"
#include "file/file.h"
#include "ladder.h"
#include "out.h"
#include "page.h"
#include "session.h"
#include "text.h"
#include "timeline/timeline.h"
#include "view/view_ends.h"
#include "view/view_whys.h"

#define PAST 400 /* rows, the newest, of which the objects are in the page as they were then */

struct report_args {
	const char *path, *title;
	bool force;
};

static const struct arg report_args[] = {
	POS("file", report_args, path, kind_path, "HTML file to write"),
	OPT("title", report_args, title, kind_str, "heading of the page", .dflt = "RDMA session"),
	SWITCH("force", report_args, force, "replace an existing file"),
	ARGS_END,
};

/* The explanation of the last failure, if there was one. */
static void append_explanation(struct session *s, struct text *why)
{
	struct out *o = out_new(true);

	if (explain_last(s, o) == 0)
		out_print(o, OUT_TEXT, why);
	fail_clear(&s->fail); /* of explain: there was no failure */
	out_free(o);
}

/* The ends at one row after the other, as JSON. */
struct past {
	struct text list, last;
};

static void add_ends(struct past *p, struct view_moment *m, int64_t at,
		     const struct view_peers *peers)
{
	struct out *o = out_new(false);
	SCOPED_TEXT(ends);

	out_list(o, NULL);
	view_moment_out(m, at, peers, o);
	out_end(o);
	out_print(o, OUT_JSON, &ends);
	out_free(o);
	if (strcmp(text_str(&p->last), text_str(&ends)) == 0) {
		text_add(&p->list, "null");
		return;
	}
	text_add(&p->list, text_str(&ends));
	text_resize(&p->last, 0);
	text_add(&p->last, text_str(&ends));
}

static void add_past(struct session *s, const struct ladder *l, struct past *p)
{
	struct view_moment *then = view_moment_new(s, false), *now = view_moment_new(s, true);
	struct view_peers peers = { 0 };

	view_peers_look(s, &peers);
	text_add(&p->list, "[");
	for (unsigned i = 0; i < l->n; i++) {
		if (l->rows[i].folded)
			continue;
		if (i + PAST >= l->n)
			add_ends(p, then, page_row_time(&l->rows[i]), &peers);
		else
			text_add(&p->list, "null");
		text_add(&p->list, ",");
	}
	add_ends(p, now, 0, &peers);
	text_add(&p->list, "]");
	view_moment_free(then);
	view_moment_free(now);
	view_peers_free(&peers);
}

static void write_page(struct session *s, const char *title, struct ladder *l, struct text *d)
{
	struct view_whys whys = { 0 };
	struct past past = { 0 };
	SCOPED_TEXT(why);

	view_whys_learn(s, &whys);
	view_whys_lend(&whys, l);
	if (*view_whys_last(&whys))
		text_add(&why, view_whys_last(&whys));
	else
		append_explanation(s, &why);
	add_past(s, l, &past);
	page_file(d, title, l, text_str(&why), text_str(&past.list));
	view_whys_free(&whys);
	text_free(&past.list);
	text_free(&past.last);
}

static int report_exec(struct session *s, const void *args, struct out *o)
{
	const struct report_args *a = args;
	struct ladder l;
	SCOPED_TEXT(d);
	int rc = -1;

	ladder_make(s, &(struct ladder_how){ .all = true }, &l);
	if (!l.n) {
		fail(s, "report", "NOTHING", "nothing was recorded%s",
		     timeline_is_on(s) ? " yet" : ": the timeline is off");
		fail_next(s, "timeline on");
	} else {
		write_page(s, a->title, &l, &d);
		rc = save_file(s, a->path, a->force, 0644, text_str(&d), text_len(&d));
	}
	if (rc == 0) {
		out_str(o, "file", a->path, NULL);
		out_u64(o, "rows", l.n, "%u rows", l.n);
		out_u64(o, "bytes", text_len(&d), " in %s\n", a->path);
	}
	ladder_free(&l);
	return rc;
}

/** Writes one HTML file, which needs no other file. It is the page that 'view' shows, as it is
 * now, and it has all rows that the timeline has recorded: in a script that begins with
 * 'timeline on'. At each of the last 400 rows it shows the objects as they were then, and why
 * completions have failed.
 *
 * Of each region it has the lines of the first 4096 bytes that are not zero.
 * > timeline on
 * > listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471
 * > report session.html -title "First connection" => rows in session.html */
const struct cmd cmd_report = {
	.name = "report",
	.family = "understanding",
	.summary = "write the session as one self-contained HTML page",
	.setup = "reg 4096 -name buf",
	.args = report_args,
	.flags = CMD_NO_RECORD,
	.exec = report_exec,
};
