// SPDX-License-Identifier: MIT
#include "live_program.h"

#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

#include "call_record.h"
#include "own_rows.h"
#include "qp/modify_qp.h"
#include "record_objects.h"
#include "words.h"
#include "wr_ops.h"
#include "alloc.h"

/* Of a QP or an SRQ. */
struct entry {
	struct seen_qp qp;
	struct posted_queue sends, recvs;
};

/* A QP that was destroyed. */
struct gone_qp {
	char name[LIVE_NAME];
	uint32_t number, peer;
};

#define REGIONS_MAX 4096 /* above which those that are gone are forgotten */

struct live_program {
	Tcl_HashTable entries; /* address of a QP or SRQ: struct entry */
	struct seen_qp *newest;
	struct live_region *regions; /* all that there were, with the address of each: */
	uint64_t *region_at;
	unsigned nregions;
	struct gone_qp *gone;
	unsigned ngone;
	struct seen_wc *completions; /* of the last call */
	unsigned ncompletions;
	struct record_objects *objects;
};

struct live_program *live_program_new(void)
{
	struct live_program *p = xcalloc(1, sizeof *p);

	Tcl_InitHashTable(&p->entries, TCL_ONE_WORD_KEYS);
	return p;
}

static void free_entry(struct entry *e)
{
	free(e->sends.v);
	free(e->recvs.v);
	free(e);
}

void live_program_free(struct live_program *p)
{
	Tcl_HashSearch search;

	for (Tcl_HashEntry *h = Tcl_FirstHashEntry(&p->entries, &search); h;
	     h = Tcl_NextHashEntry(&search))
		free_entry(Tcl_GetHashValue(h));
	Tcl_DeleteHashTable(&p->entries);
	free(p->regions);
	free(p->region_at);
	free(p->gone);
	free(p->completions);
	free(p);
}

static struct entry *entry_at(const struct live_program *p, uint64_t address)
{
	Tcl_HashEntry *h = Tcl_FindHashEntry((Tcl_HashTable *)(uintptr_t)&p->entries,
					     (const void *)(uintptr_t)address);

	return h ? Tcl_GetHashValue(h) : NULL;
}

static void take_name(const struct live_program *p, uint64_t address, uint64_t when,
		      char name[LIVE_NAME])
{
	const struct record_object *o = address ? record_objects_at(p->objects, address, when)
						: NULL;

	snprintf(name, LIVE_NAME, "%s", o ? o->name : "");
}

/* ------------------------------------------------------------------------- regions -- */

/* Of those that are gone only the newer half is remembered. */
static void forget_regions(struct live_program *p)
{
	unsigned to = 0;

	for (unsigned i = 0; i < p->nregions; i++) {
		if (i < p->nregions / 2 && p->regions[i].gone)
			continue;
		p->regions[to] = p->regions[i];
		p->region_at[to++] = p->region_at[i];
	}
	p->nregions = to;
}

static void take_region(struct live_program *p, const struct record *r, uint64_t address)
{
	const struct ibv_mr *mr = record_bytes(r, address, NULL);
	uint64_t iova = record_arg(r, "iova");
	struct live_region *v;

	if (!mr)
		return;
	for (unsigned i = 0; i < p->nregions; i++)
		if (p->region_at[i] == address && !p->regions[i].gone)
			return; /* by a call within this one */
	if (p->nregions >= REGIONS_MAX)
		forget_regions(p);
	p->regions = xgrow(p->regions, p->nregions, sizeof *p->regions);
	p->region_at = xgrow(p->region_at, p->nregions, sizeof *p->region_at);
	p->region_at[p->nregions] = address;
	v = &p->regions[p->nregions++];
	*v = (struct live_region){ .lkey = mr->lkey,
				   .rkey = mr->rkey,
				   .begin = iova ? iova : (uintptr_t)mr->addr,
				   .len = mr->length,
				   .access = (unsigned)record_arg(r, "access") };
	if (v->access & IBV_ACCESS_ZERO_BASED)
		v->begin = 0;
	take_name(p, address, r->end, v->name);
	take_name(p, (uintptr_t)mr->pd, r->end, v->pd);
}

/* -------------------------------------------------------------------------- queues -- */

static void take_sges(struct posted_wr *p, const struct ibv_sge *sge, int n)
{
	for (int i = 0; sge && i < n; i++) {
		p->len += sge[i].length;
		if (p->nsge < LIVE_SGES)
			p->sge[p->nsge++] = sge[i];
	}
}

static void take_send(struct entry *e, const struct record *r, const struct ibv_send_wr *wr)
{
	struct posted_wr p = { .wr_id = wr->wr_id,
			       .when = r->begin,
			       .op = wr_op_find(wr->opcode),
			       .is_inline = wr->send_flags & IBV_SEND_INLINE };

	if (p.op && p.op->atomic) {
		p.remote = wr->wr.atomic.remote_addr;
		p.rkey = wr->wr.atomic.rkey;
	} else if (p.op && p.op->remote) {
		p.remote = wr->wr.rdma.remote_addr;
		p.rkey = wr->wr.rdma.rkey;
	}
	take_sges(&p, wr->sg_list, wr->num_sge);
	posted_queue_put(&e->sends, &p);
}

