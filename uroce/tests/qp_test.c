/* SPDX-License-Identifier: MIT */
/* Queue pairs come and go: their limits, their numbers, who they use. */
#include <errno.h>

#include "checks.h"
#include "group.h"
#include "verbs_app.h"

static struct ibv_qp_init_attr plain(enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr){
		.qp_context = &rig_transport,
		.send_cq = app_send_cq,
		.recv_cq = app_recv_cq,
		.cap = { 100, 10, 3, 1, 5 },
		.qp_type = type,
		.sq_sig_all = 1,
	};
}

static void refused(struct ibv_qp_init_attr a, int err)
{
	errno = 0;
	CHECK(ibv_create_qp(app_pd, &a) == NULL);
	CHECK_INT(errno, err);
	CHECK_INT(app_users(), 0);
}

static void test_limits(void)
{
	struct ibv_qp_init_attr a;

#define REFUSED(field, value, err) \
	a = plain(IBV_QPT_RC);     \
	a.field = value;           \
	refused(a, err)

	REFUSED(qp_type, IBV_QPT_XRC_RECV, EOPNOTSUPP); /* ibv_create_qp_ex() makes it */
	REFUSED(qp_type, IBV_QPT_RAW_PACKET, EOPNOTSUPP);
	REFUSED(qp_type, (enum ibv_qp_type)0, EINVAL);
	REFUSED(qp_type, (enum ibv_qp_type)99, EINVAL);
	REFUSED(send_cq, NULL, EINVAL);
	REFUSED(recv_cq, NULL, EINVAL);
	REFUSED(cap.max_send_wr, MAX_QP_WR + 1, EINVAL);
	REFUSED(cap.max_recv_wr, MAX_QP_WR + 1, EINVAL);
	REFUSED(cap.max_send_sge, MAX_SGE + 1, EINVAL);
	REFUSED(cap.max_recv_sge, MAX_SGE + 1, EINVAL);
	REFUSED(cap.max_inline_data, MAX_INLINE + 1, EINVAL);
	REFUSED(cap.max_send_wr, UINT32_MAX, EINVAL);
}

static void test_caps(void)
{
	struct ibv_qp_init_attr a = plain(IBV_QPT_RC);
	struct ibv_qp *qp = ibv_create_qp(app_pd, &a);

	CHECK(qp != NULL);
	CHECK_INT(a.cap.max_send_wr, 128);
	CHECK_INT(a.cap.max_recv_wr, 16);
	CHECK_INT(a.cap.max_send_sge, 3);
	CHECK_INT(a.cap.max_inline_data, 48);
	CHECK_INT(a.cap.max_recv_sge, 1);
	CHECK(qp->qp_context == &rig_transport && qp->pd == app_pd);
	CHECK_INT(qp->state, IBV_QPS_RESET);
	CHECK(ibv_qp_to_qp_ex(qp) == NULL);
	CHECK_INT(ibv_destroy_qp(qp), 0);

	a = plain(IBV_QPT_UD); /* the largest, and nothing at all */
	a.cap = (struct ibv_qp_cap){ MAX_QP_WR, MAX_QP_WR, MAX_SGE, MAX_SGE, MAX_INLINE };
	qp = ibv_create_qp(app_pd, &a);
	CHECK(qp != NULL);
	CHECK_INT(a.cap.max_send_wr, MAX_QP_WR);
	CHECK_INT(a.cap.max_inline_data, MAX_INLINE);
	CHECK_INT(a.cap.max_send_sge, MAX_SGE);
	CHECK_INT(ibv_destroy_qp(qp), 0);
	a.cap = (struct ibv_qp_cap){ 0 };
	qp = ibv_create_qp(app_pd, &a);
	CHECK(qp != NULL);
	CHECK_INT(a.cap.max_send_wr + a.cap.max_recv_wr + a.cap.max_inline_data, 0);
	CHECK_INT(ibv_destroy_qp(qp), 0);
}

/* Of another QP: it stays in the queues. */
#define OTHERS 0x999

/* An event of the QP that the application has taken: whoever destroys the QP waits for its
 * acknowledgement. */
static struct ibv_async_event taken;

