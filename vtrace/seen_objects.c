/* SPDX-License-Identifier: MIT */
/* What a traced program has posted, the regions that it has registered, the limits of its device,
 * and QPs that it has destroyed. */
#include "live_program.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "call_record.h"
#include "own_rows.h"
#include "spec_tables.h"

void posted_queue_empty(struct posted_queue *q)
{
	q->begin = q->n = 0;
	q->had = 0;
}

/* Grows a queue that is half full, so that a full one is not moved with each request. */
static void make_queue_room(struct posted_queue *q)
{
	if (q->begin + q->n < q->room)
		return;
	if (q->n >= q->room / 2) {
		q->room = q->room ? 2 * q->room : 16;
		q->v = xrealloc(q->v, q->room, sizeof *q->v);
	}
	memmove(q->v, q->v + q->begin, q->n * sizeof *q->v);
	q->begin = 0;
}

void posted_queue_put(struct posted_queue *q, const struct posted_wr *wr)
{
	make_queue_room(q);
	q->v[q->begin + q->n++] = *wr;
	q->had++;
}

bool posted_queue_get(struct posted_queue *q, uint64_t wr_id, bool in_order, struct posted_wr *wr)
{
	struct posted_wr *v = q->v + q->begin;
	unsigned i = 0;

	while (i < q->n && v[i].wr_id != wr_id)
		i++;
	if (i == q->n)
		return false;
	*wr = v[i];
	if (in_order) {
		q->begin += i + 1;
		q->n -= i + 1;
		return true;
	}
	memmove(v + 1, v, i * sizeof *v); /* those before it stay; usually there are few */
	q->begin++;
	q->n--;
	return true;
}

bool posted_queue_has(const struct posted_queue *q, uint64_t wr_id)
{
	for (unsigned i = 0; i < q->n; i++)
		if (q->v[q->begin + i].wr_id == wr_id)
			return true;
	return false;
}

/* ------------------------------------------------------------------- from records -- */

static void add_sges(struct posted_wr *p, const struct ibv_sge *sge, int n)
{
	for (int i = 0; sge && i < n; i++) {
		p->len += sge[i].length;
		if (p->nsge < LIVE_SGES)
			p->sge[p->nsge++] = sge[i];
	}
}

static struct posted_wr posted_send(const struct record *r, const struct ibv_send_wr *wr)
{
	struct posted_wr p = { .wr_id = wr->wr_id,
			       .when = r->begin,
			       .op = wr_op_find(wr->opcode),
			       .is_inline = wr->send_flags & IBV_SEND_INLINE,
			       .is_signaled = wr->send_flags & IBV_SEND_SIGNALED };

	if (p.op && p.op->atomic) {
		p.remote = wr->wr.atomic.remote_addr;
		p.rkey = wr->wr.atomic.rkey;
	} else if (p.op && p.op->remote) {
		p.remote = wr->wr.rdma.remote_addr;
		p.rkey = wr->wr.rdma.rkey;
	}
	add_sges(&p, wr->sg_list, wr->num_sge);
	return p;
}

void posted_queue_take_sends(struct posted_queue *q, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];

	for (unsigned n = record_accepted(r); n--; wr = wr->next) {
		const struct posted_wr p = posted_send(r, wr);

		posted_queue_put(q, &p);
	}
}

void posted_queue_take_recvs(struct posted_queue *q, const struct record *r)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)r->args[1];

	for (unsigned n = record_accepted(r); n--; wr = wr->next) {
		struct posted_wr v = { .wr_id = wr->wr_id,
				       .when = r->begin,
				       .op = &wr_ops[WR_RECV] };

		add_sges(&v, wr->sg_list, wr->num_sge);
		posted_queue_put(q, &v);
	}
}

/* This call posts all requests that were built. */
static void post_built_requests(struct posted_queue *q, struct posted_queue *built,
				const struct record *r)
{
	for (unsigned i = 0; i < built->n; i++) {
		struct posted_wr *p = &built->v[built->begin + i];

		p->when = r->begin;
		posted_queue_put(q, p);
	}
	posted_queue_empty(built);
}

