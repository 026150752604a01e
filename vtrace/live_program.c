/* SPDX-License-Identifier: MIT */
#include "live_program.h"

#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

#include "call_record.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "words.h"
#include "spec_tables.h"
#include "alloc.h"

/* The queues of a QP or an SRQ, and the QP. */
struct seen_queues {
	struct seen_qp qp;
	struct posted_queue sends, recvs;
	struct posted_queue built; /* since ibv_wr_start() */
};

/* A completion of an extended CQ, from ibv_start_poll() or ibv_next_poll() to the next of them. */
struct open_wc {
	uint64_t cq, when;
	bool is_open;
	bool is_send, is_recv; /* the program has asked for its opcode */
	bool has_len;	       /* the program has asked for its length */
	struct ibv_wc wc;
};

struct live_program {
	Tcl_HashTable entries; /* address of a QP or SRQ: struct seen_queues */
	struct seen_qp *newest;
	struct seen_regions regions;
	struct gone_qps gone;
	struct seen_wc *completions; /* of the last call */
	unsigned ncompletions;
	struct open_wc *open; /* of each CQ at most one */
	unsigned nopen;
	struct record_objects *objects;
};

struct live_program *live_program_new(void)
{
	struct live_program *p = xcalloc(1, sizeof *p);

	Tcl_InitHashTable(&p->entries, TCL_ONE_WORD_KEYS);
	return p;
}

static void free_entry(struct seen_queues *e)
{
	free(e->sends.v);
	free(e->recvs.v);
	free(e->built.v);
	free(e);
}

void live_program_free(struct live_program *p)
{
	Tcl_HashSearch search;

	for (Tcl_HashEntry *h = Tcl_FirstHashEntry(&p->entries, &search); h;
	     h = Tcl_NextHashEntry(&search))
		free_entry(Tcl_GetHashValue(h));
	Tcl_DeleteHashTable(&p->entries);
	free(p->regions.v);
	free(p->regions.at);
	free(p->gone.v);
	free(p->completions);
	free(p->open);
	free(p);
}

static struct seen_queues *entry_at(const struct live_program *p, uint64_t address)
{
	Tcl_HashEntry *h = Tcl_FindHashEntry((Tcl_HashTable *)(uintptr_t)&p->entries,
					     (const void *)(uintptr_t)address);

	return h ? Tcl_GetHashValue(h) : NULL;
}

/* -------------------------------------------------------------------------- queues -- */

/* A request of an extended QP, and the calls that build it. */
static bool take_request_step(struct live_program *p, const struct record *r)
{
	struct seen_queues *e;

	if (r->fn->path != CALL_DATAPATH || !r->nargs || r->fn->args[0].object != OBJECT_QP_EX)
		return false;
	e = entry_at(p, r->args[0]);
	if (e)
		posted_queue_take_step(&e->sends, &e->built, r);
	return e;
}

/* ----------------------------------------------------------------------------- QPs -- */

static void end_entry(struct live_program *p, struct seen_queues *e)
{
	Tcl_HashEntry *h = Tcl_FindHashEntry(&p->entries, (const void *)(uintptr_t)e->qp.address);

	for (struct seen_qp **at = &p->newest; *at; at = &(*at)->older)
		if (*at == &e->qp) {
			*at = e->qp.older;
			break;
		}
	gone_qps_add(&p->gone, &e->qp.v);
	Tcl_DeleteHashEntry(h);
	free_entry(e);
}

/* For a QP or an SRQ. If there is one at that address, its destruction was not seen. */
static struct seen_queues *add_entry(struct live_program *p, uint64_t address)
{
	struct seen_queues *e = entry_at(p, address);
	int is_new;

	if (e)
		end_entry(p, e);
	e = xcalloc(1, sizeof *e);
	Tcl_SetHashValue(Tcl_CreateHashEntry(&p->entries, (void *)(uintptr_t)address, &is_new), e);
	e->qp.address = address;
	return e;
}

