/* SPDX-License-Identifier: MIT */
/* Events: completion queues that are armed and waited for, and what is to be acknowledged. */
#include "check_impl.h"

#include <errno.h>

/* ------------------------------------------------------------------------ arming -- */

static void tell_no_channel(struct checks *c, const struct live_program *p, const struct record *r)
{
	const char *name = live_program_name(p, r->args[0], r->begin);
	struct check_finding f = check_new(
		CHECK_ARM_NONE, name, r,
		"%s was armed, and was made without a completion channel: no event comes", name);

	check_add_made(c, p, &f, r->args[0]);
}

static void arm(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct check_note *cq = check_note(p, r->args[0]);

	if (!cq)
		return;
	if (live_objects_lacks_channel(p->seen, live_object_at(p->seen, r->args[0])))
		tell_no_channel(c, p, r);
	cq->is_solicited_only = r->args[1] && (!cq->is_armed || cq->is_solicited_only);
	cq->is_armed = true;
	cq->armed_at = r->end;
	cq->drained_at = cq->asked_at = 0;
	cq->armed = check_place_of(r);
	cq->sends = cq->recvs = 0;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		if (qp->v.state == IBV_QPS_RESET || qp->v.state == IBV_QPS_INIT)
			continue; /* its requests cannot complete */
		if (qp->send_cq == r->args[0])
			cq->sends += live_program_signaled(p, qp);
		if (qp->recv_cq == r->args[0])
			cq->recvs += live_program_outstanding(p, qp, true);
	}
}

/* Does a peer send messages to the CQ, and marks none? */
static const struct live_tracked_qp *find_unmarked(const struct checks *c,
						   const struct live_program *p, uint64_t address)
{
	struct check_peer peer;

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		if (qp->recv_cq != address)
			continue;
		peer = check_find_peer(c, p, qp);
		if (peer.queues && peer.queues->sends.messages && !peer.queues->sends.solicited)
			return qp;
	}
	return NULL;
}

/* A thread waits for the event of the CQ, for ever. */
static void tell_unmarked(struct checks *c, const struct live_program *p, const struct record *r,
			  uint64_t address)
{
	const struct check_note *cq = check_note(p, address);
	const char *name = live_program_name(p, address, r->begin);
	const struct live_tracked_qp *qp = cq->is_armed && cq->is_solicited_only && !c->has_lost
						   ? find_unmarked(c, p, address)
						   : NULL;
	struct check_finding f;

	if (!qp)
		return;
	f = check_new(
		CHECK_ARM_SOLICITED, name, r,
		"%s is armed for solicited messages, and none of those that were sent to %s so far "
		"is: they make no event",
		name, qp->v.name);
	check_step(&f, cq->armed, "%s was armed", name);
	check_add_made(c, p, &f, address);
}

static void count_down(unsigned *n)
{
	*n -= *n > 0;
}

/* Requests that have completed since the CQ was armed need no event. One of which it is not clear
 * what it was counts as both. */
static void count_done(const struct live_program *p, struct check_note *cq, bool is_ex)
{
	const struct live_wc *wc;
	unsigned n;

	wc = live_program_completions(p, &n);
	for (unsigned i = 0; i < n; i++) {
		const bool is_clear = wc[i].wc.status == IBV_WC_SUCCESS && (wc[i].known || !is_ex);
		const bool is_recv = wc[i].wc.opcode & IBV_WC_RECV;

		if (!is_clear || !is_recv)
			count_down(&cq->sends);
		if (!is_clear || is_recv)
			count_down(&cq->recvs);
	}
}

/* A completion before the CQ was armed makes no event. A poll that finds less than it has room for
 * leaves nothing of that. */
static void note_poll(const struct live_program *p, const struct record *r)
{
	const bool is_ex = record_call_row(r) != ROW_ibv_poll_cq;
	struct check_note *cq = check_note(p, r->args[0]);

	if (!cq)
		return;
	cq->was_polled = true;
	if (!cq->is_armed || r->end <= cq->armed_at)
		return;
	count_done(p, cq, is_ex);
	if (!cq->drained_at && (is_ex ? r->err == ENOENT : r->result < r->args[1]))
		cq->drained_at = r->end;
}

/* A peer that answers what it is asked sends nothing before. */
static void note_post(const struct live_program *p, const struct record *r)
{
	const struct live_tracked_qp *qp = live_program_qp(p, r->args[0]);
	struct check_note *cq = qp ? check_note(p, qp->recv_cq) : NULL;

	if (cq)
		cq->asked_at = r->end;
}

