/* SPDX-License-Identifier: MIT */
/*
 * Creating, querying and destroying queue pairs: ibv_create_qp(3), ibv_query_qp(3). Volume 1,
 * 11.2.5. ibv_modify_qp(3) is in qp_modify.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "context.h"
#include "profile.h"
#include "export.h"
#include "group.h"
#include "queue_pair.h"
#include "link.h"
#include "random.h"
#include "transport.h"
#include "spec_tables.h"

/* Of ibv_qp_init_attr_ex. */
#define INIT_KNOWN                                                                     \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_CREATE_FLAGS | \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

/* --------------------------------------------------------------- numbers -- */

/*
 * QP numbers: 24 bits, the upper six of them the slot of this process (link/group.h).
 *
 * The lower ones count up from a random start, so that a number comes again as late as can
 * be, in this process and in one that is started again: a peer may still have a connection
 * to the last one of that number. Their lowest bits are the place in the table.
 */

#define LOCAL_MASK ((1u << SLOT_SHIFT) - 1)
#define PLACE(qpn) (&qp_table[(qpn) & (MAX_QP - 1)])

_Static_assert((MAX_QP & (MAX_QP - 1)) == 0, "places are the lowest bits of numbers");
_Static_assert(MAX_QP <= LOCAL_MASK, "a place has more than one number");

static struct place {
	struct qp *qp; /* NULL: free */
	uint32_t qpn;
} qp_table[MAX_QP];

static unsigned qp_count;
static uint32_t qps_made; /* ever */
static uint32_t next_qpn;
static bool next_qpn_is_drawn;

/* Sets v.qp_num. 0, or -1 with ENOMEM: there are MAX_QP of them. */
static int qp_enter(struct qp *qp)
{
	uint32_t qpn;

	if (qp_count == MAX_QP)
		return fail(ENOMEM);
	if (!next_qpn_is_drawn)
		random_bytes(&next_qpn, sizeof next_qpn);
	next_qpn_is_drawn = true; /* not again when it has come to 0 */
	do { /* QP 0 and 1 are nobody's, and the last number is that of multicasts */
		qpn = group_slot() << SLOT_SHIFT | (next_qpn++ & LOCAL_MASK);
	} while (PLACE(qpn)->qp || qpn <= 1 || qpn == QPN_MULTICAST);
	*PLACE(qpn) = (struct place){ .qp = qp, .qpn = qpn };
	qp->v.qp_num = qpn;
	qp->v.handle = qpn & (MAX_QP - 1);
	qp->number = qps_made++;
	qp_count++;
	return 0;
}

static void qp_leave(struct qp *qp)
{
	struct place *p = PLACE(qp->v.qp_num);

	if (p->qp != qp) /* forgotten after fork() */
		return;
	p->qp = NULL;
	qp_count--;
}

struct qp *qp_find(uint32_t qpn)
{
	const struct place *p = PLACE(qpn);

	return p->qpn == qpn ? p->qp : NULL;
}

/* --------------------------------------------------- creating, and destroying -- */

static int send_queue_init(struct qp *qp)
{
	struct ibv_qp_cap *cap = &qp->cap;
	struct send_queue *sq = &qp->sq;
	size_t sges = cap->max_send_sge * sizeof(struct ibv_sge);
	size_t room = sges > cap->max_inline_data ? sges : cap->max_inline_data;

	/* a slot has room for either SGEs or bytes: both limits grow to the larger room */
	room = (room + 15) & ~(size_t)15;
	sq->stride = (uint32_t)(sizeof(struct send_wqe) + room + CACHE_LINE - 1) &
		     ~(CACHE_LINE - 1);
	sq->mask = ring_slots(cap->max_send_wr) - 1;
	sq->size = cap->max_send_wr && !profile_is_strict ? sq->mask + 1 : cap->max_send_wr;
	sq->ring = queue_alloc((size_t)(sq->mask + 1) * sq->stride);
	if (!sq->ring || profile_is_strict)
		return sq->ring ? 0 : -1;
	cap->max_send_wr = sq->size;
	cap->max_inline_data = (uint32_t)room;
	cap->max_send_sge = (uint32_t)(room / sizeof(struct ibv_sge));
	if (cap->max_send_sge > MAX_SGE)
		cap->max_send_sge = MAX_SGE;
	return 0;
}

