/* SPDX-License-Identifier: MIT */
/* Memory windows: who may bind, use and invalidate them. InfiniBand 10.6.7. */
#include <errno.h>

#include "checks.h"
#include "engine.h"
#include "verbs_app.h"

#define BINDABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND)
#define READ	 IBV_ACCESS_REMOTE_READ
#define WRITE	 IBV_ACCESS_REMOTE_WRITE

static struct ibv_pd *pd, *pd2;
static struct qp qp, sibling, stranger; /* the same PD, another PD */
static char buf[4096];
static uint64_t at;

static int bind_window(struct qp *by, struct ibv_mw *mw, uint32_t rkey, struct ibv_mr *mr,
		       uint64_t addr, uint64_t len, unsigned access)
{
	const struct ibv_mw_bind_info info = { mr, addr, len, access };
	const struct window_bind b = region_window_bind_of(mw, rkey, &info);
	int ret;

	engine_lock();
	ret = region_bind(by, &b);
	engine_unlock();
	return ret;
}

static bool opens(struct qp *by, uint32_t rkey, uint64_t va, uint64_t len, unsigned access)
{
	bool ret;

	engine_lock();
	ret = region_remote(by, rkey, va, len, access) != NULL;
	engine_unlock();
	return ret;
}

static int invalidate(struct qp *by, uint32_t rkey, bool remote)
{
	int ret;

	engine_lock();
	ret = region_invalidate(by, rkey, remote);
	engine_unlock();
	return ret;
}

static void type_1(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, sizeof buf, BINDABLE);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	const uint32_t old = mw->rkey, key = ibv_inc_rkey(old), again = ibv_inc_rkey(key);

	CHECK(!opens(&qp, old, at, 1, READ)); /* not bound */
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 100, READ | WRITE), 0);
	CHECK(opens(&qp, key, at, 100, READ | WRITE));
	CHECK(opens(&sibling, key, at, 100, WRITE)); /* every QP of the PD */
	CHECK(!opens(&stranger, key, at, 1, READ));
	CHECK(!opens(&qp, old, at, 1, READ)); /* the key of before */
	CHECK(!opens(&qp, key, at, 101, READ));
	CHECK(!opens(&qp, key, at - 1, 1, READ));
	CHECK(!opens(&qp, key, at, 8, IBV_ACCESS_REMOTE_ATOMIC));
	CHECK_INT(ibv_dereg_mr(mr), EBUSY);
	CHECK_INT(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
		  IBV_REREG_MR_ERR_CMD);
	CHECK_INT(errno, EBUSY);

	/* bound anew without being invalidated; and cannot be invalidated */
	CHECK_INT(invalidate(&qp, key, false), -1);
	CHECK_INT(bind_window(&qp, mw, again, mr, at + 10, 10, READ), 0);
	CHECK(!opens(&qp, key, at, 1, READ));
	CHECK(!opens(&qp, again, at, 1, READ));
	CHECK(opens(&qp, again, at + 10, 10, READ));

	/* a length of 0 unbinds */
	CHECK_INT(bind_window(&qp, mw, ibv_inc_rkey(again), NULL, 0, 0, 0), 0);
	CHECK(!opens(&qp, ibv_inc_rkey(again), at + 10, 1, READ));
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK_INT(ibv_dealloc_mw(mw), 0);
}

static void refusals(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, sizeof buf, BINDABLE);
	struct ibv_mr *plain = ibv_reg_mr(pd, buf, sizeof buf, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *readable = ibv_reg_mr(pd, buf, sizeof buf, READ | IBV_ACCESS_MW_BIND);
	struct ibv_mr *foreign = ibv_reg_mr(pd2, buf, sizeof buf, BINDABLE);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	const uint32_t key = ibv_inc_rkey(mw->rkey);
	struct window_bind late;

	CHECK_INT(bind_window(&qp, mw, key, plain, at, 1, READ), -1);	  /* no MW_BIND */
	CHECK_INT(bind_window(&qp, mw, key, readable, at, 1, WRITE), -1); /* no LOCAL_WRITE */
	CHECK_INT(bind_window(&qp, mw, key, foreign, at, 1, READ), -1);	  /* another PD */
	CHECK_INT(bind_window(&stranger, mw, key, mr, at, 1, READ), -1);  /* a QP of another PD */
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 4097, READ), -1);	  /* beyond the region */
	CHECK_INT(bind_window(&qp, mw, key, mr, at + 4096, 1, READ), -1);
	CHECK_INT(bind_window(&qp, mw, key, mr, at, UINT64_MAX, READ), -1);
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 0, READ), -1);	 /* of type 2: nothing */
	CHECK_INT(bind_window(&qp, mw, mw->rkey, mr, at, 1, READ), -1);	 /* the same key */
	CHECK_INT(bind_window(&qp, mw, key + 256, mr, at, 1, READ), -1); /* another index */
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 1, IBV_ACCESS_ON_DEMAND), -1);
	CHECK_INT(bind_window(&qp, mw, key, readable, at, 1, READ), 0);
	CHECK_INT(ibv_dealloc_mw(mw), 0); /* unbinds */
	CHECK_INT(ibv_dereg_mr(readable), 0);

	/* region or window go while a request waits */
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	late = region_window_bind_of(mw, ibv_inc_rkey(mw->rkey),
				     &(struct ibv_mw_bind_info){ plain, at, 1, READ });
	CHECK_INT(ibv_dereg_mr(plain), 0);
	engine_lock();
	CHECK_INT(region_bind(&qp, &late), -1);
	engine_unlock();
	late.lkey = ((struct mr *)mr)->lkey;
	CHECK_INT(ibv_dealloc_mw(mw), 0);
	engine_lock();
	CHECK_INT(region_bind(&qp, &late), -1);
	engine_unlock();
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK_INT(ibv_dereg_mr(foreign), 0);
}

