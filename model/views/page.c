/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "heap.h"
#include "ladder.h"
#include "out.h"
#include "page_ends.h"
#include "state_svg.h"
#include "text.h"
#include "visible.h"

void page_markupf(struct text *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	visible_markup(d, text);
	free(text);
}

/* ------------------------------------------------------------------------- rows -- */

int64_t page_row_time(const struct ladder_row *r)
{
	return r->until > r->when ? r->until : r->when;
}

/* Times are measured anew from time to time, and rows drop out: a row is called by the begin of its
 * record, and how many rows before it have that, too. */
static void row_id(const struct ladder *l, unsigned i, char id[PAGE_ID])
{
	const struct ladder_row *r = &l->rows[i];
	unsigned before = 0;

	while (i-- > 0)
		before += l->rows[i].mark == r->mark && (r->mark || l->rows[i].when == r->when);
	snprintf(id, PAGE_ID, "%" PRIu64 ".%u", r->mark ? r->mark : (uint64_t)r->when, before);
}

int page_row_of(const struct ladder *l, const char *id)
{
	char its[PAGE_ID];

	for (unsigned i = 0; i < l->n; i++) {
		row_id(l, i, its);
		if (strcmp(its, id) == 0)
			return (int)i;
	}
	return -1;
}

static void out_summary(struct out *o, const struct ladder *l)
{
	time_t second = (time_t)(l->start / 1000000000);
	char when[64] = "";
	SCOPED_TEXT(took);
	struct tm tm;

	if (!l->n) {
		out_str(o, "summary", "Nothing was recorded yet.", NULL);
		return;
	}
	if (localtime_r(&second, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	if (ladder_time(l, &l->rows[l->n - 1], &took))
		text_add(&took, " ms");
	page_strf(o, "summary", "Began %s; took %s: %u rows%s%s", when, text_str(&took), l->n,
		  l->remarks ? ". " : "", l->remarks ? l->remarks : "");
}

/* The steps between states that the rows up to this one tell of its QP. */
static uint64_t steps_told(const struct ladder *l, const struct ladder_row *r)
{
	int to = r->state;
	uint64_t steps = 0;

	for (const struct ladder_row *i = r; i-- > l->rows;)
		if (i->kind == LADDER_STATE && i->place == r->place &&
		    strcmp(i->name, r->name) == 0) {
			steps |= state_path((enum ibv_qp_state)i->state, (enum ibv_qp_state)to);
			to = i->state;
		}
	return steps;
}

static void out_row(struct out *o, const struct ladder *l, unsigned i)
{
	const struct ladder_row *r = &l->rows[i];
	char *says = ladder_says(r);
	char id[PAGE_ID];
	SCOPED_TEXT(when);

	row_id(l, i, id);
	if (ladder_time(l, r, &when))
		text_add(&when, " ms");
	out_dict(o, NULL);
	out_str(o, "id", id, NULL);
	page_str(o, "time", text_str(&when));
	page_str(o, "end", ladder_end(l, r->from));
	out_str(o, "kind", ladder_words[r->kind], NULL);
	page_str(o, "text", says);
	out_bool(o, "bad", r->bad || (r->kind == LADDER_PACKET && !r->arrived), NULL);
	if (r->kind == LADDER_PACKET && r->result)
		page_str(o, "headers", r->result);
	if (r->why)
		page_str(o, "why", r->why);
	if (r->kind == LADDER_STATE && r->state >= 0 && l->places[r->place])
		page_qp_out(o, "qp",
			    &(struct page_qp){ .name = r->name,
					       .peer = "",
					       .now = (enum ibv_qp_state)r->state,
					       .steps = steps_told(l, r),
					       .why = r->result,
					       .failed = r->bad });
	out_end(o);
	free(says);
}

void page_rows_out(struct out *o, const struct ladder *l, const char *why)
{
	SCOPED_TEXT(drawing);

	out_summary(o, l);
	page_str(o, "why", why);
	ladder_svg(l, false, &drawing);
	out_str(o, "ladder", text_str(&drawing), NULL);
	out_list(o, "rows");
	for (unsigned i = 0; i < l->n; i++)
		if (!l->rows[i].folded)
			out_row(o, l, i);
	out_end(o);
}

/* --------------------------------------------------------------------- document -- */

void page_nonce(char nonce[PAGE_NONCE])
{
	unsigned char random[(PAGE_NONCE - 1) / 2];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		abort(); /* so few bytes are never cut short */
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(nonce + 2 * i, 3, "%02x", random[i]);
}

/* Appends an element with JSON, in which nothing may look like a tag. */
static void add_values(struct text *d, const char *id, const char *nonce, const char *json)
{
	xappendf(d, "<script type=\"application/json\" id=\"%s\" nonce=\"%s\">", id, nonce);
	for (const char *p = json; *p; p++)
		if (*p == '<')
			text_add(d, "\\u003c");
		else
			text_add_bytes(d, p, 1);
	text_add(d, "</script>\n");
}

/* The policy keeps the page from loading anything, and from running what a peer has sent. */
void page_document(struct text *d, const char *title, const char *nonce, const struct out *values,
		   const char *past)
{
	SCOPED_TEXT(json);

	text_add(d, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
	xappendf(
		d,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
		"style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src %s; base-uri 'none'; "
		"form-action 'none'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>",
		nonce, nonce, values ? "'none'" : "'self'");
	visible_markup(d, title);
	xappendf(d, "</title>\n<style nonce=\"%s\">\n%s%s%s</style></head>\n", nonce, page_css,
		 ladder_css, state_svg_css);
	text_add(d, "<body><header><h1 id=\"title\">");
	visible_markup(d, title);
	text_add(d, "</h1><p id=\"summary\"></p><span id=\"when\"></span>"
		    "<span><kbd>?</kbd>keys</span></header>\n<main id=\"panes\"></main>\n");
	text_add(
		d,
		"<noscript>This page needs JavaScript, which shows the values in it.</noscript>\n");
	if (values)
		out_print(values, OUT_JSON, &json);
	add_values(d, "data", nonce, text_str(&json));
	add_values(d, "past", nonce, past);
	xappendf(d, "<script nonce=\"%s\">\n%s</script></body></html>\n", nonce, page_js);
}

void page_file(struct text *d, const char *title, const struct ladder *l, const char *why,
	       const char *past)
{
	struct out *o = out_new(false);
	char nonce[PAGE_NONCE];

	out_dict(o, NULL);
	page_rows_out(o, l, why);
	out_end(o);
	page_nonce(nonce);
	page_document(d, title, nonce, o, past);
	out_free(o);
}
