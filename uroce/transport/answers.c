/* SPDX-License-Identifier: MIT */
/*
 * READs, atomics and ATOMIC_WRITEs at the responder, and their duplicates: volume
 * 1, 9.7.5.1, 9.4.4, 9.4.5.
 *
 * They wait in a ring for their turn: answers go out in the order of their PSNs, a bounded
 * number of packets in one pass. A READ takes the memory as it is when its answer is sent; an
 * atomic is carried out when it comes in, once, and what it found is kept as long as the
 * peer may ask for it again.
 */
#include <errno.h>
#include <stdlib.h>

#include "counters.h"
#include "engine.h"
#include "parts.h"
#include "region.h"
#include "context.h"
#include "direct.h"
#include "queue_pair.h"

static struct answer *answer_at(struct responder *r, uint32_t position)
{
	return &r->answers[position & r->answers_mask];
}

static bool pending(const struct answer *a)
{
	return psn_diff(a->next_psn, a->last_psn) <= 0;
}

void answers_forget(struct qp *qp)
{
	struct responder *r = &qp->resp;

	for (uint32_t i = 0; r->answers && i <= r->answers_mask; i++)
		r->answers[i].kind = ANSWER_NONE;
	r->answer_first = r->answer_send = r->answer_tail;
}

int answers_resize(struct qp *qp, unsigned n)
{
	struct responder *r = &qp->resp;
	uint32_t size = ring_slots(n), keep;
	struct answer *ring;

	if (!r->answers || size > r->answers_mask + 1) {
		ring = calloc(size, sizeof(*ring));
		if (!ring)
			return ENOMEM;
		keep = r->answers ? r->answers_mask + 1 : 0;
		for (uint32_t i = r->answer_tail - keep; i != r->answer_tail; i++)
			ring[i & (size - 1)] = *answer_at(r, i);
		free(r->answers);
		r->answers = ring;
		r->answers_mask = size - 1;
	}
	r->answers_limit = n;
	return 0;
}

/* A place for one more answer, or NULL: the peer has asked for more at once than it may. Answers
 * that repeat what was sent before give way: a peer that still needs one asks again. */
static struct answer *add(struct responder *r)
{
	if (!r->answers_limit)
		return NULL;
	while (r->answer_tail - r->answer_send >= r->answers_limit) {
		const struct answer *a = answer_at(r, r->answer_send);

		if (pending(a) && !a->again)
			return NULL;
		r->answer_send++;
	}
	return answer_at(r, r->answer_tail++);
}

/* What was answered at that PSN; its position in *at. */
static struct answer *find(struct responder *r, uint32_t psn, uint32_t *at)
{
	for (uint32_t i = 0; i < r->answers_limit; i++) {
		struct answer *a = answer_at(r, r->answer_tail - 1 - i);

		if (a->kind != ANSWER_NONE && psn_diff(psn, a->first_psn) >= 0 &&
		    psn_diff(psn, a->last_psn) <= 0) {
			*at = r->answer_tail - 1 - i;
			return a;
		}
	}
	return NULL;
}

static void carried_out(struct qp *qp, const struct answer *a)
{
	struct responder *r = &qp->resp;

	r->psn = psn_add(a->last_psn, 1);
	r->msn = a->msn;
	target_show_psn(qp);
	transport_due(qp, DUE_NOW);
}

enum refusal answer_read(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	struct answer *a;

	if (p->dma_len > MAX_MESSAGE)
		return INVALID;
	if (p->dma_len && !region_remote(qp, p->rkey, p->va, p->dma_len, IBV_ACCESS_REMOTE_READ))
		return ACCESS;
	a = add(r);
	if (!a)
		return INVALID;
	*a = (struct answer){
		.kind = ANSWER_READ,
		.first_psn = p->psn,
		.next_psn = p->psn,
		.last_psn = psn_add(p->psn, packets_of(qp, p->dma_len) - 1),
		.msn = psn_add(r->msn, 1),
		.rkey = p->rkey,
		.len = p->dma_len,
		.va = p->va,
		.srqn = p->srqn,
	};
	carried_out(qp, a);
	return FINE;
}

