// SPDX-License-Identifier: MIT
#include "history.h"

#include <string.h>

#include "completion_queue.h"
#include "counters.h"
#include "lock.h"
#include "packet.h"
#include "queue_pair.h"
#include "region.h"

/* --------------------------------------------------------------------- of a QP -- */

void history_changed(struct qp *qp, enum ibv_qp_state from, const struct uroce_change *why)
{
	struct qp_history *h = &qp->history;
	struct uroce_change *c = &h->changes[h->n++ % UROCE_CHANGES];

	qp->steps |= uroce_step(from, qp_state(qp));
	*c = *why;
	c->when = clock_read(CLOCK_REALTIME);
	c->from = (uint8_t)from;
	c->to = (uint8_t)qp_state(qp);
	if (c->to == IBV_QPS_RESET || c->to == IBV_QPS_RTR) {
		history_advanced(qp);
		h->rnrs_sent = 0;
		h->rnr_sent_last = 0;
		h->refusal = (struct uroce_refusal){ 0 };
	}
}

void history_retried(struct qp *qp, bool rnr)
{
	struct qp_history *h = &qp->history;

	h->retry_last = clock_read(CLOCK_REALTIME);
	if (!h->retries && !h->rnrs)
		h->retry_first = h->retry_last;
	if (rnr)
		h->rnrs++;
	else
		h->retries++;
}

void history_advanced(struct qp *qp)
{
	struct qp_history *h = &qp->history;

	if (!h->retry_last)
		return;
	h->retries = h->rnrs = 0;
	h->retry_first = h->retry_last = 0;
}

void history_refused(struct qp *qp, const struct packet *p, enum uroce_refused refused)
{
	const bool has_range = p->op->flags & (WIRE_RETH | WIRE_ATOMIC);
	const struct recv_wqe *recv = &qp->resp.recv;
	struct uroce_refusal *r = &qp->history.refusal;

	*r = (struct uroce_refusal){
		.when = clock_read(CLOCK_REALTIME),
		.va = has_range ? p->va : 0,
		.rkey = has_range || p->op->flags & WIRE_IETH ? p->rkey : 0,
		.len = p->op->flags & WIRE_RETH	    ? p->dma_len
		       : p->op->flags & WIRE_ATOMIC ? (uint32_t)sizeof p->swap_add
						    : p->len,
		.psn = p->psn,
		.recv_len = qp->resp.has_recv ? qp->resp.recv.len : 0,
		.refused = (uint8_t)refused,
		.opcode = p->op->code,
	};
	if (refused == UROCE_REFUSED_RECV_MEMORY && recv->nsge) {
		r->va = recv->sge[0].addr;
		r->rkey = recv->sge[0].lkey;
		r->recv_sges = (uint8_t)(recv->nsge < 255 ? recv->nsge : 255);
	}
	if (refused == UROCE_REFUSED_NO_SRQ)
		r->rkey = p->srqn;
	r->has_key = region_has_key(r->rkey);
}

void history_rnr_sent(struct qp *qp)
{
	qp->history.rnrs_sent++;
	qp->history.rnr_sent_last = clock_read(CLOCK_REALTIME);
}

void history_tell_qp(const struct qp *qp, struct uroce_qp_row *row)
{
	const struct qp_history *h = &qp->history;
	const uint32_t kept = h->n < UROCE_CHANGES ? h->n : UROCE_CHANGES;

	row->nchanges = kept;
	for (uint32_t i = 0; i < kept; i++)
		row->changes[i] = h->changes[(h->n - kept + i) % UROCE_CHANGES];
	row->retries = h->retries;
	row->rnrs = h->rnrs;
	row->retry_first = h->retry_first;
	row->retry_last = h->retry_last;
	row->lacks_recv = qp->resp.lacks_recv;
	row->rnrs_sent = h->rnrs_sent;
	row->rnr_sent_last = h->rnr_sent_last;
	row->refusal = h->refusal;
}

void history_lost(struct cq *cq, const struct ibv_wc *wc)
{
	if (cq->lost++)
		return;
	cq->overrun_when = clock_read(CLOCK_REALTIME);
	cq->lost_wr_id = wc->wr_id;
	cq->lost_qpn = wc->qp_num;
}

/* ----------------------------------------------------------- QPs that are gone -- */

