/* SPDX-License-Identifier: MIT */
/*
 * From work requests to packets: volume 1, 9.7.3 (RC), 9.8.2 (UC), 10.7-10.8.
 *
 * A cursor (req.at, req.next_psn) walks over the send queue; going back after a loss sets it
 * back to the oldest packet that is not acknowledged, and the packets are made again from
 * the memory of the application.
 *
 * A READ takes a PSN for each response. It is asked for in parts of at most PART_PACKETS
 * responses (PART_BYTES), each a READ request of its own with its own range of PSNs: so the
 * responses, whose sender knows no window, stay within the window of the QP. The parts do not
 * depend on where a request has to be repeated, since a responder takes a repeated READ only if it
 * lies within the one that it has answered (9.7.5.1.2).
 */
#include "spec_tables.h"
#include "context.h"
#include "counters.h"
#include "direct.h"
#include "engine.h"
#include "parts.h"
#include "path.h"
#include "region.h"

#define WINDOW_START 16
/* Packets of UC and UD in one go, before what has come in is looked at: there is no window. */
#define BURST 32
/* A peer that is a process may have to wait for its turn on the processor; a timeout that
 * is shorter than that turns waiting into loss. */
#define TIMEOUT_MIN_NS 1000000u

/* The opcodes of a message by the place of the packet in it: table 38. */
static const struct message {
	uint8_t first, middle, last, only;
} messages[] = {
	[IBV_WR_SEND] = { OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_ONLY },
	[IBV_WR_SEND_WITH_IMM] = { OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST_IMM,
				   OP_SEND_ONLY_IMM },
	[IBV_WR_SEND_WITH_INV] = { OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST_INV,
				   OP_SEND_ONLY_INV },
	[IBV_WR_RDMA_WRITE] = { OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_WRITE_ONLY },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST_IMM,
					 OP_WRITE_ONLY_IMM },
};

void requester_settings(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->timeout = ack_timeout_ns(qp->attr.timeout);
	if (r->timeout && r->timeout < TIMEOUT_MIN_NS)
		r->timeout = TIMEOUT_MIN_NS;
	r->retries = qp->attr.retry_cnt;
	r->rnr_retries = qp->attr.rnr_retry;
}

void requester_start(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->psn = r->next_psn = r->una_psn = qp->attr.sq_psn & PSN_MASK;
	r->at = qp->sq.next;
	r->window = WINDOW_START;
	r->grown = r->unasked = 0;
	r->blocked = 0;
	r->reads = 0;
	r->rnr_wait = r->recovering = r->broken = r->carrying = false;
	r->refused = r->in_vain = 0;
	r->timer.fn = completer_timeout;
	requester_settings(qp);
}

void requester_arm(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (!r->timeout)
		return;
	r->deadline = engine_now() + r->timeout;
	if (!timer_running(&r->timer) || r->timer.when > r->deadline)
		timer_set(&r->timer, r->deadline);
}

void requester_sent(struct qp *qp, struct send_wqe *w, uint32_t packets)
{
	struct requester *r = &qp->req;

	if (qp_reliable(qp) && r->next_psn == r->una_psn)
		requester_arm(qp);
	r->blocked = 0;
	r->next_psn = psn_add(r->next_psn, packets);
	if (psn_diff(r->next_psn, r->psn) > 0)
		r->psn = r->next_psn;
	if (psn_diff(r->next_psn, w->last_psn) > 0)
		r->at++;
	if (!qp_reliable(qp)) /* there will be no answer */
		r->una_psn = r->next_psn;
}

uint32_t read_part_end(const struct qp *qp, const struct send_wqe *w, uint32_t psn)
{
	uint32_t packets = min_u32(PART_PACKETS, PART_BYTES / qp->mtu);
	uint32_t part = (uint32_t)psn_diff(psn, w->first_psn) / packets;
	uint32_t end = psn_add(w->first_psn, (part + 1) * packets - 1);

	return psn_diff(end, w->last_psn) > 0 ? w->last_psn : end;
}

/* ------------------------------------------------------------------ admission -- */

