/* SPDX-License-Identifier: MIT */
/* The way through the record: each call is written, or what it waited for, in the order in which
 * the peer could see them. */
#include "replay.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "record_rings.h"
#include "recorded.h"
#include "replay_parts.h"

#define PASSES	2	  /* the first one shows which of the peer's values are needed */
#define IDLE_NS 500000000 /* a pause of this length was meant by the program */

const struct replay_call *replay_now(const struct replay *p)
{
	return &p->from->calls[p->at];
}

struct replay_object *replay_subject(struct replay *p)
{
	const struct record *r = &replay_now(p)->r;
	const struct rdma_cm_event *ev = record_cm_event(r);
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(r, &kind);

	if (ev)
		return replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID);
	if (made)
		return replay_objects_of(p, r, made, kind);
	for (unsigned i = 0; i < r->nargs; i++)
		if (r->fn->args[i].kind == CALL_OBJECT)
			return replay_objects_of(p, r, r->args[i], r->fn->args[i].object);
	return NULL;
}

void replay_note(struct replay *p, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	p->notes++;
	p->back->note(p, text);
	free(text);
}

/* ---------------------------------------------------------------------------- order -- */

/* A call that waits takes its place when it ends, and so does one that destroys an object, which
 * may wait for events. Any other call takes its place when it begins, because the peer may act on
 * it before it ends. */
static uint64_t when_of(const struct record *r, enum replay_row row)
{
	enum call_object kind;
	const bool ends = r->nargs && r->fn->args[0].role == CALL_GONE && !r->fn->fetches;

	if (row != REPLAY_CALL || ends || r->fn->waits || r->fn == &call_table[ROW_ibv_poll_cq] ||
	    record_takes_completion(r->fn) || record_made(r, &kind))
		return r->end;
	return r->begin;
}

static int by_time(const void *a, const void *b)
{
	const struct replay_call *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

/* Of a list that was refused in part, only the accepted requests are kept. */
static void keep_accepted(struct record *r)
{
	unsigned accepted = r->err ? record_accepted(r) : 0;

	for (unsigned i = 0; i < r->nargs && accepted; i++) {
		const struct call_value *v = &r->fn->args[i];
		char **next = (char **)(uintptr_t)&r->args[i];

		if (v->kind != CALL_CHAIN)
			continue;
		for (unsigned n = 0; n < accepted; n++)
			next = (char **)(void *)(*next + v->of->next);
		*next = NULL;
		r->err = 0;
	}
}

/* ----------------------------------------------------------------------------- calls -- */

static bool is_device_call(const struct call_fn *fn)
{
	if (fn->result.kind == CALL_OBJECT &&
	    (fn->result.object == OBJECT_CONTEXT || fn->result.object == OBJECT_DEVICE_LIST ||
	     fn->result.object == OBJECT_CONTEXT_LIST))
		return true;
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->kind == CALL_OBJECT &&
		    (v->object == OBJECT_DEVICE || v->object == OBJECT_DEVICE_LIST ||
		     v->object == OBJECT_CONTEXT_LIST ||
		     (v->object == OBJECT_CONTEXT && v->role == CALL_GONE)))
			return true;
	return false;
}

/* Devices are opened by their names, where they are first needed. */
static void meet_device(struct replay *p, const struct record *r)
{
	const struct replay_object *device =
		r->nargs && r->fn->args[0].object == OBJECT_DEVICE && r->args[0] &&
				r->fn->result.object == OBJECT_CONTEXT && r->result && !r->err
			? replay_objects_of(p, r, r->args[0], OBJECT_DEVICE)
			: NULL;
	struct replay_object *o = device ? replay_objects_of(p, r, r->result, OBJECT_CONTEXT)
					 : NULL;

	if (!o || o->made)
		return;
	snprintf(o->called, sizeof o->called, "%s", device->called);
	o->made = r;
}

static void learn_gid(struct replay *p, const struct record *r)
{
	struct own_value v = { .kind = OWN_GID };
	const void *gid = (const void *)(uintptr_t)r->after[3];

	if (!gid || replay_own_gid(p, gid))
		return;
	memcpy(v.gid, gid, sizeof v.gid);
	v.of = replay_objects_of(p, r, r->args[0], OBJECT_CONTEXT);
	v.port = (uint8_t)r->args[1];
	v.index = (int)r->args[2];
	replay_own_add(p, &v);
}

static void write_as(struct replay *p, const struct record *r, enum call_row row,
		     const uint64_t *args, unsigned nargs, struct replay_object *made)
{
	struct record plain = *r;

	plain.fn = &call_table[row];
	plain.args = args;
	plain.nargs = nargs;
	p->back->call(p, &plain, made);
}

/* A program may destroy the QP of an id after the id. It is known only by the id. */
static void end_qp_first(struct replay *p, const struct record *r)
{
	const struct replay_object *qp =
		replay_objects_drop_qp(p, replay_objects_of(p, r, r->args[0], OBJECT_CM_ID));

	if (!qp)
		return;
	write_as(p, r, ROW_rdma_destroy_qp, r->args, 1, NULL);
	replay_objects_skip(p, qp->address);
}

