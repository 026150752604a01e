/* SPDX-License-Identifier: MIT */
/* Two QPs of one process, a and b, that are connected, each with a CQ of its own; and the table of
 * cases of a program. Objects that a case leaves are given back after it, so that nothing is
 * left by a correct one. */
#ifndef CHECKS_PAIR_H
#define CHECKS_PAIR_H

#include <signal.h>
#include <unistd.h>

#include "../defects/case_rig.h"

static struct rig r;
static struct ibv_cq *other_cq;
static struct ibv_qp *a, *b;
static unsigned depth_made; /* of the send queue of the last QP: its device may have made more */

#define DEPTH 16 /* requests of a queue of these QPs */
#define ALL_RIGHTS                                                                   \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* With room for two SGEs and a few bytes inline. */
static inline struct ibv_qp *make_wide_qp(enum ibv_qp_type type, struct ibv_cq *cq,
					  struct ibv_srq *srq, int signals_all)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.sq_sig_all = signals_all,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = 64,
		},
	};
	struct ibv_qp *qp = ibv_create_qp(r.pd, &attr);

	check("ibv_create_qp", qp ? 0 : errno);
	depth_made = attr.cap.max_send_wr;
	return qp;
}

static inline void open_pair(const char *address)
{
	open_rig(&r, address, 64);
	other_cq = ibv_create_cq(r.context, 64, NULL, NULL, 0);
	check("ibv_create_cq", other_cq ? 0 : errno);
	a = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0);
	b = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
}

/* An object that a case has given back itself is NULL. Like many programs, it does not look at the
 * results: what is still used stays. */
static inline void close_pair(void)
{
	ibv_destroy_qp(a);
	if (b)
		ibv_destroy_qp(b);
	ibv_dereg_mr(r.mr);
	ibv_destroy_cq(r.cq);
	ibv_destroy_cq(other_cq);
	ibv_dealloc_pd(r.pd);
	ibv_close_device(r.context);
	free(r.memory);
}

static inline void move_to(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	check("ibv_modify_qp", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

/* Posts len bytes from that place of the memory, to the place MEMORY / 2 of the peer's. */
static inline int post_from(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, size_t at,
			    size_t len, unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)r.memory + at, len, r.lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = flags,
		.wr.rdma = { .remote_addr = (uintptr_t)r.memory + MEMORY / 2, .rkey = r.mr->rkey },
	}, *bad;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)r.memory + MEMORY / 2;
		wr.wr.atomic.rkey = r.mr->rkey;
		wr.wr.atomic.compare_add = 1;
	}
	return ibv_post_send(qp, &wr, &bad);
}

static inline void post(enum ibv_wr_opcode opcode, size_t at, size_t len, unsigned flags)
{
	check("ibv_post_send", post_from(a, opcode, 1, at, len, flags));
}

static inline void receive_at(struct ibv_qp *qp, size_t at, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)r.memory + at, len, r.lkey };
	struct ibv_recv_wr wr = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_post_recv", ibv_post_recv(qp, &wr, &bad));
}

static inline struct ibv_mr *register_part(size_t at, size_t len)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory + at, len, ALL_RIGHTS);

	check("ibv_reg_mr", mr ? 0 : errno);
	return mr;
}

/* Runs the case named by the last argument, between the beginning and the end of the pair. */
static inline int run_case(const struct named_case *cases, size_t n, int argc, char **argv)
{
	return run_named(cases, n, open_pair, close_pair, argc, argv);
}

#define MAIN(cases)                                                                  \
	int main(int argc, char **argv)                                              \
	{                                                                            \
		return run_case(cases, sizeof(cases) / sizeof *(cases), argc, argv); \
	}

/* A call that waits for ever ends the program after a while. */
static inline void give_up(int number)
{
	(void)number;
	exit(3);
}

static inline void give_up_later(void)
{
	signal(SIGALRM, give_up);
	alarm(2);
}

#endif