static void put(struct ibv_cq *cq, uint32_t qpn)
{
	const struct ibv_wc wc = { .qp_num = qpn };

	engine_lock();
	cq_put(to_cq(cq), &wc, false);
	engine_unlock();
}

static void acknowledge(void)
{
	/* meanwhile the queues may go, too */
	CHECK_INT(app_completion(app_send_cq).qp_num, OTHERS);
	CHECK_INT(app_completion(app_recv_cq).qp_num, OTHERS);
	ibv_ack_async_event(&taken);
	rig_sleeper = NULL;
}

/* Gives the QP all that has to end with it. */
static void use(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mr *mr)
{
	const struct ibv_mw_bind_info info = { mr, (uintptr_t)mr->addr, 1, IBV_ACCESS_REMOTE_READ };
	const struct window_bind bind = region_window_bind_of(mw, ibv_inc_rkey(mw->rkey), &info);

	put(app_send_cq, qp->qp_num);
	put(app_send_cq, OTHERS);
	put(app_recv_cq, OTHERS);
	put(app_recv_cq, qp->qp_num);
	engine_lock();
	CHECK_INT(region_bind(to_qp(qp), &bind), 0);
	event_qp(to_qp(qp), IBV_EVENT_QP_FATAL);
	engine_unlock();
	CHECK_INT(ibv_get_async_event(app_context, &taken), 0);
	CHECK(((struct mw *)mw)->qp == to_qp(qp));
}

static void test_users(void)
{
	static char bytes[8];
	struct ibv_mr *mr = ibv_reg_mr(app_pd, bytes, sizeof bytes, IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(app_pd, IBV_MW_TYPE_2);
	struct ibv_qp_init_attr a = plain(IBV_QPT_UD);
	unsigned before = to_pd(app_pd)->users;
	struct ibv_qp *qp = ibv_create_qp(app_pd, &a);
	uint32_t number = qp->qp_num;

	CHECK_INT(to_pd(app_pd)->users, before + 1);
	CHECK_INT(to_cq(app_send_cq)->users, 1);
	CHECK_INT(to_cq(app_recv_cq)->users, 1);
	CHECK(qp_find(number) == to_qp(qp));
	to_qp(qp)->mcast = 1;
	CHECK_INT(ibv_destroy_qp(qp), EBUSY);
	CHECK(qp_find(number) == to_qp(qp));
	to_qp(qp)->mcast = 0;
	rig_transport.forgotten = 0;
	use(qp, mw, mr);
	rig_sleeper = acknowledge;
	CHECK_INT(ibv_destroy_qp(qp), 0);
	CHECK(!rig_sleeper);
	CHECK(qp_find(number) == NULL);
	CHECK_INT(rig_transport.forgotten, 1);
	CHECK(!((struct mw *)mw)->qp);
	CHECK_INT(app_users(), before);
	CHECK_INT(ibv_dealloc_mw(mw), 0);
	CHECK_INT(ibv_dereg_mr(mr), 0);
}

static struct ibv_qp *extended(enum ibv_qp_type type, uint32_t mask, uint32_t flags, uint64_t ops)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = app_send_cq,
		.recv_cq = app_send_cq,
		.cap = { 4, 4, 1, 1, 0 },
		.qp_type = type,
		.comp_mask = mask,
		.pd = app_pd,
		.create_flags = flags,
		.send_ops_flags = ops,
	};

	errno = 0;
	return ibv_create_qp_ex(app_context, &a);
}

