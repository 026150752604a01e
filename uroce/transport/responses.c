/* SPDX-License-Identifier: MIT */
/*
 * The responder sends responses to READs, atomics, ATOMIC_WRITEs and FLUSHes, ACKs and NAKs: volume
 * 1, 9.7.5.1, 9.4.4, 9.4.5.
 *
 * READs and atomics wait in a ring for their turn: responses go out in the order of their PSNs, a
 * bounded number of packets in one pass. A READ takes the memory as it is when its response is
 * sent; an atomic is carried out when it comes in, once, and what it found is kept as long as the
 * peer may ask for it again.
 */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "engine.h"
#include "queue_pair.h"
#include "region.h"
#include "transport_own.h"
#include "spec_tables.h"

static struct response *response_at(struct responder *r, uint32_t position)
{
	return &r->responses[position & r->responses_mask];
}

static bool is_pending(const struct response *a)
{
	return psn_diff(a->next_psn, a->last_psn) <= 0;
}

void responses_forget(struct qp *qp)
{
	struct responder *r = &qp->resp;

	for (uint32_t i = 0; r->responses && i <= r->responses_mask; i++)
		r->responses[i].kind = RESPONSE_NONE;
	r->response_first = r->response_send = r->response_tail;
}

int responses_resize(struct qp *qp, unsigned n)
{
	struct responder *r = &qp->resp;
	uint32_t size = ring_slots(n), keep;
	struct response *ring;

	if (!r->responses || size > r->responses_mask + 1) {
		ring = calloc(size, sizeof(*ring));
		if (!ring)
			return ENOMEM;
		keep = r->responses ? r->responses_mask + 1 : 0;
		for (uint32_t i = r->response_tail - keep; i != r->response_tail; i++)
			ring[i & (size - 1)] = *response_at(r, i);
		free(r->responses);
		r->responses = ring;
		r->responses_mask = size - 1;
	}
	r->responses_limit = n;
	return 0;
}

/* A place for one more response, or NULL: the peer has asked for more at once than it may. Those
 * that repeat what was sent before give way: a peer that still needs one asks again. */
static struct response *add_response(struct responder *r)
{
	if (!r->responses_limit)
		return NULL;
	while (r->response_tail - r->response_send >= r->responses_limit) {
		const struct response *a = response_at(r, r->response_send);

		if (is_pending(a) && !a->again)
			return NULL;
		r->response_send++;
	}
	return response_at(r, r->response_tail++);
}

/* The response that had that PSN; its position in *at. */
static struct response *find_response(struct responder *r, uint32_t psn, uint32_t *at)
{
	for (uint32_t i = 0; i < r->responses_limit; i++) {
		struct response *a = response_at(r, r->response_tail - 1 - i);

		if (a->kind != RESPONSE_NONE && psn_diff(psn, a->first_psn) >= 0 &&
		    psn_diff(psn, a->last_psn) <= 0) {
			*at = r->response_tail - 1 - i;
			return a;
		}
	}
	return NULL;
}

/* The request has been carried out, and its response is due. */
static void advance_psn(struct qp *qp, const struct response *a)
{
	struct responder *r = &qp->resp;

	r->psn = psn_add(a->last_psn, 1);
	r->msn = a->msn;
	transport_due(qp, DUE_NOW);
}

/* Answers p, of which the caller gives the kind, the last PSN and the memory. */
static enum request_error queue_response(struct qp *qp, const struct packet *p,
					 struct response answer)
{
	struct response *a = add_response(&qp->resp);

	if (!a)
		return REQ_INVALID;
	if (order_on())
		placing_settle(qp);
	answer.first_psn = answer.next_psn = p->psn;
	answer.msn = psn_add(qp->resp.msn, 1);
	*a = answer;
	advance_psn(qp, a);
	return REQ_OK;
}

enum request_error responses_reply_read(struct qp *qp, const struct packet *p)
{
	if (p->dma_len > MAX_MESSAGE)
		return REQ_INVALID;
	if (p->dma_len && !region_remote(qp, p->rkey, p->va, p->dma_len, IBV_ACCESS_REMOTE_READ))
		return REQ_ACCESS;
	return queue_response(qp, p,
			      (struct response){
				      .kind = RESPONSE_READ,
				      .last_psn = psn_add(p->psn, packets_of(qp, p->dma_len) - 1),
				      .rkey = p->rkey,
				      .len = p->dma_len,
				      .va = p->va,
				      .srqn = p->srqn,
			      });
}

/* The word that an atomic works on, in *at. *at counts only with REQ_OK: the addresses of both
 * sides have to be aligned. */
