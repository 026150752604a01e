/* SPDX-License-Identifier: MIT */
/* The model of a process learns from calls which request a completion is of, and which are left.
 * The calls are recorded, but not made: their objects are those of this test. */
#include <errno.h>
#include <stdlib.h>

#include "call_record.h"
#include "checks.h"
#include "live_inventory.h"
#include "live_program.h"
#include "recorded.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
#define KEPT   64

static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };
static struct ibv_cq send_cq = { .context = &context }, recv_cq = { .context = &context };
static struct ibv_srq srq = { .context = &context };
static struct ibv_qp qp = { .context = &context, .pd = &pd, .qp_num = 17 };
static struct live_program *live;

static void take(void *arg, const struct record *r)
{
	(void)arg;
	live_program_take(live, r, &record_own_objects);
}

static void call(enum call_row row, const uint64_t *args, uint64_t result)
{
	struct record_call c;

	record_begin(&c, row, args, (struct record_from){ 0 });
	record_end(&c, result);
}

/* A new QP whose queues complete into these. */
static void create_qp(struct ibv_cq *sends, struct ibv_cq *recvs)
{
	struct ibv_qp_init_attr init = {
		.send_cq = sends, .recv_cq = recvs, .cap = { 8, 8, 2, 2, 0 }, .qp_type = IBV_QPT_RC
	};

	if (live)
		live_program_free(live);
	live = live_program_new();
	live->keeps = KEPT;
	qp.send_cq = sends;
	qp.recv_cq = recvs;
	qp.state = IBV_QPS_RTS;
	call(ROW_ibv_create_qp, (uint64_t[]){ PTR(&pd), PTR(&init) }, PTR(&qp));
}

static void post_send(uint64_t wr_id, unsigned flags, uint32_t len)
{
	struct ibv_sge sge = { 0x1000, len, 1 };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = flags };
	struct ibv_send_wr *bad;

	call(ROW_ibv_post_send, (uint64_t[]){ PTR(&qp), PTR(&wr), PTR(&bad) }, 0);
}

static void post_recv(uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = { 0x2000, len, 1 };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	call(ROW_ibv_post_recv, (uint64_t[]){ PTR(&qp), PTR(&wr), PTR(&bad) }, 0);
}

/* A poll finds a completion; what is known of it. */
static struct live_wc complete(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status,
			       enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = { .wr_id = wr_id, .status = status, .opcode = opcode, .qp_num = 17 };
	unsigned n;

	call(ROW_ibv_poll_cq, (uint64_t[]){ PTR(cq), 1, PTR(&wc) }, 1);
	live_program_completions(live, &n);
	CHECK_INT(n, 1);
	return live_program_completions(live, &n)[0];
}

static unsigned left(bool recvs)
{
	return live_program_outstanding(live, live_program_qp(live, PTR(&qp)), recvs);
}

