/* SPDX-License-Identifier: MIT */
/* XRC domains, and the numbers of SRQs in them: ibv_open_xrcd(3), ibv_get_srq_num(3). Annex A14. */
#include "queue_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "engine.h"

#define KNOWN (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

/* Domains of a file are found by it, by this process alone: what is in a domain of another one
 * is nowhere here. */
struct xrc_domain {
	LIST_ENTRY(xrc_domain) entry;
	bool has_file;
	dev_t dev;
	ino_t inode;
	unsigned handles;
};

static LIST_HEAD(, xrc_domain) domains = LIST_HEAD_INITIALIZER(domains);

/* By the lowest bits of the number, which counts up from a random start: it comes again late. */
static struct srq *srqs[MAX_SRQ];
static uint32_t next_number; /* 0: not drawn yet */

_Static_assert((MAX_SRQ & (MAX_SRQ - 1)) == 0, "places are the lowest bits of numbers");

/* ---------------------------------------------------------------------- domains -- */

static struct xrc_domain *find(const struct stat *st)
{
	struct xrc_domain *d;

	LIST_FOREACH(d, &domains, entry)
		if (d->has_file && d->dev == st->st_dev && d->inode == st->st_ino)
			return d;
	return NULL;
}

/* The kernel's rules: without a file a new domain; with one O_CREAT and O_EXCL as open(2), but
 * EAGAIN where there is none yet, and EINVAL where there must not be. st: NULL without a file. */
static int choose(const struct stat *st, int oflags, struct xrc_domain **domain)
{
	struct xrc_domain *d = st ? find(st) : NULL;

	if (d && oflags & O_EXCL)
		return EINVAL;
	if (!d && st && !(oflags & O_CREAT))
		return EAGAIN;
	if (!d) {
		d = calloc(1, sizeof *d);
		if (!d)
			return ENOMEM;
		if (st) {
			d->has_file = true;
			d->dev = st->st_dev;
			d->inode = st->st_ino;
		}
		LIST_INSERT_HEAD(&domains, d, entry);
	}
	d->handles++;
	*domain = d;
	return 0;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *a)
{
	struct xrcd *x;
	struct stat st;
	int err = 0;

	if (a->comp_mask & ~(uint32_t)KNOWN)
		err = EOPNOTSUPP;
	else if (a->comp_mask != KNOWN)
		err = EINVAL;
	else if (a->fd != -1 && fstat(a->fd, &st) != 0)
		err = errno;
	x = err ? NULL : calloc(1, sizeof *x);
	if (!x) {
		errno = err ? err : ENOMEM;
		return NULL;
	}
	x->v.context = context;
	engine_lock();
	err = choose(a->fd == -1 ? NULL : &st, a->oflags, &x->domain);
	engine_unlock();
	if (!err)
		return &x->v;
	free(x);
	errno = err;
	return NULL;
}

static int close_xrcd(struct ibv_xrcd *v)
{
	struct xrcd *x = to_xrcd(v);

	engine_lock();
	if (x->users) {
		engine_unlock();
		return EBUSY;
	}
	if (--x->domain->handles == 0) {
		LIST_REMOVE(x->domain, entry);
		free(x->domain);
	}
	engine_unlock();
	free(x);
	return 0;
}

/* ------------------------------------------------------------------------- SRQs -- */

void xrc_srq_enter(struct srq *srq)
{
	uint32_t n;

	while (!next_number)
		if (getrandom(&next_number, sizeof next_number, GRND_NONBLOCK) < 0)
			next_number = (uint32_t)(uintptr_t)srq >> 4 | 1;
	do /* there is a place: no more than MAX_SRQ SRQs are made; number 0 is nobody's */
		n = next_number++ & 0xffffff;
	while (srqs[n & (MAX_SRQ - 1)] || !n);
	srqs[n & (MAX_SRQ - 1)] = srq;
	srq->number = n;
	srq->xrcd->users++;
	srq->cq->users++;
}

static void put_down(struct qp *qp, void *srq)
{
	if (qp->type != IBV_QPT_XRC_RECV || qp->srq != srq)
		return;
	qp->srq = NULL;
	qp->pd = NULL;
	qp->recv_cq = NULL;
	qp->resp.has_recv = false; /* it went with its queue */
}

void xrc_srq_leave(struct srq *srq)
{
	qp_each(put_down, srq);
	srqs[srq->number & (MAX_SRQ - 1)] = NULL;
	srq->xrcd->users--;
	srq->cq->users--;
}

static struct srq *srq_find(const struct qp *qp, uint32_t srqn)
{
	struct srq *srq = srqs[srqn & (MAX_SRQ - 1)];

	return srq && srq->number == srqn && srq->xrcd->domain == qp->xrcd->domain ? srq : NULL;
}

bool xrc_take_on(struct qp *qp, uint32_t srqn, bool same)
{
	struct srq *srq = srq_find(qp, srqn);

	if (!srq || (same && srq != qp->srq))
		return false;
	qp->srq = srq;
	qp->pd = srq->pd;
	qp->recv_cq = srq->cq;
	return true;
}

bool xrc_take_pd(struct qp *qp, uint32_t srqn)
{
	const struct srq *srq = srq_find(qp, srqn);

	if (srq)
		qp->pd = srq->pd;
	return srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	if (!to_srq(srq)->number)
		return EINVAL; /* not of type XRC */
	*number = to_srq(srq)->number;
	return 0;
}

void context_ops_xrc(struct context *c)
{
	c->v.open_xrcd = open_xrcd;
	c->v.close_xrcd = close_xrcd;
	c->v.get_srq_num = get_srq_num;
}
