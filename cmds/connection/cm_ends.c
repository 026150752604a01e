/* SPDX-License-Identifier: MIT */
/*
 * The resources of one end of a connection: PD, CQ and QP, and the region that -share announces.
 * rdma_create_qp(3) creates the QP and moves it to INIT, so that receives can be posted before the
 * peer sends.
 */
#include <endian.h>
#include <string.h>

#include "connection/cm_ends.h"
#include "connection/cm_id.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

static struct cq *make_cq(struct session *s, struct dev *dev, const struct ends_args *a)
{
	uint64_t depth = a->depth.set ? a->depth.v : a->send_wr.v + a->recv_wr.v;
	int max = dev->attr.orig_attr.max_cqe;
	struct cc *cc = NULL;

	if (!a->depth.set && max > 0 && depth > (unsigned)max)
		depth = (unsigned)max;
	if (a->events) {
		cc = cc_make(s, dev, NULL);
		if (!cc)
			return NULL;
	}
	return cq_make(s, dev, NULL, depth ? (uint32_t)depth : 1, cc, 0);
}

static int same_device(struct session *s, const struct dev *dev, const void *object,
		       const struct dev *of)
{
	const struct obj *o = object;

	if (!o || of == dev)
		return 0;
	fail(s, "rdma_create_qp", "EINVAL", "%s is on %s, but the connection is on %s", o->name,
	     of->o.name, dev->o.name);
	return fail_row(s, "remedy", "give one of %s, or connect by an address of %s", dev->o.name,
			of->o.name);
}

int ends_make(struct session *s, struct id *id, const struct ends_args *a)
{
	struct dev *dev = id_dev(s, id, "rdma_create_qp");
	uint64_t mark;
	struct made made = { 0 };
	struct qp_spec spec = {
		.name = a->qp_name,
		.type = id_is_ud(id) ? IBV_QPT_UD : IBV_QPT_RC,
		.pd = a->pd,
		.send_cq = a->cq,
		.recv_cq = a->cq,
		.srq = a->srq,
		.id = id,
		.cap = { .max_send_wr = (uint32_t)a->send_wr.v,
			 .max_recv_wr = a->srq ? 0 : (uint32_t)a->recv_wr.v,
			 .max_send_sge = (uint32_t)a->send_sge.v,
			 .max_recv_sge = a->srq ? 0 : (uint32_t)a->recv_sge.v,
			 .max_inline_data = (uint32_t)a->inline_data.v },
		.sq_sig_all = a->sig_all,
	};

	if (!dev || same_device(s, dev, a->pd, a->pd ? a->pd->dev : NULL) ||
	    same_device(s, dev, a->cq, a->cq ? a->cq->dev : NULL) ||
	    same_device(s, dev, a->srq, a->srq ? a->srq->pd->dev : NULL))
		return -1;
	mark = made_mark(s);
	if (!spec.pd)
		spec.pd = a->srq ? a->srq->pd : pd_of(s, dev);
	if (spec.pd && !spec.send_cq)
		spec.send_cq = spec.recv_cq = make_cq(s, dev, a);
	if (!spec.pd || !spec.send_cq || !qp_make(s, &spec)) {
		made_since(s, &made, mark);
		return made_undo(s, &made);
	}
	id_own_cq(id, a->cq ? NULL : spec.send_cq);
	return 0;
}

int ends_destroy(struct session *s, struct id *id)
{
	struct cq *cq = id->qp && id->qp->send_cq == id->cq ? id->cq : NULL;
	struct cc *cc = cq ? cq->cc : NULL;

	if (obj_destroy(s, id, true))
		return -1;
	if (!cq || obj_used(cq))
		return 0;
	if (obj_destroy(s, cq, false))
		return -1;
	return cc && !obj_used(cc) ? obj_destroy(s, cc, false) : 0;
}

bool ends_named(const struct id *id)
{
	const struct qp *qp = id->qp;

	return id->o.named || (qp && qp->o.named) || (id->cq && id->cq->o.named) ||
	       (id->cq && id->cq->cc && id->cq->cc->o.named);
}

