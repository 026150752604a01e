/* SPDX-License-Identifier: MIT */
#include "wire/packet_join.h"

#include <string.h>

#include "decode.h"
#include "objects.h"
#include "session.h"
#include "wr_ops.h"

static struct join_request *note(struct packet_join *j, const struct decoded *d, uint32_t qpn)
{
	struct join_request *r = &j->requests[j->n++ % JOIN_REQUESTS];

	*r = (struct join_request){
		.src = d->p.src,
		.dst = d->p.dst,
		.qpn = qpn,
		.dest_qpn = d->p.qpn,
		.psn = d->p.psn,
	};
	return r;
}

void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id)
{
	struct join_request *r = note(j, d, qpn);

	r->known = true;
	r->wr_id = wr_id;
}

static bool same_gid(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* How far behind the request r the packet is that may belong to it; negative: it does not. An
 * acknowledgement also answers what came before; a READ has a PSN for each of its responses. */
static int32_t behind(const struct join_request *r, const struct packet *p)
{
	bool request = p->op->flags & WIRE_REQUEST;
	int32_t by = psn_diff(p->psn, r->psn);

	if (!same_gid(&r->src, request ? &p->src : &p->dst) ||
	    !same_gid(&r->dst, request ? &p->dst : &p->src) ||
	    p->qpn != (request ? r->dest_qpn : r->qpn))
		return -1;
	if (request && p->op->flags & WIRE_FIRST && by)
		return -1; /* another one */
	return by;
}

const struct join_request *join_find(const struct packet_join *j, const struct decoded *d)
{
	unsigned n = j->n < JOIN_REQUESTS ? j->n : JOIN_REQUESTS;
	const struct join_request *best = NULL;
	int32_t nearest = 0;

	if (!d->p.op || d->is_cm)
		return NULL;
	for (unsigned i = 1; i <= n; i++) {
		const struct join_request *r = &j->requests[(j->n - i) % JOIN_REQUESTS];
		int32_t by = behind(r, &d->p);

		if (by < 0 || (best && by >= nearest))
			continue;
		best = r;
		nearest = by;
		if (!by)
			break;
	}
	return best;
}

/* ------------------------------------------------------------- by what was posted -- */

/* Does it send to where the packet goes? */
static bool leads_there(struct qp *qp, const struct packet *p)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	return (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_UC) &&
	       ibv_query_qp(qp->v, &a, IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_AV, &init) == 0 &&
	       a.dest_qp_num == p->qpn && same_gid(&a.ah_attr.grh.dgid, &p->dst);
}

static struct qp *sender(struct session *s, const struct packet *p)
{
	struct obj *o;

	obj_foreach_of(o, s, &qp_class)
		if (leads_there((struct qp *)o, p))
			return (struct qp *)o;
	return NULL;
}

/* Might this have been posted for the message that p begins? */
static bool alike(const struct posted *w, const struct packet *p)
{
	unsigned flags = p->op->flags;

	if (!w->op || w->op->local)
		return false;
	if (flags & WIRE_ATOMIC)
		return w->op->atomic && w->remote == p->va && w->rkey == p->rkey;
	if (flags & WIRE_RETH)
		return w->op->remote && !w->op->atomic && w->op->sink == !!(flags & WIRE_READ) &&
		       w->remote == p->va && w->rkey == p->rkey && w->len == p->dma_len;
	return !w->op->remote && (flags & WIRE_LAST ? w->len == p->len : w->len > p->len);
}

static struct join_qp *place_of(struct packet_join *j, const struct qp *qp)
{
	struct join_qp *q = &j->qps[qp->o.serial % JOIN_QPS];

	if (q->serial != qp->o.serial)
		*q = (struct join_qp){ .serial = qp->o.serial, .next = j->begun };
	return q;
}

/* The oldest one that is alike and was not found before; false: none. */
static bool next_alike(struct packet_join *j, const struct qp *qp, const struct packet *p,
		       struct posted *w)
{
	struct join_qp *q = place_of(j, qp);
	struct posted_place at = q->next;

	while (posted_next(qp, false, &at, w))
		if (alike(w, p)) {
			q->next = at;
			return true;
		}
	return false;
}

const struct join_request *join_posted(struct session *s, struct packet_join *j,
				       const struct decoded *d)
{
	const unsigned begins = WIRE_REQUEST | WIRE_FIRST;
	struct join_request *r;
	struct posted w;
	bool known;
	struct qp *qp;

	if (!d->p.op || (d->p.op->flags & begins) != begins || d->is_cm)
		return NULL;
	qp = sender(s, &d->p);
	if (!qp)
		return NULL;
	known = next_alike(j, qp, &d->p, &w);
	r = note(j, d, qp->v->qp_num);
	r->qp = qp->o.serial;
	r->known = known;
	r->wr_id = known ? w.wr_id : 0;
	return r;
}
