/* SPDX-License-Identifier: MIT */
/* Protection domains: ibv_alloc_pd(3). Volume 1, 10.2.3. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "engine.h"
#include "export.h"

static unsigned pds; /* that there are */
static uint32_t next_handle;

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct pd *pd = calloc(1, sizeof *pd);

	if (!pd)
		return NULL;
	pd->v.context = context;
	engine_lock();
	if (pds >= MAX_PD) {
		engine_unlock();
		free(pd);
		errno = ENOMEM;
		return NULL;
	}
	pds++;
	pd->v.handle = next_handle++;
	to_context(context)->pds++;
	engine_unlock();
	return &pd->v;
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
	to_context(v->context)->pds--;
	engine_unlock();
	free(pd);
	return 0;
}
