/* SPDX-License-Identifier: MIT */
/*
 * Requests of the peer: volume 1, 9.7.4 (RC), 9.8.2 (UC), 9.9.3 (errors).
 *
 * The checks of a packet come first: a packet that fails them has written nothing (but for a SEND
 * with invalidate, whose key is looked at when its data is in the receive), and one that lacks a
 * receive finds the responder unchanged when it comes again. What earlier packets of the same
 * message have written stays, and their receive is completed with an error.
 *
 * The steps are called as in rdma_rxe's responder, whose RESPST_CHK_OP_SEQ is check_op_seq():
 * check_psn, check_op_seq, check_length, check_op_valid, check_resource (a receive), check_rkey,
 * execute, complete, acknowledge; duplicate_request.
 */
#include "counters.h"
#include "engine.h"
#include "parts.h"
#include "region.h"
#include "direct.h"
#include "queue_pair.h"

/* The ACK of a WRITE is held for HOLD at most, so that it leaves with the application's answer
 * where it answers WRITEs by WRITEs (ib_write_lat). Over UDP the other side is then woken once, by
 * both, instead of twice. The ACK is held only for an application that has answered enough WRITEs
 * in a row within that time: four times as many after an ACK that was held in vain, half as many
 * after one that was not. */
#define HOLD	   200000u /* ns */
#define HOLD_AFTER 4
#define HOLD_MOST  (1u << 20)

void responder_start(struct qp *qp)
{
	struct responder *r = &qp->resp;

	r->psn = qp->attr.rq_psn & PSN_MASK;
	r->msn = 0;
	r->last_op = NULL;
	r->left = r->done = 0;
	r->written = 0;
	r->answered = 0;
	r->enough = HOLD_AFTER;
	r->drop_rest = r->ack_due = r->nak_sent = r->failing = false;
	r->nak = 0;
	answers_forget(qp);
}

/* ------------------------------------------------------------------- receives -- */

void recv_complete(struct qp *qp, struct ibv_wc *wc, bool solicited)
{
	wc->wr_id = qp->resp.recv.wr_id;
	wc->qp_num = qp->v.qp_num;
	qp->resp.has_recv = false;
	cq_put(qp->recv_cq, wc, solicited);
}

void recv_fail(struct qp *qp, enum ibv_wc_status status)
{
	struct ibv_wc wc = { .status = status, .opcode = IBV_WC_RECV };

	recv_complete(qp, &wc, true);
}

/* A message has come in that takes a receive. */
static void complete(struct qp *qp, const struct packet *p)
{
	unsigned flags = p->op->flags;
	struct ibv_wc wc = {
		.status = IBV_WC_SUCCESS,
		.opcode = flags & WIRE_WRITE ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
		.byte_len = qp->resp.done,
	};

	if (flags & WIRE_IMM) {
		wc.wc_flags = IBV_WC_WITH_IMM;
		wc.imm_data = p->imm;
	} else if (flags & WIRE_IETH) {
		wc.wc_flags = IBV_WC_WITH_INV;
		wc.invalidated_rkey = p->rkey;
	}
	count(CNT_RDMA_RECVS);
	recv_complete(qp, &wc, p->solicited);
}

/* --------------------------------------------------------------------- checks -- */

/* 9.7.4.1: does the packet fit the message that is coming in? */
static bool check_op_seq(const struct qp *qp, const struct packet *p)
{
	const struct opcode *last = qp->resp.last_op;
	unsigned kind = WIRE_SEND | WIRE_WRITE;

	if (p->op->flags & WIRE_FIRST) /* UC: what was coming in is lost */
		return !last || qp->type == IBV_QPT_UC;
	return last && (last->flags & kind) == (p->op->flags & kind);
}

static bool check_length(const struct qp *qp, const struct packet *p)
{
	unsigned flags = p->op->flags;

	if (!(flags & WIRE_LAST))
		return p->len == qp->mtu;
	return p->len <= qp->mtu && (p->len || flags & WIRE_FIRST || !(flags & WIRE_PAYLOAD));
}

