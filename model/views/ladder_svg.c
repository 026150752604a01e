/* SPDX-License-Identifier: MIT */
/* The ladder as an SVG drawing. The colours are in a style sheet, which dark mode and printing
 * change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "ladder.h"
#include "page.h"
#include "text.h"
#include "visible.h"

#define TIME_X	   64
#define MARGIN	   14
#define ROW	   18
#define LINE	   14 /* height of a further line of text */
#define HEAD	   40
#define ZONE_MIN   330
#define ZONE_PAGE  360 /* where two lanes share a page with others */
#define ZONE_ROOM  760 /* least width of all lanes */
#define PER_LETTER 6.7 /* width of a letter */
#define LINES_MAX  6

struct drawing {
	const struct ladder *l;
	unsigned zone, y;
	struct text *d;
};

static unsigned lane_x(const struct drawing *g, int lane)
{
	return TIME_X + MARGIN + (unsigned)lane * g->zone;
}

static void append_title(struct text *d, const char *text)
{
	text_add(d, "<title>");
	visible_markup(d, text);
	text_add(d, "</title>");
}

static void draw_time(const struct drawing *g, const struct ladder_row *r)
{
	xappendf(g->d, "<text class=\"t\" x=\"%d\" y=\"%u\">", TIME_X - 4, g->y);
	ladder_time(g->l, r, g->d);
	text_add(g->d, "</text>");
}

static const char *mark_of(const struct ladder_row *r)
{
	if (r->bad)
		return "✗ ";
	return r->kind == LADDER_WC	 ? "✓ "
	       : r->kind == LADDER_STATE ? "● "
	       : r->kind == LADDER_EVENT ? "• "
					 : "";
}

static void draw_event(struct drawing *g, const struct ladder_row *r)
{
	char *says = ladder_says(r), *text = xasprintf("%s%s", mark_of(r), says), *rest = text;
	unsigned letters = (unsigned)((g->zone - 2 * MARGIN) / PER_LETTER);

	draw_time(g, r);
	xappendf(g->d, "<g class=\"%s%s\">", ladder_words[r->kind], r->bad ? " bad" : "");
	append_title(g->d, says);
	for (unsigned i = 0; *rest && i < LINES_MAX; i++) {
		size_t len = ladder_fitting(rest, letters - (i ? 2 : 0));

		g->y += i ? LINE : 0;
		xappendf(g->d, "<text class=\"%s%s\" x=\"%u\" y=\"%u\">", ladder_words[r->kind],
			 r->bad ? " bad" : "", lane_x(g, r->from) + 8 + (i ? 12 : 0), g->y);
		page_markupf(g->d, "%.*s%s", (int)len, rest,
			     i + 1 == LINES_MAX && rest[len] ? " …" : "");
		text_add(g->d, "</text>");
		rest += len;
		while (*rest == ' ')
			rest++;
	}
	text_add(g->d, "</g>\n");
	free(text);
	free(says);
}

/* Draws text in the middle of an arrow, which is interrupted there. */
static void draw_label(const struct drawing *g, const char *text, int x, int room, const char *bad)
{
	size_t len = ladder_fitting(text, (unsigned)(room / PER_LETTER));
	int width = (int)((double)len * PER_LETTER) + 10;

	xappendf(g->d,
		 "<rect class=\"bg\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"12\"/>"
		 "<text class=\"pt%s\" x=\"%d\" y=\"%u\">",
		 x - width / 2, g->y - 10, width, bad, x, g->y);
	page_markupf(g->d, "%.*s", (int)len, text);
	text_add(g->d, "</text>");
}

static void draw_arrow(struct drawing *g, const struct ladder_row *r)
{
	int x1 = (int)lane_x(g, r->from), x2 = (int)lane_x(g, r->to), way = x1 < x2 ? 1 : -1;
	const char *bad = r->bad || !r->arrived ? " bad" : "";
	char *says = ladder_says(r);
	int y = (int)g->y - 4, tip = x2 - way;

	draw_time(g, r);
	text_add(g->d, "<g>");
	append_title(g->d, r->result && r->kind != LADDER_WC ? r->result : says);
	if (!r->arrived)
		tip -= way * (int)g->zone / 8;
	xappendf(g->d, "<path class=\"p%s\" d=\"M%d %dH%d\"/>", bad, x1 + way, y, tip - way * 6);
	if (r->arrived)
		xappendf(g->d, "<path class=\"tip%s\" d=\"M%d %dl%d -4v8z\"/>", bad, tip, y,
			 -way * 8);
	else
		xappendf(g->d, "<path class=\"p bad lost\" d=\"M%d %dl8 8m0 -8l-8 8\"/>", tip - 4,
			 y - 4);
	draw_label(g, says, (x1 + x2) / 2, abs(x2 - x1) - 40, bad);
	text_add(g->d, "</g>\n");
	free(says);
}

