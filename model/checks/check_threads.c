/* SPDX-License-Identifier: MIT */
/* Completion queues that were made for one thread, and are polled by several. */
#include <infiniband/verbs.h>

#include "check_impl.h"

static void note_made(const struct live_program *p, const struct record *r)
{
	const struct ibv_cq_init_attr_ex *a = (const void *)(uintptr_t)r->args[1];
	struct check_note *cq = check_note(p, r->result);

	if (cq && a && a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS)
		cq->is_single = a->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
}

static void tell_threads(struct checks *c, const struct live_program *p, const struct record *r,
			 struct check_note *cq, bool is_at_once)
{
	const char *name = live_program_name(p, r->args[0], r->end);
	struct check_finding f = check_new(
		CHECK_CQ_THREADS, name, r,
		"%s was made with IBV_CREATE_CQ_ATTR_SINGLE_THREADED, and two threads have polled it %s",
		name, is_at_once ? "at the same time" : "by turns");

	if (!is_at_once)
		check_doubt(&f, "certain unless a lock of the program keeps the threads apart");
	cq->is_told = true;
	check_add_made(c, p, &f, r->args[0]);
}

/* That one thread begins where another one ends is no mistake. Calls come in the order of their
 * ends; polls that find nothing are one record, from the begin of the first to the end of the last.
 */
static void note_poll(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct check_note *cq = check_note(p, r->args[0]);
	const uint64_t bit = UINT64_C(1) << r->thread % 64;

	if (!cq || !cq->is_single || cq->is_told)
		return;
	if (cq->threads && cq->last_thread != r->thread) {
		if (r->count == 1 && r->begin < cq->last_end)
			tell_threads(c, p, r, cq, true);
		else if (cq->threads & bit || r->begin < cq->last_end)
			tell_threads(c, p, r, cq, false);
	}
	cq->threads |= bit;
	cq->last_thread = r->thread;
	cq->last_end = r->end;
}

void check_threads_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (record_call_row(r) == ROW_ibv_create_cq_ex && !r->err && r->result)
		note_made(p, r);
	else if (check_is_poll(r))
		note_poll(c, p, r);
}
