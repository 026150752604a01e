/* SPDX-License-Identifier: MIT */
/* Why a BIND_MW has failed: the window's new key, and the region under it. */
#include <string.h>

#include "diagnosis.h"

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
	if (q->qp && *q->wr->window_pd && strcmp(q->wr->window_pd, q->qp->pd) != 0)
		cause_add(q->c, IS_SO, NULL, "the window is of %s, the QP of %s", q->wr->window_pd,
			  q->qp->pd);
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
