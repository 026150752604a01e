/* SPDX-License-Identifier: MIT */
/*
 * What the public functions hand their calls on to: the definitions that would have been found
 * without this library, be it libibverbs and librdmacm or what was loaded before them. Some make
 * objects with pointers to functions: these are hooked before the program gets them.
 */
#include "public.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "newer.h"
#include "backend.h"
#include "call_record.h"
#include "hooks.h"
#include "recorded.h"

/* The next function of that name, and the one that is put before it. */
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

/* An id gets its device with an address. Where librdmacm opens it, it is hooked already. */
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

/* What the inline functions ibv_query_gid_ex() and ibv_query_gid_table() call: the size of an
 * entry is the program's. */
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

#define ROW(name)                                                                  \
	{                                                                          \
#name, (hook_fn *)between_##name, (hook_fn **)(void *)&next_##name \
	}
static const struct {
	const char *name;
	hook_fn *between;
	hook_fn **next;
} between[] = {
	ROW(ibv_open_device),	ROW(ibv_import_device),	   ROW(rdma_get_devices),
	ROW(rdma_bind_addr),	ROW(rdma_resolve_addr),	   ROW(rdma_get_cm_event),
	ROW(rdma_get_request),	ROW(rdma_create_ep),	   ROW(rdma_create_qp_ex),
	ROW(_ibv_query_gid_ex), ROW(_ibv_query_gid_table),
};

static struct ibv_qp_ex *(*qp_to_qp_ex)(struct ibv_qp *qp);

struct ibv_qp_ex *public_qp_to_qp_ex(struct ibv_qp *qp)
{
	return qp_to_qp_ex(qp);
}

static void put_between(void)
{
	for (const struct backend_symbol *s = backend_symbols; s->name; s++) {
		for (unsigned i = 0; i < sizeof between / sizeof *between; i++)
			if (strcmp(s->name, between[i].name) == 0) {
				memcpy(between[i].next, s->place, sizeof *between[i].next);
				memcpy(s->place, &between[i].between, sizeof between[i].between);
			}
		if (strcmp(s->name, "ibv_qp_to_qp_ex") == 0)
			memcpy(&qp_to_qp_ex, s->place, sizeof qp_to_qp_ex);
	}
}

static void find_next(void)
{
	const char *why;

	if (backend_bind(RTLD_NEXT, &why)) {
		fprintf(stderr, "vtrace: libibverbs and librdmacm: %s\n", why);
		abort();
	}
	put_between();
	__atomic_store_n(&backend_is_open, true, __ATOMIC_RELEASE);
}

void backend_open_default(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_next);
}