/* Are all local buffers there? Looked at before anything of a long message is sent, and
 * before anything is asked for. */
static enum ibv_wc_status check_memory(struct qp *qp, const struct send_wqe *w, unsigned access)
{
	for (int i = 0; i < w->nsge; i++) {
		const struct ibv_sge *s = &w->sge[i];

		if (s->length && !region_local(qp, s->lkey, s->addr, s->length, access))
			return IBV_WC_LOC_PROT_ERR;
	}
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status check(struct qp *qp, const struct send_wqe *w, const struct wr_op *op)
{
	if (w->len > MAX_MESSAGE)
		return IBV_WC_LOC_LEN_ERR;
	if (qp->type == IBV_QPT_UC && w->opcode == IBV_WR_SEND_WITH_INV)
		return IBV_WC_LOC_QP_OP_ERR;
	if (op->asks) {
		if (!qp->attr.max_rd_atomic)
			return IBV_WC_LOC_QP_OP_ERR;
		if ((op->atomic || w->opcode == IBV_WR_ATOMIC_WRITE) && w->len != sizeof(uint64_t))
			return IBV_WC_LOC_LEN_ERR;
		return check_memory(qp, w, op->sink ? IBV_ACCESS_LOCAL_WRITE : 0);
	}
	return w->len > qp->mtu && qp->type != IBV_QPT_UD ? check_memory(qp, w, 0) : IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_local(struct qp *qp, const struct send_wqe *w)
{
	if (w->opcode == IBV_WR_BIND_MW)
		return region_bind(qp, &w->bind) == 0 ? IBV_WC_SUCCESS : IBV_WC_MW_BIND_ERR;
	return region_invalidate(qp, w->inv_rkey, false) == 0 ? IBV_WC_SUCCESS
							      : IBV_WC_LOC_QP_OP_ERR;
}

/* Begins the next request of the queue: gives it its PSNs, or carries it out when nothing has to be
 * sent for it. False: it has to wait. */
static bool begin(struct qp *qp, struct send_wqe *w, const struct wr_op *op)
{
	struct requester *r = &qp->req;

	if (qp_state(qp) != IBV_QPS_RTS)
		return false;
	if (w->flags & IBV_SEND_FENCE && r->reads) /* 10.8.3 */
		return false;
	w->started = true;
	qp->sq.next++;
	if (op->local) {
		w->status = do_local(qp, w);
		return true;
	}
	w->status = check(qp, w, op);
	w->first_psn = r->psn;
	w->last_psn = psn_add(r->psn, qp->type == IBV_QPT_UD ? 0 : packets_of(qp, w->len) - 1);
	return true;
}

/* -------------------------------------------------------------------- packets -- */

static bool window_open(const struct requester *r, uint32_t n)
{
	uint32_t flying = (uint32_t)psn_diff(r->next_psn, r->una_psn);

	return !flying || flying + n <= r->window;
}

/* Asks for an acknowledgement with the last packet of a message, so often within one that
 * the window does not run dry, and when there is no room for more. */
static bool ask(struct requester *r, bool last, uint32_t len)
{
	r->unasked++;
	if (!last && r->unasked < min_u32(PART_PACKETS, r->window / 2) && air_has_room(len))
		return false;
	r->unasked = 0;
	return true;
}

static enum ibv_wc_status fetch(struct qp *qp, const struct send_wqe *w, uint32_t offset, void *buf,
				uint32_t len)
{
	if (w->nsge >= 0)
		return gather(qp, w->sge, w->nsge, offset, buf, len);
	memcpy(buf, w->data + offset, len);
	return IBV_WC_SUCCESS;
}

/* The next packet of a SEND or a WRITE. */
static bool send_data(struct qp *qp, struct send_wqe *w)
{
	struct requester *r = &qp->req;
	const struct message *m = &messages[w->opcode];
	bool reliable = qp_reliable(qp);
	bool first = r->next_psn == w->first_psn, last = r->next_psn == w->last_psn;
	uint32_t offset = (uint32_t)psn_diff(r->next_psn, w->first_psn) * qp->mtu;
	uint32_t len = min_u32(w->len - offset, qp->mtu);
	uint8_t code = first && last ? m->only : first ? m->first : last ? m->last : m->middle;

	if (reliable && (!window_open(r, 1) || !air_take(qp, 1, len)))
		return false;

	struct packet p = {
		.op = qp_opcode(qp, code),
		.solicited = last && w->flags & IBV_SEND_SOLICITED,
		.ackreq = reliable && ask(r, last, len),
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = r->next_psn,
		.srqn = w->remote_srqn,
		.va = w->remote,
		.rkey = w->opcode == IBV_WR_SEND_WITH_INV ? w->inv_rkey : w->rkey,
		.dma_len = w->len,
		.imm = w->imm,
		.len = len,
		.own_qpn = qp->v.qp_num,
		.has_wr_id = true,
		.wr_id = w->wr_id,
	};
	uint8_t *buf = tx_begin(&qp->flow, &p);

	w->status = fetch(qp, w, offset, buf, len);
	if (w->status != IBV_WC_SUCCESS) {
		tx_abort();
		return false;
	}
	tx_commit();
	requester_sent(qp, w, 1);
	return true;
}

static uint8_t question_code(const struct send_wqe *w)
{
	switch (w->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return OP_CMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return OP_FETCH_ADD;
	case IBV_WR_ATOMIC_WRITE:
		return OP_ATOMIC_WRITE;
	default:
		return OP_READ_REQUEST;
	}
}

/* The next part of a READ, an atomic, or an ATOMIC_WRITE. */
static bool send_question(struct qp *qp, struct send_wqe *w, const struct wr_op *op)
{
	struct requester *r = &qp->req;
	uint32_t end = op->atomic ? r->next_psn : read_part_end(qp, w, r->next_psn);
	uint32_t n = (uint32_t)psn_diff(end, r->next_psn) + 1;
	uint32_t offset = (uint32_t)psn_diff(r->next_psn, w->first_psn) * qp->mtu;

	if (r->reads >= qp->attr.max_rd_atomic || !window_open(r, n) ||
	    !air_take(qp, n, op->atomic ? 0 : min_u32(w->len, qp->mtu)))
		return false;

	struct packet p = {
		.op = qp_opcode(qp, question_code(w)),
		.ackreq = true,
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = r->next_psn,
		.srqn = w->remote_srqn,
		.va = w->remote + offset,
		.rkey = w->rkey,
		.dma_len = min_u32(w->len - offset, n * qp->mtu),
		.swap_add = w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? w->compare_add : w->swap,
		.compare = w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 0 : w->compare_add,
		.len = op->sink ? 0 : w->len,
		.own_qpn = qp->v.qp_num,
		.has_wr_id = true,
		.wr_id = w->wr_id,
	};

	uint8_t *buf = tx_begin(&qp->flow, &p);

	w->status = p.len ? fetch(qp, w, 0, buf, p.len) : IBV_WC_SUCCESS;
	if (w->status != IBV_WC_SUCCESS) {
		tx_abort();
		return false;
	}
	tx_commit();
	r->reads++;
	r->unasked = 0;
	requester_sent(qp, w, n);
	return true;
}

static bool send_next(struct qp *qp, struct send_wqe *w, const struct wr_op *op)
{
	if (qp->type == IBV_QPT_UD)
		return datagram_send(qp, w);
	return op->asks ? send_question(qp, w, op) : send_data(qp, w);
}

static bool has_room(const struct qp *qp, const struct send_wqe *w)
{
	if (qp->type == IBV_QPT_UD)
		return tx_has_room(&w->flow, w->dest_qpn, false);
	return tx_has_room(&qp->flow, qp->attr.dest_qp_num, false);
}

static bool is_one_sided(const struct send_wqe *w)
{
	return w->opcode == IBV_WR_RDMA_WRITE || w->opcode == IBV_WR_RDMA_READ;
}

/* So many requests go by packets before one waits again to go without: twice as many each time that
 * it was in vain. A target that has just begun lets nobody in yet. */
#define REFUSED_FIRST 8
#define REFUSED_MOST  255

enum direct_way { BY_PACKETS, HAS_GONE, HAS_TO_WAIT };

/* Without packets only when nothing that was sent is on its way: then the order with packets, those
 * before it and after it, is kept whichever way it goes. One of a stream of such requests waits for
 * that, since one that went by packets would have all behind it go so, too. */
static enum direct_way go_direct(struct qp *qp, struct send_wqe *w)
{
	struct requester *r = &qp->req;
	enum direct_result result;

	if (!is_one_sided(w) || r->next_psn != w->first_psn || r->psn != w->first_psn)
		return BY_PACKETS;
	if (r->next_psn != r->una_psn) {
		if (!is_one_sided(sq_at(qp, r->at - 1)) || !direct_is_open(qp))
			return BY_PACKETS;
		r->refused -= r->refused > 0;
		return r->refused ? BY_PACKETS : HAS_TO_WAIT;
	}
	result = direct_carry_out(qp, w);
	if (result != DIRECT_PACKETS || !direct_is_open(qp)) {
		r->refused = r->in_vain = 0;
	} else {
		r->in_vain = r->in_vain ? (uint8_t)min_u32(2 * r->in_vain, REFUSED_MOST)
					: REFUSED_FIRST;
		r->refused = r->in_vain;
	}
	r->carrying = result == DIRECT_MORE;
	if (r->carrying)
		transport_due(qp, DUE_NOW);
	return result == DIRECT_DONE ? HAS_GONE : r->carrying ? HAS_TO_WAIT : BY_PACKETS;
}

/* Sends until something stops it. What the peer has sent is acknowledged before what may be
 * the reply to it leaves: its SEND completes before its RECV, as with hardware. */
static void run(struct qp *qp)
{
	struct requester *r = &qp->req;
	unsigned left = qp_reliable(qp) ? UINT32_MAX : BURST;
	bool owes = qp->resp.ack_due || qp->type != IBV_QPT_RC;

	if (r->at != qp->sq.tail)
		responder_answer(qp);
	while (r->at != qp->sq.tail) {
		struct send_wqe *w = sq_at(qp, r->at);
		const struct wr_op *op = wr_op_find(w->opcode);

		if (!w->started && !begin(qp, w, op))
			break;
		if (w->status == IBV_WC_SUCCESS && op->local) {
			r->at++;
			continue;
		}
		if (w->status == IBV_WC_SUCCESS && !left--) {
			transport_due(qp, DUE_NOW);
			break;
		}
		if (w->status == IBV_WC_SUCCESS && !owes) {
			enum direct_way way = go_direct(qp, w);

			if (way == HAS_TO_WAIT)
				break;
			if (way == HAS_GONE) {
				r->at++;
				continue;
			}
		}
		if (w->status == IBV_WC_SUCCESS && !has_room(qp, w)) {
			room_wait(qp);
			break;
		}
		if (w->status != IBV_WC_SUCCESS || !send_next(qp, w, op)) {
			r->broken = w->status != IBV_WC_SUCCESS;
			break;
		}
	}
}

void requester_run(struct qp *qp)
{
	switch (qp_state(qp)) {
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		if (qp->req.rnr_wait || qp->req.broken)
			break;
		run(qp);
		send_retire(qp);
		break;
	case IBV_QPS_SQE:
	case IBV_QPS_ERR:
		send_flush(qp);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------- what may be on its way -- */

/*
 * How much may be on its way from all QPs of this process together. The specification has
 * no such limit, because a link has credits; a UDP socket has a buffer that overflows. The
 * windows of single QPs (completer.c) do not know of each other.
 *
 * What a packet takes of a socket buffer is the kernel's size of it: a power of two and a
 * header. READ responses are counted when they are asked for: they fill our own buffer.
 */

/* 212992 bytes, the usual net.core.rmem_max, which the kernel doubles. A QP that has nothing
 * in flight may go beyond by what the others leave: short messages do not queue behind long
 * ones. */
#define AIR_BYTES (320u * 1024)
#define AIR_MOST  (400u * 1024)
/* After that long, what was sent has left the buffer, or did not get into it. */
#define AIR_WAIT_NS 5000000u

static struct {
	uint32_t bytes; /* taken by QPs whose air_epoch is this */
	uint32_t epoch;
	struct qp_list waiting; /* in the order in which they came */
	bool waking;		/* the first of them has its turn */
} air = { .waiting = TAILQ_HEAD_INITIALIZER(air.waiting) };

static struct qp_list blocked = TAILQ_HEAD_INITIALIZER(blocked); /* by full memory */

static uint32_t cost(uint32_t len)
{
	return 256 + ring_slots(len + 512);
}

static uint32_t *taken(struct qp *qp)
{
	if (qp->req.air_epoch != air.epoch) {
		qp->req.air_epoch = air.epoch;
		qp->req.air = 0;
	}
	return &qp->req.air;
}

static bool fits(uint32_t bytes)
{
	return (air.waking || TAILQ_EMPTY(&air.waiting)) && air.bytes + bytes <= AIR_BYTES;
}

bool air_has_room(uint32_t len)
{
	return fits(cost(len));
}

/* Starts the timer of a QP that waits. A timer that runs already keeps its time, however often the
 * QP asks. */
static void limit_wait_for_air(struct timer *t)
{
	uint64_t when = engine_now() + AIR_WAIT_NS;

	if (!timer_running(t) || t->when > when)
		timer_set(t, when);
}

bool air_take(struct qp *qp, uint32_t n, uint32_t len)
{
	if (path_is_memory(&qp->flow, qp->attr.dest_qp_num))
		return true;

	bool idle = qp->req.next_psn == qp->req.una_psn;
	uint32_t bytes = n * cost(len);

	if (air.bytes && !fits(bytes) && !(idle && air.bytes + bytes <= AIR_MOST)) {
		if (!qp->req.air_wait) {
			TAILQ_INSERT_TAIL(&air.waiting, qp, req.air_next);
			qp->req.air_wait = true;
		}
		if (idle) /* else the timer of the packets in flight runs */
			limit_wait_for_air(&qp->req.timer);
		return false;
	}
	air.bytes += bytes;
	*taken(qp) += bytes;
	return true;
}

void air_give(struct qp *qp, uint32_t n, uint32_t in_flight)
{
	uint32_t *t = taken(qp), bytes;

	if (n >= in_flight)
		bytes = *t;
	else
		bytes = (uint32_t)((uint64_t)*t * n / in_flight);
	*t -= bytes;
	air.bytes -= bytes;
}

void air_give_all(struct qp *qp)
{
	air_give(qp, 1, 1);
}

void air_clear(void)
{
	air.epoch++;
	air.bytes = 0;
}

void air_leave(struct qp *qp)
{
	if (qp->req.room_wait)
		TAILQ_REMOVE(&blocked, qp, req.room_next);
	qp->req.room_wait = false;
	if (qp->req.air_wait)
		TAILQ_REMOVE(&air.waiting, qp, req.air_next);
	qp->req.air_wait = false;
}

void air_wake(void)
{
	struct qp *last = TAILQ_LAST(&air.waiting, qp_list), *qp;

	air.waking = true;
	while ((qp = TAILQ_FIRST(&air.waiting)) && air_has_room(qp->mtu)) {
		air_leave(qp);
		requester_run(qp);
		if (qp == last)
			break;
	}
	air.waking = false;
}

void room_wait(struct qp *qp)
{
	if (qp->req.room_wait)
		return;
	TAILQ_INSERT_TAIL(&blocked, qp, req.room_next);
	qp->req.room_wait = true;
	if (qp->req.timeout && !qp->req.blocked && qp->req.next_psn == qp->req.una_psn) {
		qp->req.blocked = engine_now() + qp->req.timeout;
		timer_set(&qp->req.timer, qp->req.blocked);
	}
}

void room_wake(void)
{
	struct qp *last = TAILQ_LAST(&blocked, qp_list), *qp;

	while ((qp = TAILQ_FIRST(&blocked))) {
		TAILQ_REMOVE(&blocked, qp, req.room_next);
		qp->req.room_wait = false;
		transport_due(qp, DUE_NOW);
		requester_run(qp);
		if (qp == last)
			break;
	}
}
