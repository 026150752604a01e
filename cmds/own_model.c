/* SPDX-License-Identifier: MIT */
#include "own_model.h"

#include <string.h>
#include <sys/resource.h>

#include "call_record.h"
#include "checks.h"
#include "heap.h"
#include "objects.h"
#include "own_rows.h"
#include "recorded.h"
#include "refused_calls.h"
#include "why.h"

#define DONE_KEPT 1024 /* requests of a queue that are done: packets of them may still come */

static struct {
	struct live_program *live;
	struct live_wc *polled; /* by the last poll; calls may follow before somebody asks */
	unsigned npolled;
	struct causes refused;	       /* why the last call that has failed was refused */
	const unsigned long *commands; /* how many the session has begun */
	struct checks *checks;	       /* NULL: off */
} the;

static void keep_completions(void)
{
	const struct live_wc *wc = live_program_completions(the.live, &the.npolled);

	the.polled = xrealloc(the.polled, the.npolled, sizeof *wc);
	memcpy(the.polled, wc, the.npolled * sizeof *wc);
}

/* An object gets its name when the call that makes it has returned. */
static void learn_names(uint64_t when)
{
	struct live_regions *s = &the.live->regions;

	for (struct live_tracked_qp *qp = the.live->newest; qp; qp = qp->older)
		if (!*qp->v.name)
			live_object_name(&record_own_objects, qp->address, OBJECT_QP, when,
					 qp->v.name);
	for (unsigned i = 0; i < s->n; i++)
		if (!*s->v[i].name && !s->v[i].gone)
			live_object_name(&record_own_objects, s->at[i], OBJECT_MR, when,
					 s->v[i].name);
}

static void take_own_row(const struct record *r)
{
	const struct ibv_mr *mr;

	if (!the.checks || own_row_of(r) != OWN_MEM_PUT)
		return;
	mr = (const void *)(uintptr_t)r->args[0];
	checks_written(the.checks, the.live, r, (uintptr_t)mr->addr + r->args[1], r->args[2]);
}

static void keep_refusal(const struct record *r)
{
	const struct refused_call refused = { the.live, r, &the.refused };

	causes_free(&the.refused);
	why_call_refused(&refused);
}

/* Why it has failed, or what it tells of the device. */
static void take_result(const struct record *r)
{
	const unsigned row = record_call_row(r);

	if (r->err && !r->depth)
		keep_refusal(r);
	else if (!r->err && (row == ROW_ibv_query_device || row == ROW_ibv_query_device_ex ||
			     row == ROW_ibv_query_port))
		live_program_take_limits(the.live, r);
}

static void take_call(void *arg, const struct record *from)
{
	struct record r = *from;

	(void)arg;
	r.from = (struct record_from){ .at = *the.commands };
	if (the.checks)
		learn_names(r.begin);
	if (record_call_row(&r) == call_count) {
		take_own_row(&r);
		return;
	}
	if (the.checks)
		checks_before(the.checks, the.live, &r);
	live_program_take(the.live, &r, &record_own_objects);
	take_result(&r);
	if (the.checks)
		checks_after(the.checks, the.live, &r);
	if (record_call_row(&r) == ROW_ibv_poll_cq && !record_is_empty_poll(&r))
		keep_completions();
}

void own_model_check(struct checks *c)
{
	the.checks = c;
	record_learn_empty(c);
}

void own_model_begin(const unsigned long *commands)
{
	struct rlimit lock;

	the.commands = commands;
	if (the.live)
		return;
	the.live = live_program_new();
	the.live->keeps = DONE_KEPT;
	if (getrlimit(RLIMIT_MEMLOCK, &lock) == 0 && lock.rlim_cur != RLIM_INFINITY)
		the.live->lock_limit = lock.rlim_cur;
	record_learn(take_call, NULL);
}

const struct live_program *own_model(void)
{
	learn_names(record_time());
	return the.live;
}

const struct causes *own_refusal(void)
{
	return &the.refused;
}

const struct live_region *own_region(const struct mr *mr)
{
	static const struct live_region none;
	const struct live_region *r = live_region_at(&the.live->regions, (uintptr_t)mr->v);

	return r ? r : &none;
}

static struct live_queues *queues_of(const struct qp *qp)
{
	return live_program_entry(the.live, (uintptr_t)qp->v);
}

struct outstanding own_outstanding(const struct qp *qp, bool recv)
{
	struct live_queues *e = queues_of(qp);
	const struct posted_queue *q;
	struct outstanding out = { 0 };

	if (!e || (recv && qp->srq))
		return out;
	q = recv ? &e->recvs : &e->sends;
	out.n = q->n;
	out.had = q->had;
	out.unsignaled = recv ? 0 : q->n - live_program_signaled(the.live, &e->qp);
	out.oldest = q->n ? &q->v[q->begin] : NULL;
	return out;
}

const struct live_wc *own_completion(unsigned i, const struct ibv_wc *wc)
{
	const struct live_wc *seen = i < the.npolled ? &the.polled[i] : NULL;

	return seen && seen->wc.wr_id == wc->wr_id && seen->wc.qp_num == wc->qp_num ? seen : NULL;
}
