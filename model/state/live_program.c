/* SPDX-License-Identifier: MIT */
#include "live_program.h"

#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "recorded.h"

struct live_program *live_program_new(void)
{
	return xcalloc(1, sizeof(struct live_program));
}

void live_program_free(struct live_program *p)
{
	live_objects_free(&p->seen);
	free(p->regions.v);
	free(p->regions.at);
	free(p->gone.v);
	free(p->gids);
	free(p->completions);
	free(p->open);
	free(p);
}

struct live_queues *live_program_entry(const struct live_program *p, uint64_t address)
{
	const struct live_object *o = live_object_at(p->seen, address);

	return o ? o->queues : NULL;
}

const char *live_word(const struct call_struct *of, const char *field, int64_t value)
{
	const char *word = call_word_name(call_value_find(of->fields, field)->words, value);

	return word ? word : temp_text("%lld", (long long)value);
}

const char *live_status(enum ibv_wc_status status)
{
	return live_word(call_value_find(call_table[ROW_ibv_poll_cq].args, "wc")->of, "status",
			 status);
}

/* ----------------------------------------------------------------------------- QPs -- */

static void end_qp(struct live_program *p, uint64_t address)
{
	struct live_tracked_qp **at = &p->newest;

	if (!live_program_entry(p, address))
		return;
	while (*at && (*at)->address != address)
		at = &(*at)->older;
	if (!*at)
		return;
	live_gone_qps_add(&p->gone, &(*at)->v);
	*at = (*at)->older;
}

static void end_object(struct live_program *p, uint64_t address)
{
	end_qp(p, address);
	live_regions_gone(&p->regions, address);
	live_objects_gone(&p->seen, address);
}

struct posted_queue *live_program_recvs(const struct live_program *p, struct live_queues *e)
{
	struct live_queues *srq = e->qp.srq ? live_program_entry(p, e->qp.srq) : NULL;

	return srq ? &srq->recvs : &e->recvs;
}

struct live_tracked_qp *live_program_qp_of_id(const struct live_program *p, uint64_t id)
{
	struct live_tracked_qp *qp = p->newest;

	while (qp && qp->cm_id != id)
		qp = qp->older;
	return qp;
}

/* rdma_destroy_qp() or rdma_destroy_ep() has destroyed the QP of the id. */
static void end_qp_of_id(struct live_program *p, uint64_t id)
{
	const struct live_tracked_qp *qp = live_program_qp_of_id(p, id);

	if (qp)
		end_object(p, qp->address);
}

/* rdma_destroy_id() leaves its QP. */
static void end_id(struct live_program *p, const struct record *r, uint64_t id)
{
	struct live_tracked_qp *qp = live_program_qp_of_id(p, id);

	if (record_call_row(r) == ROW_rdma_destroy_ep)
		end_qp_of_id(p, id);
	else if (qp)
		qp->cm_id = 0;
}

/* If there is one at that address, its destruction was not seen. */
static struct live_object *add_object(struct live_program *p, const struct record *r,
				      uint64_t address, enum call_object kind)
{
	end_qp(p, address);
	return live_objects_made(&p->seen, r, address, kind);
}

/* For a QP or an SRQ. */
static struct live_queues *add_entry(struct live_program *p, const struct record *r,
				     uint64_t address, enum call_object kind)
{
	struct live_queues *e = xcalloc(1, sizeof *e);

	e->qp.address = address;
	e->sends.keeps = e->recvs.keeps = p->keeps;
	add_object(p, r, address, kind)->queues = e;
	return e;
}

