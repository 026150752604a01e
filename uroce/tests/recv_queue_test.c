/* SPDX-License-Identifier: MIT */
/* Receive queues, of a QP and shared. */
#include <errno.h>

#include "checks.h"
#include "engine.h"
#include "verbs_app.h"

static struct ibv_sge sges[3] = { { 0x1000, 10, 1 }, { 0x2000, 20, 2 }, { 0x3000, 30, 3 } };

/* n requests in a row, wr_id from id on, nsge SGEs each. */
static struct ibv_recv_wr *chain(unsigned n, uint64_t id, int nsge)
{
	static struct ibv_recv_wr wr[16];

	for (unsigned i = 0; i < n; i++)
		wr[i] = (struct ibv_recv_wr){ .wr_id = id + i,
					      .next = i + 1 < n ? &wr[i + 1] : NULL,
					      .sg_list = sges,
					      .num_sge = nsge };
	return wr;
}

static void take(struct qp *qp, uint64_t id, int nsge, uint32_t len)
{
	qp->resp.has_recv = false;
	engine_lock();
	CHECK(qp_take_recv(qp));
	engine_unlock();
	CHECK(qp->resp.has_recv);
	CHECK_INT(qp->resp.recv.wr_id, id);
	CHECK_INT(qp->resp.recv.nsge, nsge);
	CHECK_INT(qp->resp.recv.len, len);
	CHECK(memcmp(qp->resp.recv.sge, sges, (size_t)nsge * sizeof *sges) == 0);
}

/* A receive that was flushed; its completion is an event even for who waits for solicited ones. */
static void is_flushed(const struct qp *qp, uint64_t id)
{
	struct ibv_wc wc = app_completion(app_recv_cq);
	struct ibv_cq *cq;
	void *arg;

	CHECK_INT(wc.status, IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(wc.wr_id, id);
	CHECK_INT(wc.qp_num, qp->v.qp_num);
	CHECK(wc.opcode & IBV_WC_RECV);
	CHECK_INT(ibv_get_cq_event(app_channel, &cq, &arg), 0);
	CHECK(cq == app_recv_cq);
	ibv_ack_cq_events(cq, 1);
}

static void test_states(void)
{
	static const int answers[] = { EINVAL, 0, 0, 0, 0, 0, 0 };
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	struct ibv_recv_wr *bad, *wr = chain(1, 7, 1);

	for (enum ibv_qp_state s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++) {
		app_state(qp, s);
		bad = NULL;
		CHECK_INT(ibv_req_notify_cq(app_recv_cq, true), 0);
		CHECK_INT(ibv_post_recv(&qp->v, wr, &bad), answers[s]);
		CHECK(bad == (answers[s] ? wr : NULL));
		if (s == IBV_QPS_ERR)
			is_flushed(qp, 7);
		CHECK(cq_empty(to_cq(app_recv_cq)));
		if (s != IBV_QPS_RESET && s != IBV_QPS_ERR)
			take(qp, 7, 1, 10);
		CHECK(!qp_take_recv(qp));
	}
	ibv_destroy_qp(&qp->v);
}

static void test_full(void)
{
	struct qp *qp = app_qp(IBV_QPT_UD, NULL, 0);
	struct ibv_recv_wr *bad, *wr = chain(6, 1, 2);
	struct ibv_wc wc[5];

	app_state(qp, IBV_QPS_INIT);
	CHECK_INT(ibv_post_recv(&qp->v, wr, &bad), ENOMEM);
	CHECK(bad == &wr[4]); /* those before it are posted */
	for (unsigned i = 0; i < 4; i++)
		take(qp, 1 + i, 2, 30);
	CHECK(!qp_take_recv(qp));
	wr = chain(3, 1, 1);
	wr[1].num_sge = 3; /* one more than the queue was made for */
	CHECK_INT(ibv_post_recv(&qp->v, wr, &bad), EINVAL);
	CHECK(bad == &wr[1]);
	wr[0].num_sge = -1;
	CHECK_INT(ibv_post_recv(&qp->v, wr, &bad), EINVAL);
	CHECK(bad == &wr[0]);
	take(qp, 1, 1, 10);
	wr = chain(1, 2, 0);
	CHECK_INT(ibv_post_recv(&qp->v, wr, &bad), 0);
	take(qp, 2, 0, 0);
	/* a slot that was taken may be posted to while the message still comes in */
	CHECK_INT(ibv_post_recv(&qp->v, chain(1, 3, 2), &bad), 0);
	take(qp, 3, 2, 30);
	CHECK_INT(ibv_post_recv(&qp->v, chain(4, 9, 1), &bad), 0);
	CHECK_INT(qp->resp.recv.wr_id, 3);
	CHECK_INT(qp->resp.recv.sge[1].addr, 0x2000);
	engine_lock();
	qp_flush_recvs(qp);
	engine_unlock();
	CHECK_INT(ibv_poll_cq(app_recv_cq, 5, wc), 4);
	for (unsigned i = 0; i < 4; i++)
		CHECK_INT(wc[i].wr_id, 9 + i);
	ibv_destroy_qp(&qp->v);
}

static struct srq *new_srq(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr a = { .attr = { .max_wr = wr, .max_sge = sge } };
	struct ibv_srq *srq;

	errno = 0;
	srq = ibv_create_srq(app_pd, &a);
	CHECK(!srq || (a.attr.max_wr >= wr && a.attr.max_sge >= sge));
	return srq ? to_srq(srq) : NULL;
}

static void test_srq_create(void)
{
	struct ibv_srq_init_attr_ex ex = {
		.attr = { .max_wr = 5, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE,
		.srq_type = IBV_SRQT_BASIC,
		.pd = app_pd,
	};
	struct ibv_srq *v;
	uint32_t number;

	CHECK(!new_srq(0, 1));
	CHECK_INT(errno, EINVAL);
	CHECK(!new_srq(MAX_SRQ_WR + 1, 1));
	CHECK_INT(errno, EINVAL);
	CHECK(!new_srq(1, MAX_SGE + 1));
	CHECK_INT(errno, EINVAL);
	v = ibv_create_srq_ex(app_context, &ex);
	CHECK(v != NULL);
	CHECK_INT(ex.attr.max_wr, 8);
	CHECK_INT(to_pd(app_pd)->users, 1);
	CHECK_INT(ibv_get_srq_num(v, &number), EINVAL);
	CHECK_INT(ibv_destroy_srq(v), 0);
	CHECK_INT(to_pd(app_pd)->users, 0);
	ex.srq_type = IBV_SRQT_XRC;
	CHECK(!ibv_create_srq_ex(app_context, &ex)); /* without a domain and a CQ */
	CHECK_INT(errno, EINVAL);
	ex.srq_type = IBV_SRQT_BASIC;
	ex.comp_mask |= IBV_SRQ_INIT_ATTR_TM;
	CHECK(!ibv_create_srq_ex(app_context, &ex));
	CHECK_INT(errno, EOPNOTSUPP);
}

/* An event of the SRQ that was taken. */
static struct ibv_async_event taken;

static bool limit_is_reached(const struct srq *srq)
{
	if (ibv_get_async_event(app_context, &taken) != 0)
		return false;
	CHECK_INT(taken.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	CHECK(taken.element.srq == &srq->v);
	return true;
}

static void acknowledge(void)
{
	ibv_ack_async_event(&taken);
	rig_sleeper = NULL;
}

static void test_srq_limit(void)
{
	struct srq *srq = new_srq(8, 2);
	struct qp *qp = app_qp(IBV_QPT_RC, srq, 0);
	struct ibv_srq_attr a = { .srq_limit = 9 };
	struct ibv_recv_wr *bad;

	CHECK_INT(qp->cap.max_recv_wr, 0);
	CHECK_INT(ibv_destroy_srq(&srq->v), EBUSY);
	app_state(qp, IBV_QPS_RTS);
	CHECK_INT(ibv_post_recv(&qp->v, chain(1, 1, 1), &bad), EINVAL);
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_LIMIT), EINVAL);
	CHECK_INT(ibv_modify_srq(&srq->v, &a, 1 << 5), EINVAL);
	CHECK_INT(ibv_post_srq_recv(&srq->v, chain(6, 1, 2), &bad), 0);
	a.srq_limit = 4;
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_LIMIT), 0);
	take(qp, 1, 2, 30);
	take(qp, 2, 2, 30);
	CHECK(!limit_is_reached(srq)); /* four are left: not fewer */
	take(qp, 3, 2, 30);
	CHECK(limit_is_reached(srq));
	CHECK_INT(ibv_query_srq(&srq->v, &a), 0);
	CHECK_INT(a.srq_limit, 0);
	CHECK_INT(a.max_wr, 8);
	take(qp, 4, 2, 30);
	CHECK(!limit_is_reached(srq)); /* once, until it is armed again */
	engine_lock();
	qp_flush_recvs(qp); /* those of the SRQ stay */
	engine_unlock();
	take(qp, 5, 2, 30);
	ibv_destroy_qp(&qp->v);
	rig_sleeper = acknowledge;
	CHECK_INT(ibv_destroy_srq(&srq->v), 0);
	CHECK(!rig_sleeper); /* it has waited for the acknowledgement */
}

