/* SPDX-License-Identifier: MIT */
/* cq-threads of a CQ that is made at the address of another one, which was for a single thread. The
 * calls are recorded, but not made. */
#include <infiniband/verbs.h>
#include <stdio.h>

#include "call_record.h"
#include "../checks/checks.h" /* that of tests has its name, too */
#include "live_program.h"
#include "recorded.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))

static struct ibv_context context;
static struct ibv_cq cq = { .context = &context };
static struct live_program *live;
static struct checks *checks;
static unsigned thread; /* that calls */

static void take(void *arg, const struct record *r)
{
	struct record own = *r;

	(void)arg;
	own.thread = thread;
	live_program_take(live, &own, &record_own_objects);
	checks_after(checks, live, &own);
}

static void call(enum call_row row, const uint64_t *args, uint64_t result)
{
	struct record_call c;

	record_begin(&c, row, args, (struct record_from){ 0 });
	record_end(&c, result);
}

static void poll_by_turns(void)
{
	struct ibv_wc wc = { .qp_num = 17 };

	for (thread = 0; thread < 4; thread++)
		call(ROW_ibv_poll_cq, (uint64_t[]){ PTR(&cq), 1, PTR(&wc) }, 1);
	thread = 0;
	call(ROW_ibv_poll_cq, (uint64_t[]){ PTR(&cq), 1, PTR(&wc) }, 1);
}

int main(void)
{
	const bool wanted[CHECK_RULES] = { [CHECK_CQ_THREADS] = true };
	struct ibv_cq_init_attr_ex single = { .cqe = 4,
					      .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					      .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED };
	bool is_said_early, is_said;

	live = live_program_new();
	checks = checks_new(wanted, NULL, NULL);
	record_learn(take, NULL);
	call(ROW_ibv_create_cq_ex, (uint64_t[]){ PTR(&context), PTR(&single) }, PTR(&cq));
	call(ROW_ibv_destroy_cq, (uint64_t[]){ PTR(&cq) }, 0);
	call(ROW_ibv_create_cq, (uint64_t[]){ PTR(&context), 4, 0, 0, 0 }, PTR(&cq));
	poll_by_turns();
	is_said_early = checks_found(checks, 0);
	call(ROW_ibv_destroy_cq, (uint64_t[]){ PTR(&cq) }, 0);
	call(ROW_ibv_create_cq_ex, (uint64_t[]){ PTR(&context), PTR(&single) }, PTR(&cq));
	poll_by_turns();
	is_said = checks_found(checks, 0);
	checks_free(checks);
	live_program_free(live);
	if (is_said_early)
		fprintf(stderr, "threads_test: it is said of a CQ for any thread\n");
	if (!is_said)
		fprintf(stderr, "threads_test: it is not said of a CQ for one\n");
	return is_said_early || !is_said;
}
