/* SPDX-License-Identifier: MIT */
/* ibv_reg_mr() and its kind: what is accepted, and what the kernel would refuse. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "spec_tables.h"
#include "checks.h"
#include "engine.h"
#include "queue_pair.h"
#include "region.h"

#define RW (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static struct ibv_context *context;
static struct ibv_pd *pd;
static long page;

/* errno, or 0 */
static int try(void *addr, size_t length, unsigned access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, addr, length, access);

	if (!mr)
		return errno;
	CHECK_INT(ibv_dereg_mr(mr), 0);
	return 0;
}

static void access_flags(void)
{
	static const struct {
		unsigned access;
		int err;
	} rules[] = {
		{ 0, 0 },
		{ IBV_ACCESS_REMOTE_READ, 0 },
		{ RW | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND, 0 },
		{ IBV_ACCESS_REMOTE_WRITE, EINVAL },
		{ IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_REMOTE_READ, EINVAL },
		{ RW | IBV_ACCESS_RELAXED_ORDERING, 0 },
		{ RW | 1 << 29, 0 }, /* optional, and unknown */
		{ RW | 1 << 12, EINVAL },
		{ RW | IBV_ACCESS_ON_DEMAND, 0 },
		{ RW | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB, 0 },
		{ RW | IBV_ACCESS_HUGETLB, EOPNOTSUPP },
		{ FLUSH_ACCESS_GLOBAL, 0 },
		{ RW | FLUSH_ACCESS_PERSISTENT, EOPNOTSUPP },
	};
	char buf[64];

	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		CHECK_INT(try(buf, sizeof buf, rules[i].access), rules[i].err);
}

static void memory(void)
{
	char *p = mmap(NULL, (size_t)page * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *file = mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE, fd, 0);

	CHECK(p != MAP_FAILED && file != MAP_FAILED);
	close(fd);
	p[0] = 'a';
	CHECK_INT(try(p, (size_t)page * 4, RW), 0);
	CHECK_INT(p[0], 'a');
	CHECK_INT(try(file, 1, 0), 0);
	CHECK_INT(try(file, 1, IBV_ACCESS_LOCAL_WRITE), EFAULT);
	CHECK_INT(try(file, 1, IBV_ACCESS_MW_BIND), EFAULT);

	mprotect(p + page, (size_t)page, PROT_READ);
	CHECK_INT(try(p, (size_t)page * 4, IBV_ACCESS_REMOTE_READ), 0);
	CHECK_INT(try(p, (size_t)page * 4, RW), EFAULT);
	CHECK_INT(try(p, (size_t)page, RW), 0);
	CHECK_INT(try(p, (size_t)page + 1, RW), EFAULT);
	mprotect(p + page, (size_t)page, PROT_NONE);
	CHECK_INT(try(p, (size_t)page * 4, 0), EFAULT);
	munmap(p + page * 3, (size_t)page);
	CHECK_INT(try(p + page * 2, (size_t)page, RW), 0);
	CHECK_INT(try(p + page * 2, (size_t)page + 1, 0), EFAULT);
	CHECK_INT(try(NULL, 16, 0), EFAULT);

	CHECK_INT(try(p, 0, RW), EINVAL);
	CHECK_INT(try(p, SIZE_MAX, RW), EINVAL);
	CHECK_INT(try(p, SIZE_MAX - (uintptr_t)p, 0), EFAULT);
	munmap(p, (size_t)page * 3);
	munmap(file, (size_t)page);
}

