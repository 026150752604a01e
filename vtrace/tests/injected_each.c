/* SPDX-License-Identifier: MIT */
/*
 * A program that is prepared for some failures: without a device or a PD it says so and ends with
 * exit code 3; without a region it waits for ever; a CQ it takes for granted; and it does not care
 * whether the device can be queried. It destroys its objects, but for the failure of a PD.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char memory[4096];

static void *need(void *p, const char *what)
{
	if (p)
		return p;
	fprintf(stderr, "injected_each:\n%s is missing\n", what);
	exit(3);
}

int main(void)
{
	struct ibv_device **list = need(ibv_get_device_list(NULL), "the list");
	struct ibv_context *context = need(ibv_open_device(need(list[0], "a device")),
					   "the device");
	struct ibv_device_attr attr;
	struct ibv_pd *pd = need(ibv_alloc_pd(context), "a \"PD\" <&>");
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);

	while (!mr)
		pause();
	*(volatile int *)&cq->cqe;
	ibv_query_device(context, &attr);
	ibv_destroy_cq(cq);
	ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	ibv_free_device_list(list);
	return 0;
}