static void take_sends(struct live_program *p, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct entry *e = entry_at(p, r->args[0]);

	for (unsigned n = e ? record_accepted(r) : 0; n--; wr = wr->next)
		take_send(e, r, wr);
}

static void take_recvs(struct live_program *p, const struct record *r)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct entry *e = entry_at(p, r->args[0]);

	for (unsigned n = e ? record_accepted(r) : 0; n--; wr = wr->next) {
		struct posted_wr v = { .wr_id = wr->wr_id,
				       .when = r->begin,
				       .op = &wr_ops[WR_RECV] };

		take_sges(&v, wr->sg_list, wr->num_sge);
		posted_queue_put(&e->recvs, &v);
	}
}

/* ----------------------------------------------------------------------------- QPs -- */

static void note_gone(struct live_program *p, const struct seen_qp *qp)
{
	struct gone_qp *gone;

	if (!(qp->v.known & IBV_QP_DEST_QPN))
		return;
	p->gone = xgrow(p->gone, p->ngone, sizeof *p->gone);
	gone = &p->gone[p->ngone++];
	memcpy(gone->name, qp->v.name, sizeof gone->name);
	gone->number = qp->v.number;
	gone->peer = qp->v.attr.dest_qp_num;
}

const char *live_program_gone_qp(const struct live_program *p, uint32_t number, uint32_t peer)
{
	for (unsigned i = p->ngone; i-- > 0;)
		if (p->gone[i].number == number && p->gone[i].peer == peer)
			return p->gone[i].name;
	return NULL;
}

static void end_entry(struct live_program *p, struct entry *e)
{
	Tcl_HashEntry *h = Tcl_FindHashEntry(&p->entries, (const void *)(uintptr_t)e->qp.address);

	for (struct seen_qp **at = &p->newest; *at; at = &(*at)->older)
		if (*at == &e->qp) {
			*at = e->qp.older;
			break;
		}
	note_gone(p, &e->qp);
	Tcl_DeleteHashEntry(h);
	free_entry(e);
}

/* Of a QP or an SRQ; the end of one that was there was not seen. */
static struct entry *add_entry(struct live_program *p, uint64_t address)
{
	struct entry *e = entry_at(p, address);
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
	struct entry *e = address ? entry_at(p, address) : NULL;

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
		take_name(p, (uintptr_t)qp->pd, r->end, e->qp.v.pd);
		take_name(p, e->qp.srq, r->end, e->qp.v.srq);
	}
	take_name(p, address, r->end, e->qp.v.name);
	if (init)
		e->qp.v.cap = init->cap;
}

/* The QP of an id comes with a call about the id. */
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
		qp->by_cm = true;
}

static void go_to(struct entry *e, enum ibv_qp_state state, const char *why)
{
	e->qp.v.state = state;
	if (state == IBV_QPS_RESET) {
		posted_queue_empty(&e->sends);
		posted_queue_empty(&e->recvs);
		e->qp.ended_by_program = false;
		e->qp.v.known = 0;
		e->qp.v.why[0] = '\0';
	}
	if (state == IBV_QPS_ERR && !*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "%s", why);
}

static void take_modify(struct live_program *p, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	struct entry *e = entry_at(p, r->args[0]);
	unsigned mask = (unsigned)r->args[2];

	if (!e || !a)
		return;
	if (mask & IBV_QP_STATE)
		go_to(e, a->qp_state, "ibv_modify_qp");
	e->qp.ended_by_program |= mask & IBV_QP_STATE && a->qp_state == IBV_QPS_ERR;
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit && d->size)
			qp_attr_set(&e->qp.v.attr, d, qp_attr_get(a, d));
	if (mask & IBV_QP_AV)
		e->qp.v.attr.ah_attr = a->ah_attr;
	e->qp.v.known |= mask;
}

static struct entry *entry_of_id(const struct live_program *p, const struct record *r,
				 uint64_t address)
{
	const struct rdma_cm_id *id = record_bytes(r, address, NULL);

	return id && id->qp ? entry_at(p, (uintptr_t)id->qp) : NULL;
}

/* librdmacm moves QPs without a call that can be seen, where it is not the system's. */
static void take_cm_event(struct live_program *p, const struct record *r)
{
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	const struct rdma_cm_event *event = place ? record_bytes(r, *place, NULL) : NULL;
	struct entry *e = event ? entry_of_id(p, r, (uintptr_t)event->id) : NULL;

	if (!e)
		return;
	if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		go_to(e, IBV_QPS_RTS, "");
	if (event->event != RDMA_CM_EVENT_DISCONNECTED)
		return;
	if (!*e->qp.v.why)
		snprintf(e->qp.v.why, sizeof e->qp.v.why, "the peer has disconnected");
	e->qp.ended_by_program = true;
}

