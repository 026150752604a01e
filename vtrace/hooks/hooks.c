/* SPDX-License-Identifier: MIT */
/*
 * Which functions the calls of the program go on to. The public functions go on to the definitions
 * that would have been found without this library, in libibverbs and librdmacm or in a library that
 * was loaded before them. Some of them make objects that contain pointers to functions: these are
 * hooked before the program gets the object.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "call_record.h"
#include "hooks.h"
#include "newer.h"
#include "recorded.h"
#include "shared_area.h"

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
/* ibv_qp_to_qp_ex(), without a note of the call. */
static struct ibv_qp_ex *(*next_qp_to_qp_ex)(struct ibv_qp *qp);

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
	ex = next_qp_to_qp_ex(qp);
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

/* ------------------------------------------------------------------- public functions -- */

/* The next function of that name, and the one that is called instead of it. */
#define BETWEEN(type, name, ...)                 \
	static type (*next_##name)(__VA_ARGS__); \
	static type between_##name(__VA_ARGS__)

BETWEEN(struct ibv_context *, ibv_open_device, struct ibv_device *device)
{
	struct ibv_context *context = next_ibv_open_device(device);

	hook_context(context);
	return context;
}

BETWEEN(struct ibv_context *, ibv_import_device, int cmd_fd)
{
	struct ibv_context *context = next_ibv_import_device(cmd_fd);

	hook_context(context);
	return context;
}

/* An id gets its device with an address. A device that librdmacm itself opens is hooked already. */
BETWEEN(struct ibv_context **, rdma_get_devices, int *num_devices)
{
	struct ibv_context **list = next_rdma_get_devices(num_devices);

	for (struct ibv_context **l = list; l && *l; l++)
		hook_context(*l);
	return list;
}

BETWEEN(int, rdma_bind_addr, struct rdma_cm_id *id, struct sockaddr *addr)
{
	const int rc = next_rdma_bind_addr(id, addr);

	hook_context(id->verbs);
	return rc;
}

BETWEEN(int, rdma_resolve_addr, struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst,
	int timeout_ms)
{
	const int rc = next_rdma_resolve_addr(id, src, dst, timeout_ms);

	hook_context(id->verbs);
	return rc;
}

BETWEEN(int, rdma_get_cm_event, struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	const int rc = next_rdma_get_cm_event(channel, event);

	if (rc == 0 && (*event)->id)
		hook_context((*event)->id->verbs);
	return rc;
}

BETWEEN(int, rdma_get_request, struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
	const int rc = next_rdma_get_request(listen, id);

	if (rc == 0)
		hook_context((*id)->verbs);
	return rc;
}

BETWEEN(int, rdma_create_ep, struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
	struct ibv_qp_init_attr *qp_init_attr)
{
	const int rc = next_rdma_create_ep(id, res, pd, qp_init_attr);

	if (rc == 0)
		hook_context((*id)->verbs);
	return rc;
}

BETWEEN(int, rdma_create_qp_ex, struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	const int rc = next_rdma_create_qp_ex(id, attr);

	if (rc == 0)
		hook_qp(id->qp, attr);
	return rc;
}

/* A call was refused: records what the device and its ports allow, which may tell why. */
static void record_limits(struct ibv_context *context)
{
	const int err = errno;
	struct ibv_device_attr device;
	struct ibv_port_attr port;

	record_aside(SHARED_OWN_DEPTH);
	if (ibv_query_device(context, &device) == 0)
		for (unsigned i = 1; i <= device.phys_port_cnt && i <= SHARED_PORTS; i++)
			ibv_query_port(context, (uint8_t)i, &port);
	record_aside(-SHARED_OWN_DEPTH);
	errno = err;
}

/* A function after whose failure that is done. */
#define LIMITED(type, name, has_failed, context, parameters, arguments) \
	static type(*next_##name) parameters;                           \
	static type between_##name parameters                           \
	{                                                               \
		type result = next_##name arguments;                    \
                                                                        \
		if (has_failed)                                         \
			record_limits(context);                         \
		return result;                                          \
	}
LIMITED(struct ibv_cq *, ibv_create_cq, !result, context,
	(struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
	 int comp_vector),
	(context, cqe, cq_context, channel, comp_vector))
LIMITED(struct ibv_qp *, ibv_create_qp, !result, pd->context,
	(struct ibv_pd * pd, struct ibv_qp_init_attr *attr), (pd, attr))
LIMITED(struct ibv_srq *, ibv_create_srq, !result, pd->context,
	(struct ibv_pd * pd, struct ibv_srq_init_attr *attr), (pd, attr))
LIMITED(int, ibv_modify_qp, result, qp->context,
	(struct ibv_qp * qp, struct ibv_qp_attr *attr, int mask), (qp, attr, mask))
LIMITED(int, ibv_modify_srq, result, srq->context,
	(struct ibv_srq * srq, struct ibv_srq_attr *attr, int mask), (srq, attr, mask))
LIMITED(int, ibv_query_gid, result, context,
	(struct ibv_context * context, uint8_t port_num, int index, union ibv_gid *gid),
	(context, port_num, index, gid))
LIMITED(int, rdma_create_qp, result && id->verbs, id->verbs,
	(struct rdma_cm_id * id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr), (id, pd, attr))

/* The inline functions ibv_query_gid_ex() and ibv_query_gid_table() call these two with the size of
 * an entry that the program was compiled with. */
BETWEEN(int, _ibv_query_gid_ex, struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
	struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	const uint64_t args[] = { (uintptr_t)context, port_num, gid_index, (uintptr_t)entry,
				  flags };
	struct record_call call;
	int rc;

	record_begin(&call, ROW_ibv_query_gid_ex, args);
	rc = next__ibv_query_gid_ex(context, port_num, gid_index, entry, flags, entry_size);
	record_end(&call, (uint64_t)rc);
	return rc;
}

BETWEEN(ssize_t, _ibv_query_gid_table, struct ibv_context *context, struct ibv_gid_entry *entries,
	size_t max_entries, uint32_t flags, size_t entry_size)
{
	const uint64_t args[] = { (uintptr_t)context, (uintptr_t)entries, max_entries, flags };
	struct record_call call;
	ssize_t n;

	record_begin(&call, ROW_ibv_query_gid_table, args);
	n = next__ibv_query_gid_table(context, entries, max_entries, flags, entry_size);
	record_end(&call, (uint64_t)n);
	return n;
}

#define ROW(name)                                                                          \
	{                                                                                  \
#name, (hook_fn *)(void *)between_##name, (hook_fn **)(void *)&next_##name \
	}
static const struct {
	const char *name;
	hook_fn *between;
	hook_fn **next;
} between[] = {
	ROW(ibv_open_device),	ROW(ibv_import_device),	   ROW(rdma_get_devices),
	ROW(rdma_bind_addr),	ROW(rdma_resolve_addr),	   ROW(rdma_get_cm_event),
	ROW(rdma_get_request),	ROW(rdma_create_ep),	   ROW(rdma_create_qp_ex),
	ROW(_ibv_query_gid_ex), ROW(_ibv_query_gid_table), ROW(ibv_modify_qp),
	ROW(ibv_create_qp),	ROW(ibv_create_cq),	   ROW(ibv_query_gid),
	ROW(rdma_create_qp),	ROW(ibv_create_srq),	   ROW(ibv_modify_srq),
};

static void put_functions_between(void)
{
	for (const struct backend_symbol *s = backend_symbols; s->name; s++) {
		for (unsigned i = 0; i < sizeof between / sizeof *between; i++)
			if (strcmp(s->name, between[i].name) == 0) {
				memcpy(between[i].next, s->place, sizeof *between[i].next);
				memcpy(s->place, &between[i].between, sizeof between[i].between);
			}
		if (strcmp(s->name, "ibv_qp_to_qp_ex") == 0)
			memcpy(&next_qp_to_qp_ex, s->place, sizeof next_qp_to_qp_ex);
	}
}

static void bind_next_functions(void)
{
	const char *why;

	if (backend_bind(RTLD_NEXT, &why)) {
		fprintf(stderr, "vtrace: libibverbs and librdmacm: %s\n", why);
		abort();
	}
	put_functions_between();
	__atomic_store_n(&backend_is_open, true, __ATOMIC_RELEASE);
}

void backend_open_default(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, bind_next_functions);
}
