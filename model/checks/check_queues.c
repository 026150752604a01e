/* SPDX-License-Identifier: MIT */
/* Queues: too small for what is posted, or left with requests in them. */
#include "check_impl.h"

#include <string.h>

#include "inventory.h"
#include "live_inventory.h"

/* ----------------------------------------------------------------- the send queue -- */

static void tell_unsignaled(struct checks *c, const struct live_program *p, const struct record *r,
			    const struct live_tracked_qp *qp)
{
	struct check_finding f = check_new(
		CHECK_SQ_UNSIGNALED, qp->v.name, r,
		"the %u requests that %s has room for are posted, and none of them is signaled: no "
		"completion can tell that there is room again",
		qp->v.cap.max_send_wr, qp->v.name);

	check_add_made(c, p, &f, qp->address);
}

static void tell_lucky(struct checks *c, const struct live_program *p,
		       const struct live_tracked_qp *qp, struct check_note *note)
{
	struct check_finding f;

	if (!note || !note->over)
		return;
	f = check_new(
		CHECK_SQ_FULL_LUCKY, qp->v.name, NULL,
		"%s has room for %u requests, and %u are outstanding: the program has not polled "
		"the completion that makes room for the last one",
		qp->v.name, qp->v.cap.max_send_wr, note->over);
	f.at = note->over_place;
	note->over = 0;
	check_add_made(c, p, &f, qp->address);
}

/* Looks only when the queue becomes full. */
static void look_at_room(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_queues *e)
{
	const unsigned room = e->qp.v.cap.max_send_wr, n = e->sends.n;
	const unsigned posted = (unsigned)(e->sends.put - c->put), before = n - posted;
	struct check_note *note;

	if (!room || posted > n || e->qp.v.state == IBV_QPS_ERR)
		return;
	if (before < room && n >= room && !live_program_signaled(p, &e->qp))
		tell_unsignaled(c, p, r, &e->qp);
	else if (before <= room && n > room && live_program_signaled(p, &e->qp)) {
		note = check_note(p, e->qp.address);
		note->over = n;
		note->over_at = r->end;
		note->over_place = check_place_of(r);
	}
}

/* A poll of another thread that was under way when the post found its place may have made it. */
static void settle_room(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_wc *wc;
	struct check_note *note;
	unsigned n;

	wc = live_program_completions(p, &n);
	for (unsigned i = 0; i < n; i++) {
		note = wc[i].qp ? check_note(p, wc[i].qp->address) : NULL;
		if (note && r->begin >= note->over_at)
			tell_lucky(c, p, wc[i].qp, note);
		else if (note)
			note->over = 0;
	}
}

/* ------------------------------------------------------------------ completion queues -- */

/* A QP was made: can its CQ have more signaled requests than entries? */
static void note_small(const struct live_program *p, const struct live_tracked_qp *made)
{
	const struct live_object *o = live_object_at(p->seen, made->send_cq);
	unsigned most = 0;

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->send_cq == made->send_cq)
			most += qp->v.cap.max_send_wr;
	if (o && o->room > 0 && most > (unsigned)o->room)
		check_note(p, o->address)->is_small = true;
}

/* Of a request that waits for a receive of the peer it is up to that one when it completes. */
static bool waits_for_peer(const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	return qp->v.type != IBV_QPT_UD && qp->v.type != IBV_QPT_UC && wr->op && wr->op->solicits;
}

static void look_at_entries(const struct live_program *p, const struct record *r, uint64_t address)
{
	const struct live_object *o = live_object_at(p->seen, address);
	struct check_note *cq = o ? o->note : NULL;
	unsigned n = 0, posted = 0;
	bool can_wait = false;

	for (const struct live_tracked_qp *qp = cq && cq->is_small ? p->newest : NULL; qp;
	     qp = qp->older)
		if (qp->send_cq == address)
			posted += live_program_outstanding(p, qp, false);
	if (!cq || posted <= (unsigned)o->room)
		return;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		const struct posted_queue *q = &live_program_entry(p, qp->address)->sends;

		for (unsigned i = 0; qp->send_cq == address && i < q->n; i++) {
			const struct posted_wr *wr = &q->v[q->begin + i];

			n += qp->signals_all || wr->is_signaled;
			can_wait |= waits_for_peer(qp, wr) || wr->thread != r->thread;
		}
	}
	if (n <= (unsigned)o->room || n <= cq->most)
		return;
	if (!cq->most)
		cq->at_most = check_place_of(r);
	cq->most = n;
	cq->can_wait = can_wait || o->crossed;
}

