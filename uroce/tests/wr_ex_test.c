/* SPDX-License-Identifier: MIT */
/* ibv_wr_...(): the same requests as ibv_post_send() makes, all of a batch or none. */
#include <errno.h>
#include <semaphore.h>
#include <stddef.h>

#include "queue_pair.h"
#include "checks.h"
#include "engine.h"
#include "verbs_app.h"
#include "spec_tables.h"

#define RC_OPS                                                                                     \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_SEND_WITH_INV |       \
	 IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |                          \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |                            \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | \
	 IBV_QP_EX_WITH_ATOMIC_WRITE)
#define MOST_OPS (RC_OPS & ~(uint64_t)IBV_QP_EX_WITH_ATOMIC_WRITE)

static char bytes[32] = "what is sent inline, 24.";
static struct ibv_sge sges[2];
static struct mr mr;
static struct mw mw = { .type = IBV_MW_TYPE_2, .rkey = 0x4400 };

static struct qp *new_qp(enum ibv_qp_type type, uint64_t ops)
{
	struct qp *qp = app_qp(type, NULL, ops);

	app_state(qp, IBV_QPS_RTS);
	return qp;
}

#define SAME(field) (memcmp(&a->field, &b->field, sizeof a->field) == 0)

static bool same_flow(const struct flow *a, const struct flow *b)
{
	return SAME(sgid) && SAME(dgid) && SAME(scope) && SAME(tclass) && SAME(hops);
}

static bool same_bind(const struct window_bind *a, const struct window_bind *b)
{
	return SAME(window) && SAME(rkey) && SAME(lkey) && SAME(addr) && SAME(len) && SAME(access);
}

/* Where the SGEs are differs by the slot; the rest is the same. */
static bool same(const struct send_wqe *a, const struct send_wqe *b, enum ibv_qp_type type)
{
	bool data = a->nsge < 0 ? memcmp(a->data, b->data, a->len) == 0
				: memcmp(a->sge, b->sge, (size_t)a->nsge * sizeof *a->sge) == 0;

	if (!data || !(SAME(nsge) && SAME(wr_id) && SAME(op) && SAME(flags) && SAME(signaled) &&
		       SAME(len) && SAME(imm) && SAME(started)))
		return false;
	if (a->op->code == IBV_WR_BIND_MW)
		return same_bind(&a->bind, &b->bind);
	if (type == IBV_QPT_UD)
		return same_flow(&a->flow, &b->flow) && SAME(dest_qpn) && SAME(dest_qkey);
	return SAME(remote_srqn) && SAME(remote) && SAME(rkey) && SAME(compare_add) && SAME(swap);
}

static struct ibv_send_wr request(const struct wr_op *op, struct ibv_ah *ah)
{
	struct ibv_send_wr wr = { .wr_id = 17, .opcode = op->code, .send_flags = IBV_SEND_FENCE };

	if (!op->local)
		wr.qp_type.xrc.remote_srqn = 0x1234567; /* of which 24 bits count */

	if (!op->local) {
		wr.sg_list = sges;
		wr.num_sge = op->atomic || op->code == IBV_WR_ATOMIC_WRITE ? 1 : 2;
	}
	if (op->inlines && op->remote)
		wr.send_flags |= IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	if (op->atomic) {
		wr.wr.atomic.remote_addr = 0x8000;
		wr.wr.atomic.rkey = 0x33;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = op->code == IBV_WR_ATOMIC_CMP_AND_SWP ? 6 : 0;
	} else if (op->remote) {
		wr.wr.rdma.remote_addr = 0x8001;
		wr.wr.rdma.rkey = 0x33;
	} else if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = 0x99;
		wr.wr.ud.remote_qkey = 0x1;
	}
	wr.imm_data = htobe32(0x1234);
	if (op->code == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw.v;
		wr.bind_mw.rkey = 0x4401;
		wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ &mr.v, 0x10, 0x20, 0 };
	}
	return wr;
}

