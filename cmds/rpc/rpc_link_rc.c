/* SPDX-License-Identifier: MIT */
/* A connection of its own for each peer; the device repeats what is lost, too. */
#include "qp_change.h"
#include "qp_peer.h"
#include "rpc_link.h"

static int prepare(struct rpc_link *l, uint32_t qkey)
{
	(void)qkey;
	return qp_move(l->s, l->qp, IBV_QPS_INIT, NULL, 0);
}

static int reach(struct rpc_link *l, const struct qp_peer *peer, struct rpc_dest *to)
{
	const struct ibv_qp_attr a = { .retry_cnt = 7 };

	(void)to;
	if (qp_peer_adopt(l->s, l->qp, peer))
		return -1;
	return qp_move(l->s, l->qp, IBV_QPS_RTR, NULL, 0) ||
			       qp_move(l->s, l->qp, IBV_QPS_RTS, &a, IBV_QP_RETRY_CNT)
		       ? -1
		       : 0;
}

static void address(struct ibv_send_wr *wr, const struct rpc_dest *to)
{
	(void)wr, (void)to;
}

const struct rpc_link_kind rpc_link_rc = {
	.type = IBV_QPT_RC,
	.prepare = prepare,
	.reach = reach,
	.address = address,
};
