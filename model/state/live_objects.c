/* SPDX-License-Identifier: MIT */
/* The objects of a program, the regions that it has registered, the limits of its device,
 * and QPs that it has destroyed. */
#include "live_program.h"

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "recorded.h"

/* ------------------------------------------------------------------------ regions -- */

#define REGIONS_MAX 4096 /* above which older deregistered ones are forgotten */

void live_object_name(struct record_objects *objects, uint64_t address, enum call_object kind,
		      uint64_t when, char name[LIVE_NAME])
{
	const struct record_object *o = record_objects_meet(objects, address, kind, when);

	snprintf(name, LIVE_NAME, "%s", o ? o->name : "");
}

/* Forgets the older half of those that were deregistered. */
static void forget_regions(struct live_regions *s)
{
	unsigned to = 0;

	for (unsigned i = 0; i < s->n; i++) {
		if (i < s->n / 2 && s->v[i].gone)
			continue;
		s->v[to] = s->v[i];
		s->at[to++] = s->at[i];
	}
	s->n = to;
}

void live_regions_add(struct live_regions *s, const struct record *r, uint64_t address,
		      struct record_objects *objects)
{
	const struct ibv_mr *mr = record_bytes(r, address, NULL);
	const bool has_iova = r->nargs > 4; /* which may be 0 */
	struct live_region *v;

	if (!mr)
		return;
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i] == address && !s->v[i].gone)
			return; /* added by a call within this one */
	if (s->n >= REGIONS_MAX)
		forget_regions(s);
	s->v = xgrow(s->v, s->n, sizeof *s->v);
	s->at = xgrow(s->at, s->n, sizeof *s->at);
	s->at[s->n] = address;
	v = &s->v[s->n++];
	*v = (struct live_region){ .lkey = mr->lkey,
				   .rkey = mr->rkey,
				   .begin = has_iova ? record_arg(r, "iova") : (uintptr_t)mr->addr,
				   .len = mr->length,
				   .access = (unsigned)record_arg(r, "access") };
	if (v->access & IBV_ACCESS_ZERO_BASED)
		v->begin = 0;
	live_object_name(objects, address, OBJECT_MR, r->end, v->name);
	live_object_name(objects, (uintptr_t)mr->pd, OBJECT_PD, r->end, v->pd);
}

void live_regions_change(struct live_regions *s, const struct record *r,
			 struct record_objects *objects)
{
	const struct ibv_mr *mr = record_bytes(r, r->args[0], NULL);
	unsigned i = s->n;

	while (i && (s->at[i - 1] != r->args[0] || s->v[i - 1].gone))
		i--;
	if (!i || !mr)
		return;
	i--;
	s->v[i].lkey = mr->lkey;
	s->v[i].rkey = mr->rkey;
	live_object_name(objects, (uintptr_t)mr->pd, OBJECT_PD, r->end, s->v[i].pd);
	if (r->args[1] & IBV_REREG_MR_CHANGE_ACCESS)
		s->v[i].access = (unsigned)r->args[5];
	if (r->args[1] & IBV_REREG_MR_CHANGE_TRANSLATION) {
		s->v[i].begin = s->v[i].access & IBV_ACCESS_ZERO_BASED ? 0 : r->args[3];
		s->v[i].len = r->args[4];
	}
}

void live_regions_gone(struct live_regions *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i] == address)
			s->v[i].gone = true;
}

const struct live_region *live_region_at(const struct live_regions *s, uint64_t address)
{
	for (unsigned i = s->n; i-- > 0;)
		if (s->at[i] == address && !s->v[i].gone)
			return &s->v[i];
	return NULL;
}

/* ------------------------------------------------------------------------ objects -- */

static void free_object(struct live_object **objects, struct live_object *o)
{
	HASH_DEL(*objects, o);
	if (o->queues) {
		free(o->queues->sends.v);
		free(o->queues->recvs.v);
		free(o->queues->built.v);
		free(o->queues->undecided);
	}
	free(o->queues);
	free(o->note);
	free(o);
}

void live_objects_free(struct live_object **objects)
{
	struct live_object *o, *next;

	HASH_ITER(hh, *objects, o, next)
	free_object(objects, o);
}

struct live_object *live_object_at(const struct live_object *objects, uint64_t address)
{
	struct live_object *o;

	HASH_FIND(hh, objects, &address, sizeof address, o);
	return o;
}

/* That of an address which is not 0; there may have been no call that made it. */
static struct live_object *object_at(struct live_object **objects, uint64_t address,
				     enum call_object kind)
{
	struct live_object *o = live_object_at(*objects, address);

