// SPDX-License-Identifier: MIT
/*
 * queues ADDRESS CASE
 *
 * Programs whose queues are too small for what they post, or not.
 */
#include "pair.h"

static struct ibv_cq *small; /* of 4 entries, or as many as the device makes of that */

/* ------------------------------------------------------------------- completions -- */

static struct ibv_qp *make_small(int cqe)
{
	small = ibv_create_cq(r.context, cqe, NULL, NULL, 0);
	check("ibv_create_cq", small ? 0 : errno);
	return make_qp(&r, small, small, NULL, 64);
}

static void end_small(struct ibv_qp *qp)
{
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_destroy_cq", ibv_destroy_cq(small));
}

static int write_bytes(struct ibv_qp *qp, unsigned flags)
{
	return post_from(qp, IBV_WR_RDMA_WRITE, 1, 0, 8, flags);
}

static void overrun(void)
{
	struct ibv_qp *qp = make_small(4);
	struct ibv_async_event event;
	struct ibv_wc wc;

	join(&r, qp, b);
	for (int i = 0; i < small->cqe + 4; i++)
		if (write_bytes(qp, IBV_SEND_SIGNALED))
			break;
	if (is("overrun_told")) {
		check("ibv_get_async_event", ibv_get_async_event(r.context, &event));
		ibv_ack_async_event(&event);
	}
	while (await_within(small, &wc, 300) == 1)
		;
	if (is("overrun_left"))
		exit(0);
	end_small(qp);
}

/* It ends when its receive is flushed, and never asks why. */
static void end_at_flush(void)
{
	struct ibv_qp *qp;
	struct ibv_wc wc;

	small = ibv_create_cq(r.context, 4, NULL, NULL, 0);
	check("ibv_create_cq", small ? 0 : errno);
	qp = make_qp(&r, small, r.cq, NULL, 64);
	join(&r, qp, b);
	check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	for (int i = 0; i < small->cqe + 4; i++)
		if (write_bytes(qp, IBV_SEND_SIGNALED))
			break;
	if (await_within(r.cq, &wc, 5000) == 1 && wc.status == IBV_WC_WR_FLUSH_ERR)
		exit(1);
	end_small(qp); /* on a device that goes on with a full CQ */
}

/* Posts as many as fit, or more in groups that are polled. */
static void fill_cq(void)
{
	struct ibv_qp *qp = make_small(4);
	int i, n;

	join(&r, qp, b);
	for (n = 0; n < 3; n++) {
		for (i = 0; i < small->cqe; i++)
			check("ibv_post_send", write_bytes(qp, IBV_SEND_SIGNALED));
		for (i = 0; i < small->cqe; i++)
			await_success(small);
	}
	end_small(qp);
}

/* More requests than the CQ has entries are outstanding, of which none completes: the peer has no
 * receive, and is asked again and again. */
static void exceed_cq(void)
{
	struct ibv_qp *qp = make_small(4);
	const int n = small->cqe + (is("cq_beyond_by_one") ? 1 : 4);
	struct path to_peer = usual_path(&r, b->qp_num), to_own = usual_path(&r, qp->qp_num);

	to_peer.rnr_retry = 7;
	check("to INIT", to_init(qp, 1) | to_init(b, 1));
	check("to RTR", to_rtr(qp, &to_peer) | to_rtr(b, &to_own));
	check("to RTS", to_rts(qp, &to_peer) | to_rts(b, &to_own));
	for (int i = 0; i < n; i++)
		check("ibv_post_send", post_from(qp, IBV_WR_SEND, 1, 0, 8, IBV_SEND_SIGNALED));
	move_to(qp, IBV_QPS_RESET);
	end_small(qp);
}

/* Posts as many as fit into a CQ that was made larger. */
static void resize_cq(void)
{
	struct ibv_qp *qp = make_small(4);
	const int n = small->cqe + 4;

	check("ibv_resize_cq", ibv_resize_cq(small, n));
	join(&r, qp, b);
	for (int i = 0; i < n; i++)
		check("ibv_post_send", write_bytes(qp, IBV_SEND_SIGNALED));
	for (int i = 0; i < n; i++)
		await_success(small);
	end_small(qp);
}

/* More receives than entries, of which the peer uses few at a time. */
static void credit_scheme(void)
{
	struct ibv_qp *qp = make_small(4);
	int i, n = small->cqe + 4;

	join(&r, a, qp);
	for (i = 0; i < n; i++)
		check("ibv_post_recv", post_receive(&r, qp, i, 64));
	for (i = 0; i < n; i++) {
		post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
		await_success(small);
		await_success(r.cq);
	}
	end_small(qp);
}

/* Unsignaled requests take no entry. */
static void few_signaled(void)
{
	struct ibv_qp *qp = make_small(4);

	join(&r, qp, b);
	for (int i = 1; i <= 60; i++) {
		check("ibv_post_send", write_bytes(qp, i % 15 ? 0 : IBV_SEND_SIGNALED));
		if (i % 15 == 0)
			await_success(small);
	}
	end_small(qp);
}