static void take_qp(struct live_program *p, const struct record *r, uint64_t address,
		    const struct ibv_qp_init_attr *init)
{
	const struct ibv_qp *qp = record_bytes(r, address, NULL);
	struct seen_queues *e = address ? entry_at(p, address) : NULL;

	if (!qp)
		return;
	if (!e || e->qp.v.number != qp->qp_num) {
		e = add_entry(p, address);
		e->qp.older = p->newest;
		p->newest = &e->qp;
		e->qp.srq = (uintptr_t)qp->srq;
		e->qp.v.number = qp->qp_num;
		e->qp.v.type = qp->qp_type;
		e->qp.v.state = qp->state;
		e->qp.told = -1;
		e->qp.v.first_psn = e->qp.v.unanswered = true;
		seen_name(p->objects, (uintptr_t)qp->pd, OBJECT_PD, r->end, e->qp.v.pd);
		seen_name(p->objects, e->qp.srq, OBJECT_SRQ, r->end, e->qp.v.srq);
	}
	if (e->qp.v.state < qp->state && qp->state <= IBV_QPS_RTS)
		e->qp.v.state = qp->state; /* librdmacm has changed it, and no call was seen */
	seen_name(p->objects, address, OBJECT_QP, r->end, e->qp.v.name);
	if (init) {
		e->qp.v.cap = init->cap;
		e->qp.signals_all = init->sq_sig_all;
		e->qp.send_cq = (uintptr_t)init->send_cq;
		e->qp.recv_cq = (uintptr_t)init->recv_cq;
	}
}

/* A call about an id shows its QP. */
static void take_id(struct live_program *p, const struct record *r, uint64_t address,
		    const struct ibv_qp_init_attr *init)
{
	const struct rdma_cm_id *id = record_bytes(r, address, NULL);
	struct seen_qp *qp;

	if (!id || !id->qp)
		return;
	take_qp(p, r, (uintptr_t)id->qp, init);
	qp = live_program_qp(p, (uintptr_t)id->qp);
	if (qp)
		qp->cm_id = address;
}

static void set_qp_state(struct seen_queues *e, enum ibv_qp_state state, const char *why)
{
	e->qp.v.state = state;
	if (state == IBV_QPS_RESET) {
		posted_queue_empty(&e->sends);
		posted_queue_empty(&e->recvs);
		e->qp.ended_by_program = false;
		e->qp.v.known = 0;
		e->qp.v.unanswered = true;
		e->qp.v.why[0] = '\0';
	}
	if (state == IBV_QPS_ERR && !*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "%s", why);
}

static void take_modify(struct live_program *p, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	struct seen_queues *e = entry_at(p, r->args[0]);
	unsigned mask = (unsigned)r->args[2];

	if (!e || !a)
		return;
	if (mask & IBV_QP_STATE)
		set_qp_state(e, a->qp_state, "ibv_modify_qp");
	e->qp.ended_by_program |= mask & IBV_QP_STATE && a->qp_state == IBV_QPS_ERR;
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit)
			qp_attr_set(&e->qp.v.attr, d, qp_attr_get(a, d));
	if (mask & IBV_QP_AV)
		e->qp.v.attr.ah_attr = a->ah_attr;
	e->qp.v.known |= mask;
}

/* The record of an event does not have the id, which was seen with its QP before. */
static struct seen_queues *entry_of_id(const struct live_program *p, uint64_t id)
{
	for (const struct seen_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->cm_id == id)
			return entry_at(p, qp->address);
	return NULL;
}

static void take_cm_event(struct live_program *p, const struct record *r)
{
	const struct rdma_cm_event *event = seen_cm_event(r);
	struct seen_queues *e = event ? entry_of_id(p, (uintptr_t)event->id) : NULL;

	if (!e)
		return;
	if (event->event == RDMA_CM_EVENT_ESTABLISHED && e->qp.v.state < IBV_QPS_RTS)
		set_qp_state(e, IBV_QPS_RTS, "");
	if (event->event != RDMA_CM_EVENT_DISCONNECTED)
		return;
	if (!*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "the peer has disconnected");
	e->qp.ended_by_program = true;
}

static void take_disconnect(struct live_program *p, const struct record *r)
{
	struct seen_queues *e = entry_of_id(p, r->args[0]);

	if (!e)
		return;
	set_qp_state(e, IBV_QPS_ERR, r->fn->name);
	e->qp.ended_by_program = true;
}

