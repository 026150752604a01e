/* SPDX-License-Identifier: MIT */
/* Thread and parent domains: ibv_alloc_td(3), ibv_alloc_parent_domain(3). */
#include <errno.h>
#include <stdlib.h>

#include "checks.h"
#include "completion_queue.h"
#include "engine.h"
#include "queue_pair.h"
#include "region.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_pd *parent(struct ibv_parent_domain_init_attr attr)
{
	errno = 0;
	return ibv_alloc_parent_domain(context, &attr);
}

static void lifetimes(void)
{
	struct ibv_td_init_attr attr = { 0 }, unknown = { 1 };
	struct ibv_td *td = ibv_alloc_td(context, &attr);
	struct ibv_pd *pd1 = ibv_alloc_pd(context);
	struct ibv_pd *domain = parent((struct ibv_parent_domain_init_attr){ .pd = pd1, .td = td });

	CHECK(td && domain);
	CHECK(!ibv_alloc_td(context, &unknown) && errno == EOPNOTSUPP);
	CHECK_INT(ibv_dealloc_td(td), EBUSY);
	CHECK_INT(ibv_dealloc_pd(pd1), EBUSY);
	CHECK_INT(ibv_dealloc_pd(domain), 0);
	CHECK_INT(ibv_dealloc_pd(pd1), 0);
	CHECK_INT(ibv_dealloc_td(td), 0);
}

static void arguments(void)
{
	struct ibv_pd *domain = parent((struct ibv_parent_domain_init_attr){ .pd = pd });

	CHECK(!parent((struct ibv_parent_domain_init_attr){ .pd = NULL }) && errno == EINVAL);
	CHECK(!parent((struct ibv_parent_domain_init_attr){ .pd = domain }) && errno == EINVAL);
	CHECK(!parent((struct ibv_parent_domain_init_attr){ .pd = pd, .comp_mask = 4 }) &&
	      errno == EOPNOTSUPP);
	CHECK(!parent((struct ibv_parent_domain_init_attr){
		      .pd = pd, .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS }) &&
	      errno == EOPNOTSUPP);
	CHECK_INT(ibv_dealloc_pd(domain), 0);
}

/* The keys of the one open memory to the other. */
static void protection(void)
{
	struct ibv_pd *domain = parent((struct ibv_parent_domain_init_attr){ .pd = pd });
	struct ibv_pd *other = ibv_alloc_pd(context);
	struct qp in_pd = { .pd = to_pd(pd) }, in_domain = { .pd = to_pd(domain) };
	struct qp stranger = { .pd = to_pd(other) };
	char buf[8];
	struct ibv_mr *a = ibv_reg_mr(pd, buf, sizeof buf, 0);
	struct ibv_mr *b = ibv_reg_mr(domain, buf, sizeof buf, 0);

	CHECK(a && b && b->pd == domain);
	engine_lock();
	CHECK(region_local(in_domain.pd, a->lkey, (uintptr_t)buf, 8, 0) == buf);
	CHECK(region_local(in_pd.pd, b->lkey, (uintptr_t)buf, 8, 0) == buf);
	CHECK(!region_local(stranger.pd, b->lkey, (uintptr_t)buf, 8, 0));
	engine_unlock();
	CHECK_INT(ibv_dealloc_pd(domain), EBUSY);
	CHECK_INT(ibv_dereg_mr(a) | ibv_dereg_mr(b), 0);
	CHECK_INT(ibv_dealloc_pd(domain) | ibv_dealloc_pd(other), 0);
}

static struct ibv_cq *cq_of(struct ibv_pd *domain)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 5,
					    .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
					    .parent_domain = domain };
	struct ibv_cq_ex *ex;

	errno = 0;
	ex = ibv_create_cq_ex(context, &attr);
	return ex ? ibv_cq_ex_to_cq(ex) : NULL;
}

/* A queue belongs to it, but not with the memory of the program. */
static void queues(void)
{
	struct ibv_pd *domain = parent((struct ibv_parent_domain_init_attr){ .pd = pd });
	struct ibv_cq *cq;

	CHECK(!cq_of(NULL) && errno == EINVAL);
	CHECK(!cq_of(pd) && errno == EINVAL); /* not a parent domain */
	cq = cq_of(domain);
	CHECK(cq != NULL);
	CHECK_INT((uintptr_t)to_cq(cq)->ring % 64, 0);
	CHECK_INT(ibv_dealloc_pd(domain), EBUSY);
	CHECK_INT(ibv_resize_cq(cq, 100), 0);
	CHECK_INT(ibv_destroy_cq(cq), 0);
	CHECK_INT(ibv_dealloc_pd(domain), 0);
}

int main(void)
{
	context = ibv_open_device(&devices[0].v);
	pd = ibv_alloc_pd(context);
	CHECK(context && pd);
	lifetimes();
	arguments();
	protection();
	queues();
	CHECK_INT(ibv_dealloc_pd(pd), 0);
	CHECK_INT(ibv_close_device(context), 0);
	return checks_end();
}
