/* SPDX-License-Identifier: MIT */
/* Objects that are left, or used after their end; sequences of calls that are not ended. */
#include "check_impl.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- gone -- */

static struct gone_object *find_gone(const struct checks *c, uint64_t address)
{
	struct gone_object *o;

	HASH_FIND(hh, c->gone, &address, sizeof address, o);
	return o;
}

static void forget_gone(struct checks *c, uint64_t address)
{
	struct gone_object *o = find_gone(c, address);

	if (!o)
		return;
	HASH_DEL(c->gone, o);
	free(o);
}

/* A new event may be in the memory of any that was acknowledged: the record has not the address of
 * that memory. */
static void forget_async_events(struct checks *c)
{
	struct gone_object *o, *next;

	HASH_ITER(hh, c->gone, o, next)
	if (o->kind == OBJECT_ASYNC_EVENT)
		forget_gone(c, o->address);
}

static void note_gone(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct call_value *v, uint64_t address)
{
	struct gone_object *o = find_gone(c, address);

	if (!o) {
		o = xcalloc(1, sizeof *o);
		o->address = address;
		HASH_ADD(hh, c->gone, address, sizeof o->address, o);
	}
	o->kind = v->object;
	o->when = r->end;
	o->at = check_place_of(r);
	snprintf(o->name, sizeof o->name, "%s", live_program_name(p, address, r->begin));
	if (!*o->name)
		snprintf(o->name, sizeof o->name, "the %s", call_objects[v->object].word);
}

static void tell_gone(struct checks *c, const struct record *r, const struct gone_object *o)
{
	struct check_finding f = check_new(CHECK_GONE, o->name, r,
					   "%s was given %s, which was destroyed before",
					   r->fn->name, o->name);

	check_step(&f, o->at, "%s was destroyed", o->name);
	check_add(c, &f);
}

/* An object that no call was seen to make may be another one at the address: one with which a call
 * of the kernel goes well is. */
static bool is_used_after_end(const struct live_program *p, const struct record *r,
			      const struct call_value *v, const struct gone_object *o)
{
	/* a call that began before may have been what the destruction waited for */
	if (o->kind != v->object || live_object_at(p->seen, o->address) || r->begin < o->when)
		return false;
	return v->role == CALL_GONE || r->fn->path == CALL_DATAPATH || r->err || !r->ended;
}

static void find_uses(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct gone_object *o;

	for (unsigned i = 0; c->gone && i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind != CALL_OBJECT || (v->role != CALL_IN && v->role != CALL_GONE))
			continue;
		o = find_gone(c, r->args[i]);
		if (o && is_used_after_end(p, r, v, o))
			tell_gone(c, r, o);
	}
}

static void learn_ends(struct checks *c, const struct live_program *p, const struct record *r)
{
	for (unsigned i = 0; i < r->nargs && !r->err; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind == CALL_OBJECT && v->role == CALL_GONE && r->args[i])
			note_gone(c, p, r, v, r->args[i]);
	}
}

static void learn_makes(struct checks *c, const struct record *r)
{
	const struct rdma_cm_event *event = record_cm_event(r);
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(r, &kind);

	if (made)
		forget_gone(c, made);
	if (event && event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		forget_gone(c, (uintptr_t)event->id);
	for (unsigned i = 0; c->gone && i < r->nargs && !r->err; i++)
		if (r->fn->args[i].kind == CALL_OBJECT && r->fn->args[i].role == CALL_IN &&
		    r->fn->path != CALL_DATAPATH)
			forget_gone(c, r->args[i]);
}

/* -------------------------------------------------------- sequences of calls -- */

static void tell_open(struct checks *c, const struct live_program *p, const struct record *r,
		      uint64_t address, const char *but)
{
	struct check_note *n = check_note(p, address);
	const char *name = live_program_name(p, address, r ? r->begin : UINT64_MAX);
	struct check_finding f;

	if (!n || !n->begun.call)
		return;
	f = check_new(CHECK_WR_SCOPE, name, r, "%s of %s was not ended %s", n->begun.call, name,
		      but);
	check_step(&f, n->begun, "it was begun");
	check_add(c, &f);
	n->begun.call = NULL;
}

/* The call ends what was not begun: another thread may be within. */
static void tell_needless(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);
	const char *name = live_program_name(p, r->args[0], r->begin);
	struct check_finding f;

	if (!o->made.fn || c->has_lost)
		return;
	f = check_new(CHECK_WR_SCOPE, name, r, "%s ends what was not begun for %s%s", r->fn->name,
		      name,
		      record_call_row(r) == ROW_ibv_end_poll
			      ? ": ibv_start_poll() has found nothing, and begins nothing then"
			      : "");
	check_add_made(c, p, &f, r->args[0]);
}

