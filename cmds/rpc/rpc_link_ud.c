/* SPDX-License-Identifier: MIT */
/* Datagrams: one QP for all peers, and an address handle for each. */
#include "make.h"
#include "qp_change.h"
#include "rpc_link.h"

#define HOPS 64

static int prepare(struct rpc_link *l, uint32_t qkey)
{
	const struct ibv_qp_attr a = { .qkey = qkey };

	return qp_move(l->s, l->qp, IBV_QPS_INIT, &a, IBV_QP_QKEY) ||
			       qp_move(l->s, l->qp, IBV_QPS_RTR, NULL, 0) ||
			       qp_move(l->s, l->qp, IBV_QPS_RTS, NULL, 0)
		       ? -1
		       : 0;
}

static int reach(struct rpc_link *l, const struct qp_peer *peer, struct rpc_dest *to)
{
	struct dev *dev = l->qp->pd->dev;
	struct ibv_ah_attr a = { .port_num = 1, .dlid = peer->lid };

	if (peer->gid.global.interface_id) {
		a.is_global = 1;
		a.grh.dgid = peer->gid;
		a.grh.hop_limit = HOPS;
		a.grh.sgid_index = (uint8_t)qp_sgid_for(dev, a.port_num, &peer->gid);
	}
	to->ah = ah_make(l->s, l->qp->pd, &a, peer->qpn, peer->qkey);
	return to->ah ? 0 : -1;
}

static void address(struct ibv_send_wr *wr, const struct rpc_dest *to)
{
	wr->wr.ud.ah = to->ah->v;
	wr->wr.ud.remote_qpn = to->qpn;
	wr->wr.ud.remote_qkey = to->qkey;
}

const struct rpc_link_kind rpc_link_ud = {
	.type = IBV_QPT_UD,
	.grh = 40,
	.prepare = prepare,
	.reach = reach,
	.address = address,
};