static int queues_init(struct qp *qp)
{
	struct ibv_qp_cap *cap = &qp->cap;
	uint32_t sge = qp->srq ? qp->srq->rq.max_sge : cap->max_recv_sge;

	if (qp->type == IBV_QPT_XRC_RECV) {
		*cap = (struct ibv_qp_cap){ 0 };
		sge = MAX_SGE; /* of whatever SRQ it takes on */
	}
	if (qp->srq || qp->type == IBV_QPT_XRC_SEND)
		cap->max_recv_wr = cap->max_recv_sge = 0;
	if (send_queue_init(qp) || recv_queue_init(&qp->rq, cap->max_recv_wr, cap->max_recv_sge))
		return -1;
	cap->max_recv_wr = qp->rq.size;
	qp->resp.recv_sge = calloc(sge ? sge : 1, sizeof *qp->resp.recv_sge);
	return qp->resp.recv_sge ? 0 : -1;
}

/* QPs lie side by side, for the same reason as send_wqe: 1,000 have 330 pages, and by calloc(3),
 * between their queues, a page or two each. They are kept for those that are made later. With a
 * sanitizer each is allocated and freed by itself, so that the use of one that is gone is seen. */
#define CHUNK 64u
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ONE_BY_ONE 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ONE_BY_ONE 1
#endif
#ifndef ONE_BY_ONE
#define ONE_BY_ONE 0
#endif

static TAILQ_HEAD(, qp) unused_qps = TAILQ_HEAD_INITIALIZER(unused_qps);

static void add_chunk(struct qp *chunk)
{
	for (unsigned i = 0; i < CHUNK; i++)
		TAILQ_INSERT_TAIL(&unused_qps, &chunk[i], due_next);
}

static struct qp *take_unused_qp(void)
{
	struct qp *qp, *chunk;

	SCOPED_ENGINE_LOCK();
	if (TAILQ_EMPTY(&unused_qps)) {
		chunk = aligned_alloc(CACHE_LINE, CHUNK * sizeof *chunk);
		if (chunk)
			add_chunk(chunk);
	}
	qp = TAILQ_FIRST(&unused_qps);
	if (qp)
		TAILQ_REMOVE(&unused_qps, qp, due_next);
	return qp;
}

static struct qp *qp_alloc(void)
{
	struct qp *qp = ONE_BY_ONE ? aligned_alloc(CACHE_LINE, sizeof *qp) : take_unused_qp();

	if (qp)
		memset(qp, 0, sizeof *qp);
	return qp;
}

static void qp_give_back(struct qp *qp)
{
	if (ONE_BY_ONE) {
		free(qp);
		return;
	}
	SCOPED_ENGINE_LOCK();
	TAILQ_INSERT_HEAD(&unused_qps, qp, due_next);
}

static void qp_free(struct qp *qp)
{
	free(qp->sq.ring);
	recv_queue_free(&qp->rq);
	free(qp->resp.recv_sge);
	free(qp->resp.responses);
	pthread_mutex_destroy(&qp->post.lock);
	pthread_mutex_destroy(&qp->v.mutex);
	pthread_cond_destroy(&qp->v.cond);
	qp_give_back(qp);
}

/* Where a type of QP has a queue, there must be a CQ of the same context for it. */
static bool has_cq(const struct ibv_cq *cq, const struct ibv_pd *pd)
{
	return cq && cq->context == pd->context;
}

/* 0, EOPNOTSUPP or EINVAL: of all but XRC_RECV. */
static int check_init(const struct ibv_pd *pd, const struct ibv_qp_init_attr_ex *a)
{
	const struct ibv_qp_cap *c = &a->cap;
	const bool receives = a->qp_type != IBV_QPT_XRC_SEND;

	switch (a->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
	case IBV_QPT_XRC_SEND:
		break;
	case IBV_QPT_RAW_PACKET:
	case IBV_QPT_XRC_RECV:
	case IBV_QPT_DRIVER:
		return EOPNOTSUPP;
	default:
		return EINVAL;
	}
	if (!pd || !has_cq(a->send_cq, pd) || (receives && !has_cq(a->recv_cq, pd)) ||
	    (a->srq && (!receives || a->srq->context != pd->context || to_srq(a->srq)->xrcd)))
		return EINVAL;
	if (c->max_send_wr > MAX_QP_WR || c->max_send_sge > MAX_SGE ||
	    c->max_inline_data > MAX_INLINE)
		return EINVAL;
	if (!a->srq && receives && (c->max_recv_wr > MAX_QP_WR || c->max_recv_sge > MAX_SGE))
		return EINVAL;
	return 0;
}

