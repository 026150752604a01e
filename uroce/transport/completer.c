/* SPDX-License-Identifier: MIT */
/*
 * Answers to the requester, and answers that are missing: acknowledgements, READ responses,
 * retries, completions. Volume 1, 9.7.5.2 (AETH), 9.7.6 (the requester), 9.9.2 (its errors). The
 * steps are called as in rdma_rxe's completer: check_psn, check_ack, do_read, do_atomic, retry,
 * rnr_retry, complete_wqe.
 *
 * All requests end in the order in which they were posted: what is not acknowledged yet
 * begins with una_psn, which is in the request at the head of the queue.
 */
#include "context.h"
#include "counters.h"
#include "fault_rule.h"
#include "region.h"
#include "spec_tables.h"
#include "transport_own.h"

#define WINDOW_MAX 64

/* ---------------------------------------------------------------- completions -- */

/* The request at the head has ended. */
static void complete_wqe(struct qp *qp, enum ibv_wc_status status)
{
	struct send_wqe *w = sq_at(qp, qp->sq.head);
	bool wanted = w->signaled || status != IBV_WC_SUCCESS;
	struct ibv_wc wc = {
		.wr_id = w->wr_id,
		.status = status,
		.opcode = w->op->done,
		.byte_len = w->len,
		.qp_num = qp->v.qp_num,
		.vendor_err = lent_seen ? qp->sq.head : 0, /* until it is polled */
	};

	if (w->started && w->rule && status == w->status)
		wc.vendor_err = FAULT_VENDOR_ERR | w->rule;
	if (status == IBV_WC_SUCCESS && w->op->done == IBV_WC_SEND)
		count(CNT_RDMA_SENDS);
	w->signaled = wanted; /* late_polled() */
	qp->sq.head++;	      /* the slot is free */
	if (wanted)
		cq_put(qp->send_cq, &wc, status != IBV_WC_SUCCESS);
}

void completer_flush_sends(struct qp *qp)
{
	struct send_queue *sq = &qp->sq;

	while (sq->head != sq->tail)
		complete_wqe(qp, IBV_WC_WR_FLUSH_ERR);
	sq->next = qp->req.at = sq->tail;
	qp->req.next_psn = qp->req.una_psn = qp->req.psn;
	qp->req.broken = false;
}

/* The request at the head has failed: 9.9.2; UC and UD only stop sending: 10.3.1. */
static void fail_wqe(struct qp *qp, enum ibv_wc_status status)
{
	const enum ibv_qp_state from = qp_state(qp);
	const struct uroce_change why = {
		.cause = UROCE_BY_SEND,
		.value = status,
		.wr_id = sq_at(qp, qp->sq.head)->wr_id,
		.psn = qp->req.una_psn,
	};

	complete_wqe(qp, status);
	if (qp_reliable(qp)) {
		transport_fail(qp, -1, &why);
		return;
	}
	qp->attr.qp_state = IBV_QPS_SQE;
	history_changed(qp, from, &why);
	qp->draining = false;
	completer_flush_sends(qp);
}

static void drained(struct qp *qp)
{
	qp->draining = false;
	if (qp->attr.en_sqd_async_notify)
		event_qp(qp, IBV_EVENT_SQ_DRAINED);
}

void completer_retire_send(struct qp *qp)
{
	struct send_queue *sq = &qp->sq;

	while (sq->head != sq->next) {
		const struct send_wqe *w = sq_at(qp, sq->head);

		if (w->status != IBV_WC_SUCCESS) {
			fail_wqe(qp, w->status);
			return;
		}
		if (!w->op->local && psn_diff(w->last_psn, qp->req.una_psn) >= 0)
			return;
		complete_wqe(qp, IBV_WC_SUCCESS);
	}
	if (qp->draining)
		drained(qp);
}

/* -------------------------------------------------------------------- retries -- */

void requester_go_back(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->next_psn = r->una_psn;
	r->at = qp->sq.head;
	r->reads = 0;
	r->since_ackreq = 0;
	r->broken = false;
	room_socket_return_all(qp);
}

