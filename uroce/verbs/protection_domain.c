/* SPDX-License-Identifier: MIT */
/*
 * Protection domains: ibv_alloc_pd(3), volume 1, 10.2.3. Thread domains and parent domains:
 * ibv_alloc_td(3), ibv_alloc_parent_domain(3). A thread domain promises that one thread uses
 * what is made with it; the locks that this could save are not contended then.
 */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "engine.h"
#include "export.h"

#define PARENT_KNOWN \
	(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)

struct td {
	struct ibv_td v;
	unsigned users; /* parent domains */
};

static unsigned pds; /* that there are, parent domains included */
static LIST_HEAD(, pd) all = LIST_HEAD_INITIALIZER(all);
static uint32_t next_handle;

void pd_each(void (*fn)(struct pd *pd, void *arg), void *arg)
{
	struct pd *pd;

	LIST_FOREACH(pd, &all, entry)
		fn(pd, arg);
}

/* Counts a PD that was filled in. 0, or -1 with ENOMEM. */
static int enter(struct pd *pd)
{
	int err = 0;

	engine_lock();
	if (pds >= MAX_PD) {
		err = -1;
		errno = ENOMEM;
	} else {
		pds++;
		LIST_INSERT_HEAD(&all, pd, entry);
		pd->v.handle = next_handle++;
		to_context(pd->v.context)->pds++;
		if (pd->domain != pd)
			pd->domain->users++;
		if (pd->td)
			pd->td->users++;
	}
	engine_unlock();
	return err;
}

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct pd *pd = calloc(1, sizeof *pd);

	if (!pd)
		return NULL;
	pd->v.context = context;
	pd->domain = pd;
	if (enter(pd) == 0)
		return &pd->v;
	free(pd);
	return NULL;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr)
{
	const bool allocates = attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	struct pd *pd;

	if (attr->comp_mask & ~(uint32_t)PARENT_KNOWN) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!attr->pd || attr->pd->context != context ||
	    to_pd(attr->pd)->domain != to_pd(attr->pd) ||
	    (attr->td && attr->td->context != context) ||
	    (allocates && (!attr->alloc || !attr->free))) {
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof *pd);
	if (!pd)
		return NULL;
	pd->v.context = context;
	pd->domain = to_pd(attr->pd);
	pd->td = (struct td *)attr->td;
	if (allocates) {
		pd->own.alloc = attr->alloc;
		pd->own.free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->own.pd_context = attr->pd_context;
	if (enter(pd) == 0)
		return &pd->v;
	free(pd);
	return NULL;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *v)
{
	struct pd *pd = to_pd(v);

	engine_lock();
	if (pd->users) {
		engine_unlock();
		return errno = EBUSY;
	}
	pds--;
	LIST_REMOVE(pd, entry);
	to_context(v->context)->pds--;
	if (pd->domain != pd)
		pd->domain->users--;
	if (pd->td)
		pd->td->users--;
	engine_unlock();
	free(pd);
	return 0;
}

static struct ibv_td *alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof *td);
	if (!td)
		return NULL;
	td->v.context = context;
	return &td->v;
}

static int dealloc_td(struct ibv_td *v)
{
	struct td *td = (struct td *)v;
	bool busy;

	engine_lock();
	busy = td->users;
	engine_unlock();
	if (busy)
		return EBUSY;
	free(td);
	return 0;
}

/* ------------------------------------------------------------- memory of queues -- */

/* Before the memory, in a cache line of its own: an allocator may leave some to us. */
struct block {
	struct pd *pd; /* whose allocator it is of, or NULL */
	uint64_t kind;
};

void *queue_alloc(struct pd *pd, size_t size, enum queue_kind kind)
{
	const uint64_t type = kind;
	struct block *b = IBV_ALLOCATOR_USE_DEFAULT;

	size = CACHE_LINE + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	if (pd && pd->own.alloc)
		b = pd->own.alloc(&pd->v, pd->own.pd_context, size, CACHE_LINE, type);
	if (b == IBV_ALLOCATOR_USE_DEFAULT) {
		pd = NULL;
		b = aligned_alloc(CACHE_LINE, size);
	}
	if (!b) {
		errno = ENOMEM;
		return NULL;
	}
	*b = (struct block){ .pd = pd && pd->own.alloc ? pd : NULL, .kind = type };
	return (char *)b + CACHE_LINE;
}

void queue_free(void *memory)
{
	struct block *b = memory ? (struct block *)((char *)memory - CACHE_LINE) : NULL;

	if (b && b->pd)
		b->pd->own.free(&b->pd->v, b->pd->own.pd_context, b, b->kind);
	else
		free(b);
}

void context_ops_pd(struct context *c)
{
	c->v.alloc_td = alloc_td;
	c->v.dealloc_td = dealloc_td;
	c->v.alloc_parent_domain = alloc_parent_domain;
}