/* ------------------------------------------------------------------ the send queue -- */

static void fill_unsignaled(void)
{
	const int n = (int)depth_made - (is("unsignaled_less") ? 1 : 0);

	join(&r, a, b);
	for (int i = 0; i < n; i++)
		check("ibv_post_send", write_bytes(a, 0));
	if (is("unsignaled_less")) {
		check("ibv_post_send", write_bytes(a, IBV_SEND_SIGNALED));
		await_success(r.cq);
	}
}

/* Signals one in several, and polls it before the queue is full. */
static void signal_some(void)
{
	const int n = (int)depth_made;

	join(&r, a, b);
	for (int i = 1; i <= 5 * n; i++) {
		check("ibv_post_send", write_bytes(a, i % n ? 0 : IBV_SEND_SIGNALED));
		if (i % n == 0)
			await_success(r.cq);
	}
	check("ibv_post_send", write_bytes(a, 0));
}

/* Each is signaled, and the program polls only when the queue is full, or later. */
static void signal_each(void)
{
	const int n = (int)depth_made;

	join(&r, a, b);
	for (int i = 0; i < n; i++)
		check("ibv_post_send", write_bytes(a, IBV_SEND_SIGNALED));
	if (is("full_lucky")) {
		usleep(20000);
		if (write_bytes(a, IBV_SEND_SIGNALED))
			exit(1);
		await_success(r.cq);
	}
	for (int i = 0; i < n; i++)
		await_success(r.cq);
}

static void signal_all_by_qp(void)
{
	struct ibv_qp *qp = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 1);
	const int n = (int)depth_made;

	join(&r, qp, b);
	for (int i = 0; i < n; i++)
		check("ibv_post_send", write_bytes(qp, 0));
	for (int i = 0; i < n; i++)
		await_success(r.cq);
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
}

/* --------------------------------------------------------------------- states -- */

static void drain(void)
{
	struct ibv_wc wc;

	join(&r, a, b);
	for (int i = 0; i < 4; i++)
		check("ibv_post_recv", post_receive(&r, b, i, 64));
	if (is("reset_lost")) {
		move_to(b, IBV_QPS_RESET);
		return;
	}
	move_to(b, IBV_QPS_ERR);
	for (int i = 0; i < 4 && !is("flush_unpolled"); i++)
		await_within(other_cq, &wc, 2000);
	if (is("reset_drained"))
		move_to(b, IBV_QPS_RESET);
}

/* Two receives are posted to the same bytes. */
static void overlap(void)
{
	join(&r, a, b);
	receive_at(b, MEMORY / 2, 64);
	receive_at(b, MEMORY / 2 + (is("recv_apart") ? 64 : 32), 64);
	for (int i = 0; i < 2; i++) {
		post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
		await_success(r.cq);
		await_success(other_cq);
	}
}

/* ---------------------------------------------------------- requests that are built -- */

static struct ibv_qp *make_extended(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r.cq,
		.recv_cq = r.cq,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = 2,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = r.pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.context, &init);

	check("ibv_create_qp_ex", qp ? 0 : errno);
	return qp;
}

static void build(void)
{
	struct ibv_qp *qp = make_extended();
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	join(&r, qp, b);
	for (int i = 0; i < 2; i++) {
		ibv_wr_start(qpx);
		qpx->wr_id = 1;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(qpx, r.mr->rkey, (uintptr_t)r.memory + MEMORY / 2);
		ibv_wr_set_sge(qpx, r.lkey, (uintptr_t)r.memory, 64);
		if (is("wr_aborted"))
			ibv_wr_abort(qpx);
		else if (!is("wr_left_open"))
			check("ibv_wr_complete", ibv_wr_complete(qpx));
		if (is("wr_left_open"))
			break;
		if (is("wr_changed"))
			r.memory[3]++;
		if (!is("wr_aborted"))
			await_success(r.cq);
	}
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
}

static const struct named_case cases[] = {
	{ "overrun_told", overrun },
	{ "overrun_untold", overrun },
	{ "overrun_left", overrun },
	{ "overrun_flushed", end_at_flush },
	{ "cq_filled", fill_cq },
	{ "cq_beyond", exceed_cq },
	{ "cq_beyond_by_one", exceed_cq },
	{ "cq_resized", resize_cq },
	{ "credit_scheme", credit_scheme },
	{ "few_signaled", few_signaled },
	{ "unsignaled_full", fill_unsignaled },
	{ "unsignaled_less", fill_unsignaled },
	{ "signal_some", signal_some },
	{ "signal_each", signal_each },
	{ "full_lucky", signal_each },
	{ "signal_all_by_qp", signal_all_by_qp },
	{ "drained", drain },
	{ "reset_lost", drain },
	{ "reset_drained", drain },
	{ "flush_unpolled", drain },
	{ "recv_overlap", overlap },
	{ "recv_apart", overlap },
	{ "wr_built", build },
	{ "wr_aborted", build },
	{ "wr_left_open", build },
	{ "wr_changed", build },
};

MAIN(cases)