	if (o)
		return o;
	o = xcalloc(1, sizeof *o);
	o->address = address;
	o->kind = kind;
	HASH_ADD(hh, *objects, address, sizeof o->address, o);
	return o;
}

void live_objects_gone(struct live_object **objects, uint64_t address)
{
	struct live_object *o = live_object_at(*objects, address);

	if (o)
		free_object(objects, o);
}

static void add_use(struct live_object *o, uint64_t address)
{
	const unsigned most = sizeof o->uses / sizeof *o->uses;
	unsigned i = 0;

	while (i < most && o->uses[i] && o->uses[i] != address)
		i++;
	if (i < most)
		o->uses[i] = address;
}

static void add_uses_of_struct(struct live_object *o, const struct call_struct *of, const void *p)
{
	for (const struct call_value *f = of->fields; f->name; f++)
		if (f->kind == CALL_OBJECT && call_field_is_set(of, f, p, 0, 0))
			add_use(o, call_load(f, (const char *)p + f->offset));
}

struct live_object *live_objects_made(struct live_object **objects, const struct record *r,
				      uint64_t address, enum call_object kind)
{
	struct live_object *o;

	live_objects_gone(objects, address);
	o = object_at(objects, address, kind);
	o->made = (struct live_call){ r->fn, r->from, !r->depth };
	o->entries = (int)record_arg(r, "cqe");
	if (record_call_row(r) == ROW_ibv_create_cq_ex && r->args[1])
		o->wc_flags = ((const struct ibv_cq_init_attr_ex *)(uintptr_t)r->args[1])->wc_flags;
	if (record_call_row(r) == ROW_ibv_create_srq && r->args[1])
		o->has_idle_limit =
			((const struct ibv_srq_init_attr *)(uintptr_t)r->args[1])->attr.srq_limit;
	if (kind == OBJECT_CM_ID && r->fn->args[0].object == OBJECT_EVENT_CHANNEL)
		o->channel = r->args[0];
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind == CALL_OBJECT && v->role == CALL_IN)
			add_use(o, r->args[i]);
		else if (v->kind == CALL_STRUCT && v->role == CALL_IN && r->args[i])
			add_uses_of_struct(o, v->of, (const void *)(uintptr_t)r->args[i]);
	}
	return o;
}

void live_objects_use(struct live_object *objects, uint64_t address, uint64_t used)
{
	struct live_object *o = live_object_at(objects, address);

	if (o && used)
		add_use(o, used);
}

uint16_t live_port_of(const struct sockaddr *sa)
{
	return sa->sa_family == AF_INET	   ? ntohs(((const struct sockaddr_in *)sa)->sin_port)
	       : sa->sa_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)sa)->sin6_port)
					   : 0;
}

bool live_object_uses(const struct live_object *o, uint64_t address)
{
	for (unsigned i = 0; i < sizeof o->uses / sizeof *o->uses; i++)
		if (o->uses[i] == address)
			return true;
	return false;
}

void live_objects_users(const struct live_object *objects, uint64_t address,
			void (*tell)(void *arg, const struct live_object *user), void *arg)
{
	for (const struct live_object *o = objects; o; o = o->hh.next)
		if (live_object_uses(o, address))
			tell(arg, o);
}

bool live_id_is_early(const struct live_object *objects, const struct record *r)
{
	static const struct {
		enum call_row row, asked;
	} steps[] = {
		{ ROW_rdma_resolve_route, ROW_rdma_resolve_addr },
		{ ROW_rdma_create_qp, ROW_rdma_resolve_addr },
		{ ROW_rdma_connect, ROW_rdma_resolve_addr },
		{ ROW_rdma_connect, ROW_rdma_resolve_route },
	};
	const struct live_object *id;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (steps[i].row != record_call_row(r))
			continue;
		id = live_object_at(objects, r->args[0]);
		if (id && id->asked == &call_table[steps[i].asked])
			return true;
	}
	return false;
}

bool live_id_ends_qp_again(const struct live_object *id, const struct record *r)
{
	const enum call_row row = record_call_row(r);

	return id && id->id_calls & LIVE_ID_QP_GONE &&
	       (row == ROW_rdma_destroy_qp || row == ROW_rdma_destroy_ep);
}

