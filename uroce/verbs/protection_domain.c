/* SPDX-License-Identifier: MIT */
/*
 * Protection domains: ibv_alloc_pd(3), volume 1, 10.2.3. Thread domains and parent domains:
 * ibv_alloc_td(3), ibv_alloc_parent_domain(3). A thread domain promises that one thread uses
 * what is made with it; the locks that this could save are not contended then. XRC domains:
 * ibv_open_xrcd(3).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "context.h"
#include "engine.h"
#include "export.h"
#include "random.h"
#include "queue_pair.h"

struct td {
	struct ibv_td v;
	unsigned users; /* parent domains */
};

static unsigned pd_count; /* that there are, parent domains included */
static LIST_HEAD(, pd) all_pds = LIST_HEAD_INITIALIZER(all_pds);
static uint32_t next_handle;

void pd_each(void (*fn)(struct pd *pd, void *arg), void *arg)
{
	struct pd *pd;

	LIST_FOREACH(pd, &all_pds, entry)
		fn(pd, arg);
}

/* Counts a PD that was filled in. 0, or -1 with ENOMEM. */
static int enter_pd(struct pd *pd)
{
	SCOPED_ENGINE_LOCK();
	if (context_failed(pd->v.context))
		return fail(EIO);
	if (pd_count >= MAX_PD)
		return fail(ENOMEM);
	pd_count++;
	LIST_INSERT_HEAD(&all_pds, pd, entry);
	pd->v.handle = next_handle++;
	to_context(pd->v.context)->objects++;
	if (pd->domain != pd)
		pd->domain->users++;
	if (pd->td)
		pd->td->users++;
	return 0;
}

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct pd *pd = calloc(1, sizeof *pd);

	if (!pd)
		return NULL;
	pd->v.context = context;
	pd->domain = pd;
	if (enter_pd(pd) == 0)
		return &pd->v;
	free(pd);
	return NULL;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr)
{
	struct pd *pd;

	if (attr->comp_mask) /* allocators of the program */
		return fail_null(EOPNOTSUPP);
	if (!attr->pd || attr->pd->context != context ||
	    to_pd(attr->pd)->domain != to_pd(attr->pd) ||
	    (attr->td && attr->td->context != context))
		return fail_null(EINVAL);
	pd = calloc(1, sizeof *pd);
	if (!pd)
		return NULL;
	pd->v.context = context;
	pd->domain = to_pd(attr->pd);
	pd->td = (struct td *)attr->td;
	if (enter_pd(pd) == 0)
		return &pd->v;
	free(pd);
	return NULL;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *v)
{
	struct pd *pd = to_pd(v);

	SCOPED_ENGINE_LOCK();
	if (pd->users)
		return errno = EBUSY;
	pd_count--;
	LIST_REMOVE(pd, entry);
	to_context(v->context)->objects--;
	if (pd->domain != pd)
		pd->domain->users--;
	if (pd->td)
		pd->td->users--;
	free(pd);
	return 0;
}

static struct ibv_td *alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct td *td;

	if (attr->comp_mask)
		return fail_null(EOPNOTSUPP);
	td = calloc(1, sizeof *td);
	if (!td)
		return NULL;
	td->v.context = context;
	SCOPED_ENGINE_LOCK();
	to_context(context)->objects++;
	return &td->v;
}

static int dealloc_td(struct ibv_td *v)
{
	struct td *td = (struct td *)v;

	SCOPED_ENGINE_LOCK();
	if (td->users)
		return EBUSY;
	to_context(v->context)->objects--;
	free(td);
	return 0;
}

/* ------------------------------------------------------------------ XRC domains -- */

/* XRC domains, and the numbers of SRQs in them: ibv_open_xrcd(3), ibv_get_srq_num(3). Annex A14. */

#define XRCD_KNOWN (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

/* A domain of a file is found by that file, but only of its device and in this process: another
 * device, and another process that opens the file, have domains of their own. */
struct xrc_domain {
	LIST_ENTRY(xrc_domain) entry;
	unsigned device;
	bool has_file;
	dev_t dev;
	ino_t inode;
	unsigned handles;
};

static LIST_HEAD(, xrc_domain) xrc_domains = LIST_HEAD_INITIALIZER(xrc_domains);

