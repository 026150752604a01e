/* SPDX-License-Identifier: MIT */
/* The diagram of the state machine of a QP. */
#include <stdio.h>
#include <string.h>

#include "inventory.h"
#include "output/out.h"
#include "output/print.h"
#include "qp/qp.h"
#include "words.h"

/*
 * The state machine, drawn on a small canvas of characters.
 *
 * Past transitions have double arrows and the current state a double frame, so that both are
 * visible without colour. Without UTF-8 it is drawn in ASCII.
 */

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
	uint64_t steps;				  /* that were taken: uroce_step() */
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

static void put_glyph(struct canvas *c, int x, int y, const char *glyph, enum paint p)
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
		put_glyph(c, x, y, one, p);
	}
}

static bool was_taken(const struct canvas *c, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return c->steps & uroce_step(from, to);
}

static bool has_been(const struct canvas *c, enum ibv_qp_state state)
{
	for (enum ibv_qp_state other = 0; other <= IBV_QPS_ERR; other++)
		if (was_taken(c, state, other) || was_taken(c, other, state))
			return true;
	return state == c->now;
}

static enum paint state_paint(const struct canvas *c, enum ibv_qp_state state)
{
	if (state == c->now)
		return state == IBV_QPS_ERR || state == IBV_QPS_SQE ? PAINT_BAD : PAINT_STRONG;
	return has_been(c, state) ? PAINT_GOOD : PAINT_DIM;
}

static void draw_box(struct canvas *c, int x, int y, enum ibv_qp_state state)
{
	const char *const *pen = state == c->now ? c->twice : c->single;
	const char *name = word_name(qp_state_words, state);
	int last = x + (int)strlen(name) + 3;
	enum paint p = state_paint(c, state);

	for (int i = x + 1; i < last; i++) {
		put_glyph(c, i, y, pen[ACROSS], p);
		put_glyph(c, i, y + 2, pen[ACROSS], p);
	}
	put_glyph(c, x, y, pen[TL], p);
	put_glyph(c, last, y, pen[TR], p);
	put_glyph(c, x, y + 1, pen[DOWN], p);
	put_glyph(c, last, y + 1, pen[DOWN], p);
	put_glyph(c, x, y + 2, pen[BL], p);
	put_glyph(c, last, y + 2, pen[BR], p);
	write_text(c, x + 2, y + 1, name, p);
}

static enum paint pick_edge_pen(const struct canvas *c, enum ibv_qp_state from,
				enum ibv_qp_state to, const char *const **pen)
{
	bool taken = was_taken(c, from, to);

	*pen = taken ? c->twice : c->single;
	return taken ? PAINT_GOOD : PAINT_DIM;
}

static void arrow_right(struct canvas *c, int x, int y, enum ibv_qp_state from,
			enum ibv_qp_state to)
{
	const char *const *pen;
	enum paint p = pick_edge_pen(c, from, to, &pen);

	put_glyph(c, x, y, pen[ACROSS], p);
	put_glyph(c, x + 1, y, pen[ACROSS], p);
	put_glyph(c, x + 2, y, pen[RIGHT], p);
}

static void arrow_left(struct canvas *c, int x, int y, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const char *const *pen;
	enum paint p = pick_edge_pen(c, from, to, &pen);

	put_glyph(c, x, y, pen[LEFT], p);
	put_glyph(c, x + 1, y, pen[ACROSS], p);
	put_glyph(c, x + 2, y, pen[ACROSS], p);
}

/* From ERR (or any state) back to RESET: the corner below RESET. */
static void draw_arrow_to_reset(struct canvas *c)
{
	const char *const *pen;
	enum paint p = pick_edge_pen(c, IBV_QPS_ERR, IBV_QPS_RESET, &pen);

	put_glyph(c, 7, 3, pen[UP_TIP], p);
	put_glyph(c, 7, 4, pen[DOWN], p);
	put_glyph(c, 7, 5, pen[DOWN], p);
	put_glyph(c, 7, 6, pen[BL], p);
	for (int x = 8; x < 16; x++)
		put_glyph(c, x, 6, pen[ACROSS], p);
}

