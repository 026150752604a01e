/* SPDX-License-Identifier: MIT */
/* The diagram of the state machine of a QP. */
#include <string.h>

#include "alloc.h"
#include "inventory.h"
#include "output/out.h"
#include "output/print.h"
#include "qp/qp.h"
#include "words.h"

/*
 * The state machine as a picture, and for each of its characters the state or edge it belongs to.
 *
 * Past transitions have double arrows and the current state a double frame, so that both are
 * visible without colour. Without UTF-8 it is drawn in ASCII.
 */

#define WIDTH 70 /* of a terminal that has room for the picture */

/* In the picture these stand for corners and lines; all else is text. */
static const char marks[] = "()[]-|><^v";
#define MARKS (sizeof marks - 1)

/* clang-format off */
static const char *const picture[] = {
	"   (-------)     (------)     (-----)     (-----) --> (-----)",
	"   | RESET | --> | INIT | --> | RTR | --> | RTS |     | SQD |",
	"   [-------]     [------]     [-----]     [-----] <-- [-----]",
	"       ^                                    ^ |",
	"       | any                                | v  a send failed",
	"       |         (-----)                  (-----)",
	"       [-------- | ERR | <-- any          | SQE |",
	"                 [-----]     but RESET    [-----]",
};

/* What each character belongs to: a state, by its number; an edge, by its letter; a text ('s': about
 * SQE). */
static const char *const owners[] = {
	"   000000000     11111111     2222222     3333333 ddd 4444444",
	"   0 00000 0 aaa 1 1111 1 bbb 2 222 2 ccc 3 333 3     4 444 4",
	"   000000000     11111111     2222222     3333333 eee 4444444",
	"       f                                    h i",
	"       f ...                                h i  s ssss ssssss",
	"       f         6666666                  5555555",
	"       fffffffff 6 666 6 ggg ...          5 555 5",
	"                 6666666     ... .....    5555555",
};

static const char *const utf8_single[MARKS] = { "┌", "┐", "└", "┘", "─", "│", "▶", "◀", "▲", "▼" };
static const char *const utf8_double[MARKS] = { "╔", "╗", "╚", "╝", "═", "║", "▶", "◀", "▲", "▼" };
static const char *const ascii_single[MARKS] = { "+", "+", "+", "+", "-", "|", ">", "<", "^", "v" };
static const char *const ascii_double[MARKS] = { "#", "#", "#", "#", "=", "#", ">", "<", "^", "v" };
/* clang-format on */

static const struct {
	enum ibv_qp_state from, to;
} edges[] = {
	['a' - 'a'] = { IBV_QPS_RESET, IBV_QPS_INIT }, ['b' - 'a'] = { IBV_QPS_INIT, IBV_QPS_RTR },
	['c' - 'a'] = { IBV_QPS_RTR, IBV_QPS_RTS },    ['d' - 'a'] = { IBV_QPS_RTS, IBV_QPS_SQD },
	['e' - 'a'] = { IBV_QPS_SQD, IBV_QPS_RTS },    ['f' - 'a'] = { IBV_QPS_ERR, IBV_QPS_RESET },
	['g' - 'a'] = { IBV_QPS_ERR, IBV_QPS_ERR }, /* from any state */
	['h' - 'a'] = { IBV_QPS_SQE, IBV_QPS_RTS },    ['i' - 'a'] = { IBV_QPS_RTS, IBV_QPS_SQE },
};

struct diagram {
	const char *const *single, *const *twice; /* the two pens */
	uint64_t steps;				  /* that were taken: uroce_step() */
	enum ibv_qp_state now;
	bool has_sqe;
};

static bool was_taken(const struct diagram *d, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return d->steps & uroce_step(from, to);
}

static bool has_been(const struct diagram *d, enum ibv_qp_state state)
{
	for (enum ibv_qp_state other = 0; other <= IBV_QPS_ERR; other++)
		if (was_taken(d, state, other) || was_taken(d, other, state))
			return true;
	return state == d->now;
}