static void start_one(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	uint32_t rkey = wr->wr.rdma.rkey;
	uint64_t to = wr->wr.rdma.remote_addr;

	ex->wr_id = wr->wr_id;
	ex->wr_flags = wr->send_flags;
	switch (wr->opcode) {
	case IBV_WR_SEND:
		return ibv_wr_send(ex);
	case IBV_WR_SEND_WITH_IMM:
		return ibv_wr_send_imm(ex, wr->imm_data);
	case IBV_WR_SEND_WITH_INV:
		return ibv_wr_send_inv(ex, wr->invalidate_rkey);
	case IBV_WR_RDMA_WRITE:
		return ibv_wr_rdma_write(ex, rkey, to);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return ibv_wr_rdma_write_imm(ex, rkey, to, wr->imm_data);
	case IBV_WR_RDMA_READ:
		return ibv_wr_rdma_read(ex, rkey, to);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return ibv_wr_atomic_cmp_swp(ex, wr->wr.atomic.rkey, to, wr->wr.atomic.compare_add,
					     wr->wr.atomic.swap);
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return ibv_wr_atomic_fetch_add(ex, wr->wr.atomic.rkey, to,
					       wr->wr.atomic.compare_add);
	case IBV_WR_ATOMIC_WRITE:
		return ibv_wr_atomic_write(ex, rkey, to, bytes);
	case IBV_WR_LOCAL_INV:
		return ibv_wr_local_inv(ex, wr->invalidate_rkey);
	default:
		return ibv_wr_bind_mw(ex, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
	}
}

static void write_one(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type type = ex->qp_base.qp_type;
	struct ibv_data_buf bufs[2];

	start_one(ex, wr);
	if (wr->opcode == IBV_WR_ATOMIC_WRITE) /* its value came with it */
		return;
	if (type == IBV_QPT_XRC_SEND && wr->qp_type.xrc.remote_srqn)
		ibv_wr_set_xrc_srqn(ex, wr->qp_type.xrc.remote_srqn);
	if (type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(ex, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	for (int i = 0; i < 2; i++)
		bufs[i] = (struct ibv_data_buf){ (void *)(uintptr_t)sges[i].addr, sges[i].length };
	if (wr->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data_list(ex, 2, bufs);
	else if (wr->num_sge == 1)
		ibv_wr_set_sge(ex, sges[0].lkey, sges[0].addr, sges[0].length);
	else if (wr->num_sge)
		ibv_wr_set_sge_list(ex, 2, sges);
}

static void test_same(enum ibv_qp_type type, uint64_t ops, struct ibv_ah *ah)
{
	struct qp *qp = new_qp(type, ops);
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(&qp->v);

	for (unsigned i = WR_SEND; i < WR_OPS; i++) {
		struct ibv_send_wr *bad, wr = request(&wr_ops[i], ah);

		if (!(wr_ops[i].ex & ops))
			continue;
		qp->sq.head = qp->sq.next = qp->sq.tail;
		CHECK_INT(ibv_post_send(&qp->v, &wr, &bad), 0);
		ibv_wr_start(ex);
		write_one(ex, &wr);
		CHECK_INT(ibv_wr_complete(ex), 0);
		CHECK_INT(qp->sq.tail - qp->sq.head, 2);
		CHECK(same(sq_at(qp, qp->sq.head), sq_at(qp, qp->sq.head + 1), type));
	}
	ibv_destroy_qp(&qp->v);
}

static void test_inline_one(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, RC_OPS);
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(&qp->v);
	const struct send_wqe *w;

	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE; /* the setter decides */
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, bytes, 24);
	ibv_wr_send(ex);
	CHECK_INT(ibv_wr_complete(ex), 0);
	CHECK_INT(qp->sq.tail, 3);
	w = sq_at(qp, 0);
	CHECK(w->nsge == 1 && w->len == 3 && !(w->flags & IBV_SEND_INLINE));
	w = sq_at(qp, 1);
	CHECK(w->nsge == -1 && w->len == 24 && memcmp(w->data, bytes, 24) == 0);
	w = sq_at(qp, 2);
	CHECK(w->nsge == 0 && w->len == 0);
	ibv_destroy_qp(&qp->v);
}

/* The number of a SRQ is needed, and XRC's alone. */
static void test_srqn(void)
{
	struct qp *qp = new_qp(IBV_QPT_XRC_SEND, MOST_OPS), *rc = new_qp(IBV_QPT_RC, RC_OPS);
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(&qp->v), *rc_ex = ibv_qp_to_qp_ex(&rc->v);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK_INT(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_xrc_srqn(ex, 0xff000011);
	CHECK_INT(ibv_wr_complete(ex), 0);
	CHECK_INT(sq_at(qp, 0)->remote_srqn, 0x11);
	ibv_wr_start(ex);
	ibv_wr_local_inv(ex, 1);
	CHECK_INT(ibv_wr_complete(ex), 0);
	ibv_wr_start(rc_ex);
	ibv_wr_send(rc_ex);
	ibv_wr_set_xrc_srqn(rc_ex, 1);
	CHECK_INT(ibv_wr_complete(rc_ex), EINVAL);
	ibv_destroy_qp(&qp->v);
	ibv_destroy_qp(&rc->v);
}

/* After any error nothing of the batch is posted, and the next batch is as if it had not
 * been. */
static void all_or_nothing(struct ibv_qp_ex *ex, int err)
{
	struct qp *qp = to_qp(&ex->qp_base);

	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	CHECK_INT(ibv_wr_complete(ex), err);
	CHECK_INT(qp->sq.tail, 0);
	CHECK_INT(qp->post.n, 0);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
}

static void test_errors(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, MOST_OPS);
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(&qp->v);
	struct ibv_sge three[3] = { { 0 } };

	ex->wr_flags = 0;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 3, three);
	all_or_nothing(ex, EINVAL);
	ibv_wr_set_inline_data(ex, bytes, qp->cap.max_inline_data + 1);
	all_or_nothing(ex, EINVAL);
	ibv_wr_set_ud_addr(ex, NULL, 1, 1);
	all_or_nothing(ex, EINVAL);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, bytes, 4);
	all_or_nothing(ex, EINVAL);
	ibv_wr_atomic_fetch_add(ex, 1, 8, 1);
	ibv_wr_set_sge(ex, 1, 2, 7);
	all_or_nothing(ex, EINVAL);
	ibv_wr_local_inv(ex, 5);
	ibv_wr_set_sge(ex, 1, 2, 8);
	all_or_nothing(ex, EINVAL);
	ex->wr_flags = 1 << 20;
	ibv_wr_send(ex);
	ex->wr_flags = 0;
	all_or_nothing(ex, EINVAL);
	for (unsigned i = 0; i < 4; i++) /* five are one too many */
		ibv_wr_send(ex);
	all_or_nothing(ex, ENOMEM);
	ex->wr_send_tso(ex, bytes, 1, 1);
	all_or_nothing(ex, EOPNOTSUPP);
	ex->wr_atomic_write(ex, 1, 8, bytes); /* the QP was not created for it */
	all_or_nothing(ex, EOPNOTSUPP);
	app_state(qp, IBV_QPS_RTR);
	all_or_nothing(ex, EINVAL);
	app_state(qp, IBV_QPS_RTS);
	ibv_wr_abort(ex);
	CHECK_INT(qp->sq.tail, 0);
	ibv_wr_start(ex);
	ibv_wr_set_sge(ex, 1, 2, 3); /* of what? */
	all_or_nothing(ex, EINVAL);
	CHECK_INT(ibv_wr_complete(ex), 0);
	CHECK_INT(qp->sq.tail, 1);
	ibv_wr_start(ex);
	CHECK_INT(ibv_wr_complete(ex), 0); /* nothing */
	CHECK_INT(qp->sq.tail, 1);
	CHECK_INT(ibv_wr_complete(ex), EINVAL); /* of nothing */
	ibv_wr_abort(ex);
	ibv_wr_send(ex); /* outside of a batch: does not fail the next one */
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK_INT(ibv_wr_complete(ex), 0);
	CHECK_INT(qp->sq.tail, 2);
	ibv_destroy_qp(&qp->v);
}