static void take_async_event(struct live_program *p, const struct record *r)
{
	const struct ibv_async_event *event = (const void *)(uintptr_t)r->after[1];
	struct seen_queues *e;
	char why[sizeof e->qp.v.why];

	if (!event ||
	    (event->event_type != IBV_EVENT_QP_FATAL && event->event_type != IBV_EVENT_QP_REQ_ERR &&
	     event->event_type != IBV_EVENT_QP_ACCESS_ERR))
		return;
	e = entry_at(p, (uintptr_t)event->element.qp);
	snprintf(why, sizeof why, "event %s", word_name(async_words, event->event_type));
	if (e)
		set_qp_state(e, IBV_QPS_ERR, why);
}

/* --------------------------------------------------------------------- completions -- */

struct seen_qp *live_program_numbered(const struct live_program *p, uint32_t number, uint32_t peer)
{
	for (struct seen_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->address && qp->v.number == number &&
		    (!peer || !(qp->v.known & IBV_QP_DEST_QPN) || qp->v.attr.dest_qp_num == peer))
			return qp;
	return NULL;
}

static struct posted_queue *recvs_of(const struct live_program *p, struct seen_queues *e)
{
	struct seen_queues *srq = e->qp.srq ? entry_at(p, e->qp.srq) : NULL;

	return srq ? &srq->recvs : &e->recvs;
}

/* A completion with an error has a wr_id but no valid opcode: the request may be in either queue.
 */
static bool find_posted(struct live_program *p, struct seen_queues *e, const struct ibv_wc *wc,
			struct posted_wr *wr)
{
	bool is_recv = wc->status == IBV_WC_SUCCESS && wc->opcode & IBV_WC_RECV;

	if (!is_recv && posted_queue_get(&e->sends, wc->wr_id, true, wr))
		return true;
	if (wc->status == IBV_WC_SUCCESS && !is_recv)
		return false;
	return posted_queue_get(recvs_of(p, e), wc->wr_id, !e->qp.srq, wr);
}

static void take_completion(struct live_program *p, const struct record *r, const struct ibv_wc *wc,
			    struct seen_wc *seen)
{
	struct seen_qp *qp = live_program_numbered(p, wc->qp_num, 0);
	struct seen_queues *e = qp ? entry_at(p, qp->address) : NULL;
	char why[sizeof qp->v.why];

	*seen = (struct seen_wc){ .wc = *wc, .qp = qp, .after = -1 };
	if (!e)
		return;
	seen->known = find_posted(p, e, wc, &seen->posted);
	/* rxe says LOC_QP_OP_ERR */
	if (seen->known && seen->posted.op == &wr_ops[WR_RECV] &&
	    (wc->status == IBV_WC_LOC_LEN_ERR || wc->status == IBV_WC_LOC_QP_OP_ERR))
		qp->failed_recv = seen->posted.len;
	if (seen->known)
		seen->after = record_span(seen->posted.when, r->end);
	if (wc->status == IBV_WC_SUCCESS) {
		qp->v.unanswered &= (wc->opcode & IBV_WC_RECV) != 0;
		return;
	}
	/* that the peer disconnects or cannot be reached is said by an event, perhaps later */
	seen->follows = wc->status == IBV_WC_WR_FLUSH_ERR &&
			(qp->ended_by_program || (qp->cm_id && qp->v.state <= IBV_QPS_RTS));
	snprintf(why, sizeof why, "WC %s", word_name(wc_status_words, wc->status));
	if (wc->status != IBV_WC_WR_FLUSH_ERR && qp->v.type != IBV_QPT_UD) {
		set_qp_state(e, IBV_QPS_ERR, why);
		qp->ended_by_program = true; /* the program was told */
	}
}

static void take_completions(struct live_program *p, const struct record *r)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)r->after[2];

	for (int64_t i = 0; wc && i < (int64_t)r->result; i++) {
		p->completions = xgrow(p->completions, p->ncompletions, sizeof *p->completions);
		take_completion(p, r, &wc[i], &p->completions[p->ncompletions++]);
	}
}

/* ---------------------------------------------------------- of extended CQs -- */

static struct open_wc *open_wc_of(const struct live_program *p, uint64_t cq)
{
	for (unsigned i = 0; i < p->nopen; i++)
		if (p->open[i].cq == cq)
			return &p->open[i];
	return NULL;
}

/* The QP of a completion of which the program has not asked for the QP number: one that uses the CQ
 * and has posted that wr_id. */
static struct seen_queues *poster_of(const struct live_program *p, const struct open_wc *o)
{
	struct seen_queues *e;