/* Adds what a call after ibv_wr_send() or the like says of its data. */
static void add_request_data(struct posted_wr *last, const struct record *r)
{
	const struct ibv_data_buf *buf = (const void *)(uintptr_t)r->args[2];
	struct ibv_sge sge;

	switch (row_of(r)) {
	case ROW_ibv_wr_set_sge:
		sge = (struct ibv_sge){ r->args[2], (uint32_t)r->args[3], (uint32_t)r->args[1] };
		add_sges(last, &sge, 1);
		break;
	case ROW_ibv_wr_set_sge_list:
		add_sges(last, (const void *)(uintptr_t)r->args[2], (int)r->args[1]);
		break;
	case ROW_ibv_wr_set_inline_data:
		last->is_inline = true;
		last->len = (uint32_t)r->args[2];
		break;
	case ROW_ibv_wr_set_inline_data_list:
		last->is_inline = true;
		for (uint64_t i = 0; buf && i < r->args[1]; i++)
			last->len += (uint32_t)buf[i].length;
		break;
	}
}

void posted_queue_take_step(struct posted_queue *q, struct posted_queue *built,
			    const struct record *r)
{
	struct ibv_send_wr wr;
	struct posted_wr p;

	if (record_request(r, &wr)) {
		p = posted_send(r, &wr);
		posted_queue_put(built, &p);
	} else if (row_of(r) == ROW_ibv_wr_complete && !r->err && r->ended) {
		post_built_requests(q, built, r);
	} else if (r->fn->step != CALL_ALONE) { /* started again, refused or aborted */
		posted_queue_empty(built);
	} else if (built->n) {
		add_request_data(&built->v[built->begin + built->n - 1], r);
	}
}

/* ------------------------------------------------------------------------ regions -- */

#define REGIONS_MAX 4096 /* above which older deregistered ones are forgotten */

void seen_name(struct record_objects *objects, uint64_t address, enum call_object kind,
	       uint64_t when, char name[LIVE_NAME])
{
	const struct record_object *o = record_objects_meet(objects, address, kind, when);

	snprintf(name, LIVE_NAME, "%s", o ? o->name : "");
}

/* Forgets the older half of those that were deregistered. */
static void forget_regions(struct seen_regions *s)
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

void seen_regions_add(struct seen_regions *s, const struct record *r, uint64_t address,
		      struct record_objects *objects)
{
	const struct ibv_mr *mr = record_bytes(r, address, NULL);
	uint64_t iova = record_arg(r, "iova");
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
				   .begin = iova ? iova : (uintptr_t)mr->addr,
				   .len = mr->length,
				   .access = (unsigned)record_arg(r, "access") };
	if (v->access & IBV_ACCESS_ZERO_BASED)
		v->begin = 0;
	seen_name(objects, address, OBJECT_MR, r->end, v->name);
	seen_name(objects, (uintptr_t)mr->pd, OBJECT_PD, r->end, v->pd);
}

void seen_regions_gone(struct seen_regions *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i] == address)
			s->v[i].gone = true;
}

void seen_limits_take(struct seen_limits *l, const struct record *r)
{
	const unsigned number = (unsigned)record_arg(r, "port_num");
	const void *attr = r->after ? (const void *)(uintptr_t)r->after[r->nargs - 1] : NULL;
	const bool is_port = row_of(r) == ROW_ibv_query_port;

	if (!is_port)
		*l = (struct seen_limits){ 0 };
	if (!attr || r->err)
		return;
	if (!is_port)
		memcpy(&l->device, attr, sizeof l->device);
	else if (number && number <= SHARED_PORTS)
		memcpy(&l->port[number - 1], attr, sizeof l->port[0]);
}

const struct rdma_cm_event *seen_cm_event(const struct record *r)
{
	const uint64_t *place = r->after ? (const void *)(uintptr_t)r->after[1] : NULL;

	return place && !r->err ? record_bytes(r, *place, NULL) : NULL;
}

/* ---------------------------------------------------------------------------- QPs -- */

unsigned live_program_qp_type(const struct live_program *p, const struct record *r)
{
	const struct seen_qp *qp = r->nargs && r->fn->args[0].object == OBJECT_QP
					   ? live_program_qp(p, r->args[0])
					   : NULL;

	return qp ? qp->v.type : 0;
}

void gone_qps_add(struct gone_qps *g, const struct live_qp *qp)
{
	struct gone_qp *gone;

	if (!(qp->known & IBV_QP_DEST_QPN))
		return;
	g->v = xgrow(g->v, g->n, sizeof *g->v);
	gone = &g->v[g->n++];
	memcpy(gone->name, qp->name, sizeof gone->name);
	gone->number = qp->number;
	gone->peer = qp->attr.dest_qp_num;
}

const char *gone_qps_find(const struct gone_qps *g, uint32_t number, uint32_t peer)
{
	for (unsigned i = g->n; i-- > 0;)
		if (g->v[i].number == number && g->v[i].peer == peer)
			return g->v[i].name;
	return NULL;
}
