/* SPDX-License-Identifier: MIT */
/*
 * The other way to post: ibv_wr_post(3). From wr_start() to wr_complete() requests are
 * written beyond the tail of the queue, then all of them are posted, or none. Volume 1, 11.4.1.1.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "post.h"
#include "wr_ops.h"

static struct qp *of(struct ibv_qp_ex *ex)
{
	return to_qp(&ex->qp_base);
}

static void keep(struct qp *qp, int err)
{
	if (!qp->post.err)
		qp->post.err = err;
}

/* Ends the request before this one, if there is one, and begins the next: NULL when that
 * failed, or something before it. */
static struct send_wqe *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct qp *qp = of(ex);

	if (!qp->post.open)
		keep(qp, EINVAL);
	if (qp->post.wqe && !qp->post.err)
		keep(qp, stage_end(qp));
	if (!qp->post.err)
		keep(qp,
		     stage_begin(qp, opcode, ex->wr_id, ex->wr_flags & ~(unsigned)IBV_SEND_INLINE));
	return qp->post.err ? NULL : qp->post.wqe;
}

/* The request that what follows is about: NULL when there is none. */
static struct send_wqe *current(struct ibv_qp_ex *ex)
{
	struct qp *qp = of(ex);

	if (!qp->post.wqe)
		keep(qp, EINVAL);
	return qp->post.err ? NULL : qp->post.wqe;
}

/* ------------------------------------------------------------- operations -- */

static struct send_wqe *begin_remote(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey,
				     uint64_t remote)
{
	struct send_wqe *w = begin(ex, opcode);

	if (w) {
		w->rkey = rkey;
		w->remote = remote;
	}
	return w;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote,
			      uint64_t compare, uint64_t swap)
{
	struct send_wqe *w = begin_remote(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote);

	if (w) {
		w->compare_add = compare;
		w->swap = swap;
	}
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, uint64_t add)
{
	struct send_wqe *w = begin_remote(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote);

	if (w)
		w->compare_add = add;
}

/* The value is copied at once, whether or not it is to be sent inline. */
static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, const void *value)
{
	struct ibv_data_buf buf = { (void *)(uintptr_t)value, sizeof(uint64_t) };

	if (begin_remote(ex, IBV_WR_ATOMIC_WRITE, rkey, remote))
		keep(of(ex), stage_inline(of(ex), &buf, 1));
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote)
{
	begin_remote(ex, IBV_WR_RDMA_READ, rkey, remote);
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote)
{
	begin_remote(ex, IBV_WR_RDMA_WRITE, rkey, remote);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, __be32 imm)
{
	struct send_wqe *w = begin_remote(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote);

	if (w)
		w->imm = imm;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct send_wqe *w = begin(ex, IBV_WR_SEND_WITH_IMM);

	if (w)
		w->imm = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct send_wqe *w = begin(ex, IBV_WR_SEND_WITH_INV);

	if (w)
		w->inv_rkey = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct send_wqe *w = begin(ex, IBV_WR_LOCAL_INV);

	if (w)
		w->inv_rkey = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	if (begin(ex, IBV_WR_BIND_MW))
		keep(of(ex), stage_bind(of(ex), mw, rkey, info));
}

/* Stands for each operation that the QP does not have, and for those of newer headers. */
static void wr_unknown(struct ibv_qp_ex *ex)
{
	keep(of(ex), EOPNOTSUPP);
}

/* ---------------------------------------------------------------- setters -- */

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	if (current(ex))
		keep(of(ex),
		     of(ex)->type == IBV_QPT_UD ? stage_peer(of(ex), ah, qpn, qkey) : EINVAL);
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	if (!current(ex))
		return;
	if (of(ex)->type == IBV_QPT_XRC_SEND && !of(ex)->post.op->local)
		stage_srqn(of(ex), srqn);
	else
		keep(of(ex), EINVAL);
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *sge)
{
	struct qp *qp = of(ex);

	if (!current(ex))
		return;
	if (qp->post.op->local || n > MAX_SGE)
		keep(qp, EINVAL);
	else
		keep(qp, stage_sges(qp, sge, (int)n));
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *buf)
{
	if (current(ex))
		keep(of(ex), stage_inline(of(ex), buf, n));
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ex, 1, &buf);
}

/* -------------------------------------------------------- begin and end -- */

static void close_batch(struct poster *p)
{
	p->n = 0;
	p->wqe = NULL;
	p->err = 0;
	p->open = false;
	pthread_mutex_unlock(&p->lock);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct poster *p = &of(ex)->post;

	pthread_mutex_lock(&p->lock);
	p->n = 0;
	p->wqe = NULL;
	p->err = 0;
	p->open = true;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct qp *qp = of(ex);
	int err;

	if (!qp->post.open)
		return EINVAL;
	if (qp->post.wqe && !qp->post.err)
		keep(qp, stage_end(qp));
	err = qp->post.err;
	if (!err)
		err = stage_commit(qp);
	close_batch(&qp->post);
	return err;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct poster *p = &of(ex)->post;

	if (p->open)
		close_batch(p);
}

/* --------------------------------------------------------------- the table -- */

#define FIRST offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp)

/* What a QP was not created for is refused; so is what headers to come have behind the end of the
 * structure. No pointer that an application may find is NULL. */
static void refuse_all(struct qp *qp)
{
	void (*refuse)(struct ibv_qp_ex *) = wr_unknown;

	for (size_t at = FIRST; at + sizeof refuse <= sizeof qp->room; at += sizeof refuse)
		memcpy(qp->room + at, &refuse, sizeof refuse);
}

static void set_operations(struct ibv_qp_ex *ex, uint64_t ops)
{
#define SET(flag, fn)                    \
	if (ops & IBV_QP_EX_WITH_##flag) \
	ex->fn = fn
	SET(ATOMIC_CMP_AND_SWP, wr_atomic_cmp_swp);
	SET(ATOMIC_FETCH_AND_ADD, wr_atomic_fetch_add);
	SET(ATOMIC_WRITE, wr_atomic_write);
	SET(BIND_MW, wr_bind_mw);
	SET(LOCAL_INV, wr_local_inv);
	SET(RDMA_READ, wr_rdma_read);
	SET(RDMA_WRITE, wr_rdma_write);
	SET(RDMA_WRITE_WITH_IMM, wr_rdma_write_imm);
	SET(SEND, wr_send);
	SET(SEND_WITH_IMM, wr_send_imm);
	SET(SEND_WITH_INV, wr_send_inv);
#undef SET
}

void wr_ex_init(struct qp *qp)
{
	struct ibv_qp_ex *ex = &qp->ex;

	if (!qp->post.send_ops)
		return;
	refuse_all(qp);
	set_operations(ex, qp->post.send_ops);
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
}