/* A request that ibv_post_send() has refused half-way is not posted with the next batch. */
static void test_after_refusal(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, RC_OPS);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = -1 }, *bad;

	CHECK_INT(ibv_post_send(&qp->v, &wr, &bad), EINVAL);
	ibv_wr_start(&qp->ex);
	CHECK_INT(ibv_wr_complete(&qp->ex), 0);
	CHECK_INT(qp->sq.tail - qp->sq.head, 0);
	ibv_wr_start(&qp->ex);
	ibv_wr_send(&qp->ex);
	CHECK_INT(ibv_wr_complete(&qp->ex), 0);
	CHECK_INT(qp->sq.tail - qp->sq.head, 1);
	ibv_destroy_qp(&qp->v);
}

static void flush(struct qp *qp, uint8_t type, uint8_t level, size_t len, int err)
{
	void (*wr_flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);
	const size_t at = offsetof(struct ibv_qp_ex, wr_atomic_write) + sizeof wr_flush;

	memcpy(&wr_flush, qp->room + at, sizeof wr_flush);
	ibv_wr_start(&qp->ex);
	wr_flush(&qp->ex, 0x33, 0x8001, len, type, level);
	CHECK_INT(ibv_wr_complete(&qp->ex), err);
}

static void test_flush(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, FLUSH_SEND_OP), *rc = new_qp(IBV_QPT_RC, RC_OPS);
	struct ibv_send_wr wr = { .opcode = FLUSH_WR }, *bad;
	const struct send_wqe *w;

	flush(qp, FLUSH_GLOBAL | FLUSH_PERSISTENT, FLUSH_MR, 77, 0);
	w = sq_at(qp, 0);
	CHECK(w->op == &wr_ops[WR_FLUSH] && w->rkey == 0x33 && w->remote == 0x8001);
	CHECK(w->flush_len == 77 && w->feth == 0x13 && w->nsge == 0 && w->len == 0);
	flush(qp, 0, FLUSH_MR, 77, EINVAL);
	flush(qp, 4, FLUSH_MR, 77, EINVAL);
	flush(qp, FLUSH_GLOBAL | 4, FLUSH_MR, 77, EINVAL);
	flush(qp, 0x11, FLUSH_MR, 77, EINVAL);
	flush(qp, FLUSH_GLOBAL, 2, 77, EINVAL);
	flush(qp, FLUSH_GLOBAL, FLUSH_RANGE, (size_t)1 << 32, EINVAL);
	flush(rc, FLUSH_GLOBAL, FLUSH_RANGE, 1, EOPNOTSUPP);
	CHECK_INT(ibv_post_send(&qp->v, &wr, &bad), EINVAL); /* which could not say what to flush */
	CHECK_INT(qp->sq.tail, 1);
	ibv_destroy_qp(&qp->v);
	ibv_destroy_qp(&rc->v);
}

