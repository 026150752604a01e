/* SPDX-License-Identifier: MIT */
/*
 * Posting to a send queue: ibv_post_send(3). Volume 1, 10.8.2 and 11.4.1.1; what
 * each operation may have is in spec/spec_tables.h. A wrong request is refused at once where
 * rdma_rxe does so; keys and addresses are checked when it is sent.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "queue_pair.h"
#include "send_queue.h"
#include "engine.h"
#include "profile.h"
#include "transport.h"
#include "spec_tables.h"

#define FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/* Is a place taken until its completion was polled, rather than until the peer's ACK? */
static bool polling_frees(void)
{
	return order_on() || profile_is_strict;
}

/* Places before it are free. */
static uint32_t first_taken(const struct qp *qp)
{
	return polling_frees() ? qp->order.polled : qp->sq.head;
}

static bool is_full(struct qp *qp)
{
	struct poster *p = &qp->post;

	if (qp->sq.tail + p->n - p->head < qp->sq.size)
		return false;
	SCOPED_ENGINE_LOCK(); /* it may have moved on */
	p->head = first_taken(qp);
	return qp->sq.tail + p->n - p->head >= qp->sq.size;
}

int stage_begin(struct qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, unsigned flags)
{
	const struct wr_op *op = wr_op_find(opcode);
	struct poster *p = &qp->post;
	struct send_wqe *w;

	if (!op || !((op->types & ~op->no_wire) & 1u << qp->type) || flags & ~(unsigned)FLAGS)
		return EINVAL;
	if (is_full(qp))
		return ENOMEM;
	w = sq_at(qp, qp->sq.tail + p->n);
	*w = (struct send_wqe){
		.wr_id = wr_id,
		.op = op,
		.flags = flags,
		.signaled = qp->sq_sig_all || flags & IBV_SEND_SIGNALED,
		.data = (uint8_t *)(w + 1),
	};
	p->wqe = w;
	p->needs_peer = qp->type == IBV_QPT_UD || (qp->type == IBV_QPT_XRC_SEND && !op->local);
	return 0;
}

int stage_sges(struct qp *qp, const struct ibv_sge *sge, int n)
{
	struct send_wqe *w = qp->post.wqe;
	uint64_t len = 0;

	if (n < 0 || (uint32_t)n > qp->cap.max_send_sge)
		return EINVAL;
	for (int i = 0; i < n; i++) {
		w->sge[i] = sge[i];
		len += sge[i].length;
	}
	if (len > MAX_MESSAGE)
		return EINVAL;
	w->nsge = n;
	w->len = (uint32_t)len;
	return 0;
}

/* Appends the bytes of one buffer. */
static int add_inline(struct qp *qp, const void *bytes, size_t n)
{
	struct send_wqe *w = qp->post.wqe;

	if (n > qp->cap.max_inline_data - w->len)
		return EINVAL;
	if (n)
		memcpy(w->data + w->len, bytes, n);
	w->len += (uint32_t)n;
	return 0;
}

static int begin_inline(struct qp *qp)
{
	qp->post.wqe->nsge = -1;
	qp->post.wqe->len = 0;
	qp->post.wqe->flags |= IBV_SEND_INLINE;
	return qp->post.wqe->op->inlines ? 0 : EINVAL;
}

int stage_inline(struct qp *qp, const struct ibv_data_buf *buf, size_t n)
{
	int err = begin_inline(qp);

	for (size_t i = 0; i < n && !err; i++)
		err = add_inline(qp, buf[i].addr, buf[i].length);
	return err;
}

static int inline_sges(struct qp *qp, const struct ibv_sge *sge, int n)
{
	int err = n >= 0 && (uint32_t)n <= qp->cap.max_send_sge ? begin_inline(qp) : EINVAL;

	for (int i = 0; i < n && !err; i++)
		err = add_inline(qp, (void *)(uintptr_t)sge[i].addr, sge[i].length);
	return err;
}

int stage_peer(struct qp *qp, struct ibv_ah *v, uint32_t qpn, uint32_t qkey)
{
	struct send_wqe *w = qp->post.wqe;

	if (!v || !same_domain(to_ah(v)->pd, qp->pd))
		return EINVAL;
	w->flow = to_ah(v)->flow;
	w->dest_qpn = qpn & PSN_MASK;
	w->dest_qkey = qkey;
	qp->post.needs_peer = false;
	return 0;
}

void stage_srqn(struct qp *qp, uint32_t srqn)
{
	qp->post.wqe->remote_srqn = srqn & PSN_MASK;
	qp->post.needs_peer = false;
}

static void fill_bind(struct send_wqe *w, struct ibv_mw *mw, uint32_t rkey,
		      const struct ibv_mw_bind_info *info)
{
	SCOPED_ENGINE_LOCK(); /* another thread may be binding the window */
	w->bind = region_window_bind_of(mw, rkey, info);
}

int stage_bind(struct qp *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	if (!mw || ((struct mw *)mw)->type != IBV_MW_TYPE_2)
		return EINVAL;
	fill_bind(qp->post.wqe, mw, rkey, info);
	return 0;
}

