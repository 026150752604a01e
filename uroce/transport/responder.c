/* SPDX-License-Identifier: MIT */
/*
 * Requests of the peer: volume 1, 9.7.4 (RC), 9.8.2 (UC), 9.8.3 (UD), 9.9.3 (errors).
 *
 * The checks of a packet come first: a packet that fails them has written nothing (but for a SEND
 * with invalidate, whose key is looked at when its data is in the receive), and one that lacks a
 * receive finds the responder unchanged when it comes again. Data of earlier packets of the
 * same message stays, and their receive is completed with an error.
 *
 * The steps are called as in rdma_rxe's responder, whose RESPST_CHK_OP_SEQ is check_op_seq():
 * check_psn, check_op_seq, check_length, check_op_valid, check_resource (a receive), check_rkey,
 * execute (send_data_in, write_data_in, and in responses.c responses_reply_read and
 * responses_reply_atomic), complete, acknowledge; duplicate_request.
 */
#include "counters.h"
#include "gid.h"
#include "queue_pair.h"
#include "region.h"
#include "transport_own.h"

/* The ACK of a WRITE may wait HOLD_NS for the application's answer, so that both leave together,
 * and one look of the peer's poll takes in both. (Until the end of a tick, if the application is
 * the reader, but does not poll: engine/progress.c.) The conditions: hold_after answers in a row
 * came within that time; and our ACK timeout, which is probably that of the peer, too, is not so
 * short that it might run out. A hold in vain makes hold_after four times as large; another one
 * halves it. */
#define HOLD_NS		200000u
#define HOLD_AFTER	4
#define HOLD_AFTER_MOST (1u << 20)
#define HOLD_TIMEOUT	16000000u

void responder_start(struct qp *qp)
{
	struct responder *r = &qp->resp;

	r->psn = qp->attr.rq_psn & PSN_MASK;
	r->msn = 0;
	r->last_op = NULL;
	r->left = r->done = 0;
	r->write_came = 0;
	r->writes_answered = 0;
	r->hold_after = HOLD_AFTER;
	r->drop_rest = r->ack_due = r->lacks_recv = r->nak_sent = r->failing = false;
	r->nak = 0;
	responses_forget(qp);
}

/* ------------------------------------------------------------------- receives -- */

/* The receive that was taken has been used; wc lacks its wr_id and qp_num. */
static void recv_complete(struct qp *qp, struct ibv_wc *wc, bool solicited)
{
	wc->wr_id = qp->resp.recv.wr_id;
	wc->qp_num = qp->v.qp_num;
	if (lent_seen) /* until it is polled */
		wc->vendor_err = qp->resp.recv.position;
	qp->resp.has_recv = false;
	cq_put(qp->recv_cq, wc, solicited);
}

void responder_fail_recv(struct qp *qp, enum ibv_wc_status status)
{
	struct ibv_wc wc = { .status = status, .opcode = IBV_WC_RECV };

	recv_complete(qp, &wc, true);
}

/* The receive that was taken has failed, and the QP with it: nobody is told by a NAK. */
static void recv_break(struct qp *qp, const struct packet *p, enum ibv_wc_status status)
{
	const struct uroce_change why = {
		.cause = UROCE_BY_RECV,
		.value = status,
		.wr_id = qp->resp.recv.wr_id,
		.psn = p->psn,
		.opcode = p->op->code,
	};

	responder_fail_recv(qp, status);
	transport_fail(qp, -1, &why);
}

/* Writes to the receive that was taken. 10.2.9: its keys are of the PD of its queue, which an SRQ
 * may have other than the QP. */
