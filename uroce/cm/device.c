// SPDX-License-Identifier: MIT
/* The context that all ids share, and rdma_get_devices(3). */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "context.h"
#include "engine.h"
#include "export.h"
#include "id.h"

struct ibv_context *cm_device_context;
struct ibv_pd *cm_device_pd;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static int open_now(void)
{
	struct ibv_context *c = ibv_open_device(&the_device);
	struct ibv_pd *pd;

	if (!c)
		return -1;
	pd = ibv_alloc_pd(c);
	if (!pd) {
		int error = errno;

		ibv_close_device(c);
		return fail(error);
	}
	engine_lock();
	cm_device_context = c;
	cm_device_pd = pd;
	engine_unlock();
	return 0;
}

int cm_device_open(void)
{
	int r = 0;

	pthread_mutex_lock(&opening);
	if (!cm_device_context)
		r = open_now();
	pthread_mutex_unlock(&opening);
	return r;
}

EXPORT struct ibv_context **rdma_get_devices(int *n)
{
	struct ibv_context **list;

	if (n)
		*n = 0;
	if (cm_device_open() < 0)
		return NULL;
	list = calloc(2, sizeof(*list));
	if (!list)
		return NULL;
	list[0] = cm_device_context;
	if (n)
		*n = 1;
	return list;
}

EXPORT void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

void cm_device_reset(void)
{
	cm_device_context = NULL;
	cm_device_pd = NULL;
	pthread_mutex_init(&opening, NULL);
}