bool live_objects_lacks_channel(const struct live_object *objects, const struct live_object *cq)
{
	const struct live_object *used;

	if (cq->kind != OBJECT_CQ && cq->kind != OBJECT_CQ_EX)
		return false;
	for (unsigned i = 0; i < sizeof cq->uses / sizeof *cq->uses; i++) {
		used = live_object_at(objects, cq->uses[i]);
		if (used && used->kind == OBJECT_COMP_CHANNEL)
			return false;
	}
	return cq->made.is_own;
}

uint64_t live_objects_pd(const struct live_object *objects, uint64_t address)
{
	const struct live_object *o = live_object_at(objects, address), *used;

	for (unsigned i = 0; o && i < sizeof o->uses / sizeof *o->uses; i++) {
		used = live_object_at(objects, o->uses[i]);
		if (used && used->kind == OBJECT_PD)
			return used->address;
	}
	return 0;
}

static void take_event(struct live_object **objects, uint64_t address, enum call_object kind,
		       const char *acknowledge)
{
	struct live_object *o;

	if (!address)
		return;
	o = object_at(objects, address, kind);
	o->unacknowledged++;
	o->acknowledge = acknowledge;
}

static void take_acknowledged(struct live_object **objects, uint64_t address, uint64_t n)
{
	struct live_object *o = address ? live_object_at(*objects, address) : NULL;

	if (!o)
		return;
	if (n > o->unacknowledged)
		o->overacknowledged += (unsigned)n - o->unacknowledged;
	o->unacknowledged -= n < o->unacknowledged ? (unsigned)n : o->unacknowledged;
}

/* The object of which the event speaks; 0: it speaks of a port or the device. */
static uint64_t element_of(const struct ibv_async_event *e)
{
	const struct call_value *f = call_objects[OBJECT_ASYNC_EVENT].of->fields;

	for (; e && f->name; f++)
		if (f->kind == CALL_OBJECT &&
		    call_field_is_set(call_objects[OBJECT_ASYNC_EVENT].of, f, e, 0, 0))
			return call_load(f, (const char *)e + f->offset);
	return 0;
}

/* librdmacm counts a request of a connection as an event of the id that listens. */
static uint64_t id_of(const struct rdma_cm_event *e)
{
	return e ? (uintptr_t)(e->listen_id ? e->listen_id : e->id) : 0;
}

/* The id has asked for something of which an event tells, in the channel that it has now. One
 * without a channel of the program's has its answer, whatever channel it gets later. */
static void take_asked(struct live_object **objects, const struct record *r)
{
	const struct rdma_cm_id *id = record_bytes(r, r->args[0], NULL);
	const struct sockaddr *to = record_call_row(r) == ROW_rdma_resolve_addr
					    ? (const void *)(uintptr_t)r->args[2]
					    : NULL;
	struct live_object *o = object_at(objects, r->args[0], OBJECT_CM_ID);
	const struct live_object *channel;

	if (to && to->sa_family == AF_INET)
		memcpy(&o->to, to, sizeof(struct sockaddr_in));
	else if (to && to->sa_family == AF_INET6)
		memcpy(&o->to, to, sizeof o->to);
	if (id)
		o->channel = (uintptr_t)id->channel;
	channel = live_object_at(*objects, o->channel);
	o->asked = channel && channel->made.is_own ? r->fn : NULL;
}

static void take_answered(struct live_object **objects, const struct rdma_cm_event *e)
{
	struct live_object *o = e ? live_object_at(*objects, (uintptr_t)e->id) : NULL;

	if (o)
		o->asked = NULL;
	if (o && e->event == RDMA_CM_EVENT_ADDR_ERROR)
		o->id_calls &= ~(unsigned)LIVE_ID_RESOLVED;
	if (o && e->event == RDMA_CM_EVENT_DISCONNECTED)
		o->id_calls |= LIVE_ID_DISCONNECTED;
}

static void take_id_call(struct live_object **objects, const struct record *r)
{
	static const struct {
		enum call_row row;
		enum live_id_call call;
	} calls[] = {
		{ ROW_rdma_bind_addr, LIVE_ID_BOUND },
		{ ROW_rdma_resolve_addr, LIVE_ID_RESOLVED },
		{ ROW_rdma_listen, LIVE_ID_LISTENS },
		{ ROW_rdma_connect, LIVE_ID_CONNECTED },
		{ ROW_rdma_accept, LIVE_ID_ACCEPTED },
		{ ROW_rdma_reject, LIVE_ID_REJECTED },
		{ ROW_rdma_reject_ece, LIVE_ID_REJECTED },
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].row == record_call_row(r))
			object_at(objects, r->args[0], OBJECT_CM_ID)->id_calls |= calls[i].call;
}

