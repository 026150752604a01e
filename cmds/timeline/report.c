/* SPDX-License-Identifier: MIT */
/* report FILE.html: the session as one self-contained page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "explain/explain.h"
#include "export/program.h"
#include "file/file.h"
#include "out.h"
#include "page.h"
#include "session.h"
#include "timeline/timeline.h"
#include "words.h"

/* The memory of regions, before and after: the lines of a hex dump that have changed. */

#define LINE	  16
#define LINES_MAX 48 /* of a region */

/* Appends bytes as hex or as characters, with marks where they differ from other. */
static void append_bytes(const uint8_t *p, const uint8_t *other, size_t n, bool hex, struct text *d)
{
	for (size_t i = 0; i < n; i++) {
		const bool differs = p[i] != other[i];

		text_add(d, differs ? "<mark>" : "");
		if (hex)
			xappendf(d, "%02x", p[i]);
		else
			markup_textf(d, "%c", p[i] >= ' ' && p[i] < 0x7f ? p[i] : '.');
		text_add(d, differs ? "</mark>" : "");
		text_add(d, hex ? " " : "");
	}
	if (hex)
		xappendf(d, "%*s", 3 * (int)(LINE - n), "");
}

static void append_dump_line(size_t off, const char *label, const uint8_t *p, const uint8_t *other,
			     size_t n, struct text *d)
{
	xappendf(d, "%s %6zx  ", label, off);
	append_bytes(p, other, n, true, d);
	text_add(d, " ");
	append_bytes(p, other, n, false, d);
	text_add(d, "\n");
}

static unsigned changed_lines(const uint8_t *was, const uint8_t *is, size_t len, struct text *d)
{
	unsigned n = 0;

	for (size_t off = 0; off < len; off += LINE) {
		size_t some = len - off < LINE ? len - off : LINE;

		if (memcmp(was + off, is + off, some) == 0)
			continue;
		if (n++ >= LINES_MAX)
			continue;
		append_dump_line(off, "before", was + off, is + off, some, d);
		append_dump_line(off, "after ", is + off, was + off, some, d);
	}
	return n;
}

static void append_region(struct session *s, const struct mr *mr, struct text *d)
{
	uint8_t is[MEMORY_KEPT], none[MEMORY_KEPT] = { 0 };
	const uint8_t *was;
	unsigned n;
	size_t len;

	was = timeline_memory(s, mr, &len);
	memcpy(is, mr->buf, len); /* a copy, because a peer may write meanwhile */
	text_add(d, "<h3>");
	markup_textf(d, "%s: %zu bytes at 0x%llx, lkey 0x%x, rkey 0x%x, %s", mr->o.name, mr->len,
		     (unsigned long long)(uintptr_t)mr->buf, mr->v->lkey, mr->v->rkey,
		     word_flags(mr_access_words, mr->access));
	text_add(d, "</h3>\n<pre tabindex=\"0\">");
	n = changed_lines(was ? was : none, is, len, d);
	text_add(d, "</pre>\n");
	if (!n)
		text_add(d, "<p>No byte has changed.</p>\n");
	if (n > LINES_MAX)
		xappendf(d, "<p>%u more lines have changed.</p>\n", n - LINES_MAX);
	if (len < mr->len)
		xappendf(d, "<p>Of its first %zu bytes.</p>\n", len);
}

static void report_memory(struct session *s, struct text *d)
{
	const struct mr *mr;

	if (!obj_first(s, &mr_class))
		return;
	text_add(d, "<section id=\"memory\"><h2>Memory of this end, before and "
		    "after</h2>\n");
	obj_foreach_of(mr, s, &mr_class)
		append_region(s, mr, d);
	text_add(d, "</section>\n");
}

/* The session as a C program: what export c writes. */

static void report_program(struct session *s, struct text *d)
{
	struct program p = { .s = s, .role = END_BOTH };
	SCOPED_TEXT(text);

	program_write(&p);
	if (p.nphases) {
		program_text(&p, "session.c", &text);
		xappendf(d, "<section id=\"program\"><h2>The session as a C program</h2>\n"
			    "<details><summary>session.c</summary>\n<pre>");
		markup_text(d, text_str(&text));
		xappendf(d, "</pre></details></section>\n");
	}
	program_free(&p);
}

/* ------------------------------------------------------------- the page -- */

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

/* Appends what explain says about the last failure, if there was one. */
static void append_explanation(struct session *s, struct text *why)
{
	struct out *o = out_new(true);

	if (explain_last(s, o) == 0)
		out_print(o, OUT_TEXT, why);
	fail_clear(&s->fail); /* of explain: there was no failure */
	out_free(o);
}

static int report_exec(struct session *s, const void *args, struct out *o)
{
	const struct report_args *a = args;
	SCOPED_TEXT(d);
	SCOPED_TEXT(why);
	SCOPED_TEXT(more);
	struct ladder l;
	int rc = -1;

	ladder_make(s, &(struct ladder_how){ .all = true }, &l);
	if (!l.n) {
		fail(s, "report", "NOTHING", "nothing was recorded%s",
		     timeline_is_on(s) ? " yet" : ": the timeline is off");
		fail_next(s, "timeline on");
		goto undo;
	}
	append_explanation(s, &why);
	report_memory(s, &more);
	report_program(s, &more);
	page_write(a->title, &l, text_str(&why), text_str(&more), &d);
	rc = save_file(s, a->path, a->force, 0644, text_str(&d), text_len(&d));
	if (rc == 0) {
		out_str(o, "file", a->path, NULL);
		out_u64(o, "rows", l.n, "%u rows", l.n);
		out_u64(o, "bytes", (uint64_t)text_len(&d), " in %s\n", a->path);
	}
undo:
	ladder_free(&l);
	return rc;
}

/** Writes one HTML file, which needs no other file and has no scripts. It has the timeline as
 * a drawing and as a table, the states of each QP and its path through them, all packets
 * with their headers, the bytes that changed in the regions of this end, the C program that
 * export c writes, and all failures, with what explain says about the last one. The page
 * supports dark mode and printing.
 *
 * The page shows what the timeline has recorded; in a script that begins with 'timeline
 * on'. The first 4096 bytes of each region are compared with those at the time when the
 * timeline began or was cleared. A region that was made later held zeros.
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
