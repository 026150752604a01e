/* SPDX-License-Identifier: MIT */
/*
 * From work requests to packets: volume 1, 9.7.3 (RC), 9.8.2 (UC), 9.8.3 (UD), 10.7-10.8.
 *
 * A cursor (req.at, req.next_psn) walks over the send queue; going back after a loss sets it
 * back to the oldest packet that is not acknowledged, and the packets are made again from
 * the memory of the application.
 *
 * A READ takes a PSN for each response. It is split into READ requests of at most
 * READ_REQUEST_PACKETS responses (READ_REQUEST_BYTES), each with its own range of PSNs: so the
 * responses, whose sender knows no window, stay within the window of the QP. Where it is split does
 * not depend on where a request has to be repeated, since a responder takes a repeated READ only if
 * it lies within the one that it has answered (9.7.5.1.2).
 */
#include "context.h"
#include "region.h"
#include "rules.h"
#include "spec_tables.h"
#include "transport_own.h"

#define WINDOW_START 16
/* Volume 1, 9.7.3 leaves these to us: the responses of one READ request, several of which fit into
 * SOCKET_ROOM, so that the next one is on its way when one has come; packets between two AckReq. */
#define READ_REQUEST_PACKETS 16
#define READ_REQUEST_BYTES   32768
#define ACKREQ_PACKETS	     16
/* Packets of UC and UD in one go, before what has come in is looked at: there is no window. */
#define BURST 32
/* A peer that is a process may have to wait for its turn on the processor; a timeout that
 * is shorter than that turns waiting into loss. */
#define TIMEOUT_MIN_NS 1000000u
/* Volume 1, 9.7.6.1.3 allows one to four times the timeout of the QP. The second and third timeout
 * in a row are two and four times as long as the first, but not longer than this because of it. So
 * ibv_rc_pingpong, whose timeout is 67 ms, survives a peer that stands still for a second. */
#define TIMEOUT_GROWS_TO_NS 300000000u

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

	r->timeout = spec_ack_timeout_ns(qp->attr.timeout);
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
	r->grown = r->since_ackreq = 0;
	r->ring_deadline = 0;
	r->reads = 0;
	r->timeouts = 0;
	r->rnr_wait = r->stalled = r->recovering = r->broken = false;
	r->timer.fn = completer_timeout;
	requester_settings(qp);
}

/* How long to wait for an acknowledgement after so many timeouts in a row. */
static uint64_t current_timeout(const struct requester *r)
{
	uint64_t longer = r->timeout << r->timeouts;
	uint64_t most = r->timeout > TIMEOUT_GROWS_TO_NS ? r->timeout : TIMEOUT_GROWS_TO_NS;

	return longer < most ? longer : most;
}

void requester_arm(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (!r->timeout)
		return;
	r->deadline = engine_now() + current_timeout(r);
	if (!timer_running(&r->timer) || r->timer.when > r->deadline)
		timer_set(&r->timer, r->deadline);
}

/* So many packets of w were sent, or will come as responses to what was sent. */
static void requester_sent(struct qp *qp, struct send_wqe *w, uint32_t packets)
{
	struct requester *r = &qp->req;

	if (qp_reliable(qp) && r->next_psn == r->una_psn)
		requester_arm(qp);
	r->ring_deadline = 0;
	r->next_psn = psn_add(r->next_psn, packets);
	if (psn_diff(r->next_psn, r->psn) > 0)
		r->psn = r->next_psn;
	if (psn_diff(r->next_psn, w->last_psn) > 0)
		r->at++;
	if (!qp_reliable(qp)) /* there will be no answer */
		r->una_psn = r->next_psn;
}

uint32_t requester_end_read(const struct qp *qp, const struct send_wqe *w, uint32_t psn)
{
	uint32_t packets = min_u32(READ_REQUEST_PACKETS, READ_REQUEST_BYTES / qp->mtu);
	uint32_t request = (uint32_t)psn_diff(psn, w->first_psn) / packets;
	uint32_t end = psn_add(w->first_psn, (request + 1) * packets - 1);

	return psn_diff(end, w->last_psn) > 0 ? w->last_psn : end;
}

/* ------------------------------------------------------------------ admission -- */

/* Are all local buffers there? Looked at before anything of a long message is sent, and
 * before anything is asked for. */
