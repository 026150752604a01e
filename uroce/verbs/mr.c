/* SPDX-License-Identifier: MIT */
/*
 * Memory regions: ibv_reg_mr(3), ibv_rereg_mr(3). 10.6.
 *
 * The rules are the kernel's (ib_check_mr_access() and ib_umem_get()), but nothing is pinned:
 * memory is looked at once, when it is registered, and RLIMIT_MEMLOCK does not matter.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine.h"
#include "export.h"
#include "mapped.h"
#include "region.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define CHANGES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define SUPPORTED                                                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | CHANGES | IBV_ACCESS_MW_BIND | \
	 IBV_ACCESS_ZERO_BASED)
/* Defined, but not by this device: on demand paging, huge pages of it, FLUSH. */
#define ELSEWHERE (IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB | 1 << 8 | 1 << 9)

static unsigned mrs; /* that there are */
static uint32_t next_handle;

/* 0, or an errno */
static int check_access(unsigned access)
{
	access &= ~(unsigned)IBV_ACCESS_OPTIONAL_RANGE;
	if ((access & CHANGES) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (access & ~(unsigned)(SUPPORTED | ELSEWHERE))
		return EINVAL;
	return access & ELSEWHERE ? EOPNOTSUPP : 0;
}

/* 0, or an errno. Touches every page: without the lock. */
static int check_range(const void *addr, size_t length, uint64_t iova, unsigned access)
{
	const unsigned writes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | CHANGES;

	if (!length || (uintptr_t)addr + length < (uintptr_t)addr || iova + length < iova)
		return EINVAL;
	return mapped(addr, length, access & writes) ? 0 : EFAULT;
}

static void set_range(struct mr *mr, void *addr, size_t length, uint64_t iova)
{
	mr->v.addr = addr;
	mr->v.length = length;
	mr->host = addr;
	mr->len = length;
	mr->iova = iova;
}

/* 0, or an errno */
static int enter(struct mr *mr)
{
	int err = ENOMEM;

	engine_lock();
	if (mrs < MAX_MR && region_add_mr(mr) == 0) {
		mrs++;
		mr->pd->users++;
		mr->v.handle = next_handle++;
		err = 0;
	}
	engine_unlock();
	return err;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			     unsigned access)
{
	int err = check_access(access);
	struct mr *mr;

	if (!err)
		err = check_range(addr, length, iova, access);
	if (err) {
		errno = err;
		return NULL;
	}
	mr = calloc(1, sizeof *mr);
	if (!mr)
		return NULL;
	mr->v.context = pd->context;
	mr->v.pd = pd;
	mr->pd = to_pd(pd);
	mr->access = access;
	set_range(mr, addr, length, access & IBV_ACCESS_ZERO_BASED ? 0 : iova);
	err = enter(mr);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	mr->v.lkey = mr->lkey;
	mr->v.rkey = mr->rkey;
	return &mr->v;
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return reg_mr(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				       unsigned access)
{
	const uint64_t in_page = 4095;

	/* as the kernel, for which pages are pages */
	if ((iova & in_page) != ((uintptr_t)addr & in_page)) {
		errno = EINVAL;
		return NULL;
	}
	return reg_mr(pd, addr, length, iova, access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				      int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

/* What to change; the rest is as it was. 0, or an errno. */
static int rereg(struct mr *mr, int flags, struct pd *pd, void *addr, size_t length,
		 unsigned access)
{
	int err = 0;

	engine_lock();
	if (mr->windows)
		err = EBUSY;
	if (!err && (flags & IBV_REREG_MR_CHANGE_PD)) {
		mr->pd->users--;
		pd->users++;
		mr->pd = pd;
		mr->v.pd = &pd->v;
	}
	if (!err && (flags & IBV_REREG_MR_CHANGE_ACCESS))
		mr->access = access;
	if (!err && (flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		set_range(mr, addr, length,
			  mr->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr);
	engine_unlock();
	return err;
}

/* On failure the region is as it was; the keys stay. */
EXPORT int ibv_rereg_mr(struct ibv_mr *v, int flags, struct ibv_pd *pd, void *addr, size_t length,
			int access)
{
	struct mr *mr = (struct mr *)v;
	const bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	const bool grants = flags & IBV_REREG_MR_CHANGE_ACCESS;
	unsigned now = grants ? (unsigned)access : mr->access;
	int err = 0;

	if ((flags & ~IBV_REREG_MR_FLAGS_SUPPORTED) || (moves && (!addr || !length)) ||
	    (access && !grants) || ((flags & IBV_REREG_MR_CHANGE_PD) && !pd)) {
		errno = EINVAL;
		return IBV_REREG_MR_ERR_INPUT;
	}
	err = check_access(now);
	if (!err && (moves || grants))
		err = check_range(moves ? addr : mr->host, moves ? length : mr->len,
				  moves ? (uintptr_t)addr : mr->iova, now);
	if (!err)
		err = rereg(mr, flags, (struct pd *)pd, addr, length, now);
	if (err) {
		errno = err;
		return IBV_REREG_MR_ERR_CMD;
	}
	return 0;
}

/* C10-76: not while windows are bound to it. */
EXPORT int ibv_dereg_mr(struct ibv_mr *v)
{
	struct mr *mr = (struct mr *)v;

	engine_lock();
	if (mr->windows) {
		engine_unlock();
		return errno = EBUSY;
	}
	region_remove_mr(mr);
	mr->pd->users--;
	mrs--;
	engine_unlock();
	free(mr);
	return 0;
}