static bool check_op_valid(const struct qp *qp, unsigned flags)
{
	unsigned need = flags & (WIRE_WRITE | WIRE_ATOMIC_WRITE) ? IBV_ACCESS_REMOTE_WRITE
			: flags & WIRE_READ			 ? IBV_ACCESS_REMOTE_READ
			: flags & WIRE_ATOMIC			 ? IBV_ACCESS_REMOTE_ATOMIC
								 : 0;

	return (qp->attr.qp_access_flags & need) == need;
}

/* Is there a receive for a message that takes one? */
static bool check_resource(struct qp *qp)
{
	return qp->resp.has_recv || qp_take_recv(qp);
}

/* What the rkey opens for a WRITE of so many bytes; NULL: it does not. */
static void *check_rkey(struct qp *qp, uint32_t rkey, uint64_t va, uint32_t len)
{
	return region_remote(qp, rkey, va, len, IBV_ACCESS_REMOTE_WRITE);
}

/* ------------------------------------------------------------------- messages -- */

static enum refusal take_send(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	uint32_t done = p->op->flags & WIRE_FIRST ? 0 : r->done;

	if (!check_resource(qp))
		return NO_RECV;
	if (p->len > r->recv.len - done)
		return TOO_LONG;
	if (scatter(qp, r->recv.sge, r->recv.nsge, done, p->payload, p->len) != IBV_WC_SUCCESS)
		return RECV_MEMORY;
	if (p->op->flags & WIRE_IETH && region_invalidate(qp, p->rkey, true) != 0)
		return ACCESS;
	r->done = done + p->len;
	return FINE;
}

/* The first packet of a WRITE opens its memory, all of it. */
static enum refusal begin_write(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;

	if (p->dma_len > MAX_MESSAGE)
		return INVALID;
	if (p->op->flags & WIRE_LAST ? p->len != p->dma_len : p->len >= p->dma_len)
		return INVALID;
	if (p->op->flags & WIRE_IMM && !check_resource(qp))
		return NO_RECV;
	if (!check_rkey(qp, p->rkey, p->va, p->dma_len) && p->dma_len)
		return ACCESS;
	r->va = p->va;
	r->rkey = p->rkey;
	r->left = p->dma_len;
	r->done = 0;
	return FINE;
}

static enum refusal go_on_write(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;

	if (p->op->flags & WIRE_LAST ? p->len != r->left : p->len >= r->left)
		return INVALID;
	if (p->op->flags & WIRE_IMM && !check_resource(qp))
		return NO_RECV;
	return FINE;
}

static enum refusal take_write(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	enum refusal f = p->op->flags & WIRE_FIRST ? begin_write(qp, p) : go_on_write(qp, p);

	if (f != FINE)
		return f;
	if (p->len) {
		/* anew for each packet: the region may have gone since the first */
		void *to = check_rkey(qp, r->rkey, r->va, p->len);

		if (!to)
			return ACCESS;
		if (guard_copy(to, p->payload, p->len) != 0)
			return MEMORY;
	}
	r->va += p->len;
	r->left -= p->len;
	r->done += p->len;
	return FINE;
}

/* Carries out a packet that is the one expected. */
static enum refusal execute(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	unsigned flags = p->op->flags;
	enum refusal f;

	if (!check_op_seq(qp, p) || !check_length(qp, p) || !check_op_valid(qp, flags))
		return INVALID;
	if (qp->xrcd && !xrc_take_on(qp, p->srqn, r->last_op)) /* A14: all packets of a message */
		return INVALID;
	if (flags & WIRE_READ)
		return answer_read(qp, p);
	if (flags & WIRE_ATOMIC)
		return answer_atomic(qp, p);
	if (flags & WIRE_ATOMIC_WRITE)
		return answer_atomic_write(qp, p);
	f = flags & WIRE_SEND ? take_send(qp, p) : take_write(qp, p);
	if (f != FINE)
		return f;
	r->psn = psn_add(r->psn, 1);
	r->last_op = flags & WIRE_LAST ? NULL : p->op;
	if (flags & WIRE_LAST) {
		r->msn = psn_add(r->msn, 1);
		target_show_psn(qp);
		if (flags & (WIRE_SEND | WIRE_IMM))
			complete(qp, p);
	}
	return FINE;
}

/* --------------------------------------------------------------------- faults -- */