static void take_qp(struct live_program *p, const struct record *r, uint64_t address,
		    const struct ibv_qp_init_attr *init)
{
	const struct ibv_qp *qp = record_bytes(r, address, NULL);
	struct live_queues *e = address ? live_program_entry(p, address) : NULL;

	if (!qp)
		return;
	if (!e || e->qp.v.number != qp->qp_num) {
		e = add_entry(p, r, address, OBJECT_QP);
		e->qp.older = p->newest;
		p->newest = &e->qp;
		e->qp.srq = (uintptr_t)qp->srq;
		e->qp.v.number = qp->qp_num;
		e->qp.v.type = qp->qp_type;
		e->qp.v.state = qp->state;
		e->qp.send_cq = (uintptr_t)qp->send_cq;
		e->qp.recv_cq = (uintptr_t)qp->recv_cq;
		e->qp.told = -1;
		e->qp.v.first_psn = e->qp.v.unanswered = true;
		live_object_name(p->objects, (uintptr_t)qp->pd, OBJECT_PD, r->end, e->qp.v.pd);
		live_object_name(p->objects, e->qp.srq, OBJECT_SRQ, r->end, e->qp.v.srq);
	}
	if (e->qp.v.state < qp->state && qp->state <= IBV_QPS_RTS)
		e->qp.v.state = qp->state; /* librdmacm has changed it, and no call was seen */
	live_object_name(p->objects, address, OBJECT_QP, r->end, e->qp.v.name);
	if (init) {
		e->qp.v.cap = init->cap;
		e->qp.signals_all = init->sq_sig_all;
		/* librdmacm has called ibv_create_qp() within */
		live_object_at(p->seen, address)->made = (struct live_call){ r->fn, r->from,
									     !r->depth };
	}
}

/* A call about an id shows its QP. */
static void take_id(struct live_program *p, const struct record *r, uint64_t address,
		    const struct ibv_qp_init_attr *init)
{
	const struct rdma_cm_id *id = record_bytes(r, address, NULL);
	struct live_object *o = live_object_at(p->seen, address);
	struct live_tracked_qp *qp;

	if (id && !id->qp)
		end_qp_of_id(p, address);
	if (o && init)
		o->id_calls &= ~(unsigned)LIVE_ID_QP_GONE;
	if (!id || !id->qp || (o && o->id_calls & LIVE_ID_QP_GONE))
		return;
	take_qp(p, r, (uintptr_t)id->qp, init);
	qp = live_program_qp(p, (uintptr_t)id->qp);
	if (!qp)
		return;
	qp->cm_id = address;
	if (id->ps == RDMA_PS_UDP && !(qp->v.known & IBV_QP_QKEY)) { /* librdmacm has set it */
		qp->v.attr.qkey = RDMA_UDP_QKEY;
		qp->v.known |= IBV_QP_QKEY;
	}
}

void live_qp_set_state(struct live_queues *e, enum ibv_qp_state state, const char *why)
{
	e->qp.v.state = state;
	if (state == IBV_QPS_RESET) {
		posted_queue_empty(&e->sends);
		posted_queue_empty(&e->recvs);
		e->nundecided = 0;
		e->qp.ended_by_program = false;
		e->qp.v.known = 0;
		e->qp.v.unanswered = true;
		e->qp.v.answered = e->qp.v.connected = 0;
		e->qp.v.why[0] = '\0';
	}
	if (state == IBV_QPS_ERR && !*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "%s", why);
}

static void take_modify(struct live_program *p, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	const struct call_struct *of = call_value_find(r->fn->args, "attr")->of;
	struct live_queues *e = live_program_entry(p, r->args[0]);
	unsigned mask = (unsigned)r->args[2];

	if (!e || !a)
		return;
	if (mask & IBV_QP_STATE)
		live_qp_set_state(e, a->qp_state, "ibv_modify_qp");
	if (mask & IBV_QP_STATE && a->qp_state == IBV_QPS_RTR)
		e->qp.v.connected = r->begin;
	e->qp.ended_by_program |= mask & IBV_QP_STATE && a->qp_state == IBV_QPS_ERR;
	for (const struct call_value *f = of->fields; f->name; f++)
		if (mask & f->bit)
			memcpy((char *)&e->qp.v.attr + f->offset, (const char *)a + f->offset,
			       f->kind == CALL_STRUCT ? f->of->size : f->size);
	e->qp.v.known |= mask;
}

static void take_modify_srq(struct live_program *p, const struct record *r)
{
	const struct ibv_srq_attr *a = (const void *)(uintptr_t)r->args[1];
	struct live_queues *e = live_program_entry(p, r->args[0]);

	if (!e || !a || !((unsigned)r->args[2] & IBV_SRQ_MAX_WR))
		return;
	e->qp.v.cap.max_recv_wr = a->max_wr;
	e->qp.is_resized = true;
}

