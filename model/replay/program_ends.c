/* SPDX-License-Identifier: MIT */
/* The ends of connections: which calls are of the other end, and who waits for whom at the end. */
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

static bool is_left_out(struct replay *p, const struct record *r, const struct replay_object *o)
{
	if (replay_is_of_other_end(p, o) || (r->fn->path == CALL_DATAPATH && o->is_left_out))
		return true;
	return p->role && !o->used && o->kind != OBJECT_CM_ID && o->kind != OBJECT_QP;
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
	return is_left_out(p, r, o);
}

/* ------------------------------------------------------------- the end of connections -- */

/* Does this server's id, which r accepts, have the client's address? */
static bool is_address_of(const struct record *r, const struct replay_object *server,
			  const struct replay_object *client)
{
	const struct rdma_cm_id *here = record_bytes(r, server->address, NULL);
	const struct rdma_cm_id *there = record_bytes(client->joined, client->address, NULL);
	char to[64], from[64], port[8];

	return here && there &&
	       replay_words_address(&here->route.addr.dst_storage,
				    sizeof here->route.addr.dst_storage, to, port) &&
	       replay_words_address(&there->route.addr.src_storage,
				    sizeof there->route.addr.src_storage, from, port) &&
	       strcmp(to, from) == 0;
}

/* The client in this session that r accepts, or NULL. */
static struct replay_object *client_of(const struct replay *p, const struct record *r,
				       const struct replay_object *server)
{
	struct replay_object *found = NULL;

	for (struct replay_object *o = p->objects; o; o = o->hh.next)
		if (o->kind == OBJECT_QP && o->whole && o->qpn == server->qpn &&
		    o->whole->end == END_CLIENT && o->whole->is_connected &&
		    is_address_of(r, server, o->whole))
			found = o->whole;
	return found;
}

static void follow_event(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	struct replay_object *id = ev ? replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID)
				      : NULL;

	if (id && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		id->qpn = ev->param.conn.qp_num;
	else if (id && (ev->event == RDMA_CM_EVENT_DISCONNECTED || ev->status))
		id->is_connected = false;
}

/* Tracks which ids are connected after the record. */
static void follow_connection(struct replay *p, const struct record *r)
{
	struct replay_object *id = r->nargs && r->fn->args[0].kind == CALL_OBJECT &&
						   r->fn->args[0].object == OBJECT_CM_ID
					   ? replay_objects_of(p, r, r->args[0], OBJECT_CM_ID)
					   : NULL;

	follow_event(p, r);
	if (!id || id->is_ud)
		return;
	switch (record_call_row(r)) {
	case ROW_rdma_accept:
	case ROW_rdma_connect:
		id->client = id->end == END_SERVER ? client_of(p, r, id) : NULL;
		id->is_connected = true;
		id->joined = r;
		return;
	case ROW_rdma_migrate_id:
		id->from = replay_objects_of(p, r, r->args[1], OBJECT_EVENT_CHANNEL);
		return;
	case ROW_rdma_disconnect:
	case ROW_rdma_destroy_id:
	case ROW_rdma_destroy_ep:
		if (id->is_connected && id->client)
			id->client->is_left = true;
		if (id->is_connected && id->end == END_SERVER && p->role == END_SERVER)
			replay_note(p, "%s ends %s without waiting for what the client does",
				    r->fn->name, id->called);
		id->is_connected = false;
		return;
	}
}

/* Does this end wait for the peer to disconnect? A server does, and a client that the server has
 * disconnected in the session. */
static bool is_left_last(const struct replay *p, const struct replay_object *id)
{
	if (id->kind != OBJECT_CM_ID || !id->is_connected || !id->live || !id->written ||
	    replay_is_of_other_end(p, id))
		return false;
	if (id->end == END_CLIENT)
		return p->role && id->is_left;
	for (const struct replay_object *o = p->objects; o && !p->role; o = o->hh.next)
		if (o->kind == OBJECT_CM_ID && o->end == END_CLIENT)
			return false; /* both ends are in the program, which ends them in order */
	return true;
}

/* The peer may still use the memory and the receives of this end, so the program waits until the
 * peer has disconnected before it destroys them. */
void program_last_waits(struct replay *p)
{
	for (unsigned i = 0; i < p->from->ncalls; i++)
		if (p->from->calls[i].row == REPLAY_CALL && !p->from->calls[i].r.err &&
		    !p->from->calls[i].r.fn->asks)
			follow_connection(p, &p->from->calls[i].r);
	for (struct replay_object *id = p->objects; id; id = id->hh.next) {
		struct replay_object *channel = id->from;

		while (channel && channel->kind == OBJECT_CM_ID)
			channel = channel->from;
		if (!channel || !is_left_last(p, id))
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