/* Something was lost: all is sent again from the oldest packet on. */
static void retry(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (!r->retries) {
		count(CNT_RETRY_EXCEEDED_ERR);
		fail_wqe(qp, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	count(CNT_COMPLETER_RETRY_ERR);
	history_retried(qp, false);
	r->retries--;
	r->window = r->window > 1 ? r->window / 2 : 1;
	r->grown = 0;
	requester_go_back(qp);
	r->recovering = true;
}

void completer_timeout(struct timer *t)
{
	struct qp *qp = (struct qp *)((char *)t - offsetof(struct qp, req.timer));
	struct requester *r = &qp->req;

	if (r->rnr_wait) {
		r->rnr_wait = false;
	} else if (r->ring_deadline) {
		if (engine_now() < r->ring_deadline) {
			timer_set(t, r->ring_deadline);
			return;
		}
		r->ring_deadline = 0;
		if (qp_reliable(qp) && qp->sq.head != qp->sq.next)
			retry(qp);
	} else if (r->next_psn == r->una_psn) {
		if (!r->socket_wait)
			return; /* all was acknowledged */
		room_socket_reset();
	} else if (!r->timeout) {
		return;
	} else if (engine_now() < r->deadline) {
		timer_set(t, r->deadline);
		return;
	} else {
		r->timeouts += r->timeouts < TIMEOUT_DOUBLES;
		retry(qp);
	}
	requester_run(qp);
}

/* Packets were acknowledged up to, and without, una. */
static void advance_una(struct qp *qp, uint32_t una)
{
	struct requester *r = &qp->req;
	int32_t n = psn_diff(una, r->una_psn), flying = psn_diff(r->next_psn, r->una_psn);

	if (n <= 0)
		return;
	if (flying > 0)
		room_socket_return(qp, (uint32_t)n, (uint32_t)flying);
	r->una_psn = una;
	history_advanced(qp);
	if (n > flying) /* while going back: what was sent before has arrived after all */
		r->next_psn = una;
	r->retries = qp->attr.retry_cnt;
	r->rnr_retries = qp->attr.rnr_retry;
	r->timeouts = 0;
	r->recovering = r->rnr_wait = false;
	r->grown += (uint16_t)(n < WINDOW_MAX ? n : WINDOW_MAX);
	if (r->grown >= r->window) {
		r->grown = 0;
		r->window += r->window < WINDOW_MAX;
	}
	completer_retire_send(qp);
	if ((int32_t)(r->at - qp->sq.head) < 0)
		r->at = qp->sq.head;
	if (r->next_psn != r->una_psn)
		requester_arm(qp);
}

/* ------------------------------------------------------------ acknowledgements -- */

/* A packet acknowledges all PSNs before limit, too. False: a READ or an atomic before it has no
 * response yet, which is therefore lost: an implied NAK, 9.7.5.2. */
static bool retire_acknowledged(struct qp *qp, uint32_t limit)
{
	bool all = true;

	for (uint32_t i = qp->sq.head; i != qp->sq.next; i++) {
		const struct send_wqe *w = sq_at(qp, i);

		if (w->op->local)
			continue;
		if (w->status != IBV_WC_SUCCESS || psn_diff(w->first_psn, limit) >= 0)
			break;
		if (w->op->has_response) {
			if (psn_diff(qp->req.una_psn, w->first_psn) > 0) {
				if (psn_diff(limit, qp->req.una_psn) <= 0)
					break;
				limit = qp->req.una_psn;
			} else {
				limit = w->first_psn;
			}
			all = false;
			break;
		}
	}
	advance_una(qp, limit);
	return all;
}

/* Retires what is acknowledged. If a response is missing before limit, sends again from there, once
 * for each loss. Returns whether the acknowledgement itself may be handled. */
static bool take_acknowledgement(struct qp *qp, uint32_t limit)
{
	if (retire_acknowledged(qp, limit))
		return qp_state(qp) == IBV_QPS_RTS || qp_state(qp) == IBV_QPS_SQD;
	if (!qp->req.recovering)
		retry(qp);
	return false;
}

static void rnr_retry(struct qp *qp, const struct packet *p)
{
	struct requester *r = &qp->req;

	if (!take_acknowledgement(qp, p->psn) || r->rnr_wait)
		return;
	count(CNT_RCVD_RNR);
	if (!r->rnr_retries) {
		count(CNT_RETRY_RNR_EXCEEDED_ERR);
		fail_wqe(qp, IBV_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != 7) /* for ever */
		r->rnr_retries--;
	r->retries = qp->attr.retry_cnt; /* the request has come through, and its answer */
	r->timeouts = 0;
	history_retried(qp, true);
	requester_go_back(qp);
	r->rnr_wait = true;
	timer_set(&r->timer, engine_now() + UINT64_C(1000) * spec_rnr_timer_us(p->syndrome));
}

static void sequence_error(struct qp *qp, const struct packet *p)
{
	count(CNT_RCVD_SEQ_ERR);
	if (!take_acknowledgement(qp, p->psn) || qp->req.rnr_wait || qp->req.recovering)
		return;
	if (qp->req.una_psn != qp->req.psn)
		retry(qp);
}

static void check_nak(struct qp *qp, const struct packet *p)
{
	static const enum ibv_wc_status status[] = {
		[AETH_NAK_INVALID - AETH_NAK_SEQUENCE] = IBV_WC_REM_INV_REQ_ERR,
		[AETH_NAK_ACCESS - AETH_NAK_SEQUENCE] = IBV_WC_REM_ACCESS_ERR,
		[AETH_NAK_OPERATION - AETH_NAK_SEQUENCE] = IBV_WC_REM_OP_ERR,
	};
	unsigned code = p->syndrome - AETH_NAK_SEQUENCE;

	if (code == 0)
		sequence_error(qp, p);
	else if (code >= sizeof(status) / sizeof(status[0]))
		history_dropped(qp, p, UROCE_DROP_UNASKED, p->psn, qp->req.una_psn);
	else if (take_acknowledgement(qp, p->psn))
		fail_wqe(qp, status[code]);
}

static void check_ack(struct qp *qp, const struct packet *p)
{
	switch (AETH_CLASS(p->syndrome)) {
	case 0:
		take_acknowledgement(qp, psn_add(p->psn, 1));
		break;
	case AETH_RNR:
		rnr_retry(qp, p);
		break;
	case AETH_NAK_SEQUENCE:
		check_nak(qp, p);
		break;
	default:
		history_dropped(qp, p, UROCE_DROP_UNASKED, p->psn, qp->req.una_psn);
	}
}

/* ------------------------------------------------------------------ responses -- */

/* The response to a READ or an atomic has come up to psn, which ends what was asked for. */
static void finish_response(struct qp *qp, uint32_t psn, bool end)
{
	/* after going back it may not have been asked for again */
	if (end && psn_diff(qp->req.next_psn, qp->req.una_psn) > 0)
		qp->req.reads--;
	advance_una(qp, psn_add(psn, 1));
}

static void do_read(struct qp *qp, const struct packet *p, const struct send_wqe *w)
{
	uint32_t offset = (uint32_t)psn_diff(p->psn, w->first_psn) * qp->mtu;
	bool end = p->psn == requester_end_read(qp, w, p->psn);
	enum ibv_wc_status status = IBV_WC_SUCCESS;

	/* The first one may be a MIDDLE: a responder that is asked again begins elsewhere. */
	if (end != !!(p->op->flags & WIRE_LAST))
		status = IBV_WC_BAD_RESP_ERR;
	else if (p->len != min_u32(w->len - offset, qp->mtu))
		status = IBV_WC_LOC_LEN_ERR;
	else
		status = sges_scatter(qp, PLACING_OWN, qp->pd, w->sge, w->nsge, offset, p->payload,
				      p->len);
	if (status == IBV_WC_SUCCESS)
		finish_response(qp, p->psn, end);
	else
		fail_wqe(qp, status);
}

static void do_atomic(struct qp *qp, const struct packet *p, const struct send_wqe *w)
{
	enum ibv_wc_status status = sges_scatter(qp, PLACING_OWN, qp->pd, w->sge, w->nsge, 0,
						 &p->original, sizeof(p->original));

	if (status == IBV_WC_SUCCESS)
		finish_response(qp, p->psn, true);
	else
		fail_wqe(qp, status);
}

/* Of an ATOMIC_WRITE or a FLUSH, annex A19: an empty response of a READ. */
static void do_empty(struct qp *qp, const struct packet *p)
{
	if (OPCODE_OPERATION(p->op->code) != OP_READ_RESP_ONLY)
		fail_wqe(qp, IBV_WC_BAD_RESP_ERR);
	else if (p->len)
		fail_wqe(qp, IBV_WC_LOC_LEN_ERR);
	else
		finish_response(qp, p->psn, true);
}

static void check_response(struct qp *qp, const struct packet *p)
{
	bool atomic = p->op->flags & WIRE_ATOMICACK;

	if (p->op->flags & WIRE_AETH && AETH_CLASS(p->syndrome) != 0) {
		history_dropped(qp, p, UROCE_DROP_UNASKED, p->psn, qp->req.una_psn);
		return;
	}
	if (!take_acknowledgement(qp, p->psn))
		return;

	const struct send_wqe *w = sq_at(qp, qp->sq.head);

	if (!w->op->has_response || w->op->atomic != atomic)
		history_dropped(qp, p, UROCE_DROP_UNASKED, p->psn,
				qp->req.una_psn); /* and it was not asked for */
	else if (atomic)
		do_atomic(qp, p, w);
	else if (!w->op->sink)
		do_empty(qp, p);
	else
		do_read(qp, p, w);
}

/* Is the PSN one that may be acknowledged or answered now? */
static bool check_psn(struct qp *qp, const struct packet *p, bool is_ack)
{
	const struct requester *r = &qp->req;
	int32_t ahead = psn_diff(p->psn, r->psn);

	if (psn_diff(p->psn, r->una_psn) < 0)
		return false; /* late, or twice */
	/* a NAK of a sequence error names the packet that is expected: it may be a new one */
	if (ahead < 0 || (ahead == 0 && is_ack && p->syndrome == AETH_NAK_SEQUENCE))
		return true;
	history_dropped(qp, p, UROCE_DROP_UNASKED, p->psn, r->psn);
	return false;
}

void completer_input(struct qp *qp, const struct packet *p)
{
	bool is_ack = OPCODE_OPERATION(p->op->code) == OP_ACK;

	if (qp_state(qp) != IBV_QPS_RTS && qp_state(qp) != IBV_QPS_SQD) {
		history_dropped(qp, p, UROCE_DROP_STATE, qp_state(qp), 0);
		return;
	}
	if (!check_psn(qp, p, is_ack))
		return;
	if (is_ack)
		check_ack(qp, p);
	else
		check_response(qp, p);
	requester_run(qp);
}
