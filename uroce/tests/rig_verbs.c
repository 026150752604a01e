/* SPDX-License-Identifier: MIT */
/* The verbs of the rig: QPs, queues and regions, of which there are few. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "context.h"
#include "engine.h"
#include "region.h"
#include "rig.h"
#include "spec_tables.h"

#define QPS	32
#define REGIONS 64
#define EVENTS	256
#define SQ_SIZE 64
#define RQ_SIZE 256
#define SGES	4
#define INLINE	1024
#define STRIDE	(sizeof(struct send_wqe) + INLINE + SGES * sizeof(struct ibv_sge))

struct pd rig_pd, rig_other_pd;
const union ibv_gid rig_gid_a = { .raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 } };
const union ibv_gid rig_gid_b = { .raw = { [10] = 0xff, 0xff, 10, 0, 0, 2 } };
union ibv_gid rig_mgid = { .raw = { [10] = 0xff, 0xff, 224, 0, 0, 9 } };
uint32_t rig_bound;

const struct rig_options rig_defaults = {
	.type = IBV_QPT_RC,
	.mtu = 256,
	.psn = 0xfffff0,
	.timeout = 8,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 1,
	.rd_atomic = 4,
	.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
};

const uint8_t *rig_hole;
size_t rig_hole_bytes;
bool rig_strict;

static struct qp *qps[QPS];
static bool joined[QPS];
static struct rig_region {
	uint32_t key;
	uint8_t *host;
	size_t len;
	unsigned access;
	struct pd *pd;
} regions[REGIONS];
static struct rig_event events[EVENTS];
static unsigned events_head, events_tail;

/* --------------------------------------------------------------------- memory -- */

uint32_t rig_reg(struct pd *pd, void *addr, size_t len, unsigned access)
{
	static uint32_t serial;

	for (unsigned i = 0; i < REGIONS; i++) {
		if (regions[i].key)
			continue;
		regions[i] = (struct rig_region){ ++serial << 8 | i, addr, len, access, pd };
		return regions[i].key;
	}
	CHECK(!"room for a region");
	return 0;
}

void rig_dereg(uint32_t key)
{
	CHECK(regions[key & 0xff].key == key);
	regions[key & 0xff].key = 0;
}

bool rig_writable(const void *addr, size_t len)
{
	const uint8_t *a = addr;

	for (unsigned i = 0; i < REGIONS; i++) {
		const struct rig_region *r = &regions[i];

		if (r->key && r->access && a >= r->host && a + len <= r->host + r->len)
			return true;
	}
	return false;
}

static void *look_up(struct qp *qp, uint32_t key, uint64_t va, uint64_t len, unsigned access)
{
	const struct rig_region *r = &regions[key % REGIONS];
	static char nothing[1];
	uint64_t start;

	if (len == 0)
		return nothing;
	if (!key || r->key != key || r->pd != qp->pd)
		return NULL;
	start = (uintptr_t)r->host;
	if (va < start || va - start > r->len || len > r->len - (va - start) ||
	    (r->access & access) != access)
		return NULL;
	return r->host + (va - start);
}

void *region_local(struct qp *qp, uint32_t lkey, uint64_t va, uint64_t len, unsigned access)
{
	return look_up(qp, lkey, va, len, access);
}

void *region_remote(struct qp *qp, uint32_t rkey, uint64_t va, uint64_t len, unsigned access)
{
	return look_up(qp, rkey, va, len, access);
}

int region_bind(struct qp *qp, const struct window_bind *b)
{
	(void)qp;
	if (b->window != rig_bound)
		return -1;
	rig_bound = b->rkey;
	return 0;
}

int region_invalidate(struct qp *qp, uint32_t rkey, bool remote)
{
	(void)qp;
	(void)remote;
	if (rkey != rig_bound)
		return -1;
	rig_bound = 0;
	return 0;
}

static bool in_hole(const void *p, size_t n)
{
	const uint8_t *b = p;

	return rig_hole && b < rig_hole + rig_hole_bytes && b + n > rig_hole;
}

static void check_target(const void *p, size_t n)
{
	CHECK(!rig_strict || rig_writable(p, n) || rig_in_packet(p, n));
}

int guard_copy(void *dst, const void *src, size_t n)
{
	check_target(dst, n);
	if (in_hole(dst, n) || in_hole(src, n))
		return -1;
	memcpy(dst, src, n);
	return 0;
}

int guard_store(uint64_t *p, uint64_t value)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*p = value;
	return 0;
}

int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	*p += add;
	return 0;
}

int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	if (*old == compare)
		*p = swap;
	return 0;
}

/* ---------------------------------------------------------------------- queues -- */

void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	struct rig_cq *c = (struct rig_cq *)cq;

	CHECK(c->tail - c->head < RIG_CQE);
	c->wc[c->tail % RIG_CQE] = *wc;
	c->solicited[c->tail++ % RIG_CQE] = solicited;
}

