/* SPDX-License-Identifier: MIT */
/*
 * All QPs: which one a packet is for (volume 1, 9.6), whose turn it is at the end of a pass, and
 * what their states mean (10.3.1).
 */
#include "context.h"
#include "packet.h"
#include "transport_own.h"

/* Responses to READs and atomics that one pass sends: of all QPs, and of one QP before it is
 * another's turn. */
#define RESPONSES_PASS 64
#define RESPONSES_TURN 16

/* By enum qp_due. DUE_HELD is sorted by hold_until. */
static struct qp_list due_lists[] = {
	[DUE_NOW] = TAILQ_HEAD_INITIALIZER(due_lists[DUE_NOW]),
	[DUE_ACK] = TAILQ_HEAD_INITIALIZER(due_lists[DUE_ACK]),
	[DUE_HELD] = TAILQ_HEAD_INITIALIZER(due_lists[DUE_HELD]),
};

/* ---------------------------------------------------------------------- input -- */

static bool may_receive(const struct qp *qp)
{
	enum ibv_qp_state s = qp_state(qp);

	return s == IBV_QPS_RTR || s == IBV_QPS_RTS || s == IBV_QPS_SQD || s == IBV_QPS_SQE;
}

/* The type of the QP that a packet is for. */
static enum ibv_qp_type qp_type_of(const struct opcode *op)
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
	if (!gid_equal(&p->src, &qp->flow.dgid) || !gid_equal(&p->dst, &qp->flow.sgid)) {
		history_dropped(qp, p, UROCE_DROP_SOURCE, 0, 0);
		return;
	}
	if (!(p->op->flags & WIRE_REQUEST)) {
		completer_input(qp, p);
		return;
	}
	if (qp_state(qp) == IBV_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		event_qp(qp, IBV_EVENT_COMM_EST);
	}
	responder_input(qp, p);
}

void transport_input(const struct packet *p)
{
	struct qp *qp;

	if (p->op->code == OP_CNP) /* there is no rate to lower: the window does it */
		return;
	if ((p->pkey & 0x7fff) != (PKEY_DEFAULT & 0x7fff)) {
		history_dropped(qp_find(p->qpn), p, UROCE_DROP_PKEY, p->pkey, PKEY_DEFAULT);
		return;
	}
	if (p->qpn == QPN_MULTICAST) {
		if (qp_type_of(p->op) == IBV_QPT_UD)
			responder_multicast(p);
		return;
	}
	qp = qp_find(p->qpn);
	if (!qp || qp->type != qp_type_of(p->op) ||
	    (qp->type == IBV_QPT_UD && !comes_to_device(qp, p)))
		history_dropped(NULL, p, UROCE_DROP_QPN, 0, 0);
	else if (!may_receive(qp))
		history_dropped(qp, p, UROCE_DROP_STATE, qp_state(qp), 0);
	else if (qp->type == IBV_QPT_UD)
		responder_datagram(qp, p);
	else
		connected_input(qp, p);
}

/* --------------------------------------------------------------- end of a pass -- */

static void due_leave(struct qp *qp)
{
	if (qp->due != DUE_NONE)
		TAILQ_REMOVE(&due_lists[qp->due], qp, due_next);
	qp->due = DUE_NONE;
}

void transport_due(struct qp *qp, enum qp_due due)
{
	if (qp->due == DUE_NOW || qp->due == due || (due == DUE_HELD && qp->due == DUE_ACK))
		return;
	due_leave(qp);
	TAILQ_INSERT_TAIL(&due_lists[due], qp, due_next);
	qp->due = due;
}

void transport_acknowledged(struct qp *qp)
{
	if (qp->due != DUE_NOW)
		due_leave(qp);
}

static void serve_qp(struct qp *qp, unsigned *left)
{
	unsigned turn = *left < RESPONSES_TURN ? *left : RESPONSES_TURN, had = turn;

	due_leave(qp);
	if (!may_receive(qp))
		return;
	if (qp_reliable(qp))
		responder_serve(qp, &turn);
	if (qp->type != IBV_QPT_RC)
		requester_run(qp);
	*left -= had - turn;
}

