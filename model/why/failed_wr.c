/* SPDX-License-Identifier: MIT */
/* A failed request, as it was posted. */
#include <string.h>

#include "live_program.h"
#include "why.h"

void why_take_posted(struct failed_wr *wr, const struct posted_wr *posted,
		     const struct live_program *p)
{
	const struct live_object *window = live_object_at(p->seen, posted->bind.mw);

	wr->known = true;
	wr->wr_id = posted->wr_id;
	wr->posted = posted->when;
	wr->op = posted->op;
	wr->recv = posted->op == &wr_ops[WR_RECV];
	wr->is_inline = posted->is_inline;
	wr->remote = posted->remote;
	wr->rkey = posted->rkey;
	wr->len = posted->len;
	wr->nsge = posted->nsge;
	memcpy(wr->sge, posted->sge, posted->nsge * sizeof *wr->sge);
	wr->flush_type = posted->flush_type;
	wr->flush_level = posted->flush_level;
	wr->bind = posted->bind;
	wr->bind.mw_rkey = window ? window->rkey : 0;
	live_object_name(p->objects, live_objects_pd(p->seen, posted->bind.mw), OBJECT_PD,
			 posted->when, wr->window_pd);
	for (unsigned i = 0; i < p->regions.n; i++)
		if (posted->bind.mr == p->regions.at[i])
			wr->bound = &p->regions.v[i];
}