static enum request_error aligned_word(struct qp *qp, const struct packet *p, unsigned access,
				       uint64_t **at)
{
	if (p->va % sizeof(uint64_t))
		return REQ_INVALID;
	*at = region_remote(qp, p->rkey, p->va, sizeof(uint64_t), access);
	if (!*at)
		return REQ_ACCESS;
	/* an address of its own choice: ibv_reg_mr_iova() */
	return (uintptr_t)*at % sizeof(uint64_t) ? REQ_INVALID : REQ_OK;
}

/* Carries out an atomic; *old: what it found. 0, or -1: the memory is not there. */
static int execute_atomic(const struct packet *p, uint64_t *word, uint64_t *old)
{
	uint64_t value;

	switch (OPCODE_OPERATION(p->op->code)) {
	case OP_CMP_SWAP:
		return guard_cmp_swap(word, p->compare, p->swap_add, old);
	case OP_FETCH_ADD:
		return guard_fetch_add(word, p->swap_add, old);
	default: /* annex A19 */
		memcpy(&value, p->payload, sizeof(value));
		return guard_store(word, value);
	}
}

enum request_error responses_reply_atomic(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	bool write = p->op->flags & WIRE_ATOMIC_WRITE;
	unsigned access = write ? IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_REMOTE_ATOMIC;
	uint64_t *word, old = 0;
	enum request_error e;
	struct response *a;

	if (write && (p->len != sizeof(*word) || p->dma_len != sizeof(*word)))
		return REQ_INVALID;
	e = aligned_word(qp, p, access, &word);
	if (e != REQ_OK)
		return e;
	a = add_response(r);
	if (!a)
		return REQ_INVALID;
	if (order_on()) {
		placing_settle(qp);
		placing_before(word, sizeof(*word));
	}
	if (execute_atomic(p, word, &old)) {
		a->kind = RESPONSE_NONE;
		r->response_tail--;
		return REQ_MEMORY;
	}
	*a = (struct response){
		.kind = write ? RESPONSE_ATOMIC_WRITE : RESPONSE_ATOMIC,
		.first_psn = p->psn,
		.next_psn = p->psn,
		.last_psn = p->psn,
		.msn = psn_add(r->msn, 1),
		.original = old,
	};
	advance_psn(qp, a);
	return REQ_OK;
}

unsigned responses_flush_access(const struct packet *p)
{
	return (FETH_TYPE(p->feth) & FLUSH_GLOBAL ? FLUSH_ACCESS_GLOBAL : 0) |
	       (FETH_TYPE(p->feth) & FLUSH_PERSISTENT ? FLUSH_ACCESS_PERSISTENT : 0);
}

/* Annex A19: what was written before has been copied to where every processor sees it, once it is
 * in its place. */
enum request_error responses_reply_flush(struct qp *qp, const struct packet *p)
{
	unsigned level = FETH_LEVEL(p->feth);

	if (level > FLUSH_MR || !FLUSH_TYPE_IS_VALID(FETH_TYPE(p->feth)))
		return REQ_INVALID;
	if (level == FLUSH_MR
		    ? !region_has_rights(qp, p->rkey, responses_flush_access(p))
		    : !region_remote(qp, p->rkey, p->va, p->dma_len, responses_flush_access(p)))
		return REQ_ACCESS;
	return queue_response(qp, p,
			      (struct response){ .kind = RESPONSE_FLUSH, .last_psn = p->psn });
}

/* ----------------------------------------------------------------- duplicates -- */

/* Refuses a repetition. That does not end the QP: the duplicate may be one that the network
 * made, of a READ that has long ended, and whose memory was rightly taken away since. */
static void refuse_again(struct qp *qp, uint32_t psn)
{
	struct responder *r = &qp->resp;

	if (r->nak)
		return;
	r->nak = AETH_NAK_ACCESS;
	r->nak_psn = psn;
	transport_due(qp, DUE_NOW);
}

/* A READ may be asked for again from any packet on, but only to its end: 9.7.5.1.2. */
static bool same_read(const struct qp *qp, const struct response *a, const struct packet *p)
{
	uint32_t offset = (uint32_t)psn_diff(p->psn, a->first_psn) * qp->mtu;

	return p->op->flags & WIRE_READ && a->kind == RESPONSE_READ && p->rkey == a->rkey &&
	       p->va == a->va + offset && p->dma_len == a->len - offset;
}

static bool same_request(const struct qp *qp, const struct response *a, const struct packet *p)
{
	switch (a->kind) {
	case RESPONSE_ATOMIC:
		return p->op->flags & WIRE_ATOMIC;
	case RESPONSE_ATOMIC_WRITE:
		return p->op->flags & WIRE_ATOMIC_WRITE;
	case RESPONSE_FLUSH:
		return p->op->flags & WIRE_FETH;
	default:
		return same_read(qp, a, p);
	}
}

