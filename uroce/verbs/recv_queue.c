/* SPDX-License-Identifier: MIT */
/*
 * Receive queues, of a QP or shared: ibv_post_recv(3), ibv_create_srq(3). Volume 1, 10.8.3.3 and
 * 10.2.9.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "context.h"
#include "profile.h"
#include "export.h"
#include "queue_pair.h"

int recv_queue_init(struct recv_queue *rq, uint32_t wr, uint32_t sge)
{
	uint32_t slots = ring_slots(wr);

	*rq = (struct recv_queue){ .mask = slots - 1,
				   .size = wr && !profile_is_strict ? slots : wr,
				   .max_sge = sge };
	rq->ring = queue_alloc(slots * sizeof *rq->ring);
	rq->room = queue_alloc((size_t)slots * (sge ? sge : 1) * sizeof *rq->room);
	if (rq->ring && rq->room)
		return 0;
	recv_queue_free(rq);
	return fail(ENOMEM);
}

void recv_queue_free(struct recv_queue *rq)
{
	free(rq->ring);
	free(rq->room);
	rq->ring = NULL;
	rq->room = NULL;
}

/* Adds a request, which must fit. */
static void recv_queue_put(struct recv_queue *rq, uint64_t wr_id, const struct ibv_sge *sge, int n)
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
	w->position = rq->tail++;
}

static int post_one(struct recv_queue *rq, const struct ibv_recv_wr *wr)
{
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	if (rq->tail - rq->head >= rq->size)
		return ENOMEM;
	recv_queue_put(rq, wr->wr_id, wr->sg_list, wr->num_sge);
	if (lent_seen)
		lent_out(rq, rq->tail - 1, wr->sg_list, wr->num_sge, true);
	return 0;
}

/* Posts to a receive queue, of a QP or shared. 0, or an errno as ibv_post_recv(3) returns. */
static int recv_queue_post(struct recv_queue *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
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

	if (lent_seen)
		lent_begin(__builtin_return_address(0));
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
	struct recv_queue *rq = qp_recv_queue(qp);
	struct recv_wqe *w = &rq->ring[rq->head & rq->mask];

	if (rq->head == rq->tail)
		return false;
	/* the slot is free from now on: the responder has a copy */
	qp->resp.recv = *w;
	qp->resp.recv.sge = qp->resp.recv_sge;
	for (int i = 0; i < w->nsge; i++)
		qp->resp.recv_sge[i] = w->sge[i];
	qp->resp.has_recv = true;
	qp->resp.lacks_recv = false;
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
			.vendor_err = lent_seen ? rq->head : 0,
		};

		cq_put(qp->recv_cq, &wc, true);
	}
}

/* ------------------------------------------------- shared receive queues -- */

static unsigned srq_count;
static LIST_HEAD(, srq) all_srqs = LIST_HEAD_INITIALIZER(all_srqs);

void srq_each(void (*fn)(struct srq *srq, void *arg), void *arg)
{
	struct srq *srq;

	LIST_FOREACH(srq, &all_srqs, entry)
		fn(srq, arg);
}

static void srq_free(struct srq *srq)
{
	recv_queue_free(&srq->rq);
	pthread_mutex_destroy(&srq->v.mutex);
	pthread_cond_destroy(&srq->v.cond);
	free(srq);
}

static struct srq *srq_new(struct ibv_pd *pd, void *context, const struct ibv_srq_attr *a)
{
	struct srq *srq = calloc(1, sizeof *srq);

	if (!srq)
		return NULL;
	srq->v.context = pd->context;
	srq->v.srq_context = context;
	srq->v.pd = pd;
	pthread_mutex_init(&srq->v.mutex, NULL);
	pthread_cond_init(&srq->v.cond, NULL);
	srq->pd = to_pd(pd);
	srq->ctx = to_context(pd->context);
	if (recv_queue_init(&srq->rq, a->max_wr, a->max_sge)) {
		srq_free(srq);
		return NULL;
	}
	return srq;
}

/* 0, or an errno */
static int enter_srq(struct srq *srq)
{
	static uint32_t handles;

	SCOPED_ENGINE_LOCK();
	if (context_failed(srq->v.context))
		return EIO;
	if (srq_count == MAX_SRQ)
		return ENOMEM;
	srq_count++;
	LIST_INSERT_HEAD(&all_srqs, srq, entry);
	srq->pd->users++;
	srq->v.handle = handles++;
	if (srq->xrcd)
		xrc_srq_enter(srq);
	return 0;
}

/* xrcd and cq: of one of type XRC, else NULL. a is set to what there is. */
static struct ibv_srq *create_srq(struct ibv_pd *pd, void *context, struct ibv_srq_attr *attr,
				  struct xrcd *xrcd, struct cq *cq)
{
	struct ibv_srq_attr a = *attr;
	struct srq *srq;
	int err;

