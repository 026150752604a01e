/* SPDX-License-Identifier: MIT */
/* Which calls are left out, and whom the program waits for at its end. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "program_parts.h"
#include "recorded.h"

/* ---------------------------------------------------------------------- what is left out -- */

/* The subject of the record: the object that it creates, or else its first object. */
static struct replay_object *subject_of(struct replay *p)
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

bool program_leaves_out(struct replay *p)
{
	const struct record *r = &replay_now(p)->r;
	struct program *c = p->its;
	const struct replay_object *o;

	switch (record_call_row(r)) {
	case ROW_ibv_ack_cq_events: /* comes with the event */
	case ROW_rdma_ack_cm_event:
	case ROW_ibv_get_async_event:
	case ROW_ibv_ack_async_event:
		return true;
	}
	if (record_is_empty_poll(r))
		return true;
	o = subject_of(p);
	if (!o || (!o->made && !o->whole && o->kind != OBJECT_CONTEXT)) {
		c->unknown++;
		return true;
	}
	return r->fn->path == CALL_DATAPATH && o->is_left_out;
}

/* ------------------------------------------------------------- the end of connections -- */

/* Tracks which ids are connected after the record. */
static void follow_connection(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	struct replay_object *id = ev ? replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID)
				   : r->nargs && r->fn->args[0].object == OBJECT_CM_ID
					   ? replay_objects_of(p, r, r->args[0], OBJECT_CM_ID)
					   : NULL;

	if (!id || id->is_ud)
		return;
	switch (record_call_row(r)) {
	case ROW_rdma_accept:
	case ROW_rdma_connect:
		id->is_connected = true;
		break;
	case ROW_rdma_migrate_id:
		id->from = replay_objects_of(p, r, r->args[1], OBJECT_EVENT_CHANNEL);
		break;
	case ROW_rdma_disconnect:
	case ROW_rdma_destroy_id:
	case ROW_rdma_destroy_ep:
		id->is_connected = false;
		break;
	default:
		if (ev && (ev->event == RDMA_CM_EVENT_DISCONNECTED || ev->status))
			id->is_connected = false;
	}
}

/* A client may still use the memory and the receives of a server, so the program waits until it has
 * disconnected before it destroys them. If both are in the program, it ends them in order. */
void program_last_waits(struct replay *p)
{
	bool has_client = false;

	for (unsigned i = 0; i < p->from->ncalls; i++)
		if (p->from->calls[i].row == REPLAY_CALL && !p->from->calls[i].r.err &&
		    !p->from->calls[i].r.fn->asks)
			follow_connection(p, &p->from->calls[i].r);
	for (const struct replay_object *o = p->objects; o; o = o->hh.next)
		has_client |= o->kind == OBJECT_CM_ID && !o->is_server;
	for (struct replay_object *id = p->objects; id; id = id->hh.next) {
		struct replay_object *channel = id->from;

		while (channel && channel->kind == OBJECT_CM_ID)
			channel = channel->from;
		if (has_client || !channel || id->kind != OBJECT_CM_ID || !id->is_connected ||
		    !id->live || !id->written)
			continue;
		program_next(p);
		replay_note(p, "at its end it waits up to %d s for the peer of %s to disconnect",
			    PATIENCE, id->called);
		replay_step(p, "cm_event $1 $3 $4",
			    "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\vNULL)",
			    program_object(p, channel, OBJECT_EVENT_CHANNEL),
			    program_object(p, id, OBJECT_CM_ID), "DISCONNECTED", NULL);
	}
}
