/* SPDX-License-Identifier: MIT */
/*
 * The state machine, drawn on a small canvas of characters.
 *
 * The way taken has double arrows and the present state a double frame, so that both are
 * seen without colour as well. Where the terminal has no UTF-8 it is drawn in ASCII.
 */
#include <stdio.h>
#include <string.h>

#include "objects.h"
#include "out.h"
#include "qp_diagram.h"
#include "qp_history.h"
#include "words.h"

#define WIDTH  70
#define HEIGHT 8

struct cell {
	char glyph[4]; /* one character; "" is a blank */
	enum paint paint;
};

/* Corners and lines: top left, top right, bottom left, bottom right, across, down. */
enum { TL, TR, BL, BR, ACROSS, DOWN, RIGHT, LEFT, UP_TIP, DOWN_TIP, GLYPHS };

struct canvas {
	struct cell at[HEIGHT][WIDTH];
	const char *const *single, *const *twice; /* the two pens */
	bool taken[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1];
	bool been[IBV_QPS_ERR + 1];
	enum ibv_qp_state now;
};

static const char *const utf8_single[GLYPHS] = { "┌", "┐", "└", "┘", "─", "│", "▶", "◀", "▲", "▼" };
static const char *const utf8_double[GLYPHS] = { "╔", "╗", "╚", "╝", "═", "║", "▶", "◀", "▲", "▼" };
static const char *const ascii_single[GLYPHS] = {
	"+", "+", "+", "+", "-", "|", ">", "<", "^", "v"
};
static const char *const ascii_double[GLYPHS] = {
	"#", "#", "#", "#", "=", "#", ">", "<", "^", "v"
};

static void put(struct canvas *c, int x, int y, const char *glyph, enum paint p)
{
	struct cell *cell = &c->at[y][x];

	snprintf(cell->glyph, sizeof cell->glyph, "%s", glyph);
	cell->paint = p;
}

static void write_text(struct canvas *c, int x, int y, const char *text, enum paint p)
{
	char one[2] = "";

	for (; *text && x < WIDTH; text++, x++) {
		one[0] = *text;
		put(c, x, y, one, p);
	}
}

static enum paint paint_of(const struct canvas *c, enum ibv_qp_state state)
{
	if (state == c->now)
		return state == IBV_QPS_ERR || state == IBV_QPS_SQE ? PAINT_BAD : PAINT_STRONG;
	return c->been[state] ? PAINT_GOOD : PAINT_DIM;
}

static void box(struct canvas *c, int x, int y, enum ibv_qp_state state)
{
	const char *const *pen = state == c->now ? c->twice : c->single;
	const char *name = word_name(qp_state_words, state);
	int last = x + (int)strlen(name) + 3;
	enum paint p = paint_of(c, state);

	for (int i = x + 1; i < last; i++) {
		put(c, i, y, pen[ACROSS], p);
		put(c, i, y + 2, pen[ACROSS], p);
	}
	put(c, x, y, pen[TL], p);
	put(c, last, y, pen[TR], p);
	put(c, x, y + 1, pen[DOWN], p);
	put(c, last, y + 1, pen[DOWN], p);
	put(c, x, y + 2, pen[BL], p);
	put(c, last, y + 2, pen[BR], p);
	write_text(c, x + 2, y + 1, name, p);
}

static enum paint edge(const struct canvas *c, enum ibv_qp_state from, enum ibv_qp_state to,
		       const char *const **pen)
{
	bool taken = c->taken[from][to];

	*pen = taken ? c->twice : c->single;
	return taken ? PAINT_GOOD : PAINT_DIM;
}

static void arrow_right(struct canvas *c, int x, int y, enum ibv_qp_state from,
			enum ibv_qp_state to)
{
	const char *const *pen;
	enum paint p = edge(c, from, to, &pen);

	put(c, x, y, pen[ACROSS], p);
	put(c, x + 1, y, pen[ACROSS], p);
	put(c, x + 2, y, pen[RIGHT], p);
}

static void arrow_left(struct canvas *c, int x, int y, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const char *const *pen;
	enum paint p = edge(c, from, to, &pen);

	put(c, x, y, pen[LEFT], p);
	put(c, x + 1, y, pen[ACROSS], p);
	put(c, x + 2, y, pen[ACROSS], p);
}