/* Where the flags are not constant, the header makes ibv_reg_mr_iova2() of ibv_reg_mr(). A QP of an
 * id is destroyed with rdma_destroy_qp(), even if the program used ibv_destroy_qp(). */
static void write_function(struct replay *p, const struct record *r, struct replay_object *made)
{
	const uint64_t reg[] = { r->args[0], record_arg(r, "addr"), record_arg(r, "length"),
				 record_arg(r, "access") };
	const struct replay_object *qp = record_call_row(r) == ROW_ibv_destroy_qp
						 ? replay_objects_of(p, r, r->args[0], OBJECT_QP)
						 : NULL;

	if (record_call_row(r) == ROW_ibv_reg_mr_iova2 && record_arg(r, "iova") == reg[1])
		write_as(p, r, ROW_ibv_reg_mr, reg, sizeof reg / sizeof *reg, made);
	else if (qp && qp->whole)
		write_as(p, r, ROW_rdma_destroy_qp, &qp->whole->address, 1, NULL);
	else
		p->back->call(p, r, made);
}

/* Is it the destruction of an object that is not written, or has been destroyed already? */
static bool is_skipped(struct replay *p, const struct record *r)
{
	return r->nargs && r->fn->args[0].role == CALL_GONE &&
	       replay_objects_are_skipped(p, r->args[0]);
}

/* Further facts about the object that the call makes. */
static void describe_made(struct replay *p, const struct record *r, struct replay_object *o)
{
	o->made = r;
	if (o->kind != OBJECT_CM_ID)
		return;
	for (unsigned i = 0; i < r->nargs && !o->from; i++)
		if (r->fn->args[i].kind == CALL_OBJECT && r->fn->args[i].role == CALL_IN)
			o->from = replay_objects_of(p, r, r->args[i], r->fn->args[i].object);
	o->is_server |= record_call_row(r) == ROW_rdma_get_request;
	o->is_ud = record_call_row(r) == ROW_rdma_create_id && r->args[3] == RDMA_PS_UDP;
}

/* The id of a request was made by librdmacm. */
static void describe_request(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	struct replay_object *id = ev && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST
					   ? replay_objects_of(p, r, (uintptr_t)ev->id,
							       OBJECT_CM_ID)
					   : NULL;

	if (!id)
		return;
	id->made = r;
	id->live = true;
	id->is_server = true;
	id->from = replay_objects_of(p, r, (uintptr_t)ev->listen_id, OBJECT_CM_ID);
	id->is_ud = id->from && id->from->is_ud;
	p->back->name(p, id);
}

/* librdmacm keeps the last event of an id that has no channel of the program's. */
static void take_private(struct replay *p, const struct record *r, struct replay_object *made)
{
	const bool has = record_call_row(r) == ROW_rdma_get_request ||
			 record_call_row(r) == ROW_rdma_connect;
	struct replay_object *o = !has	 ? NULL
				  : made ? made
					 : replay_objects_of(p, r, r->args[0], OBJECT_CM_ID);
	const struct rdma_cm_id *id = o ? record_bytes(r, o->address, NULL) : NULL;
	const struct rdma_cm_event *ev = id && id->event
						 ? record_bytes(r, (uintptr_t)id->event, NULL)
						 : NULL;
	const struct rdma_conn_param *param = ev ? &ev->param.conn : NULL;
	const struct told_bytes *t = param && param->private_data
					     ? replay_told_add(p, "private", param->private_data,
							       param->private_data_len)
					     : NULL;

	if (t)
		replay_step(p, "set $1 [dict get [show $2] private_data]",
			    "memcpy(s.$1,\v$2->event->param.conn.private_data,\vsizeof s.$1);",
			    t->variable, p->back->object(p, o, OBJECT_CM_ID), NULL);
}

static void write_made(struct replay *p, const struct record *r, struct replay_object *made)
{
	if (made && made->kind == OBJECT_MR)
		replay_write_block(p, r);
	p->back->prepare(p, r);
	replay_put_sent(p, r);
	if (r->left_out)
		replay_note(p, "of what %s was given not all was kept", r->fn->name);
	if (r->fn == &call_table[ROW_rdma_destroy_id])
		end_qp_first(p, r);
	write_function(p, r, made);
	if (made)
		made->written = true;
}

/* Nothing is said of a call that asks, or has found nothing. */
static void write_failed(struct replay *p, const struct record *r)
{
	const char *name = strerrorname_np(abs(r->err));
	const struct replay_object *o = replay_subject(p);

	if (r->err == EAGAIN || r->err == EINTR || r->fn->asks || record_found_nothing(r))
		return;
	p->back->failed(p, r,
			temp_text("%s%s%s failed with %s", r->fn->name, o ? " of " : "",
				  o ? o->called : "", name ? name : "an unknown error"));
}

