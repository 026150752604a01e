/* SPDX-License-Identifier: MIT */
#include "state_svg.h"

#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "inventory.h"
#include "ladder.h"
#include "page.h"
#include "recorded.h"
#include "spec_tables.h"
#include "text.h"
#include "visible.h"

#define STATES	(IBV_QPS_ERR + 1)
#define BOX_W	92
#define BOX_H	46
#define WIDTH	648
#define HEIGHT	300
#define LINE	17
#define MARGIN	16
#define TABLE_X 160 /* of the attributes in the table */
#define TEXT_W	64  /* letters of a line */

struct place {
	int x, y; /* of the upper left corner of its box */
};

static const struct place boxes[STATES] = {
	[IBV_QPS_RESET] = { 8, 88 },  [IBV_QPS_INIT] = { 136, 88 }, [IBV_QPS_RTR] = { 264, 88 },
	[IBV_QPS_RTS] = { 392, 88 },  [IBV_QPS_SQD] = { 548, 88 },  [IBV_QPS_SQE] = { 392, 218 },
	[IBV_QPS_ERR] = { 136, 218 },
};

struct drawing {
	const struct state_svg *of;
	struct text *d;
	unsigned number; /* of the transitions so far */
	unsigned numbers[STATES][STATES];
};

static const char *state_name(enum ibv_qp_state state)
{
	const struct call_struct *attr = call_table[ROW_ibv_modify_qp].args[1].of;

	return call_word_name(call_value_find(attr->fields, "qp_state")->words, state);
}

uint64_t state_path(enum ibv_qp_state from, enum ibv_qp_state to)
{
	uint64_t steps = 0;

	for (; from < to && to <= IBV_QPS_RTS; from++)
		steps |= uroce_step(from, from + 1);
	return from == to ? steps : steps | uroce_step(from, to);
}

/* An RC QP never gets into SQE. */
static bool has_state(const struct state_svg *d, enum ibv_qp_state state)
{
	return state != IBV_QPS_SQE || d->type == IBV_QPT_UC || d->type == IBV_QPT_UD;
}

static bool was_taken(const struct state_svg *d, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return d->steps & uroce_step(from, to);
}

static bool has_been(const struct state_svg *d, enum ibv_qp_state state)
{
	for (enum ibv_qp_state other = 0; other < STATES; other++)
		if (was_taken(d, state, other) || was_taken(d, other, state))
			return true;
	return !d->is_table && state == d->now;
}

/* ----------------------------------------------------------------------- arrows -- */

/* The ends, and what it bends towards. */
struct curve {
	int x1, y1, cx1, cy1, cx2, cy2, x2, y2;
};

/* Between the boxes. The ways to RESET go above them, those to ERR below; a QP that stays in its
 * state changes attributes. */