static uint64_t send_ops_of(enum ibv_qp_type type)
{
	uint64_t ops = 0;

	for (unsigned i = 0; i < WR_OPS; i++)
		if ((wr_ops[i].types & ~wr_ops[i].no_wire) & 1u << type)
			ops |= wr_ops[i].ex;
	return ops;
}

static int check_extended(const struct ibv_context *context, const struct ibv_qp_init_attr_ex *a)
{
	int err;

	if (a->comp_mask & ~(uint32_t)INIT_KNOWN)
		return EOPNOTSUPP;
	if (a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && a->create_flags)
		return EOPNOTSUPP;
	if (a->qp_type == IBV_QPT_XRC_RECV) {
		if (!(a->comp_mask & IBV_QP_INIT_ATTR_XRCD) || !a->xrcd ||
		    a->xrcd->context != context)
			return EINVAL;
		return a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS && a->send_ops_flags
			       ? EOPNOTSUPP
			       : 0;
	}
	if (a->comp_mask & IBV_QP_INIT_ATTR_XRCD)
		return EOPNOTSUPP; /* of no use to the others */
	err = check_init(a->comp_mask & IBV_QP_INIT_ATTR_PD ? a->pd : NULL, a);
	if (!err && a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    a->send_ops_flags & ~send_ops_of(a->qp_type))
		err = EOPNOTSUPP;
	return err;
}

static void count_use(struct qp *qp, int n)
{
	if (qp->type == IBV_QPT_XRC_RECV) { /* what it takes on is not its own */
		qp->xrcd->users += (unsigned)n;
		return;
	}
	qp->pd->users += (unsigned)n;
	qp->send_cq->users += (unsigned)n;
	if (qp->recv_cq)
		qp->recv_cq->users += (unsigned)n;
	if (qp->srq)
		qp->srq->users += (unsigned)n;
}

/* Fills in what the application may look at. */
static void fill_ibv_qp(struct ibv_qp *v, const struct ibv_qp_init_attr_ex *a)
{
	v->qp_context = a->qp_context;
	if (a->qp_type == IBV_QPT_XRC_RECV) {
		v->context = a->xrcd->context;
	} else {
		v->context = a->pd->context;
		v->pd = a->pd;
		v->send_cq = a->send_cq;
		v->recv_cq = a->qp_type == IBV_QPT_XRC_SEND ? NULL : a->recv_cq;
		v->srq = a->srq;
	}
	v->qp_type = a->qp_type;
	pthread_mutex_init(&v->mutex, NULL);
	pthread_cond_init(&v->cond, NULL);
}

/* Puts a QP into the state of one that was just created. */
static struct qp *qp_new(const struct ibv_qp_init_attr_ex *a)
{
	struct qp *qp = qp_alloc();

	if (!qp)
		return NULL;
	fill_ibv_qp(&qp->v, a);
	pthread_mutex_init(&qp->post.lock, NULL);
	qp->ctx = to_context(qp->v.context);
	qp->pd = to_pd(qp->v.pd);
	qp->send_cq = to_cq(qp->v.send_cq);
	qp->recv_cq = to_cq(qp->v.recv_cq);
	qp->srq = to_srq(qp->v.srq);
	if (a->qp_type == IBV_QPT_XRC_RECV)
		qp->xrcd = to_xrcd(a->xrcd);
	qp->type = a->qp_type;
	qp->sq_sig_all = a->sq_sig_all;
	qp->cap = a->cap;
	if (queues_init(qp)) {
		qp_free(qp);
		return NULL;
	}
	qp->attr.cap = qp->cap;
	return qp;
}

