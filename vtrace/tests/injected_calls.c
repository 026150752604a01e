/* SPDX-License-Identifier: MIT */
/*
 * Calls one function of each way to fail, and prints what it says: "ibv_reg_mr NULL ENOMEM", with
 * errno or "-" where the call has left that alone. It goes on after each failure.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char memory[4096];

static void print(const char *name, const char *result)
{
	printf("%s %s %s\n", name, result, errno ? strerrorname_np(errno) : "-");
	fflush(stdout);
	errno = 0;
}

static void print_number(const char *name, int result)
{
	char text[16];

	snprintf(text, sizeof text, "%d", result);
	if (!result)
		errno = 0; /* nobody promises that a call that went well leaves it alone */
	print(name, result > 0 && strerrorname_np(result) ? strerrorname_np(result) : text);
}

static void print_pointer(const char *name, const void *result)
{
	if (result)
		errno = 0;
	print(name, result ? "made" : "NULL");
}

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;

	if (!context) {
		fprintf(stderr, "injected_calls: no device\n");
		exit(1);
	}
	ibv_free_device_list(list);
	errno = 0;
	return context;
}

static void post(struct ibv_qp *qp, struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)memory, 8, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad = NULL;
	int result = ibv_post_recv(qp, &wr, &bad);

	print_number("ibv_post_recv", result);
	if (result)
		printf("bad_wr %s\n", bad == &wr ? "the first" : "another");
}

static void send_extended(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.pd = pd,
		.cap = { 4, 4, 1, 1, 0 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(context, &init);
	struct ibv_qp_ex *ex = qp ? ibv_qp_to_qp_ex(qp) : NULL;

	errno = 0;
	for (int i = 0; ex && i < 2; i++) { /* a QP that stayed locked would stop the second */
		ibv_wr_start(ex);
		ibv_wr_send(ex);
		errno = 0;
		print_number("ibv_wr_complete", ibv_wr_complete(ex));
	}
	if (qp)
		ibv_destroy_qp(qp);
}

static void list_devices(void)
{
	int n = 7;
	struct ibv_context **devices = rdma_get_devices(&n);

	print_pointer("rdma_get_devices", devices);
	if (devices)
		rdma_free_devices(devices);
	else
		printf("devices %d\n", n);
	errno = 0;
}

static void use_cm(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id = NULL;
	print_pointer("rdma_create_event_channel", channel);
	if (!channel)
		return;
	print_number("rdma_create_id", rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	if (id)
		rdma_destroy_id(id);
	rdma_destroy_event_channel(channel);
}

int main(void)
{
	volatile int access = IBV_ACCESS_LOCAL_WRITE; /* the headers call ibv_reg_mr_iova2() */
	struct ibv_context *context = open_first();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = { 4, 4, 1, 1, 0 }
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_mr *mr, *other;
	struct ibv_wc wc;
	union ibv_gid gid;

	errno = 0;
	mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE);
	print_pointer("ibv_reg_mr", mr);
	other = ibv_reg_mr(pd, memory, sizeof memory, access);
	print_pointer("ibv_reg_mr", other);
	if (other)
		ibv_dereg_mr(other);
	other = ibv_reg_mr_iova(pd, memory, sizeof memory, (uintptr_t)memory + 65536, access);
	print_pointer("ibv_reg_mr_iova", other);
	if (other)
		ibv_dereg_mr(other);
	print_number("ibv_modify_qp", ibv_modify_qp(qp, &attr,
						    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
							    IBV_QP_ACCESS_FLAGS));
	if (mr)
		post(qp, mr);
	print_number("ibv_poll_cq", ibv_poll_cq(cq, 1, &wc));
	print_number("ibv_query_gid", ibv_query_gid(context, 1, 0, &gid));
	send_extended(context, pd, cq);
	list_devices();
	use_cm();
	ibv_destroy_qp(qp);
	if (mr)
		ibv_dereg_mr(mr);
	print_number("ibv_destroy_cq", ibv_destroy_cq(cq));
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	return 0;
}
