/* SPDX-License-Identifier: MIT */
#include "asked_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "host_gid.h"
#include "resources/show_process.h"

#define PLACES (1u << (24 - UROCE_QPN_PROCESS_SHIFT)) /* of processes on a host */

void asked_peer_name(struct live_end *end, pid_t pid)
{
	char program[32];

	process_program(pid, program, sizeof program);
	snprintf(end->whose, sizeof end->whose, "the peer (%s%sprocess %d): ", program,
		 *program ? ", " : "", (int)pid);
}

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
		const struct live_region r = {
			.rkey = mw->rkey, .begin = mw->addr, .len = mw->len, .access = mw->access
		};

		take_region(end, &r, mw->number, "mw", mw->pd);
	}
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
			.recvs = row->recvs,
			.recv_len = row->recv_len,
			.known = IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN |
				 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_DEST_QPN | IBV_QP_QKEY |
				 IBV_QP_AV,
		};
		if (!qp->attr.path_mtu)
			qp->known &= ~(unsigned)IBV_QP_PATH_MTU;
		name_object(qp->name, "qp", row->number);
		name_object(qp->pd, "pd", row->pd);
		take_srq(qp, inv, row->srq);
		take_overrun(qp, inv, row);
	}
}

static struct uroce_inventory *process_connected_with(uint32_t number)
{
	for (uint32_t place = 0; place < PLACES; place++) {
		struct uroce_inventory *inv = process_inventory_of_qpn(place
								       << UROCE_QPN_PROCESS_SHIFT);

		if (!inv)
			continue;
		inventory_foreach(inv, UROCE_QP, uroce_qp_row, row)
			if (row->attr.dest_qp_num == number && row->attr.qp_state >= IBV_QPS_RTR)
				return inv;
		free(inv);
	}
	return NULL;
}

struct live_end asked_peer(const struct live_qp *qp)
{
	const uint32_t qpn = qp->attr.dest_qp_num;
	const unsigned needed = IBV_QP_DEST_QPN | IBV_QP_AV;
	struct live_end end = { .qp = NULL };
	struct uroce_inventory *inv;
	bool is_missing;

	if ((qp->known & needed) != needed || !is_gid_of_host(&qp->attr.ah_attr.grh.dgid))
		return end;
	inv = process_inventory_of_qpn(qpn);
	is_missing = !inv && errno == ENOENT;
	if (is_missing)
		inv = process_connected_with(qp->number);
	end.is_asked = inv || is_missing;
	if (!inv)
		return end;
	asked_peer_name(&end, inv->pid);
	take_regions(&end, inv);
	take_qps(&end, inv);
	for (unsigned i = 0; i < end.qps.n; i++)
		if (end.qps.v[i].number == qpn)
			end.qp = &end.qps.v[i];
	free(inv);
	return end;
}

void asked_peer_free(struct live_end *end)
{
	free(end->qps.v);
	if (end->is_asked)
		free(end->regions);
	*end = (struct live_end){ .qp = NULL };
}