/* From ERR (or any state) back to RESET: the corner below RESET. */
static void way_back(struct canvas *c)
{
	const char *const *pen;
	enum paint p = edge(c, IBV_QPS_ERR, IBV_QPS_RESET, &pen);

	put(c, 7, 3, pen[UP_TIP], p);
	put(c, 7, 4, pen[DOWN], p);
	put(c, 7, 5, pen[DOWN], p);
	put(c, 7, 6, pen[BL], p);
	for (int x = 8; x < 16; x++)
		put(c, x, 6, pen[ACROSS], p);
}

static void send_error(struct canvas *c, int x)
{
	const char *const *pen;
	enum paint p = edge(c, IBV_QPS_SQE, IBV_QPS_RTS, &pen);

	put(c, x + 2, 3, pen[UP_TIP], p);
	put(c, x + 2, 4, pen[DOWN], p);
	p = edge(c, IBV_QPS_RTS, IBV_QPS_SQE, &pen);
	put(c, x + 4, 3, pen[DOWN], p);
	put(c, x + 4, 4, pen[DOWN_TIP], p);
	write_text(c, x + 7, 4, "a send failed", PAINT_DIM);
	box(c, x, 5, IBV_QPS_SQE);
}

static void to_err(struct canvas *c)
{
	const char *const *pen = c->single;
	enum paint p = PAINT_DIM;

	for (enum ibv_qp_state from = 0; from < IBV_QPS_ERR; from++)
		if (c->taken[from][IBV_QPS_ERR])
			p = edge(c, from, IBV_QPS_ERR, &pen);
	put(c, 25, 6, pen[LEFT], p);
	put(c, 26, 6, pen[ACROSS], p);
	put(c, 27, 6, pen[ACROSS], p);
	write_text(c, 29, 6, "any", PAINT_DIM);
	write_text(c, 29, 7, "but RESET", PAINT_DIM);
}

static void draw(struct canvas *c, bool has_sqe)
{
	box(c, 3, 0, IBV_QPS_RESET);
	arrow_right(c, 13, 1, IBV_QPS_RESET, IBV_QPS_INIT);
	box(c, 17, 0, IBV_QPS_INIT);
	arrow_right(c, 26, 1, IBV_QPS_INIT, IBV_QPS_RTR);
	box(c, 30, 0, IBV_QPS_RTR);
	arrow_right(c, 38, 1, IBV_QPS_RTR, IBV_QPS_RTS);
	box(c, 42, 0, IBV_QPS_RTS);
	arrow_right(c, 50, 0, IBV_QPS_RTS, IBV_QPS_SQD);
	arrow_left(c, 50, 2, IBV_QPS_SQD, IBV_QPS_RTS);
	box(c, 54, 0, IBV_QPS_SQD);
	way_back(c);
	write_text(c, 9, 4, "any", PAINT_DIM);
	box(c, 17, 5, IBV_QPS_ERR);
	to_err(c);
	if (has_sqe)
		send_error(c, 42);
}

/* The connection manager takes several steps at once. */
static void take_way(struct canvas *c, enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (; from < to && to <= IBV_QPS_RTS; from++) {
		c->taken[from][from + 1] = true;
		c->been[from + 1] = true;
	}
	c->taken[from][to] = true;
}

static void walk(struct canvas *c, const struct qp *qp)
{
	enum ibv_qp_state last = IBV_QPS_RESET;
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);

	for (unsigned i = 0; i < n; i++) {
		enum ibv_qp_state state = steps[i].state;

		if (state > IBV_QPS_ERR)
			continue;
		c->been[state] = true;
		if (i && state != last)
			take_way(c, last, state);
		last = state;
	}
	c->now = qp_history_state(qp);
}

static void print_row(const struct cell *row, struct out *o)
{
	enum paint p = PAINT_NONE;
	int end = WIDTH;

	while (end && !*row[end - 1].glyph)
		end--;
	for (int x = 0; x < end; x++) {
		if (*row[x].glyph && row[x].paint != p) {
			if (p != PAINT_NONE)
				out_paint(o, PAINT_NONE);
			p = row[x].paint;
			out_paint(o, p);
		}
		out_text(o, "%s", *row[x].glyph ? row[x].glyph : " ");
	}
	if (p != PAINT_NONE)
		out_paint(o, PAINT_NONE);
	out_text(o, "\n");
}

void qp_diagram(struct out *o, const struct qp *qp)
{
	bool utf8 = print_is_utf8();
	struct canvas c = { .single = utf8 ? utf8_single : ascii_single,
			    .twice = utf8 ? utf8_double : ascii_double };

	walk(&c, qp);
	draw(&c, qp->type != IBV_QPT_RC);
	for (int y = 0; y < HEIGHT; y++)
		print_row(c.at[y], o);
}