static void type_2(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, sizeof buf, BINDABLE);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	uint32_t key = ibv_inc_rkey(mw->rkey);

	CHECK_INT(bind_window(&qp, mw, key, mr, at + 100, 50, READ | IBV_ACCESS_ZERO_BASED), 0);
	CHECK(opens(&qp, key, 0, 50, READ));
	CHECK(!opens(&qp, key, 0, 51, READ));
	CHECK(!opens(&qp, key, at + 100, 1, READ));
	engine_lock();
	CHECK(region_remote(&qp, key, 49, 1, READ) == buf + 149);
	engine_unlock();
	CHECK(!opens(&sibling, key, 0, 1, READ)); /* the QP that bound it alone */

	CHECK_INT(bind_window(&qp, mw, ibv_inc_rkey(key), mr, at, 1, READ), -1); /* is bound */
	CHECK_INT(invalidate(&sibling, key, false), -1);
	CHECK_INT(invalidate(&qp, key ^ 1, false), -1);
	CHECK_INT(invalidate(&qp, mr->rkey, false), -1); /* a region */
	CHECK_INT(invalidate(&qp, 0, true), -1);
	CHECK(opens(&qp, key, 0, 50, READ));
	CHECK_INT(invalidate(&qp, key, true), 0); /* the peer */
	CHECK(!opens(&qp, key, 0, 1, READ));
	CHECK_INT(invalidate(&qp, key, true), -1);
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 1, READ), -1); /* the same key again */
	key = ibv_inc_rkey(key);
	CHECK_INT(bind_window(&qp, mw, key, mr, at, 1, READ), 0);
	CHECK(opens(&qp, key, at, 1, READ));

	engine_lock();
	region_forget_qp(&sibling);
	engine_unlock();
	CHECK(opens(&qp, key, at, 1, READ));
	engine_lock();
	region_forget_qp(&qp);
	engine_unlock();
	CHECK(!opens(&qp, key, at, 1, READ));
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK_INT(ibv_dealloc_mw(mw), 0);
}

/* ibv_bind_mw(): the key is new when it returns, unless posting failed. */
static void posted(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, sizeof buf, BINDABLE);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind b = { .wr_id = 7,
				 .send_flags = IBV_SEND_SIGNALED,
				 .bind_info = { mr, at, 16, READ } };
	struct qp *by = app_qp(IBV_QPT_RC, NULL, 0);
	const struct send_wqe *w;
	uint32_t key;

	app_state(by, IBV_QPS_RTS);
	for (unsigned i = 0; i < 4; i++)
		CHECK_INT(ibv_bind_mw(&by->v, mw, &b), 0);
	key = mw->rkey;
	CHECK_INT(ibv_bind_mw(&by->v, mw, &b), ENOMEM);
	CHECK_INT(mw->rkey, key);
	by->sq.head = by->sq.next = by->sq.tail;
	CHECK_INT(ibv_bind_mw(&by->v, mw, &b), 0);
	CHECK_INT(mw->rkey, ibv_inc_rkey(key));
	w = sq_at(by, by->sq.head);
	CHECK_INT(w->wr_id, 7);
	CHECK_INT(w->flags, IBV_SEND_SIGNALED);
	CHECK(!opens(&qp, mw->rkey, at, 1, READ)); /* not yet done */
	CHECK_INT(bind_window(&qp, mw, w->bind.rkey, mr, at, 16, READ), 0);
	CHECK(opens(&qp, mw->rkey, at, 16, READ));
	CHECK_INT(ibv_destroy_qp(&by->v), 0);
	CHECK_INT(ibv_dealloc_mw(mw), 0);
	CHECK_INT(ibv_dereg_mr(mr), 0);
	CHECK(!ibv_alloc_mw(pd, 3) && errno == EINVAL);
}

int main(void)
{
	app_open();
	pd = app_pd;
	pd2 = ibv_alloc_pd(app_context);
	qp.pd = sibling.pd = to_pd(pd);
	stranger.pd = to_pd(pd2);
	at = (uintptr_t)buf;
	type_1();
	refusals();
	type_2();
	posted();
	CHECK_INT(ibv_dealloc_pd(pd2), 0);
	app_close();
	return checks_end();
}
