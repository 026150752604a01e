/* SPDX-License-Identifier: MIT */
/* Posting to a send queue by one call for each part of a request: ibv_wr_post(3). */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "queue_pair.h"
#include "send_queue.h"
#include "spec_tables.h"

/*
 * From wr_start() to wr_complete() requests are written beyond the tail of the queue; then all of
 * them are posted, or none. Volume 1, 11.4.1.1.
 */

static struct qp *qp_of(struct ibv_qp_ex *ex)
{
	return to_qp(&ex->qp_base);
}

static void keep_error(struct qp *qp, int err)
{
	if (!qp->post.err)
		qp->post.err = err;
}

/* The memory to which ibv_wr_...() write instead of a request that was refused. Nobody reads it. */
static _Thread_local struct send_wqe refused_wqe;

/* Ends the request before this one, if there is one, and begins the next, unless that fails or
 * something before it has. */
static struct send_wqe *begin_request(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct qp *qp = qp_of(ex);

	if (!qp->post.open)
		keep_error(qp, EINVAL);
	if (qp->post.wqe && !qp->post.err)
		keep_error(qp, stage_end(qp));
	if (!qp->post.err)
		keep_error(qp, stage_begin(qp, opcode, ex->wr_id,
					   ex->wr_flags & ~(unsigned)IBV_SEND_INLINE));
	return qp->post.err ? &refused_wqe : qp->post.wqe;
}

/* The request that the next calls are about; NULL: there is none. */
static struct send_wqe *current_request(struct ibv_qp_ex *ex)
{
	struct qp *qp = qp_of(ex);

	if (!qp->post.wqe)
		keep_error(qp, EINVAL);
	return qp->post.err ? NULL : qp->post.wqe;
}

/* ------------------------------------------------------------- operations -- */

static struct send_wqe *begin_remote(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey,
				     uint64_t remote)
{
	struct send_wqe *w = begin_request(ex, opcode);

	w->rkey = rkey;
	w->remote = remote;
	return w;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote,
			      uint64_t compare, uint64_t swap)
{
	struct send_wqe *w = begin_remote(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote);

	w->compare_add = compare;
	w->swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, uint64_t add)
{
	begin_remote(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote)->compare_add = add;
}

/* The value is copied at once, whether or not it is to be sent inline. */
static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, const void *value)
{
	struct ibv_data_buf buf = { (void *)(uintptr_t)value, sizeof(uint64_t) };

	if (begin_remote(ex, IBV_WR_ATOMIC_WRITE, rkey, remote) != &refused_wqe)
		keep_error(qp_of(ex), stage_inline(qp_of(ex), &buf, 1));
}

static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote, size_t len, uint8_t type,
		     uint8_t level)
{
	struct send_wqe *w = begin_remote(ex, FLUSH_WR, rkey, remote);

	if (!FLUSH_TYPE_IS_VALID(type) || level > FLUSH_MR || len > UINT32_MAX)
		keep_error(qp_of(ex), EINVAL);
	w->flush_len = (uint32_t)len;
	w->feth = FETH(type, level);
	w->nsge = 0;
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
	begin_remote(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote)->imm = imm;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin_request(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin_request(ex, IBV_WR_SEND_WITH_IMM)->imm = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_request(ex, IBV_WR_SEND_WITH_INV)->inv_rkey = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_request(ex, IBV_WR_LOCAL_INV)->inv_rkey = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	if (begin_request(ex, IBV_WR_BIND_MW) != &refused_wqe)
		keep_error(qp_of(ex), stage_bind(qp_of(ex), mw, rkey, info));
}

/* Stands for each operation that the QP does not have, and for those of newer headers. */
static void wr_unknown(struct ibv_qp_ex *ex)
{
	keep_error(qp_of(ex), EOPNOTSUPP);
}

/* ---------------------------------------------------------------- setters -- */

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	if (current_request(ex))
		keep_error(qp_of(ex), qp_of(ex)->type == IBV_QPT_UD
					      ? stage_peer(qp_of(ex), ah, qpn, qkey)
					      : EINVAL);
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	const struct send_wqe *w = current_request(ex);

	if (!w)
		return;
	if (qp_of(ex)->type == IBV_QPT_XRC_SEND && !w->op->local)
		stage_srqn(qp_of(ex), srqn);
	else
		keep_error(qp_of(ex), EINVAL);
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *sge)
{
	const struct send_wqe *w = current_request(ex);
	struct qp *qp = qp_of(ex);

	if (!w)
		return;
	if (w->op->local || w->op->code == FLUSH_WR || n > MAX_SGE)
		keep_error(qp, EINVAL);
	else
		keep_error(qp, stage_sges(qp, sge, (int)n));
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *buf)
{
	if (current_request(ex))
		keep_error(qp_of(ex), stage_inline(qp_of(ex), buf, n));
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
	struct poster *p = &qp_of(ex)->post;

	pthread_mutex_lock(&p->lock);
	p->err = 0; /* of a call outside of a batch */
	p->open = true;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct qp *qp = qp_of(ex);
	int err;

	if (lent_seen)
		lent_begin(__builtin_return_address(0));
	if (!qp->post.open)
		return EINVAL;
	if (qp->post.wqe && !qp->post.err)
		keep_error(qp, stage_end(qp));
	err = qp->post.err;
	if (!err)
		err = stage_commit(qp);
	close_batch(&qp->post);
	return err;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct poster *p = &qp_of(ex)->post;

	if (p->open)
		close_batch(p);
}

/* --------------------------------------------------------------- the table -- */

#define FIRST offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp)

/* Operations that the QP was not created for are refused, and so are those that newer headers have
 * behind the end of the structure. No pointer that an application may find is NULL. */
static void refuse_all(struct qp *qp)
{
	void (*refuse)(struct ibv_qp_ex *) = wr_unknown;

	for (size_t at = FIRST; at + sizeof refuse <= sizeof qp->room; at += sizeof refuse)
		memcpy(qp->room + at, &refuse, sizeof refuse);
}

/* The member behind wr_atomic_write, which release 44 does not have. */
static void set_flush(struct qp *qp)
{
	void (*flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t) = wr_flush;
	size_t at = offsetof(struct ibv_qp_ex, wr_atomic_write) + sizeof flush;

	memcpy(qp->room + at, &flush, sizeof flush);
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
	if (ops & FLUSH_SEND_OP)
		set_flush(qp_of(ex));
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
