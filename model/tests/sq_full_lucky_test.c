/* SPDX-License-Identifier: MIT */
/* sq-full-lucky of a program of which one thread posts, again when there was no room, and another
 * one polls. The calls are recorded, but not made. */
#include <infiniband/verbs.h>
#include <stdio.h>

#include "call_record.h"
#include "../checks/checks.h" /* that of tests has its name, too */
#include "live_program.h"
#include "recorded.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))

static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };
static struct ibv_cq cq = { .context = &context };
static struct ibv_qp qp = { .context = &context, .pd = &pd, .send_cq = &cq, .qp_num = 17 };
static struct live_program *live;
static struct checks *checks;
static uint64_t begin, end; /* of the next call */

static void take(void *arg, const struct record *r)
{
	struct record own = *r;

	(void)arg;
	own.begin = begin;
	own.end = end;
	checks_before(checks, live, &own);
	live_program_take(live, &own, &record_own_objects);
	checks_after(checks, live, &own);
}

static void call(enum call_row row, const uint64_t *args, uint64_t result, uint64_t from,
		 uint64_t to)
{
	struct record_call c;

	begin = from;
	end = to;
	record_begin(&c, row, args, (struct record_from){ 0 });
	record_end(&c, result);
}

static void post(uint64_t wr_id, uint64_t from, uint64_t to)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_RDMA_WRITE }, *bad = NULL;

	wr.send_flags = IBV_SEND_SIGNALED;
	call(ROW_ibv_post_send, (uint64_t[]){ PTR(&qp), PTR(&wr), PTR(&bad) }, 0, from, to);
}

static void poll(uint64_t wr_id, uint64_t from, uint64_t to)
{
	struct ibv_wc wc = { .wr_id = wr_id, .qp_num = 17, .opcode = IBV_WC_RDMA_WRITE };

	call(ROW_ibv_poll_cq, (uint64_t[]){ PTR(&cq), 1, PTR(&wc) }, 1, from, to);
}

int main(void)
{
	const bool wanted[CHECK_RULES] = { [CHECK_SQ_FULL_LUCKY] = true };
	struct ibv_qp_init_attr init = {
		.send_cq = &cq, .recv_cq = &cq, .qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 1 }
	};
	bool is_said_early, is_said;

	live = live_program_new();
	checks = checks_new(wanted, NULL, NULL);
	record_learn(take, NULL);
	call(ROW_ibv_create_cq, (uint64_t[]){ PTR(&context), 4, 0, 0, 0 }, PTR(&cq), 1, 2);
	call(ROW_ibv_create_qp, (uint64_t[]){ PTR(&pd), PTR(&init) }, PTR(&qp), 3, 4);
	post(1, 10, 11);
	post(2, 20, 30); /* the poll that makes its place is not over */
	poll(1, 15, 40);
	is_said_early = checks_found(checks, 0);
	post(3, 50, 60);
	poll(2, 70, 80);
	is_said = checks_found(checks, 0);
	checks_free(checks);
	live_program_free(live);
	if (is_said_early)
		fprintf(stderr, "sq_full_lucky_test: it is said of a place that a poll has made\n");
	if (!is_said)
		fprintf(stderr,
			"sq_full_lucky_test: it is not said of a place that none has made\n");
	return is_said_early || !is_said;
}
