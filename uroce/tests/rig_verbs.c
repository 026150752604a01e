/* SPDX-License-Identifier: MIT */
/* The verbs of the rig: the real ones make QPs, queues, regions and windows, but states and
 * requests go to the transport past their checks. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "context.h"
#include "engine.h"
#include "region.h"
#include "rig.h"
#include "spec_tables.h"

#define CQE	256
#define SQ_SIZE 64
#define RQ_SIZE 256
#define SGES	4
#define INLINE	1024

struct ibv_context *rig_context;
struct pd *rig_pd, *rig_other_pd;
const union ibv_gid rig_gid_a = { .raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 } };
const union ibv_gid rig_gid_b = { .raw = { [10] = 0xff, 0xff, 10, 0, 0, 2 } };
const union ibv_gid rig_mgid = { .raw = { [10] = 0xff, 0xff, 224, 0, 0, 9 } };

const struct rig_options rig_defaults = {
	.type = IBV_QPT_RC,
	.mtu = 256,
	.psn = 0xfffff0,
	.timeout = 8,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 1,
	.rd_atomic = 4,
	.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC |
		  FLUSH_ACCESS_GLOBAL,
};

__attribute__((constructor)) static void open_device(void)
{
	rig_context = ibv_open_device(&devices[0].v);
	CHECK(rig_context);
	CHECK_INT(fcntl(rig_context->async_fd, F_SETFL, O_NONBLOCK), 0);
	rig_pd = to_pd(ibv_alloc_pd(rig_context));
	rig_other_pd = to_pd(ibv_alloc_pd(rig_context));
	CHECK(rig_pd && rig_other_pd);
}

/* --------------------------------------------------------------------- memory -- */

uint32_t rig_reg(struct pd *pd, void *addr, size_t len, unsigned access)
{
	struct mr *mr = calloc(1, sizeof(*mr));

	CHECK(mr);
	mr->pd = pd;
	mr->host = addr;
	mr->iova = (uintptr_t)addr;
	mr->len = len;
	mr->access = access;
	CHECK_INT(region_add_mr(mr), 0);
	return mr->rkey;
}

void rig_dereg(uint32_t key)
{
	struct mr *mr = (struct mr *)region_find(key);

	CHECK(mr);
	region_remove_mr(mr);
	free(mr);
}

struct target {
	const uint8_t *from, *to;
	bool writable;
};

static void look_at(struct mr *mr, void *arg)
{
	struct target *t = arg;

	t->writable |= mr->access && t->from >= mr->host && t->to <= mr->host + mr->len;
}

bool rig_writable(const void *addr, size_t len)
{
	const uint8_t *from = addr;
	struct target t = { from, from + len, false };

	region_each(look_at, &t);
	return t.writable;
}

static struct ibv_mw *window;

struct window_bind rig_window(void)
{
	static char bytes[8];
	static struct ibv_mr *mr;
	struct ibv_mw_bind_info info = { NULL, (uintptr_t)bytes, 8, IBV_ACCESS_REMOTE_READ };

	if (window)
		CHECK_INT(ibv_dealloc_mw(window), 0);
	else
		mr = ibv_reg_mr(&rig_pd->v, bytes, sizeof(bytes), IBV_ACCESS_MW_BIND);
	window = ibv_alloc_mw(&rig_pd->v, IBV_MW_TYPE_2);
	CHECK(mr && window);
	info.mr = mr;
	return region_window_bind_of(window, ibv_inc_rkey(window->rkey), &info);
}

uint32_t rig_bind(struct qp *qp)
{
	struct window_bind bind = rig_window();

	CHECK_INT(region_bind(qp, &bind), 0);
	return bind.rkey;
}

bool rig_is_bound(void)
{
	return ((struct mw *)window)->qp;
}

/* ------------------------------------------------------- completions and events -- */

static struct ibv_cq *new_cq(void)
{
	struct ibv_cq *cq = ibv_create_cq(rig_context, CQE, NULL, NULL, 0);

	CHECK(cq);
	return cq;
}

bool rig_poll(struct cq *cq, struct ibv_wc *wc)
{
	return ibv_poll_cq(&cq->v, 1, wc) == 1;
}