static struct {
	struct uroce_gone_row row[UROCE_GONE_QPS]; /* a ring */
	uint32_t n;				   /* ever */
} gone;

void history_destroyed(const struct qp *qp)
{
	gone.row[gone.n++ % UROCE_GONE_QPS] = (struct uroce_gone_row){
		.number = qp->number,
		.qpn = qp->v.qp_num,
		.dest_qpn = qp->attr.dest_qp_num,
		.state = qp_state(qp),
		.when = clock_read(CLOCK_REALTIME),
	};
}

void history_each_gone(void (*fn)(const struct uroce_gone_row *row, void *arg), void *arg)
{
	const uint32_t kept = gone.n < UROCE_GONE_QPS ? gone.n : UROCE_GONE_QPS;

	for (uint32_t i = gone.n - kept; i != gone.n; i++)
		fn(&gone.row[i % UROCE_GONE_QPS], arg);
}

/* -------------------------------------------------------- packets that were dropped -- */

/* Rows of packets that are for no QP have places of their own: anybody can send those, to any
 * number. count 0: unused. */
#define STRAY_ROWS 16

static struct uroce_drop_row drops[UROCE_DROP_ROWS];
static uint32_t drop_rows_made;

static bool is_of(const struct uroce_drop_row *row, const struct qp *qp, const struct packet *p,
		  enum uroce_dropped dropped)
{
	if (!row->count || row->dropped != dropped || row->dest_qpn != p->qpn)
		return false;
	return qp ? row->qp == qp->number : row->qp == UROCE_NO_OBJECT;
}

/* The row for the packet; else one that is unused, or the one that was last used longest ago. */
static struct uroce_drop_row *row_for(const struct qp *qp, const struct packet *p,
				      enum uroce_dropped dropped)
{
	struct uroce_drop_row *row = qp ? &drops[STRAY_ROWS] : drops, *found = row;
	const struct uroce_drop_row *end = qp ? &drops[UROCE_DROP_ROWS] : &drops[STRAY_ROWS];

	for (; row < end; row++) {
		if (is_of(row, qp, p, dropped))
			return row;
		if (row->last < found->last)
			found = row;
	}
	*found = (struct uroce_drop_row){ .number = drop_rows_made++ };
	return found;
}

void history_dropped(struct qp *qp, const struct packet *p, enum uroce_dropped dropped,
		     uint32_t has, uint32_t wants)
{
	static const enum counter counter[UROCE_DROPS] = {
		[UROCE_DROP_QPN] = CNT_BAD_QPN,
		[UROCE_DROP_STATE] = CNT_BAD_STATE,
		[UROCE_DROP_PKEY] = CNT_BAD_PKEY,
		[UROCE_DROP_QKEY] = CNT_BAD_QKEY,
		[UROCE_DROP_SOURCE] = CNT_BAD_SOURCE,
		[UROCE_DROP_NO_RECV] = CNT_NO_RECV,
		[UROCE_DROP_SHORT_RECV] = CNT_NO_RECV,
		[UROCE_DROP_MTU] = CNT_BAD_PACKET,
		[UROCE_DROP_SEQUENCE] = CNT_OUT_OF_SEQ_REQUEST,
		[UROCE_DROP_UNASKED] = CNT_UNEXPECTED,
	};
	struct uroce_drop_row *row = row_for(qp, p, dropped);

	count(counter[dropped]);
	row->last = clock_read(CLOCK_REALTIME);
	if (!row->count++)
		row->first = row->last;
	row->dropped = dropped;
	row->qp = qp ? qp->number : UROCE_NO_OBJECT;
	row->dest_qpn = p->qpn;
	row->src_qpn = p->op->flags & WIRE_DETH ? p->src_qpn : 0;
	row->opcode = p->op->code;
	row->psn = p->psn;
	row->len = p->len;
	row->has = has;
	row->wants = wants;
	row->src = p->src;
}

void history_each_drop(void (*fn)(const struct uroce_drop_row *row, void *arg), void *arg)
{
	for (uint32_t i = 0; i < UROCE_DROP_ROWS; i++)
		if (drops[i].count)
			fn(&drops[i], arg);
}

void history_forget(void)
{
	gone.n = 0;
	memset(drops, 0, sizeof drops);
}