static void send_error(struct canvas *c, int x)
{
	const char *const *pen;
	enum paint p = pick_edge_pen(c, IBV_QPS_SQE, IBV_QPS_RTS, &pen);

	put_glyph(c, x + 2, 3, pen[UP_TIP], p);
	put_glyph(c, x + 2, 4, pen[DOWN], p);
	p = pick_edge_pen(c, IBV_QPS_RTS, IBV_QPS_SQE, &pen);
	put_glyph(c, x + 4, 3, pen[DOWN], p);
	put_glyph(c, x + 4, 4, pen[DOWN_TIP], p);
	write_text(c, x + 7, 4, "a send failed", PAINT_DIM);
	draw_box(c, x, 5, IBV_QPS_SQE);
}

static void to_err(struct canvas *c)
{
	const char *const *pen = c->single;
	enum paint p = PAINT_DIM;

	for (enum ibv_qp_state from = 0; from < IBV_QPS_ERR; from++)
		if (was_taken(c, from, IBV_QPS_ERR))
			p = pick_edge_pen(c, from, IBV_QPS_ERR, &pen);
	put_glyph(c, 25, 6, pen[LEFT], p);
	put_glyph(c, 26, 6, pen[ACROSS], p);
	put_glyph(c, 27, 6, pen[ACROSS], p);
	write_text(c, 29, 6, "any", PAINT_DIM);
	write_text(c, 29, 7, "but RESET", PAINT_DIM);
}

static void draw_diagram(struct canvas *c, bool has_sqe)
{
	draw_box(c, 3, 0, IBV_QPS_RESET);
	arrow_right(c, 13, 1, IBV_QPS_RESET, IBV_QPS_INIT);
	draw_box(c, 17, 0, IBV_QPS_INIT);
	arrow_right(c, 26, 1, IBV_QPS_INIT, IBV_QPS_RTR);
	draw_box(c, 30, 0, IBV_QPS_RTR);
	arrow_right(c, 38, 1, IBV_QPS_RTR, IBV_QPS_RTS);
	draw_box(c, 42, 0, IBV_QPS_RTS);
	arrow_right(c, 50, 0, IBV_QPS_RTS, IBV_QPS_SQD);
	arrow_left(c, 50, 2, IBV_QPS_SQD, IBV_QPS_RTS);
	draw_box(c, 54, 0, IBV_QPS_SQD);
	draw_arrow_to_reset(c);
	write_text(c, 9, 4, "any", PAINT_DIM);
	draw_box(c, 17, 5, IBV_QPS_ERR);
	to_err(c);
	if (has_sqe)
		send_error(c, 42);
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

static void print_state(const struct canvas *c, enum ibv_qp_state state, struct out *o)
{
	bool is_now = state == c->now;

	out_paint(o, state_paint(c, state));
	out_text(o, "%s%s%s", is_now ? "[" : "", word_name(qp_state_words, state),
		 is_now ? "]" : "");
	out_paint(o, PAINT_NONE);
}

/* For a terminal that has no room for the boxes. */
static void print_short(const struct canvas *c, bool has_sqe, struct out *o)
{
	const char *to = print_is_utf8() ? " → " : " -> ";
	const char *both = print_is_utf8() ? " ↔ " : " <-> ";

	for (enum ibv_qp_state state = IBV_QPS_RESET; state <= IBV_QPS_SQD; state++) {
		out_text(o, "%s",
			 state == IBV_QPS_RESET ? "   "
			 : state == IBV_QPS_SQD ? both
						: to);
		print_state(c, state, o);
	}
	out_text(o, "\n   any but RESET%s", to);
	print_state(c, IBV_QPS_ERR, o);
	if (has_sqe) {
		out_text(o, "\n   a send failed%s", to);
		print_state(c, IBV_QPS_SQE, o);
		out_text(o, "%sRTS", to);
	}
	out_text(o, "\n   any%sRESET\n", to);
}

void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps)
{
	bool utf8 = print_is_utf8();
	struct canvas c = { .single = utf8 ? utf8_single : ascii_single,
			    .twice = utf8 ? utf8_double : ascii_double,
			    .steps = steps,
			    .now = now };

	if (print_columns() && print_columns() < WIDTH) {
		print_short(&c, type != IBV_QPT_RC, o);
		return;
	}
	draw_diagram(&c, type != IBV_QPT_RC);
	for (int y = 0; y < HEIGHT; y++)
		print_row(c.at[y], o);
}