	for (struct seen_qp *qp = p->newest; qp; qp = qp->older) {
		e = entry_at(p, qp->address);
		if (o->wc.qp_num && o->wc.qp_num != qp->v.number)
			continue;
		if (!o->is_recv && qp->send_cq == o->cq && posted_queue_has(&e->sends, o->wc.wr_id))
			return e;
		if (!o->is_send && qp->recv_cq == o->cq &&
		    posted_queue_has(recvs_of(p, e), o->wc.wr_id))
			return e;
	}
	return NULL;
}

/* The program will ask for no more values of this completion. */
static void end_open_wc(struct live_program *p, const struct record *r, struct open_wc *o)
{
	struct seen_queues *e = o->is_open ? poster_of(p, o) : NULL;
	struct record then = *r;
	struct seen_wc *c;

	if (!o->is_open)
		return;
	o->is_open = false;
	then.end = o->when;
	if (e) {
		o->wc.qp_num = e->qp.v.number;
		if (!o->is_send && !o->is_recv && !posted_queue_has(&e->sends, o->wc.wr_id))
			o->wc.opcode = IBV_WC_RECV;
	}
	p->completions = xgrow(p->completions, p->ncompletions, sizeof *p->completions);
	c = &p->completions[p->ncompletions++];
	take_completion(p, &then, &o->wc, c);
	if (c->known && !o->is_send && !o->is_recv)
		c->wc.opcode = c->posted.op->done;
	if (c->known && !o->has_len)
		c->wc.byte_len = c->posted.len;
}

void live_program_end_poll(struct live_program *p, const struct record *r)
{
	struct open_wc *o = open_wc_of(p, r->args[0]);

	p->ncompletions = 0;
	if (o)
		end_open_wc(p, r, o);
}

static void begin_open_wc(struct live_program *p, const struct record *r, uint64_t wr_id,
			  enum ibv_wc_status status)
{
	struct open_wc *o = open_wc_of(p, r->args[0]);

	if (!o) {
		p->open = xgrow(p->open, p->nopen, sizeof *p->open);
		o = &p->open[p->nopen++];
	}
	*o = (struct open_wc){ .cq = r->args[0],
			       .is_open = true,
			       .when = r->end,
			       .wc = { .wr_id = wr_id, .status = status } };
	if (status != IBV_WC_SUCCESS) /* its opcode is not valid */
		end_open_wc(p, r, o);
}

/* The calls that take completions from an extended CQ. false: it is another call. */
static bool take_extended_poll(struct live_program *p, const struct record *r)
{
	struct open_wc *o;
	enum ibv_wc_status status;
	uint64_t wr_id;

	if (r->fn->path != CALL_DATAPATH || !r->nargs || r->fn->args[0].object != OBJECT_CQ_EX)
		return false;
	o = open_wc_of(p, r->args[0]);
	if (o && row_of(r) == ROW_ibv_wc_read_opcode) {
		o->wc.opcode = (enum ibv_wc_opcode)r->result;
		o->is_recv = o->wc.opcode & IBV_WC_RECV;
		o->is_send = !o->is_recv;
	} else if (o && row_of(r) == ROW_ibv_wc_read_qp_num) {
		o->wc.qp_num = (uint32_t)r->result;
	} else if (o && row_of(r) == ROW_ibv_wc_read_byte_len) {
		o->wc.byte_len = (uint32_t)r->result;
		o->has_len = true;
	} else if (o && r->fn->step != CALL_ALONE) {
		end_open_wc(p, r, o);
	}
	if (record_completion(r, &status, &wr_id))
		begin_open_wc(p, r, wr_id, status);
	return true;
}

const struct seen_wc *live_program_completions(const struct live_program *p, unsigned *n)
{
	*n = p->ncompletions;
	return p->completions;
}

/* ---------------------------------------------------------------------------- calls -- */

static void end_object(struct live_program *p, uint64_t address)
{
	struct seen_queues *e = entry_at(p, address);

	seen_regions_gone(&p->regions, address);
	if (e)
		end_entry(p, e);
}

/* The attributes after the call: the device may have increased the capacities. */
static const struct ibv_qp_init_attr *init_of(const struct record *r)
{
	const struct call_value *v = call_value_find(r->fn->args, "qp_init_attr");

	if (!v)
		v = call_value_find(r->fn->args, "qp_init_attr_ex");
	/* struct ibv_qp_init_attr_ex begins with the same members */
	return v ? (const void *)(uintptr_t)(r->after ? r->after : r->args)[v - r->fn->args] : NULL;
}