static const struct curve curves[STATES][STATES] = {
	[IBV_QPS_RESET] = { [IBV_QPS_INIT] = { 100, 111, 100, 111, 136, 111, 136, 111 },
			    [IBV_QPS_ERR] = { 54, 134, 54, 300, 182, 316, 182, 264 } },
	[IBV_QPS_INIT] = { [IBV_QPS_RESET] = { 182, 88, 182, 52, 62, 52, 62, 88 },
			   [IBV_QPS_INIT] = { 160, 88, 152, 46, 212, 46, 204, 88 },
			   [IBV_QPS_RTR] = { 228, 111, 228, 111, 264, 111, 264, 111 },
			   [IBV_QPS_ERR] = { 182, 134, 182, 134, 182, 218, 182, 218 } },
	[IBV_QPS_RTR] = { [IBV_QPS_RESET] = { 310, 88, 310, 42, 62, 42, 62, 88 },
			  [IBV_QPS_RTS] = { 356, 111, 356, 111, 392, 111, 392, 111 },
			  [IBV_QPS_ERR] = { 310, 134, 310, 174, 206, 178, 206, 218 } },
	[IBV_QPS_RTS] = { [IBV_QPS_RESET] = { 438, 88, 438, 32, 62, 32, 62, 88 },
			  [IBV_QPS_RTS] = { 416, 88, 408, 46, 468, 46, 460, 88 },
			  [IBV_QPS_SQD] = { 484, 101, 484, 101, 548, 101, 548, 101 },
			  [IBV_QPS_SQE] = { 458, 134, 458, 134, 458, 218, 458, 218 },
			  [IBV_QPS_ERR] = { 408, 134, 408, 218, 288, 226, 228, 226 } },
	[IBV_QPS_SQD] = { [IBV_QPS_RESET] = { 594, 88, 594, 22, 62, 22, 62, 88 },
			  [IBV_QPS_RTS] = { 548, 121, 548, 121, 484, 121, 484, 121 },
			  [IBV_QPS_SQD] = { 572, 88, 564, 46, 624, 46, 616, 88 },
			  [IBV_QPS_SQE] = { 594, 134, 594, 241, 524, 241, 484, 241 },
			  [IBV_QPS_ERR] = { 594, 134, 594, 300, 182, 316, 182, 264 } },
	[IBV_QPS_SQE] = { [IBV_QPS_RESET] = { 438, 264, 438, 310, 42, 310, 42, 134 },
			  [IBV_QPS_RTS] = { 438, 218, 438, 218, 438, 134, 438, 134 },
			  [IBV_QPS_ERR] = { 392, 241, 392, 241, 228, 241, 228, 241 } },
	[IBV_QPS_ERR] = { [IBV_QPS_RESET] = { 136, 241, 54, 241, 54, 218, 54, 134 } },
};
static const struct curve any_to_err = { 266, 252, 266, 252, 228, 252, 228, 252 };
static const struct curve any_to_reset = { 28, 178, 28, 178, 28, 134, 28, 134 };

/* The tip points along the longer of the ways from the last control point. */
static void draw_tip(const struct drawing *g, const struct curve *c, const char *class)
{
	const int fx = c->cx2 == c->x2 && c->cy2 == c->y2 ? c->x1 : c->cx2;
	const int fy = c->cx2 == c->x2 && c->cy2 == c->y2 ? c->y1 : c->cy2;
	const int dx = c->x2 - fx, dy = c->y2 - fy;
	const int far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
	const double ux = far ? (double)dx / far : 0, uy = far ? (double)dy / far : 0;

	xappendf(g->d, "<path class=\"tip %s\" d=\"M%d %dL%.1f %.1fL%.1f %.1fz\"/>", class, c->x2,
		 c->y2, c->x2 - 11 * ux - 5 * uy, c->y2 - 11 * uy + 5 * ux,
		 c->x2 - 11 * ux + 5 * uy, c->y2 - 11 * uy - 5 * ux);
}

/* The number of a transition, around a point. */
static void draw_badge(const struct drawing *g, int x, int y, unsigned number)
{
	xappendf(g->d,
		 "<circle cx=\"%d\" cy=\"%d\" r=\"9\"/><text class=\"badge n\" x=\"%d\" y=\"%d\">%u"
		 "</text>\n",
		 x, y, x, y + 4, number);
}

static void draw_arrow(const struct drawing *g, const struct curve *c, const char *class)
{
	xappendf(g->d, "<path class=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\"/>", class, c->x1, c->y1,
		 c->cx1, c->cy1, c->cx2, c->cy2, c->x2, c->y2);
	draw_tip(g, c, class);
}

/* Is it a step that a program makes from this state alone, or that the device makes? */
static bool is_edge(const struct state_svg *d, enum ibv_qp_state from, enum ibv_qp_state to)
{
	if (!has_state(d, from) || !has_state(d, to) || from == to || to == IBV_QPS_RESET ||
	    to == IBV_QPS_ERR)
		return false;
	return (from == IBV_QPS_RTS && to == IBV_QPS_SQE) || qp_row(d->type, from, to);
}

/* Has it gone to RESET above the boxes? */
static bool goes_back(const struct state_svg *d)
{
	for (enum ibv_qp_state from = IBV_QPS_INIT; from <= IBV_QPS_SQD; from++)
		if (was_taken(d, from, IBV_QPS_RESET))
			return true;
	return false;
}