/* The CQ is destroyed, gets another size, or is left. */
static void tell_small(struct checks *c, const struct live_program *p, const struct live_object *o)
{
	const struct check_note *cq = o->note;
	struct check_finding f;
	const char *name;

	if (!cq || !cq->most || cq->has_overrun)
		return;
	name = live_program_name(p, o->address, UINT64_MAX);
	f = check_new(
		CHECK_CQ_SMALL, name, NULL,
		"%s has room for %d completions, and %u signaled requests that complete into it were "
		"outstanding at once%s",
		name, o->room, cq->most,
		cq->fullest ? temp_text(": this device has had up to %u in it", cq->fullest) : "");
	if (cq->can_wait)
		check_doubt(&f,
			    "certain if the peer can answer all of them before the program polls");
	f.at = cq->at_most;
	check_add_made(c, p, &f, o->address);
}

static void tell_overrun(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_object *o, unsigned lost)
{
	const char *name = live_program_name(p, o->address, UINT64_MAX);
	struct check_note *cq = check_note(p, o->address);
	struct check_finding f;

	if (lost)
		f = check_new(
			CHECK_CQ_OVERRUN, name, r,
			"%s has room for %d completions, and %u more came before the program polled: "
			"they are lost, and its queue pairs are in ERR",
			name, o->room ? o->room : o->entries, lost);
	else
		f = check_new(
			CHECK_CQ_OVERRUN, name, r,
			"the device says that %s has overrun (IBV_EVENT_CQ_ERR): completions are lost",
			name);
	if (cq->most)
		f.at = cq->at_most;
	cq->has_overrun = true;
	check_add_made(c, p, &f, o->address);
}

static void take_async(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct ibv_async_event *event = record_async_event(r);
	const struct live_object *o = event && event->event_type == IBV_EVENT_CQ_ERR
					      ? live_object_at(p->seen,
							       (uintptr_t)event->element.cq)
					      : NULL;

	if (o)
		tell_overrun(c, p, r, o, 0);
}

void checks_device(struct checks *c, const struct live_program *p,
		   const struct uroce_inventory *inv)
{
	inventory_foreach(inv, UROCE_CQ, uroce_cq_row, row) {
		const char *name = temp_text("cq%u", row->number);
		const struct live_object *o = p->seen;

		while (o && strcmp(name, live_program_name(p, o->address, UINT64_MAX)) != 0)
			o = o->hh.next;
		if (o && o->note)
			o->note->fullest = row->most;
		if (row->overrun && o)
			tell_overrun(c, p, NULL, o, row->lost);
	}
}

/* ------------------------------------------------------------- requests that are left -- */

static void tell_left(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_queues *e, const char *how)
{
	const unsigned sends = e->sends.n, recvs = e->recvs.n;
	struct check_finding f;

	if (!sends && !recvs)
		return;
	f = check_new(CHECK_FLUSH_UNPOLLED, e->qp.v.name, r,
		      "%s was %s with %u send%s and %u receive%s outstanding", e->qp.v.name, how,
		      sends, check_s(sends), recvs, check_s(recvs));
	check_add_made(c, p, &f, e->qp.address);
}

static bool is_reset(const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];

	return record_call_row(r) == ROW_ibv_modify_qp && a && r->args[2] & IBV_QP_STATE &&
	       a->qp_state == IBV_QPS_RESET;
}

/* --------------------------------------------------------------------------- calls -- */

void check_queues_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o;
	const struct live_queues *e;

	if (r->err || !r->nargs)
		return;
	if (record_call_row(r) == ROW_ibv_destroy_cq || record_call_row(r) == ROW_ibv_resize_cq) {
		o = live_object_at(p->seen, r->args[0]);
		if (o && o->note) {
			tell_small(c, p, o);
			o->note->is_small = false;
			o->note->most = 0;
		}
	}
	if (record_call_row(r) != ROW_ibv_destroy_qp && record_call_row(r) != ROW_ibv_modify_qp)
		return;
	e = live_program_entry(p, r->args[0]);
	if (e && record_call_row(r) == ROW_ibv_destroy_qp) {
		tell_lucky(c, p, &e->qp, live_object_at(p->seen, r->args[0])->note);
		tell_left(c, p, r, e, "destroyed");
	}
	if (e && is_reset(r))
		tell_left(c, p, r, e, "moved to RESET");
}

void check_queues_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_queues *e;
	enum call_object kind = OBJECT_NONE;
	uint64_t made;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		e = live_program_entry(p, r->args[0]);
		if (!e)
			break;
		look_at_room(c, p, r, e);
		look_at_entries(p, r, e->qp.send_cq);
		break;
	case ROW_ibv_get_async_event:
		take_async(c, p, r);
		break;
	default:
		if (r->fn->path == CALL_DATAPATH) {
			settle_room(c, p, r);
			break;
		}
		made = record_made(r, &kind);
		e = made && (kind == OBJECT_QP || kind == OBJECT_QP_EX)
			    ? live_program_entry(p, made)
			    : NULL;
		if (e)
			note_small(p, &e->qp);
	}
}

void check_queues_end(struct checks *c, const struct live_program *p)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next) {
		tell_small(c, p, o);
		if (o->queues)
			tell_lucky(c, p, &o->queues->qp, o->note);
	}
}
