/* SPDX-License-Identifier: MIT */
/* Device memory: ibv_alloc_dm(3), and regions of it. */
#include <errno.h>
#include <string.h>

#include "checks.h"
#include "engine.h"
#include "queue_pair.h"
#include "region.h"

#define RW (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED)

static struct ibv_context *context;
static struct ibv_pd *pd;

static struct ibv_dm *alloc(size_t length, uint32_t log_align, uint32_t comp_mask)
{
	struct ibv_alloc_dm_attr attr = { length, log_align, comp_mask };

	errno = 0;
	return ibv_alloc_dm(context, &attr);
}

static void limits(void)
{
	struct ibv_dm *half = alloc(MAX_DM / 2, 0, 0), *rest = alloc(MAX_DM / 2, 12, 0);

	CHECK(half && rest);
	CHECK(!alloc(1, 0, 0) && errno == ENOMEM);
	CHECK_INT(ibv_free_dm(half), 0);
	half = alloc(1, 0, 0);
	CHECK(half);
	CHECK_INT(ibv_free_dm(half) | ibv_free_dm(rest), 0);
	CHECK(!alloc(0, 0, 0) && errno == EINVAL);
	CHECK(!alloc(MAX_DM + 1, 0, 0) && errno == EINVAL);
	CHECK(!alloc(8, 13, 0) && errno == EINVAL);
	CHECK(!alloc(8, 64, 0) && errno == EINVAL);
	CHECK(!alloc(8, 0, 1) && errno == EOPNOTSUPP);
}

static void copies(void)
{
	struct ibv_dm *dm = alloc(100, 0, 0);
	char buf[100] = "", was[100];

	memset(was, 1, sizeof was);
	CHECK_INT(ibv_memcpy_from_dm(was, dm, 0, 100), 0);
	CHECK_INT(memcmp(was, buf, 100), 0); /* zeros */
	memcpy(buf, "word", 4);
	CHECK_INT(ibv_memcpy_to_dm(dm, 96, buf, 4), 0);
	CHECK_INT(ibv_memcpy_from_dm(was, dm, 92, 8), 0);
	CHECK_INT(memcmp(was, "\0\0\0\0word", 8), 0);
	CHECK_INT(ibv_memcpy_to_dm(dm, 97, buf, 4), EFAULT);
	CHECK_INT(ibv_memcpy_to_dm(dm, 0, buf, 101), EFAULT);
	CHECK_INT(ibv_memcpy_to_dm(dm, UINT64_MAX - 3, buf, 8), EFAULT);
	CHECK_INT(ibv_memcpy_to_dm(dm, 2, buf, 4), EINVAL);
	CHECK_INT(ibv_memcpy_from_dm(was, dm, 4, 3), EINVAL);
	CHECK_INT(ibv_free_dm(dm), 0);
}

static void regions(void)
{
	struct qp qp = { .pd = to_pd(pd) };
	struct ibv_dm *dm = alloc(64, 0, 0);
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, dm, 16, 32, RW);
	char word[4];
	void *at;

	CHECK(mr && !mr->addr && mr->length == 32 && mr->pd == pd);
	engine_lock();
	at = region_remote(&qp, mr->rkey, 28, 4, IBV_ACCESS_REMOTE_WRITE);
	CHECK(at);
	memcpy(at, "deep", 4);
	CHECK(!region_remote(&qp, mr->rkey, 29, 4, IBV_ACCESS_REMOTE_WRITE));
	CHECK(!region_remote(&qp, mr->rkey, 0, 4, IBV_ACCESS_REMOTE_READ));
	engine_unlock();
	CHECK_INT(ibv_memcpy_from_dm(word, dm, 16 + 28, 4), 0);
	CHECK_INT(memcmp(word, "deep", 4), 0);
	CHECK_INT(ibv_free_dm(dm), EBUSY);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, word, 4, 0),
		  IBV_REREG_MR_ERR_CMD);
	CHECK_INT(errno, EOPNOTSUPP);
	CHECK_INT(ibv_dereg_mr(mr), 0);

	CHECK(!ibv_reg_dm_mr(pd, dm, 33, 32, RW) && errno == EINVAL);
	CHECK(!ibv_reg_dm_mr(pd, dm, 0, 32, IBV_ACCESS_LOCAL_WRITE) && errno == EINVAL);
	CHECK(!ibv_reg_dm_mr(pd, dm, 0, 32, RW | IBV_ACCESS_ON_DEMAND) && errno == EINVAL);
	CHECK(!ibv_reg_dm_mr(pd, dm, 0, 32, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE) &&
	      errno == EINVAL);
	CHECK_INT(ibv_free_dm(dm), 0);
}

int main(void)
{
	context = ibv_open_device(&devices[0].v);
	pd = ibv_alloc_pd(context);
	CHECK(context && pd);
	limits();
	copies();
	regions();
	CHECK_INT(ibv_dealloc_pd(pd), 0);
	CHECK_INT(ibv_close_device(context), 0);
	return checks_end();
}
