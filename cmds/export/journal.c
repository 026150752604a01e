/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "post.h"
#include "session.h"
#include "xmem.h"

#define RING_MAX  4096
#define POST_KEPT 64 /* work requests of a list */

struct ring {
	struct note *v;
	unsigned cap, first, n;
	uint64_t lost;
};

struct journal {
	struct ring ring[2]; /* control, data */
	uint64_t seq;
};

static struct note *slot(struct ring *r)
{
	struct note *n;

	if (r->n == r->cap && r->cap < RING_MAX) { /* not full ones begin at 0 */
		r->cap = r->cap ? 2 * r->cap : 64;
		r->v = xrealloc(r->v, r->cap, sizeof *r->v);
	}
	if (r->n == r->cap) {
		n = &r->v[r->first];
		free(n->data);
		r->first = (r->first + 1) % r->cap;
		r->lost++;
		return n;
	}
	return &r->v[r->n++];
}

static struct note *add(struct session *s, enum note_kind kind, uint64_t serial, void *data)
{
	struct journal *j = s->ctx->journal;
	struct note *n;

	if (!j)
		j = s->ctx->journal = xcalloc(1, sizeof *j);
	n = slot(&j->ring[kind >= NOTE_DATA]);
	n->kind = kind;
	n->seq = ++j->seq;
	n->obj = serial;
	n->data = data;
	return n;
}

static uint64_t serial(const void *o)
{
	return o ? ((const struct obj *)o)->serial : 0;
}

static void fill_qp(struct made_note *m, const struct qp *qp)
{
	m->of[0] = serial(qp->pd);
	m->of[1] = serial(qp->send_cq);
	m->of[2] = serial(qp->recv_cq);
	m->of[3] = serial(qp->srq);
	m->of[4] = serial(qp->id);
	m->qp.type = qp->type;
	m->qp.cap = qp->cap;
	m->qp.sq_sig_all = qp->sq_sig_all;
	m->qp.qpn = qp->v->qp_num;
}

static void fill_mr(struct made_note *m, const struct mr *mr)
{
	m->of[0] = serial(mr->pd);
	m->mr.addr = (uintptr_t)mr->buf;
	m->mr.len = mr->len;
	m->mr.access = mr->access;
	m->mr.lkey = mr->v->lkey;
	m->mr.rkey = mr->v->rkey;
}

static void fill_ah(struct made_note *m, const struct ah *ah)
{
	m->of[0] = serial(ah->pd);
	m->ah.attr = ah->attr;
	m->ah.qpn = ah->qpn;
	m->ah.qkey = ah->qkey;
}

static void fill_id(struct made_note *m, const struct id *id)
{
	m->of[0] = serial(id->ec);
	m->of[1] = serial(id->listener);
	m->id.ps = id->ps;
	m->id.passive = id->passive;
}

static void fill_queue(struct made_note *m, const struct obj *o)
{
	const struct cq *cq = (const struct cq *)o;
	const struct srq *srq = (const struct srq *)o;

	if (o->class == &cq_class) {
		m->of[0] = serial(cq->dev);
		m->of[1] = serial(cq->cc);
		m->cqe = cq->v->cqe;
	} else {
		m->of[0] = serial(srq->pd);
		m->srq.max_wr = srq->max_wr;
		m->srq.max_sge = srq->max_sge;
	}
}

void journal_made(struct session *s, const struct obj *o)
{
	struct made_note *m = xcalloc(1, sizeof *m);

	m->class = o->class;
	memcpy(m->name, o->name, sizeof m->name);
	if (o->class == &pd_class)
		m->of[0] = serial(((const struct pd *)o)->dev);
	else if (o->class == &cc_class)
		m->of[0] = serial(((const struct cc *)o)->dev);
	else if (o->class == &cq_class || o->class == &srq_class)
		fill_queue(m, o);
	else if (o->class == &qp_class)
		fill_qp(m, (const struct qp *)o);
	else if (o->class == &mr_class)
		fill_mr(m, (const struct mr *)o);
	else if (o->class == &ah_class)
		fill_ah(m, (const struct ah *)o);
	else if (o->class == &id_class)
		fill_id(m, (const struct id *)o);
	else if (o->class == &mw_class) {
		m->of[0] = serial(((const struct mw *)o)->pd);
		m->mw.type = ((const struct mw *)o)->v->type;
		m->mw.rkey = ((const struct mw *)o)->v->rkey;
	}
	add(s, NOTE_MADE, o->serial, m);
}

void journal_gone(struct session *s, const struct obj *o)
{
	add(s, NOTE_GONE, o->serial, NULL);
}

