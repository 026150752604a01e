/* SPDX-License-Identifier: MIT */
/*
 * All QPs: which one a packet is for (volume 1, 9.6), whose turn it is at the end of a pass, how
 * much may be on its way from all of them, and what their states mean (10.3.1).
 */
#include "context.h"
#include "counters.h"
#include "direct.h"
#include "engine.h"
#include "packet.h"
#include "region.h"
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
		if (qp_type_of(p->op) == IBV_QPT_UD)
			responder_multicast(p);
		return;
	}
	qp = qp_find(p->qpn);
	if (!qp || qp->type != qp_type_of(p->op))
		count(CNT_BAD_QPN);
	else if (!may_receive(qp))
		count(CNT_BAD_STATE);
	else if (qp->type == IBV_QPT_UD)
		responder_datagram(qp, p);
	else
		connected_input(qp, p);
}

/* ---------------------------------------------------- what may be on its way -- */

/*
 * How much may be on its way by UDP from all QPs of this process together. The specification has
 * no such limit, because a link has credits; a UDP socket has a buffer that overflows. The
 * windows of single QPs (completer.c) do not know of each other.
 *
 * What a packet takes of a socket buffer is the kernel's size of it: a power of two and a
 * header. READ responses are counted when they are asked for: they fill our own buffer.
 */

/* Bytes: 212992, the usual net.core.rmem_max, which the kernel doubles. A QP that has nothing
 * in flight may go beyond by what the others leave: short messages do not queue behind long
 * ones. */
#define SOCKET_ROOM	 (320u * 1024)
#define SOCKET_ROOM_MOST (400u * 1024)
/* After that long, what was sent has left the buffer, or did not get into it. */
#define SOCKET_WAIT_NS 5000000u

static struct {
	uint32_t bytes; /* taken by QPs whose socket_epoch is this */
	uint32_t epoch;
	struct qp_list waiting; /* in the order in which they came */
	bool waking;		/* the first of them has its turn */
} socket_room = { .waiting = TAILQ_HEAD_INITIALIZER(socket_room.waiting) };

static struct qp_list ring_waiting = TAILQ_HEAD_INITIALIZER(ring_waiting);

/* Of a packet in the socket buffer. */
static uint32_t buffer_bytes(uint32_t len)
{
	return 256 + ring_slots(len + 512);
}

static uint32_t *bytes_taken(struct qp *qp)
{
	if (qp->req.socket_epoch != socket_room.epoch) {
		qp->req.socket_epoch = socket_room.epoch;
		qp->req.socket_bytes = 0;
	}
	return &qp->req.socket_bytes;
}

static bool socket_fits(uint32_t bytes)
{
	return (socket_room.waking || TAILQ_EMPTY(&socket_room.waiting)) &&
	       socket_room.bytes + bytes <= SOCKET_ROOM;
}

bool socket_has_room(uint32_t len)
{
	return socket_fits(buffer_bytes(len));
}

/* Starts the timer of a QP that waits. A timer that runs already keeps its time, however often the
 * QP asks. */
static void limit_socket_wait(struct timer *t)
{
	uint64_t when = engine_now() + SOCKET_WAIT_NS;

	if (!timer_running(t) || t->when > when)
		timer_set(t, when);
}

bool socket_room_take(struct qp *qp, uint32_t n, uint32_t len)
{
	bool idle = qp->req.next_psn == qp->req.una_psn;
	uint32_t bytes = n * buffer_bytes(len);

	if (socket_room.bytes && !socket_fits(bytes) &&
	    !(idle && socket_room.bytes + bytes <= SOCKET_ROOM_MOST)) {
		if (!qp->req.socket_wait) {
			TAILQ_INSERT_TAIL(&socket_room.waiting, qp, req.socket_next);
			qp->req.socket_wait = true;
		}
		if (idle) /* else the timer of the packets in flight runs */
			limit_socket_wait(&qp->req.timer);
		return false;
	}
	socket_room.bytes += bytes;
	*bytes_taken(qp) += bytes;
	return true;
}

void socket_room_return(struct qp *qp, uint32_t n, uint32_t in_flight)
{
	uint32_t *t = bytes_taken(qp), bytes;

	if (n >= in_flight)
		bytes = *t;
	else
		bytes = (uint32_t)((uint64_t)*t * n / in_flight);
	*t -= bytes;
	socket_room.bytes -= bytes;
}

void socket_room_return_all(struct qp *qp)
{
	socket_room_return(qp, 1, 1);
}

void socket_room_reset(void)
{
	socket_room.epoch++;
	socket_room.bytes = 0;
}

static void stop_waiting_for_socket(struct qp *qp)
{
	if (qp->req.socket_wait)
		TAILQ_REMOVE(&socket_room.waiting, qp, req.socket_next);
	qp->req.socket_wait = false;
}

