/* SPDX-License-Identifier: MIT */
/* report FILE.html: the page of this session as a file. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "explain/explain.h"
#include "file/file.h"
#include "ladder.h"
#include "out.h"
#include "page.h"
#include "page_ends.h"
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

/* The objects after each row, as a list of JSON: equal ones that follow each other are one. */
struct past {
	struct session *s;
	const struct ladder *l;
	struct view_peers peers;
	struct text list, last;
	unsigned n, *of; /* of each row: the number of its objects */
};

static bool is_same(const struct text *a, const struct text *b)
{
	return text_len(a) == text_len(b) && memcmp(text_str(a), text_str(b), text_len(a)) == 0;
}

static void add_state(struct past *p, struct view_moment *m, unsigned rows)
{
	const int64_t at = rows ? page_row_time(&p->l->rows[rows - 1]) : 0;
	struct out *o = out_new(false);
	SCOPED_TEXT(json);

	out_list(o, NULL);
	view_moment_out(
		m, &(struct view_look){ .at = at, .l = p->l, .n = rows, .peers = &p->peers }, o);
	out_end(o);
	out_print(o, OUT_JSON, &json);
	out_free(o);
	if (p->n && is_same(&json, &p->last))
		return;
	text_add(&p->list, p->n++ ? "," : "");
	text_add_bytes(&p->list, text_str(&json), text_len(&json));
	text_resize(&p->last, 0);
	text_add_bytes(&p->last, text_str(&json), text_len(&json));
}

static void add_states(struct past *p)
{
	const unsigned first = p->l->n > PAST ? p->l->n - PAST : 0;
	struct view_moment *m = view_moment_new(p->s, false);

	view_peers_look(p->s, &p->peers);
	text_add(&p->list, "[");
	for (unsigned i = 0; i < p->l->n; i++) {
		if (i >= first && !p->l->rows[i].folded)
			add_state(p, m, i + 1);
		p->of[i] = p->n ? p->n - 1 : 0;
	}
	view_moment_free(m);
	m = view_moment_new(p->s, true);
	add_state(p, m, p->l->n);
	view_moment_free(m);
	text_add(&p->list, "]");
}

static void write_page(struct session *s, const char *title, const struct ladder *l, struct text *d)
{
	struct past past = { .s = s, .l = l, .of = xcalloc(l->n + 1, sizeof *past.of) };
	struct view_whys whys = { 0 };
	struct out *o = out_new(false);
	char **texts, nonce[PAGE_NONCE];
	SCOPED_TEXT(why);

	append_explanation(s, &why);
	view_whys_learn(s, &whys);
	texts = view_whys_of(&whys, l);
	add_states(&past);
	out_dict(o, NULL);
	page_rows_out(o, &(struct page_rows){ .title = title,
					      .why = text_str(&why),
					      .l = l,
					      .whys = texts,
					      .states = past.of });
	out_end(o);
	page_nonce(nonce);
	page_document(d, title, nonce, o, text_str(&past.list));
	out_free(o);
	free(texts);
	view_whys_free(&whys);
	view_peers_free(&past.peers);
	text_free(&past.list);
	text_free(&past.last);
	free(past.of);
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