void live_objects_take_look(struct live_object *objects, const struct record *r)
{
	struct live_object *o = NULL;

	if (r->args && (record_is_empty_poll(r) || record_found_nothing(r)))
		o = live_object_at(objects, r->args[0]);
	if (o)
		o->in_vain = r->end;
}

void live_objects_take(struct live_object **objects, const struct record *r)
{
	const uint64_t first = r->nargs ? r->args[0] : 0;
	const struct rdma_cm_event *e;
	struct live_object *o;
	const uint64_t *cq;

	take_id_call(objects, r);
	switch (record_call_row(r)) {
	case ROW_ibv_req_notify_cq:
		object_at(objects, first, OBJECT_CQ)->armed++;
		break;
	case ROW_ibv_attach_mcast:
	case ROW_ibv_detach_mcast:
		o = object_at(objects, first, OBJECT_QP);
		o->groups += record_call_row(r) == ROW_ibv_attach_mcast ? 1 : -1;
		break;
	case ROW_ibv_modify_srq:
		if (r->args[2] & IBV_SRQ_LIMIT)
			object_at(objects, first, OBJECT_SRQ)->has_idle_limit = false;
		break;
	case ROW_ibv_resize_cq:
		o = object_at(objects, first, OBJECT_CQ);
		o->entries = (int)record_arg(r, "cqe");
		o->is_resized = true;
		o->room = 0;
		break;
	case ROW_rdma_bind_addr:
		if (r->args[1])
			object_at(objects, first, OBJECT_CM_ID)->port =
				live_port_of((const void *)(uintptr_t)r->args[1]);
		break;
	case ROW_rdma_resolve_addr:
	case ROW_rdma_resolve_route:
	case ROW_rdma_connect:
	case ROW_rdma_accept:
	case ROW_rdma_disconnect:
	case ROW_rdma_join_multicast:
		take_asked(objects, r);
		break;
	case ROW_rdma_migrate_id:
		object_at(objects, first, OBJECT_CM_ID)->channel = r->args[1];
		break;
	case ROW_ibv_get_cq_event:
		cq = (const void *)(uintptr_t)r->after[1];
		if (!cq || !*cq)
			break;
		take_event(objects, *cq, OBJECT_CQ, "ibv_ack_cq_events");
		o = live_object_at(*objects, *cq);
		o->armed -= o->armed > 0;
		break;
	case ROW_ibv_ack_cq_events:
		take_acknowledged(objects, first, r->args[1]);
		break;
	case ROW_ibv_get_async_event:
		take_event(objects, element_of(record_async_event(r)), OBJECT_NONE,
			   "ibv_ack_async_event");
		break;
	case ROW_ibv_ack_async_event:
		take_acknowledged(objects, element_of(record_bytes(r, first, NULL)), 1);
		break;
	case ROW_rdma_get_cm_event:
		e = record_cm_event(r); /* it may bring an id, which the program has to destroy */
		if (e && e->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			live_objects_made(objects, r, (uintptr_t)e->id, OBJECT_CM_ID);
		take_event(objects, id_of(e), OBJECT_CM_ID, "rdma_ack_cm_event");
		take_answered(objects, e);
		break;
	case ROW_rdma_ack_cm_event:
		take_acknowledged(objects, id_of(record_bytes(r, first, NULL)), 1);
		break;
	}
}

/* ---------------------------------------------------------------------------- QPs -- */

unsigned live_program_qp_type(const struct live_program *p, const struct record *r)
{
	const struct live_tracked_qp *qp = r->nargs && r->fn->args[0].object == OBJECT_QP
						   ? live_program_qp(p, r->args[0])
						   : NULL;

	return qp ? qp->v.type : 0;
}

void live_gone_qps_add(struct live_gone_qps *g, const struct live_qp *qp)
{
	struct live_gone_qp *gone;

	if (!(qp->known & IBV_QP_DEST_QPN))
		return;
	g->v = xgrow(g->v, g->n, sizeof *g->v);
	gone = &g->v[g->n++];
	memcpy(gone->name, qp->name, sizeof gone->name);
	gone->number = qp->number;
	gone->peer = qp->attr.dest_qp_num;
}

const char *live_gone_qps_find(const struct live_gone_qps *g, uint32_t number, uint32_t peer)
{
	for (unsigned i = g->n; i-- > 0;)
		if (g->v[i].number == number && g->v[i].peer == peer)
			return g->v[i].name;
	return NULL;
}
