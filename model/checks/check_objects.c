/* SPDX-License-Identifier: MIT */
/* Objects that are left, or used after their end; sequences of calls that are not ended. */
#include "check_impl.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
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

static void find_second_end(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *id = live_object_at(p->seen, r->args[0]);
	const char *name;
	struct check_finding f;

	if (!live_id_ends_qp_again(id, r))
		return;
	name = live_program_name(p, id->address, r->begin);
	f = check_new(CHECK_GONE, name, r,
		      "%s destroys the QP of %s, which ibv_destroy_qp has destroyed before",
		      r->fn->name, name);
	check_add(c, &f);
}

static void find_uses(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct gone_object *o;

	if (r->nargs)
		find_second_end(c, p, r);
	for (unsigned i = 0; c->gone && i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind != CALL_OBJECT || (v->role != CALL_IN && v->role != CALL_GONE))
			continue;
		o = find_gone(c, r->args[i]);
		if (o && is_used_after_end(p, r, v, o))
			tell_gone(c, r, o);
	}
}

/* The call is given a part of an event that was acknowledged, which frees it. */
static void find_parts_of_event(struct checks *c, const struct record *r)
{
	static const struct {
		enum call_row row;
		size_t part;
		const char *name;
	} parts[] = {
		{ ROW_rdma_accept, offsetof(struct rdma_cm_event, param.conn), "param.conn" },
		{ ROW_rdma_connect, offsetof(struct rdma_cm_event, param.conn), "param.conn" },
		{ ROW_ibv_create_ah, offsetof(struct rdma_cm_event, param.ud.ah_attr),
		  "param.ud.ah_attr" },
	};
	size_t i = 0;

	while (i < sizeof parts / sizeof *parts && parts[i].row != record_call_row(r))
		i++;
	if (i == sizeof parts / sizeof *parts)
		return;
	for (const struct gone_object *o = c->gone; o; o = o->hh.next) {
		struct check_finding f;

		if (o->kind != OBJECT_CM_EVENT ||
		    !record_bytes(r, o->address + parts[i].part, NULL))
			continue;
		f = check_new(
			CHECK_GONE, "", r,
			"%s was given %s of an event that was acknowledged before, and so freed",
			r->fn->name, parts[i].name);
		check_doubt(&f, "certain unless the program has got that memory again");
		check_step(&f, o->at, "the event was acknowledged");
		check_add(c, &f);
	}
}

/* Lists of devices that there are. */
static unsigned count_lists(const struct live_program *p)
{
	unsigned n = 0;

	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		n += o->kind == OBJECT_DEVICE_LIST;
	return n;
}

static bool keeps_device(const struct live_object *o, uint64_t device)
{
	return o->kind == OBJECT_EVENT_CHANNEL || o->kind == OBJECT_CM_ID ||
	       o->kind == OBJECT_CONTEXT_LIST ||
	       (o->kind == OBJECT_CONTEXT && o->uses[0] == device);
}

/* A device ends with its list, unless it is open, or librdmacm has it open. */
static void find_device_gone(struct checks *c, const struct live_program *p, const struct record *r)
{
	struct check_finding f;

	if (record_call_row(r) == ROW_ibv_get_device_list)
		c->list_freed.call = NULL;
	else if (record_call_row(r) == ROW_ibv_free_device_list && count_lists(p) == 1)
		c->list_freed = check_place_of(r);
	if (record_call_row(r) != ROW_ibv_open_device || !c->list_freed.call)
		return;
	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (keeps_device(o, r->args[0]))
			return;
	f = check_new(CHECK_GONE, "", r,
		      "ibv_open_device was given a device of a list that was freed before");
	check_step(&f, c->list_freed, "the list was freed");
	check_add(c, &f);
}

/* --------------------------------------------------------------------------- in-use -- */

/* The call destroys an object that the other one, user, needs. */
static void note_need_gone(const struct live_program *p, const struct record *r, uint64_t user)
{
	struct check_note *n = check_note(p, user);

	n->need_gone = check_place_of(r);
	snprintf(n->need, sizeof n->need, "%s", live_program_name(p, r->args[0], r->begin));
}

/* librdmacm does not refuse to destroy what is in use, as the kernel does with objects of verbs. */
static void learn_needs(const struct live_program *p, const struct record *r)
{
	const struct live_tracked_qp *qp;

	if (record_call_row(r) == ROW_rdma_destroy_id) {
		qp = live_program_qp_of_id(p, r->args[0]);
		if (qp)
			note_need_gone(p, r, qp->address);
	} else if (record_call_row(r) == ROW_rdma_destroy_event_channel) {
		for (const struct live_object *o = p->seen; o; o = o->hh.next)
			if (o->kind == OBJECT_CM_ID && o->channel == r->args[0])
				note_need_gone(p, r, o->address);
	}
}