static void draw_edges(struct drawing *g)
{
	const struct state_svg *d = g->of;

	for (unsigned taken = 0; taken < 2; taken++) /* those that were taken are above others */
		for (enum ibv_qp_state from = 0; from < STATES; from++)
			for (enum ibv_qp_state to = 0; to < STATES; to++) {
				const bool way = was_taken(d, from, to) && from != to;

				if (way != taken || (!way && !is_edge(d, from, to)) ||
				    !curves[from][to].x1)
					continue;
				draw_arrow(g, &curves[from][to],
					   way		 ? "way"
					   : d->is_table ? "plain"
							 : "");
				xappendf(g->d, "\n");
			}
}

/* The steps to ERR and RESET that any state allows, where none was taken. */
static void draw_any(struct drawing *g)
{
	const char *class = g->of->is_table ? "plain" : "";

	draw_arrow(g, &any_to_err, class);
	draw_arrow(g, &any_to_reset, class);
	xappendf(g->d,
		 "<text class=\"any dim\" x=\"%d\" y=\"%d\">any but RESET</text>"
		 "<text class=\"any dim\" x=\"%d\" y=\"%d\">any</text>\n",
		 any_to_err.x2 + 10, any_to_err.y1 + 24, any_to_reset.x1 - 12,
		 any_to_reset.y1 + 18);
	if (has_state(g->of, IBV_QPS_SQE))
		xappendf(g->d, "<text class=\"any dim\" x=\"%d\" y=\"%d\">a send failed</text>\n",
			 boxes[IBV_QPS_RTS].x + BOX_W - 16, boxes[IBV_QPS_RTS].y + BOX_H + 46);
}

/* ------------------------------------------------------------------------ boxes -- */

static void draw_frame(const struct drawing *g, enum ibv_qp_state state, int more,
		       const char *class)
{
	const struct place p = boxes[state];

	xappendf(g->d, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"7\"/>",
		 class, p.x - more, p.y - more, BOX_W + 2 * more, BOX_H + 2 * more);
}

static void draw_box(const struct drawing *g, enum ibv_qp_state state)
{
	const struct state_svg *d = g->of;
	const bool now = !d->is_table && state == d->now;
	const bool bad = state == IBV_QPS_ERR || state == IBV_QPS_SQE;
	const bool drains = now && state == IBV_QPS_SQD && d->drain != DRAIN_UNKNOWN;
	const int x = boxes[state].x + BOX_W / 2;
	const int y = boxes[state].y + BOX_H / 2 + (drains ? -2 : 6);

	if (now)
		draw_frame(g, state, 4, bad ? "here bad" : "here");
	draw_frame(g, state, 0,
		   now			? bad ? "fill bad" : "fill"
		   : d->is_table	? "plain"
		   : has_been(d, state) ? "been"
					: "box");
	xappendf(g->d, "<text class=\"n%s\" x=\"%d\" y=\"%d\">%s</text>", now ? " on" : "", x, y,
		 state_name(state));
	if (drains)
		xappendf(g->d, "<text class=\"n s on\" x=\"%d\" y=\"%d\">%s</text>", x, y + 16,
			 d->drain == DRAIN_RUNNING ? "draining" : "drained");
	xappendf(g->d, "\n");
}

/* ------------------------------------------------------------------------ table -- */

/* Writes a text, up to a newline, below the last line of text, in as many lines as it needs. */
static void add_rows(const struct drawing *g, int x, int *y, const char *class, const char *text)
{
	const char *end = text + strcspn(text, "\n");

	while (text < end) {
		size_t n = ladder_fitting(text, TEXT_W);

		n = n < (size_t)(end - text) ? n : (size_t)(end - text);
		*y += LINE;
		xappendf(g->d, "<text class=\"row%s\" x=\"%d\" y=\"%d\">", class, x, *y);
		page_markupf(g->d, "%.*s", (int)n, text);
		text_add(g->d, "</text>\n");
		text += n + strspn(text + n, " ");
	}
}

/* Appends the names of attributes after a label; nothing if there is none. */
static void append_names(struct text *to, const char *label, unsigned mask)
{
	const struct call_enum *names =
		call_value_find(call_table[ROW_ibv_modify_qp].args, "attr_mask")->words;

	for (unsigned bit = 1; bit; bit <<= 1) {
		const char *name = mask & bit ? call_word_name(names, bit) : NULL;

		if (!name)
			continue;
		xappendf(to, "%s%s", label, name);
		label = ", ";
	}
}

