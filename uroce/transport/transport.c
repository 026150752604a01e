/* SPDX-License-Identifier: MIT */
/*
 * Where a packet goes: the checks of volume 1, 9.6; what is due at the end of a pass; what
 * the states of a QP mean: 10.3.1.
 */
#include "counters.h"
#include "engine.h"
#include "events.h"
#include "parts.h"
#include "target.h"

/* Packets of READ responses in one pass: of all QPs, and of one before it is another's turn. */
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