/* The record of an event does not have the id, which was seen with its QP before. */
static struct live_queues *entry_of_id(const struct live_program *p, uint64_t id)
{
	const struct live_tracked_qp *qp = live_program_qp_of_id(p, id);

	return qp ? live_program_entry(p, qp->address) : NULL;
}

static void take_cm_event(struct live_program *p, const struct record *r)
{
	const struct rdma_cm_event *event = record_cm_event(r);
	struct live_queues *e = event ? entry_of_id(p, (uintptr_t)event->id) : NULL;

	if (!e)
		return;
	if (event->event == RDMA_CM_EVENT_ESTABLISHED && e->qp.v.state < IBV_QPS_RTS)
		live_qp_set_state(e, IBV_QPS_RTS, "");
	if (event->event != RDMA_CM_EVENT_DISCONNECTED)
		return;
	if (!*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "the peer has disconnected");
	e->qp.ended_by_program = true;
}

static void take_disconnect(struct live_program *p, const struct record *r)
{
	struct live_queues *e = entry_of_id(p, r->args[0]);

	if (!e)
		return;
	live_qp_set_state(e, IBV_QPS_ERR, r->fn->name);
	e->qp.ended_by_program = true;
}

static void take_async_event(struct live_program *p, const struct record *r)
{
	const struct ibv_async_event *event = record_async_event(r);
	struct live_queues *e;
	char why[sizeof e->qp.v.why];

	if (!event ||
	    (event->event_type != IBV_EVENT_QP_FATAL && event->event_type != IBV_EVENT_QP_REQ_ERR &&
	     event->event_type != IBV_EVENT_QP_ACCESS_ERR))
		return;
	e = live_program_entry(p, (uintptr_t)event->element.qp);
	snprintf(why, sizeof why, "event %s",
		 live_word(call_objects[OBJECT_ASYNC_EVENT].of, "event_type", event->event_type));
	if (e)
		live_qp_set_state(e, IBV_QPS_ERR, why);
}

/* ---------------------------------------------------------------------------- calls -- */

/* The attributes after the call: the device may have increased the capacities. */
static const struct ibv_qp_init_attr *init_of(const struct record *r)
{
	const struct call_value *v = call_value_find(r->fn->args, "qp_init_attr");

	if (!v)
		v = call_value_find(r->fn->args, "qp_init_attr_ex");
	/* struct ibv_qp_init_attr_ex begins with the same members */
	return v ? (const void *)(uintptr_t)(r->after ? r->after : r->args)[v - r->fn->args] : NULL;
}

static void take_srq(struct live_program *p, const struct record *r, uint64_t address)
{
	/* struct ibv_srq_init_attr_ex begins with the same members */
	const struct ibv_srq_init_attr *init = (const void *)(uintptr_t)r->after[1];
	struct live_queues *e = add_entry(p, r, address, OBJECT_SRQ);

	live_object_name(p->objects, address, OBJECT_SRQ, r->end, e->qp.v.name);
	if (init) {
		e->qp.v.cap.max_recv_wr = init->attr.max_wr;
		e->qp.v.cap.max_recv_sge = init->attr.max_sge;
	}
}

static void take_object(struct live_program *p, const struct record *r, uint64_t address,
			enum call_object kind)
{
	const struct ibv_mw *mw = kind == OBJECT_MW ? record_bytes(r, address, NULL) : NULL;
	const struct ibv_cq *cq = kind == OBJECT_CQ || kind == OBJECT_CQ_EX
					  ? record_bytes(r, address, NULL)
					  : NULL; /* an extended one begins with the same members */
	const struct ibv_comp_channel *comp = kind == OBJECT_COMP_CHANNEL
						      ? record_bytes(r, address, NULL)
						      : NULL;
	const struct rdma_event_channel *cm = kind == OBJECT_EVENT_CHANNEL
						      ? record_bytes(r, address, NULL)
						      : NULL;
	struct live_object *o = add_object(p, r, address, kind);

