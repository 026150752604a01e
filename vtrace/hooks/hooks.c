/* SPDX-License-Identifier: MIT */
/*
 * Which functions the calls of the program go on to. The public functions go on to the definitions
 * that would have been found without this library, in libibverbs and librdmacm or in a library that
 * was loaded before them. Some of them make objects that contain pointers to functions: these are
 * hooked before the program gets the object.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "call_record.h"
#include "failing.h"
#include "freed.h"
#include "hooks.h"
#include "record_rings.h"
#include "recorded.h"
#include "shared_area.h"
#include "sums.h"

#define BUCKETS	    4096
#define MEMBERS_MAX 64

/* The pointers of an object as they were. This stays when the object is destroyed, for the next one
 * at that address. */
struct hooked {
	const void *object;
	struct hooked *older; /* of the same bucket */
	_Atomic(hook_fn *) next[MEMBERS_MAX];
};

static _Atomic(struct hooked *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(struct hooked *) *bucket_of(const void *object)
{
	return &buckets[((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> 52 & (BUCKETS - 1)];
}

static struct hooked *find_hooked(const void *object)
{
	struct hooked *h = atomic_load_explicit(bucket_of(object), memory_order_acquire);

	while (h && h->object != object)
		h = h->older;
	return h;
}

hook_fn *hooked_next(const void *object, unsigned index)
{
	return atomic_load_explicit(&find_hooked(object)->next[index], memory_order_relaxed);
}

hook_fn *hooked_pointer(const void *object, const struct hook *hooks, ptrdiff_t at)
{
	for (unsigned i = 0; hooks[i].hooked; i++)
		if (hooks[i].at == at)
			return find_hooked(object) ? hooked_next(object, i) : NULL;
	return NULL;
}

static struct hooked *find_or_add_hooked(const void *object)
{
	_Atomic(struct hooked *) *first = bucket_of(object);
	struct hooked *h = find_hooked(object);

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
	h = find_or_add_hooked(object);
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

/* The first of the pointers that its library knows: newer ones are placed before older ones. */
static ptrdiff_t first_of(struct ibv_context *context)
{
	const struct verbs_context *v = verbs_get_ctx(context);

	return v ? (ptrdiff_t)sizeof *context - (ptrdiff_t)v->sz : 0;
}

static void hook_context(struct ibv_context *context)
{
	if (context)
		hook_object(context, hooks_of_context, first_of(context), 0);
}

static void hook_qp(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_ex *ex = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
				       ? ibv_qp_to_qp_ex(qp) /* within a call: it is not noted */
				       : NULL;

	if (ex)
		hook_object(ex, hooks_of_qp, 0, attr->send_ops_flags);
}

/* ----------------------------------------------------------------- calls of the program -- */

/* An id gets its device with an address. A device that librdmacm itself opens is hooked already. */
static void hook_argument(const struct call_value *v, uint64_t arg)
{
	const void *const object = v->role == CALL_MADE ? *(void **)(uintptr_t)arg
							: (void *)(uintptr_t)arg;
	const struct rdma_cm_id *id = NULL;

	if (v->object == OBJECT_CM_ID && v->role != CALL_GONE)
		id = object;
	else if (v->object == OBJECT_CM_EVENT && v->role == CALL_MADE)
		id = ((const struct rdma_cm_event *)object)->id;
	if (id)
		hook_context(id->verbs);
}

static void hook_result(enum call_object kind, void *result)
{
	switch (kind) {
	case OBJECT_CONTEXT:
		hook_context(result);
		break;
	case OBJECT_CONTEXT_LIST:
		for (struct ibv_context **l = result; *l; l++)
			hook_context(*l);
		break;
	case OBJECT_CQ_EX:
		hook_object(result, hooks_of_cq, 0, 0);
		break;
	case OBJECT_WQ:
		hook_object(result, hooks_of_wq, 0, 0);
		break;
	default:
		break;
	}
}

/* The QP that the call has made, or NULL. */
static struct ibv_qp *made_qp(const struct call_fn *fn, const uint64_t *args, uint64_t result)
{
	if (fn->result.role == CALL_MADE && fn->result.object == OBJECT_QP)
		return (void *)(uintptr_t)result;
	if (fn == &call_table[ROW_rdma_create_qp] || fn == &call_table[ROW_rdma_create_qp_ex])
		return ((const struct rdma_cm_id *)(uintptr_t)args[0])->qp;
	if (fn == &call_table[ROW_rdma_create_ep])
		return (*(struct rdma_cm_id *const *)(uintptr_t)args[0])->qp;
	return NULL;
}

/* Hooks what the call has made before the program gets it. Which objects there are is learned by
 * the reader of the record only. */
void record_own_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			      uint64_t begin, uint64_t end)
{
	(void)begin, (void)end;
	for (unsigned i = 0; fn->args[i].name; i++)
		if (fn->args[i].kind == CALL_OBJECT && args[i])
			hook_argument(&fn->args[i], args[i]);
	if (fn->result.role == CALL_MADE)
		hook_result(fn->result.object, (void *)(uintptr_t)result);
	if (sums_are_kept)
		sums_learn(fn, args, made_qp(fn, args, result));
	if (failing_is_on)
		failing_learn(fn, args, made_qp(fn, args, result));
	if (freed_is_noted)
		freed_learn(fn, args, result);
	if (fn == &call_table[ROW_ibv_create_qp_ex])
		hook_qp((void *)(uintptr_t)result, (const void *)(uintptr_t)args[1]);
	if (fn == &call_table[ROW_rdma_create_qp_ex])
		hook_qp(((const struct rdma_cm_id *)(uintptr_t)args[0])->qp,
			(const void *)(uintptr_t)args[1]);
}

static struct ibv_context *context_of(enum call_object kind, uint64_t object)
{
	switch (kind) {
	case OBJECT_PD:
		return ((const struct ibv_pd *)(uintptr_t)object)->context;
	case OBJECT_QP:
		return ((const struct ibv_qp *)(uintptr_t)object)->context;
	case OBJECT_SRQ:
		return ((const struct ibv_srq *)(uintptr_t)object)->context;
	case OBJECT_CM_ID:
		return ((const struct rdma_cm_id *)(uintptr_t)object)->verbs;
	default:
		return (struct ibv_context *)(uintptr_t)object;
	}
}

/* The path of a call that was refused; NULL: it has none. */
static const struct ibv_ah_attr *refused_path(const struct call_fn *fn, const uint64_t *args)
{
	if (fn == &call_table[ROW_ibv_create_ah])
		return (const void *)(uintptr_t)args[1];
	if (fn == &call_table[ROW_ibv_modify_qp] && args[2] & IBV_QP_AV)
		return &((const struct ibv_qp_attr *)(uintptr_t)args[1])->ah_attr;
	return NULL;
}

/* Records what the device and its ports allow, and the GID that the path begins with, which may
 * tell why the call was refused. */
void record_refused(const struct call_fn *fn, const uint64_t *args)
{
	static const enum call_row limited[] = {
		ROW_ibv_create_cq,  ROW_ibv_create_qp, ROW_ibv_create_srq, ROW_ibv_modify_qp,
		ROW_ibv_modify_srq, ROW_ibv_query_gid, ROW_rdma_create_qp, ROW_ibv_create_ah,
		ROW_rdma_connect,   ROW_rdma_accept,   ROW_ibv_query_port, ROW_ibv_query_pkey,
	};
	const struct ibv_ah_attr *path = refused_path(fn, args);
	struct ibv_context *context = NULL;
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;

	for (unsigned i = 0; i < sizeof limited / sizeof *limited; i++)
		if (fn == &call_table[limited[i]] && args[0]) /* NULL may be why it was refused */
			context = context_of(fn->args[0].object, args[0]);
	if (!context)
		return;
	record_aside(SHARED_OWN_DEPTH);
	if (ibv_query_device(context, &device) == 0)
		for (unsigned i = 1; i <= device.phys_port_cnt && i <= SHARED_PORTS; i++)
			ibv_query_port(context, (uint8_t)i, &port);
	if (path && path->is_global)
		ibv_query_gid(context, path->port_num, path->grh.sgid_index, &gid);
	record_aside(-SHARED_OWN_DEPTH);
}

/* ------------------------------------------------------------------- public functions -- */

static void bind_next_functions(void)
{
	const char *why;

	if (backend_bind(RTLD_NEXT, &why)) {
		fprintf(stderr, "vtrace: libibverbs and librdmacm: %s\n", why);
		abort();
	}
	__atomic_store_n(&backend_is_open, true, __ATOMIC_RELEASE);
}

void backend_open_default(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, bind_next_functions);
}