uint64_t made_mark(struct session *s)
{
	return s->ctx->store.serial;
}

void made_since(struct session *s, struct made *m, uint64_t mark)
{
	struct obj *o = TAILQ_LAST(&s->ctx->store.all, obj_list), *first = NULL;

	for (; o && o->serial > mark; o = TAILQ_PREV(o, obj_list, link))
		first = o;
	for (o = first; o && m->n < sizeof m->v / sizeof *m->v; o = TAILQ_NEXT(o, link))
		if (o->class != &dev_class) /* a device that was opened stays open */
			m->v[m->n++] = o;
}

void made_hold(struct session *s, const struct made *m)
{
	for (unsigned i = 0; i < m->n; i++)
		obj_hold_arg(s, m->v[i]);
}

int made_undo(struct session *s, struct made *m)
{
	struct fail why = s->fail;

	s->fail = (struct fail){ 0 };
	while (m->n)
		if (!obj_gone(m->v[--m->n]) && obj_destroy(s, m->v[m->n], false))
			fail_clear(&s->fail);
	s->fail = why;
	return -1;
}

int made_undo_since(struct session *s, uint64_t mark)
{
	struct made made = { 0 };

	made_since(s, &made, mark);
	return made_undo(s, &made);
}

/*
 * The bytes; all numbers are big-endian:
 *
 *	 0  8  address
 *	 8  4  rkey
 *	12  8  length with -share-len, else zero
 *	20  8  magic number of rdmash
 *	28  8  length
 *	36  4  access flags of the region
 *
 * Most programs exchange the first twelve bytes in this form. The data of a peer is untrusted:
 * values that cannot be a region are ignored.
 */

static const unsigned char magic[8] = "rdmash\0\1";

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static void put_be64(unsigned char *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof v);
}

static void put_be32(unsigned char *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof v);
}

static uint64_t get_be64(const unsigned char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof v);
	return be64toh(v);
}

static uint32_t get_be32(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return be32toh(v);
}

void share_pack(const struct mr *mr, bool with_len, unsigned char data[SHARE_BYTES])
{
	put_be64(data, mr->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)mr->buf);
	put_be32(data + 8, mr->v->rkey);
	put_be64(data + 12, with_len ? mr->len : 0);
	memcpy(data + 20, magic, sizeof magic);
	put_be64(data + 28, mr->len);
	put_be32(data + 36, mr->access & REMOTE);
}

bool share_unpack(const unsigned char *data, size_t len, struct qp_peer *window)
{
	uint64_t addr, size;
	uint32_t access;

	if (len < SHARE_BYTES || memcmp(data + 20, magic, sizeof magic) != 0)
		return false;
	addr = get_be64(data);
	size = get_be64(data + 28);
	access = get_be32(data + 36);
	if (!size || size > UINT64_MAX - addr || !access || access & ~(uint32_t)REMOTE)
		return false;
	window->addr = addr;
	window->len = size;
	window->rkey = get_be32(data + 8);
	window->access = access;
	return true;
}

void share_out(const struct qp_peer *w, struct out *o)
{
	static const struct {
		unsigned flag;
		const char *what;
	} rights[] = { { IBV_ACCESS_REMOTE_WRITE, "writes" },
		       { IBV_ACCESS_REMOTE_READ, "reads" },
		       { IBV_ACCESS_REMOTE_ATOMIC, "atomics" } };
	unsigned rest = w->access;
	const char *between = " is open to ";

	out_dict(o, "window");
	out_u64(o, "addr", w->addr, NULL);
	out_u64(o, "len", w->len, "; its window of %llu bytes", (unsigned long long)w->len);
	out_u64(o, "rkey", w->rkey, NULL);
	out_list(o, "open_to");
	for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
		if (!(rest & rights[i].flag))
			continue;
		rest &= ~rights[i].flag;
		out_str(o, NULL, rights[i].what, "%s%s", between, rights[i].what);
		between = rest & (rest - 1) ? ", " : " and ";
	}
	out_end(o);
	out_end(o);
}
