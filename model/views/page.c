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

static unsigned count_rows(const struct ladder *l, enum ladder_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->rows[i].kind == kind;
	return n;
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
	page_strf(o, "summary",
		  "Began %s; took %s: %u calls, %u packets, %u completions, %u events%s%s", when,
		  text_str(&took), count_rows(l, LADDER_CALL), count_rows(l, LADDER_PACKET),
		  count_rows(l, LADDER_WC), count_rows(l, LADDER_EVENT), l->remarks ? ". " : "",
		  l->remarks ? l->remarks : "");
}

/* The row that stands for those that came again. */
static void out_repeats(struct out *o, const struct ladder *l, const struct ladder_row *r)
{
	char *again = r->again ? ladder_again(l, r) : NULL;

	if (again)
		page_str(o, "again", again);
	free(again);
}

static void out_row(struct out *o, const struct page_rows *rows, unsigned i)
{
	const struct ladder_row *r = &rows->l->rows[i];
	char *says = ladder_says(r);
	char id[PAGE_ID];
	SCOPED_TEXT(when);

	row_id(rows->l, i, id);
	if (ladder_time(rows->l, r, &when))
		text_add(&when, " ms");
	out_dict(o, NULL);
	out_str(o, "id", id, NULL);
	page_str(o, "time", text_str(&when));
	page_str(o, "end", ladder_end(rows->l, r->from));
	out_str(o, "kind", ladder_words[r->kind], NULL);
	page_str(o, "text", says);
	out_bool(o, "bad", r->bad || (r->kind == LADDER_PACKET && !r->arrived), NULL);
	if (r->kind == LADDER_PACKET && r->result)
		page_str(o, "headers", r->result);
	if (rows->whys && rows->whys[i])
		page_str(o, "why", rows->whys[i]);
	if (rows->states)
		out_u64(o, "state", rows->states[i], NULL);
	out_repeats(o, rows->l, r);
	out_end(o);
	free(says);
}

void page_rows_out(struct out *o, const struct page_rows *rows)
{
	SCOPED_TEXT(drawing);

	page_str(o, "title", rows->title);
	out_summary(o, rows->l);
	page_str(o, "why", rows->why);
	ladder_svg(rows->l, false, &drawing);
	out_str(o, "ladder", text_str(&drawing), NULL);
	out_list(o, "lanes");
	ladder_lanes_out(rows->l, o);
	out_end(o);
	out_list(o, "rows");
	for (unsigned i = 0; i < rows->l->n; i++)
		if (!rows->l->rows[i].folded)
			out_row(o, rows, i);
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
		   const char *states)
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
	add_values(d, "states", nonce, values ? states : "");
	xappendf(d, "<script nonce=\"%s\">\n%s</script></body></html>\n", nonce, page_js);
}

/* The ends after each row, as a list of JSON: equal ones that follow each other are one. */
struct past {
	struct text list;
	size_t last; /* place of the last ones in it */
	unsigned n;
};

static void add_ends(struct past *p, page_ends_at *ends_at, void *arg, unsigned n)
{
	struct out *o = out_new(false);
	SCOPED_TEXT(json);
	bool is_new;

	out_list(o, NULL);
	is_new = ends_at(arg, n, o);
	out_end(o);
	out_print(o, OUT_JSON, &json);
	out_free(o);
	if (!is_new || (p->n && strcmp(text_str(&p->list) + p->last, text_str(&json)) == 0))
		return;
	text_add(&p->list, p->n++ ? "," : "[");
	p->last = text_len(&p->list);
	text_add(&p->list, text_str(&json));
}

void page_file(struct text *d, struct page_rows *rows, unsigned first, page_ends_at *ends_at,
	       void *arg)
{
	const struct ladder *l = rows->l;
	unsigned *of = xcalloc(l->n + 1, sizeof *of);
	struct out *o = out_new(false);
	struct past past = { .n = 0 };
	char nonce[PAGE_NONCE];

	for (unsigned i = 0; i < l->n; i++) {
		if (i >= first && !l->rows[i].folded)
			add_ends(&past, ends_at, arg, i + 1);
		of[i] = past.n ? past.n - 1 : 0;
	}
	add_ends(&past, ends_at, arg, 0);
	text_add(&past.list, "]");
	rows->states = of;
	out_dict(o, NULL);
	page_rows_out(o, rows);
	out_end(o);
	page_nonce(nonce);
	page_document(d, rows->title, nonce, o, text_str(&past.list));
	text_free(&past.list);
	out_free(o);
	free(of);
}

struct told {
	const struct ladder *l;
	unsigned n; /* rows so far */
};

/* Only a row with a state changes what the rows tell of the ends. */
static bool told_ends_at(void *arg, unsigned n, struct out *o)
{
	struct told *t = arg;
	bool is_new = !t->n;

	for (; t->n < n; t->n++)
		is_new |= t->l->rows[t->n].kind == LADDER_STATE;
	if (is_new)
		page_ladder_ends_out(o, t->l, 0, n);
	return is_new;
}

void page_of_ladder(const char *title, const struct ladder *l, const char *why, struct text *d)
{
	page_file(d, &(struct page_rows){ .title = title, .why = why, .l = l }, 0, told_ends_at,
		  &(struct told){ .l = l });
}