/* The word that an atomic works on, in *at. *at counts only with FINE: the addresses of both sides
 * have to be aligned. */
static enum refusal aligned_word(struct qp *qp, const struct packet *p, unsigned access,
				 uint64_t **at)
{
	if (p->va % sizeof(uint64_t))
		return INVALID;
	*at = region_remote(qp, p->rkey, p->va, sizeof(uint64_t), access);
	if (!*at)
		return ACCESS;
	/* an address of its own choice: ibv_reg_mr_iova() */
	return (uintptr_t)*at % sizeof(uint64_t) ? INVALID : FINE;
}

/* An answer of one packet, which has been carried out when this is called. */
static void answer_one(struct qp *qp, const struct packet *p, struct answer *a, uint64_t original)
{
	*a = (struct answer){
		.kind = p->op->flags & WIRE_ATOMIC ? ANSWER_ATOMIC : ANSWER_ATOMIC_WRITE,
		.first_psn = p->psn,
		.next_psn = p->psn,
		.last_psn = p->psn,
		.msn = psn_add(qp->resp.msn, 1),
		.original = original,
	};
	carried_out(qp, a);
}

/* Its memory is not there. */
static enum refusal undo(struct responder *r, struct answer *a)
{
	r->answer_tail--;
	a->kind = ANSWER_NONE;
	return MEMORY;
}

enum refusal answer_atomic(struct qp *qp, const struct packet *p)
{
	bool swap = OPCODE_OPERATION(p->op->code) == OP_CMP_SWAP;
	uint64_t *at, old;
	enum refusal f = aligned_word(qp, p, IBV_ACCESS_REMOTE_ATOMIC, &at);
	struct answer *a = f == FINE ? add(&qp->resp) : NULL;

	if (!a)
		return f == FINE ? INVALID : f;
	if (swap ? guard_cmp_swap(at, p->compare, p->swap_add, &old)
		 : guard_fetch_add(at, p->swap_add, &old))
		return undo(&qp->resp, a);
	answer_one(qp, p, a, old);
	return FINE;
}

/* Annex A19: once, as an atomic is, and a duplicate is only answered again. */
enum refusal answer_atomic_write(struct qp *qp, const struct packet *p)
{
	uint64_t *at, value;
	enum refusal f = p->len == sizeof(value) && p->dma_len == sizeof(value)
				 ? aligned_word(qp, p, IBV_ACCESS_REMOTE_WRITE, &at)
				 : INVALID;
	struct answer *a = f == FINE ? add(&qp->resp) : NULL;

	if (!a)
		return f == FINE ? INVALID : f;
	memcpy(&value, p->payload, sizeof(value));
	if (guard_store(at, value))
		return undo(&qp->resp, a);
	answer_one(qp, p, a, 0);
	return FINE;
}