/* A function that was not asked for at creation is there, and says so. */
static void test_pointers(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(&qp->v);
	void (*last)(struct ibv_qp_ex *), *null = NULL;

	for (size_t at = offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp); at < sizeof qp->room;
	     at += sizeof null)
		CHECK(memcmp(qp->room + at, &null, sizeof null) != 0);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	CHECK_INT(ibv_wr_complete(ex), EOPNOTSUPP);
	memcpy(&last, qp->room + sizeof qp->room - sizeof last, sizeof last);
	ibv_wr_start(ex);
	last(ex); /* of a header to come */
	CHECK_INT(ibv_wr_complete(ex), EOPNOTSUPP);
	CHECK_INT(qp->sq.tail, 0);
	ibv_destroy_qp(&qp->v);
}

#define EACH 20000 /* requests of each thread */

/* A program that finds the queue full says so, and waits until it has been worked off. */
static sem_t full, room;

static void wait_for_room(void)
{
	sem_post(&full);
	sem_wait(&room);
}

static void *post_plainly(void *arg)
{
	struct qp *qp = arg;
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND, .sg_list = sges, .num_sge = 2 };

	for (wr.wr_id = 0; wr.wr_id < EACH; wr.wr_id++)
		while (ibv_post_send(&qp->v, &wr, &bad) == ENOMEM)
			wait_for_room();
	sem_post(&full);
	return NULL;
}

static void *post_pairs(void *arg)
{
	struct ibv_qp_ex *ex = arg;
	uint64_t id = EACH;

	while (id < 2 * EACH) {
		ibv_wr_start(ex);
		for (unsigned i = 0; i < 2; i++) {
			ex->wr_id = id + i;
			ibv_wr_send_imm(ex, (__be32)(id + i));
			ibv_wr_set_inline_data(ex, &ex->wr_id, 8);
		}
		if (ibv_wr_complete(ex) == 0)
			id += 2;
		else
			wait_for_room();
	}
	sem_post(&full);
	return NULL;
}

/* Takes what there is; the requests of each thread come in its order, whole. */
static void work_off(struct qp *qp, uint64_t next[2])
{
	engine_lock();
	for (; qp->sq.head != qp->sq.tail; qp->sq.head++) {
		const struct send_wqe *w = sq_at(qp, qp->sq.head);
		bool pair = w->op->code == IBV_WR_SEND_WITH_IMM;

		CHECK_INT(w->wr_id, next[pair]);
		next[pair]++;
		if (pair)
			CHECK(memcmp(w->data, &w->wr_id, 8) == 0);
		else
			CHECK(w->nsge == 2 && memcmp(w->sge, sges, sizeof sges) == 0);
	}
	engine_unlock();
}

/* A thread that posts, one that posts batches, and the engine. */
static void test_threads(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC, RC_OPS);
	uint64_t next[2] = { 0, EACH };
	pthread_t a, b;

	sem_init(&full, 0, 0);
	sem_init(&room, 0, 0);
	CHECK_INT(pthread_create(&a, NULL, post_plainly, qp), 0);
	CHECK_INT(pthread_create(&b, NULL, post_pairs, &qp->ex), 0);
	while (next[0] < EACH || next[1] < 2 * EACH) {
		sem_wait(&full);
		work_off(qp, next);
		sem_post(&room);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	ibv_destroy_qp(&qp->v);
}

int main(void)
{
	struct ibv_ah_attr av;
	struct ibv_ah *ah;

	app_open();
	av = app_av(1);
	ah = ibv_create_ah(app_pd, &av);
	sges[0] = (struct ibv_sge){ (uintptr_t)bytes, 8, 0x11 };
	sges[1] = (struct ibv_sge){ (uintptr_t)bytes + 8, 16, 0x22 };
	test_same(IBV_QPT_RC, RC_OPS, NULL);
	test_same(IBV_QPT_XRC_SEND, MOST_OPS, NULL);
	test_same(IBV_QPT_UC,
		  IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_BIND_MW, NULL);
	test_same(IBV_QPT_UD, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM, ah);
	test_inline_one();
	test_srqn();
	test_errors();
	test_after_refusal();
	test_flush();
	test_pointers();
	test_threads();
	ibv_destroy_ah(ah);
	app_close();
	return checks_end();
}
