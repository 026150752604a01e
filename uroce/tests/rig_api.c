// SPDX-License-Identifier: MIT
#include "rig_api.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "checks.h"
#include "context.h"
#include "engine_own.h"

#define PATIENCE 200000000000ull

int rig_modify_error, rig_attach_error;
unsigned rig_objects;
int (*rig_woken)(int fd);
void (*rig_failing)(void);

/* -- events -- */

bool rig_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static int wait_fd(int fd)
{
	uint64_t end = rig_now + PATIENCE;

	CHECK(!rig_locked);
	if (rig_woken)
		return rig_woken(fd);
	while (!rig_readable(fd))
		CHECK(rig_step(end));
	return 0;
}

__attribute__((constructor)) static void set_waiter(void)
{
	rig_waiter = wait_fd;
}

struct contexts contexts = TAILQ_HEAD_INITIALIZER(contexts);

/* -- verbs: never called with the lock -- */

struct ibv_device the_device = { .name = "fake0" };
static struct context the_context;

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	CHECK(device == &the_device);
	CHECK(!rig_locked);
	pthread_testcancel(); /* as open(2) */
	the_context.v.sz = sizeof(the_context.v);
	the_context.v.context.device = device;
	the_context.v.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	return &the_context.v.context;
}

int ibv_close_device(struct ibv_context *c)
{
	(void)c;
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *c)
{
	static struct ibv_pd pd;

	pd.context = c;
	return &pd;
}

static void *object(size_t size)
{
	void *p = calloc(1, size);

	CHECK(p);
	CHECK(!rig_locked);
	rig_objects++;
	return p;
}

static int gone(void *p)
{
	CHECK(!rig_locked);
	rig_objects--;
	free(p);
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c)
{
	struct ibv_comp_channel *ch = object(sizeof(*ch));

	ch->context = c;
	return ch;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *ch)
{
	return gone(ch);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *c, int cqe, void *context,
			     struct ibv_comp_channel *ch, int vector)
{
	struct ibv_cq *cq = object(sizeof(*cq));

	CHECK_INT(vector, 0);
	cq->context = c;
	cq->channel = ch;
	cq->cq_context = context;
	cq->cqe = cqe;
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	return gone(cq);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = object(sizeof(*srq));

	srq->pd = pd;
	srq->srq_context = attr->srq_context;
	return srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	return gone(srq);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	static uint32_t number = 0x100;
	struct api_qp *qp = object(sizeof(*qp));

	qp->v.context = pd->context;
	qp->v.pd = pd;
	qp->v.qp_num = ++number;
	qp->v.send_cq = attr->send_cq;
	qp->v.recv_cq = attr->recv_cq;
	qp->v.srq = attr->srq;
	qp->v.qp_type = attr->qp_type;
	return &qp->v;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return gone(to_api_qp(qp));
}

static void take(struct api_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *to = &qp->attr;

	to->qp_state = a->qp_state;
	if (mask & IBV_QP_PORT)
		to->port_num = a->port_num;
	if (mask & IBV_QP_QKEY)
		to->qkey = a->qkey;
	if (mask & IBV_QP_ACCESS_FLAGS)
		to->qp_access_flags = a->qp_access_flags;
	if (mask & IBV_QP_AV)
		to->ah_attr = a->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		to->path_mtu = a->path_mtu;
	if (mask & IBV_QP_DEST_QPN)
		to->dest_qp_num = a->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		to->rq_psn = a->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		to->sq_psn = a->sq_psn;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = a->max_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = a->min_rnr_timer;
	if (mask & IBV_QP_TIMEOUT)
		to->timeout = a->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		to->retry_cnt = a->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		to->rnr_retry = a->rnr_retry;
}

int ibv_modify_qp(struct ibv_qp *v, struct ibv_qp_attr *attr, int mask)
{
	struct api_qp *qp = to_api_qp(v);

	CHECK(!rig_locked);
	CHECK(mask & IBV_QP_STATE);
	if (attr->qp_state == IBV_QPS_RTR && rig_modify_error)
		return rig_modify_error;
	if (attr->qp_state == IBV_QPS_ERR && rig_failing)
		rig_failing();
	take(qp, attr, mask);
	qp->mask = mask;
	v->state = attr->qp_state;
	return 0;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	CHECK(!rig_locked);
	CHECK(gid && !lid);
	if (rig_attach_error)
		return rig_attach_error;
	to_api_qp(qp)->attached++;
	return 0;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	CHECK(gid && !lid);
	to_api_qp(qp)->attached--;
	return 0;
}