static void test_extended(void)
{
	const uint32_t pd = IBV_QP_INIT_ATTR_PD, ops = pd | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct ibv_qp *qp;

	CHECK(!extended(IBV_QPT_RC, ops | IBV_QP_INIT_ATTR_XRCD, 0, 0));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_RC, pd | 1 << 20, 0, 0));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_RC, pd | IBV_QP_INIT_ATTR_CREATE_FLAGS, 1, 0));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_RC, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, 0, IBV_QP_EX_WITH_SEND));
	CHECK_INT(errno, EINVAL);
	CHECK(!extended(IBV_QPT_RC, ops, 0, IBV_QP_EX_WITH_TSO));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_UD, ops, 0, IBV_QP_EX_WITH_RDMA_READ));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_UC, ops, 0, IBV_QP_EX_WITH_SEND_WITH_INV)); /* no opcode */
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended(IBV_QPT_RC, ops, 0, UINT64_C(1) << 40));
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK(!extended((enum ibv_qp_type)77, ops, 0, IBV_QP_EX_WITH_SEND));
	CHECK_INT(errno, EINVAL);
	qp = extended(IBV_QPT_RC, pd | IBV_QP_INIT_ATTR_CREATE_FLAGS, 0, 0);
	CHECK(qp && !ibv_qp_to_qp_ex(qp));
	CHECK_INT(ibv_destroy_qp(qp), 0);
	qp = extended(IBV_QPT_RC, ops, 0, IBV_QP_EX_WITH_SEND);
	CHECK(qp && ibv_qp_to_qp_ex(qp));
	CHECK_INT(ibv_destroy_qp(qp), 0);
	CHECK_INT(to_pd(app_pd)->users, 0);
}