uint32_t answers_before(struct qp *qp, uint32_t psn)
{
	struct responder *r = &qp->resp;

	for (uint32_t i = 0; i < r->answers_limit && r->answer_tail - i != r->answer_first; i++) {
		const struct answer *a = answer_at(r, r->answer_tail - 1 - i);

		if (a->kind == ANSWER_NONE || a->last_psn != psn)
			break;
		psn = psn_add(a->first_psn, PSN_MASK);
	}
	return psn;
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
static bool same_read(const struct qp *qp, const struct answer *a, const struct packet *p)
{
	uint32_t offset = (uint32_t)psn_diff(p->psn, a->first_psn) * qp->mtu;

	return p->op->flags & WIRE_READ && a->kind == ANSWER_READ && p->rkey == a->rkey &&
	       p->va == a->va + offset && p->dma_len == a->len - offset;
}

static bool same_request(const struct qp *qp, const struct answer *a, const struct packet *p)
{
	switch (a->kind) {
	case ANSWER_ATOMIC:
		return p->op->flags & WIRE_ATOMIC;
	case ANSWER_ATOMIC_WRITE:
		return p->op->flags & WIRE_ATOMIC_WRITE;
	default:
		return same_read(qp, a, p);
	}
}

void answer_again(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	uint32_t at;
	struct answer *a = find(r, p->psn, &at);

	if (!a)
		return;
	if (!same_request(qp, a, p))
		return;
	if (a->kind == ANSWER_READ && a->len &&
	    ((qp->xrcd && !xrc_take_pd(qp, a->srqn)) ||
	     !region_remote(qp, p->rkey, p->va, p->dma_len, IBV_ACCESS_REMOTE_READ))) {
		refuse_again(qp, p->psn);
		return;
	}
	if (!pending(a))
		a->again = true;
	if (!pending(a) || psn_diff(p->psn, a->next_psn) < 0)
		a->next_psn = p->psn;
	if ((int32_t)(at - r->answer_send) < 0)
		r->answer_send = at;
	transport_due(qp, DUE_NOW);
}

/* --------------------------------------------------------------------- output -- */

/* The memory of an answer is not there any more. */
static void give_up(struct qp *qp, struct answer *a, uint8_t syndrome, int event)
{
	uint32_t psn = a->next_psn;

	a->next_psn = psn_add(a->last_psn, 1);
	if (a->again)
		refuse_again(qp, psn);
	else
		responder_refuse(qp, syndrome, psn, event);
}

static void send_read(struct qp *qp, struct answer *a)
{
	uint32_t offset = (uint32_t)psn_diff(a->next_psn, a->first_psn) * qp->mtu;
	uint32_t len = min_u32(a->len - offset, qp->mtu);
	bool first = !offset, last = a->next_psn == a->last_psn;
	void *from = qp->xrcd && !xrc_take_pd(qp, a->srqn)
			     ? NULL
			     : region_remote(qp, a->rkey, a->va + offset, len,
					     IBV_ACCESS_REMOTE_READ);
	struct packet p = {
		/* A repetition that begins within it goes on with MIDDLE or LAST: so does
		 * rdma_rxe, which takes nothing else. */
		.op = qp_opcode(qp, first && last ? OP_READ_RESP_ONLY
				    : first	  ? OP_READ_RESP_FIRST
				    : last	  ? OP_READ_RESP_LAST
						  : OP_READ_RESP_MIDDLE),
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = a->next_psn,
		.syndrome = AETH_ACK,
		.msn = a->msn,
		.len = len,
	};

	if (!from && len) {
		give_up(qp, a, AETH_NAK_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
		return;
	}
	uint8_t *buf = tx_begin(&qp->flow, &p);

	if (len && guard_copy(buf, from, len) != 0) {
		tx_abort();
		give_up(qp, a, AETH_NAK_OPERATION, IBV_EVENT_QP_FATAL);
		return;
	}
	tx_commit();
	a->next_psn = psn_add(a->next_psn, 1);
}

/* Of an ATOMIC_WRITE, too: an empty response of a READ. */
static void send_atomic(struct qp *qp, struct answer *a)
{
	struct packet p = {
		.op = qp_opcode(qp, a->kind == ANSWER_ATOMIC ? OP_ATOMIC_ACK : OP_READ_RESP_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = a->first_psn,
		.syndrome = AETH_ACK,
		.msn = a->msn,
		.original = a->original,
	};

	tx_begin(&qp->flow, &p);
	tx_commit();
	a->next_psn = psn_add(a->next_psn, 1);
}

bool answers_send(struct qp *qp, unsigned *budget)
{
	struct responder *r = &qp->resp;

	while (r->answer_send != r->answer_tail) {
		struct answer *a = answer_at(r, r->answer_send);

		if (!pending(a)) {
			r->answer_send++;
			continue;
		}
		if (!*budget)
			return false;
		if (!tx_has_room(&qp->flow, qp->attr.dest_qp_num, false)) {
			room_wait(qp);
			return true; /* not now */
		}
		--*budget;
		if (a->kind == ANSWER_READ)
			send_read(qp, a);
		else
			send_atomic(qp, a);
		/* the last answer acknowledges all that came before it */
		if (!pending(a) && psn_add(a->last_psn, 1) == r->psn && !r->nak)
			r->ack_due = false;
	}
	return true;
}
