/* SPDX-License-Identifier: MIT */
/*
 * injected_writes [unsignaled | built | extended]: four WRITEs of one QP to another, and one behind
 * them when they are complete. Prints the statuses (5 is WR_FLUSH_ERR), the state of the QP, the
 * asynchronous events, how many WRITEs there are at the peer, and what a WRITE after RESET does.
 * unsignaled: one of them is; built: by ibv_wr_rdma_write(), one is, too.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qp_pair.h"

#define WRITES 4

static bool is_built;
static unsigned has_unsignaled; /* so many are */

static void build_one(struct pair *p, uint64_t wr_id, unsigned flags)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->a.qp);

	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = flags;
	ibv_wr_rdma_write(qp, p->b.mr->rkey, (uintptr_t)p->b.buf + wr_id);
	ibv_wr_set_sge(qp, p->a.mr->lkey, (uintptr_t)p->a.buf, 1);
	if (ibv_wr_complete(qp))
		printf("refused\n");
}

static void write_one(struct pair *p, uint64_t wr_id, unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)p->a.buf, 1, p->a.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = flags,
				  .wr.rdma = { (uintptr_t)p->b.buf + wr_id, p->b.mr->rkey } },
			   *bad;

	if (is_built)
		build_one(p, wr_id, flags);
	else if (ibv_post_send(p->a.qp, &wr, &bad))
		printf("refused\n");
}

static void print_status(struct pair *p)
{
	struct ibv_wc wc;
	const int status = pair_wait(p->a.cq, &wc);

	printf("%d status %d\n", (int)wc.wr_id, status);
}

/* The text that has come until now: the WRITEs are complete. */
static void print_effects(struct pair *p)
{
	struct ibv_async_event event;
	unsigned written = 0;

	fcntl(p->ctx->async_fd, F_SETFL, fcntl(p->ctx->async_fd, F_GETFL) | O_NONBLOCK);
	while (ibv_get_async_event(p->ctx, &event) == 0) {
		printf("event %d\n", event.event_type);
		ibv_ack_async_event(&event);
	}
	for (unsigned i = 1; i <= WRITES; i++)
		written += ((const volatile char *)p->b.buf)[i] != 0;
	printf("written %u\n", written);
}

static void print_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
	printf("state %d\n", attr.qp_state);
}

static void connect_both(struct pair *p)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };

	ibv_modify_qp(p->a.qp, &reset, IBV_QP_STATE);
	ibv_modify_qp(p->b.qp, &reset, IBV_QP_STATE);
	pair_to_init(p->a.qp);
	pair_to_init(p->b.qp);
	pair_connect(p->ctx, p->a.qp, p->b.qp->qp_num, 14, 7);
	pair_connect(p->ctx, p->b.qp, p->a.qp->qp_num, 14, 7);
}

/* Each request says itself whether it is signaled. */
static void make_qp(struct pair *p, struct ibv_cq *send_cq)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_RC,
					    .send_cq = send_cq,
					    .recv_cq = p->a.cq,
					    .cap = { 8, 8, 1, 1, 0 },
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = p->a.pd,
					    .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE };

	if (is_built)
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	ibv_destroy_qp(p->a.qp);
	p->a.qp = ibv_create_qp_ex(p->ctx, &init);
	connect_both(p);
}

/* Takes one completion in place. */
static void poll_extended(struct pair *p)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 4 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(p->ctx, &init);
	struct ibv_poll_cq_attr attr = { 0 };

	if (!cq) {
		printf("no ibv_create_cq_ex\n");
		return;
	}
	make_qp(p, ibv_cq_ex_to_cq(cq));
	write_one(p, 0, IBV_SEND_SIGNALED);
	while (ibv_start_poll(cq, &attr))
		;
	ibv_end_poll(cq);
	make_qp(p, p->a.cq);
	ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct pair p;

	is_built = strcmp(how, "built") == 0;
	has_unsignaled = is_built || strcmp(how, "unsignaled") == 0;
	pair_make(&p, 0);
	memset(p.a.buf, 1, 8);
	memset(p.b.buf, 0, 8);
	make_qp(&p, p.a.cq);
	if (strcmp(how, "extended") == 0)
		poll_extended(&p);
	for (unsigned i = 1; i <= WRITES; i++)
		write_one(&p, i, i == 3 && has_unsignaled ? 0 : IBV_SEND_SIGNALED);
	for (unsigned i = 1; i <= WRITES - has_unsignaled; i++)
		print_status(&p);
	print_state(p.a.qp);
	print_effects(&p);
	write_one(&p, 5, IBV_SEND_SIGNALED);
	print_status(&p);
	if (!has_unsignaled) {
		connect_both(&p);
		write_one(&p, 6, IBV_SEND_SIGNALED);
		print_status(&p);
	}
	pair_close(&p);
	return 0;
}