/* The index is the lowest bits of the number. Numbers count up from a random start, so that one is
 * used again as late as possible. */
static struct srq *srq_table[MAX_SRQ];
static uint32_t next_srqn; /* 0: not drawn yet */

_Static_assert((MAX_SRQ & (MAX_SRQ - 1)) == 0, "places are the lowest bits of numbers");

static struct xrc_domain *find_xrc_domain(unsigned device, const struct stat *st)
{
	struct xrc_domain *d;

	LIST_FOREACH(d, &xrc_domains, entry)
		if (d->has_file && d->device == device && d->dev == st->st_dev &&
		    d->inode == st->st_ino)
			return d;
	return NULL;
}

/* The kernel's rules: without a file a new domain; with one O_CREAT and O_EXCL as open(2), but
 * EAGAIN where there is none yet, and EINVAL where there must not be. st: NULL without a file. */
static int choose_xrc_domain(unsigned device, const struct stat *st, int oflags,
			     struct xrc_domain **domain)
{
	struct xrc_domain *d = st ? find_xrc_domain(device, st) : NULL;

	if (d && oflags & O_EXCL)
		return EINVAL;
	if (!d && st && !(oflags & O_CREAT))
		return EAGAIN;
	if (!d) {
		d = calloc(1, sizeof *d);
		if (!d)
			return ENOMEM;
		d->device = device;
		if (st) {
			d->has_file = true;
			d->dev = st->st_dev;
			d->inode = st->st_ino;
		}
		LIST_INSERT_HEAD(&xrc_domains, d, entry);
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

	if (a->comp_mask & ~(uint32_t)XRCD_KNOWN)
		err = EOPNOTSUPP;
	else if (a->comp_mask != XRCD_KNOWN)
		err = EINVAL;
	else if (a->fd != -1 && fstat(a->fd, &st) != 0)
		err = errno;
	x = err ? NULL : calloc(1, sizeof *x);
	if (!x)
		return fail_null(err ? err : ENOMEM);
	x->v.context = context;
	engine_lock();
	err = context_failed(context)
		      ? EIO
		      : choose_xrc_domain(context_device(context), a->fd == -1 ? NULL : &st,
					  a->oflags, &x->domain);
	if (!err)
		to_context(context)->objects++;
	engine_unlock();
	if (!err)
		return &x->v;
	free(x);
	return fail_null(err);
}

static int close_xrcd(struct ibv_xrcd *v)
{
	struct xrcd *x = to_xrcd(v);

	SCOPED_ENGINE_LOCK();
	if (x->users)
		return EBUSY;
	if (--x->domain->handles == 0) {
		LIST_REMOVE(x->domain, entry);
		free(x->domain);
	}
	to_context(v->context)->objects--;
	free(x);
	return 0;
}

/* ------------------------------------------------------- SRQs of an XRC domain -- */

void xrc_srq_enter(struct srq *srq)
{
	uint32_t n;

	while (!next_srqn)
		random_bytes(&next_srqn, sizeof next_srqn);
	do /* there is a place: no more than MAX_SRQ SRQs are made; number 0 is nobody's */
		n = next_srqn++ & 0xffffff;
	while (srq_table[n & (MAX_SRQ - 1)] || !n);
	srq_table[n & (MAX_SRQ - 1)] = srq;
	srq->number = n;
	srq->xrcd->users++;
	srq->cq->users++;
}

void xrc_forget(void)
{
	next_srqn = 0;
}

static void release_srq(struct qp *qp, void *srq)
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
	qp_each(release_srq, srq);
	srq_table[srq->number & (MAX_SRQ - 1)] = NULL;
	srq->xrcd->users--;
	srq->cq->users--;
}

static struct srq *srq_find(const struct qp *qp, uint32_t srqn)
{
	struct srq *srq = srq_table[srqn & (MAX_SRQ - 1)];

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

void context_ops_pd(struct context *c)
{
	c->v.alloc_td = alloc_td;
	c->v.dealloc_td = dealloc_td;
	c->v.alloc_parent_domain = alloc_parent_domain;
	c->v.open_xrcd = open_xrcd;
	c->v.close_xrcd = close_xrcd;
	c->v.get_srq_num = get_srq_num;
}
