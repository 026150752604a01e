/* SPDX-License-Identifier: MIT */
/* Completion queues: the ring, overrun, resize, arming, the iterator. */
#include <errno.h>
#include <fcntl.h>

#include "checks.h"
#include "completion_queue.h"
#include "engine.h"
#include "verbs_app.h"

static struct ibv_context *context;

static void put(struct ibv_cq *cq, uint64_t wr_id, uint32_t qpn, bool solicited)
{
	const struct ibv_wc wc = { .wr_id = wr_id, .qp_num = qpn, .byte_len = 10 };

	engine_lock();
	cq_put(to_cq(cq), &wc, solicited);
	engine_unlock();
}

static void purge(struct ibv_cq *cq, uint32_t qpn)
{
	engine_lock();
	cq_purge(to_cq(cq), qpn);
	engine_unlock();
}

/* The wr_id of the next one, or -1. */
static int64_t next(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	CHECK(n == 0 || n == 1);
	return n ? (int64_t)wc.wr_id : -1;
}

static void arguments(void)
{
	CHECK(!ibv_create_cq(context, 0, NULL, NULL, 0) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, -1, NULL, NULL, 0) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, MAX_CQE + 1, NULL, NULL, 0) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, 1, NULL, NULL, context->num_comp_vectors) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, 1, NULL, NULL, -1) && errno == EINVAL);
}

static void ring(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 5, &context, NULL, 0);
	struct ibv_wc wc[8];

	CHECK(cq->cqe == 5 && cq->cq_context == &context && cq->context == context);
	rig_polls = 0;
	CHECK_INT(next(cq), -1);
	CHECK_INT(rig_polls, 1); /* an empty queue makes progress */
	/* near the end of the positions, so that they wrap */
	to_cq(cq)->head = to_cq(cq)->tail = UINT32_MAX - 10;
	for (unsigned i = 0; i < 100; i++) {
		put(cq, i * 2, 1, false);
		put(cq, i * 2 + 1, 1, false);
		CHECK_INT(next(cq), i * 2);
		CHECK_INT(next(cq), i * 2 + 1);
	}
	CHECK_INT(rig_polls, 1); /* one that is not empty does not */
	for (unsigned i = 0; i < 5; i++)
		put(cq, i, 1, false);
	CHECK_INT(ibv_poll_cq(cq, 3, wc), 3);
	CHECK(wc[0].wr_id == 0 && wc[2].wr_id == 2 && wc[2].byte_len == 10);
	CHECK_INT(ibv_poll_cq(cq, 8, wc), 2);
	CHECK(wc[0].wr_id == 3 && wc[1].wr_id == 4);
	CHECK_INT(ibv_poll_cq(cq, 0, wc), 0);
	CHECK(ibv_poll_cq(cq, -1, wc) < 0);
	CHECK_INT(ibv_destroy_cq(cq), 0);
}

static void purging(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, NULL, 0);

	to_cq(cq)->head = to_cq(cq)->tail = UINT32_MAX - 2;
	for (unsigned i = 0; i < 8; i++)
		put(cq, i, i % 3, false);
	purge(cq, 9); /* nothing of that one */
	purge(cq, 0);
	for (unsigned i = 0; i < 8; i++)
		if (i % 3)
			CHECK_INT(next(cq), i);
	CHECK_INT(next(cq), -1);
	put(cq, 1, 1, false);
	purge(cq, 1);
	CHECK_INT(next(cq), -1);
	CHECK_INT(ibv_destroy_cq(cq), 0);
}

static struct qp *qp_of(struct ibv_cq *sends, struct ibv_cq *receives, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr a = { .send_cq = sends,
				      .recv_cq = receives,
				      .qp_type = IBV_QPT_RC };
	struct ibv_qp *qp = ibv_create_qp(app_pd, &a);

	CHECK(qp);
	app_state(to_qp(qp), state);
	return to_qp(qp);
}

static void overrun(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 3, NULL, NULL, 0);
	struct qp *sends = qp_of(cq, app_recv_cq, IBV_QPS_RTS);
	struct qp *receives = qp_of(app_send_cq, cq, IBV_QPS_RTR);
	struct qp *idle = qp_of(app_send_cq, cq, IBV_QPS_RESET);
	struct qp *other = qp_of(app_send_cq, app_recv_cq, IBV_QPS_RTS);
	struct ibv_async_event e;

	for (unsigned i = 0; i < 3; i++)
		put(cq, i, 1, false);
	CHECK(!rig_readable(context->async_fd)); /* full is not overrun */
	put(cq, 3, 1, false);
	put(cq, 4, 1, false);
	CHECK_INT(rig_transport.failures, 0); /* not in the middle of whatever completes */
	rig_pass();
	CHECK_INT(rig_transport.failures, 2);
	CHECK_INT(rig_transport.event, IBV_EVENT_QP_FATAL);
	CHECK_INT(rig_transport.why.cause, UROCE_BY_CQ);
	CHECK_INT(rig_transport.why.value, cq->handle);
	CHECK_INT(to_cq(cq)->lost, 2);
	CHECK_INT(to_cq(cq)->lost_wr_id, 3); /* of the first */
	CHECK(to_cq(cq)->overrun_when != 0);
	CHECK(qp_state(sends) == IBV_QPS_ERR && qp_state(receives) == IBV_QPS_ERR);
	CHECK(qp_state(idle) == IBV_QPS_RESET && qp_state(other) == IBV_QPS_RTS);
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_CQ_ERR && e.element.cq == cq);
	CHECK(!rig_readable(context->async_fd)); /* once */
	ibv_ack_async_event(&e);
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(next(cq), i);
	CHECK_INT(next(cq), -1);
	CHECK_INT(ibv_destroy_qp(&sends->v) | ibv_destroy_qp(&receives->v), 0);
	CHECK_INT(ibv_destroy_qp(&idle->v) | ibv_destroy_qp(&other->v), 0);
	CHECK_INT(ibv_destroy_cq(cq), 0);
}

/* IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN: the application knows what it does. */
static void overrun_ignored(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 2,
		.wc_flags = IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_cq_ex *ex = ibv_create_cq_ex(context, &attr);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct qp *sends = qp_of(cq, cq, IBV_QPS_RTS);

	rig_transport.failures = 0;
	for (unsigned i = 0; i < 3; i++)
		put(cq, i, 1, false);
	rig_pass();
	CHECK(!rig_readable(context->async_fd));
	CHECK_INT(rig_transport.failures, 0);
	CHECK_INT(ibv_start_poll(ex, &none), 0);
	CHECK_INT(ex->wr_id, 0);
	CHECK_INT(ibv_wc_read_cvlan(ex), 0);
	CHECK_INT(ibv_wc_read_flow_tag(ex), 0);
	CHECK_INT(ibv_next_poll(ex), 0);
	CHECK_INT(ex->wr_id, 1);
	CHECK_INT(ibv_next_poll(ex), ENOENT); /* the third is lost */
	ibv_end_poll(ex);
	put(cq, 3, 1, false);
	CHECK_INT(next(cq), 3);
	CHECK_INT(ibv_destroy_qp(&sends->v), 0);
	CHECK_INT(ibv_destroy_cq(cq), 0);
}

static void resize(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, NULL, 0);

	for (unsigned i = 0; i < 4; i++)
		put(cq, i, 1, false);
	CHECK_INT(next(cq), 0);
	CHECK_INT(ibv_resize_cq(cq, 2), EINVAL); /* three are in it */
	CHECK_INT(ibv_resize_cq(cq, 0), EINVAL);
	CHECK_INT(ibv_resize_cq(cq, MAX_CQE + 1), EINVAL);
	CHECK_INT(cq->cqe, 4);
	CHECK_INT(ibv_resize_cq(cq, 100), 0);
	CHECK_INT(cq->cqe, 100);
	for (unsigned i = 4; i < 101; i++)
		put(cq, i, 1, false);
	for (unsigned i = 1; i < 99; i++)
		CHECK_INT(next(cq), i);
	CHECK_INT(ibv_resize_cq(cq, 2), 0);
	CHECK_INT(next(cq), 99);
	CHECK_INT(next(cq), 100);
	CHECK_INT(next(cq), -1);
	to_cq(cq)->users = 1;
	CHECK_INT(ibv_destroy_cq(cq), EBUSY);
	to_cq(cq)->users = 0;
	CHECK_INT(ibv_destroy_cq(cq), 0);
}

/* Takes an event: of which queue? NULL: there is none. */
static struct ibv_cq *event(struct ibv_comp_channel *ch)
{
	struct ibv_cq *cq;
	void *arg;

	if (ibv_get_cq_event(ch, &cq, &arg) != 0) {
		CHECK_INT(errno, EAGAIN);
		return NULL;
	}
	CHECK(arg == cq->cq_context);
	ibv_ack_cq_events(cq, 1);
	return cq;
}

