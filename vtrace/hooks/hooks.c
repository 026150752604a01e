/* SPDX-License-Identifier: MIT */
#include "hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "public.h"

#define BUCKETS	    4096
#define MEMBERS_MAX 64

/* Of an object. It stays when that is gone: the next one at its address takes it over. */
struct hooked {
	const void *object;
	struct hooked *older; /* of the same bucket */
	_Atomic(hook_fn *) next[MEMBERS_MAX];
};

static _Atomic(struct hooked *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(struct hooked *) *bucket(const void *object)
{
	return &buckets[((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> 52 & (BUCKETS - 1)];
}

static struct hooked *find(const void *object)
{
	struct hooked *h = atomic_load_explicit(bucket(object), memory_order_acquire);

	while (h && h->object != object)
		h = h->older;
	return h;
}

hook_fn *hooked_next(const void *object, unsigned index)
{
	return atomic_load_explicit(&find(object)->next[index], memory_order_relaxed);
}

static struct hooked *find_or_add(const void *object)
{
	_Atomic(struct hooked *) *first = bucket(object);
	struct hooked *h = find(object);

	if (h)
		return h;
	h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->object = object;
	h->older = atomic_load_explicit(first, memory_order_relaxed);
	atomic_store_explicit(first, h, memory_order_release);
	return h;
}

static void hook_object(void *object, const struct hook *hooks, ptrdiff_t first, uint64_t asked)
{
	struct hooked *h;

	pthread_mutex_lock(&lock);
	h = find_or_add(object);
	for (unsigned i = 0; h && hooks[i].hooked; i++) {
		_Atomic(hook_fn *) *at = (void *)((char *)object + hooks[i].at);
		hook_fn *was;

		if (hooks[i].at < first || (hooks[i].asked && !(hooks[i].asked & asked)))
			continue;
		was = atomic_load_explicit(at, memory_order_relaxed);
		if (!was || was == hooks[i].hooked)
			continue;
		atomic_store_explicit(&h->next[i], was, memory_order_relaxed);
		atomic_store_explicit(at, hooks[i].hooked, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
}

/* The first of the pointers that its library knows: newer ones stand further in front. */
static ptrdiff_t first_of(struct ibv_context *context)
{
	const struct verbs_context *v = verbs_get_ctx(context);

	return v ? (ptrdiff_t)sizeof *context - (ptrdiff_t)v->sz : 0;
}

void hook_context(struct ibv_context *context)
{
	if (context)
		hook_object(context, hooks_of_context, first_of(context), 0);
}

void hook_qp(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_ex *ex;

	if (!qp || !(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return;
	ex = public_qp_to_qp_ex(qp);
	if (ex)
		hook_object(ex, hooks_of_qp, 0, attr->send_ops_flags);
}

void hook_cq(struct ibv_cq_ex *cq)
{
	if (cq)
		hook_object(cq, hooks_of_cq, 0, 0);
}

void hook_wq(struct ibv_wq *wq)
{
	if (wq)
		hook_object(wq, hooks_of_wq, 0, 0);
}