void cq_purge(struct cq *cq, uint32_t qpn)
{
	struct rig_cq *c = (struct rig_cq *)cq;

	(void)qpn;
	c->head = c->tail;
}

bool rig_poll(struct cq *cq, struct ibv_wc *wc)
{
	struct rig_cq *c = (struct rig_cq *)cq;

	if (c->head == c->tail)
		return false;
	*wc = c->wc[c->head++ % RIG_CQE];
	return true;
}

bool rig_solicited(struct cq *cq)
{
	struct rig_cq *c = (struct rig_cq *)cq;

	return c->solicited[(c->head - 1) % RIG_CQE];
}

static void rq_init(struct recv_queue *rq)
{
	rq->ring = calloc(RQ_SIZE, sizeof(*rq->ring));
	rq->room = calloc(RQ_SIZE, sizeof(*rq->room));
	rq->mask = RQ_SIZE - 1;
	rq->size = RQ_SIZE;
	rq->max_sge = 1;
	CHECK(rq->ring && rq->room);
}

static void rq_post(struct recv_queue *rq, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey)
{
	uint32_t i = rq->tail++ & rq->mask;

	CHECK(rq->tail - rq->head <= rq->size);
	rq->room[i] = (struct ibv_sge){ (uintptr_t)addr, len, lkey };
	rq->ring[i] = (struct recv_wqe){ .wr_id = wr_id, .len = len, .nsge = 1, &rq->room[i] };
}

void rig_recv(struct qp *qp, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey)
{
	rq_post(&qp->rq, wr_id, addr, len, lkey);
	if (qp_state(qp) == IBV_QPS_ERR)
		qp_flush_recvs(qp);
}

void rig_srq_recv(struct srq *srq, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey)
{
	rq_post(&srq->rq, wr_id, addr, len, lkey);
}

struct srq *rig_srq(void)
{
	struct srq *srq = calloc(1, sizeof(*srq));

	CHECK(srq);
	rq_init(&srq->rq);
	return srq;
}

void rig_srq_free(struct srq *srq)
{
	free(srq->rq.ring);
	free(srq->rq.room);
	free(srq);
}

bool qp_take_recv(struct qp *qp)
{
	struct recv_queue *rq = qp->srq ? &qp->srq->rq : &qp->rq;
	struct responder *r = &qp->resp;

	CHECK(!r->has_recv);
	if (rq->head == rq->tail)
		return false;
	r->recv = rq->ring[rq->head++ & rq->mask];
	memcpy(r->recv_sge, r->recv.sge, (size_t)r->recv.nsge * sizeof(*r->recv_sge));
	r->recv.sge = r->recv_sge;
	r->has_recv = true;
	return true;
}

void qp_flush_recvs(struct qp *qp)
{
	while (!qp->srq && qp->rq.head != qp->rq.tail) {
		struct ibv_wc wc = { .wr_id = qp->rq.ring[qp->rq.head++ & qp->rq.mask].wr_id,
				     .status = IBV_WC_WR_FLUSH_ERR,
				     .qp_num = qp->v.qp_num };

		cq_put(qp->recv_cq, &wc, true);
	}
}

void event_qp(struct qp *qp, enum ibv_event_type type)
{
	CHECK(events_tail - events_head < EVENTS);
	events[events_tail++ % EVENTS] = (struct rig_event){ qp, type };
}

struct rig_event rig_event(void)
{
	if (events_head == events_tail)
		return (struct rig_event){ NULL, -1 };
	return events[events_head++ % EVENTS];
}

/* ------------------------------------------------------------------------- QPs -- */

struct qp *qp_find(uint32_t qpn)
{
	return qpn >= 100 && qpn < 100 + QPS ? qps[qpn - 100] : NULL;
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	for (unsigned i = 0; i < QPS; i++)
		if (qps[i])
			fn(qps[i], arg);
}

void rig_join(struct qp *qp)
{
	joined[qp->v.qp_num - 100] = true;
}

void qp_each_in_group(const union ibv_gid *mgid, void (*fn)(struct qp *qp, void *arg), void *arg)
{
	if (memcmp(mgid, &rig_mgid, sizeof(*mgid)) != 0)
		return;
	for (unsigned i = 0; i < QPS; i++) {
		if (qps[i] && joined[i])
			fn(qps[i], arg);
	}
}

struct qp *rig_qp(const struct rig_options *o)
{
	struct qp *qp = calloc(1, sizeof(*qp));
	unsigned i = 0;

