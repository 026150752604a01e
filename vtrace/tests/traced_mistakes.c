/* SPDX-License-Identifier: MIT */
/* traced_mistakes NAME: a program that makes a mistake in how it uses its objects: one of
 * mistakes[], or "crowd".
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ibv_context *context;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static char memory[64];

static void *must(void *p)
{
	if (p)
		return p;
	perror("traced_mistakes");
	exit(1);
}

static void make_objects(void)
{
	struct ibv_device **list = must(ibv_get_device_list(NULL));
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };

	context = must(ibv_open_device(must(list[0])));
	ibv_free_device_list(list);
	pd = must(ibv_alloc_pd(context));
	channel = must(ibv_create_comp_channel(context));
	cq = must(ibv_create_cq(context, 4, NULL, channel, 0));
	mr = must(ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE));
	init.send_cq = init.recv_cq = cq;
	qp = must(ibv_create_qp(pd, &init));
}

static void change_state(enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = 1 };

	ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
}

static struct ibv_recv_wr receive(struct ibv_sge *sge)
{
	*sge = (struct ibv_sge){ (uintptr_t)memory, sizeof memory, mr->lkey };
	return (struct ibv_recv_wr){ .sg_list = sge, .num_sge = 1 };
}

static void skip_states(void)
{
	change_state(IBV_QPS_RTR, 0);
	change_state(IBV_QPS_RTR, 0); /* is not explained again */
	change_state(IBV_QPS_RTS, 0);
}

static void destroy_too_early(void)
{
	ibv_dealloc_pd(pd);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(channel);
}

static void forget_to_acknowledge(void)
{
	struct ibv_sge sge;
	struct ibv_recv_wr wr = receive(&sge), *bad;
	struct ibv_cq *of;
	void *arg;

	change_state(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	ibv_post_recv(qp, &wr, &bad);
	ibv_req_notify_cq(cq, 0);
	change_state(IBV_QPS_ERR, 0); /* flushes it */
	ibv_get_cq_event(channel, &of, &arg);
	ibv_destroy_qp(qp);
	alarm(1);
	ibv_destroy_cq(cq);
}

static void forget_to_arm(void)
{
	struct ibv_cq *of;
	void *arg;

	alarm(1);
	ibv_get_cq_event(channel, &of, &arg);
}

static void overfill_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq_attr limit = { .srq_limit = 9999 };
	struct ibv_sge sge;
	struct ibv_recv_wr wr = receive(&sge), *bad;
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq };

	init.srq = srq = must(ibv_create_srq(pd, &attr));
	ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT);
	while (ibv_post_srq_recv(srq, &wr, &bad) == 0)
		;
	qp = must(ibv_create_qp(pd, &init));
	change_state(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	ibv_post_recv(qp, &wr, &bad);
}

/* Receives are flushed into a CQ that has room for 4 completions. */
static void overrun_cq(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = { 1, 64, 1, 1, 0 }
	};
	struct ibv_async_event event;
	struct ibv_sge sge;
	struct ibv_recv_wr wr = receive(&sge), *bad;

	qp = must(ibv_create_qp(pd, &init));
	change_state(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	for (unsigned i = 0; i < 64; i++)
		ibv_post_recv(qp, &wr, &bad);
	change_state(IBV_QPS_ERR, 0);
	alarm(5);
	if (ibv_get_async_event(context, &event) == 0)
		ibv_ack_async_event(&event);
}

static pthread_barrier_t in_crowd;

static void *make_objects_last(void *arg)
{
	(void)arg;
	make_objects();
	return NULL;
}

static void *stand_in_crowd(void *arg)
{
	(void)arg;
	ibv_free_device_list(must(ibv_get_device_list(NULL)));
	pthread_barrier_wait(&in_crowd);
	pthread_barrier_wait(&in_crowd);
	return NULL;
}

/* Sends too early, with objects that another thread has made: one more than can be recorded. */
static void send_in_crowd(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	pthread_t crowd[64], last;

	ibv_free_device_list(must(ibv_get_device_list(NULL)));
	pthread_barrier_init(&in_crowd, NULL, 65);
	for (unsigned i = 0; i < 64; i++)
		pthread_create(&crowd[i], NULL, stand_in_crowd, NULL);
	pthread_barrier_wait(&in_crowd);
	pthread_create(&last, NULL, make_objects_last, NULL);
	pthread_join(last, NULL);
	ibv_post_send(qp, &wr, &bad);
	pthread_barrier_wait(&in_crowd);
	for (unsigned i = 0; i < 64; i++)
		pthread_join(crowd[i], NULL);
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "states", skip_states }, { "busy", destroy_too_early }, { "ack", forget_to_acknowledge },
	{ "arm", forget_to_arm },  { "srq", overfill_srq },	  { "overrun", overrun_cq },
};

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "crowd") == 0) {
		send_in_crowd();
		return 0;
	}
	make_objects();
	for (size_t i = 0; argc > 1 && i < sizeof mistakes / sizeof *mistakes; i++)
		if (strcmp(argv[1], mistakes[i].name) == 0) {
			mistakes[i].make();
			return 0;
		}
	return 1;
}
