// SPDX-License-Identifier: MIT
/*
 * objects ADDRESS CASE
 *
 * Programs that leave objects, or use those that are gone.
 */
#include <sys/wait.h>

#include "pair.h"

/* --------------------------------------------------------------------- left behind -- */

static void leave(void)
{
	struct ibv_ah_attr path = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 },
	};
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_pd *pd = r.pd;
	struct ibv_ah *ah;
	struct ibv_mw *mw;

	if (is("mr_left"))
		register_part(0, 4096);
	if (is("mrs_left"))
		for (int i = 0; i < 5; i++)
			register_part(4096 * (size_t)i, 4096);
	if (is("cq_left"))
		check("ibv_create_cq", ibv_create_cq(r.context, 4, NULL, NULL, 0) ? 0 : errno);
	if (is("pd_left"))
		check("ibv_alloc_pd", ibv_alloc_pd(r.context) ? 0 : errno);
	if (is("qp_left"))
		make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0);
	if (is("channel_left"))
		check("ibv_create_comp_channel", ibv_create_comp_channel(r.context) ? 0 : errno);
	if (is("srq_left"))
		check("ibv_create_srq", ibv_create_srq(pd, &init) ? 0 : errno);
	if (is("ah_left") || is("ah_given_back")) {
		ah = ibv_create_ah(pd, &path);
		check("ibv_create_ah", ah ? 0 : errno);
		if (is("ah_given_back"))
			check("ibv_destroy_ah", ibv_destroy_ah(ah));
	}
	if (is("mw_left") || is("mw_given_back")) {
		mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
		check("ibv_alloc_mw", mw ? 0 : errno);
		if (is("mw_given_back"))
			check("ibv_dealloc_mw", ibv_dealloc_mw(mw));
	}
	if (is("list_left"))
		ibv_get_device_list(NULL);
	if (is("all_left"))
		exit(0);
	if (is("left_after_error"))
		exit(1);
	if (is("killed"))
		_exit(0);
}

/* The context alone stays open. */
static void leave_context(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *second = ibv_open_device(list[0]);

	ibv_free_device_list(list);
	check("ibv_open_device", second ? 0 : errno);
	if (is("context_closed"))
		check("ibv_close_device", ibv_close_device(second));
}

/* ------------------------------------------------------------------------ gone -- */

static void use_gone(void)
{
	struct ibv_mr *mr = register_part(0, 4096);
	struct ibv_cq *cq = ibv_create_cq(r.context, 4, NULL, NULL, 0);
	struct ibv_qp *qp = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0);
	struct ibv_device **list = ibv_get_device_list(NULL);

	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	check("ibv_destroy_cq", ibv_destroy_cq(cq));
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
	ibv_free_device_list(list);
	if (is("mr_twice"))
		ibv_dereg_mr(mr);
	if (is("cq_twice"))
		ibv_destroy_cq(cq);
	if (is("qp_twice"))
		ibv_destroy_qp(qp);
	if (is("qp_queried")) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr;

		ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
	}
	if (is("qp_modified"))
		move_to(qp, IBV_QPS_ERR);
}

/* A region is made and given back again and again: its address is the same. */
static void use_again(void)
{
	for (int i = 0; i < 20; i++) {
		struct ibv_mr *mr = register_part(0, 4096);
		struct ibv_cq *cq = ibv_create_cq(r.context, 4, NULL, NULL, 0);
		struct ibv_qp *qp = make_wide_qp(IBV_QPT_RC, cq, NULL, 0);

		check("to INIT", to_init(qp, 1));
		check("ibv_destroy_qp", ibv_destroy_qp(qp));
		check("ibv_destroy_cq", ibv_destroy_cq(cq));
		check("ibv_dereg_mr", ibv_dereg_mr(mr));
	}
}

/* The program tries to destroy what is in use, and does it later. */
static void destroy_busy(void)
{
	int rc = ibv_destroy_cq(r.cq);

	if (rc && is("busy_then_right"))
		return;
	printf("%s\n", strerror(rc));
	exit(0);
}

/* The whole life of a connection, several times. */
static void live(void)
{
	for (int i = 0; i < 3; i++) {
		join(&r, a, b);
		receive_at(b, MEMORY / 2, 64);
		post(IBV_WR_SEND, 0, 64, IBV_SEND_SIGNALED);
		await_success(r.cq);
		await_success(other_cq);
		move_to(a, IBV_QPS_RESET);
		move_to(b, IBV_QPS_RESET);
	}
}

/* The first call of the child gives back what its parent has made. */
static void fork_end(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(r.context);
	pid_t child = fork();

	if (!child && !is("forked")) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		check("ibv_open_device", ibv_open_device(list[0]) ? 0 : errno);
		ibv_free_device_list(list);
		exit(is("child_failed"));
	}
	if (!child) {
		ibv_dealloc_pd(pd);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ibv_dealloc_pd(pd);
}

static const struct named_case cases[] = {
	{ "mr_left", leave },
	{ "mrs_left", leave },
	{ "cq_left", leave },
	{ "pd_left", leave },
	{ "qp_left", leave },
	{ "channel_left", leave },
	{ "srq_left", leave },
	{ "ah_left", leave },
	{ "ah_given_back", leave },
	{ "mw_left", leave },
	{ "mw_given_back", leave },
	{ "list_left", leave },
	{ "all_left", leave },
	{ "left_after_error", leave },
	{ "killed", leave },
	{ "context_left", leave_context },
	{ "context_closed", leave_context },
	{ "mr_twice", use_gone },
	{ "cq_twice", use_gone },
	{ "qp_twice", use_gone },
	{ "qp_modified", use_gone },
	{ "qp_queried", use_gone },
	{ "gone_unused", use_gone },
	{ "same_address", use_again },
	{ "busy_then_right", destroy_busy },
	{ "busy_ignored", destroy_busy },
	{ "lives", live },
	{ "forked", fork_end },
	{ "child_left", fork_end },
	{ "child_failed", fork_end },
};

MAIN(cases)
