/* SPDX-License-Identifier: MIT */
/* The objects of a process as its device shows them. */
#include "live_inventory.h"

#include <stdio.h>
#include <stdlib.h>

#include "heap.h"
#include "live_program.h"
#include "processes.h"

static void name_object(char name[LIVE_NAME], const char *prefix, uint32_t number)
{
	snprintf(name, LIVE_NAME, "%s%u", prefix, number);
}

static void take_region(struct live_end *end, const struct live_region *r, uint32_t number,
			const char *prefix, uint32_t pd)
{
	struct live_region *to;

	end->regions = xgrow(end->regions, end->nregions, sizeof *end->regions);
	to = &end->regions[end->nregions++];
	*to = *r;
	name_object(to->name, prefix, number);
	name_object(to->pd, "pd", pd);
}

/* The number of the QP that has bound a window of type 2; 0: none has. */
static uint32_t binder_of(const struct uroce_inventory *inv, const struct uroce_mw_row *mw)
{
	inventory_foreach(inv, UROCE_QP, uroce_qp_row, qp)
		if (mw->type == IBV_MW_TYPE_2 && qp->number == mw->qp)
			return qp->qpn;
	return 0;
}

static void take_regions(struct live_end *end, const struct uroce_inventory *inv)
{
	inventory_foreach(inv, UROCE_MR, uroce_mr_row, mr) {
		const struct live_region r = { .lkey = mr->lkey,
					       .rkey = mr->rkey,
					       .begin = mr->addr,
					       .len = mr->len,
					       .access = mr->access };

		take_region(end, &r, mr->number, "mr", mr->pd);
	}
	inventory_foreach(inv, UROCE_MW, uroce_mw_row, mw) {
		const struct live_region r = { .rkey = mw->rkey,
					       .begin = mw->addr,
					       .len = mw->len,
					       .access = mw->access,
					       .bound_by = binder_of(inv, mw) };

		take_region(end, &r, mw->number, "mw", mw->pd);
	}
}

static void take_unpolled(struct live_qp *qp, const struct uroce_inventory *inv,
			  const struct uroce_qp_row *row)
{
	inventory_foreach(inv, UROCE_CQ, uroce_cq_row, cq)
		if (cq->number == row->recv_cq)
			qp->unpolled = cq->filled;
}

static void take_overrun(struct live_qp *qp, const struct uroce_inventory *inv,
			 const struct uroce_qp_row *row)
{
	inventory_foreach(inv, UROCE_CQ, uroce_cq_row, cq) {
		if (!cq->overrun || (cq->number != row->send_cq && cq->number != row->recv_cq))
			continue;
		name_object(qp->overrun, "cq", cq->number);
		qp->overrun_cqe = cq->size;
	}
}

/* The receives of its SRQ are those that it takes. */
static void take_srq(struct live_qp *qp, const struct uroce_inventory *inv, uint32_t number)
{
	inventory_foreach(inv, UROCE_SRQ, uroce_srq_row, srq) {
		if (srq->number != number)
			continue;
		name_object(qp->srq, "srq", number);
		qp->recvs = srq->posted;
		qp->recv_len = srq->oldest_len;
	}
}

const char *const live_changed_by[UROCE_CAUSES] = {
	[UROCE_BY_PROGRAM] = "ibv_modify_qp",
	[UROCE_BY_CM] = "a call of rdma_cm",
	[UROCE_BY_SEND] = "a send has failed",
	[UROCE_BY_RECV] = "a receive has failed",
	[UROCE_BY_REFUSAL] = "it has refused a request of its peer",
	[UROCE_BY_CQ] = "a CQ has overrun",
	[UROCE_BY_CLOSE] = "ibv_close_device",
	[UROCE_BY_FAILURE] = "the device has failed",
};

const char *const live_dropped_for[UROCE_DROPS] = {
	[UROCE_DROP_QPN] = "there is no such QP",
	[UROCE_DROP_STATE] = "the QP is in a state that receives nothing",
	[UROCE_DROP_PKEY] = "another P_Key",
	[UROCE_DROP_QKEY] = "another Q_Key",
	[UROCE_DROP_SOURCE] = "not from the address of the peer",
	[UROCE_DROP_NO_RECV] = "no receive was posted",
	[UROCE_DROP_SHORT_RECV] = "longer than the receive",
	[UROCE_DROP_MTU] = "longer than the MTU",
	[UROCE_DROP_SEQUENCE] = "packets before it were lost or refused",
	[UROCE_DROP_UNASKED] = "an answer to nothing that was asked",
};

/* The reason of the last change of the QP to ERR. */
static void take_why(struct live_qp *qp, const struct uroce_qp_row *row)
{
	const struct uroce_change *c = row->nchanges ? &row->changes[row->nchanges - 1] : NULL;

	if (!c || c->to != IBV_QPS_ERR || c->cause >= UROCE_CAUSES)
		return;
	if (c->cause == UROCE_BY_CQ)
		snprintf(qp->why, sizeof qp->why, "cq%u has overrun", c->value);
	else if (c->cause != UROCE_BY_SEND && c->cause != UROCE_BY_RECV)
		snprintf(qp->why, sizeof qp->why, "%s", live_changed_by[c->cause]);
	else
		snprintf(qp->why, sizeof qp->why, "WC %s",
			 live_status((enum ibv_wc_status)c->value));
}

static void take_strays(struct live_qp *qp, const struct uroce_inventory *inv)
{
	inventory_foreach(inv, UROCE_DROP, uroce_drop_row, drop)
		if (drop->dropped == UROCE_DROP_SOURCE && drop->dest_qpn == qp->number)
			qp->strays = *drop;
}

static void take_qps(struct live_end *end, const struct uroce_inventory *inv)
{
	inventory_foreach(inv, UROCE_QP, uroce_qp_row, row) {
		struct live_qp *qp;

		end->qps.v = xgrow(end->qps.v, end->qps.n, sizeof *end->qps.v);
		qp = &end->qps.v[end->qps.n++];
		*qp = (struct live_qp){
			.number = row->qpn,
			.type = row->type,
			.state = row->attr.qp_state,
			.attr = row->attr,
			.cap = row->attr.cap,
			.sends = row->sends,
			.recvs = row->recvs,
			.recv_len = row->recv_len,
			.refusal = row->refusal,
			.rnrs = row->rnrs,
			.known = IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN |
				 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_DEST_QPN | IBV_QP_QKEY |
				 IBV_QP_AV,
		};
		if (!qp->attr.path_mtu)
			qp->known &= ~(unsigned)IBV_QP_PATH_MTU;
		take_why(qp, row);
		name_object(qp->name, "qp", row->number);
		name_object(qp->pd, "pd", row->pd);
		take_srq(qp, inv, row->srq);
		take_unpolled(qp, inv, row);
		take_overrun(qp, inv, row);
		take_strays(qp, inv);
	}
}

void live_qp_take_device(struct live_qp *qp, const struct uroce_inventory *inv)
{
	const struct uroce_qp_row *row = process_qp(inv, qp->number);

	if (row) {
		qp->state = row->attr.qp_state;
		if (!*qp->why)
			take_why(qp, row);
		take_overrun(qp, inv, row);
	}
	take_strays(qp, inv);
}

void live_end_take(struct live_end *end, const struct uroce_inventory *inv, uint32_t qpn)
{
	take_regions(end, inv);
	take_qps(end, inv);
	for (unsigned i = 0; i < end->qps.n; i++)
		if (end->qps.v[i].number == qpn)
			end->qp = &end->qps.v[i];
}
