/* SPDX-License-Identifier: MIT */
/* ibv_post_send(): what is taken, what is refused, and what the requester then finds. */
#include <errno.h>

#include "queue_pair.h"
#include "checks.h"
#include "verbs_app.h"
#include "spec_tables.h"

static char bytes[64] = "seventeen bytes.";
static struct ibv_sge sges[2] = { { 0, 8, 0x11 }, { 0, 16, 0x22 } };
static struct mr mr;
static struct mw mw = { .type = IBV_MW_TYPE_2, .rkey = 0x4400 };
static struct ibv_ah *ah;

/* Of 8 bytes: the first SGE alone. */
static bool is_word(const struct wr_op *op)
{
	return op->atomic || op->code == IBV_WR_ATOMIC_WRITE;
}

/* A request that is right for that operation. */
static struct ibv_send_wr good(const struct wr_op *op, enum ibv_qp_type type)
{
	struct ibv_send_wr wr = { .wr_id = 0xabcd, .opcode = op->code };

	sges[0].addr = (uintptr_t)bytes;
	sges[1].addr = (uintptr_t)bytes + 20;
	if (!op->local) {
		wr.sg_list = sges;
		wr.num_sge = is_word(op) ? 1 : 2;
	}
	if (op->atomic) {
		wr.wr.atomic.remote_addr = 0x8000;
		wr.wr.atomic.rkey = 0x33;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = 6;
	} else if (op->remote) {
		wr.wr.rdma.remote_addr = 0x8001;
		wr.wr.rdma.rkey = 0x33;
	}
	if (type == IBV_QPT_UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = 0x99;
		wr.wr.ud.remote_qkey = 0x80000001;
	}
	if (op->imm)
		wr.imm_data = htobe32(0x1234);
	else
		wr.invalidate_rkey = 0x77;
	if (op->code == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw.v;
		wr.bind_mw.rkey = 0x4401;
		wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ &mr.v, 0x10, 0x20, 0 };
	}
	return wr;
}

static struct qp *new_qp(enum ibv_qp_type type)
{
	struct qp *qp = app_qp(type, NULL, 0);

	app_state(qp, IBV_QPS_RTS);
	rig_transport.works = true;
	return qp;
}

/* A request that is done at once leaves the queue where it starts over: at the first slot. */
static void posted(struct qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	uint32_t tail = qp->sq.tail;

	CHECK_INT(ibv_post_send(&qp->v, wr, &bad), 0);
	CHECK(bad == NULL);
	CHECK_INT(qp->sq.tail, tail + (rig_transport.works ? qp->sq.mask + 1 : 1));
	if (rig_transport.works)
		CHECK_INT(qp->sq.tail & qp->sq.mask, 0);
}

static void refused(struct qp *qp, struct ibv_send_wr *wr, int err)
{
	struct ibv_send_wr *bad = NULL;
	uint32_t tail = qp->sq.tail;

	CHECK_INT(ibv_post_send(&qp->v, wr, &bad), err);
	CHECK(bad == wr);
	CHECK_INT(qp->sq.tail, tail);
}

static const struct send_wqe *last(struct qp *qp)
{
	return sq_at(qp, qp->sq.head == qp->sq.tail ? 0 : qp->sq.tail - 1);
}

static void check_wqe(const struct send_wqe *w, const struct wr_op *op, enum ibv_qp_type type)
{
	CHECK_INT(w->wr_id, 0xabcd);
	CHECK(w->op == op);
	CHECK(!w->started && !w->signaled);
	CHECK_INT(w->nsge, op->local ? 0 : is_word(op) ? 1 : 2);
	CHECK_INT(w->len, op->local ? 0 : is_word(op) ? 8 : 24);
	CHECK(memcmp(w->sge, sges, (size_t)w->nsge * sizeof *sges) == 0);
	if (op->remote) {
		CHECK_INT(w->rkey, 0x33);
		CHECK_INT(w->remote, op->atomic ? 0x8000 : 0x8001);
		CHECK_INT(w->compare_add, op->atomic ? 5 : 0);
	}
	if (op->code == IBV_WR_SEND_WITH_INV || op->code == IBV_WR_LOCAL_INV)
		CHECK_INT(w->inv_rkey, 0x77);
	else
		CHECK_INT(be32toh(w->imm), op->imm ? 0x1234 : 0);
	if (type == IBV_QPT_UD) {
		CHECK_INT(w->dest_qpn, 0x99);
		CHECK_INT(w->dest_qkey, 0x80000001);
		CHECK(memcmp(&w->flow.dgid, &to_ah(ah)->flow.dgid, 16) == 0);
	}
	if (op->code == IBV_WR_BIND_MW) {
		CHECK_INT(w->bind.window, 0x4400);
		CHECK_INT(w->bind.rkey, 0x4401);
		CHECK_INT(w->bind.len, 0x20);
	}
}