static void arming(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(context);
	struct ibv_cq *a, *b;
	int flags = fcntl(ch->fd, F_GETFL);

	CHECK_INT(fcntl(ch->fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	fcntl(ch->fd, F_SETFL, flags | O_NONBLOCK);
	a = ibv_create_cq(context, 16, &flags, ch, 0);
	b = ibv_create_cq(context, 16, NULL, ch, 0);
	CHECK_INT(ibv_destroy_comp_channel(ch), EBUSY);

	put(a, 0, 1, true);
	CHECK(!event(ch)); /* not armed */
	CHECK_INT(ibv_req_notify_cq(a, 0), 0);
	CHECK(!event(ch)); /* for the next, not for what is there */
	put(a, 1, 1, false);
	CHECK(rig_readable(ch->fd));
	CHECK(event(ch) == a);
	put(a, 2, 1, true);
	CHECK(!event(ch)); /* once */

	ibv_req_notify_cq(a, 1);
	put(a, 3, 1, false);
	CHECK(!event(ch)); /* not solicited: stays armed */
	put(a, 4, 1, true);
	CHECK(event(ch) == a);

	ibv_req_notify_cq(a, 0);
	ibv_req_notify_cq(a, 1); /* does not narrow it */
	put(a, 5, 1, false);
	CHECK(event(ch) == a);
	ibv_req_notify_cq(a, 1);
	ibv_req_notify_cq(a, 0); /* widens it */
	put(a, 6, 1, false);
	CHECK(event(ch) == a);

	/* several of two queues: all come, and the descriptor tells */
	for (unsigned i = 0; i < 3; i++) {
		ibv_req_notify_cq(a, 0);
		put(a, 7, 1, false);
	}
	ibv_req_notify_cq(b, 0);
	put(b, 8, 1, false);
	CHECK(event(ch) == a && event(ch) == b && event(ch) == a && event(ch) == a);
	CHECK(!event(ch) && !rig_readable(ch->fd));

	/* events of a queue that goes are forgotten */
	ibv_req_notify_cq(a, 0);
	put(a, 9, 1, false);
	ibv_req_notify_cq(b, 0);
	put(b, 9, 1, false);
	CHECK_INT(ibv_destroy_cq(a), 0);
	CHECK(event(ch) == b);
	CHECK(!rig_readable(ch->fd));
	CHECK_INT(ibv_destroy_cq(b), 0);
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
}

static void iterator(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_poll_cq_attr poll_attr = { 0 };
	struct ibv_values_ex now = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	void (*const *tail)(void);
	struct ibv_cq_ex *ex = ibv_create_cq_ex(context, &attr);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_wc wc = { .wr_id = 5,
			     .status = IBV_WC_SUCCESS,
			     .opcode = IBV_WC_RECV,
			     .byte_len = 77,
			     .imm_data = 0x01020304,
			     .qp_num = 9,
			     .src_qp = 8,
			     .wc_flags = IBV_WC_WITH_IMM,
			     .slid = 3,
			     .sl = 2,
			     .dlid_path_bits = 1 };
	uint64_t raw;

	CHECK(ex && ex->cqe == 4);
	CHECK_INT(ibv_start_poll(ex, &poll_attr), ENOENT);
	engine_lock();
	cq_put(to_cq(cq), &wc, false);
	wc.wr_id = 6;
	wc.status = IBV_WC_WR_FLUSH_ERR;
	cq_put(to_cq(cq), &wc, false);
	engine_unlock();
	CHECK_INT(ibv_start_poll(ex, &poll_attr), 0);
	CHECK(ex->wr_id == 5 && ex->status == IBV_WC_SUCCESS);
	CHECK_INT(ibv_wc_read_opcode(ex), IBV_WC_RECV);
	CHECK_INT(ibv_wc_read_byte_len(ex), 77);
	CHECK_INT(ibv_wc_read_imm_data(ex), 0x01020304);
	CHECK_INT(ibv_wc_read_qp_num(ex), 9);
	CHECK_INT(ibv_wc_read_src_qp(ex), 8);
	CHECK_INT(ibv_wc_read_wc_flags(ex), IBV_WC_WITH_IMM);
	CHECK_INT(ibv_wc_read_slid(ex), 3);
	CHECK_INT(ibv_wc_read_sl(ex), 2);
	CHECK_INT(ibv_wc_read_dlid_path_bits(ex), 1);
	CHECK_INT(ibv_wc_read_vendor_err(ex), 0);
	raw = ibv_wc_read_completion_ts(ex);
	CHECK_INT(ibv_query_rt_values_ex(context, &now), 0);
	CHECK(raw && raw <= (uint64_t)now.raw_clock.tv_sec * 1000000000u +
				     (uint64_t)now.raw_clock.tv_nsec);
	CHECK(ibv_wc_read_completion_wallclock_ns(ex) > raw);
	CHECK_INT(ibv_next_poll(ex), 0);
	CHECK(ex->wr_id == 6 && ex->status == IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(ibv_next_poll(ex), ENOENT);
	ibv_end_poll(ex);
	poll_attr.comp_mask = 1;
	CHECK_INT(ibv_start_poll(ex, &poll_attr), EINVAL);
	/* the same queue polled the other way */
	put(cq, 7, 1, false);
	CHECK_INT(next(cq), 7);
	/* pointers that headers of today do not know yet */
	for (tail = (void (*const *)(void))(ex + 1);

	     (char *)(tail + 1) <= to_cq(cq)->room + sizeof to_cq(cq)->room; tail++)
		CHECK(*tail != NULL);
	CHECK_INT(ibv_destroy_cq(cq), 0);

	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	ex = ibv_create_cq_ex(context, &attr);
	CHECK(ex && ibv_destroy_cq(ibv_cq_ex_to_cq(ex)) == 0);
	attr.flags = 1 << 5;
	CHECK(!ibv_create_cq_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.wc_flags = IBV_WC_EX_WITH_TM_INFO;
	CHECK(!ibv_create_cq_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.cqe = 0;
	CHECK(!ibv_create_cq_ex(context, &attr) && errno == EINVAL);
}

int main(void)
{
	app_open();
	context = app_context;
	arguments();
	ring();
	purging();
	overrun();
	overrun_ignored();
	resize();
	arming();
	iterator();
	app_close();
	return checks_end();
}