	if (comp || cm)
		o->fd = comp ? comp->fd : cm->fd;
	p->had_windows |= kind == OBJECT_MW;
	if (mw)
		o->rkey = mw->rkey;
	if (cq)
		o->room = cq->cqe;
}

static void take_created(struct live_program *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made = record_made(r, &kind);

	if (made && (kind == OBJECT_QP || kind == OBJECT_QP_EX))
		take_qp(p, r, made, init_of(r));
	else if (made && kind == OBJECT_SRQ)
		take_srq(p, r, made);
	else if (made)
		take_object(p, r, made, kind);
	if (made && kind == OBJECT_MR)
		live_regions_add(&p->regions, r, made, p->objects);
	else if (made && kind == OBJECT_CM_ID)
		take_id(p, r, made, init_of(r));
}

/* The program has destroyed the QP: its id, if it has one, keeps a pointer to it. */
static void note_qp_gone(const struct live_program *p, uint64_t address)
{
	const struct live_tracked_qp *qp = live_program_qp(p, address);
	struct live_object *id = qp ? live_object_at(p->seen, qp->cm_id) : NULL;

	if (id)
		id->id_calls |= LIVE_ID_QP_GONE;
}

static void take_created_and_destroyed(struct live_program *p, const struct record *r)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind != CALL_OBJECT || !r->args[i])
			continue;
		if (v->role == CALL_GONE && v->object == OBJECT_CM_ID)
			end_id(p, r, r->args[i]);
		if (v->role == CALL_GONE && v->object == OBJECT_QP && !r->depth)
			note_qp_gone(p, r->args[i]);
		if (v->role == CALL_GONE)
			end_object(p, r->args[i]);
		else if (v->object == OBJECT_CM_ID && v->role == CALL_IN)
			take_id(p, r, r->args[i], r->fn->ties ? init_of(r) : NULL);
	}
	take_created(p, r);
}

void live_program_take_limits(struct live_program *p, const struct record *r)
{
	struct live_limits *l = &p->limits;
	const unsigned number = (unsigned)record_arg(r, "port_num");
	const void *attr = r->after ? (const void *)(uintptr_t)r->after[r->nargs - 1] : NULL;
	const bool is_port = record_call_row(r) == ROW_ibv_query_port;

	if (record_call_row(r) == ROW_ibv_query_gid) {
		live_gids_take(p, r);
		return;
	}
	if (!is_port)
		*l = (struct live_limits){ 0 };
	if (!attr || r->err)
		return;
	if (!is_port)
		memcpy(&l->device, attr, sizeof l->device);
	else if (number && number <= LIVE_PORTS)
		memcpy(&l->port[number - 1], attr, sizeof l->port[0]);
}

static void take_bind(struct live_program *p, const struct record *r)
{
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)r->args[2];

	if (bind)
		live_objects_use(p->seen, r->args[1], (uintptr_t)bind->bind_info.mr);
}

