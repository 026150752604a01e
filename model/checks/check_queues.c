/* SPDX-License-Identifier: MIT */
/* Queues: too small for what is posted, or left with requests in them. */
#include "check_impl.h"

#include <stdio.h>
#include <string.h>

#include "inventory.h"
#include "live_inventory.h"

/* ----------------------------------------------------------------- the send queue -- */

static void tell_full(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_tracked_qp *qp, unsigned n)
{
	const bool has_signaled = live_program_signaled(p, qp);
	struct check_finding f = check_new(has_signaled ? CHECK_SQ_FULL_LUCKY : CHECK_SQ_UNSIGNALED,
					   r);

	snprintf(f.object, sizeof f.object, "%s", qp->v.name);
	if (has_signaled)
		snprintf(
			f.says, sizeof f.says,
			"%s has room for %u requests, and %u are outstanding: the program has not polled "
			"the completion that makes room for the last one",
			qp->v.name, qp->v.cap.max_send_wr, n);
	else
		snprintf(
			f.says, sizeof f.says,
			"the %u requests that %s has room for are posted, and none of them is signaled: no "
			"completion can tell that there is room again",
			qp->v.cap.max_send_wr, qp->v.name);
	check_step_made(&f, p, qp->address, qp->v.name);
	check_add(c, &f);
}

/* Looks only when the queue becomes full. */
static void look_at_room(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_queues *e)
{
	const unsigned room = e->qp.v.cap.max_send_wr, n = e->sends.n;
	const unsigned posted = (unsigned)(e->sends.put - c->put), before = n - posted;

	if (!room || posted > n || e->qp.v.state == IBV_QPS_ERR)
		return;
	if (before < room && n >= room && !live_program_signaled(p, &e->qp))
		tell_full(c, p, r, &e->qp, n);
	else if (before <= room && n > room && live_program_signaled(p, &e->qp))
		tell_full(c, p, r, &e->qp, n);
}

/* ------------------------------------------------------------------ completion queues -- */

static struct small_cq *find_small(const struct checks *c, uint64_t address)
{
	for (unsigned i = 0; i < c->nsmall; i++)
		if (c->small[i].address == address)
			return &c->small[i];
	return NULL;
}

/* A QP was made: can its CQ have more signaled requests than entries? */
static void note_small(struct checks *c, const struct live_program *p,
		       const struct live_tracked_qp *made)
{
	const struct live_object *o = live_object_at(p->seen, made->send_cq);
	unsigned most = 0;

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->send_cq == made->send_cq)
			most += qp->v.cap.max_send_wr;
	if (!o || o->room <= 0 || most <= (unsigned)o->room || find_small(c, o->address))
		return;
	c->small = xgrow(c->small, c->nsmall, sizeof *c->small);
	c->small[c->nsmall] = (struct small_cq){ .address = o->address, .room = (unsigned)o->room };
	if (o->made.fn)
		c->small[c->nsmall].made = (struct check_place){ o->made.fn->name, o->made.from };
	snprintf(c->small[c->nsmall].name, LIVE_NAME, "%s",
		 live_program_name(p, o->address, UINT64_MAX));
	c->nsmall++;
}

static void look_at_entries(struct checks *c, const struct live_program *p, const struct record *r,
			    const struct live_tracked_qp *posted)
{
	struct small_cq *cq = c->nsmall ? find_small(c, posted->send_cq) : NULL;
	unsigned n = 0;

	for (const struct live_tracked_qp *qp = p->newest; cq && qp; qp = qp->older)
		if (qp->send_cq == cq->address)
			n += live_program_outstanding(p, qp, false);
	if (!cq || n <= cq->room || n <= cq->most)
		return;
	n = 0;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->send_cq == cq->address)
			n += live_program_signaled(p, qp);
	if (n <= cq->room || n <= cq->most)
		return;
	if (!cq->most)
		cq->at = check_place_of(r);
	cq->most = n;
}

static void tell_small(struct checks *c, const struct small_cq *cq)
{
	struct check_finding f = check_new(CHECK_CQ_SMALL, NULL);

	if (!cq->most || cq->has_overrun)
		return;
	snprintf(f.object, sizeof f.object, "%s", cq->name);
	snprintf(
		f.says, sizeof f.says,
		"%s has room for %u completions, and %u signaled requests that complete into it were "
		"outstanding at once",
		cq->name, cq->room, cq->most);
	snprintf(f.sure, sizeof f.sure,
		 "certain if the peer can answer all of them before the program polls");
	f.at = cq->at;
	check_step(&f, cq->made, "%s was made", cq->name);
	check_add(c, &f);
}

/* The CQ is destroyed, or gets another size: its address may be that of another one later. */
static void end_small(struct checks *c, uint64_t address)
{
	struct small_cq *cq = find_small(c, address);

	if (!cq)
		return;
	tell_small(c, cq);
	*cq = c->small[--c->nsmall];
}