static void copy_addr(struct sockaddr_storage *ss, const struct sockaddr *sa)
{
	memcpy(ss, sa,
	       sa->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
}

void journal_addr(struct session *s, enum note_kind kind, const struct id *id,
		  const struct sockaddr *src, const struct sockaddr *dst, int num)
{
	struct addr_note *a = xcalloc(1, sizeof *a);

	a->from = src != NULL;
	if (src)
		copy_addr(&a->src, src);
	copy_addr(&a->dst, dst);
	add(s, kind, id->o.serial, a)->num = num;
}

void journal_call(struct session *s, enum note_kind kind, const struct obj *o, int num)
{
	add(s, kind, o->serial, NULL)->num = num;
}

void journal_conn(struct session *s, enum note_kind kind, const struct id *id,
		  const struct rdma_conn_param *p)
{
	struct conn_note *c = xcalloc(1, sizeof *c);

	c->p = *p;
	c->p.private_data = NULL;
	if (p->private_data_len)
		memcpy(c->data, p->private_data, p->private_data_len);
	add(s, kind, id->o.serial, c);
}

void journal_event(struct session *s, const struct id *id, const struct cm_event *ev)
{
	struct event_note *e = xcalloc(1, sizeof *e);

	e->ev = *ev;
	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		e->listener = serial(id->listener);
	add(s, NOTE_EVENT, id->o.serial, e);
}

void journal_modify(struct session *s, const struct qp *qp, const struct ibv_qp_attr *a,
		    unsigned mask, const struct id *id)
{
	struct modify_note *m = xcalloc(1, sizeof *m);

	m->a = *a;
	m->mask = mask;
	m->id = serial(id);
	add(s, NOTE_MODIFY_QP, qp->o.serial, m);
}

void journal_oob(struct session *s, const struct qp *qp, const char *host, uint16_t port,
		 const struct qp_peer *mine, const struct qp_peer *peer)
{
	struct oob_note *o = xcalloc(1, sizeof *o);

	snprintf(o->host, sizeof o->host, "%s", host);
	o->port = port;
	o->mine = *mine;
	o->peer = *peer;
	add(s, NOTE_OOB, qp->o.serial, o);
}

void journal_post(struct session *s, struct post_req *const reqs[], unsigned n)
{
	unsigned kept = n < POST_KEPT ? n : POST_KEPT, sges = 0;
	struct post_note *p;
	struct ibv_sge *sge;

	if (!n)
		return;
	for (unsigned i = 0; i < kept; i++)
		sges += (unsigned)reqs[i]->wr.num_sge;
	p = xcalloc(1, sizeof *p + kept * sizeof p->item[0] + sges * sizeof *sge);
	p->recv = reqs[0]->op == &wr_ops[WR_RECV];
	p->n = kept;
	p->left_out = n - kept;
	sge = (struct ibv_sge *)(void *)&p->item[kept];
	for (unsigned i = 0; i < kept; i++) {
		const struct post_req *r = reqs[i];

		p->item[i] = (struct post_item){ .wr = r->wr,
						 .mw = serial(r->mw),
						 .bound = serial(r->bound),
						 .ah = serial(r->ah),
						 .sge = sge };
		for (int k = 0; k < r->wr.num_sge; k++)
			*sge++ = r->sge[k];
	}
	add(s, NOTE_POST, reqs[0]->srq ? reqs[0]->srq->o.serial : reqs[0]->qp->o.serial, p);
}

void journal_wc(struct session *s, const struct cq *cq, const struct ibv_wc *wc)
{
	add(s, NOTE_WC, cq->o.serial, NULL)->wc = *wc;
}

void journal_mem(struct session *s, enum note_kind kind, const struct mr *mr, uint64_t off,
		 uint64_t len, const void *data, size_t n)
{
	uint32_t kept = (uint32_t)(n < NOTE_BYTES ? n : NOTE_BYTES);
	void *copy = xcalloc(1, kept + 1u);
	struct note *note;

	memcpy(copy, data, kept);
	note = add(s, kind, mr->o.serial, copy);
	note->mem.off = off;
	note->mem.len = len;
	note->mem.kept = kept;
}

void journal_other(struct session *s, const char *call, const struct obj *o, const char *args, ...)
{
	char *copy = NULL;
	va_list ap;

	if (args) {
		va_start(ap, args);
		copy = xvasprintf(args, ap);
		va_end(ap);
	}
	add(s, NOTE_OTHER, o->serial, copy)->call = call;
}

static const struct note *at(const struct ring *r, unsigned i)
{
	return i < r->n ? &r->v[(r->first + i) % r->cap] : NULL;
}

const struct note **journal_all(struct session *s, unsigned *n, uint64_t lost[2])
{
	static const struct journal none;
	const struct journal *j = s->ctx->journal ? s->ctx->journal : &none;
	const struct ring *control = &j->ring[0], *data = &j->ring[1];
	const struct note **all = xcalloc(control->n + data->n + 1, sizeof *all);
	unsigned c = 0, d = 0;

	for (*n = 0; *n < control->n + data->n; ++*n) {
		const struct note *x = at(control, c), *y = at(data, d);

		if (x && (!y || x->seq < y->seq)) {
			all[*n] = x;
			c++;
		} else {
			all[*n] = y;
			d++;
		}
	}
	lost[0] = control->lost;
	lost[1] = data->lost;
	return all;
}

void journal_free(struct session *s)
{
	struct journal *j = s->ctx->journal;

	if (!j)
		return;
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < j->ring[k].n; i++)
			free(j->ring[k].v[i].data);
		free(j->ring[k].v);
	}
	free(j);
	s->ctx->journal = NULL;
}
