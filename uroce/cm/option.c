// SPDX-License-Identifier: MIT
/* rdma_set_option(3) */
#include <errno.h>
#include <string.h>

#include "engine.h"
#include "export.h"
#include "id.h"
#include "listen.h"

#define ACK_TIMEOUT_MAX 31

static int set_tos(struct cm_id *id, unsigned v)
{
	id->tos = (uint8_t)v;
	return 0;
}

/* Before it is bound, or to take it back. */
static int set_reuse(struct cm_id *id, unsigned v)
{
	if (id->state == ID_LISTEN || (id->state != ID_IDLE && !v))
		return fail(EINVAL);
	id->reuse = v != 0;
	if (id->port)
		id->port->reuse = id->reuse;
	return 0;
}

static int set_afonly(struct cm_id *id, unsigned v)
{
	if (id->state != ID_IDLE)
		return fail(EINVAL);
	id->afonly = v != 0;
	return 0;
}

static int set_ack_timeout(struct cm_id *id, unsigned v)
{
	if (id->v.qp_type != IBV_QPT_RC || v > ACK_TIMEOUT_MAX)
		return fail(EINVAL);
	id->ack_timeout = (uint8_t)v;
	id->has_ack_timeout = true;
	return 0;
}

static const struct option {
	size_t size;
	int (*set)(struct cm_id *id, unsigned v);
} options[] = {
	[RDMA_OPTION_ID_TOS] = { sizeof(uint8_t), set_tos },
	[RDMA_OPTION_ID_REUSEADDR] = { sizeof(int), set_reuse },
	[RDMA_OPTION_ID_AFONLY] = { sizeof(int), set_afonly },
	[RDMA_OPTION_ID_ACK_TIMEOUT] = { sizeof(uint8_t), set_ack_timeout },
};

EXPORT int rdma_set_option(struct rdma_cm_id *v, int level, int name, void *value, size_t size)
{
	unsigned number;
	int r;

	if (level != RDMA_OPTION_ID || name < 0 ||
	    (size_t)name >= sizeof(options) / sizeof(options[0]))
		return fail(ENOSYS);
	if (size != options[name].size || !value)
		return fail(EINVAL);
	if (size == sizeof(uint8_t)) {
		number = *(uint8_t *)value;
	} else {
		int n;

		memcpy(&n, value, sizeof(n));
		number = (unsigned)n;
	}
	engine_lock();
	r = options[name].set(to_cm_id(v), number);
	engine_unlock();
	return r;
}