static void tell_overrun(struct checks *c, const struct live_program *p, const struct record *r,
			 uint64_t address, const char *name, unsigned lost)
{
	struct check_finding f = check_new(CHECK_CQ_OVERRUN, NULL);
	struct small_cq *cq = find_small(c, address);
	const struct live_object *o = live_object_at(p->seen, address);

	if (cq)
		f.at = cq->at;
	else if (r)
		f.at = check_place_of(r);
	if (cq)
		cq->has_overrun = true;
	snprintf(f.object, sizeof f.object, "%s", name);
	if (lost)
		snprintf(
			f.says, sizeof f.says,
			"%s has room for %d completions, and %u more came before the program polled: they "
			"are lost, and its queue pairs are in ERR",
			name, o ? o->room : 0, lost);
	else
		snprintf(
			f.says, sizeof f.says,
			"the device says that %s has overrun (IBV_EVENT_CQ_ERR): completions are lost",
			name);
	check_step_made(&f, p, address, name);
	check_add(c, &f);
}

static void take_async(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct ibv_async_event *event = record_async_event(r);
	const uint64_t cq = event && event->event_type == IBV_EVENT_CQ_ERR
				    ? (uintptr_t)event->element.cq
				    : 0;

	if (cq)
		tell_overrun(c, p, r, cq, live_program_name(p, cq, r->end), 0);
}

void checks_device(struct checks *c, const struct live_program *p,
		   const struct uroce_inventory *inv)
{
	inventory_foreach(inv, UROCE_CQ, uroce_cq_row, row) {
		char name[LIVE_NAME];
		const struct live_object *o = p->seen;

		snprintf(name, sizeof name, "cq%u", row->number);
		while (o && strcmp(name, live_program_name(p, o->address, UINT64_MAX)) != 0)
			o = o->hh.next;
		if (row->overrun && o)
			tell_overrun(c, p, NULL, o->address, name, row->lost);
	}
}

/* ------------------------------------------------------------- requests that are left -- */

static void tell_left(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_queues *e, enum check_id id)
{
	const unsigned sends = live_program_signaled(p, &e->qp), recvs = e->recvs.n;
	struct check_finding f = check_new(id, r);

	if (!sends && !recvs)
		return;
	snprintf(f.object, sizeof f.object, "%s", e->qp.v.name);
	snprintf(f.says, sizeof f.says, "%s was %s with %u send%s and %u receive%s outstanding",
		 e->qp.v.name, id == CHECK_RESET_LOST ? "moved to RESET" : "destroyed", sends,
		 sends == 1 ? "" : "s", recvs, recvs == 1 ? "" : "s");
	check_step_made(&f, p, e->qp.address, e->qp.v.name);
	check_add(c, &f);
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
	const struct live_queues *e;

	if (r->err || !r->nargs)
		return;
	if (record_call_row(r) == ROW_ibv_destroy_cq || record_call_row(r) == ROW_ibv_resize_cq)
		end_small(c, r->args[0]);
	if (record_call_row(r) != ROW_ibv_destroy_qp && record_call_row(r) != ROW_ibv_modify_qp)
		return;
	e = live_program_entry(p, r->args[0]);
	if (e && record_call_row(r) == ROW_ibv_destroy_qp)
		tell_left(c, p, r, e, CHECK_FLUSH_UNPOLLED);
	else if (e && is_reset(r))
		tell_left(c, p, r, e, CHECK_RESET_LOST);
}

static void look_at_timers(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	const struct live_tracked_qp *qp = live_program_qp(p, r->args[0]);
	struct check_finding f = check_new(CHECK_TIMERS, r);

	if (!a || !qp || !(r->args[2] & IBV_QP_TIMEOUT) || a->timeout)
		return;
	snprintf(f.object, sizeof f.object, "%s", qp->v.name);
	snprintf(f.says, sizeof f.says,
		 "the timeout of %s is 0: if a packet or its ACK is lost, it waits for ever",
		 qp->v.name);
	check_step_made(&f, p, qp->address, qp->v.name);
	check_add(c, &f);
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
		look_at_entries(c, p, r, &e->qp);
		break;
	case ROW_ibv_modify_qp:
		if (!r->err)
			look_at_timers(c, p, r);
		break;
	case ROW_ibv_get_async_event:
		take_async(c, p, r);
		break;
	default:
		if (r->fn->path == CALL_DATAPATH)
			break;
		made = record_made(r, &kind);
		e = made && (kind == OBJECT_QP || kind == OBJECT_QP_EX)
			    ? live_program_entry(p, made)
			    : NULL;
		if (e)
			note_small(c, p, &e->qp);
	}
}

void check_queues_end(struct checks *c, const struct live_program *p)
{
	(void)p;
	for (unsigned i = 0; i < c->nsmall; i++)
		tell_small(c, &c->small[i]);
}