/* Memory that is not pinned is not limited. */
static void no_limit(void)
{
	const struct rlimit none = { 0, 0 };
	const size_t size = 32 << 20;
	char *p = malloc(size);

	CHECK_INT(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	CHECK_INT(try(p, size, RW), 0);
	free(p);
}

static void addresses(void)
{
	struct qp qp = { .pd = to_pd(pd) };
	char *p = aligned_alloc((size_t)page, (size_t)page);
	struct ibv_mr *mr;

	mr = ibv_reg_mr_iova(pd, p + 8, 100, 0x10008, RW);
	CHECK(mr);
	CHECK(mr->addr == p + 8 && mr->length == 100 && mr->pd == pd && mr->context == context);
	engine_lock();
	CHECK(region_remote(&qp, mr->rkey, 0x10009, 99, IBV_ACCESS_REMOTE_WRITE) == p + 9);
	CHECK(!region_remote(&qp, mr->rkey, (uintptr_t)p + 8, 1, IBV_ACCESS_REMOTE_WRITE));
	engine_unlock();
	CHECK_INT(ibv_dereg_mr(mr), 0);

	CHECK(!ibv_reg_mr_iova(pd, p + 8, 100, 0x10000, RW) && errno == EINVAL);
	mr = ibv_reg_mr_iova(pd, p, 4095, UINT64_MAX - 4095, RW);
	CHECK(mr);
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK(!ibv_reg_mr_iova(pd, p, 4096, UINT64_MAX - 4095, RW) && errno == EINVAL);

	mr = ibv_reg_mr(pd, p, 100, RW | IBV_ACCESS_ZERO_BASED);
	CHECK(mr);
	engine_lock();
	CHECK(region_remote(&qp, mr->rkey, 0, 100, IBV_ACCESS_REMOTE_WRITE) == p);
	CHECK(!region_remote(&qp, mr->rkey, (uintptr_t)p, 1, IBV_ACCESS_REMOTE_WRITE));
	engine_unlock();
	CHECK_INT(ibv_dereg_mr(mr), 0);
	free(p);
}

/* Memory that is not there yet, and all that there is: ibv_reg_mr(3), ibv_advise_mr(3). */
static void on_demand(void)
{
	struct qp qp = { .pd = to_pd(pd) };
	char *p = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	struct ibv_pd *other = ibv_alloc_pd(context);
	struct ibv_mr *mr, *all, *plain, *reads;
	struct ibv_sge sge = { .addr = (uintptr_t)p, .length = (uint32_t)page * 2 };
	unsigned char there[2];

	plain = ibv_reg_mr(pd, &qp, sizeof qp, RW);
	mr = ibv_reg_mr(pd, p, (size_t)page * 2, RW | IBV_ACCESS_ON_DEMAND);
	reads = ibv_reg_mr(pd, p, (size_t)page * 2, IBV_ACCESS_ON_DEMAND);
	all = ibv_reg_mr(pd, NULL, SIZE_MAX, RW | IBV_ACCESS_ON_DEMAND);
	CHECK(plain && mr && reads && all);
	CHECK_INT(mincore(p, (size_t)page * 2, there), 0);
	CHECK(!(there[0] & 1) && !(there[1] & 1)); /* not touched */
	engine_lock();
	CHECK(region_local(qp.pd, all->lkey, (uintptr_t)&qp, sizeof qp, IBV_ACCESS_LOCAL_WRITE) ==
	      &qp);
	engine_unlock();

	sge.lkey = mr->lkey;
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, 0, &sge, 1), 0);
	CHECK(mincore(p, (size_t)page * 2, there) == 0 && !(there[0] & 1));
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH,
				&sge, 1),
		  0);
	CHECK(mincore(p, (size_t)page * 2, there) == 0 && there[0] & there[1] & 1);
	munmap(p + page, (size_t)page);
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), 0);
	CHECK_INT(
		ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
		EFAULT);
	sge.length++;
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EFAULT);
	sge.length = 1;
	CHECK_INT(ibv_advise_mr(other, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EPERM);
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 2, &sge, 1), EINVAL);
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 0), EINVAL);
	CHECK_INT(ibv_advise_mr(pd, 9, 0, &sge, 1), ENOTSUP);
	sge.lkey = reads->lkey;
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), 0);
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, &sge, 1), EPERM);
	sge.lkey = plain->lkey;
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EINVAL);
	sge.lkey ^= 1;
	CHECK_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), ENOENT);

	CHECK_INT(ibv_dereg_mr(plain) | ibv_dereg_mr(mr) | ibv_dereg_mr(reads) | ibv_dereg_mr(all),
		  0);
	CHECK_INT(ibv_dealloc_pd(other), 0);
	munmap(p, (size_t)page);
}

static void rereg(void)
{
	struct ibv_pd *pd2 = ibv_alloc_pd(context);
	struct qp qp = { .pd = to_pd(pd) }, qp2 = { .pd = to_pd(pd2) };
	char a[64], b[64];
	struct ibv_mr *mr = ibv_reg_mr(pd, a, sizeof a, RW);
	const uint32_t rkey = mr->rkey;

	CHECK_INT(ibv_rereg_mr(mr, 8, pd, a, 1, 0), IBV_REREG_MR_ERR_INPUT);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, NULL, 1, 0),
		  IBV_REREG_MR_ERR_INPUT);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0),
		  IBV_REREG_MR_ERR_INPUT);
	CHECK_INT(ibv_rereg_mr(mr, 0, NULL, NULL, 0, IBV_ACCESS_LOCAL_WRITE),
		  IBV_REREG_MR_ERR_INPUT);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_REMOTE_WRITE),
		  IBV_REREG_MR_ERR_CMD);
	CHECK_INT(errno, EINVAL);

	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pd2, NULL, 0, 0), 0);
	CHECK(mr->pd == pd2);
	engine_lock();
	CHECK(!region_remote(&qp, rkey, (uintptr_t)a, 1, IBV_ACCESS_REMOTE_READ));
	CHECK(region_remote(&qp2, rkey, (uintptr_t)a, 1, IBV_ACCESS_REMOTE_READ) == a);
	engine_unlock();
	CHECK_INT(ibv_dealloc_pd(pd2), EBUSY);

	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0), 0);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, b, 32, 0), 0);
	CHECK(mr->addr == b && mr->length == 32);
	engine_lock();
	CHECK(!region_remote(&qp2, rkey, (uintptr_t)b, 1, IBV_ACCESS_REMOTE_READ));
	CHECK(region_local(qp2.pd, mr->lkey, (uintptr_t)b, 32, 0) == b);
	CHECK(!region_local(qp2.pd, mr->lkey, (uintptr_t)b, 33, 0));
	engine_unlock();
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK_INT(ibv_dealloc_pd(pd2), 0);
}

static void users(void)
{
	char buf[8];
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, sizeof buf, 0);

	CHECK_INT(ibv_dealloc_pd(pd), EBUSY);
	/* what the application does to its copy of the keys does not matter */
	mr->lkey = mr->rkey = 0;
	CHECK_INT(ibv_dereg_mr(mr), 0);
}

int main(void)
{
	page = sysconf(_SC_PAGESIZE);
	context = ibv_open_device(&devices[0].v);
	CHECK(context);
	pd = ibv_alloc_pd(context);
	access_flags();
	memory();
	no_limit();
	addresses();
	on_demand();
	rereg();
	users();
	CHECK_INT(ibv_dealloc_pd(pd), 0);
	CHECK_INT(ibv_close_device(context), 0);
	return checks_end();
}