	while (i < QPS && qps[i])
		i++;
	CHECK(qp && i < QPS);
	qps[i] = qp;
	joined[i] = false;
	qp->v.qp_num = 100 + i;
	qp->type = o->type;
	qp->pd = &rig_pd;
	qp->srq = o->srq;
	qp->send_cq = calloc(1, sizeof(struct rig_cq));
	qp->recv_cq = calloc(1, sizeof(struct rig_cq));
	qp->sq.ring = calloc(SQ_SIZE, STRIDE);
	qp->sq.stride = STRIDE;
	qp->sq.mask = SQ_SIZE - 1;
	qp->sq.size = SQ_SIZE;
	qp->resp.recv_sge = calloc(SGES, sizeof(struct ibv_sge));
	CHECK(qp->send_cq && qp->recv_cq && qp->sq.ring && qp->resp.recv_sge);
	CHECK_INT(timer_reserve(1), 0);
	rq_init(&qp->rq);
	qp->mtu = o->mtu;
	qp->attr.qp_state = IBV_QPS_INIT;
	qp->attr.qp_access_flags = o->access;
	qp->attr.qkey = 0x11111111;
	/* it does not matter where the positions begin */
	qp->sq.head = qp->sq.next = qp->sq.tail = qp->rq.head = qp->rq.tail = (uint32_t)-5;
	return qp;
}

void rig_state(struct qp *qp, enum ibv_qp_state to)
{
	enum ibv_qp_state from = qp_state(qp);

	qp->attr.qp_state = to;
	transport_enter(qp, from, to);
}

void rig_rtr(struct qp *qp, struct qp *peer, const struct rig_options *o)
{
	bool first = qp->v.qp_num < peer->v.qp_num;

	qp->flow.sgid = first ? rig_gid_a : rig_gid_b;
	qp->flow.dgid = first ? rig_gid_b : rig_gid_a;
	qp->attr.dest_qp_num = peer->v.qp_num;
	qp->attr.rq_psn = qp->attr.sq_psn = o->psn;
	qp->attr.min_rnr_timer = (uint8_t)o->min_rnr_timer;
	qp->attr.max_dest_rd_atomic = (uint8_t)o->rd_atomic;
	CHECK_INT(responses_resize(qp, o->rd_atomic), 0);
	rig_state(qp, IBV_QPS_RTR);
}

void rig_rts(struct qp *qp, const struct rig_options *o)
{
	qp->attr.timeout = (uint8_t)o->timeout;
	qp->attr.retry_cnt = (uint8_t)o->retry_cnt;
	qp->attr.rnr_retry = (uint8_t)o->rnr_retry;
	qp->attr.max_rd_atomic = (uint8_t)o->rd_atomic;
	rig_state(qp, IBV_QPS_RTS);
}

void rig_connect(struct qp *a, struct qp *b, const struct rig_options *o)
{
	rig_rtr(a, b, o);
	rig_rtr(b, a, o);
	rig_rts(a, o);
	rig_rts(b, o);
}

void rig_free(struct qp *qp)
{
	transport_forget(qp);
	timer_reserve(-1);
	qps[qp->v.qp_num - 100] = NULL;
	free(qp->send_cq);
	free(qp->recv_cq);
	free(qp->sq.ring);
	free(qp->rq.ring);
	free(qp->rq.room);
	free(qp->resp.recv_sge);
	free(qp->resp.responses);
	free(qp);
}

static void fill(struct send_wqe *w, const struct rig_wr *wr, enum ibv_qp_type type)
{
	if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV)
		w->inv_rkey = wr->inv_rkey;
	else
		w->imm = wr->imm;
	if (wr->opcode == IBV_WR_BIND_MW) {
		w->bind = wr->bind;
	} else if (type == IBV_QPT_UD) {
		w->flow = (struct flow){ .sgid = rig_gid_a, .dgid = wr->dgid };
		w->dest_qpn = wr->qpn;
		w->dest_qkey = wr->qkey;
	} else {
		w->remote = wr->remote;
		w->rkey = wr->rkey;
		w->compare_add = wr->compare_add;
		w->swap = wr->swap;
		w->remote_srqn = wr->srqn;
	}
}

void rig_post(struct qp *qp, const struct rig_wr *wr)
{
	struct send_wqe *w = sq_at(qp, qp->sq.tail);
	uint8_t *room = (uint8_t *)(w + 1);

	CHECK(qp->sq.tail - qp->sq.head < SQ_SIZE);
	*w = (struct send_wqe){
		.wr_id = wr->wr_id,
		.op = wr_op_find(wr->opcode),
		.flags = wr->flags,
		.signaled = !wr->unsignaled,
		.nsge = wr->nsge,
	};
	fill(w, wr, qp->type);
	if (wr->nsge < 0) {
		CHECK(wr->len <= INLINE);
		memcpy(room, wr->data, wr->len);
		w->data = room;
		w->len = wr->len;
	} else {
		memcpy(room, wr->sge, (size_t)wr->nsge * sizeof(wr->sge[0]));
		w->sge = (struct ibv_sge *)room;
		for (int i = 0; i < wr->nsge; i++)
			w->len += wr->sge[i].length;
	}
	qp->sq.tail++;
	requester_run(qp);
}