void responses_repeat(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	uint32_t at;
	struct response *a = find_response(r, p->psn, &at);

	if (!a || !same_request(qp, a, p))
		return;
	if (a->kind == RESPONSE_READ && a->len &&
	    ((qp->xrcd && !xrc_take_pd(qp, a->srqn)) ||
	     !region_remote(qp, p->rkey, p->va, p->dma_len, IBV_ACCESS_REMOTE_READ))) {
		refuse_again(qp, p->psn);
		return;
	}
	if (!is_pending(a))
		a->again = true;
	if (!is_pending(a) || psn_diff(p->psn, a->next_psn) < 0)
		a->next_psn = p->psn;
	if ((int32_t)(at - r->response_send) < 0)
		r->response_send = at;
	transport_due(qp, DUE_NOW);
}

/* --------------------------------------------------------------------- output -- */

static struct packet response_packet(const struct qp *qp, unsigned op, uint8_t syndrome,
				     uint32_t psn, uint32_t msn)
{
	return (struct packet){
		.op = qp_opcode(qp, op),
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = psn,
		.syndrome = syndrome,
		.msn = msn,
	};
}

/* The memory of a response is not there any more. */
static void fail_response(struct qp *qp, struct response *a, uint8_t syndrome, int event)
{
	const struct packet request = {
		.op = qp_opcode(qp, OP_READ_REQUEST),
		.psn = a->next_psn,
		.va = a->va,
		.rkey = a->rkey,
		.dma_len = a->len,
	};

	a->next_psn = psn_add(a->last_psn, 1);
	if (a->again) {
		refuse_again(qp, request.psn);
		return;
	}
	history_refused(qp, &request,
			syndrome == AETH_NAK_ACCESS ? UROCE_REFUSED_ACCESS : UROCE_REFUSED_MEMORY);
	responder_refuse(qp, syndrome, request.psn, event);
}

