/* SPDX-License-Identifier: MIT */
/*
 * Memory regions: ibv_reg_mr(3), ibv_rereg_mr(3), ibv_advise_mr(3), ibv_alloc_dm(3). 10.6.
 *
 * The rules are the kernel's (ib_check_mr_access() and ib_umem_get()), but nothing is pinned:
 * memory is looked at once, when it is registered, and RLIMIT_MEMLOCK does not matter. With
 * IBV_ACCESS_ON_DEMAND it is not looked at, and may come and go; it may be all that there is
 * (ibv_reg_mr(pd, NULL, SIZE_MAX, ...)).
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "context.h"
#include "profile.h"
#include "export.h"
#include "region.h"
#include "transport.h"
#include "spec_tables.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define CHANGES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define SUPPORTED                                                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | CHANGES | IBV_ACCESS_MW_BIND | \
	 IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | FLUSH_ACCESS_GLOBAL)

/* -------------------------------------------------- is the memory there? -- */

/* MADV_POPULATE_WRITE faults pages in as if they were written to, without changing them. Where it
 * is unknown, before Linux 5.14, missing memory is found when it is used: EINVAL even of no pages.
 */
static bool memory_is_mapped(const void *addr, size_t length, bool write)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)addr & ~(page - 1);
	const uintptr_t to = ((uintptr_t)addr + length + page - 1) & ~(page - 1);
	int n;

	if (to <= from)
		return false;
	do
		n = madvise((void *)from, to - from,
			    write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	while (n != 0 && (errno == EINTR || errno == EAGAIN));
	return n == 0 || (errno == EINVAL && madvise(NULL, 0, MADV_POPULATE_READ) != 0);
}

/* --------------------------------------------------------------- regions -- */

static unsigned mr_count;
static uint32_t next_handle;

/* 0, or an errno */
static int check_access(unsigned access)
{
	access &= ~(unsigned)IBV_ACCESS_OPTIONAL_RANGE;
	if (access & IBV_ACCESS_ON_DEMAND) /* the size of the pages does not matter */
		access &= ~(unsigned)IBV_ACCESS_HUGETLB;
	else if (access & IBV_ACCESS_HUGETLB)
		return EOPNOTSUPP;
	if ((access & CHANGES) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (access &
	    FLUSH_ACCESS_PERSISTENT) /* as for memory of the kernel's devices that does not last */
		return EOPNOTSUPP;
	return access & ~(unsigned)SUPPORTED ? EINVAL : 0;
}

/* 0, or an errno. Touches every page: without the lock. */
static int check_range(const void *addr, size_t length, uint64_t iova, unsigned access)
{
	const unsigned writes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | CHANGES;

	if (!length || (uintptr_t)addr + length < (uintptr_t)addr || iova + length < iova)
		return EINVAL;
	if (access & IBV_ACCESS_ON_DEMAND)
		return 0;
	return memory_is_mapped(addr, length, access & writes) ? 0 : EFAULT;
}

static void set_range(struct mr *mr, void *addr, size_t length, uint64_t iova)
{
	mr->v.addr = addr;
	mr->v.length = length;
	mr->host = addr;
	mr->len = length;
	mr->iova = iova;
}

static size_t all_locked; /* bytes of all regions whose pages cards pin */
static bool has_locked;	  /* ever: then it is too late for ibv_fork_init(3) */

/* The bytes of a region that cards pin. */
static size_t bytes_to_lock(const struct mr *mr, unsigned access, size_t len)
{
	return mr->dm || access & IBV_ACCESS_ON_DEMAND ? 0 : len;
}

/* May the process lock so much more? Of those that may not lock what they like: getrlimit(2). */
static bool may_lock(size_t n)
{
	struct rlimit most;

	return !n || !profile_lacks(CAP_IPC_LOCK) || getrlimit(RLIMIT_MEMLOCK, &most) != 0 ||
	       (all_locked <= most.rlim_cur && n <= most.rlim_cur - all_locked);
}

/* 0, or an errno */
static int enter_mr(struct mr *mr)
{
	const size_t n = bytes_to_lock(mr, mr->access, mr->len);

	SCOPED_ENGINE_LOCK();
	if (context_failed(mr->v.context))
		return EIO;
	if (profile_is_strict && !may_lock(n))
		return ENOMEM;
	mr->locked = n;
	if (mr_count >= MAX_MR || region_add_mr(mr) != 0)
		return ENOMEM;
	mr_count++;
	all_locked += n;
	has_locked |= n != 0;
	mr->pd->users++;
	if (mr->dm)
		mr->dm->users++;
	mr->v.handle = next_handle++;
	return 0;
}

/* Registers memory that was checked, of the application or of dm. */
static struct ibv_mr *make_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			      unsigned access, struct dm *dm)
{
	struct mr *mr;
	int err;