static enum ibv_wc_status recv_scatter(struct qp *qp, uint32_t offset, const void *data,
				       uint32_t len)
{
	const struct recv_wqe *recv = &qp->resp.recv;

	return sges_scatter(qp, PLACING_NEAR, qp->srq ? qp->srq->pd : qp->pd, recv->sge, recv->nsge,
			    offset, data, len);
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

static bool check_op_valid(const struct qp *qp, const struct packet *p)
{
	unsigned flags = p->op->flags;
	unsigned need = flags & (WIRE_WRITE | WIRE_ATOMIC_WRITE) ? IBV_ACCESS_REMOTE_WRITE
			: flags & WIRE_READ			 ? IBV_ACCESS_REMOTE_READ
			: flags & WIRE_ATOMIC			 ? IBV_ACCESS_REMOTE_ATOMIC
			: flags & WIRE_FETH			 ? responses_flush_access(p)
								 : 0;

	return (qp->attr.qp_access_flags & need) == need;
}

/* Is there a receive for a message that takes one? */
static bool check_resource(struct qp *qp)
{
	return qp->resp.has_recv || qp_take_recv(qp);
}

/* The memory that the rkey opens for a WRITE of so many bytes; NULL: it does not. */
static void *check_rkey(struct qp *qp, uint32_t rkey, uint64_t va, uint32_t len)
{
	return region_remote(qp, rkey, va, len, IBV_ACCESS_REMOTE_WRITE);
}

/* ------------------------------------------------------------------- messages -- */

static enum request_error send_data_in(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	uint32_t done = p->op->flags & WIRE_FIRST ? 0 : r->done;

	if (!check_resource(qp))
		return REQ_NO_RECV;
	if (p->len > r->recv.len - done)
		return REQ_TOO_LONG;
	if (recv_scatter(qp, done, p->payload, p->len) != IBV_WC_SUCCESS)
		return REQ_RECV_MEMORY;
	if (p->op->flags & WIRE_IETH && region_invalidate(qp, p->rkey, true) != 0)
		return REQ_ACCESS;
	r->done = done + p->len;
	return REQ_OK;
}

/* The first packet of a WRITE opens its memory, all of it. */
static enum request_error write_data_in(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	bool first = p->op->flags & WIRE_FIRST;
	uint32_t left = first ? p->dma_len : r->left;

	if (left > MAX_MESSAGE || (p->op->flags & WIRE_LAST ? p->len != left : p->len >= left))
		return REQ_INVALID;
	if (p->op->flags & WIRE_IMM && !check_resource(qp))
		return REQ_NO_RECV;
	if (first) {
		if (!check_rkey(qp, p->rkey, p->va, left))
			return REQ_ACCESS;
		r->va = p->va;
		r->rkey = p->rkey;
		r->done = 0;
	}
	if (p->len) {
		/* anew for each packet: the region may have gone since the first */
		void *to = check_rkey(qp, r->rkey, r->va, p->len);

		if (!to)
			return REQ_ACCESS;
		if (place_bytes(qp, order_level == ORDER_FAR ? PLACING_FAR : PLACING_NEAR, to,
				p->payload, p->len) != 0)
			return REQ_MEMORY;
	}
	r->va += p->len;
	r->left = left - p->len;
	r->done += p->len;
	return REQ_OK;
}

/* Carries out a packet that is the one expected. */
static enum request_error execute(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	unsigned flags = p->op->flags;
	enum request_error e;

	if (!check_op_seq(qp, p) || !check_length(qp, p) || !check_op_valid(qp, p))
		return REQ_INVALID;
	if (qp->xrcd && !xrc_take_on(qp, p->srqn, r->last_op)) /* A14: all packets of a message */
		return REQ_NO_SRQ;
	if (flags & WIRE_READ)
		return responses_reply_read(qp, p);
	if (flags & (WIRE_ATOMIC | WIRE_ATOMIC_WRITE))
		return responses_reply_atomic(qp, p);
	if (flags & WIRE_FETH)
		return responses_reply_flush(qp, p);
	e = flags & WIRE_SEND ? send_data_in(qp, p) : write_data_in(qp, p);
	if (e != REQ_OK)
		return e;
	r->psn = psn_add(r->psn, 1);
	r->last_op = flags & WIRE_LAST ? NULL : p->op;
	if (flags & WIRE_LAST) {
		r->msn = psn_add(r->msn, 1);
		if (flags & (WIRE_SEND | WIRE_IMM))
			complete(qp, p);
	}
	return REQ_OK;
}

/* --------------------------------------------------------------------- errors -- */

void responder_refuse(struct qp *qp, uint8_t syndrome, uint32_t psn, int event)
{
	struct responder *r = &qp->resp;

	r->failing = true;
	r->nak = syndrome;
	r->nak_psn = psn;
	r->nak_event = event;
	transport_due(qp, DUE_NOW);
}

static void rnr_nak(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;

	count(CNT_SEND_RNR);
	r->lacks_recv = true;
	history_rnr_sent(qp);
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
} errors[] = {
	[REQ_INVALID] = { AETH_NAK_INVALID, IBV_WC_WR_FLUSH_ERR, IBV_EVENT_QP_REQ_ERR },
	[REQ_TOO_LONG] = { AETH_NAK_INVALID, IBV_WC_LOC_LEN_ERR, -1 },
	[REQ_ACCESS] = { AETH_NAK_ACCESS, IBV_WC_LOC_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[REQ_RECV_MEMORY] = { AETH_NAK_OPERATION, IBV_WC_LOC_PROT_ERR, -1 },
	[REQ_MEMORY] = { AETH_NAK_OPERATION, IBV_WC_LOC_ACCESS_ERR, IBV_EVENT_QP_FATAL },
	[REQ_NO_SRQ] = { AETH_NAK_INVALID, IBV_WC_WR_FLUSH_ERR, IBV_EVENT_QP_REQ_ERR },
};

static void rc_error(struct qp *qp, const struct packet *p, enum request_error e)
{
	bool told = qp->resp.has_recv && errors[e].recv != IBV_WC_WR_FLUSH_ERR;

	if (e == REQ_NO_RECV) {
		rnr_nak(qp, p);
		return;
	}
	history_refused(qp, p, (enum uroce_refused)e);
	if (told)
		responder_fail_recv(qp, errors[e].recv);
	responder_refuse(qp, errors[e].nak, p->psn, told ? -1 : errors[e].event);
}

/* There is nobody to tell. The receive stays for the next message, unless it is at fault. */
static void uc_error(struct qp *qp, const struct packet *p, enum request_error e)
{
	struct responder *r = &qp->resp;

	r->drop_rest = true;
	r->last_op = NULL;
	if (e == REQ_NO_RECV)
		history_dropped(qp, p, UROCE_DROP_NO_RECV, 0, 0);
	else if (e == REQ_TOO_LONG)
		history_dropped(qp, p, UROCE_DROP_SHORT_RECV, r->done + p->len, r->recv.len);
	else
		history_refused(qp, p, (enum uroce_refused)e);
	if (e == REQ_RECV_MEMORY)
		recv_break(qp, p, IBV_WC_LOC_PROT_ERR);
}

/* ---------------------------------------------------------------------- input -- */

/* The end of a WRITE that the application is not told of. */
static bool ends_silent_write(const struct packet *p)
{
	return (p->op->flags & (WIRE_WRITE | WIRE_LAST | WIRE_IMM)) == (WIRE_WRITE | WIRE_LAST);
}

/* A WRITE has come: may its ACK wait for the answer? */
static bool may_hold_ack(struct qp *qp)
{
	struct responder *r = &qp->resp;

	r->write_came = engine_now();
	if (qp->due != DUE_HELD) /* not put off by the next one */
		r->hold_until = r->write_came + HOLD_NS;
	if (r->writes_answered < r->hold_after ||
	    (qp->req.timeout && qp->req.timeout < HOLD_TIMEOUT))
		return false;
	count(CNT_ACK_DEFERRED);
	return true;
}

void responder_hold_expired(struct qp *qp)
{
	struct responder *r = &qp->resp;

	if (!r->ack_due)
		return;
	r->writes_answered = 0;
	if (r->hold_after < HOLD_AFTER_MOST)
		r->hold_after *= 4;
}

void responder_before_send(struct qp *qp, struct pair *pair)
{
	struct responder *r = &qp->resp;

	if (qp->due == DUE_HELD && r->ack_due && r->hold_after > HOLD_AFTER)
		r->hold_after /= 2; /* that one was right */
	if (r->write_came)
		r->writes_answered = engine_now() < r->hold_until ? r->writes_answered + 1 : 0;
	r->write_came = 0;
	responder_acknowledge(qp, pair);
}

/* 9.7.5.1: an ACK that has been lost, or an answer that has. */
static void duplicate_request(struct qp *qp, const struct packet *p)
{
	count(CNT_DUP_REQUEST);
	if (p->op->flags & (WIRE_READ | WIRE_ATOMIC | WIRE_ATOMIC_WRITE | WIRE_FETH)) {
		responses_repeat(qp, p);
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
	enum request_error e;

	if (!check_psn(qp, p))
		return;
	r->nak_sent = false;
	e = execute(qp, p);
	if (e != REQ_OK) {
		rc_error(qp, p, e);
	} else if (p->ackreq || recovered) {
		/* 9.7.5.1: what was not asked for may be acknowledged, too. rdma_rxe does not go
		 * back a second time before it has had an ACK, but waits for its timeout. */
		r->ack_due = true;
		transport_due(qp, recovered				     ? DUE_NOW
				  : ends_silent_write(p) && may_hold_ack(qp) ? DUE_HELD
									     : DUE_ACK);
	}
}

/* 9.8.2: a gap ends the message, and the next one begins with any PSN. */
static void uc_input(struct qp *qp, const struct packet *p)
{
	struct responder *r = &qp->resp;
	enum request_error e;

	if (p->op->flags & WIRE_FIRST) {
		r->psn = p->psn;
		r->drop_rest = false;
	} else if (r->drop_rest || p->psn != r->psn) {
		r->drop_rest = true;
		r->last_op = NULL;
		history_dropped(qp, p, UROCE_DROP_SEQUENCE, p->psn, r->psn);
		return;
	}
	e = execute(qp, p);
	if (e != REQ_OK)
		uc_error(qp, p, e);
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

/* ---------------------------------------------------------------- datagrams -- */

/* UD: volume 1, 9.8.3; multicast: 10.5.2; the GRH that a receive begins with: 11.4.1.2 and
 * annex A17.4.2. */

/* A17.4.5.1: a completion tells what kind of packet came. Verbs have no field for it; mlx5 has
 * it in the service level, which RoCE has no use for, and UCX looks there. */
enum { SL_UDP = 0x8, SL_IPV6 = 0x1, SL_IPV4 = 0x2 };

/* IPv4: 20 bytes that are not used, and the IP header; IPv6: the IP header, as the fields of
 * a GRH lie. */
static void make_grh(const struct packet *p, uint8_t grh[GRH_BYTES])
{
	uint8_t headers[GRH_BYTES + 8];
	size_t n = p->op->header + p->len + packet_pad(p->len) + ICRC_BYTES;
	size_t ip = gid_is_ipv4(&p->src) ? 20 : GRH_BYTES;

	icrc_ip_udp(headers, &p->src, &p->dst, p->sport, n, 0, p->tclass, p->hops);
	memset(grh, 0, GRH_BYTES - ip);
	memcpy(grh + GRH_BYTES - ip, headers, ip);
}

static enum ibv_wc_status datagram_data_in(struct qp *qp, const struct packet *p)
{
	const struct recv_wqe *recv = &qp->resp.recv;
	uint8_t grh[GRH_BYTES];
	enum ibv_wc_status status;

	if (recv->len < GRH_BYTES + p->len)
		return IBV_WC_LOC_LEN_ERR;
	make_grh(p, grh);
	status = recv_scatter(qp, 0, grh, GRH_BYTES);
	if (status == IBV_WC_SUCCESS)
		status = recv_scatter(qp, GRH_BYTES, p->payload, p->len);
	return status;
}

void responder_datagram(struct qp *qp, const struct packet *p)
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
		history_dropped(qp, p, UROCE_DROP_QKEY, p->qkey, qp->attr.qkey);
		return;
	}
	if (p->len > qp->mtu) {
		history_dropped(qp, p, UROCE_DROP_MTU, p->len, qp->mtu);
		return;
	}
	if (!qp->resp.has_recv && !qp_take_recv(qp)) {
		history_dropped(qp, p, UROCE_DROP_NO_RECV, 0, 0);
		return;
	}
	status = datagram_data_in(qp, p);
	/* 9.9.3: too short a receive waits for the next message (class D), but not one that
	 * others share (class E). So does rdma_rxe; in Linux 6.1 it fails both, and the QP. */
	if (status == IBV_WC_LOC_LEN_ERR) {
		history_dropped(qp, p, UROCE_DROP_SHORT_RECV, GRH_BYTES + p->len,
				qp->resp.recv.len);
		if (qp->srq)
			responder_fail_recv(qp, status);
		return;
	}
	if (status != IBV_WC_SUCCESS) {
		recv_break(qp, p, status);
		return;
	}
	if (p->op->flags & WIRE_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		wc.imm_data = p->imm;
	}
	count(CNT_RDMA_RECVS);
	recv_complete(qp, &wc, p->solicited);
}

static void deliver_multicast(struct qp *qp, void *arg)
{
	const struct packet *p = arg;

	/* 10.5.2: not to the QP that has sent it */
	if (p->src_qpn == qp->v.qp_num && gid_is_here(&p->src, 0))
		return;
	if (qp->type == IBV_QPT_UD && qp_state(qp) >= IBV_QPS_RTR && qp_state(qp) <= IBV_QPS_SQE &&
	    comes_to_device(qp, p))
		responder_datagram(qp, p);
}

void responder_multicast(const struct packet *p)
{
	qp_each_in_group(&p->dst, deliver_multicast, (void *)p);
}
