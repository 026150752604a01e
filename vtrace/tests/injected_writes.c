/* SPDX-License-Identifier: MIT */
/*
 * injected_writes [unsignaled | extended]: four WRITEs of one QP to another, and one behind them
 * when they are complete. Prints the statuses, the state of the QP, and what a WRITE after RESET
 * does.
 */
#include <stdio.h>
#include <string.h>

#include "qp_pair.h"

#define WRITES 4

static void write_one(struct pair *p, uint64_t wr_id, unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)p->a.buf, 8, p->a.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = flags,
				  .wr.rdma = { (uintptr_t)p->b.buf, p->b.mr->rkey } },
			   *bad;

	if (ibv_post_send(p->a.qp, &wr, &bad))
		printf("refused\n");
}

static void print_status(struct pair *p)
{
	static const char *const names[] = { [IBV_WC_SUCCESS] = "SUCCESS",
					     [IBV_WC_WR_FLUSH_ERR] = "WR_FLUSH_ERR",
					     [IBV_WC_RETRY_EXC_ERR] = "RETRY_EXC_ERR" };
	struct ibv_wc wc;
	const enum ibv_wc_status status = pair_wait(p->a.cq, &wc);

	printf("%d %s\n", (int)wc.wr_id,
	       status < sizeof names / sizeof *names && names[status] ? names[status] : "?");
}

static void print_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
	printf("state %d\n", attr.qp_state);
}

/* Once: whether that can be changed is all that is asked. */
static void poll_extended(struct ibv_context *ctx)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 4 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(ctx, &init);
	struct ibv_poll_cq_attr attr = { 0 };

	if (!cq) {
		printf("no ibv_create_cq_ex\n");
		return;
	}
	if (ibv_start_poll(cq, &attr) == 0)
		ibv_end_poll(cq);
	ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
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
static void make_qp(struct pair *p)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .send_cq = p->a.cq,
					 .recv_cq = p->a.cq,
					 .cap = { 8, 8, 1, 1, 0 } };

	ibv_destroy_qp(p->a.qp);
	p->a.qp = ibv_create_qp(p->a.pd, &init);
	connect_both(p);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct pair p;

	pair_make(&p, 0);
	make_qp(&p);
	if (strcmp(how, "extended") == 0)
		poll_extended(p.ctx);
	for (unsigned i = 1; i <= WRITES; i++)
		write_one(&p, i, i == 3 && strcmp(how, "unsignaled") == 0 ? 0 : IBV_SEND_SIGNALED);
	for (unsigned i = 1; i <= WRITES - (strcmp(how, "unsignaled") == 0); i++)
		print_status(&p);
	print_state(p.a.qp);
	write_one(&p, 5, IBV_SEND_SIGNALED);
	print_status(&p);
	if (strcmp(how, "unsignaled") != 0) {
		connect_both(&p);
		write_one(&p, 6, IBV_SEND_SIGNALED);
		print_status(&p);
	}
	pair_close(&p);
	return 0;
}
