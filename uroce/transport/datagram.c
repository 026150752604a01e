/* SPDX-License-Identifier: MIT */
/* UD: volume 1, 9.8.3; multicast: 10.5.2; the GRH that a receive begins with: 11.4.1.2 and
 * annex A17.4.2. */
#include "counters.h"
#include "gid.h"
#include "icrc.h"
#include "parts.h"

#define QKEY_OF_QP 0x80000000u /* 10.2.5: the Q_Key of the QP is sent instead */

/* A17.4.5.1: a completion tells what kind of packet came. Verbs have no field for it; mlx5 has
 * it in the service level, which RoCE has no use for, and UCX looks there. */
enum { SL_UDP = 0x8, SL_IPV6 = 0x1, SL_IPV4 = 0x2 };

bool datagram_send(struct qp *qp, struct send_wqe *w)
{
	bool imm = w->opcode == IBV_WR_SEND_WITH_IMM;
	struct packet p = {
		.op = opcode_find(OPCODE_UD | (imm ? OP_SEND_ONLY_IMM : OP_SEND_ONLY)),
		.solicited = w->flags & IBV_SEND_SOLICITED,
		.pkey = PKEY_DEFAULT,
		.qpn = w->dest_qpn,
		.psn = qp->req.next_psn,
		.qkey = w->dest_qkey & QKEY_OF_QP ? qp->attr.qkey : w->dest_qkey,
		.src_qpn = qp->v.qp_num,
		.imm = w->imm,
		.len = w->len,
		.own_qpn = qp->v.qp_num,
		.has_wr_id = true,
		.wr_id = w->wr_id,
	};

	/* C10-93.1.1: what is too long is not sent, and nobody is told */
	if (w->len <= qp->mtu) {
		uint8_t *buf = tx_begin(&w->flow, &p);

		if (w->nsge < 0)
			memcpy(buf, w->data, w->len);
		else
			w->status = gather(qp, w->sge, w->nsge, 0, buf, w->len);
		if (w->status != IBV_WC_SUCCESS) {
			tx_abort();
			return false;
		}
		tx_commit();
	}
	requester_sent(qp, w, 1);
	return true;
}

/* IPv4: 20 bytes that are not used, and the IP header; IPv6: the IP header, as the fields of
 * a GRH lie. */
static void make_grh(const struct packet *p, uint8_t grh[GRH_BYTES])
{
	uint8_t headers[GRH_BYTES + 8];
	size_t n = p->op->header + p->len + packet_pad(p->len) + ICRC_BYTES;
	size_t ip = gid_is_ipv4(&p->src) ? 20 : GRH_BYTES;

	icrc_ip_udp(headers, &p->src, &p->dst, p->sport, ROCE_PORT, n, 0, p->tclass, p->hops);
	memset(grh, 0, GRH_BYTES - ip);
	memcpy(grh + GRH_BYTES - ip, headers, ip);
}

static enum ibv_wc_status take(struct qp *qp, const struct packet *p)
{
	const struct recv_wqe *recv = &qp->resp.recv;
	uint8_t grh[GRH_BYTES];
	enum ibv_wc_status status;

	if (recv->len < GRH_BYTES + p->len)
		return IBV_WC_LOC_LEN_ERR;
	make_grh(p, grh);
	status = scatter(qp, recv->sge, recv->nsge, 0, grh, GRH_BYTES);
	if (status == IBV_WC_SUCCESS)
		status = scatter(qp, recv->sge, recv->nsge, GRH_BYTES, p->payload, p->len);
	return status;
}

void datagram_input(struct qp *qp, const struct packet *p)
{
	struct ibv_wc wc = {
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV,
		.byte_len = GRH_BYTES + p->len,
		.src_qp = p->src_qpn,
		.wc_flags = IBV_WC_GRH,
		.sl = SL_UDP | (gid_is_ipv4(&p->src) ? SL_IPV4 : SL_IPV6),
	};
	enum ibv_wc_status status;

	if (p->qkey != qp->attr.qkey) {
		count(CNT_BAD_QKEY);
		return;
	}
	if (p->len > qp->mtu || (!qp->resp.has_recv && !qp_take_recv(qp))) {
		count(p->len > qp->mtu ? CNT_BAD_PACKET : CNT_NO_RECV);
		return;
	}
	status = take(qp, p);
	/* 9.9.3: too short a receive waits for the next message (class D), but not one that
	 * others share (class E). So does rdma_rxe; in Linux 6.1 it fails both, and the QP. */
	if (status == IBV_WC_LOC_LEN_ERR) {
		count(CNT_NO_RECV);
		if (qp->srq)
			recv_fail(qp, status);
		return;
	}
	if (status != IBV_WC_SUCCESS) {
		recv_fail(qp, status);
		transport_fail(qp, -1);
		return;
	}
	if (p->op->flags & WIRE_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		wc.imm_data = p->imm;
	}
	count(CNT_RDMA_RECVS);
	recv_complete(qp, &wc, p->solicited);
}

static void deliver(struct qp *qp, void *arg)
{
	const struct packet *p = arg;

	/* 10.5.2: not to the QP that has sent it */
	if (p->src_qpn == qp->v.qp_num && gid_index(&p->src, 0) >= 0)
		return;
	if (qp->type == IBV_QPT_UD && qp_state(qp) >= IBV_QPS_RTR && qp_state(qp) <= IBV_QPS_SQE)
		datagram_input(qp, p);
}

void datagram_multicast(const struct packet *p)
{
	qp_each_in_group(&p->dst, deliver, (void *)p);
}
