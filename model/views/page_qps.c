/* SPDX-License-Identifier: MIT */
/* State diagrams of the QPs of a ladder, each with the path of the QP. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder.h"
#include "page.h"
#include "text.h"
#include "words.h"

#define STATES	(IBV_QPS_ERR + 1)
#define BOX_W	64
#define BOX_H	28
#define QPS_MAX 16

static const struct {
	int x, y;
} boxes[STATES] = {
	[IBV_QPS_RESET] = { 10, 14 }, [IBV_QPS_INIT] = { 110, 14 }, [IBV_QPS_RTR] = { 210, 14 },
	[IBV_QPS_RTS] = { 310, 14 },  [IBV_QPS_SQD] = { 410, 14 },  [IBV_QPS_SQE] = { 410, 74 },
	[IBV_QPS_ERR] = { 210, 110 },
};

/* These edges are always drawn, any other one only if it was taken. */
static const struct {
	enum ibv_qp_state from, to;
} edges[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT }, { IBV_QPS_INIT, IBV_QPS_RTR },
	{ IBV_QPS_RTR, IBV_QPS_RTS },	 { IBV_QPS_RTS, IBV_QPS_SQD },
	{ IBV_QPS_RTS, IBV_QPS_ERR },
};

struct path {
	unsigned place;
	int lane;
	char name[32];
	bool been[STATES], taken[STATES][STATES];
	int now; /* -1: no state yet */
};

/* Moves a path to a state. A step of the connection manager may skip states, which are added. */
static void move_to(struct path *p, int to)
{
	int from = p->now;

	p->been[to] = true;
	p->now = to;
	if (from < 0 || from == to)
		return;
	if (from < to && to <= IBV_QPS_RTS) {
		for (int i = from; i < to; i++)
			p->been[i + 1] = p->taken[i][i + 1] = true;
		return;
	}
	p->taken[from][to] = true;
}

static struct path *path_of(struct path *paths, unsigned *n, const struct ladder_row *r)
{
	for (unsigned i = 0; i < *n; i++)
		if (paths[i].place == r->place && strcmp(paths[i].name, r->name) == 0)
			return &paths[i];
	if (*n == QPS_MAX)
		return NULL;
	paths[*n] = (struct path){ .place = r->place, .lane = r->from, .now = -1 };
	memcpy(paths[*n].name, r->name, sizeof paths[*n].name);
	return &paths[(*n)++];
}

static void draw_box(const struct path *p, int state, struct text *d)
{
	bool bad = state == IBV_QPS_ERR || state == IBV_QPS_SQE;

	xappendf(d, "<rect class=\"%s%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>",
		 state == p->now  ? "now"
		 : p->been[state] ? "been"
				  : "not",
		 state == p->now && bad ? " bad" : "", boxes[state].x, boxes[state].y, BOX_W,
		 BOX_H);
	xappendf(d, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>", state == p->now ? "on" : "",
		 boxes[state].x + BOX_W / 2, boxes[state].y + 18,
		 word_name(qp_state_words, (uint64_t)state));
}

/* Draws an arrow from the edge of one box to that of another; a curve where other boxes are between
 * them. */
static void draw_edge(int from, int to, bool taken, struct text *d)
{
	int x1 = boxes[from].x + BOX_W / 2, y1 = boxes[from].y + BOX_H / 2;
	int x2 = boxes[to].x + BOX_W / 2, y2 = boxes[to].y + BOX_H / 2;

	if (boxes[from].y == boxes[to].y && to == from + 1) {
		x1 += BOX_W / 2;
		x2 -= BOX_W / 2 + 2;
	} else if (boxes[from].y == boxes[to].y) { /* back, or over others: below the boxes */
		y1 += BOX_H / 2;
		y2 += BOX_H / 2 + 2;
		xappendf(
			d,
			"<path class=\"edge%s\" marker-end=\"url(#%s)\" d=\"M%d %dC%d %d %d %d %d %d\"/>",
			taken ? " taken" : "", taken ? "tip-taken" : "tip", x1, y1, x1, y1 + 34, x2,
			y2 + 34, x2, y2);
		return;
	} else {
		y1 += y2 > y1 ? BOX_H / 2 : -BOX_H / 2;
		y2 += y2 > y1 ? -BOX_H / 2 - 2 : BOX_H / 2 + 2;
	}
	xappendf(d, "<path class=\"edge%s\" marker-end=\"url(#%s)\" d=\"M%d %dL%d %d\"/>",
		 taken ? " taken" : "", taken ? "tip-taken" : "tip", x1, y1, x2, y2);
}

static bool always_drawn(int from, int to)
{
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		if ((int)edges[i].from == from && (int)edges[i].to == to)
			return true;
	return false;
}

static void draw_path(const struct path *p, struct text *d)
{
	text_add(d, "<svg class=\"states\" role=\"img\" aria-label=\"States of ");
	markup_text(d, p->name);
	text_add(d, "\" viewBox=\"0 0 484 146\" width=\"484\" height=\"146\">");
	for (int from = 0; from < STATES; from++)
		for (int to = 0; to < STATES; to++)
			if (p->taken[from][to] || always_drawn(from, to))
				draw_edge(from, to, p->taken[from][to], d);
	for (int state = 0; state < STATES; state++)
		draw_box(p, state, d);
	text_add(d, "</svg>\n");
}

static void list_steps(const struct ladder *l, const struct path *p, struct text *d)
{
	text_add(d, "<ol>");
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (r->kind != LADDER_STATE || r->place != p->place ||
		    strcmp(r->name, p->name) != 0)
			continue;
		xappendf(d, "<li%s>%.3f ms: ", r->bad ? " class=\"bad\"" : "", ladder_ms(l, r));
		markup_textf(d, "%s (%s)", r->text, r->result ? r->result : "");
		text_add(d, "</li>\n");
	}
	text_add(d, "</ol>");
}

/* The names of markers are valid in the whole page, so they are defined only once. */
static const char markers[] =
	"<svg width=\"0\" height=\"0\" class=\"defs\" aria-hidden=\"true\"><defs>"
	"<marker id=\"tip\" class=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
	"markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
	"<path d=\"M0 0L8 4L0 8z\"/></marker>"
	"<marker id=\"tip-taken\" class=\"tip taken\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
	"markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
	"<path d=\"M0 0L8 4L0 8z\"/></marker></defs></svg>\n";

void page_qps(const struct ladder *l, struct text *d)
{
	struct path paths[QPS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		int state = r->kind == LADDER_STATE && r->state < STATES ? r->state : -1;
		struct path *p = state >= 0 ? path_of(paths, &n, r) : NULL;

		if (p)
			move_to(p, state);
	}
	if (!n)
		return;
	text_add(d, "<section id=\"states\"><h2>Queue pairs</h2>\n");
	text_add(d, markers);
	for (unsigned i = 0; i < n; i++) {
		text_add(d, "<figure><figcaption>");
		markup_textf(d, "%s (%s), at last %s", paths[i].name, ladder_end(l, paths[i].lane),
			     word_name(qp_state_words, (uint64_t)paths[i].now));
		text_add(d, "</figcaption>\n");
		draw_path(&paths[i], d);
		list_steps(l, &paths[i], d);
		text_add(d, "</figure>\n");
	}
	text_add(d, "</section>\n");
}