static void write_call(struct replay *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t address;
	struct replay_object *made;

	if (r->err && !is_device_call(r->fn)) {
		write_failed(p, r);
		return;
	}
	if (r->fn == &call_table[ROW_ibv_query_gid])
		learn_gid(p, r);
	if (is_device_call(r->fn)) {
		meet_device(p, r);
		return;
	}
	if (r->fn->asks || is_skipped(p, r))
		return;
	address = record_made(r, &kind);
	made = address && kind != OBJECT_CM_EVENT && kind != OBJECT_ASYNC_EVENT
		       ? replay_objects_of(p, r, address, kind)
		       : NULL;
	if (made)
		describe_made(p, r, made);
	describe_request(p, r);
	if (!p->back->leaves_out || !p->back->leaves_out(p)) {
		if (replay_waits_write(p, r))
			return;
		write_made(p, r, made);
	}
	replay_objects_learn(p, r, made);
	take_private(p, r, made);
	if (r->fn == &call_table[ROW_rdma_destroy_qp])
		replay_objects_drop_qp(p, replay_objects_of(p, r, r->args[0], OBJECT_CM_ID));
}

/* The program has slept, or a person has typed. */
static void write_pause(struct replay *p, const struct replay_call *c)
{
	if (c->idle >= IDLE_NS && !c->r.fn->waits && !c->r.fn->fetches)
		replay_step(p, "sleep $1ms", NULL, replay_digits((uint64_t)c->idle / 1000000),
			    NULL);
}

static void write_one(struct replay *p, const struct replay_call *c)
{
	if (c->row == REPLAY_CALL) {
		write_pause(p, c);
		live_program_take(p->live, &c->r, p->from->objects);
		write_call(p, &c->r);
		replay_write_arrived(p);
	} else if (c->row == REPLAY_MEMORY) {
		replay_take_memory(p, &c->r);
	} else if (c->row == REPLAY_UNSEEN) {
		replay_note(p, "%llu bytes of a region are more than was looked at",
			    (unsigned long long)c->r.args[1]);
	} else if (c->row < REPLAY_ROWS) {
		replay_waits_write_tcp(p, c->row, &c->r);
	} else if (p->back->row) {
		p->back->row(p, c->row, &c->r);
	}
}

/* ---------------------------------------------------------------------------- passes -- */

static void end_pass(struct replay *p)
{
	for (unsigned i = 0; i < p->ntold; i++)
		free(p->told[i].data);
	p->ntold = p->nown = p->ntcp = p->narrived = p->nskipped = p->nbuilt = p->notes = 0;
	p->buffers = p->inlines = p->naddresses = 0;
	p->event_of = NULL;
	memset(p->searches, 0, sizeof p->searches);
	text_resize(&p->body, 0);
	replay_memory_clear(&p->memory);
	for (struct replay_object *o = p->objects; o; o = o->hh.next) {
		o->live = o->written = o->is_left_out = o->is_connected = false;
	}
}

/* The devices are there until the last call. */
static void add_gids(struct replay *p, const struct record *last)
{
	for (unsigned i = 0; i < p->from->ngids; i++) {
		const struct replay_gid *g = &p->from->gids[i];
		struct own_value v = { .kind = OWN_GID, .port = g->port, .index = g->index };

		memcpy(v.gid, &g->gid, sizeof v.gid);
		v.of = replay_objects_of(p, last, g->context, OBJECT_CONTEXT);
		replay_own_add(p, &v);
	}
}

static void write_pass(struct replay *p)
{
	end_pass(p);
	live_program_free(p->live);
	p->live = live_program_new();
	if (p->back->begin)
		p->back->begin(p);
	if (p->from->ncalls)
		add_gids(p, &p->from->calls[p->from->ncalls - 1].r);
	for (p->at = 0; p->at < p->from->ncalls; p->at++)
		write_one(p, &p->from->calls[p->at]);
	if (p->back->end)
		p->back->end(p);
}

void replay_write(struct replay *p, const struct replay_source *from,
		  const struct replay_back *back, void *its)
{
	p->from = from;
	p->back = back;
	p->its = its;
	p->live = live_program_new();
	for (unsigned i = 0; i < from->ncalls; i++) {
		keep_accepted(&from->calls[i].r);
		from->calls[i].when = when_of(&from->calls[i].r, from->calls[i].row);
	}
	if (from->ncalls)
		qsort(from->calls, from->ncalls, sizeof *from->calls, by_time);
	replay_find_memory(p);
	for (unsigned i = 0; i < PASSES; i++)
		write_pass(p);
}

void replay_free(struct replay *p)
{
	struct replay_object *o, *next;

	end_pass(p);
	HASH_ITER(hh, p->objects, o, next)
	{
		HASH_DEL(p->objects, o);
		free(o);
	}
	free(p->told);
	free(p->own);
	free(p->tcp);
	free(p->skipped);
	free(p->arrived);
	free(p->built);
	free(p->wanted);
	live_program_free(p->live);
	text_free(&p->body);
	replay_memory_free(&p->memory);
}
