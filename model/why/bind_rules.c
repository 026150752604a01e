/* SPDX-License-Identifier: MIT */
/* A posted request as the rules take it. Why a BIND_MW has failed: the window's new key, and the
 * region under it. */
#include <string.h>

#include "diagnosis.h"
#include "live_program.h"

bool why_region_holds(const struct live_region *r, uint64_t addr, uint64_t len)
{
	return addr >= r->begin && len <= r->len && addr - r->begin <= r->len - len;
}

/* The new R_Key of a window of type 2: its upper 24 bits are those of the window. The library makes
 * that of type 1. */
static void check_new_key(const struct diagnosis *q)
{
	const struct live_bind *b = &q->wr->bind;

	if (b->mw_rkey && b->rkey == b->mw_rkey)
		cause_add(
			q->c, IS_SO, NULL,
			"the rkey 0x%x is the same as that of the window: ibv_inc_rkey makes the new "
			"one",
			b->rkey);
	else if (b->mw_rkey && b->rkey && (b->rkey ^ b->mw_rkey) >> 8)
		cause_add(
			q->c, IS_SO, NULL,
			"the rkey 0x%x differs from that of the window, 0x%x, in more than its last 8 "
			"bits: ibv_inc_rkey makes the new one",
			b->rkey, b->mw_rkey);
}

void why_check_bind(const struct diagnosis *q)
{
	const struct live_bind *b = &q->wr->bind;
	const struct live_region *mr = q->wr->bound;
	const unsigned writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (!b->known)
		return;
	check_new_key(q);
	if (!mr)
		return;
	if (mr->gone)
		cause_add(q->c, IS_SO, NULL, "%s, the region, was deregistered", mr->name);
	if (!(mr->access & IBV_ACCESS_MW_BIND))
		cause_add(q->c, IS_SO, NULL, "%s has no MW_BIND: no window can be bound to it",
			  mr->name);
	if (b->access & writes && !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		cause_add(q->c, IS_SO, NULL, "%s has no LOCAL_WRITE, and the window allows %s",
			  mr->name, why_access(b->access & writes));
	if (!why_region_holds(mr, b->addr, b->len))
		cause_add(q->c, IS_SO, NULL, "%s",
			  why_range_beyond(mr, mr->name, b->addr, (uint32_t)b->len));
	if (q->qp && *mr->pd && strcmp(mr->pd, q->qp->pd) != 0)
		cause_add(q->c, IS_SO, NULL, "%s is of %s, the QP of %s", mr->name, mr->pd,
			  q->qp->pd);
}

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
	for (unsigned i = 0; i < p->regions.n; i++)
		if (posted->bind.mr == p->regions.at[i])
			wr->bound = &p->regions.v[i];
}