static void learn_steps(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct check_note *n;

	if (r->fn->step == CALL_ALONE || r->fn->step == CALL_NEXT || !r->nargs)
		return;
	n = check_note(p, r->args[0]);
	if (!n)
		return;
	if (r->fn->step == CALL_LAST) {
		if (!n->begun.call)
			tell_needless(c, p, r);
		n->begun.call = NULL;
		return;
	}
	tell_open(c, p, r, r->args[0], "when it was begun again");
	if (!r->err)
		n->begun = check_place_of(r);
}

/* ------------------------------------------------------------------- completions -- */

static void tell_field(struct checks *c, const struct live_program *p, const struct record *r,
		       uint64_t cq, const char *function, const char *why)
{
	const char *name = live_program_name(p, cq, r->begin);
	struct check_finding f = check_new(CHECK_WC_FIELD, name, r,
					   "%s was called for a completion of %s %s", function,
					   name, why);

	f.at.call = function;
	check_add(c, &f);
}

void checks_no_immediate(struct checks *c, const struct live_program *p, const struct record *r,
			 uint64_t cq)
{
	tell_field(c, p, r, cq, "ibv_wc_read_imm_data", "without IBV_WC_WITH_IMM in its flags");
}

/* Of a completion that has failed only a few fields are valid. */
static void look_at_field(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct open_wc *o = live_program_open_wc(p, r->args[0]);

	if (o && o->wc.status != IBV_WC_SUCCESS)
		tell_field(c, p, r, o->cq, r->fn->name,
			   temp_text("that has failed (%s)", live_status(o->wc.status)));
}

/* --------------------------------------------------------------------------- calls -- */

void check_objects_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	find_uses(c, p, r);
	if (r->fn->path == CALL_DATAPATH)
		return;
	if (r->nargs && r->fn->args[0].role == CALL_GONE && !r->err)
		tell_open(c, p, r, r->args[0], "before it was destroyed");
	learn_ends(c, p, r);
}

void check_objects_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (record_async_event(r))
		forget_async_events(c);
	if (r->fn->path != CALL_DATAPATH)
		learn_makes(c, r);
	else if (!r->depth)
		learn_steps(c, p, r);
	switch (record_call_row(r)) {
	case ROW_ibv_wc_read_opcode:
	case ROW_ibv_wc_read_byte_len:
	case ROW_ibv_wc_read_imm_data:
	case ROW_ibv_wc_read_src_qp:
		look_at_field(c, p, r);
	}
}

void check_objects_unfinished(struct checks *c, const struct live_program *p,
			      const struct record *r)
{
	find_uses(c, p, r);
}

/* ------------------------------------------------------------------------- leaks -- */

static const char *end_of(const struct live_object *o)
{
	return o->made.fn->ended_by ? o->made.fn->ended_by : call_objects[o->kind].ended_by;
}

void check_objects_end(struct checks *c, const struct live_program *p)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next) {
		const char *name = live_program_name(p, o->address, UINT64_MAX);
		const char *end = o->made.fn && o->made.is_own ? end_of(o) : NULL;
		struct check_finding f;

		tell_open(c, p, NULL, o->address, "at the end of the program");
		if (!end || o->kind == OBJECT_CM_EVENT || o->kind == OBJECT_ASYNC_EVENT)
			continue;
		f = check_new(CHECK_LEAK, name, NULL, "%s was not destroyed (%s)", name, end);
		check_add_made(c, p, &f, o->address);
	}
}