static void test_operations(void)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

	for (unsigned t = 0; t < 3; t++) {
		struct qp *qp = new_qp(types[t]);

		for (unsigned i = WR_SEND; i < WR_OPS; i++) {
			const struct wr_op *op = &wr_ops[i];
			struct ibv_send_wr wr = good(op, types[t]);

			/* ibv_wr_flush() alone can say what to flush */
			if ((op->types & ~op->no_wire) & 1u << types[t] && i != WR_FLUSH) {
				posted(qp, &wr);
				check_wqe(last(qp), op, types[t]);
			} else {
				refused(qp, &wr, EINVAL);
			}
		}
		ibv_destroy_qp(&qp->v);
	}
}

/* One thing wrong at a time. */
static void test_refused(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC), *ud = new_qp(IBV_QPT_UD);
	struct ibv_sge three[3] = { { 0 } }, big = { 0, MAX_MESSAGE, 0 };
	struct ibv_send_wr wr;
	struct pd other = { .domain = &other };

#define WITH(op, change, answer)                 \
	wr = good(&wr_ops[WR_##op], IBV_QPT_RC); \
	change;                                  \
	answer

	WITH(SEND, wr.opcode = IBV_WR_TSO, refused(qp, &wr, EINVAL));
	WITH(SEND, wr.opcode = (enum ibv_wr_opcode)1000, refused(qp, &wr, EINVAL));
	WITH(SEND, wr.opcode = (enum ibv_wr_opcode) - 1, refused(qp, &wr, EINVAL));
	WITH(SEND, wr.send_flags = IBV_SEND_IP_CSUM, refused(qp, &wr, EINVAL));
	WITH(SEND, wr.send_flags = 1 << 20, refused(qp, &wr, EINVAL));
	WITH(SEND, wr.num_sge = -1, refused(qp, &wr, EINVAL));
	WITH(SEND, (wr.sg_list = three, wr.num_sge = 3), refused(qp, &wr, EINVAL));
	WITH(SEND, (wr.sg_list = &big, wr.num_sge = 1), posted(qp, &wr));
	CHECK_INT(last(qp)->len, MAX_MESSAGE);
	big.length++;
	WITH(SEND, (wr.sg_list = &big, wr.num_sge = 1), refused(qp, &wr, EINVAL));
	WITH(SEND, wr.num_sge = 0, posted(qp, &wr));
	WITH(CMP_SWAP, wr.wr.atomic.remote_addr++, posted(qp, &wr)); /* the responder refuses it */
	WITH(FETCH_ADD, wr.num_sge = 0, refused(qp, &wr, EINVAL));
	WITH(ATOMIC_WRITE, wr.num_sge = 0, refused(qp, &wr, EINVAL));
	WITH(ATOMIC_WRITE, wr.num_sge = 2, refused(qp, &wr, EINVAL)); /* 24 bytes */
	WITH(FETCH_ADD, wr.num_sge = 2, posted(qp, &wr)); /* 24 bytes: 8 are used, as by rxe */
	CHECK_INT(last(qp)->len, 8);
	WITH(READ, wr.send_flags = IBV_SEND_INLINE, refused(qp, &wr, EINVAL));
	WITH(CMP_SWAP, wr.send_flags = IBV_SEND_INLINE, refused(qp, &wr, EINVAL));
	WITH(LOCAL_INV, wr.send_flags = IBV_SEND_INLINE, refused(qp, &wr, EINVAL));
	WITH(BIND_MW, wr.bind_mw.mw = NULL, refused(qp, &wr, EINVAL));
	mw.type = IBV_MW_TYPE_1;
	WITH(BIND_MW, , refused(qp, &wr, EINVAL));
	mw.type = IBV_MW_TYPE_2;
	wr = good(&wr_ops[WR_SEND], IBV_QPT_UD);
	wr.wr.ud.ah = NULL;
	refused(ud, &wr, EINVAL);
	wr.wr.ud.ah = ah;
	to_ah(ah)->pd = &other;
	refused(ud, &wr, EINVAL);
	to_ah(ah)->pd = to_pd(app_pd);
	ibv_destroy_qp(&qp->v);
	ibv_destroy_qp(&ud->v);
}

static void test_inline(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC);
	struct ibv_send_wr wr = good(&wr_ops[WR_SEND_IMM], IBV_QPT_RC);
	const struct send_wqe *w;

	wr.send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	memcpy(bytes + 20, "ABCDEFGHIJKLMNOP", 16);
	posted(qp, &wr);
	w = last(qp);
	CHECK(w->signaled);
	CHECK_INT(w->flags, wr.send_flags);
	CHECK_INT(w->nsge, -1);
	CHECK_INT(w->len, 24);
	memset(bytes, 0, sizeof bytes); /* copied when it was posted */
	CHECK(memcmp(w->data, "seventee", 8) == 0);
	CHECK(memcmp(w->data + 8, "ABCDEFGHIJKLMNOP", 16) == 0);
	CHECK_INT(qp->cap.max_inline_data, 32);
	sges[1].length = 24;
	posted(qp, &wr);
	sges[1].length = 25;
	refused(qp, &wr, EINVAL);
	sges[1].length = UINT32_MAX;
	refused(qp, &wr, EINVAL);
	sges[1].length = 16;
	wr.num_sge = 3;
	refused(qp, &wr, EINVAL);
	wr.num_sge = 0;
	posted(qp, &wr);
	CHECK_INT(last(qp)->len, 0);
	ibv_destroy_qp(&qp->v);
}

