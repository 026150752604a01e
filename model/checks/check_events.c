/* SPDX-License-Identifier: MIT */
/* Events: completion queues that are armed and waited for, and what is to be acknowledged. */
#include "check_impl.h"

#include <stdio.h>
#include <string.h>

static struct armed_cq *find_armed(const struct checks *c, uint64_t address)
{
	struct armed_cq *cq;

	HASH_FIND(hh, c->armed, &address, sizeof address, cq);
	return cq;
}

static struct armed_cq *meet_armed(struct checks *c, uint64_t address)
{
	struct armed_cq *cq = find_armed(c, address);

	if (cq)
		return cq;
	cq = xcalloc(1, sizeof *cq);
	cq->address = address;
	HASH_ADD(hh, c->armed, address, sizeof cq->address, cq);
	return cq;
}

/* ------------------------------------------------------------------------ arming -- */

/* Can its requests complete? */
static bool is_working(const struct live_tracked_qp *qp)
{
	return qp->v.state != IBV_QPS_RESET && qp->v.state != IBV_QPS_INIT;
}

static void count_due(const struct live_program *p, struct armed_cq *cq)
{
	cq->sends = cq->recvs = 0;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		if (!is_working(qp))
			continue;
		if (qp->send_cq == cq->address)
			cq->sends += live_program_signaled(p, qp);
		if (qp->recv_cq == cq->address)
			cq->recvs += live_program_outstanding(p, qp, true);
	}
}

static void arm(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct armed_cq *cq = meet_armed(c, r->args[0]);

	cq->is_armed = true;
	cq->armed_at = r->end;
	cq->polled_at = cq->asked_at = 0;
	cq->at = check_place_of(r);
	count_due(p, cq);
}

static void note_poll(struct checks *c, const struct record *r)
{
	struct armed_cq *cq = c->armed ? find_armed(c, r->args[0]) : NULL;

	if (!cq)
		return;
	cq->was_polled = true;
	if (cq->is_armed && !cq->polled_at && r->end > cq->armed_at)
		cq->polled_at = r->end;
}

static bool has_channel(const struct live_object *o, uint64_t channel)
{
	for (unsigned i = 0; o && i < sizeof o->uses / sizeof *o->uses; i++)
		if (o->uses[i] == channel)
			return true;
	return false;
}

/* A CQ that was made with a channel is followed. */
static void note_cq(struct checks *c, const struct live_program *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(r, &kind);
	const struct live_object *used, *o = live_object_at(p->seen, made);

	if (!made || !o || (kind != OBJECT_CQ && kind != OBJECT_CQ_EX))
		return;
	for (unsigned i = 0; i < sizeof o->uses / sizeof *o->uses; i++) {
		used = live_object_at(p->seen, o->uses[i]);
		if (used && used->kind == OBJECT_COMP_CHANNEL)
			meet_armed(c, made)->was_polled = meet_armed(c, made)->is_armed = false;
	}
}

/* A peer that answers what it is asked sends nothing before. */
static void note_post(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_tracked_qp *qp = c->armed ? live_program_qp(p, r->args[0]) : NULL;
	struct armed_cq *cq = qp ? find_armed(c, qp->recv_cq) : NULL;

	if (cq)
		cq->asked_at = r->end;
}

static void tell_race(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct armed_cq *cq)
{
	struct check_finding f = check_new(CHECK_ARM_RACE, r);
	const char *name = live_program_name(p, cq->address, r->begin);

	snprintf(f.object, sizeof f.object, "%s", name);
	snprintf(
		f.says, sizeof f.says,
		"%s was armed with %u request%s outstanding and waited for without a poll: a completion "
		"that came before it was armed makes no event",
		name, cq->sends + cq->recvs, cq->sends + cq->recvs == 1 ? "" : "s");
	if (!cq->sends) {
		f.grade = CHECK_MAY;
		snprintf(f.sure, sizeof f.sure,
			 "certain unless the peer sends only what it is asked for after that");
	}
	check_step(&f, cq->at, "%s was armed", name);
	check_step_made(&f, p, cq->address, name);
	check_add(c, &f);
}

