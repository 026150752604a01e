/* SPDX-License-Identifier: MIT */
/* The device, and contexts of it: ibv_get_device_list(3), ibv_open_device(3). Volume 1, 11.2.1.1
 * and 11.2.1.4. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "engine.h"
#include "event.h"
#include "export.h"
#include "gid.h"
#include "mcast.h"
#include "qp.h"
#include "transport.h"
#include "uroce.h"

/* The macro of verbs.h is for those who link the providers statically. */
#undef ibv_get_device_list

struct ibv_device the_device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = UROCE_DEVICE,
	.dev_name = UROCE_UVERBS,
	.dev_path = "/sys/class/infiniband_verbs/" UROCE_UVERBS,
	.ibdev_path = "/sys/class/infiniband/" UROCE_DEVICE,
};

struct contexts contexts = TAILQ_HEAD_INITIALIZER(contexts);

static uint32_t opened;	      /* contexts, ever */
static _Atomic uint64_t guid; /* 0: not chosen yet */

__be64 device_guid(void)
{
	uint64_t now = atomic_load(&guid), mine;
	uint32_t r;

	if (now)
		return htobe64(now);
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (uint32_t)getpid() * 2654435761u ^ (uint32_t)time(NULL);
	mine = 0x0200c0fffe000000 | (r & 0xffffff);
	if (atomic_compare_exchange_strong(&guid, &now, mine))
		now = mine;
	return htobe64(now);
}

void device_forget(void)
{
	struct context *c;

	atomic_store(&guid, 0);
	TAILQ_FOREACH(c, &contexts, open)
		c->orphan = true;
}

EXPORT struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **list = calloc(2, sizeof *list);

	if (num_devices)
		*num_devices = list ? 1 : 0;
	if (list)
		list[0] = &the_device;
	return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* The kernel has no number for it. */
EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	(void)device;
	return -1;
}

EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	(void)device;
	return device_guid();
}

static void addresses_changed(void)
{
	mcast_refresh();
	event_port(IBV_EVENT_GID_CHANGE);
}

static void context_init(struct context *c)
{
	struct ibv_context *v = &c->v.context;

	c->v.sz = sizeof c->v;
	v->device = &the_device;
	v->abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->cmd_fd = -1;
	v->num_comp_vectors = COMP_VECTORS;
	pthread_mutex_init(&v->mutex, NULL);
	TAILQ_INIT(&c->events);
	TAILQ_INIT(&c->taken);
	context_ops_query(c);
	context_ops_cq(c);
	context_ops_qp(c);
	context_ops_srq(c);
	context_ops_mw(c);
	context_ops_mr(c);
	context_ops_dm(c);
	context_ops_pd(c);
	context_ops_xrc(c);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct context *c;
	int err;

	if (device != &the_device) {
		errno = ENODEV;
		return NULL;
	}
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	context_init(c);
	c->v.context.async_fd = event_fd();
	c->v.context.cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC); /* programs dup(2) it */
	if (c->v.context.async_fd < 0 || c->v.context.cmd_fd < 0) {
		err = errno;
		goto undo;
	}
	if (engine_get() != 0) {
		err = errno;
		/* errno alone would leave the user guessing who has the port */
		fprintf(stderr, "uroce: %s\n", engine_reason());
		goto undo;
	}
	engine_lock();
	gid_changed = addresses_changed;
	c->number = opened++;
	TAILQ_INSERT_TAIL(&contexts, c, open);
	engine_unlock();
	return &c->v.context;
undo:
	close_fd(&c->v.context.async_fd);
	close_fd(&c->v.context.cmd_fd);
	free(c);
	errno = err;
	return NULL;
}

static void stop_qp(struct qp *qp, void *c)
{
	if (qp->ctx == c && qp_state(qp) != IBV_QPS_RESET && qp_state(qp) != IBV_QPS_ERR)
		transport_fail(qp, -1);
}

/* As with the kernel this is never refused: what was not destroyed stops working. Its
 * structures, and those of the context that they point to, are the application's leak. */
EXPORT int ibv_close_device(struct ibv_context *context)
{
	struct context *c = to_context(context);
	bool used, orphan = c->orphan;

	engine_lock();
	TAILQ_REMOVE(&contexts, c, open);
	qp_each(stop_qp, c);
	event_forget_all(c);
	used = c->pds || c->cqs || c->channels;
	engine_flush();
	engine_unlock();
	if (!orphan)
		engine_put();
	close_fd(&context->async_fd);
	close_fd(&context->cmd_fd);
	if (!used) {
		pthread_mutex_destroy(&context->mutex);
		free(c);
	}
	return 0;
}

/* Nothing is pinned, so the child's copies of pages are harmless: there is nothing to do. */
EXPORT int ibv_fork_init(void)
{
	return 0;
}

EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

EXPORT int ibv_dontfork_range(void *base, size_t size)
{
	(void)base;
	(void)size;
	return 0;
}

EXPORT int ibv_dofork_range(void *base, size_t size)
{
	(void)base;
	(void)size;
	return 0;
}
