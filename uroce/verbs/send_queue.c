/* SPDX-License-Identifier: MIT */
/*
 * Posting to a send queue: ibv_post_send(3), ibv_wr_post(3). Volume 1, 10.8.2 and 11.4.1.1; what
 * each operation may have is in spec/spec_tables.h. A wrong request is refused at once where
 * rdma_rxe does so; keys and addresses are checked when it is sent.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "queue_pair.h"
#include "engine.h"
#include "profile.h"
#include "transport.h"
#include "spec_tables.h"

#define FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/*
 * ibv_post_send(3) and ibv_wr_post(3) stage requests beyond the tail of the queue with these, and
 * commit them together. All are called with qp->post.lock held and without the engine's lock, which
 * stage_commit() takes. They return 0 or an errno.
 */

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

/* Begins the next request: qp->post.wqe. EINVAL: this type of QP cannot do it, or the flags are
 * unknown; ENOMEM: the queue is full. */
static int stage_begin(struct qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, unsigned flags)
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

/* EINVAL: too many SGEs, or too long. */
static int stage_sges(struct qp *qp, const struct ibv_sge *sge, int n)
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

/* Copies the bytes now. EINVAL: too many, or the operation cannot be inline. */
static int stage_inline(struct qp *qp, const struct ibv_data_buf *buf, size_t n)
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

static int stage_peer(struct qp *qp, struct ibv_ah *v, uint32_t qpn, uint32_t qkey)
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

/* XRC: the number of the SRQ at the peer. */
static void stage_srqn(struct qp *qp, uint32_t srqn)
{
	qp->post.wqe->remote_srqn = srqn & PSN_MASK;
	qp->post.needs_peer = false;
}

static void fill_bind(struct send_wqe *w, struct ibv_mw *mw, uint32_t rkey,
		      const struct ibv_mw_bind_info *info)
{
	SCOPED_ENGINE_LOCK(); /* another thread may be binding the window */
	w->bind = window_bind_of(mw, rkey, info);
}

/* EINVAL: a window of type 1. */
static int stage_bind(struct qp *qp, struct ibv_mw *mw, uint32_t rkey,
		      const struct ibv_mw_bind_info *info)
{
	if (!mw || ((struct mw *)mw)->type != IBV_MW_TYPE_2)
		return EINVAL;
	fill_bind(qp->post.wqe, mw, rkey, info);
	return 0;
}

/* Checks the request as a whole; it counts from now on. */
static int stage_end(struct qp *qp)
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

/* Posts all that are staged, and starts the requester. EINVAL in a state that takes no requests;
 * what is staged is forgotten then. */
static int stage_commit(struct qp *qp)
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

/* -------------------------------------------------------- ibv_wr_post(3) -- */

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
	if (w->op->local || n > MAX_SGE)
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