int stage_end(struct qp *qp)
{
	struct poster *p = &qp->post;
	struct send_wqe *w = p->wqe;

	p->wqe = NULL;
	if (p->needs_peer)
		return EINVAL;
	if (w->op->atomic) {
		if (w->len < 8)
			return EINVAL;
		w->len = 8; /* more room than that is not used */
	}
	if (w->op->code == IBV_WR_ATOMIC_WRITE && w->len != 8)
		return EINVAL;
	p->n++;
	return 0;
}

/* If nothing is on its way, the next request gets the first slot again, which is in the caches.
 * With 1,000 QPs of 64 slots each, requests go through half as much memory. */
static void start_over(struct qp *qp)
{
	struct send_queue *sq = &qp->sq;

	if (sq->head != sq->tail || polling_frees())
		return;
	sq->tail = (sq->tail + sq->mask) & ~sq->mask;
	sq->head = sq->next = qp->req.at = sq->tail;
}

static void lend(struct qp *qp, uint32_t n)
{
	for (uint32_t at = qp->sq.tail; n; n--, at++) {
		const struct send_wqe *w = sq_at(qp, at);

		lent_out(&qp->sq, at, w->sge, w->nsge, w->op->sink);
	}
}

int stage_commit(struct qp *qp)
{
	struct poster *p = &qp->post;
	int err = 0;

	engine_lock();
	p->head = first_taken(qp);
	if (qp_state(qp) < IBV_QPS_RTS) {
		err = EINVAL;
	} else if (p->n) {
		if (lent_seen)
			lend(qp, p->n);
		qp->sq.tail += p->n;
		requester_run(qp);
		if (qp->type != IBV_QPT_UD && qp_peer_is_here(qp))
			engine_flush_here();
		else
			engine_flush();
		start_over(qp);
		p->head = first_taken(qp);
	}
	engine_unlock();
	p->n = 0;
	p->wqe = NULL; /* one that was refused after it was begun */
	return err;
}

/* -------------------------------------------------------------- ibv_post_send -- */

static void fill_remote(struct send_wqe *w, const struct ibv_send_wr *wr)
{
	if (w->op->atomic) {
		w->remote = wr->wr.atomic.remote_addr;
		w->rkey = wr->wr.atomic.rkey;
		w->compare_add = wr->wr.atomic.compare_add;
		w->swap = wr->wr.atomic.swap;
	} else {
		w->remote = wr->wr.rdma.remote_addr;
		w->rkey = wr->wr.rdma.rkey;
	}
}

static int fill_request(struct qp *qp, const struct ibv_send_wr *wr)
{
	struct send_wqe *w = qp->post.wqe;
	const struct wr_op *op = w->op;

	if (wr->opcode == FLUSH_WR) /* only ibv_wr_flush() can say what it is to do */
		return EINVAL;
	if (op->remote)
		fill_remote(w, wr);
	if (op->imm)
		w->imm = wr->imm_data;
	else if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV)
		w->inv_rkey = wr->invalidate_rkey;
	else if (wr->opcode == IBV_WR_BIND_MW &&
		 stage_bind(qp, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info))
		return EINVAL;
	if (qp->type == IBV_QPT_XRC_SEND && !op->local)
		stage_srqn(qp, wr->qp_type.xrc.remote_srqn);
	if (op->local) /* has no data */
		return wr->send_flags & IBV_SEND_INLINE ? EINVAL : 0;
	if (wr->send_flags & IBV_SEND_INLINE)
		return inline_sges(qp, wr->sg_list, wr->num_sge);
	return stage_sges(qp, wr->sg_list, wr->num_sge);
}

static int stage_request(struct qp *qp, const struct ibv_send_wr *wr)
{
	int err = stage_begin(qp, wr->opcode, wr->wr_id, wr->send_flags);

	if (!err)
		err = fill_request(qp, wr);
	if (!err && qp->type == IBV_QPT_UD)
		err = stage_peer(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	return err ? err : stage_end(qp);
}

int post_send(struct ibv_qp *v, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct ibv_send_wr *first = wr;
	struct qp *qp = to_qp(v);
	int err = 0, refused;

	if (lent_seen)
		lent_begin(__builtin_return_address(0));
	pthread_mutex_lock(&qp->post.lock);
	for (; wr; wr = wr->next) {
		err = stage_request(qp, wr);
		if (err)
			break;
	}
	refused = stage_commit(qp); /* those before the bad one go all the same */
	pthread_mutex_unlock(&qp->post.lock);
	if (refused || err)
		*bad = refused ? first : wr;
	return refused ? refused : err;
}

int post_bind(struct ibv_qp *v, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind *b)
{
	struct qp *qp = to_qp(v);
	int err;

	pthread_mutex_lock(&qp->post.lock);
	err = stage_begin(qp, IBV_WR_BIND_MW, b->wr_id, b->send_flags);
	if (!err) {
		fill_bind(qp->post.wqe, mw, rkey, &b->bind_info);
		err = stage_end(qp);
	}
	if (!err)
		err = stage_commit(qp);
	pthread_mutex_unlock(&qp->post.lock);
	return err;
}