/* XRC: one end has a send queue and nothing else, the other no queue at all. */
static void test_xrc(void)
{
	struct ibv_xrcd_init_attr xa = { IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, -1, 0 };
	struct ibv_xrcd *xrcd = ibv_open_xrcd(app_context, &xa);
	struct ibv_qp_init_attr_ex a = { .qp_type = IBV_QPT_XRC_RECV,
					 .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					 .xrcd = xrcd };
	struct ibv_srq_init_attr_ex sa = {
		.attr = { 4, 1, 0 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = app_pd,
		.xrcd = xrcd,
		.cq = app_recv_cq,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(app_context, &sa);
	struct ibv_qp *target = ibv_create_qp_ex(app_context, &a), *qp;
	struct ibv_recv_wr none = { 0 }, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_qp_init_attr asked;
	struct ibv_qp_attr attr;
	uint32_t number = 0;

	CHECK(target && !target->pd && !target->send_cq && !target->recv_cq && !target->srq);
	CHECK_INT(ibv_query_qp(target, &attr, IBV_QP_STATE, &asked), 0);
	CHECK(asked.qp_type == IBV_QPT_XRC_RECV && !asked.cap.max_send_wr);
	CHECK_INT(ibv_post_recv(target, &none, &bad_recv), EINVAL);
	CHECK_INT(ibv_post_send(target, &send, &bad_send), EINVAL);
	CHECK_INT(ibv_get_srq_num(srq, &number), 0);
	CHECK(number > 0 && number < 1 << 24);
	CHECK_INT(ibv_close_xrcd(xrcd), EBUSY);
	a.xrcd = NULL;
	CHECK(!ibv_create_qp_ex(app_context, &a) && errno == EINVAL);
	sa.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_CQ;
	CHECK(!ibv_create_srq_ex(app_context, &sa) && errno == EINVAL);

	a = (struct ibv_qp_init_attr_ex){ .qp_type = IBV_QPT_XRC_SEND,
					  .comp_mask = IBV_QP_INIT_ATTR_PD,
					  .cap = { 4, 4, 1, 1, 0 },
					  .send_cq = app_send_cq,
					  .pd = app_pd };
	qp = ibv_create_qp_ex(app_context, &a);
	CHECK(qp && qp->send_cq && !qp->recv_cq && !a.cap.max_recv_wr);
	app_state(to_qp(qp), IBV_QPS_RTS);
	CHECK_INT(ibv_post_recv(qp, &none, &bad_recv), EINVAL);
	CHECK_INT(ibv_destroy_qp(qp), 0);
	a.srq = srq; /* which has to be reached by its number */
	a.qp_type = IBV_QPT_RC;
	a.recv_cq = a.send_cq;
	CHECK(!ibv_create_qp_ex(app_context, &a) && errno == EINVAL);

	CHECK_INT(to_cq(app_recv_cq)->users, 1);
	CHECK_INT(ibv_destroy_srq(srq) | ibv_destroy_qp(target), 0);
	CHECK_INT(ibv_close_xrcd(xrcd), 0);
	CHECK_INT(app_users(), 0);
}

static struct ibv_qp *small(void)
{
	struct ibv_qp_init_attr a = plain(IBV_QPT_RC);

	a.cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
	return ibv_create_qp(app_pd, &a);
}

static unsigned counted;

static void count_one(struct qp *qp, void *arg)
{
	CHECK(arg == &rig_transport && qp_find(qp->v.qp_num) == qp);
	counted++;
}

static void test_numbers(void)
{
	enum { MANY = 1000 };
	static struct ibv_qp *qps[MANY];
	uint32_t first, last = 0;

	for (unsigned i = 0; i < MANY; i++) {
		qps[i] = small();
		CHECK(qps[i] != NULL);
		CHECK_INT(qps[i]->qp_num >> SLOT_SHIFT, rig_slot);
	}
	for (unsigned i = 0; i < MANY; i++)
		CHECK(qp_find(qps[i]->qp_num) == to_qp(qps[i]));
	qp_each(count_one, &rig_transport);
	CHECK_INT(counted, MANY);
	CHECK(!qp_find(0) && !qp_find(1) && !qp_find(QPN_MULTICAST));
	first = qps[0]->qp_num;
	CHECK(!qp_find(first ^ 1u << SLOT_SHIFT)); /* of another process */
	CHECK(!qp_find(first ^ MAX_QP));	   /* of another time */
	for (unsigned i = 0; i < MANY; i++)
		CHECK_INT(ibv_destroy_qp(qps[i]), 0);
	/* the numbers go once around before one comes again, whatever is destroyed meanwhile */
	for (unsigned i = MANY; i < 1u << SLOT_SHIFT; i++) {
		struct ibv_qp *qp = small();

		last = qp->qp_num;
		if (last == first)
			fprintf(stderr, "number %u again after %u\n", last, i);
		CHECK(last != first);
		ibv_destroy_qp(qp);
	}
	qps[0] = small();
	CHECK_INT(qps[0]->qp_num, first);
	ibv_destroy_qp(qps[0]);
}

static void test_last_slot(void)
{
	rig_slot = SLOTS - 1; /* its last number is that of multicasts */
	for (unsigned i = 0; i <= 1u << SLOT_SHIFT; i++) {
		struct ibv_qp *qp = small();

		CHECK(qp->qp_num != QPN_MULTICAST);
		ibv_destroy_qp(qp);
	}
	rig_slot = 5;
}

static void test_full(void)
{
	static struct ibv_qp *qps[MAX_QP];

	for (unsigned i = 0; i < MAX_QP; i++) {
		qps[i] = small();
		CHECK(qps[i] != NULL);
	}
	CHECK(small() == NULL);
	CHECK_INT(errno, ENOMEM);
	ibv_destroy_qp(qps[77]);
	qps[77] = small();
	CHECK(qps[77] != NULL);
	for (unsigned i = 0; i < MAX_QP; i++)
		ibv_destroy_qp(qps[i]);
	CHECK_INT(to_pd(app_pd)->users, 0);
}

/* A child of fork() keeps what it can destroy, and nothing that packets find. */
static void test_forget(void)
{
	struct ibv_qp *qp = small(), *other;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	uint32_t number = qp->qp_num;

	app_state(to_qp(qp), IBV_QPS_RTS);
#ifndef __SANITIZE_THREAD__			   /* which does not see that it is made anew */
	pthread_mutex_lock(&to_qp(qp)->post.lock); /* by a thread that the child has not */
#endif
	qp_forget_all();
	CHECK(!qp_find(number));
	CHECK_INT(ibv_post_send(qp, &wr, &bad), EINVAL);
	rig_slot = 9;
	other = small();
	CHECK_INT(other->qp_num >> SLOT_SHIFT, 9);
	CHECK_INT(ibv_destroy_qp(qp), 0);
	CHECK(qp_find(other->qp_num) == to_qp(other));
	CHECK_INT(ibv_destroy_qp(other), 0);
	rig_slot = 5;
}

int main(void)
{
	app_open();
	test_limits();
	test_caps();
	test_users();
	test_extended();
	test_xrc();
	test_numbers();
	test_last_slot();
	test_full();
	test_forget();
	app_close();
	return checks_end();
}