static enum ibv_wc_status check_memory(struct qp *qp, const struct send_wqe *w, unsigned access)
{
	for (int i = 0; i < w->nsge; i++) {
		const struct ibv_sge *s = &w->sge[i];

		if (s->length && !region_local(qp->pd, s->lkey, s->addr, s->length, access))
			return IBV_WC_LOC_PROT_ERR;
	}
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status check_request(struct qp *qp, const struct send_wqe *w)
{
	if (w->len > MAX_MESSAGE)
		return IBV_WC_LOC_LEN_ERR;
	if (qp->type == IBV_QPT_UC && w->op->code == IBV_WR_SEND_WITH_INV)
		return IBV_WC_LOC_QP_OP_ERR;
	if (w->op->has_response) {
		if (!qp->attr.max_rd_atomic)
			return IBV_WC_LOC_QP_OP_ERR;
		if ((w->op->atomic || w->op->code == IBV_WR_ATOMIC_WRITE) &&
		    w->len != sizeof(uint64_t))
			return IBV_WC_LOC_LEN_ERR;
		return check_memory(qp, w, w->op->sink ? IBV_ACCESS_LOCAL_WRITE : 0);
	}
	return w->len > qp->mtu && qp->type != IBV_QPT_UD ? check_memory(qp, w, 0) : IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_local(struct qp *qp, const struct send_wqe *w)
{
	if (w->op->code == IBV_WR_BIND_MW)
		return region_bind(qp, &w->bind) == 0 ? IBV_WC_SUCCESS : IBV_WC_MW_BIND_ERR;
	return region_invalidate(qp, w->inv_rkey, false) == 0 ? IBV_WC_SUCCESS
							      : IBV_WC_LOC_QP_OP_ERR;
}

/* The request that a rule may be about. */
struct begun_request {
	const struct qp *qp;
	const struct send_wqe *w;
};

static bool is_of_request(const struct fault_rule *r, const void *of)
{
	const struct begun_request *b = of;

	return (r->opcode < 0 || (int)b->w->op->done == r->opcode) &&
	       (!r->qpn || b->qp->v.qp_num == r->qpn);
}

static enum ibv_wc_status fail_on_purpose(const struct qp *qp, struct send_wqe *w)
{
	const struct begun_request b = { qp, w };
	unsigned number;
	const struct fault_rule *r = rules_hit(FAULT_COMPLETION, is_of_request, &b, &number);

	if (!r)
		return IBV_WC_SUCCESS;
	w->rule = (uint8_t)number;
	return (enum ibv_wc_status)r->status;
}

/* Begins the next request of the queue: gives it its PSNs, or carries it out when nothing has to be
 * sent for it. False: it has to wait. */
static bool begin_request(struct qp *qp, struct send_wqe *w)
{
	struct requester *r = &qp->req;

	if (qp_state(qp) != IBV_QPS_RTS)
		return false;
	if (w->flags & IBV_SEND_FENCE && r->reads) /* 10.8.3 */
		return false;
	if (w->flags & IBV_SEND_FENCE && order_on())
		placing_settle_own(qp);
	w->started = true;
	w->rule = 0;
	qp->sq.next++;
	w->status = rules_are_there(FAULT_COMPLETION) ? fail_on_purpose(qp, w) : IBV_WC_SUCCESS;
	if (w->op->local) {
		if (w->status == IBV_WC_SUCCESS)
			w->status = do_local(qp, w);
		return true;
	}
	if (w->status == IBV_WC_SUCCESS)
		w->status = check_request(qp, w);
	w->first_psn = r->psn;
	w->last_psn = psn_add(r->psn, qp->type == IBV_QPT_UD ? 0 : packets_of(qp, w->len) - 1);
	return true;
}

/* -------------------------------------------------------------------- packets -- */

/* Is there room in the window, and by UDP in the socket, for n packets of so much payload? */
static bool may_send(struct qp *qp, const struct pair *pair, uint32_t n, uint32_t len)
{
	uint32_t flying = (uint32_t)psn_diff(qp->req.next_psn, qp->req.una_psn);

	if (flying && flying + n > qp->req.window)
		return false;
	return pair || room_socket_take(qp, n, len);
}

/* Is an acknowledgement asked for? With the last packet of a message, so often within one that the
 * window does not run dry, and when there is no room for more. */
static bool needs_ackreq(struct requester *r, bool last, uint32_t len)
{
	r->since_ackreq++;
	if (!last && r->since_ackreq < min_u32(ACKREQ_PACKETS, r->window / 2) &&
	    room_socket_has(len))
		return false;
	r->since_ackreq = 0;
	return true;
}

/* Sends p with p->len bytes of the request's data, from offset on. False: w->status says why not.
 */
static bool send_packet(struct qp *qp, struct pair *pair, struct send_wqe *w, struct packet *p,
			uint32_t offset)
{
	uint8_t *buf;

	p->pkey = PKEY_DEFAULT;
	p->psn = qp->req.next_psn;
	p->own_qpn = qp->v.qp_num;
	p->has_wr_id = true;
	p->wr_id = w->wr_id;
	buf = tx_begin(pair, qp->type == IBV_QPT_UD ? &w->flow : &qp->flow, p);
	if (w->nsge >= 0)
		w->status = sges_gather(qp, w->sge, w->nsge, offset, buf, p->len);
	else
		memcpy(buf, w->data + offset, p->len);
	if (w->status != IBV_WC_SUCCESS)
		return false;
	tx_commit();
	return true;
}

/* The next packet of a SEND or a WRITE. */
static bool send_data(struct qp *qp, struct pair *pair, struct send_wqe *w)
{
	struct requester *r = &qp->req;
	const struct message *m = &messages[w->op->code];
	bool reliable = qp_reliable(qp);
	bool first = r->next_psn == w->first_psn, last = r->next_psn == w->last_psn;
	uint32_t offset = (uint32_t)psn_diff(r->next_psn, w->first_psn) * qp->mtu;
	uint32_t len = min_u32(w->len - offset, qp->mtu);
	uint8_t code = first && last ? m->only : first ? m->first : last ? m->last : m->middle;

	if (reliable && !may_send(qp, pair, 1, len))
		return false;

	struct packet p = {
		.op = qp_opcode(qp, code),
		.solicited = last && w->flags & IBV_SEND_SOLICITED,
		.ackreq = reliable && needs_ackreq(r, last, len),
		.qpn = qp->attr.dest_qp_num,
		.srqn = w->remote_srqn,
		.va = w->remote,
		.rkey = w->op->code == IBV_WR_SEND_WITH_INV ? w->inv_rkey : w->rkey,
		.dma_len = w->len,
		.imm = w->imm,
		.len = len,
	};

	if (!send_packet(qp, pair, w, &p, offset))
		return false;
	requester_sent(qp, w, 1);
	return true;
}

/* The next READ request of a READ, an atomic, an ATOMIC_WRITE, or a FLUSH. */
static bool send_read_or_atomic(struct qp *qp, struct pair *pair, struct send_wqe *w)
{
	static const uint8_t codes[] = {
		[IBV_WR_RDMA_READ] = OP_READ_REQUEST,
		[IBV_WR_ATOMIC_CMP_AND_SWP] = OP_CMP_SWAP,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = OP_FETCH_ADD,
		[IBV_WR_ATOMIC_WRITE] = OP_ATOMIC_WRITE,
		[FLUSH_WR] = OP_FLUSH,
	};
	struct requester *r = &qp->req;
	uint32_t end = w->op->atomic ? r->next_psn : requester_end_read(qp, w, r->next_psn);
	uint32_t n = (uint32_t)psn_diff(end, r->next_psn) + 1;
	uint32_t offset = (uint32_t)psn_diff(r->next_psn, w->first_psn) * qp->mtu;
	bool add = w->op->code == IBV_WR_ATOMIC_FETCH_AND_ADD, flush = w->op->code == FLUSH_WR;

	if (r->reads >= qp->attr.max_rd_atomic ||
	    !may_send(qp, pair, n, w->op->atomic ? 0 : min_u32(w->len, qp->mtu)))
		return false;

	struct packet p = {
		.op = qp_opcode(qp, codes[w->op->code]),
		.ackreq = true,
		.qpn = qp->attr.dest_qp_num,
		.srqn = w->remote_srqn,
		.va = w->remote + offset,
		.rkey = w->rkey,
		.dma_len = flush ? w->flush_len : min_u32(w->len - offset, n * qp->mtu),
		.feth = flush ? w->feth : 0,
		.swap_add = add ? w->compare_add : w->swap,
		.compare = add ? 0 : w->compare_add,
		.len = w->op->sink ? 0 : w->len,
	};

	if (!send_packet(qp, pair, w, &p, 0))
		return false;
	r->reads++;
	r->since_ackreq = 0;
	requester_sent(qp, w, n);
	return true;
}

#define QKEY_OF_QP 0x80000000u /* 10.2.5: the Q_Key of the QP is sent instead */

/* UD: 9.8.3 */
static bool send_datagram(struct qp *qp, struct pair *pair, struct send_wqe *w)
{
	bool imm = w->op->code == IBV_WR_SEND_WITH_IMM;
	struct packet p = {
		.op = opcode_find(OPCODE_UD | (imm ? OP_SEND_ONLY_IMM : OP_SEND_ONLY)),
		.solicited = w->flags & IBV_SEND_SOLICITED,
		.qpn = w->dest_qpn,
		.qkey = w->dest_qkey & QKEY_OF_QP ? qp->attr.qkey : w->dest_qkey,
		.src_qpn = qp->v.qp_num,
		.imm = w->imm,
		.len = w->len,
	};

	/* C10-93.1.1: what is too long is not sent, and nobody is told */
	if (w->len <= qp->mtu && !send_packet(qp, pair, w, &p, 0))
		return false;
	requester_sent(qp, w, 1);
	return true;
}

static bool send_next(struct qp *qp, struct pair *pair, struct send_wqe *w)
{
	if (qp->type == IBV_QPT_UD)
		return send_datagram(qp, pair, w);
	return w->op->has_response ? send_read_or_atomic(qp, pair, w) : send_data(qp, pair, w);
}

/* The ring to the peer's process is full. If nothing is in flight and it stays full for one timeout
 * of an acknowledgement, that counts as a timeout: the peer has stopped reading. Packets that
 * nobody acknowledges wait until the ring is blocked, and are lost from then on. */
static void wait_for_ring(struct qp *qp)
{
	struct requester *r = &qp->req;
	uint64_t patience = qp_reliable(qp) ? r->timeout : TX_BLOCKED_NS;

	room_wait_for_ring(qp);
	if (patience && !r->ring_deadline && r->next_psn == r->una_psn) {
		r->ring_deadline = engine_now() + patience;
		timer_set(&r->timer, r->ring_deadline);
	}
}

/* ---------------------------------------------------------- unkind: base/order.h -- */

#define STALL_PASSES 8
#define STALL_BEGIN  4	/* of so many requests all but one wait at first */
#define STALL_WITHIN 16 /* of so many packets within a message one waits */
#define REPEATS	     4	/* of so many waits one ends with packets that are sent again */

static void resume(struct order_wait *wait)
{
	struct qp *qp = (struct qp *)((char *)wait - offsetof(struct qp, order.sending));
	struct requester *r = &qp->req;

	r->stalled = false;
	qp->order.resumed = true;
	if (qp_reliable(qp) && r->next_psn != r->una_psn && !r->rnr_wait && !r->recovering &&
	    order_on() && order_once_in(REPEATS)) {
		order_done.repeated++;
		requester_go_back(qp);
	}
	requester_run(qp);
}

/* May the next packet of w wait, so that its memory is read later? */
static bool stall(struct qp *qp, const struct send_wqe *w)
{
	bool first = qp->req.next_psn == w->first_psn;

	if (qp->order.resumed) {
		qp->order.resumed = false;
		return false;
	}
	if (first ? order_once_in(STALL_BEGIN) : !order_once_in(STALL_WITHIN))
		return false;
	order_done.requests++;
	qp->req.stalled = true;
	qp->order.sending.fn = resume;
	order_hold(&qp->order.sending, 1 + order_draw(STALL_PASSES));
	return true;
}

/* The result for the request at the cursor. */
enum step { REQUEST_DONE, PACKET_SENT, STOP };

static enum step send_step(struct qp *qp, struct pair *pair, struct send_wqe *w, unsigned *left)
{
	if (!w->started && !begin_request(qp, w))
		return STOP;
	if (w->status != IBV_WC_SUCCESS) {
		qp->req.broken = true;
		return STOP;
	}
	if (w->op->local)
		return REQUEST_DONE;
	if (!(*left)--) {
		transport_due(qp, DUE_NOW);
		return STOP;
	}
	if (qp->type == IBV_QPT_UD)
		pair = path_to(&w->flow, w->dest_qpn);
	if (!tx_has_room(pair, false) && (qp_reliable(qp) || !tx_is_blocked(pair))) {
		wait_for_ring(qp);
		return STOP;
	}
	if (order_on() && stall(qp, w))
		return STOP;
	if (send_next(qp, pair, w))
		return PACKET_SENT;
	qp->req.broken = w->status != IBV_WC_SUCCESS;
	return STOP;
}

/* Sends until something stops it. Packets of the peer are acknowledged before a request leaves
 * that may be the reply to them: its SEND completes before its RECV, as with hardware. */
static void send_requests(struct qp *qp)
{
	struct requester *r = &qp->req;
	unsigned left = qp_reliable(qp) ? UINT32_MAX : BURST;
	struct pair *pair = NULL; /* of all that a connection sends */
	enum step step = PACKET_SENT;

	if (r->at != qp->sq.tail && qp->type != IBV_QPT_UD) {
		pair = qp_path(qp);
		responder_before_send(qp, pair);
	}
	while (r->at != qp->sq.tail && step != STOP) {
		step = send_step(qp, pair, sq_at(qp, r->at), &left);
		if (step == REQUEST_DONE)
			r->at++;
	}
}

void requester_run(struct qp *qp)
{
	switch (qp_state(qp)) {
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		if (qp->req.rnr_wait || qp->req.broken || qp->req.stalled)
			break;
		send_requests(qp);
		completer_retire_send(qp);
		break;
	case IBV_QPS_SQE:
	case IBV_QPS_ERR:
		completer_flush_sends(qp);
		break;
	default:
		break;
	}
}