/* Draws a line that stands for the rows that came again. */
static void draw_again(struct drawing *g, const struct ladder_row *r)
{
	char *again = ladder_again(g->l, r);

	g->y += ROW;
	xappendf(g->d, "<text class=\"again\" x=\"%u\" y=\"%u\">… %s</text>\n", lane_x(g, 0) + 8,
		 g->y, again);
	free(again);
}

static void draw_row(struct drawing *g, const struct ladder_row *r)
{
	if (r->kind == LADDER_PACKET && r->to >= 0 && r->to != r->from)
		draw_arrow(g, r);
	else
		draw_event(g, r);
}

/* Each row has its number, and a frame by which it can be pointed to. */
static void draw_rows(struct drawing *g, unsigned width)
{
	struct text *all = g->d;
	unsigned number = 0;

	for (unsigned i = 0; i < g->l->n; i++) {
		const struct ladder_row *r = &g->l->rows[i];
		unsigned top = g->y + ROW - LINE;
		SCOPED_TEXT(one);

		if (r->folded)
			continue;
		g->y += ROW;
		g->d = &one;
		draw_row(g, r);
		g->d = all;
		xappendf(all,
			 "<g data-row=\"%u\"><rect class=\"pick\" y=\"%u\" width=\"%u\" "
			 "height=\"%u\"/>",
			 number++, top, width, g->y + 4 - top);
		text_add(all, text_str(&one));
		text_add(all, "</g>\n");
		if (r->again)
			draw_again(g, r);
	}
}

static unsigned set_zone(struct drawing *g, bool alone)
{
	const unsigned nlanes = g->l->nlanes ? g->l->nlanes : 1;

	g->zone = ZONE_ROOM / nlanes > ZONE_MIN ? ZONE_ROOM / nlanes : ZONE_MIN;
	g->zone = nlanes == 2 ? alone ? 470 : ZONE_PAGE : g->zone;
	return TIME_X + MARGIN + nlanes * g->zone;
}

static void draw_lanes(const struct drawing *g, unsigned bottom)
{
	for (unsigned i = 0; i < g->l->nlanes; i++) {
		unsigned x = lane_x(g, (int)i);

		xappendf(g->d,
			 "<path class=\"lane\" d=\"M%u %dV%u\"/>"
			 "<text class=\"h\" x=\"%u\" y=\"22\">",
			 x, HEAD - 10, bottom, x);
		visible_markup(g->d, g->l->lanes[i].label);
		text_add(g->d, "</text>\n");
	}
}

void ladder_svg(const struct ladder *l, bool alone, struct text *d)
{
	struct drawing g = { .l = l, .y = HEAD - 4, .d = d };
	const unsigned width = set_zone(&g, alone);
	unsigned height;
	SCOPED_TEXT(rows);

	g.d = &rows;
	draw_rows(&g, width);
	height = g.y + ROW;
	g.d = d;
	if (alone)
		text_add(d, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	xappendf(d,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lad\" role=\"img\" "
		 "aria-label=\"Timeline of %u rows\" viewBox=\"0 0 %u %u\" width=\"%u\" "
		 "height=\"%u\">\n",
		 l->n, width, height, width, height);
	if (alone)
		xappendf(d, "<style>\n%s</style>\n", ladder_css);
	xappendf(d,
		 "<rect class=\"bg\" width=\"%u\" height=\"%u\"/>"
		 "<text class=\"t\" x=\"%d\" y=\"22\">ms</text>\n",
		 width, height, TIME_X - 4);
	draw_lanes(&g, height - 4);
	text_add_bytes(d, text_str(&rows), text_len(&rows));
	text_add(d, "</svg>\n");
}