	if (!pd || !a.max_wr || a.max_wr > MAX_SRQ_WR || a.max_sge > MAX_SGE)
		return fail_null(EINVAL);
	if (!a.max_sge)
		a.max_sge = 1;
	srq = srq_new(pd, context, &a);
	if (!srq)
		return NULL;
	srq->xrcd = xrcd;
	srq->cq = cq;
	err = enter_srq(srq);
	if (err) {
		srq_free(srq);
		return fail_null(err);
	}
	attr->max_wr = srq->rq.size;
	attr->max_sge = srq->rq.max_sge;
	return &srq->v;
}

EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
	return create_srq(pd, init->srq_context, &init->attr, NULL, NULL);
}

/* ibv_create_srq_ex(3) calls this for an SRQ that is not a plain one. */
static struct ibv_srq *create_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *a)
{
	const uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	const uint32_t xrc = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	struct ibv_pd *pd = a->comp_mask & IBV_SRQ_INIT_ATTR_PD ? a->pd : NULL;
	enum ibv_srq_type type = a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? a->srq_type
								       : IBV_SRQT_BASIC;

	if (a->comp_mask & ~known || (type != IBV_SRQT_BASIC && type != IBV_SRQT_XRC))
		return fail_null(EOPNOTSUPP);
	if (type == IBV_SRQT_BASIC)
		return create_srq(pd, a->srq_context, &a->attr, NULL, NULL);
	if ((a->comp_mask & xrc) != xrc || !a->xrcd || !a->cq || a->xrcd->context != context ||
	    a->cq->context != context || (pd && pd->context != context))
		return fail_null(EINVAL);
	return create_srq(pd, a->srq_context, &a->attr, to_xrcd(a->xrcd), to_cq(a->cq));
}

/* Moves the posted requests to another queue, which has room for them, and swaps the two queues. */
static void move_requests(struct recv_queue *rq, struct recv_queue *to)
{
	struct recv_queue old = *rq;

	for (; rq->head != rq->tail; rq->head++) {
		const struct recv_wqe *w = &rq->ring[rq->head & rq->mask];

		recv_queue_put(to, w->wr_id, w->sge, w->nsge);
	}
	*rq = *to;
	*to = old;
}

/* other: a queue of the size that is asked for. */
static int modify_srq(struct srq *srq, const struct ibv_srq_attr *a, unsigned mask,
		      struct recv_queue *other)
{
	uint32_t size, limit;

	SCOPED_ENGINE_LOCK();
	if (context_failed(srq->v.context))
		return EIO;
	size = mask & IBV_SRQ_MAX_WR ? a->max_wr : srq->rq.size;
	limit = mask & IBV_SRQ_LIMIT ? a->srq_limit : srq->limit;
	if (limit > size || size < srq->rq.tail - srq->rq.head)
		return EINVAL;
	if (mask & IBV_SRQ_MAX_WR)
		move_requests(&srq->rq, other);
	srq->limit = limit;
	return 0;
}

EXPORT int ibv_modify_srq(struct ibv_srq *v, struct ibv_srq_attr *attr, int flags)
{
	const unsigned mask = (unsigned)flags;
	struct srq *srq = to_srq(v);
	struct recv_queue other = { 0 };
	int err;

	if (mask & ~(unsigned)(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) ||
	    (mask & IBV_SRQ_MAX_WR && (!attr->max_wr || attr->max_wr > MAX_SRQ_WR)))
		return EINVAL;
	if (mask & IBV_SRQ_MAX_WR && recv_queue_init(&other, attr->max_wr, srq->rq.max_sge))
		return ENOMEM;
	err = modify_srq(srq, attr, mask, &other);
	recv_queue_free(&other);
	return err;
}

EXPORT int ibv_query_srq(struct ibv_srq *v, struct ibv_srq_attr *attr)
{
	const struct srq *srq = to_srq(v);

	SCOPED_ENGINE_LOCK();
	attr->max_wr = srq->rq.size;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = srq->limit;
	return 0;
}

EXPORT int ibv_destroy_srq(struct ibv_srq *v)
{
	struct srq *srq = to_srq(v);

	engine_lock();
	if (srq->users) {
		engine_unlock();
		return EBUSY;
	}
	lent_forget(&srq->rq);
	if (srq->xrcd)
		xrc_srq_leave(srq);
	event_drain(srq->ctx, srq);
	srq->pd->users--;
	srq_count--;
	LIST_REMOVE(srq, entry);
	engine_unlock();
	srq_free(srq);
	return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	SCOPED_ENGINE_LOCK();
	if (lent_seen)
		lent_begin(__builtin_return_address(0));
	return recv_queue_post(&to_srq(srq)->rq, wr, bad);
}

void context_ops_srq(struct context *c)
{
	c->v.create_srq_ex = create_ex;
	c->v.context.ops.post_srq_recv = post_srq_recv;
}
