/* SPDX-License-Identifier: MIT */
/* The ladder as one self-contained page of HTML. */
#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap.h"
#include "ladder.h"
#include "text.h"
#include "visible.h"

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

/* ------------------------------------------------------------- what failed -- */

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

static void page_failures(const struct ladder *l, const char *why, struct text *d)
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

/* ------------------------------------------------------------- the page -- */

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

/* A row that stands for those that came again. */
static void append_again(const struct ladder *l, const struct ladder_row *r, struct text *d)
{
	char *again = ladder_again(l, r);

	text_add(d, "<tr><td></td><td></td><td></td>");
	append_cell(d, "", again);
	text_add(d, "</tr>\n");
	free(again);
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

		if (r->folded || (packets && r->kind != LADDER_PACKET))
			continue;
		says = ladder_says(r);
		xappendf(d, "<tr%s><td class=\"n\">%.3f</td>",
			 r->bad || (packets && !r->arrived) ? " class=\"bad\"" : "",
			 ladder_ms(l, r));
		append_cell(d, "", ladder_end(l, r->from));
		append_cell(d, "", packets ? says : ladder_words[r->kind]);
		append_cell(d, " class=\"w\"", !packets ? says : r->result ? r->result : "");
		text_add(d, "</tr>\n");
		if (r->again)
			append_again(l, r, d);
		free(says);
	}
	text_add(d, "</tbody></table>");
}

void page_write(const char *title, const struct ladder *l, const char *why, const char *more,
		struct text *d)
{
	begin_page(title, d);
	append_summary(l, d);
	page_failures(l, why, d);
	text_add(d, "<section id=\"ladder\"><h2>Timeline</h2>\n<div class=\"wide\">");
	ladder_svg(l, false, d);
	text_add(d, "</div>\n");
	/* for screen readers, and for copying */
	text_add(d, "<details><summary>The same as a table</summary>");
	append_table(l, false, d);
	text_add(d, "</details>\n</section>\n");
	page_qps(l, d);
	if (count_rows(l, LADDER_PACKET)) {
		text_add(d, "<section id=\"packets\"><h2>Packets</h2>\n");
		append_table(l, true, d);
		text_add(d, "</section>\n");
	}
	text_add(d, more);
	text_add(d, "</main></body></html>\n");
}