static void completion_retires_what_is_before(void)
{
	struct live_wc wc;

	create_qp(&send_cq, &recv_cq);
	post_send(1, 0, 10);
	post_recv(2, 64);
	post_send(3, IBV_SEND_SIGNALED, 11);
	post_send(4, IBV_SEND_SIGNALED, 12);
	CHECK_INT(left(false), 3);
	wc = complete(&send_cq, 3, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(wc.known && wc.posted.wr_id == 3 && wc.posted.len == 11);
	CHECK_INT(left(false), 1);
	CHECK_INT(left(true), 1);
}

/* Requests that are not signaled complete with no success. */
static void equal_ids_of_sends(void)
{
	struct live_wc wc;

	create_qp(&send_cq, &recv_cq);
	for (uint32_t i = 0; i < 3; i++)
		post_send(0, 0, 10 + i);
	post_send(0, IBV_SEND_SIGNALED, 13);
	post_send(0, IBV_SEND_SIGNALED, 14);
	wc = complete(&send_cq, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(wc.known && wc.posted.len == 13);
	CHECK_INT(left(false), 1);
	post_send(0, 0, 15);
	wc = complete(&send_cq, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RECV);
	CHECK(wc.known && wc.posted.len == 14);
	post_send(0, 0, 16);
	wc = complete(&send_cq, 0, IBV_WC_WR_FLUSH_ERR, IBV_WC_RECV);
	CHECK(!wc.known && !wc.is_either);
	CHECK_INT(left(false), 1);
}

/* The opcode of a failed completion is not valid, and both queues have a request of its id: the CQ
 * tells, if each has one. */
static void equal_ids_of_both_queues(void)
{
	struct live_wc wc;

	create_qp(&send_cq, &recv_cq);
	post_recv(0, 37);
	post_send(0, IBV_SEND_SIGNALED, 38);
	wc = complete(&recv_cq, 0, IBV_WC_LOC_LEN_ERR, IBV_WC_SEND);
	CHECK(wc.known && wc.posted.op == &wr_ops[WR_RECV] && wc.posted.len == 37);
	CHECK_INT(left(false), 1);
	CHECK_INT(left(true), 0);
}

/* A request that sends nothing is answered by nobody. */
static void local_ones_are_not_answered(void)
{
	struct ibv_send_wr wr = { .wr_id = 1,
				  .opcode = IBV_WR_LOCAL_INV,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	const struct live_tracked_qp *own;

	create_qp(&send_cq, &recv_cq);
	call(ROW_ibv_post_send, (uint64_t[]){ PTR(&qp), PTR(&wr), PTR(&bad) }, 0);
	complete(&send_cq, 1, IBV_WC_SUCCESS, IBV_WC_LOCAL_INV);
	own = live_program_qp(live, PTR(&qp));
	CHECK(own->v.unanswered && !own->v.answered);
	post_send(2, IBV_SEND_SIGNALED, 10);
	complete(&send_cq, 2, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(!own->v.unanswered && own->v.answered);
}

/* With one CQ nobody can tell. Both requests stay until both are completed. */
static void undecidable(void)
{
	struct live_wc wc;

	create_qp(&send_cq, &send_cq);
	post_recv(0, 37);
	post_send(0, IBV_SEND_SIGNALED, 38);
	wc = complete(&send_cq, 0, IBV_WC_LOC_LEN_ERR, IBV_WC_SEND);
	CHECK(wc.is_either);
	CHECK_INT(left(false) + left(true), 2);
	wc = complete(&send_cq, 0, IBV_WC_WR_FLUSH_ERR, IBV_WC_SEND);
	CHECK_INT(left(false) + left(true), 0);
	post_recv(0, 37);
	post_send(0, IBV_SEND_SIGNALED, 38);
	wc = complete(&send_cq, 0, IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_RECV); /* only of a send */
	CHECK(wc.known && !wc.is_either && wc.posted.len == 38);
	CHECK_INT(left(true), 1);
	wc = complete(&send_cq, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
	CHECK(wc.known && wc.posted.len == 37);
}

/* A list of more than one record, of which the last request is refused. */
static void long_list(void)
{
	enum { MANY = 300 };
	struct ibv_send_wr *wr = calloc(MANY, sizeof *wr), *bad = &wr[MANY - 1];
	struct live_wc wc;

	create_qp(&send_cq, &recv_cq);
	for (unsigned i = 0; i < MANY; i++)
		wr[i] = (struct ibv_send_wr){ .wr_id = i,
					      .send_flags = i == MANY - 2 ? IBV_SEND_SIGNALED : 0,
					      .next = i < MANY - 1 ? &wr[i + 1] : NULL };
	call(ROW_ibv_post_send, (uint64_t[]){ PTR(&qp), PTR(wr), PTR(&bad) }, ENOMEM);
	CHECK_INT(left(false), MANY - 1);
	CHECK_INT(live_program_signaled(live, live_program_qp(live, PTR(&qp))), 1);
	wc = complete(&send_cq, MANY - 2, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(wc.known && wc.posted.wr_id == MANY - 2);
	CHECK_INT(left(false), 0);
	free(wr);
}

/* Requests that are done stay for a while, in order. */
static void done_ones_stay(void)
{
	const struct posted_queue *q;
	const struct posted_wr *wr;
	uint64_t at = 0, next = UINT64_MAX;
	unsigned n = 0;

	create_qp(&send_cq, &recv_cq);
	q = &live_program_entry(live, PTR(&qp))->sends;
	for (uint64_t i = 0; i < 1000; i++) {
		post_send(i, IBV_SEND_SIGNALED, 8);
		complete(&send_cq, i, IBV_WC_SUCCESS, IBV_WC_SEND);
	}
	for (; (wr = posted_queue_next(q, &at)); next = wr->wr_id + 1, n++)
		CHECK(next == UINT64_MAX || wr->wr_id == next);
	CHECK(n >= KEPT && next == 1000);
	CHECK(q->room <= 4 * KEPT);
	post_send(1000, IBV_SEND_SIGNALED, 8);
	wr = posted_queue_next(q, &at);
	CHECK(wr && wr->wr_id == 1000 && !posted_queue_next(q, &at));
}

static void limits_change(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 2, .max_sge = 1 } };
	struct ibv_srq_attr more = { .max_wr = 8 };

	create_qp(&send_cq, &recv_cq);
	call(ROW_ibv_create_srq, (uint64_t[]){ PTR(&pd), PTR(&init) }, PTR(&srq));
	call(ROW_ibv_modify_srq, (uint64_t[]){ PTR(&srq), PTR(&more), IBV_SRQ_LIMIT }, 0);
	CHECK_INT(live_program_queue(live, PTR(&srq))->v.cap.max_recv_wr, 2);
	call(ROW_ibv_modify_srq, (uint64_t[]){ PTR(&srq), PTR(&more), IBV_SRQ_MAX_WR }, 0);
	CHECK_INT(live_program_queue(live, PTR(&srq))->v.cap.max_recv_wr, 8);
	call(ROW_ibv_create_cq, (uint64_t[]){ PTR(&context), 4, 0, 0, 0 }, PTR(&send_cq));
	CHECK_INT(live_object_at(live->seen, PTR(&send_cq))->entries, 4);
	call(ROW_ibv_resize_cq, (uint64_t[]){ PTR(&send_cq), 20 }, 0);
	CHECK_INT(live_object_at(live->seen, PTR(&send_cq))->entries, 20);
	call(ROW_ibv_resize_cq, (uint64_t[]){ PTR(&send_cq), 30 }, EINVAL);
	CHECK_INT(live_object_at(live->seen, PTR(&send_cq))->entries, 20);
}

/* Two QPs of which one went to ERR as its CQ overran. */
static void device_tells(void)
{
	const struct uroce_cq_row cqs[] = { { .number = 0, .size = 8 },
					    { .number = 3, .size = 4, .overrun = 1 } };
	const struct uroce_srq_row srqs[] = { { .number = 1, .posted = 5, .oldest_len = 64 } };
	const struct uroce_mr_row mrs[] = {
		{ .number = 2, .pd = 1, .lkey = 7, .rkey = 8, .addr = 0x1000, .len = 64 }
	};
	const struct uroce_qp_row qps[] = {
		{ .qpn = 17, .srq = UROCE_NO_OBJECT, .recvs = 2, .attr.qp_state = IBV_QPS_RTS },
		{ .number = 1,
		  .qpn = 18,
		  .srq = 1,
		  .recv_cq = 3,
		  .attr = { .qp_state = IBV_QPS_ERR, .path_mtu = IBV_MTU_1024 },
		  .nchanges = 2,
		  .changes = { { .to = IBV_QPS_RTS },
			       { .to = IBV_QPS_ERR, .cause = UROCE_BY_CQ, .value = 3 } } },
	};
	const struct uroce_inventory inv = { .kind = { [UROCE_CQ] = { cqs, 2, 2 },
						       [UROCE_SRQ] = { srqs, 1, 1 },
						       [UROCE_MR] = { mrs, 1, 1 },
						       [UROCE_QP] = { qps, 2, 2 } } };
	struct live_end end = { 0 };

	live_end_take(&end, &inv, 18);
	CHECK_INT(end.qps.n, 2);
	CHECK(end.qp == &end.qps.v[1]);
	CHECK_STR(end.qp->name, "qp1");
	CHECK_STR(end.qp->srq, "srq1");
	CHECK_INT(end.qp->recvs, 5);
	CHECK_STR(end.qp->overrun, "cq3");
	CHECK_INT(end.qp->overrun_cqe, 4);
	CHECK_STR(end.qp->why, "cq3 has overrun");
	CHECK(end.qp->known & IBV_QP_PATH_MTU);
	CHECK(!*end.qps.v[0].overrun && !*end.qps.v[0].why && end.qps.v[0].recvs == 2);
	CHECK(!(end.qps.v[0].known & IBV_QP_PATH_MTU));
	CHECK_INT(end.nregions, 1);
	CHECK_STR(end.regions[0].name, "mr2");
	CHECK_INT(end.regions[0].rkey, 8);
	free(end.qps.v);
	free(end.regions);
}

int main(void)
{
	record_learn(take, NULL);
	completion_retires_what_is_before();
	equal_ids_of_sends();
	equal_ids_of_both_queues();
	local_ones_are_not_answered();
	undecidable();
	long_list();
	done_ones_stay();
	limits_change();
	device_tells();
	live_program_free(live);
	return checks_end();
}