/* Was the CQ waited for too early: without a poll since it was armed, when something could have
 * completed before? */
static bool is_race(const struct armed_cq *cq, uint64_t waits_from)
{
	if (!cq->is_armed || cq->armed_at > waits_from ||
	    (cq->polled_at && cq->polled_at <= waits_from))
		return false;
	return cq->sends || (cq->recvs && cq->was_polled && !cq->asked_at);
}

static void find_races(struct checks *c, const struct live_program *p, const struct record *r)
{
	for (struct armed_cq *cq = c->armed; cq; cq = cq->hh.next)
		if (has_channel(live_object_at(p->seen, cq->address), r->args[0]) &&
		    is_race(cq, r->begin))
			tell_race(c, p, r, cq);
}

static void take_event(struct checks *c, const struct record *r)
{
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	struct armed_cq *cq = place && c->armed ? find_armed(c, *place) : NULL;

	if (cq)
		cq->is_armed = false;
}

/* ------------------------------------------------------------------ acknowledging -- */

static void tell_unacknowledged(struct checks *c, const struct live_program *p,
				const struct record *r, const struct live_object *o)
{
	struct check_finding f = check_new(CHECK_UNACKED, r);
	const char *name = live_program_name(p, o->address, r ? r->begin : UINT64_MAX);

	snprintf(f.object, sizeof f.object, "%s", name);
	snprintf(f.says, sizeof f.says, "%u event%s of %s %s not acknowledged (%s)%s%s",
		 o->unacknowledged, o->unacknowledged == 1 ? "" : "s", name,
		 o->unacknowledged == 1 ? "was" : "were", o->acknowledge,
		 r ? ": it waits for that for ever in " : ": it could not be destroyed",
		 r ? r->fn->name : "");
	check_step_made(&f, p, o->address, name);
	check_add(c, &f);
}

/* --------------------------------------------------------------------------- calls -- */

void check_events_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (record_call_row(r) == ROW_ibv_get_cq_event && !r->err && c->armed)
		find_races(c, p, r);
}

void check_events_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	switch (record_call_row(r)) {
	case ROW_ibv_req_notify_cq:
		if (!r->err)
			arm(c, p, r);
		break;
	case ROW_ibv_poll_cq:
	case ROW_ibv_start_poll:
	case ROW_ibv_next_poll:
		note_poll(c, r);
		break;
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		note_post(c, p, r);
		break;
	case ROW_ibv_get_cq_event:
		if (!r->err)
			take_event(c, r);
		break;
	default:
		if (r->fn->path != CALL_DATAPATH)
			note_cq(c, p, r);
	}
}

void check_events_unfinished(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);
	unsigned cqs = 0, armed = 0;
	struct check_finding f;

	if (r->fn->args[0].role == CALL_GONE && o && o->unacknowledged)
		tell_unacknowledged(c, p, r, o);
	if (record_call_row(r) != ROW_ibv_get_cq_event)
		return;
	find_races(c, p, r);
	for (o = p->seen; o; o = o->hh.next) {
		if (!has_channel(o, r->args[0]))
			continue;
		cqs++;
		armed += o->armed != 0;
	}
	if (!cqs || armed)
		return;
	f = check_new(CHECK_ARM_NONE, r);
	snprintf(f.object, sizeof f.object, "%s", live_program_name(p, r->args[0], r->begin));
	snprintf(f.says, sizeof f.says, "%s waits for an event of %s, and none of its CQs is armed",
		 r->fn->name, f.object);
	check_step_made(&f, p, r->args[0], f.object);
	check_add(c, &f);
}

void check_events_end(struct checks *c, const struct live_program *p)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (o->unacknowledged)
			tell_unacknowledged(c, p, NULL, o);
}