static void take_created(struct live_program *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made = record_made(r, &kind);

	if (made && kind == OBJECT_MR)
		seen_regions_add(&p->regions, r, made, p->objects);
	else if (made && (kind == OBJECT_QP || kind == OBJECT_QP_EX))
		take_qp(p, r, made, init_of(r));
	else if (made && kind == OBJECT_SRQ)
		add_entry(p, made);
	else if (made && kind == OBJECT_CM_ID)
		take_id(p, r, made, init_of(r));
}

static void take_created_and_destroyed(struct live_program *p, const struct record *r)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind != CALL_OBJECT || !r->args[i])
			continue;
		if (v->role == CALL_GONE)
			end_object(p, r->args[i]);
		else if (v->object == OBJECT_CM_ID && v->role == CALL_IN)
			take_id(p, r, r->args[i], r->fn->ties ? init_of(r) : NULL);
	}
	take_created(p, r);
}

void live_program_take(struct live_program *p, const struct record *r,
		       struct record_objects *objects)
{
	struct seen_queues *e = r->nargs ? entry_at(p, r->args[0]) : NULL;

	p->objects = objects;
	p->ncompletions = 0;
	switch (row_of(
		r)) { /* a call that failed may have posted the first requests of its chain */
	case ROW_ibv_post_send:
		if (e)
			posted_queue_take_sends(&e->sends, r);
		return;
	case ROW_ibv_post_recv:
	case ROW_ibv_post_srq_recv:
		if (e)
			posted_queue_take_recvs(&e->recvs, r);
		return;
	}
	if (take_request_step(p, r) || take_extended_poll(p, r) || r->err || !r->ended)
		return;
	switch (row_of(r)) {
	case ROW_ibv_poll_cq:
		take_completions(p, r);
		break;
	case ROW_ibv_modify_qp:
		take_modify(p, r);
		break;
	case ROW_rdma_get_cm_event:
		take_cm_event(p, r);
		break;
	case ROW_ibv_get_async_event:
		take_async_event(p, r);
		break;
	case ROW_rdma_disconnect:
		take_disconnect(p, r);
		break;
	default:
		take_created_and_destroyed(p, r);
	}
}

/* ----------------------------------------------------------------------------- asked -- */

const char *live_program_gone_qp(const struct live_program *p, uint32_t number, uint32_t peer)
{
	return gone_qps_find(&p->gone, number, peer);
}

struct seen_qp *live_program_qp(const struct live_program *p, uint64_t address)
{
	struct seen_queues *e = entry_at(p, address);

	return e && e->qp.v.number ? &e->qp : NULL;
}

void live_program_changes(struct live_program *p,
			  void (*tell)(void *arg, const struct seen_qp *qp, int from), void *arg)
{
	for (struct seen_qp *qp = p->newest; qp; qp = qp->older) {
		if (qp->told == (int)qp->v.state)
			continue;
		tell(arg, qp, qp->told);
		qp->told = (int)qp->v.state;
	}
}

unsigned live_program_outstanding(const struct live_program *p, const struct seen_qp *qp,
				  bool recvs)
{
	struct seen_queues *e = entry_at(p, qp->address);

	return recvs ? recvs_of(p, e)->n : e->sends.n;
}

bool live_program_has_signaled(const struct live_program *p, const struct seen_qp *qp)
{
	const struct posted_queue *q = &entry_at(p, qp->address)->sends;

	for (unsigned i = 0; i < q->n; i++)
		if (qp->signals_all || q->v[q->begin + i].is_signaled)
			return true;
	return false;
}

struct live_end live_program_end(const struct live_program *p, struct seen_qp *qp)
{
	if (qp) {
		const struct posted_queue *recvs = recvs_of(p, entry_at(p, qp->address));

		qp->v.recvs = recvs->n;
		qp->v.had = recvs->had;
		qp->v.recv_len = qp->failed_recv ? qp->failed_recv
				 : recvs->n	 ? recvs->v[recvs->begin].len
						 : 0;
	}
	return (struct live_end){ .qp = qp ? &qp->v : NULL,
				  .regions = p->regions.v,
				  .nregions = p->regions.n };
}