struct rig_event rig_event(void)
{
	struct ibv_async_event e;

	/* without a system call: this is asked often */
	if (TAILQ_EMPTY(&to_context(rig_context)->events) ||
	    ibv_get_async_event(rig_context, &e) != 0)
		return (struct rig_event){ NULL, -1 };
	ibv_ack_async_event(&e);
	return (struct rig_event){ to_qp(e.element.qp), (int)e.event_type };
}

/* -------------------------------------------------------------------- receives -- */

void rig_recv(struct qp *qp, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)addr, len, lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };

	CHECK_INT(ibv_post_recv(&qp->v, &wr, &bad), 0);
}

void rig_srq_recv(struct srq *srq, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)addr, len, lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };

	CHECK_INT(ibv_post_srq_recv(&srq->v, &wr, &bad), 0);
}

struct srq *rig_srq(struct pd *pd, struct xrcd *xrcd)
{
	struct ibv_srq_init_attr_ex a = {
		.attr = { .max_wr = RQ_SIZE, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = xrcd ? IBV_SRQT_XRC : IBV_SRQT_BASIC,
		.pd = &pd->v,
		.xrcd = xrcd ? &xrcd->v : NULL,
	};
	struct ibv_srq *srq;

	if (xrcd) {
		a.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		a.cq = new_cq();
	}
	srq = ibv_create_srq_ex(rig_context, &a);
	CHECK(srq);
	return to_srq(srq);
}

void rig_srq_free(struct srq *srq)
{
	struct cq *cq = srq->cq;

	CHECK_INT(ibv_destroy_srq(&srq->v), 0);
	if (cq)
		CHECK_INT(ibv_destroy_cq(&cq->v), 0);
}

/* ------------------------------------------------------------------------- QPs -- */

void rig_join(struct qp *qp)
{
	rig_group_fd = RIG_MEMBER_FD;
	CHECK_INT(ibv_attach_mcast(&qp->v, &rig_mgid, 0), 0);
}

struct qp *rig_qp(const struct rig_options *o)
{
	struct ibv_qp_init_attr_ex a = {
		.qp_type = o->type,
		.cap = { SQ_SIZE, RQ_SIZE, SGES, 1, INLINE },
		.srq = o->srq ? &o->srq->v : NULL,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &rig_pd->v,
	};
	struct qp *qp;

	if (o->type == IBV_QPT_XRC_RECV) {
		a.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		a.xrcd = &o->xrcd->v;
	} else {
		a.send_cq = new_cq();
		a.recv_cq = o->type == IBV_QPT_XRC_SEND ? NULL : new_cq();
	}
	qp = to_qp(ibv_create_qp_ex(rig_context, &a));
	CHECK(qp);
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
	engine_lock();
	transport_enter(qp, from, to, &(struct uroce_change){ .cause = UROCE_BY_PROGRAM });
	engine_unlock();
}

void rig_rtr(struct qp *qp, struct qp *peer, const struct rig_options *o)
{
	bool first = qp->number < peer->number;

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
	struct ibv_cq *send_cq = qp->v.send_cq, *recv_cq = qp->v.recv_cq;

	mcast_leave(qp);
	CHECK_INT(ibv_destroy_qp(&qp->v), 0);
	if (send_cq)
		CHECK_INT(ibv_destroy_cq(send_cq), 0);
	if (recv_cq)
		CHECK_INT(ibv_destroy_cq(recv_cq), 0);
}

static void fill(struct send_wqe *w, const struct rig_wr *wr, enum ibv_qp_type type)
{
	if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV)
		w->inv_rkey = wr->inv_rkey;
	else
		w->imm = wr->imm;
	if (wr->opcode == IBV_WR_BIND_MW) {
		w->bind = wr->bind;
	} else if (wr->opcode == FLUSH_WR) {
		w->remote = wr->remote;
		w->rkey = wr->rkey;
		w->flush_len = wr->flush_len;
		w->feth = wr->feth ? wr->feth : FETH(FLUSH_GLOBAL, FLUSH_RANGE);
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
	engine_lock();
	requester_run(qp);
	engine_unlock();
}
