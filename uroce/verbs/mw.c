/* SPDX-License-Identifier: MIT */
/* Memory windows: ibv_alloc_mw(3), ibv_bind_mw(3). 10.6.7. */
#include <errno.h>
#include <stdlib.h>

#include "engine.h"
#include "post.h"
#include "region.h"

static unsigned mws; /* that there are */
static uint32_t next_handle;

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct mw *mw;
	int err = ENOMEM;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
		errno = EINVAL;
		return NULL;
	}
	mw = calloc(1, sizeof *mw);
	if (!mw)
		return NULL;
	mw->v.context = pd->context;
	mw->v.pd = pd;
	mw->v.type = type;
	mw->pd = to_pd(pd);
	mw->type = type;
	engine_lock();
	if (mws < MAX_MW && region_add_mw(mw) == 0) {
		mws++;
		mw->pd->users++;
		mw->v.handle = next_handle++;
		err = 0;
	}
	engine_unlock();
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	mw->v.rkey = mw->rkey;
	return &mw->v;
}

static int dealloc_mw(struct ibv_mw *v)
{
	struct mw *mw = (struct mw *)v;

	engine_lock();
	region_remove_mw(mw);
	mw->pd->users--;
	mws--;
	engine_unlock();
	free(mw);
	return 0;
}

/* Type 1 is bound by a request on the send queue too, with a key that is chosen here and known
 * to the application before the request is done. verbs.h has checked type and PDs. */
static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	const uint32_t rkey = ibv_inc_rkey(mw->rkey);
	int err = post_bind(qp, mw, rkey, bind);

	if (!err)
		mw->rkey = rkey;
	return err;
}

void context_ops_mw(struct context *c)
{
	c->v.context.ops.alloc_mw = alloc_mw;
	c->v.context.ops.dealloc_mw = dealloc_mw;
	c->v.context.ops.bind_mw = bind_mw;
}
