/* SPDX-License-Identifier: MIT */
/*
 * Device memory: ibv_alloc_dm(3). The device has none of its own: it is memory of the process
 * that the application reaches by copying, and peers by regions of it (ibv_reg_dm_mr(), mr.c).
 */
#include "dm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "engine.h"

#define ALIGN_MIN 6  /* log2: a cache line */
#define ALIGN_MAX 12 /* a page */
#define WORD	  4  /* cards copy whole words only; who does not keep to it learns it here */

static size_t used; /* bytes, of MAX_DM */
static uint32_t next_handle;

/* 0, or an errno. */
static int check(const struct dm *dm, uint64_t offset, size_t length)
{
	if (!dm_has(dm, offset, length))
		return EFAULT;
	return offset % WORD || length % WORD ? EINVAL : 0;
}

/* The lock is not needed: the bytes are the application's, as those of its own memory are. */
static int copy_to(struct ibv_dm *v, uint64_t offset, const void *host, size_t length)
{
	struct dm *dm = (struct dm *)v;
	int err = check(dm, offset, length);

	if (!err)
		memcpy(dm->bytes + offset, host, length);
	return err;
}

static int copy_from(void *host, struct ibv_dm *v, uint64_t offset, size_t length)
{
	const struct dm *dm = (struct dm *)v;
	int err = check(dm, offset, length);

	if (!err)
		memcpy(host, dm->bytes + offset, length);
	return err;
}

/* 0, or an errno. */
static int take(size_t length, uint32_t *handle)
{
	int err = 0;

	engine_lock();
	if (length > MAX_DM - used) {
		err = ENOMEM;
	} else {
		used += length;
		*handle = next_handle++;
	}
	engine_unlock();
	return err;
}

static void give(size_t length)
{
	engine_lock();
	used -= length;
	engine_unlock();
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	const unsigned log = attr->log_align_req > ALIGN_MIN ? attr->log_align_req : ALIGN_MIN;
	const size_t align = (size_t)1 << (log & 31);
	uint32_t handle;
	struct dm *dm;
	int err = 0;

	if (attr->comp_mask)
		err = EOPNOTSUPP;
	else if (!attr->length || attr->length > MAX_DM || log > ALIGN_MAX)
		err = EINVAL;
	else
		err = take(attr->length, &handle);
	if (err) {
		errno = err;
		return NULL;
	}
	dm = calloc(1, sizeof *dm);
	if (dm)
		dm->bytes = aligned_alloc(align, (attr->length + align - 1) & ~(align - 1));
	if (!dm || !dm->bytes) {
		give(attr->length);
		free(dm);
		errno = ENOMEM;
		return NULL;
	}
	memset(dm->bytes, 0, attr->length); /* nobody else's bytes */
	dm->v = (struct ibv_dm){
		.context = context,
		.memcpy_to_dm = copy_to,
		.memcpy_from_dm = copy_from,
		.handle = handle,
	};
	dm->length = attr->length;
	return &dm->v;
}

static int free_dm(struct ibv_dm *v)
{
	struct dm *dm = (struct dm *)v;
	bool busy;

	engine_lock();
	busy = dm->users;
	if (!busy)
		used -= dm->length;
	engine_unlock();
	if (busy)
		return EBUSY;
	free(dm->bytes);
	free(dm);
	return 0;
}

void context_ops_dm(struct context *c)
{
	c->v.alloc_dm = alloc_dm;
	c->v.free_dm = free_dm;
}
