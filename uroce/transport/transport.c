/* SPDX-License-Identifier: MIT */
/*
 * Where a packet goes: the checks of volume 1, 9.6; what is due at the end of a pass; what the
 * states of a QP mean: 10.3.1; datagrams: 9.8.3; scatter and gather: 10.6.6.
 */
#include "counters.h"
#include "engine.h"
#include "context.h"
#include "gid.h"
#include "packet.h"
#include "parts.h"
#include "region.h"
#include "direct.h"

/* Responses to READs and atomics that one pass sends: of all QPs, and of one QP before it is
 * another's turn. */
#define ANSWERS_PASS 64
#define ANSWERS_TURN 16
/* How long an acknowledgement waits for the application to answer, ns. */
#define ACK_DELAY 1000000u

static struct qp_list due_now = TAILQ_HEAD_INITIALIZER(due_now);
static struct qp_list due_ack = TAILQ_HEAD_INITIALIZER(due_ack);
static struct qp_list due_held = TAILQ_HEAD_INITIALIZER(due_held); /* the first to end first */

/* ---------------------------------------------------------------------- input -- */

static bool receiving(const struct qp *qp)
{
	enum ibv_qp_state s = qp_state(qp);

	return s == IBV_QPS_RTR || s == IBV_QPS_RTS || s == IBV_QPS_SQD || s == IBV_QPS_SQE;
}