static void test_srq_resize(void)
{
	struct srq *srq = new_srq(4, 2);
	struct qp *qp = app_qp(IBV_QPT_UD, srq, 0);
	struct ibv_srq_attr a = { .max_wr = 16, .srq_limit = 17 };
	struct ibv_recv_wr *bad, *wr = chain(5, 1, 2);

	CHECK_INT(ibv_post_srq_recv(&srq->v, wr, &bad), ENOMEM);
	CHECK(bad == &wr[4]);
	take(qp, 1, 2, 30); /* so that the requests wrap around */
	CHECK_INT(ibv_post_srq_recv(&srq->v, chain(1, 5, 2), &bad), 0);
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), EINVAL);
	CHECK_INT(srq->rq.size, 4);
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR), 0);
	CHECK_INT(ibv_post_srq_recv(&srq->v, chain(12, 6, 2), &bad), 0);
	CHECK_INT(ibv_post_srq_recv(&srq->v, chain(1, 1, 2), &bad), ENOMEM);
	a.max_wr = 15;
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR), EINVAL);
	a.max_wr = 0;
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR), EINVAL);
	a.max_wr = MAX_SRQ_WR + 1;
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR), EINVAL);
	for (unsigned i = 2; i <= 17; i++)
		take(qp, i, 2, 30);
	CHECK(!qp_take_recv(qp));
	a.max_wr = 1;
	CHECK_INT(ibv_modify_srq(&srq->v, &a, IBV_SRQ_MAX_WR), 0);
	CHECK_INT(ibv_post_srq_recv(&srq->v, chain(2, 1, 1), &bad), ENOMEM);
	ibv_destroy_qp(&qp->v);
	CHECK_INT(ibv_destroy_srq(&srq->v), 0);
}

int main(void)
{
	app_open();
	test_states();
	test_full();
	test_srq_create();
	test_srq_limit();
	test_srq_resize();
	app_close();
	return checks_end();
}