void responder_refuse(struct qp *qp, uint8_t syndrome, uint32_t psn, int event)
{
	struct responder *r = &qp->resp;

	r->failing = true;
	r->nak = syndrome;
	r->nak_psn = psn;
	r->nak_event = event;
	transport_due(qp, DUE_NOW);
}

static void rnr(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;

	count(CNT_SEND_RNR);
	r->nak = AETH_RNR | (qp->attr.min_rnr_timer & 31);
	r->nak_psn = p->psn;
	r->nak_sent = true; /* the packets behind it are no errors of sequence */
	transport_due(qp, DUE_NOW);
}

/* 9.9.3: what the peer is told, what a receive that was taken ends with, and the
 * event when there is none to tell it. */
static const struct {
	uint8_t nak;
	enum ibv_wc_status recv;
	int event;
} faults[] = {
	[INVALID] = { AETH_NAK_INVALID, IBV_WC_WR_FLUSH_ERR, IBV_EVENT_QP_REQ_ERR },
	[TOO_LONG] = { AETH_NAK_INVALID, IBV_WC_LOC_LEN_ERR, -1 },
	[ACCESS] = { AETH_NAK_ACCESS, IBV_WC_LOC_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[RECV_MEMORY] = { AETH_NAK_OPERATION, IBV_WC_LOC_PROT_ERR, -1 },
	[MEMORY] = { AETH_NAK_OPERATION, IBV_WC_LOC_ACCESS_ERR, IBV_EVENT_QP_FATAL },
};

static void rc_fault(struct qp *qp, const struct packet *p, enum refusal f)
{
	bool told = qp->resp.has_recv && faults[f].recv != IBV_WC_WR_FLUSH_ERR;

	if (f == NO_RECV) {
		rnr(qp, p);
		return;
	}
	if (told)
		recv_fail(qp, faults[f].recv);
	responder_refuse(qp, faults[f].nak, p->psn, told ? -1 : faults[f].event);
}

/* There is nobody to tell. The receive stays for the next message, unless it is at fault. */
static void uc_fault(struct qp *qp, enum refusal f)
{
	struct responder *r = &qp->resp;

	r->drop_rest = true;
	r->last_op = NULL;
	if (f == NO_RECV)
		count(CNT_NO_RECV);
	if (f == RECV_MEMORY) {
		recv_fail(qp, IBV_WC_LOC_PROT_ERR);
		transport_fail(qp, -1);
	}
}

/* ---------------------------------------------------------------------- input -- */

static bool is_write(const struct packet *p)
{
	return (p->op->flags & (WIRE_WRITE | WIRE_LAST | WIRE_IMM)) == (WIRE_WRITE | WIRE_LAST);
}

/* A WRITE has come: may its ACK wait for the answer? */
static bool hold(struct qp *qp)
{
	struct responder *r = &qp->resp;

	r->written = engine_now();
	if (qp->due != DUE_HELD) /* not put off by the next one */
		r->held = r->written + HOLD;
	return r->answered >= r->enough;
}

void responder_unanswered(struct qp *qp)
{
	struct responder *r = &qp->resp;

	if (!r->ack_due)
		return;
	r->answered = 0;
	if (r->enough < HOLD_MOST)
		r->enough *= 4;
}

void responder_answer(struct qp *qp)
{
	struct responder *r = &qp->resp;

	if (qp->due == DUE_HELD && r->ack_due && r->enough > HOLD_AFTER)
		r->enough /= 2; /* that one was right */
	if (r->written)
		r->answered = engine_now() < r->held ? r->answered + 1 : 0;
	r->written = 0;
	responder_acknowledge(qp);
}

/* 9.7.5.1: an ACK that has been lost, or an answer that has. */
static void duplicate_request(struct qp *qp, const struct packet *p)
{
	count(CNT_DUP_REQUEST);
	if (p->op->flags & (WIRE_READ | WIRE_ATOMIC | WIRE_ATOMIC_WRITE)) {
		answer_again(qp, p);
	} else {
		qp->resp.ack_due = true;
		transport_due(qp, DUE_NOW);
	}
}

/* Is it the packet that comes next? */
static bool check_psn(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	int32_t ahead = psn_diff(p->psn, r->psn);

	if (ahead < 0)
		duplicate_request(qp, p);
	if (ahead <= 0)
		return ahead == 0;
	count(CNT_OUT_OF_SEQ_REQUEST);
	if (!r->nak_sent) {
		r->nak_sent = true;
		r->nak = AETH_NAK_SEQUENCE;
		transport_due(qp, DUE_NOW);
	}
	return false;
}

static void rc_input(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	bool recovered = r->nak_sent; /* it is what a NAK has asked for */
	enum refusal f;

	if (!check_psn(qp, p))
		return;
	r->nak_sent = false;
	f = execute(qp, p);
	if (f != FINE) {
		rc_fault(qp, p, f);
	} else if (p->ackreq || recovered) {
		/* 9.7.5.1: what was not asked for may be acknowledged, too. rdma_rxe does not go
		 * back a second time before it has had an ACK, but waits for its timeout. */
		r->ack_due = true;
		transport_due(qp, !recovered && is_write(p) && hold(qp) ? DUE_HELD : DUE_NOW);
	}
}

/* 9.8.2: a gap ends the message, and the next one begins with any PSN. */
static void uc_input(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	enum refusal f;

	if (p->op->flags & WIRE_FIRST) {
		r->psn = p->psn;
		r->drop_rest = false;
	} else if (r->drop_rest || p->psn != r->psn) {
		r->drop_rest = true;
		r->last_op = NULL;
		count(CNT_OUT_OF_SEQ_REQUEST);
		return;
	}
	f = execute(qp, p);
	if (f != FINE)
		uc_fault(qp, f);
}

void responder_input(struct qp *qp, const struct packet *p)
{
	if (qp->resp.failing)
		return;
	if (qp_reliable(qp))
		rc_input(qp, p);
	else
		uc_input(qp, p);
}

/* --------------------------------------------------------------------- output -- */

static void acknowledge(struct qp *qp, uint8_t syndrome, uint32_t psn)
{
	struct packet p = {
		.op = qp_opcode(qp, OP_ACK),
		.pkey = PKEY_DEFAULT,
		.qpn = qp->attr.dest_qp_num,
		.psn = psn,
		.syndrome = syndrome,
		.msn = qp->resp.msn,
	};

	tx_begin(&qp->flow, &p);
	tx_commit();
}

static void send_nak(struct qp *qp)
{
	struct responder *r = &qp->resp;
	uint8_t syndrome = r->nak;
	bool end = r->failing;

	r->nak = 0;
	if (syndrome == AETH_NAK_SEQUENCE) {
		responder_acknowledge(qp);
		/* what was missing may have come since: then it is what comes next */
		acknowledge(qp, syndrome, r->psn);
		r->ack_due = false;
	} else if (AETH_CLASS(syndrome) != AETH_RNR) {
		acknowledge(qp, syndrome, r->nak_psn);
	} else if (r->nak_psn == r->psn) { /* the request has not come again meanwhile */
		acknowledge(qp, syndrome, r->psn);
		r->ack_due = false;
	}
	if (end) {
		r->ack_due = false;
		transport_fail(qp, r->nak_event);
	}
}

void responder_acknowledge(struct qp *qp)
{
	struct responder *r = &qp->resp;

	if (!r->ack_due || r->answer_send != r->answer_tail ||
	    !tx_has_room(&qp->flow, qp->attr.dest_qp_num, true))
		return;
	r->ack_due = false;
	acknowledge(qp, AETH_ACK, answers_before(qp, psn_add(r->psn, PSN_MASK)));
}

void responder_leave(struct qp *qp)
{
	struct responder *r = &qp->resp;

	responder_acknowledge(qp);
	r->ack_due = r->failing = false;
	r->nak = 0;
	r->last_op = NULL;
	answers_forget(qp);
}

void responder_serve(struct qp *qp, bool urgent, unsigned *budget)
{
	struct responder *r = &qp->resp;

	if (!answers_send(qp, budget)) {
		transport_due(qp, DUE_NOW);
		return;
	}
	if (qp->req.room_wait || !tx_has_room(&qp->flow, qp->attr.dest_qp_num, true)) {
		room_wait(qp);
		return;
	}
	if (r->nak)
		send_nak(qp);
	if (!r->ack_due)
		return;
	if (urgent) {
		responder_acknowledge(qp);
	} else {
		count(CNT_ACK_DEFERRED);
		transport_due(qp, DUE_ACK);
	}
}