static bool same_gid(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Which type of QP a packet is for. */
static enum ibv_qp_type type_of(const struct opcode *op)
{
	switch (OPCODE_TRANSPORT(op->code)) {
	case OPCODE_RC:
		return IBV_QPT_RC;
	case OPCODE_UC:
		return IBV_QPT_UC;
	case OPCODE_XRC:
		return op->flags & WIRE_REQUEST ? IBV_QPT_XRC_RECV : IBV_QPT_XRC_SEND;
	default:
		return IBV_QPT_UD;
	}
}

static void connected_input(struct qp *qp, const struct packet *p)
{
	if (!same_gid(&p->src, &qp->flow.dgid) || !same_gid(&p->dst, &qp->flow.sgid)) {
		count(CNT_BAD_SOURCE);
		return;
	}
	if (!(p->op->flags & WIRE_REQUEST)) {
		completer_input(qp, p);
		return;
	}
	if (qp_state(qp) == IBV_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		event_qp(qp, IBV_EVENT_COMM_EST);
		target_show_qp(qp); /* programs that only take WRITEs in stay in RTR: ib_write_bw */
	}
	responder_input(qp, p);
}

void transport_input(const struct packet *p)
{
	struct qp *qp;

	if (p->op->code == OP_CNP) /* there is no rate to lower: the window does it */
		return;
	if ((p->pkey & 0x7fff) != (PKEY_DEFAULT & 0x7fff)) {
		count(CNT_BAD_PKEY);
		return;
	}
	if (p->qpn == QPN_MULTICAST) {
		if (type_of(p->op) == IBV_QPT_UD)
			datagram_multicast(p);
		return;
	}
	qp = qp_find(p->qpn);
	if (!qp || qp->type != type_of(p->op))
		count(CNT_BAD_QPN);
	else if (!receiving(qp))
		count(CNT_BAD_STATE);
	else if (qp->type == IBV_QPT_UD)
		datagram_input(qp, p);
	else
		connected_input(qp, p);
}

/* --------------------------------------------------------------- end of a pass -- */

static struct qp_list *list_of(enum qp_due due)
{
	return due == DUE_NOW ? &due_now : due == DUE_ACK ? &due_ack : &due_held;
}

static void due_leave(struct qp *qp)
{
	if (qp->due != DUE_NONE)
		TAILQ_REMOVE(list_of(qp->due), qp, due_next);
	qp->due = DUE_NONE;
}

void transport_due(struct qp *qp, enum qp_due due)
{
	if (qp->due == DUE_NOW || qp->due == due || (due == DUE_HELD && qp->due == DUE_ACK))
		return;
	due_leave(qp);
	TAILQ_INSERT_TAIL(list_of(due), qp, due_next);
	qp->due = due;
}

static void serve(struct qp *qp, bool urgent, unsigned *left)
{
	unsigned turn = *left < ANSWERS_TURN ? *left : ANSWERS_TURN, had = turn;

	due_leave(qp);
	if (!receiving(qp))
		return;
	if (qp_reliable(qp))
		responder_serve(qp, urgent, &turn);
	if (qp->type != IBV_QPT_RC || qp->req.carrying)
		requester_run(qp);
	*left -= had - turn;
}

/* Those that have waited for long enough. */
static void end_holding(void)
{
	struct qp *qp;

	while ((qp = TAILQ_FIRST(&due_held)) && engine_now() >= qp->resp.held) {
		responder_unanswered(qp);
		transport_due(qp, DUE_NOW);
	}
	if (qp)
		engine_defer(qp->resp.held);
}

bool transport_finish(bool urgent)
{
	unsigned left = ANSWERS_PASS;
	struct qp *last, *qp;

	air_wake();
	room_wake();
	end_holding();
	last = TAILQ_LAST(&due_now, qp_list);
	while (last && left && (qp = TAILQ_FIRST(&due_now))) {
		serve(qp, urgent, &left);
		if (qp == last)
			break;
	}
	if (urgent) {
		while ((qp = TAILQ_FIRST(&due_ack)))
			serve(qp, true, &left);
	} else if (!TAILQ_EMPTY(&due_ack)) {
		engine_defer(engine_now() + ACK_DELAY);
	}
	return !TAILQ_EMPTY(&due_now);
}

/* --------------------------------------------------------------------- states -- */

/* Nothing is sent any more, and nothing is expected. */
static void quiet(struct qp *qp)
{
	timer_stop(&qp->req.timer);
	due_leave(qp);
	air_leave(qp);
	air_give_all(qp);
	qp->req.rnr_wait = qp->req.carrying = false;
	qp->draining = false;
	target_hide_qp(qp, NULL);
	responder_leave(qp);
}

static void reset(struct qp *qp)
{
	quiet(qp);
	qp->sq.head = qp->sq.next = qp->req.at = qp->sq.tail;
	qp->rq.head = qp->rq.tail;
	qp->resp.has_recv = false;
	qp->comm_est = qp->last_wqe = false;
	if (qp->send_cq)
		cq_purge(qp->send_cq, qp->v.qp_num);
	if (qp->recv_cq)
		cq_purge(qp->recv_cq, qp->v.qp_num);
}

/* 10.3.1: the oldest first, each queue in its order. */
static void flush(struct qp *qp)
{
	quiet(qp);
	send_flush(qp);
	if (qp->resp.has_recv)
		recv_fail(qp, IBV_WC_WR_FLUSH_ERR);
	qp_flush_recvs(qp);
	if (qp->srq && !qp->xrcd && !qp->last_wqe) {
		qp->last_wqe = true;
		event_qp(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
	}
}

void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	qp_stepped(qp, from);
	switch (to) {
	case IBV_QPS_RESET:
		reset(qp);
		break;
	case IBV_QPS_RTR:
		responder_start(qp);
		break;
	case IBV_QPS_RTS:
		if (from == IBV_QPS_RTR)
			requester_start(qp);
		else
			requester_settings(qp);
		qp->draining = false;
		requester_run(qp);
		break;
	case IBV_QPS_SQD:
		requester_settings(qp);
		if (from != IBV_QPS_SQD)
			qp->draining = true;
		send_retire(qp); /* there may be nothing to drain */
		break;
	case IBV_QPS_ERR:
		flush(qp);
		break;
	default:
		break;
	}
}

void transport_fail(struct qp *qp, int event)
{
	enum ibv_qp_state from = qp_state(qp);

	if (from == IBV_QPS_RESET || from == IBV_QPS_ERR)
		return;
	qp->attr.qp_state = IBV_QPS_ERR;
	if (event >= 0)
		event_qp(qp, (enum ibv_event_type)event);
	transport_enter(qp, from, IBV_QPS_ERR);
}

void transport_forget(struct qp *qp)
{
	quiet(qp);
	qp->attr.qp_state = IBV_QPS_RESET;
}

/* ------------------------------------------------------------- datagrams -- */

/* UD: volume 1, 9.8.3; multicast: 10.5.2; the GRH that a receive begins with: 11.4.1.2 and
 * annex A17.4.2. */

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

/* ---------------------------------------------------- scatter and gather -- */

/*
 * Volume 1, 10.6.6. Every access to memory of the application goes
 * through its key, for the bytes that are touched and no others: what a receive has beyond
 * the message is not looked at.
 */

enum ibv_wc_status gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			  void *buf, uint32_t len)
{
	uint8_t *to = buf;

	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t part = min_u32(sge->length - offset, len);
		const void *from = region_local(qp, sge->lkey, sge->addr + offset, part, 0);

		if (!from || guard_copy(to, from, part) != 0)
			return IBV_WC_LOC_PROT_ERR;
		to += part;
		len -= part;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

enum ibv_wc_status scatter(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			   const void *buf, uint32_t len)
{
	const uint8_t *from = buf;

	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t part = min_u32(sge->length - offset, len);
		void *to = region_local(qp, sge->lkey, sge->addr + offset, part,
					IBV_ACCESS_LOCAL_WRITE);

		if (!to || guard_copy(to, from, part) != 0)
			return IBV_WC_LOC_PROT_ERR;
		from += part;
		len -= part;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}
