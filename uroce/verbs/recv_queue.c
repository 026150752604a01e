/* SPDX-License-Identifier: MIT */
/*
 * Receive queues, of a QP or shared: ibv_post_recv(3). Volume 1, 10.8.3.3 and 10.2.9.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "event.h"
#include "post.h"
#include "srq.h"
#include "ring.h"

int recv_queue_init(struct recv_queue *rq, struct pd *pd, enum queue_kind kind, uint32_t wr,
		    uint32_t sge)
{
	uint32_t slots = ring_slots(wr);

	*rq = (struct recv_queue){ .mask = slots - 1, .size = wr ? slots : 0, .max_sge = sge };
	rq->ring = queue_alloc(pd, slots * sizeof *rq->ring, kind);
	rq->room = queue_alloc(pd, (size_t)slots * (sge ? sge : 1) * sizeof *rq->room, kind);
	if (rq->ring && rq->room)
		return 0;
	recv_queue_free(rq);
	errno = ENOMEM;
	return -1;
}

void recv_queue_free(struct recv_queue *rq)
{
	queue_free(rq->ring);
	queue_free(rq->room);
	rq->ring = NULL;
	rq->room = NULL;
}

void recv_queue_put(struct recv_queue *rq, uint64_t wr_id, const struct ibv_sge *sge, int n)
{
	uint32_t slot = rq->tail & rq->mask;
	struct recv_wqe *w = &rq->ring[slot];
	uint64_t len = 0;

	w->wr_id = wr_id;
	w->nsge = n;
	w->sge = &rq->room[(size_t)slot * rq->max_sge];
	for (int i = 0; i < n; i++) {
		w->sge[i] = sge[i];
		len += sge[i].length;
	}
	w->len = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
	rq->tail++;
}

static int post_one(struct recv_queue *rq, const struct ibv_recv_wr *wr)
{
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	if (rq->tail - rq->head >= rq->size)
		return ENOMEM;
	recv_queue_put(rq, wr->wr_id, wr->sg_list, wr->num_sge);
	return 0;
}

int recv_queue_post(struct recv_queue *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		int err = post_one(rq, wr);

		if (err) {
			*bad = wr;
			return err;
		}
	}
	return 0;
}

int post_recv(struct ibv_qp *v, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct qp *qp = to_qp(v);
	int err = EINVAL;

	engine_lock();
	if (qp->srq || qp->type == IBV_QPT_XRC_SEND || qp->type == IBV_QPT_XRC_RECV ||
	    qp_state(qp) == IBV_QPS_RESET)
		*bad = wr;
	else
		err = recv_queue_post(&qp->rq, wr, bad);
	if (qp_state(qp) == IBV_QPS_ERR)
		qp_flush_recvs(qp);
	engine_unlock();
	return err;
}

static void check_limit(struct srq *srq)
{
	if (srq->rq.tail - srq->rq.head >= srq->limit)
		return;
	srq->limit = 0;
	event_srq(srq, IBV_EVENT_SRQ_LIMIT_REACHED);
}

bool qp_take_recv(struct qp *qp)
{
	struct recv_queue *rq = qp->srq ? &qp->srq->rq : &qp->rq;
	struct recv_wqe *w = &rq->ring[rq->head & rq->mask];

	if (rq->head == rq->tail)
		return false;
	/* the slot is free from now on: a copy is worked off */
	qp->resp.recv = *w;
	qp->resp.recv.sge = qp->resp.recv_sge;
	for (int i = 0; i < w->nsge; i++)
		qp->resp.recv_sge[i] = w->sge[i];
	qp->resp.has_recv = true;
	rq->head++;
	if (qp->srq)
		check_limit(qp->srq);
	return true;
}

void qp_flush_recvs(struct qp *qp)
{
	struct recv_queue *rq = &qp->rq;

	for (; rq->head != rq->tail; rq->head++) {
		struct ibv_wc wc = {
			.wr_id = rq->ring[rq->head & rq->mask].wr_id,
			.status = IBV_WC_WR_FLUSH_ERR,
			.opcode = IBV_WC_RECV,
			.qp_num = qp->v.qp_num,
		};

		cq_put(qp->recv_cq, &wc, true);
	}
}