/* ACKs that were held for an answer, in vain, are sent. */
static void release_held_acks(void)
{
	struct qp *qp;

	while ((qp = TAILQ_FIRST(&due_lists[DUE_HELD])) && engine_now() >= qp->resp.hold_until) {
		responder_hold_expired(qp);
		transport_due(qp, DUE_NOW);
	}
}

void transport_release_acks(void)
{
	struct qp *qp;

	while ((qp = TAILQ_FIRST(&due_lists[DUE_HELD])))
		transport_due(qp, DUE_NOW);
}

uint64_t transport_held_until(void)
{
	const struct qp *qp = TAILQ_FIRST(&due_lists[DUE_HELD]);

	return qp ? qp->resp.hold_until : UINT64_MAX;
}

bool transport_finish(void)
{
	unsigned left = RESPONSES_PASS;
	struct qp *last, *qp = NULL;

	room_wake_waiters();
	release_held_acks();
	last = TAILQ_LAST(&due_lists[DUE_NOW], qp_list);
	while (qp != last && left && (qp = TAILQ_FIRST(&due_lists[DUE_NOW])))
		serve_qp(qp, &left);
	while ((qp = TAILQ_FIRST(&due_lists[DUE_ACK])))
		serve_qp(qp, &left);
	return !TAILQ_EMPTY(&due_lists[DUE_NOW]);
}

/* --------------------------------------------------------------------- states -- */

/* Nothing is sent any more, and nothing is expected. */
static void stop_traffic(struct qp *qp)
{
	timer_stop(&qp->req.timer);
	placing_settle(qp);
	order_drop(&qp->order.place_soon);
	order_drop(&qp->order.place_far);
	order_drop(&qp->order.sending);
	due_leave(qp);
	room_stop_waiting(qp);
	room_socket_return_all(qp);
	qp->req.rnr_wait = qp->req.stalled = false;
	qp->draining = false;
	responder_leave(qp);
}

static void reset_qp(struct qp *qp)
{
	stop_traffic(qp);
	lent_forget(&qp->sq);
	lent_forget(&qp->rq);
	qp->sq.head = qp->sq.next = qp->order.polled = qp->req.at = qp->sq.tail;
	qp->rq.head = qp->rq.tail;
	qp->resp.has_recv = false;
	qp->comm_est = qp->last_wqe = false;
	if (qp->send_cq)
		cq_purge(qp->send_cq, qp->v.qp_num);
	if (qp->recv_cq)
		cq_purge(qp->recv_cq, qp->v.qp_num);
}

/* 10.3.1: the oldest first, each queue in its order. */
static void flush_qp(struct qp *qp)
{
	stop_traffic(qp);
	completer_flush_sends(qp);
	if (qp->resp.has_recv)
		responder_fail_recv(qp, IBV_WC_WR_FLUSH_ERR);
	qp_flush_recvs(qp);
	if (qp->srq && !qp->xrcd && !qp->last_wqe) {
		qp->last_wqe = true;
		event_qp(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
	}
}

void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to,
		     const struct uroce_change *why)
{
	history_changed(qp, from, why);
	switch (to) {
	case IBV_QPS_RESET:
		reset_qp(qp);
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
		completer_retire_send(qp); /* there may be nothing to drain */
		break;
	case IBV_QPS_ERR:
		flush_qp(qp);
		break;
	default:
		break;
	}
}

void transport_fail(struct qp *qp, int event, const struct uroce_change *why)
{
	enum ibv_qp_state from = qp_state(qp);

	if (from == IBV_QPS_RESET || from == IBV_QPS_ERR)
		return;
	qp->attr.qp_state = IBV_QPS_ERR;
	if (event >= 0)
		event_qp(qp, (enum ibv_event_type)event);
	transport_enter(qp, from, IBV_QPS_ERR, why);
}

void transport_forget(struct qp *qp)
{
	stop_traffic(qp);
	qp->attr.qp_state = IBV_QPS_RESET;
}
