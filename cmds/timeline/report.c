/* SPDX-License-Identifier: MIT */
/* report FILE.html: the session as one self-contained page. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "command/cmd.h"
#include "explain/explain.h"
#include "export/program.h"
#include "file/file.h"
#include "out.h"
#include "output/print.h"
#include "session.h"
#include "timeline/ladder.h"
#include "timeline/timeline.h"
#include "words.h"

/* The last failure, and the explanation of explain. */

/* Ends the item of list_failures() for that many equal failures, of which last is the last. */
static void end_failure(const struct ladder *l, const struct ladder_row *last, unsigned times,
			struct text *d)
{
	if (times > 1)
		xappendf(d, ", %u times until %.3f ms", times, ladder_ms(l, last));
	text_add(d, times ? "</li>\n" : "");
}

/* Lists the failures. Equal ones without another between them are one item. */
static void list_failures(const struct ladder *l, struct text *d)
{
	const struct ladder_row *last = NULL;
	char *said = NULL;
	unsigned times = 0;

	text_add(d, "<ul class=\"bad\">\n");
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		char *says;

		if (!r->bad)
			continue;
		says = ladder_says(r);
		if (!said || r->from != last->from || strcmp(says, said) != 0) {
			end_failure(l, last, times, d);
			xappendf(d, "<li>%.3f ms, ", ladder_ms(l, r));
			markup_textf(d, "%s: %s", ladder_end(l, r->from), says);
			times = 0;
		}
		times++;
		last = r;
		free(said);
		said = says;
	}
	end_failure(l, last, times, d);
	free(said);
	text_add(d, "</ul>\n");
}

/* A QP that is moved to ERR by a disconnect has not failed. */
static bool is_failure(const struct ladder_row *r)
{
	return r->bad && r->kind != LADDER_STATE;
}

static void report_failures(const struct ladder *l, const char *why, struct text *d)
{
	bool any = *why;

	for (unsigned i = 0; i < l->n && !any; i++)
		any = is_failure(&l->rows[i]);
	if (!any)
		return;
	text_add(d, "<section id=\"failures\"><h2>What failed</h2>\n");
	list_failures(l, d);
	if (*why) {
		text_add(d, "<h3>Why</h3>\n<pre tabindex=\"0\">");
		markup_text(d, why);
		text_add(d, "</pre>\n");
	}
	text_add(d, "</section>\n");
}

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

static const char *html_entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Control characters become visible: XML does not allow them, not even escaped. */
void markup_text(struct text *d, const char *text)
{
	SCOPED_TEXT(visible);

	visible_append(&visible, text, strlen(text), VISIBLE_LINES);
	for (const char *p = text_str(&visible); *p; p++) {
		const char *instead = html_entity(*p);

		text_add_bytes(d, instead ? instead : p, instead ? strlen(instead) : 1);
	}
}

void markup_textf(struct text *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	markup_text(d, text);
	free(text);
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

/* The policy keeps the page from loading or running anything, whatever a peer has sent. */
static void begin_page(const char *title, struct text *d)
{
	text_add(d, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">"
		    "<head><meta charset=\"utf-8\"/>\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		    "'none'; style-src 'unsafe-inline'\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, "
		    "initial-scale=1\"/>\n<title>");
	markup_text(d, title);
	text_add(d, "</title>\n<style>");
	text_add(d, report_css);
	text_add(d, "</style></head>\n<body><header><h1>");
	markup_text(d, title);
	text_add(d, "</h1>\n");
}

static unsigned count_rows(const struct ladder *l, enum ladder_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->rows[i].kind == kind;
	return n;
}

static void append_summary(const struct ladder *l, struct text *d)
{
	time_t second = (time_t)(l->start / 1000000000);
	char when[64] = "";
	struct tm tm;

	if (localtime_r(&second, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	xappendf(d,
		 "<p class=\"dim\">Began %s; took %.3f ms: %u calls, %u packets, %u completions, "
		 "%u events.</p>\n",
		 when, ladder_ms(l, &l->rows[l->n - 1]), count_rows(l, LADDER_CALL),
		 count_rows(l, LADDER_PACKET), count_rows(l, LADDER_WC),
		 count_rows(l, LADDER_EVENT));
	if (l->remarks) {
		text_add(d, "<p>");
		markup_text(d, l->remarks);
		text_add(d, "</p>\n");
	}
	text_add(d, "</header>\n<main>\n");
}

static void append_cell(struct text *d, const char *attributes, const char *text)
{
	xappendf(d, "<td%s>", attributes);
	markup_text(d, text);
	text_add(d, "</td>");
}

/* A table of all rows, or of the packets with their headers. */
static void append_table(const struct ladder *l, bool packets, struct text *d)
{
	xappendf(d,
		 "<table><thead><tr><th class=\"n\" scope=\"col\">ms</th><th scope=\"col\">%s</th>"
		 "<th scope=\"col\">%s</th><th scope=\"col\">%s</th></tr></thead><tbody>\n",
		 packets ? "From" : "End", packets ? "Packet" : "Kind",
		 packets ? "Addresses and headers" : "What");
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		char *says;

		if (packets && r->kind != LADDER_PACKET)
			continue;
		says = ladder_says(r);
		xappendf(d, "<tr%s><td class=\"n\">%.3f</td>",
			 r->bad || (packets && !r->arrived) ? " class=\"bad\"" : "",
			 ladder_ms(l, r));
		append_cell(d, "", ladder_end(l, r->from));
		append_cell(d, "", packets ? says : ladder_words[r->kind]);
		append_cell(d, " class=\"w\"", !packets ? says : r->result ? r->result : "");
		text_add(d, "</tr>\n");
		free(says);
	}
	text_add(d, "</tbody></table>");
}

void report_page(struct session *s, const char *title, const struct ladder *l, const char *why,
		 struct text *d)
{
	begin_page(title, d);
	append_summary(l, d);
	report_failures(l, why, d);
	text_add(d, "<section id=\"ladder\"><h2>Timeline</h2>\n<div class=\"wide\">");
	ladder_svg(l, false, d);
	text_add(d, "</div>\n");
	/* for screen readers, and for copying */
	text_add(d, "<details><summary>The same as a table</summary>");
	append_table(l, false, d);
	text_add(d, "</details>\n</section>\n");
	report_qps(l, d);
	if (count_rows(l, LADDER_PACKET)) {
		text_add(d, "<section id=\"packets\"><h2>Packets</h2>\n");
		append_table(l, true, d);
		text_add(d, "</section>\n");
	}
	if (s) {
		report_memory(s, d);
		report_program(s, d);
	}
	text_add(d, "</main></body></html>\n");
}

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
	report_page(s, a->title, &l, text_str(&why), &d);
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
