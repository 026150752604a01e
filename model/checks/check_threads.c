/* SPDX-License-Identifier: MIT */
/* Completion queues that were made for one thread, and are polled by several. */
#include <infiniband/verbs.h>
#include <stdio.h>

#include "check_impl.h"

static struct single_cq *find_single(const struct checks *c, uint64_t address)
{
	for (unsigned i = 0; i < c->nsingle; i++)
		if (c->single[i].address == address)
			return &c->single[i];
	return NULL;
}

static void forget_single(struct checks *c, uint64_t address)
{
	struct single_cq *cq = find_single(c, address);

	if (cq)
		*cq = c->single[--c->nsingle];
}

static void note_made(struct checks *c, const struct record *r)
{
	const struct ibv_cq_init_attr_ex *a = (const void *)(uintptr_t)r->args[1];

	if (!a || !(a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
	    !(a->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return;
	c->single = xgrow(c->single, c->nsingle, sizeof *c->single);
	c->single[c->nsingle++] = (struct single_cq){ .address = r->result };
}

static void tell_threads(struct checks *c, const struct live_program *p, const struct record *r,
			 struct single_cq *cq, bool is_at_once)
{
	struct check_finding f = check_new(CHECK_CQ_THREADS, r);
	const char *name = live_program_name(p, cq->address, r->end);

	snprintf(f.object, sizeof f.object, "%s", name);
	snprintf(
		f.says, sizeof f.says,
		"%s was made with IBV_CREATE_CQ_ATTR_SINGLE_THREADED, and two threads have polled it %s",
		name, is_at_once ? "at the same time" : "by turns");
	if (!is_at_once) {
		f.grade = CHECK_MAY;
		snprintf(f.sure, sizeof f.sure,
			 "certain unless a lock of the program keeps the threads apart");
	}
	cq->is_told = true;
	check_step_made(&f, p, cq->address, name);
	check_add(c, &f);
}

/* That one thread begins where another one ends is no mistake. Calls come in the order of their
 * ends; polls that find nothing are one record, from the begin of the first to the end of the last.
 */
static void note_poll(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct single_cq *cq = find_single(c, r->args[0]);
	const uint64_t bit = UINT64_C(1) << r->thread % 64;

	if (!cq || cq->is_told)
		return;
	if (cq->threads && cq->last != r->thread) {
		if (r->count == 1 && r->begin < cq->last_end)
			tell_threads(c, p, r, cq, true);
		else if (cq->threads & bit || r->begin < cq->last_end)
			tell_threads(c, p, r, cq, false);
	}
	cq->threads |= bit;
	cq->last = r->thread;
	cq->last_end = r->end;
}

void check_threads_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (record_call_row(r) == ROW_ibv_create_cq_ex && !r->err && r->result)
		note_made(c, r);
	else if (record_call_row(r) == ROW_ibv_destroy_cq && !r->err)
		forget_single(c, r->args[0]);
	else if (c->nsingle && (record_call_row(r) == ROW_ibv_poll_cq ||
				record_call_row(r) == ROW_ibv_start_poll ||
				record_call_row(r) == ROW_ibv_next_poll))
		note_poll(c, p, r);
}