static void take_datagram(struct live_tracked_qp *qp, const struct ibv_send_wr *wr)
{
	uint32_t len = 0;

	for (int i = 0; wr->sg_list && i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	qp->sent_to = wr->wr.ud.remote_qpn;
	if (len > qp->longest)
		qp->longest = len;
}

/* Windows that the accepted requests of a list bind, and where its datagrams go. */
static void take_uses(struct live_program *p, struct live_queues *e, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	const bool is_ud = e && e->qp.v.type == IBV_QPT_UD;

	for (unsigned n = record_accepted(r); n--; wr = wr->next)
		if (is_ud)
			take_datagram(&e->qp, wr);
		else if (wr->opcode == IBV_WR_BIND_MW)
			live_objects_use(p->seen, (uintptr_t)wr->bind_mw.mw,
					 (uintptr_t)wr->bind_mw.bind_info.mr);
}

void live_program_take(struct live_program *p, const struct record *r,
		       struct record_objects *objects)
{
	struct live_queues *e = r->nargs ? live_program_entry(p, r->args[0]) : NULL;

	p->objects = objects;
	p->ncompletions = 0;
	live_objects_take_look(p->seen, r);
	if (record_call_row(r) == ROW_ibv_query_gid)
		live_gids_take(p, r);
	switch (record_call_row(
		r)) { /* one that failed may have posted the first requests of its chain */
	case ROW_ibv_post_send:
		if (e)
			posted_queue_take_sends(e, r);
		take_uses(p, e, r);
		return;
	case ROW_ibv_bind_mw:
		e = live_program_entry(p, r->args[0]);
		if (e)
			posted_queue_take_bind(&e->sends, r);
		if (!r->err)
			take_bind(p, r);
		return;
	case ROW_ibv_post_recv:
	case ROW_ibv_post_srq_recv:
		if (e)
			posted_queue_take_recvs(&e->recvs, r);
		return;
	}
	if (live_program_take_request(p, r) || live_program_take_extended_poll(p, r) || r->err ||
	    !r->ended)
		return;
	live_objects_take(&p->seen, r);
	switch (record_call_row(r)) {
	case ROW_ibv_poll_cq:
		live_program_take_poll(p, r);
		break;
	case ROW_ibv_modify_qp:
		take_modify(p, r);
		break;
	case ROW_ibv_modify_srq:
		take_modify_srq(p, r);
		break;
	case ROW_rdma_get_cm_event:
		take_cm_event(p, r);
		break;
	case ROW_ibv_get_async_event:
		take_async_event(p, r);
		break;
	case ROW_ibv_rereg_mr:
		live_regions_change(&p->regions, r, objects);
		break;
	case ROW_rdma_disconnect:
		take_disconnect(p, r);
		break;
	default:
		take_created_and_destroyed(p, r);
	}
}

/* ----------------------------------------------------------------------------- asked -- */

const struct live_wc *live_program_completions(const struct live_program *p, unsigned *n)
{
	*n = p->ncompletions;
	return p->completions;
}

struct live_tracked_qp *live_program_numbered(const struct live_program *p, uint32_t number,
					      uint32_t peer)
{
	for (struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->address && qp->v.number == number &&
		    (!peer || !(qp->v.known & IBV_QP_DEST_QPN) || qp->v.attr.dest_qp_num == peer))
			return qp;
	return NULL;
}

const char *live_program_gone_qp(const struct live_program *p, uint32_t number, uint32_t peer)
{
	return live_gone_qps_find(&p->gone, number, peer);
}

struct live_tracked_qp *live_program_qp(const struct live_program *p, uint64_t address)
{
	struct live_queues *e = live_program_entry(p, address);

	return e && e->qp.v.number ? &e->qp : NULL;
}

const struct live_tracked_qp *live_program_queue(const struct live_program *p, uint64_t address)
{
	const struct live_queues *e = live_program_entry(p, address);

	return e ? &e->qp : NULL;
}

const char *live_program_name(const struct live_program *p, uint64_t address, uint64_t when)
{
	const struct record_object *o = p->objects ? record_objects_at(p->objects, address, when)
						   : NULL;

	return o ? o->name : "";
}

void live_program_changes(struct live_program *p,
			  void (*tell)(void *arg, const struct live_tracked_qp *qp, int from),
			  void *arg)
{
	for (struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		if (qp->told == (int)qp->v.state)
			continue;
		tell(arg, qp, qp->told);
		qp->told = (int)qp->v.state;
	}
}

struct live_end live_program_end(const struct live_program *p, struct live_tracked_qp *qp)
{
	if (qp) {
		const struct posted_queue *recvs =
			live_program_recvs(p, live_program_entry(p, qp->address));
		const struct ibv_ah_attr *av = &qp->v.attr.ah_attr;
		const union ibv_gid *source = live_program_gid(p, av->port_num, av->grh.sgid_index);

		qp->v.has_source = source && qp->v.known & IBV_QP_AV && av->is_global;
		if (qp->v.has_source)
			qp->v.source = *source;
		qp->v.recvs = recvs->n;
		qp->v.had = recvs->had;
		qp->v.recv_len = qp->failed_recv ? qp->failed_recv
				 : recvs->n	 ? recvs->v[recvs->begin].len
						 : 0;
	}
	return (struct live_end){ .qp = qp ? &qp->v : NULL,
				  .regions = p->regions.v,
				  .nregions = p->regions.n,
				  .has_windows = p->had_windows };
}