static void stop_waiting_for_ring(struct qp *qp)
{
	if (qp->req.ring_wait)
		TAILQ_REMOVE(&ring_waiting, qp, req.ring_next);
	qp->req.ring_wait = false;
}

/* Lets those continue that wait, as long as there is room. */
static void wake_socket_waiters(void)
{
	struct qp *last = TAILQ_LAST(&socket_room.waiting, qp_list), *qp = NULL;

	socket_room.waking = true;
	while (qp != last && (qp = TAILQ_FIRST(&socket_room.waiting)) && socket_has_room(qp->mtu)) {
		stop_waiting_for_socket(qp);
		requester_run(qp);
	}
	socket_room.waking = false;
}

void ring_room_wait(struct qp *qp)
{
	if (qp->req.ring_wait)
		return;
	TAILQ_INSERT_TAIL(&ring_waiting, qp, req.ring_next);
	qp->req.ring_wait = true;
}

static void wake_ring_waiters(void)
{
	struct qp *last = TAILQ_LAST(&ring_waiting, qp_list), *qp = NULL;

	while (qp != last && (qp = TAILQ_FIRST(&ring_waiting))) {
		stop_waiting_for_ring(qp);
		transport_due(qp, DUE_NOW);
		requester_run(qp);
	}
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
	if (qp->type != IBV_QPT_RC || qp->req.direct_more)
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
	uint64_t moment = ring_write_deadline();

	return qp && qp->resp.hold_until < moment ? qp->resp.hold_until : moment;
}

bool transport_finish(bool urgent)
{
	unsigned left = RESPONSES_PASS;
	struct qp *last, *qp = NULL;

	wake_socket_waiters();
	wake_ring_waiters();
	release_held_acks();
	ring_write_release();
	last = TAILQ_LAST(&due_lists[DUE_NOW], qp_list);
	while (qp != last && left && (qp = TAILQ_FIRST(&due_lists[DUE_NOW])))
		serve_qp(qp, &left);
	while (urgent && (qp = TAILQ_FIRST(&due_lists[DUE_ACK])))
		serve_qp(qp, &left);
	TAILQ_FOREACH(qp, &due_lists[DUE_ACK], due_next)
		count(CNT_ACK_DEFERRED);
	return !TAILQ_EMPTY(&due_lists[DUE_NOW]);
}

bool transport_deferred(void)
{
	return !TAILQ_EMPTY(&due_lists[DUE_ACK]);
}

/* ---------------------------------------------- scatter and gather: 10.6.6 -- */

/* Copies between buf and the list, from offset bytes into it on; access as of region_local(). Each
 * SGE's key is looked up for the bytes that are touched and no others. */
static enum ibv_wc_status copy_sges(struct qp *qp, const struct ibv_sge *sge, int n,
				    uint32_t offset, uint8_t *buf, uint32_t len, unsigned access)
{
	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t bytes = min_u32(sge->length - offset, len);
		void *at = region_local(qp, sge->lkey, sge->addr + offset, bytes, access);

		if (!at || (access ? guard_copy(at, buf, bytes) : guard_copy(buf, at, bytes)) != 0)
			return IBV_WC_LOC_PROT_ERR;
		buf += bytes;
		len -= bytes;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

enum ibv_wc_status sges_gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			       void *buf, uint32_t len)
{
	return copy_sges(qp, sge, n, offset, buf, len, 0);
}

enum ibv_wc_status sges_scatter(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
				const void *buf, uint32_t len)
{
	return copy_sges(qp, sge, n, offset, (void *)buf, len, IBV_ACCESS_LOCAL_WRITE);
}

/* --------------------------------------------------------------------- states -- */

/* Nothing is sent any more, and nothing is expected. */
static void stop_traffic(struct qp *qp)
{
	timer_stop(&qp->req.timer);
	ring_write_stop_awaiting(qp);
	due_leave(qp);
	stop_waiting_for_socket(qp);
	stop_waiting_for_ring(qp);
	socket_room_return_all(qp);
	qp->req.rnr_wait = qp->req.direct_more = false;
	qp->draining = false;
	target_hide_qp(qp, NULL);
	responder_leave(qp);
}

static void reset_qp(struct qp *qp)
{
	stop_traffic(qp);
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
static void flush_qp(struct qp *qp)
{
	stop_traffic(qp);
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
	ring_write_answered(qp); /* or nobody will */
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
		send_retire(qp); /* there may be nothing to drain */
		break;
	case IBV_QPS_ERR:
		flush_qp(qp);
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
	stop_traffic(qp);
	qp->attr.qp_state = IBV_QPS_RESET;
}
