/* SPDX-License-Identifier: MIT */
#include "asked_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "host_gid.h"
#include "processes.h"

#define PLACES (1u << (24 - UROCE_QPN_PROCESS_SHIFT)) /* of processes on a host */

void asked_peer_name(struct live_end *end, pid_t pid)
{
	char program[32];

	process_program(pid, program, sizeof program);
	snprintf(end->whose, sizeof end->whose, "the peer (%s%sprocess %d): ", program,
		 *program ? ", " : "", (int)pid);
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
	struct uroce_inventory *inv, *connected = NULL;
	bool is_missing;

	if ((qp->known & needed) != needed || !host_gid_is_own(&qp->attr.ah_attr.grh.dgid))
		return end;
	inv = process_inventory_of_qpn(qpn);
	is_missing = !inv && errno == ENOENT;
	/* a number that is wrong is that of any process, or of none */
	if (is_missing || (inv && qp->unanswered && !process_qp(inv, qpn)))
		connected = process_connected_with(qp->number);
	if (connected) {
		free(inv);
		inv = connected;
	}
	end.is_asked = inv || is_missing;
	if (!inv)
		return end;
	asked_peer_name(&end, inv->pid);
	live_end_take(&end, inv, qpn);
	inventory_foreach(inv, UROCE_GONE_QP, uroce_gone_row, gone)
		if (!end.qp && gone->qpn == qpn && gone->dest_qpn == qp->number)
			snprintf(end.gone, sizeof end.gone, "qp%u, the peer's QP, was destroyed",
				 gone->number);
	free(inv);
	return end;
}

/* The regions of both become those that were traced, and the windows that the device tells. */
static void take_windows(struct live_end *asked, struct live_end *traced)
{
	unsigned n = 0;

	for (unsigned i = 0; i < asked->nregions; i++)
		if (!asked->regions[i].lkey)
			asked->regions[n++] = asked->regions[i];
	asked->regions = xrealloc(asked->regions, n + traced->nregions + 1, sizeof *asked->regions);
	for (unsigned i = 0; i < traced->nregions; i++)
		asked->regions[n++] = traced->regions[i];
	traced->regions = asked->regions;
	traced->nregions = n;
	traced->has_windows = false;
}

void asked_peer_learn(struct live_end *asked, struct live_end *traced)
{
	struct live_qp *qp = (struct live_qp *)(uintptr_t)traced->qp;

	if (asked->is_asked && !asked->qp && !traced->ended) /* it has no QPs any more */
		traced->ended = UINT64_MAX;
	if (!asked->qp || asked->qp->number != qp->number)
		return;
	take_windows(asked, traced);
	memcpy(qp->overrun, asked->qp->overrun, sizeof qp->overrun);
	qp->overrun_cqe = asked->qp->overrun_cqe;
	qp->state = asked->qp->state;
	if (!*qp->why)
		memcpy(qp->why, asked->qp->why, sizeof qp->why);
	qp->refusal = asked->qp->refusal;
	qp->strays = asked->qp->strays;
	qp->is_unpolled = asked->qp->recvs < qp->recvs;
	if (qp->is_unpolled)
		qp->recvs = asked->qp->recvs;
}

void asked_peer_free(struct live_end *end)
{
	free(end->qps.v);
	if (end->is_asked)
		free(end->regions);
	*end = (struct live_end){ .qp = NULL };
}