static void test_states(void)
{
	static const int answers[] = { EINVAL, EINVAL, EINVAL, 0, 0, 0, 0 };
	struct qp *qp = new_qp(IBV_QPT_UC);
	struct ibv_send_wr wr = good(&wr_ops[WR_SEND], IBV_QPT_UC);

	for (enum ibv_qp_state s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++) {
		app_state(qp, s);
		rig_transport.runs = rig_flushes = 0;
		if (answers[s])
			refused(qp, &wr, EINVAL);
		else
			posted(qp, &wr);
		CHECK_INT(rig_transport.runs, !answers[s]);
		CHECK_INT(rig_flushes, !answers[s]);
	}
	ibv_destroy_qp(&qp->v);
}

static void test_chains(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC);
	struct ibv_send_wr wr[6], *bad;

	for (unsigned i = 0; i < 6; i++) {
		wr[i] = good(&wr_ops[WR_WRITE], IBV_QPT_RC);
		wr[i].wr_id = i;
		wr[i].next = i < 5 ? &wr[i + 1] : NULL;
	}
	rig_transport.works = false;
	rig_transport.runs = 0;
	CHECK_INT(ibv_post_send(&qp->v, wr, &bad), ENOMEM);
	CHECK(bad == &wr[4]); /* four fit, and they are posted */
	CHECK_INT(qp->sq.tail, 4);
	CHECK_INT(rig_transport.runs, 1); /* all at once */
	refused(qp, &wr[5], ENOMEM);
	qp->sq.head += 2; /* two are done: seen although nothing was posted since */
	qp->sq.next = qp->sq.head;
	posted(qp, &wr[5]);
	posted(qp, &wr[5]);
	refused(qp, &wr[5], ENOMEM);
	for (unsigned i = 0; i < 4; i++)
		CHECK_INT(sq_at(qp, 2 + i)->wr_id, i < 2 ? 2 + i : 5);

	qp->sq.head = qp->sq.next = qp->sq.tail;
	wr[2].send_flags = 1 << 20;
	CHECK_INT(ibv_post_send(&qp->v, wr, &bad), EINVAL);
	CHECK(bad == &wr[2]);
	CHECK_INT(qp->sq.tail, 8);
	app_state(qp, IBV_QPS_RTR);
	CHECK_INT(ibv_post_send(&qp->v, wr, &bad), EINVAL);
	CHECK(bad == &wr[0]);
	CHECK_INT(qp->sq.tail, 8);
	ibv_destroy_qp(&qp->v);
}

/* The positions run over 2^32, and the queue is still as long. */
static void test_wrap(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC);
	struct ibv_send_wr wr = good(&wr_ops[WR_SEND], IBV_QPT_RC);

	rig_transport.works = false;
	qp->sq.head = qp->sq.next = qp->sq.tail = UINT32_MAX - 1;
	for (unsigned i = 0; i < 4; i++)
		posted(qp, &wr);
	refused(qp, &wr, ENOMEM);
	qp->sq.head++;
	posted(qp, &wr);
	ibv_destroy_qp(&qp->v);
}

static void test_bind(void)
{
	struct qp *qp = new_qp(IBV_QPT_RC), *ud = new_qp(IBV_QPT_UD);
	struct mw one = { .type = IBV_MW_TYPE_1, .rkey = 0x8800 };
	struct ibv_mw_bind b = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };

	CHECK_INT(post_bind(&qp->v, &one.v, 0x8801, &b), 0);
	CHECK_INT(last(qp)->op->code, IBV_WR_BIND_MW);
	CHECK_INT(last(qp)->bind.window, 0x8800);
	CHECK_INT(last(qp)->wr_id, 3);
	CHECK(last(qp)->signaled);
	CHECK_INT(post_bind(&ud->v, &one.v, 0x8801, &b), EINVAL);
	ibv_destroy_qp(&qp->v);
	ibv_destroy_qp(&ud->v);
}

int main(void)
{
	struct ibv_ah_attr av;

	app_open();
	av = app_av(1);
	ah = ibv_create_ah(app_pd, &av);
	CHECK(ah != NULL);
	test_operations();
	test_refused();
	test_inline();
	test_states();
	test_chains();
	test_wrap();
	test_bind();
	ibv_destroy_ah(ah);
	app_close();
	return checks_end();
}