static void list_row(struct drawing *g, const struct qp_row *r, int *y)
{
	SCOPED_TEXT(needs);
	SCOPED_TEXT(may);

	*y += 6;
	draw_badge(g, MARGIN + 9, *y + LINE - 4, g->numbers[r->from][r->to]);
	xappendf(g->d, "<text class=\"row now\" x=\"%d\" y=\"%d\">%s %s %s</text>\n", MARGIN + 26,
		 *y + LINE, state_name(r->from), r->from == r->to ? "stays" : "→",
		 r->from == r->to ? "" : state_name(r->to));
	append_names(&needs, "needs ", r->required);
	append_names(&may, r->required ? "may have " : "needs nothing; may have ", r->optional);
	if (!r->required && !r->optional)
		text_add(&needs, "needs nothing");
	add_rows(g, TABLE_X, y, "", text_str(&needs));
	add_rows(g, TABLE_X, y, "", text_str(&may));
	add_rows(g, TABLE_X, y, " dim", r->note ? r->note : "");
}

/* A row that has something to say of its own; RC has a row for SQE, which it never gets into. */
static bool is_listed(const struct state_svg *d, const struct qp_row *r)
{
	if (r->type != d->type)
		return false;
	return r->from == r->to ? r->optional != 0 : is_edge(d, r->from, r->to);
}

/* The rows below the drawing; *y: the last line of text. */
static void list_rows(struct drawing *g, int *y)
{
	for (const struct qp_row *r = qp_rows; r->type; r++)
		if (is_listed(g->of, r))
			list_row(g, r, y);
	*y += 6;
	add_rows(g, MARGIN, y, "", "any → RESET, and any but RESET → ERR: nothing is needed");
	if (has_state(g->of, IBV_QPS_SQE))
		add_rows(g, MARGIN, y, "", "RTS → SQE: by the device, when a send has failed");
}

static void draw_numbers(struct drawing *g)
{
	for (const struct qp_row *r = qp_rows; r->type; r++) {
		const struct curve c = curves[r->from][r->to];

		if (!is_listed(g->of, r))
			continue;
		g->numbers[r->from][r->to] = ++g->number;
		if (r->from == r->to) {
			draw_arrow(g, &c, "plain");
			draw_badge(g, (c.x1 + c.x2) / 2, c.y1 - 33, g->number);
		} else {
			/* a third of its way: the tip is seen */
			draw_badge(g, (8 * c.x1 + 12 * c.cx1 + 6 * c.cx2 + c.x2) / 27,
				   (8 * c.y1 + 12 * c.cy1 + 6 * c.cy2 + c.y2) / 27, g->number);
		}
	}
}

void state_svg(struct text *to, const struct state_svg *d)
{
	SCOPED_TEXT(text);
	struct drawing g = { .of = d, .d = &text };
	int y = HEIGHT + 8, top;

	draw_edges(&g);
	draw_any(&g);
	for (enum ibv_qp_state state = 0; state < STATES; state++)
		if (has_state(d, state) || has_been(d, state))
			draw_box(&g, state);
	if (d->is_table) {
		draw_numbers(&g);
		list_rows(&g, &y);
	}
	for (const char *line = d->lines; line && *line; line += strcspn(line, "\n") + 1)
		add_rows(&g, MARGIN, &y, "", line);
	y += d->lines || d->is_table ? 12 : -8;
	top = d->is_alone || goes_back(d) ? 0 : boxes[0].y - 12;
	if (d->is_alone)
		text_add(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	xappendf(to,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"qs\" role=\"img\" "
		 "viewBox=\"0 %d %d %d\"",
		 top, WIDTH, y - top);
	if (d->is_alone)
		xappendf(to, " width=\"%d\" height=\"%d\"", WIDTH, y);
	text_add(to, "><title>");
	visible_markup(to, d->title);
	text_add(to, "</title>\n");
	if (d->is_alone) {
		xappendf(to,
			 "<style>\n%s</style>\n<rect class=\"bg\" width=\"%d\" height=\"%d\"/>"
			 "<text class=\"title\" x=\"%d\" y=\"24\">",
			 state_svg_css, WIDTH, y, MARGIN);
		visible_markup(to, d->title);
		text_add(to, "</text>\n");
	}
	text_add(to, text_str(&text));
	text_add(to, "</svg>\n");
}