static void take_disconnect(struct live_program *p, const struct record *r)
{
	struct entry *e = entry_of_id(p, r, r->args[0]);

	if (!e)
		return;
	go_to(e, IBV_QPS_ERR, r->fn->name);
	e->qp.ended_by_program = true;
}

static void take_async_event(struct live_program *p, const struct record *r)
{
	const struct ibv_async_event *event = (const void *)(uintptr_t)r->after[1];
	struct entry *e;
	char why[sizeof e->qp.v.why];

	if (!event ||
	    (event->event_type != IBV_EVENT_QP_FATAL && event->event_type != IBV_EVENT_QP_REQ_ERR &&
	     event->event_type != IBV_EVENT_QP_ACCESS_ERR))
		return;
	e = entry_at(p, (uintptr_t)event->element.qp);
	snprintf(why, sizeof why, "event %s", word_name(async_words, event->event_type));
	if (e)
		go_to(e, IBV_QPS_ERR, why);
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

static struct posted_queue *recvs_of(const struct live_program *p, struct entry *e)
{
	struct entry *srq = e->qp.srq ? entry_at(p, e->qp.srq) : NULL;

	return srq ? &srq->recvs : &e->recvs;
}

/* Of an error the opcode is not told, only the id: requests are looked for in both queues. */
static bool find_posted(struct live_program *p, struct entry *e, const struct ibv_wc *wc,
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
	struct entry *e = qp ? entry_at(p, qp->address) : NULL;
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
	if (wc->status == IBV_WC_SUCCESS)
		return;
	seen->follows = wc->status == IBV_WC_WR_FLUSH_ERR && qp->ended_by_program;
	snprintf(why, sizeof why, "WC %s", word_name(wc_status_words, wc->status));
	if (wc->status != IBV_WC_WR_FLUSH_ERR && qp->v.type != IBV_QPT_UD) {
		go_to(e, IBV_QPS_ERR, why);
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

const struct seen_wc *live_program_completions(const struct live_program *p, unsigned *n)
{
	*n = p->ncompletions;
	return p->completions;
}

/* ---------------------------------------------------------------------------- calls -- */

static void end_object(struct live_program *p, uint64_t address)
{
	struct entry *e = entry_at(p, address);

	for (unsigned i = 0; i < p->nregions; i++)
		if (p->region_at[i] == address)
			p->regions[i].gone = true;
	if (e)
		end_entry(p, e);
}

/* As the call has left them: the device may have made room for more. */
static const struct ibv_qp_init_attr *init_of(const struct record *r)
{
	const struct call_value *v = call_value_find(r->fn->args, "qp_init_attr");

	if (!v)
		v = call_value_find(r->fn->args, "qp_init_attr_ex");
	/* struct ibv_qp_init_attr_ex begins with the same members */
	return v ? (const void *)(uintptr_t)(r->after ? r->after : r->args)[v - r->fn->args] : NULL;
}

static void take_made(struct live_program *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made = record_made(r, &kind);

	if (made && kind == OBJECT_MR)
		take_region(p, r, made);
	else if (made && (kind == OBJECT_QP || kind == OBJECT_QP_EX))
		take_qp(p, r, made, init_of(r));
	else if (made && kind == OBJECT_SRQ)
		add_entry(p, made);
	else if (made && kind == OBJECT_CM_ID)
		take_id(p, r, made, init_of(r));
}

static void take_objects(struct live_program *p, const struct record *r)
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
	take_made(p, r);
}

void live_program_take(struct live_program *p, const struct record *r,
		       struct record_objects *objects)
{
	p->objects = objects;
	p->ncompletions = 0;
	switch (row_of(r)) { /* a chain may have been taken in part */
	case ROW_ibv_post_send:
		take_sends(p, r);
		return;
	case ROW_ibv_post_recv:
	case ROW_ibv_post_srq_recv:
		take_recvs(p, r);
		return;
	}
	if (r->err || !r->ended)
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
		take_objects(p, r);
	}
}

/* ----------------------------------------------------------------------------- asked -- */

struct seen_qp *live_program_qp(const struct live_program *p, uint64_t address)
{
	struct entry *e = entry_at(p, address);

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
	struct entry *e = entry_at(p, qp->address);

	return recvs ? recvs_of(p, e)->n : e->sends.n;
}

struct live_end live_program_end(const struct live_program *p, struct seen_qp *qp)
{
	if (qp) {
		const struct posted_queue *recvs = recvs_of(p, entry_at(p, qp->address));

		qp->v.recvs = recvs->n;
		qp->v.recv_len = qp->failed_recv ? qp->failed_recv
				 : recvs->n	 ? recvs->v[recvs->begin].len
						 : 0;
	}
	return (struct live_end){ .qp = qp ? &qp->v : NULL,
				  .regions = p->regions,
				  .nregions = p->nregions };
}
