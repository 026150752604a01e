// SPDX-License-Identifier: MIT
#include "qp_pair.h"

#include <stdlib.h>
#include <time.h>

#include "checks.h"

#define PATIENCE 60 /* seconds */

struct ibv_context *pair_open_device(unsigned number)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *ctx;

	CHECK(list && n > (int)number);
	ctx = ibv_open_device(list[number]);
	ibv_free_device_list(list);
	CHECK(ctx != NULL);
	return ctx;
}

struct ibv_context *pair_open(void)
{
	return pair_open_device(0);
}

void pair_to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = PAIR_ACCESS,
	};

	CHECK_INT(
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		0);
}

void pair_new_qp(struct side *s)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = { PAIR_DEPTH, PAIR_DEPTH, 2, 2, 64 },
		.sq_sig_all = 1,
	};

	s->qp = ibv_create_qp(s->pd, &init);
	CHECK(s->qp != NULL);
	pair_to_init(s->qp);
}

void pair_side(struct pair *p, struct side *s, int cqe)
{
	s->pd = ibv_alloc_pd(p->ctx);
	s->cq = ibv_create_cq(p->ctx, cqe ? cqe : 2 * PAIR_DEPTH, NULL, p->channel, 0);
	s->buf = calloc(1, PAIR_BYTES);
	CHECK(s->pd && s->cq && s->buf);
	s->mr = ibv_reg_mr(s->pd, s->buf, PAIR_BYTES, PAIR_ACCESS);
	CHECK(s->mr != NULL);
	pair_new_qp(s);
}

void pair_make_on(struct pair *p, unsigned device, int cqe)
{
	p->ctx = pair_open_device(device);
	p->channel = ibv_create_comp_channel(p->ctx);
	CHECK(p->channel != NULL);
	pair_side(p, &p->a, cqe);
	pair_side(p, &p->b, cqe);
	pair_connect(p->ctx, p->a.qp, p->b.qp->qp_num, 14, 7);
	pair_connect(p->ctx, p->b.qp, p->a.qp->qp_num, 14, 7);
}

void pair_make(struct pair *p, int cqe)
{
	pair_make_on(p, 0, cqe);
}

static void side_close(struct side *s)
{
	CHECK_INT(ibv_destroy_qp(s->qp), 0);
	CHECK_INT(ibv_destroy_cq(s->cq), 0);
	CHECK_INT(ibv_dereg_mr(s->mr), 0);
	CHECK_INT(ibv_dealloc_pd(s->pd), 0);
	free(s->buf);
}

void pair_close(struct pair *p)
{
	side_close(&p->a);
	side_close(&p->b);
	CHECK_INT(ibv_destroy_comp_channel(p->channel), 0);
	CHECK_INT(ibv_close_device(p->ctx), 0);
}

int pair_gid_index(struct ibv_context *ctx, union ibv_gid *gid)
{
	static const union ibv_gid none;

	for (int i = 0; i < 64; i++)
		if (ibv_query_gid(ctx, 1, i, gid) == 0 && memcmp(gid, &none, sizeof none) != 0)
			return i;
	CHECK(!"there is a GID");
	return -1;
}

void pair_connect_to(struct ibv_context *ctx, struct ibv_qp *qp, const union ibv_gid *dgid,
		     uint32_t peer, uint8_t timeout, uint8_t retries)
{
	union ibv_gid own;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.rq_psn = 1000,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 } },
	};

	attr.ah_attr.grh.dgid = *dgid;
	attr.ah_attr.grh.sgid_index = (uint8_t)pair_gid_index(ctx, &own);
	CHECK_INT(ibv_modify_qp(qp, &attr, PAIR_TO_RTR), 0);
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 1000;
	attr.timeout = timeout;
	attr.retry_cnt = retries;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 4;
	CHECK_INT(ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
		  0);
}

void pair_connect(struct ibv_context *ctx, struct ibv_qp *qp, uint32_t peer, uint8_t timeout,
		  uint8_t retries)
{
	union ibv_gid own;

	pair_gid_index(ctx, &own);
	pair_connect_to(ctx, qp, &own, peer, timeout, retries);
}

int pair_post(struct side *from, const struct side *to, enum ibv_wr_opcode op, uint32_t n,
	      uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)from->buf, n, from->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = op };
	struct ibv_send_wr *bad;

	if (op != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = (uintptr_t)to->buf;
		wr.wr.rdma.rkey = to->mr->rkey;
	}
	return ibv_post_send(from->qp, &wr, &bad);
}

int pair_recv(struct side *s, uint32_t n, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, n, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(s->qp, &wr, &bad);
}

enum ibv_wc_status pair_wait(struct ibv_cq *cq, struct ibv_wc *wc)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc own;
	int n;

	if (!wc)
		wc = &own;
	do {
		n = ibv_poll_cq(cq, 1, wc);
		CHECK(n >= 0);
	} while (n == 0 && time(NULL) < end);
	CHECK_INT(n, 1);
	return wc->status;
}

uint8_t pair_byte(unsigned i, unsigned seed)
{
	return (uint8_t)(i * 7 + i / 256 + seed);
}

void pair_fill(uint8_t *buf, unsigned n, unsigned seed)
{
	for (unsigned i = 0; i < n; i++)
		buf[i] = pair_byte(i, seed);
}

static void moves(struct side *from, struct side *to, enum ibv_wr_opcode op, uint8_t seed)
{
	pair_fill(op == IBV_WR_RDMA_READ ? to->buf : from->buf, PAIR_BYTES, seed);
	memset(op == IBV_WR_RDMA_READ ? from->buf : to->buf, 0, PAIR_BYTES);
	if (op == IBV_WR_SEND)
		CHECK_INT(pair_recv(to, PAIR_BYTES, 0), 0);
	CHECK_INT(pair_post(from, to, op, PAIR_BYTES, 0), 0);
	CHECK_INT(pair_wait(from->cq, NULL), IBV_WC_SUCCESS);
	if (op == IBV_WR_SEND)
		CHECK_INT(pair_wait(to->cq, NULL), IBV_WC_SUCCESS);
	CHECK(memcmp(from->buf, to->buf, PAIR_BYTES) == 0);
}

void pair_works(struct pair *p)
{
	static _Thread_local uint8_t seed;

	moves(&p->a, &p->b, IBV_WR_RDMA_WRITE, ++seed);
	moves(&p->b, &p->a, IBV_WR_RDMA_READ, ++seed);
	moves(&p->a, &p->b, IBV_WR_SEND, ++seed);
}