static void send_read_response(struct qp *qp, struct pair *pair, struct response *a)
{
	uint32_t offset = (uint32_t)psn_diff(a->next_psn, a->first_psn) * qp->mtu;
	uint32_t len = min_u32(a->len - offset, qp->mtu);
	bool first = !offset, last = a->next_psn == a->last_psn;
	void *from = qp->xrcd && !xrc_take_pd(qp, a->srqn)
			     ? NULL
			     : region_remote(qp, a->rkey, a->va + offset, len,
					     IBV_ACCESS_REMOTE_READ);
	/* A repetition that begins within it goes on with MIDDLE or LAST: so does rdma_rxe, which
	 * takes nothing else. */
	unsigned op = first && last ? OP_READ_RESP_ONLY
		      : first	    ? OP_READ_RESP_FIRST
		      : last	    ? OP_READ_RESP_LAST
				    : OP_READ_RESP_MIDDLE;
	struct packet p = response_packet(qp, op, AETH_ACK, a->next_psn, a->msn);
	uint8_t *buf;

	if (!from && len) {
		fail_response(qp, a, AETH_NAK_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
		return;
	}
	p.len = len;
	buf = tx_begin(pair, &qp->flow, &p);
	if (len && guard_copy(buf, from, len) != 0) {
		fail_response(qp, a, AETH_NAK_OPERATION, IBV_EVENT_QP_FATAL);
		return;
	}
	tx_commit();
	a->next_psn = psn_add(a->next_psn, 1);
}

/* Of an ATOMIC_WRITE and a FLUSH, too: an empty response of a READ. */
static void send_atomic_response(struct qp *qp, struct pair *pair, struct response *a)
{
	unsigned op = a->kind == RESPONSE_ATOMIC ? OP_ATOMIC_ACK : OP_READ_RESP_ONLY;
	struct packet p = response_packet(qp, op, AETH_ACK, a->first_psn, a->msn);

	p.original = a->original;
	tx_begin(pair, &qp->flow, &p);
	tx_commit();
	a->next_psn = psn_add(a->next_psn, 1);
}

/* Sends responses, in order. False: the budget is used up, and more are left. Without room on the
 * wire the QP waits for it: room_wait_for_ring(). */
static bool send_responses(struct qp *qp, struct pair *pair, unsigned *budget)
{
	struct responder *r = &qp->resp;

	while (r->response_send != r->response_tail) {
		struct response *a = response_at(r, r->response_send);

		if (!is_pending(a)) {
			r->response_send++;
			continue;
		}
		if (!*budget)
			return false;
		if (!tx_has_room(pair, false)) {
			room_wait_for_ring(qp);
			return true; /* not now */
		}
		--*budget;
		if (a->kind == RESPONSE_READ)
			send_read_response(qp, pair, a);
		else
			send_atomic_response(qp, pair, a);
		/* the last response acknowledges all that came before it */
		if (!is_pending(a) && psn_add(a->last_psn, 1) == r->psn && !r->nak)
			r->ack_due = false;
	}
	return true;
}

/* --------------------------------------------------------------- ACKs and NAKs -- */

/* PSNs come round after 2^24: a response that is older than half of that is forgotten, before a new
 * request has its PSN. */
static void forget_old(struct qp *qp, uint32_t psn)
{
	struct responder *r = &qp->resp;

	if (r->response_tail != r->response_first &&
	    psn_diff(psn, response_at(r, r->response_tail - 1)->last_psn) < 0)
		responses_forget(qp);
}

/* The highest PSN that an ACK may name, if psn is the last that was carried out. It is before READs
 * and atomics at the end, since nothing but their responses acknowledges them. rdma_rxe believes an
 * ACK (after a duplicate SEND) that says otherwise: it completes the atomic without the response
 * that was lost. */
static uint32_t acked_by_ack(struct qp *qp, uint32_t psn)
{
	struct responder *r = &qp->resp;

	forget_old(qp, psn);
	for (uint32_t i = 0; i < r->responses_limit && r->response_tail - i != r->response_first;
	     i++) {
		const struct response *a = response_at(r, r->response_tail - 1 - i);

		if (a->kind == RESPONSE_NONE || a->last_psn != psn)
			break;
		psn = psn_add(a->first_psn, PSN_MASK);
	}
	return psn;
}

static void acknowledge(struct qp *qp, struct pair *pair, uint8_t syndrome, uint32_t psn)
{
	struct packet p = response_packet(qp, OP_ACK, syndrome, psn, qp->resp.msn);

	tx_begin(pair, &qp->flow, &p);
	tx_commit();
}

/* False: there is no room for it. */
static bool send_nak(struct qp *qp, struct pair *pair)
{
	struct responder *r = &qp->resp;
	uint8_t syndrome = r->nak;
	bool end = r->failing;

	if (!tx_has_room(pair, true))
		return false;
	if (order_on()) /* a NAK acknowledges what came before */
		placing_settle(qp);
	r->nak = 0;
	if (syndrome == AETH_NAK_SEQUENCE) {
		responder_acknowledge(qp, pair);
		/* what was missing may have come since: then it is what comes next */
		acknowledge(qp, pair, syndrome, r->psn);
		r->ack_due = false;
	} else if (AETH_CLASS(syndrome) != AETH_RNR) {
		acknowledge(qp, pair, syndrome, r->nak_psn);
	} else if (r->nak_psn == r->psn) { /* the request has not come again meanwhile */
		acknowledge(qp, pair, syndrome, r->psn);
		r->ack_due = false;
	}
	if (end) {
		r->ack_due = false;
		transport_fail(qp, r->nak_event,
			       &(struct uroce_change){
				       .cause = UROCE_BY_REFUSAL,
				       .value = qp->history.refusal.refused,
				       .psn = r->nak_psn,
				       .opcode = qp->history.refusal.opcode,
			       });
	}
	return true;
}

bool responder_acknowledge(struct qp *qp, struct pair *pair)
{
	struct responder *r = &qp->resp;

	if (!r->ack_due || r->response_send != r->response_tail ||
	    (order_on() && qp->order.unplaced)) /* due again when all is in its place */
		return true;
	if (!tx_has_room(pair, true))
		return false;
	r->ack_due = false;
	transport_acknowledged(qp);
	acknowledge(qp, pair, AETH_ACK, acked_by_ack(qp, psn_add(r->psn, PSN_MASK)));
	return true;
}

void responder_leave(struct qp *qp)
{
	struct responder *r = &qp->resp;

	if (r->ack_due)
		responder_acknowledge(qp, qp_path(qp));
	r->ack_due = r->failing = false;
	r->nak = 0;
	r->last_op = NULL;
	responses_forget(qp);
}

void responder_serve(struct qp *qp, unsigned *budget)
{
	struct responder *r = &qp->resp;
	struct pair *pair = qp_path(qp);

	if (!send_responses(qp, pair, budget)) {
		transport_due(qp, DUE_NOW);
		return;
	}
	if (r->response_send != r->response_tail) /* nothing overtakes them */
		return;
	if ((r->nak && !send_nak(qp, pair)) || !responder_acknowledge(qp, pair))
		room_wait_for_ring(qp);
}
