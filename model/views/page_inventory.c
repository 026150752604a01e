/* SPDX-License-Identifier: MIT */
/* A process on uroce0 as the page shows it. The device keeps only the changes of state of the past,
 * so that an earlier moment has no queues. */
#include <inttypes.h>
#include <stdio.h>

#include "live_inventory.h"
#include "out.h"
#include "page.h"
#include "page_ends.h"

static bool is_failure(const struct uroce_change *c)
{
	return c->cause == UROCE_BY_SEND || c->cause == UROCE_BY_RECV ||
	       c->cause == UROCE_BY_REFUSAL || c->cause == UROCE_BY_CQ;
}

/* Sets the state that the row had at that time, and its way up to there. */
static void take_states(struct page_qp *qp, const struct uroce_qp_row *row, uint64_t at)
{
	const struct uroce_change *last = NULL;
	uint64_t steps = 0;

	for (unsigned i = 0; i < row->nchanges; i++)
		if (!at || row->changes[i].when <= at) {
			last = &row->changes[i];
			steps |= uroce_step(last->from, last->to);
		}
	qp->steps = at ? steps : row->steps;
	if (at && row->nchanges)
		qp->now = last ? last->to : row->changes[0].from;
	if (last && last->cause < UROCE_CAUSES) {
		qp->why = live_changed_by[last->cause];
		qp->failed = (qp->now == IBV_QPS_ERR || qp->now == IBV_QPS_SQE) && is_failure(last);
	}
}

static void out_qp(struct out *o, const struct uroce_qp_row *row, uint64_t at)
{
	struct page_queue sends = { .n = row->sends,
				    .begun = row->begun,
				    .room = row->attr.cap.max_send_wr };
	struct page_queue recvs = { .n = row->recvs, .room = row->attr.cap.max_recv_wr };
	char name[16], peer[32] = "";
	struct page_qp qp = { .name = name,
			      .peer = peer,
			      .number = row->qpn,
			      .type = row->type,
			      .now = row->attr.qp_state,
			      .sends = at ? NULL : &sends,
			      .recvs = at || row->srq != UROCE_NO_OBJECT ? NULL : &recvs };

	snprintf(name, sizeof name, "qp%" PRIu32, row->number);
	if (row->attr.dest_qp_num)
		snprintf(peer, sizeof peer, "qpn %" PRIu32, row->attr.dest_qp_num);
	take_states(&qp, row, at);
	if (!at && qp.now == IBV_QPS_SQD)
		qp.drain = row->attr.sq_draining ? DRAIN_RUNNING : DRAIN_DONE;
	page_qp_out(o, NULL, &qp);
}

static void out_cq(struct out *o, const struct uroce_cq_row *row)
{
	out_dict(o, NULL);
	page_strf(o, "name", "cq%" PRIu32, row->number);
	out_u64(o, "entries", row->size, NULL);
	out_u64(o, "filled", row->filled, NULL);
	out_bool(o, "armed", row->armed, NULL);
	out_bool(o, "bad", row->overrun, NULL);
	out_list(o, "taken");
	out_end(o);
	out_end(o);
}

static void out_region(struct out *o, const struct uroce_mr_row *row)
{
	char name[16];

	snprintf(name, sizeof name, "mr%" PRIu32, row->number);
	page_mr_begin(o, name, row->len, row->addr, row->rkey, row->access);
	out_end(o);
}

void page_inventory_out(struct out *o, const char *name, const struct uroce_inventory *inv,
			uint64_t at)
{
	out_dict(o, NULL);
	page_str(o, "name", name);
	if (at)
		out_str(o, "note", "of an earlier row the states alone are known", NULL);
	out_list(o, "qps");
	inventory_foreach(inv, UROCE_QP, uroce_qp_row, qp)
		out_qp(o, qp, at);
	out_end(o);
	out_list(o, "cqs");
	if (!at)
		inventory_foreach(inv, UROCE_CQ, uroce_cq_row, cq)
			out_cq(o, cq);
	out_end(o);
	out_list(o, "regions");
	if (!at)
		inventory_foreach(inv, UROCE_MR, uroce_mr_row, mr)
			out_region(o, mr);
	out_end(o);
	out_end(o);
}