/* Counts the QP and makes it known. 0, or -1 with errno. */
static int qp_begin(struct qp *qp)
{
	SCOPED_ENGINE_LOCK();
	if (context_failed(&qp->ctx->v.context))
		return fail(EIO);
	if (qp_enter(qp))
		return -1;
	count_use(qp, 1);
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_qp_init_attr_ex *a, uint64_t send_ops)
{
	struct qp *qp = qp_new(a);

	if (!qp)
		return fail_null(ENOMEM);
	qp->post.send_ops = send_ops;
	wr_ex_init(qp);
	if (qp_begin(qp)) {
		const int err = errno;

		qp_free(qp);
		return fail_null(err);
	}
	a->cap = qp->cap;
	return &qp->v;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = a->qp_context,
		.send_cq = a->send_cq,
		.recv_cq = a->recv_cq,
		.srq = a->srq,
		.cap = a->cap,
		.qp_type = a->qp_type,
		.sq_sig_all = a->sq_sig_all,
		.pd = pd,
	};
	struct ibv_qp *qp;
	int err = check_init(pd, &ex);

	if (err)
		return fail_null(err);
	qp = create_qp(&ex, 0);
	if (qp)
		a->cap = ex.cap;
	return qp;
}

static struct ibv_qp *create_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *a)
{
	int err = check_extended(context, a);

	if (err)
		return fail_null(err);
	return create_qp(a, a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? a->send_ops_flags : 0);
}

EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return to_qp(qp)->post.send_ops ? &to_qp(qp)->ex : NULL;
}

EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	(void)qp;
	(void)op;
	(void)flags;
	return 0;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *v)
{
	struct qp *qp = to_qp(v);

	engine_lock();
	if (qp->mcast) {
		engine_unlock();
		return EBUSY;
	}
	qp_leave(qp);
	lent_forget(&qp->sq);
	lent_forget(&qp->rq);
	history_destroyed(qp);
	transport_forget(qp);
	region_forget_qp(qp);
	engine_flush();
	if (qp->send_cq)
		cq_purge(qp->send_cq, v->qp_num);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		cq_purge(qp->recv_cq, v->qp_num);
	/* Other threads go on meanwhile: they may destroy the SRQ and the CQ that an XRC_RECV QP
	 * has used. No packet finds the QP any more. */
	event_drain(qp->ctx, qp);
	count_use(qp, -1);
	engine_unlock();
	qp_free(qp);
	return 0;
}

void qp_attr_now(const struct qp *qp, struct ibv_qp_attr *attr)
{
	*attr = qp->attr;
	attr->cur_qp_state = attr->qp_state;
	attr->rq_psn = qp->resp.psn; /* the next ones, not those of ibv_modify_qp() */
	attr->sq_psn = qp->req.psn;
	attr->sq_draining = qp->draining;
}

/* Like the kernel, returns all attributes, whatever the mask asks for. */
EXPORT int ibv_query_qp(struct ibv_qp *v, struct ibv_qp_attr *attr, int mask,
			struct ibv_qp_init_attr *init)
{
	struct qp *qp = to_qp(v);

	if (mask & IBV_QP_RATE_LIMIT)
		return EOPNOTSUPP;
	engine_lock();
	if (qp_find(v->qp_num) != qp) { /* it was destroyed */
		engine_unlock();
		return EINVAL;
	}
	qp_attr_now(qp, attr);
	if (mask & IBV_QP_STATE)
		v->state = attr->qp_state;
	engine_unlock();
	*init = (struct ibv_qp_init_attr){
		.qp_context = v->qp_context,
		.send_cq = v->send_cq,
		.recv_cq = v->recv_cq,
		.srq = v->srq,
		.cap = qp->cap,
		.qp_type = qp->type,
		.sq_sig_all = qp->sq_sig_all,
	};
	return 0;
}

void context_ops_qp(struct context *c)
{
	c->v.create_qp_ex = create_ex;
	c->v.context.ops.post_send = post_send;
	c->v.context.ops.post_recv = post_recv;
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	for (unsigned i = 0, left = qp_count; left && i < MAX_QP; i++)
		if (qp_table[i].qp) {
			left--;
			fn(qp_table[i].qp, arg);
		}
}

static void forget_qp(struct qp *qp, void *arg)
{
	(void)arg;
	qp->resp.ack_due = false; /* nothing is said in the parent's name */
	transport_forget(qp);
	qp->attr.qp_state = IBV_QPS_RESET;
	pthread_mutex_init(&qp->post.lock, NULL);
	qp_leave(qp);
}

void qp_forget_all(void)
{
	qp_each(forget_qp, NULL);
	history_forget();
	next_qpn_is_drawn = false;
}