static enum paint state_paint(const struct diagram *d, enum ibv_qp_state state)
{
	if (state == d->now)
		return state == IBV_QPS_ERR || state == IBV_QPS_SQE ? PAINT_BAD : PAINT_STRONG;
	return has_been(d, state) ? PAINT_GOOD : PAINT_DIM;
}

/* Was the edge taken, or any to ERR? */
static bool edge_taken(const struct diagram *d, char edge)
{
	const enum ibv_qp_state to = edges[edge - 'a'].to;
	bool taken = edge != 'g' && was_taken(d, edges[edge - 'a'].from, to);

	for (enum ibv_qp_state from = 0; edge == 'g' && from < IBV_QPS_ERR; from++)
		taken |= was_taken(d, from, to);
	return taken;
}

/* A character of the picture, and its colour; NULL: a blank. */
static const char *glyph_at(const struct diagram *d, unsigned y, unsigned x, enum paint *p)
{
	const char owner = owners[y][x], *mark = strchr(marks, picture[y][x]);
	const bool is_state = owner >= '0' && owner <= '6', is_edge = owner >= 'a' && owner <= 'i';
	bool twice;

	if (owner == ' ' || (!d->has_sqe && strchr("5his", owner)))
		return NULL;
	twice = is_state ? owner - '0' == (int)d->now : is_edge && edge_taken(d, owner);
	if (is_state)
		*p = state_paint(d, (enum ibv_qp_state)(owner - '0'));
	else
		*p = twice ? PAINT_GOOD : PAINT_DIM;
	if (!mark || (!is_state && !is_edge))
		return temp_text("%c", picture[y][x]);
	return (twice ? d->twice : d->single)[mark - marks];
}

static void print_row(const struct diagram *d, unsigned y, struct out *o)
{
	enum paint p = PAINT_NONE, next = PAINT_NONE;
	unsigned blanks = 0;

	for (unsigned x = 0; picture[y][x]; x++) {
		const char *glyph = glyph_at(d, y, x, &next);

		if (!glyph) {
			blanks++;
			continue;
		}
		out_text(o, "%*s", (int)blanks, "");
		blanks = 0;
		if (next != p) {
			out_paint(o, PAINT_NONE);
			out_paint(o, next);
		}
		p = next;
		out_text(o, "%s", glyph);
	}
	out_paint(o, PAINT_NONE);
	out_text(o, "\n");
}

static void print_state(const struct diagram *d, enum ibv_qp_state state, struct out *o)
{
	bool is_now = state == d->now;

	out_paint(o, state_paint(d, state));
	out_text(o, "%s%s%s", is_now ? "[" : "", word_name(qp_state_words, state),
		 is_now ? "]" : "");
	out_paint(o, PAINT_NONE);
}

/* For a terminal that has no room for the boxes. */
static void print_short(const struct diagram *d, struct out *o)
{
	const char *to = print_is_utf8() ? " → " : " -> ";
	const char *both = print_is_utf8() ? " ↔ " : " <-> ";

	for (enum ibv_qp_state state = IBV_QPS_RESET; state <= IBV_QPS_SQD; state++) {
		out_text(o, "%s",
			 state == IBV_QPS_RESET ? "   "
			 : state == IBV_QPS_SQD ? both
						: to);
		print_state(d, state, o);
	}
	out_text(o, "\n   any but RESET%s", to);
	print_state(d, IBV_QPS_ERR, o);
	if (d->has_sqe) {
		out_text(o, "\n   a send failed%s", to);
		print_state(d, IBV_QPS_SQE, o);
		out_text(o, "%sRTS", to);
	}
	out_text(o, "\n   any%sRESET\n", to);
}

void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps)
{
	bool utf8 = print_is_utf8();
	struct diagram d = { .single = utf8 ? utf8_single : ascii_single,
			     .twice = utf8 ? utf8_double : ascii_double,
			     .steps = steps,
			     .now = now,
			     .has_sqe = type != IBV_QPT_RC };

	if (print_columns() && print_columns() < WIDTH) {
		print_short(&d, o);
		return;
	}
	for (unsigned y = 0; y < sizeof picture / sizeof *picture; y++)
		print_row(&d, y, o);
}