static void tell_race(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_object *o)
{
	const char *name = live_program_name(p, o->address, r->begin);
	const unsigned n = o->note->sends + o->note->recvs;
	struct check_finding f = check_new(
		CHECK_ARM_RACE, name, r,
		"%s was armed with %u request%s outstanding, and waited for before a poll has found it "
		"empty: a completion that came before it was armed makes no event",
		name, n, check_s(n));

	if (!o->note->sends)
		check_doubt(&f,
			    "certain unless the peer sends only what it is asked for after that");
	check_step(&f, o->note->armed, "%s was armed", name);
	check_add_made(c, p, &f, o->address);
}

/* Was the CQ waited for too early: when something could have completed before it was armed that was
 * not polled? */
static bool is_race(const struct check_note *cq, uint64_t waits_from)
{
	if (!cq || !cq->is_armed || cq->armed_at > waits_from ||
	    (cq->drained_at && cq->drained_at <= waits_from))
		return false;
	return cq->sends || (cq->recvs && cq->was_polled && !cq->asked_at);
}

static void find_races(struct checks *c, const struct live_program *p, const struct record *r)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (is_race(o->note, r->begin) && live_object_uses(o, r->args[0]))
			tell_race(c, p, r, o);
}

static void take_event(const struct live_program *p, const struct record *r)
{
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	struct check_note *cq = place ? check_note(p, *place) : NULL;

	if (cq)
		cq->is_armed = false;
}

/* ------------------------------------------------------------------ calls of ids -- */

/* An id whose channel the program reads goes on when the event of the step before has come. */
static void look_at_order(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *id = live_object_at(p->seen, r->args[0]);
	struct check_finding f;

	if (!live_id_is_early(p->seen, r) || c->has_lost)
		return;
	f = check_new(CHECK_EARLY_CALL, live_program_name(p, id->address, r->begin), r,
		      "%s came before the event that answers %s", r->fn->name, id->asked->name);
	check_add_made(c, p, &f, id->address);
}

/* ------------------------------------------------------------------ acknowledging -- */

static void tell_unacknowledged(struct checks *c, const struct live_program *p,
				const struct record *r, const struct live_object *o)
{
	const char *name = live_program_name(p, o->address, r ? r->begin : UINT64_MAX);
	struct check_finding f =
		check_new(CHECK_UNACKED, name, r, "%u event%s of %s %s not acknowledged (%s)%s%s",
			  o->unacknowledged, check_s(o->unacknowledged), name,
			  o->unacknowledged == 1 ? "was" : "were", o->acknowledge,
			  r ? ": it waits for that for ever in " : ": it could not be destroyed",
			  r ? r->fn->name : "");

	check_add_made(c, p, &f, o->address);
}

static void look_at_number(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);
	const unsigned n = (unsigned)r->args[1];
	struct check_finding f;

	if (!o || !o->made.fn || c->has_lost || n <= o->unacknowledged)
		return;
	f = check_new(CHECK_UNACKED, live_program_name(p, o->address, r->begin), r,
		      "%u event%s acknowledged at once, and the program has got %u that %s not "
		      "acknowledged before: the CQ cannot be destroyed",
		      n, n == 1 ? " was" : "s were", o->unacknowledged,
		      o->unacknowledged == 1 ? "was" : "were");
	check_add_made(c, p, &f, o->address);
}

/* --------------------------------------------------------------------------- calls -- */

void check_events_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (record_call_row(r) == ROW_ibv_get_cq_event && !r->err)
		find_races(c, p, r);
	else if (record_call_row(r) == ROW_ibv_ack_cq_events)
		look_at_number(c, p, r);
	else
		look_at_order(c, p, r);
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
	case ROW_ibv_end_poll:
		note_poll(p, r);
		break;
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		note_post(p, r);
		break;
	case ROW_ibv_get_cq_event:
		if (!r->err)
			take_event(p, r);
		break;
	}
}

void check_events_unfinished(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);
	unsigned cqs = 0, armed = 0;
	struct check_finding f;
	const char *name;

	if (r->fn->args[0].role == CALL_GONE && o && o->unacknowledged)
		tell_unacknowledged(c, p, r, o);
	look_at_order(c, p, r);
	if (record_call_row(r) != ROW_ibv_get_cq_event)
		return;
	find_races(c, p, r);
	for (o = p->seen; o; o = o->hh.next) {
		if (!live_object_uses(o, r->args[0]))
			continue;
		cqs++;
		armed += o->armed != 0;
		tell_unmarked(c, p, r, o->address);
	}
	if (!cqs || armed)
		return;
	name = live_program_name(p, r->args[0], r->begin);
	f = check_new(CHECK_ARM_NONE, name, r,
		      "%s waits for an event of %s, and none of its CQs is armed", r->fn->name,
		      name);
	check_add_made(c, p, &f, r->args[0]);
}

void check_events_end(struct checks *c, const struct live_program *p)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (o->unacknowledged)
			tell_unacknowledged(c, p, NULL, o);
}
