/* SPDX-License-Identifier: MIT */
/*
 * The ladder as text: the time, and for each lane a vertical line with its events to the right.
 * Packets are arrows from line to line. Without UTF-8 it is drawn in ASCII.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "heap.h"
#include "ladder.h"
#include "out.h"

#define TIME_WIDTH 10
#define WIDTH	   110 /* without a terminal */
#define WIDTH_MIN  40
#define WIDTH_MAX  240
#define LANE_MIN   15
#define LINES_MAX  4 /* of one row */

struct glyphs {
	const char *down, *across, *right, *left, *lost, *dot, *state, *bad, *done;
};

static const struct glyphs utf8 = { "│", "─", "▶", "◀", "✗", "•", "●", "✗", "✓" };
static const struct glyphs ascii = { "|", "-", ">", "<", "X", "*", "o", "!", "=" };

struct ladder_page {
	const struct ladder *l;
	const struct glyphs *g;
	unsigned zone; /* columns of a lane, its line included */
	struct out *o;
};

static unsigned terminal_width(void)
{
	struct winsize size;
	unsigned w = WIDTH;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		w = size.ws_col;
	return w < WIDTH_MIN ? WIDTH_MIN : w > WIDTH_MAX ? WIDTH_MAX : w;
}

static unsigned text_columns(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Is the blank before a unit of one letter, which stays with its number? */
static bool is_before_unit(const char *blank)
{
	return blank[1] && (!blank[2] || blank[2] == ' ');
}

size_t ladder_fitting(const char *text, unsigned room)
{
	size_t at = 0, blank = 0;
	unsigned n = 0;

	while (text[at]) {
		size_t next = at + 1;

		while (((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		if (text[at] == ' ' && !is_before_unit(text + at))
			blank = at;
		if (at && text[at - 1] == ',' && text[at] != ' ')
			blank = at;
		if (++n > room)
			return blank > room / 3 ? blank : at;
		at = next;
	}
	return at;
}

static void append_blanks(struct ladder_page *p, unsigned n)
{
	out_text(p->o, "%*s", (int)n, "");
}

static void draw_lanes(struct ladder_page *p, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		out_paint(p->o, PAINT_DIM);
		out_text(p->o, "%s", p->g->down);
		out_paint(p->o, PAINT_NONE);
		if (i + 1 < p->l->nlanes)
			append_blanks(p, p->zone - 1);
	}
}

static void draw_time(struct ladder_page *p, const struct ladder_row *r)
{
	SCOPED_TEXT(when);

	ladder_time(p->l, r, &when);
	out_painted(p->o, PAINT_DIM, "%*s ", TIME_WIDTH - 1, text_str(&when));
}

static enum paint paint_of(const struct ladder_row *r)
{
	if (r->bad)
		return PAINT_BAD;
	return r->kind == LADDER_WC				    ? PAINT_GOOD
	       : r->kind == LADDER_STATE || r->kind == LADDER_EVENT ? PAINT_STRONG
								    : PAINT_NONE;
}

static const char *mark_of(const struct ladder_page *p, const struct ladder_row *r)
{
	if (r->bad)
		return p->g->bad;
	switch (r->kind) {
	case LADDER_WC:
		return p->g->done;
	case LADDER_STATE:
		return p->g->state;
	case LADDER_EVENT:
	case LADDER_NOTICE:
		return p->g->dot;
	default:
		return " ";
	}
}

/* Draws the lines of all lanes, with a line of text after that of the row's lane. */
static void draw_beside(struct ladder_page *p, const struct ladder_row *r, const char *mark,
			const char *text)
{
	unsigned lane = (unsigned)r->from, used = 1 + text_columns(mark) + text_columns(text);

	draw_lanes(p, 0, lane);
	out_paint(p->o, PAINT_DIM);
	out_text(p->o, "%s", p->g->down);
	out_paint(p->o, paint_of(r));
	out_text(p->o, "%s%s", mark, text);
	out_paint(p->o, PAINT_NONE);
	if (lane + 1 < p->l->nlanes) {
		append_blanks(p, used < p->zone ? p->zone - used : 0);
		draw_lanes(p, lane + 1, p->l->nlanes);
	}
	out_text(p->o, "\n");
}

/* Draws a row at one end, on up to LINES_MAX lines. */
static void draw_event(struct ladder_page *p, const struct ladder_row *r)
{
	char *text = ladder_says(r), *rest = text;
	char *mark = xasprintf("%s ", mark_of(p, r));
	unsigned room = p->zone - 4;

	draw_time(p, r);
	for (unsigned i = 0; i < LINES_MAX && (*rest || !i); i++) {
		bool last = i + 1 == LINES_MAX;
		size_t len = ladder_fitting(rest, i ? room - 2 : room);
		char *shown;

		if (last && rest[len])
			len = ladder_fitting(rest, room - 6);
		shown = xasprintf("%.*s%s", (int)len, rest, last && rest[len] ? " ..." : "");
		if (i)
			append_blanks(p, TIME_WIDTH);
		draw_beside(p, r, i ? "    " : mark, shown);
		free(shown);
		rest += len;
		rest += strspn(rest, " ");
	}
	free(mark);
	free(text);
}

static void draw_shaft(struct ladder_page *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out_text(p->o, "%s", p->g->across);
}

/* An arrow between the lines of two lanes. */
struct arrow {
	unsigned left, right; /* lanes */
	unsigned room;	      /* columns between their lines */
	bool to_right;
};

/* Draws the rest of a packet's text, which did not fit on its arrow, below it, from column at. */
static void draw_below_arrow(struct ladder_page *p, const struct arrow *a, unsigned at,
			     const char *rest)
{
	while (*rest) {
		int len = (int)ladder_fitting(rest, a->room - at);
		char *shown = xasprintf("%.*s", len, rest);

		append_blanks(p, TIME_WIDTH);
		draw_lanes(p, 0, a->left);
		out_paint(p->o, PAINT_DIM);
		out_text(p->o, "%s", p->g->down);
		out_paint(p->o, PAINT_NONE);
		append_blanks(p, at);
		out_text(p->o, "%s", shown);
		append_blanks(p, a->room - at - text_columns(shown));
		draw_lanes(p, a->right, p->l->nlanes);
		out_text(p->o, "\n");
		free(shown);
		rest += len;
		rest += strspn(rest, " ");
	}
}

static void draw_arrow(struct ladder_page *p, const struct ladder_row *r)
{
	struct arrow a = { .to_right = r->from < r->to };
	const char *tip = !r->arrived ? p->g->lost : a.to_right ? p->g->right : p->g->left;
	char *text = ladder_says(r), *shown;
	unsigned shaft, before; /* columns of the arrow's line, and those before the text */
	size_t len;

	a.left = (unsigned)(a.to_right ? r->from : r->to);
	a.right = (unsigned)(a.to_right ? r->to : r->from);
	a.room = (a.right - a.left) * p->zone - 1;
	len = ladder_fitting(text, a.room - 3);
	shown = xasprintf(" %.*s ", (int)len, text);
	shaft = a.room - 1 - text_columns(shown);
	before = a.to_right ? shaft - shaft / 2 : shaft / 2;

	draw_time(p, r);
	draw_lanes(p, 0, a.left);
	out_paint(p->o, PAINT_DIM);
	out_text(p->o, "%s", p->g->down);
	out_paint(p->o, r->bad || !r->arrived ? PAINT_BAD : PAINT_NONE);
	if (!a.to_right)
		out_text(p->o, "%s", tip);
	draw_shaft(p, before);
	out_text(p->o, "%s", shown);
	draw_shaft(p, shaft - before);
	if (a.to_right)
		out_text(p->o, "%s", tip);
	out_paint(p->o, PAINT_NONE);
	draw_lanes(p, a.right, p->l->nlanes);
	out_text(p->o, "\n");
	draw_below_arrow(p, &a, before + 1 + !a.to_right, text + len + strspn(text + len, " "));
	free(shown);
	free(text);
}

/* Draws a line that stands for the rows that came again. */
static void draw_again(struct ladder_page *p, const struct ladder_row *r)
{
	char *again = ladder_again(p->l, r);

	append_blanks(p, TIME_WIDTH);
	out_paint(p->o, PAINT_DIM);
	out_text(p->o, "... %s\n", again);
	out_paint(p->o, PAINT_NONE);
	free(again);
}

static void draw_head(struct ladder_page *p)
{
	out_text(p->o, "%*s ", TIME_WIDTH - 1, "ms");
	for (unsigned i = 0; i < p->l->nlanes; i++) {
		const char *label = p->l->lanes[i].label;
		size_t len = ladder_fitting(label, p->zone - 2);
		char *shown = xasprintf("%.*s", (int)len, label);

		out_paint(p->o, PAINT_STRONG);
		out_text(p->o, "%s", shown);
		out_paint(p->o, PAINT_NONE);
		if (i + 1 < p->l->nlanes)
			append_blanks(p, p->zone - text_columns(shown));
		free(shown);
	}
	out_text(p->o, "\n");
}

void ladder_print(const struct ladder *l, unsigned width, bool is_utf8, struct out *o)
{
	struct ladder_page p = { .l = l, .g = is_utf8 ? &utf8 : &ascii, .o = o };

	if (!l->n)
		return;
	width = width ? width : terminal_width();
	p.zone = (width - TIME_WIDTH) / l->nlanes;
	p.zone = p.zone < LANE_MIN ? LANE_MIN : p.zone;
	draw_head(&p);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (r->folded)
			continue;
		if (r->kind == LADDER_PACKET && r->to >= 0 && r->to != r->from)
			draw_arrow(&p, r);
		else
			draw_event(&p, r);
		if (r->again)
			draw_again(&p, r);
	}
	if (l->remarks)
		out_text(o, "%s", l->remarks);
	if (l->left_out)
		out_text(o, "(%u older row%s left out; all: timeline -all)\n", l->left_out,
			 l->left_out == 1 ? " is" : "s are");
}