	mr = calloc(1, sizeof *mr);
	if (!mr)
		return NULL;
	mr->v.context = pd->context;
	mr->v.pd = pd;
	mr->pd = to_pd(pd);
	mr->access = access;
	mr->dm = dm;
	set_range(mr, addr, length, access & IBV_ACCESS_ZERO_BASED ? 0 : iova);
	err = enter_mr(mr);
	if (err) {
		free(mr);
		return fail_null(err);
	}
	mr->v.lkey = mr->lkey;
	mr->v.rkey = mr->rkey;
	return &mr->v;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			     unsigned access)
{
	int err = check_access(access);

	if (!err)
		err = check_range(addr, length, iova, access);
	if (!err)
		return make_mr(pd, addr, length, iova, access, NULL);
	return fail_null(err);
}

/* Addresses begin with 0, as with the kernel, since nobody knows where the memory is. */
static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *v, uint64_t offset, size_t length,
				unsigned access)
{
	struct dm *dm = (struct dm *)v;
	struct ibv_mr *mr = NULL;
	int err = check_access(access);

	if (!err && (!(access & IBV_ACCESS_ZERO_BASED) || access & IBV_ACCESS_ON_DEMAND ||
		     !dm_has(dm, offset, length)))
		err = EINVAL;
	if (err)
		errno = err;
	else
		mr = make_mr(pd, dm->bytes + offset, length, 0, access, dm);
	if (mr)
		mr->addr = NULL;
	return mr;
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return reg_mr(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				       unsigned access)
{
	const uint64_t in_page = 4095;

	/* as with the kernel, whose devices know memory by pages */
	if ((iova & in_page) != ((uintptr_t)addr & in_page))
		return fail_null(EINVAL);
	return reg_mr(pd, addr, length, iova, access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				      int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

/* Sets what is to be changed; the rest stays as it was. 0, or an errno. */
static int change_mr(struct mr *mr, int flags, struct pd *pd, void *addr, size_t length,
		     unsigned access)
{
	const size_t n = bytes_to_lock(mr, access,
				       flags & IBV_REREG_MR_CHANGE_TRANSLATION ? length : mr->len);
	int err = 0;

	engine_lock();
	transport_settle_all();
	if (context_failed(mr->v.context))
		err = EIO;
	else if (mr->windows)
		err = EBUSY;
	else if (profile_is_strict && n > mr->locked && !may_lock(n - mr->locked))
		err = ENOMEM;
	if (!err && mr->dm && flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		err = EOPNOTSUPP;
	if (!err) {
		all_locked += n - mr->locked;
		mr->locked = n;
	}
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
		err = change_mr(mr, flags, (struct pd *)pd, addr, length, now);
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
	all_locked -= mr->locked;
	mr->pd->users--;
	if (mr->dm)
		mr->dm->users--;
	mr_count--;
	engine_unlock();
	free(mr);
	return 0;
}

/* Nothing is pinned, so the child's copies of pages are harmless: there is nothing to do. To cards
 * it may be too late. */
EXPORT int ibv_fork_init(void)
{
	SCOPED_ENGINE_LOCK();
	return profile_is_strict && has_locked ? EINVAL : 0;
}

/* -- advice: ibv_advise_mr(3) -- */

/* Checks an SGE of an advice: 0, or an errno. */
static int find_advised(struct pd *pd, const struct ibv_sge *sge, bool write, void **addr)
{
	const struct mr *mr;

	SCOPED_ENGINE_LOCK();
	mr = region_find(sge->lkey);
	if (!mr)
		return ENOENT;
	if (!same_domain(mr->pd, pd) || (write && !(mr->access & IBV_ACCESS_LOCAL_WRITE)))
		return EPERM;
	if (!(mr->access & IBV_ACCESS_ON_DEMAND))
		return EINVAL;
	if (sge->addr < mr->iova || sge->addr - mr->iova > mr->len ||
	    sge->length > mr->len - (sge->addr - mr->iova))
		return EFAULT;
	*addr = (void *)((uintptr_t)mr->host + (sge->addr - mr->iova));
	return 0;
}

/* Brings the pages in at once, with IBV_ADVISE_MR_FLAG_FLUSH or without it. Only with it is missing
 * memory an error. */
static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		     struct ibv_sge *sg_list, uint32_t num_sge)
{
	const bool write = advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	int err = 0;

	if (advice != IBV_ADVISE_MR_ADVICE_PREFETCH && !write &&
	    advice != IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return ENOTSUP;
	if (flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH || !num_sge || !sg_list)
		return EINVAL;
	for (uint32_t i = 0; i < num_sge && !err; i++) {
		void *addr;

		err = find_advised(to_pd(pd), &sg_list[i], write, &addr);
		if (err || advice == IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT || !sg_list[i].length)
			continue; /* what is there already is all that is wanted */
		if (!memory_is_mapped(addr, sg_list[i].length, write) &&
		    flags & IBV_ADVISE_MR_FLAG_FLUSH)
			err = EFAULT;
	}
	return err;
}

/* --------------------------------------------------------- device memory -- */

/*
 * Device memory: ibv_alloc_dm(3). The device has none of its own: it is memory of the process
 * that the application reaches by copying, and peers by regions of it (ibv_reg_dm_mr()).
 */

#define ALIGN_MIN 6  /* log2: a cache line */
#define ALIGN_MAX 12 /* a page */
#define WORD	  4  /* cards copy whole words only, so nothing else is allowed here */

static size_t dm_used; /* bytes, of MAX_DM */
static uint32_t next_dm_handle;

/* 0, or an errno. */
static int check_copy(const struct dm *dm, uint64_t offset, size_t length)
{
	if (!dm_has(dm, offset, length))
		return EFAULT;
	return offset % WORD || length % WORD ? EINVAL : 0;
}

/* Takes no lock: like any memory of the application, these bytes are its own business. */
static int copy_to(struct ibv_dm *v, uint64_t offset, const void *host, size_t length)
{
	struct dm *dm = (struct dm *)v;
	int err = check_copy(dm, offset, length);

	if (!err)
		memcpy(dm->bytes + offset, host, length);
	return err;
}

static int copy_from(void *host, struct ibv_dm *v, uint64_t offset, size_t length)
{
	const struct dm *dm = (struct dm *)v;
	int err = check_copy(dm, offset, length);

	if (!err)
		memcpy(host, dm->bytes + offset, length);
	return err;
}

/* 0, or an errno. */
static int enter_dm(struct dm *dm)
{
	SCOPED_ENGINE_LOCK();
	if (context_failed(dm->v.context))
		return EIO;
	if (dm->length > MAX_DM - dm_used)
		return ENOMEM;
	dm_used += dm->length;
	to_context(dm->v.context)->objects++;
	dm->v.handle = next_dm_handle++;
	return 0;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	const unsigned log = attr->log_align_req > ALIGN_MIN ? attr->log_align_req : ALIGN_MIN;
	const size_t align = (size_t)1 << (log & 31);
	struct dm *dm;
	int err;

	if (attr->comp_mask)
		return fail_null(EOPNOTSUPP);
	if (!attr->length || attr->length > MAX_DM || log > ALIGN_MAX)
		return fail_null(EINVAL);
	dm = calloc(1, sizeof *dm);
	if (!dm)
		return NULL;
	dm->v.context = context;
	dm->v.memcpy_to_dm = copy_to;
	dm->v.memcpy_from_dm = copy_from;
	dm->length = attr->length;
	dm->bytes = aligned_alloc(align, (attr->length + align - 1) & ~(align - 1));
	err = dm->bytes ? enter_dm(dm) : ENOMEM;
	if (err) {
		free(dm->bytes);
		free(dm);
		return fail_null(err);
	}
	memset(dm->bytes, 0, attr->length); /* nobody else's bytes */
	return &dm->v;
}

static int free_dm(struct ibv_dm *v)
{
	struct dm *dm = (struct dm *)v;

	SCOPED_ENGINE_LOCK();
	if (dm->users)
		return EBUSY;
	dm_used -= dm->length;
	to_context(v->context)->objects--;
	free(dm->bytes);
	free(dm);
	return 0;
}

void context_ops_mr(struct context *c)
{
	c->v.reg_dm_mr = reg_dm_mr;
	c->v.advise_mr = advise_mr;
	c->v.alloc_dm = alloc_dm;
	c->v.free_dm = free_dm;
}
