/* SPDX-License-Identifier: MIT */
/* The QPs of a ladder: their states up to a row, as the rows tell them. */
#include <infiniband/verbs.h>
#include <string.h>

#include "heap.h"
#include "inventory.h"
#include "ladder.h"
#include "out.h"
#include "page.h"
#include "page_ends.h"

#define QPS_MAX 64

struct path {
	unsigned place;
	const struct ladder_row *last;
	int now; /* -1: no state yet */
	uint64_t steps;
};

static struct path *path_of(struct path *paths, unsigned *n, const struct ladder_row *r)
{
	for (unsigned i = 0; i < *n; i++)
		if (paths[i].place == r->place && strcmp(paths[i].last->name, r->name) == 0)
			return &paths[i];
	if (*n == QPS_MAX)
		return NULL;
	paths[*n] = (struct path){ .place = r->place, .now = -1 };
	return &paths[(*n)++];
}

static void move_to(struct path *p, const struct ladder_row *r)
{
	const enum ibv_qp_state to = (enum ibv_qp_state)r->state;

	if (p->now >= 0 && (int)to != p->now)
		p->steps |= state_path((enum ibv_qp_state)p->now, to);
	p->now = (int)to;
	p->last = r;
}

static void out_path(struct out *o, const struct path *p)
{
	const struct page_qp qp = { .name = p->last->name,
				    .peer = "",
				    .now = (enum ibv_qp_state)p->now,
				    .steps = p->steps,
				    .why = p->last->result,
				    .failed = p->last->bad };

	page_qp_out(o, &qp);
}

void page_ladder_ends_out(struct out *o, const struct ladder *l, unsigned first, unsigned n)
{
	struct path paths[QPS_MAX];
	unsigned npaths = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct ladder_row *r = &l->rows[i];
		struct path *p = r->kind == LADDER_STATE && r->state >= 0 &&
						 r->state <= IBV_QPS_ERR && r->place >= first
					 ? path_of(paths, &npaths, r)
					 : NULL;

		if (p)
			move_to(p, r);
	}
	for (unsigned place = first; place < l->nplaces; place++) {
		out_dict(o, NULL);
		page_str(o, "name", l->places[place] ? l->places[place] : "this session");
		out_list(o, "qps");
		for (unsigned i = 0; i < npaths; i++)
			if (paths[i].place == place)
				out_path(o, &paths[i]);
		out_end(o);
		out_list(o, "cqs");
		out_end(o);
		out_list(o, "regions");
		out_end(o);
		out_end(o);
	}
}