static void find_late_end(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);
	struct check_finding f;
	const char *name;

	if (!o || !o->note || !o->note->need_gone.call)
		return;
	name = live_program_name(p, o->address, r->begin);
	f = check_new(o->kind == OBJECT_CM_ID ? CHECK_IN_USE : CHECK_QP_AFTER_ID, name, r,
		      "%s was destroyed after %s, which it needs", name, o->note->need);
	check_step(&f, o->note->need_gone, "%s was destroyed", o->note->need);
	check_add_made(c, p, &f, o->address);
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

	if (r->fn->step == CALL_ALONE || !r->nargs)
		return;
	n = check_note(p, r->args[0]);
	if (!n)
		return;
	n->is_at_end = r->fn->step == CALL_NEXT && r->err == ENOENT;
	if (r->fn->step == CALL_NEXT)
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

/* The functions that read a field of a completion. */
static const struct wc_field {
	enum call_row row;
	uint64_t wanted;    /* of the wc_flags that the CQ was made with; 0: it always has it */
	bool needs_success; /* of one that has failed it is not valid */
} wc_fields[] = {
	{ ROW_ibv_wc_read_opcode, 0, true },
	{ ROW_ibv_wc_read_vendor_err, 0, false },
	{ ROW_ibv_wc_read_wc_flags, 0, false },
	{ ROW_ibv_wc_read_byte_len, IBV_WC_EX_WITH_BYTE_LEN, true },
	{ ROW_ibv_wc_read_imm_data, IBV_WC_EX_WITH_IMM, true },
	{ ROW_ibv_wc_read_qp_num, IBV_WC_EX_WITH_QP_NUM, false },
	{ ROW_ibv_wc_read_src_qp, IBV_WC_EX_WITH_SRC_QP, true },
	{ ROW_ibv_wc_read_slid, IBV_WC_EX_WITH_SLID, false },
	{ ROW_ibv_wc_read_sl, IBV_WC_EX_WITH_SL, false },
	{ ROW_ibv_wc_read_dlid_path_bits, IBV_WC_EX_WITH_DLID_PATH_BITS, false },
	{ ROW_ibv_wc_read_completion_ts, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, false },
	{ ROW_ibv_wc_read_completion_wallclock_ns, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	  false },
	{ ROW_ibv_wc_read_cvlan, IBV_WC_EX_WITH_CVLAN, false },
	{ ROW_ibv_wc_read_flow_tag, IBV_WC_EX_WITH_FLOW_TAG, false },
	{ ROW_ibv_wc_read_tm_info, IBV_WC_EX_WITH_TM_INFO, false },
};

static void look_at_field(struct checks *c, const struct live_program *p, const struct record *r,
			  const struct wc_field *field)
{
	const struct live_object *cq = live_object_at(p->seen, r->args[0]);
	const struct open_wc *o = live_program_open_wc(p, r->args[0]);
	const bool was_made = cq && cq->made.fn == &call_table[ROW_ibv_create_cq_ex];

	if (o && o->wc.status != IBV_WC_SUCCESS && field->needs_success)
		tell_field(c, p, r, o->cq, r->fn->name,
			   temp_text("that has failed (%s)", live_status(o->wc.status)));
	else if (was_made && (cq->wc_flags & field->wanted) != field->wanted)
		tell_field(c, p, r, r->args[0], r->fn->name,
			   "without that field in the wc_flags that it was made with");
	else if (was_made && cq->note && cq->note->is_at_end)
		tell_field(c, p, r, r->args[0], r->fn->name,
			   "after ibv_next_poll() has found nothing");
	else if (was_made && !c->has_lost && !(cq->note && cq->note->begun.call))
		tell_field(c, p, r, r->args[0], r->fn->name,
			   "after ibv_end_poll(), or before ibv_start_poll()");
}

/* --------------------------------------------------------------------------- calls -- */

void check_objects_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	find_uses(c, p, r);
	if (r->fn->path == CALL_DATAPATH)
		return;
	find_parts_of_event(c, r);
	find_device_gone(c, p, r);
	if (r->nargs && r->fn->args[0].role == CALL_GONE) /* it may fail for that */
		find_late_end(c, p, r);
	if (r->nargs && r->fn->args[0].role == CALL_GONE && !r->err) {
		tell_open(c, p, r, r->args[0], "before it was destroyed");
		learn_needs(p, r);
	}
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
	for (size_t i = 0; i < sizeof wc_fields / sizeof *wc_fields; i++)
		if (wc_fields[i].row == record_call_row(r))
			look_at_field(c, p, r, &wc_fields[i]);
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
