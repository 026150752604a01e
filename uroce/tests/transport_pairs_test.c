/* SPDX-License-Identifier: MIT */
/*
 * The view of both ends of an error: the completion of the request, that of the receive, the
 * asynchronous event, and the states of the QPs. Volume 1, 9.9.2 and 9.9.3.
 */
#include "spec_tables.h"
#include "rig.h"

#include "checks.h"

#define MTU   256u
#define BYTES (8 * MTU)
#define NONE  (-1)

/* The mistake. */
enum wrong {
	NOTHING,
	LKEY,	      /* of the sender: unknown */
	LOCAL_RANGE,  /* beyond the sender's region */
	LOCAL_PD,     /* the sender's region is of another PD */
	LOCAL_RIGHTS, /* what comes back must be written, and may not */
	LOCAL_HOLE,   /* the sender's memory was unmapped */
	RKEY,
	REMOTE_RANGE,
	REMOTE_PD,
	REMOTE_RIGHTS, /* of the region */
	QP_RIGHTS,     /* of the peer's QP */
	REMOTE_HOLE,
	UNALIGNED,
	RECV_NONE,
	RECV_SHORT,
	RECV_LKEY,
	RECV_RIGHTS, /* it may not be written to */
	RECV_PD,
	RECV_HOLE,
	INVALIDATED,	/* the key to invalidate is none */
	TOO_BIG,	/* more than any message may have */
	ATOMIC_SIZE,	/* not eight bytes */
	NO_ATOMICS,	/* max_rd_atomic is 0 at the requester */
	NO_ANSWERS,	/* max_dest_rd_atomic is 0 at the responder */
	NOT_READY,	/* the peer is in INIT */
	NO_WINDOW,	/* BIND_MW, LOCAL_INV: of a key that is none */
	WHOLE_REGION,	/* FLUSH: the range is beyond the region, and does not count */
	RESERVED_LEVEL, /* FLUSH */
	RESERVED_TYPE,
};

#define ANY_LEN 0xffffffffu /* short and long ones */

static const struct pair {
	enum ibv_wr_opcode opcode;
	enum wrong wrong;
	uint32_t len;
	int status; /* of the request */
	int recv;   /* of the receive; NONE: it was not used */
	int event;  /* at the responder */
} pairs[] = {
	{ IBV_WR_SEND, NOTHING, ANY_LEN, IBV_WC_SUCCESS, IBV_WC_SUCCESS, NONE },
	{ IBV_WR_SEND, RECV_SHORT, ANY_LEN, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR, NONE },
	{ IBV_WR_SEND, RECV_LKEY, ANY_LEN, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, NONE },
	{ IBV_WR_SEND, RECV_RIGHTS, ANY_LEN, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, NONE },
	{ IBV_WR_SEND, RECV_PD, ANY_LEN, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, NONE },
	{ IBV_WR_SEND, RECV_HOLE, ANY_LEN, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, NONE },
	{ IBV_WR_SEND, RECV_LKEY, 0, IBV_WC_SUCCESS, IBV_WC_SUCCESS, NONE },
	{ IBV_WR_SEND, RECV_NONE, ANY_LEN, IBV_WC_RNR_RETRY_EXC_ERR, NONE, NONE },
	{ IBV_WR_SEND, LKEY, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_SEND, LOCAL_RANGE, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_SEND, LOCAL_PD, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_SEND, LOCAL_HOLE, 8, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_SEND, TOO_BIG, 8, IBV_WC_LOC_LEN_ERR, NONE, NONE },
	{ IBV_WR_SEND, NOT_READY, 8, IBV_WC_RETRY_EXC_ERR, NONE, NONE },
	{ IBV_WR_SEND_WITH_IMM, RECV_NONE, 0, IBV_WC_RNR_RETRY_EXC_ERR, NONE, NONE },
	{ IBV_WR_SEND_WITH_INV, INVALIDATED, ANY_LEN, IBV_WC_REM_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR,
	  NONE },

	{ IBV_WR_RDMA_WRITE, NOTHING, ANY_LEN, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_RDMA_WRITE, LKEY, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_RDMA_WRITE, RKEY, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE, REMOTE_RANGE, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE, REMOTE_PD, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE, REMOTE_RIGHTS, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE, QP_RIGHTS, ANY_LEN, IBV_WC_REM_INV_REQ_ERR, NONE,
	  IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_WRITE, REMOTE_HOLE, ANY_LEN, IBV_WC_REM_OP_ERR, NONE, IBV_EVENT_QP_FATAL },
	{ IBV_WR_RDMA_WRITE, RKEY, 0, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_RDMA_WRITE, TOO_BIG, 8, IBV_WC_LOC_LEN_ERR, NONE, NONE },

	{ IBV_WR_RDMA_WRITE_WITH_IMM, NOTHING, ANY_LEN, IBV_WC_SUCCESS, IBV_WC_SUCCESS, NONE },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, RKEY, 8, IBV_WC_REM_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR, NONE },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, RKEY, 3 * MTU, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, REMOTE_HOLE, 8, IBV_WC_REM_OP_ERR, IBV_WC_LOC_ACCESS_ERR,
	  NONE },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, RECV_NONE, ANY_LEN, IBV_WC_RNR_RETRY_EXC_ERR, NONE, NONE },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, RKEY, 0, IBV_WC_SUCCESS, IBV_WC_SUCCESS, NONE },

	{ IBV_WR_RDMA_READ, NOTHING, ANY_LEN, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_RDMA_READ, LKEY, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_RDMA_READ, LOCAL_RIGHTS, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_RDMA_READ, LOCAL_HOLE, ANY_LEN, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_RDMA_READ, RKEY, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_READ, REMOTE_RANGE, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_READ, REMOTE_RIGHTS, ANY_LEN, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_READ, QP_RIGHTS, ANY_LEN, IBV_WC_REM_INV_REQ_ERR, NONE,
	  IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_READ, REMOTE_HOLE, ANY_LEN, IBV_WC_REM_OP_ERR, NONE, IBV_EVENT_QP_FATAL },
	{ IBV_WR_RDMA_READ, RKEY, 0, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_RDMA_READ, NO_ATOMICS, 8, IBV_WC_LOC_QP_OP_ERR, NONE, NONE },
	{ IBV_WR_RDMA_READ, NO_ANSWERS, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_READ, NOT_READY, 8, IBV_WC_RETRY_EXC_ERR, NONE, NONE },

	{ IBV_WR_ATOMIC_FETCH_AND_ADD, NOTHING, 8, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, RKEY, 8, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, REMOTE_RANGE, 8, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, REMOTE_RIGHTS, 8, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, QP_RIGHTS, 8, IBV_WC_REM_INV_REQ_ERR, NONE,
	  IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, UNALIGNED, 8, IBV_WC_REM_INV_REQ_ERR, NONE,
	  IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, REMOTE_HOLE, 8, IBV_WC_REM_OP_ERR, NONE,
	  IBV_EVENT_QP_FATAL },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, ATOMIC_SIZE, 4, IBV_WC_LOC_LEN_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, LKEY, 8, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, LOCAL_RIGHTS, 8, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, NO_ANSWERS, 8, IBV_WC_REM_INV_REQ_ERR, NONE,
	  IBV_EVENT_QP_REQ_ERR },

	{ IBV_WR_ATOMIC_WRITE, NOTHING, 8, IBV_WC_SUCCESS, NONE, NONE },
	{ IBV_WR_ATOMIC_WRITE, RKEY, 8, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_WRITE, REMOTE_RANGE, 8, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_WRITE, REMOTE_RIGHTS, 8, IBV_WC_REM_ACCESS_ERR, NONE,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_WRITE, QP_RIGHTS, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_ATOMIC_WRITE, UNALIGNED, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_ATOMIC_WRITE, REMOTE_HOLE, 8, IBV_WC_REM_OP_ERR, NONE, IBV_EVENT_QP_FATAL },
	{ IBV_WR_ATOMIC_WRITE, ATOMIC_SIZE, 4, IBV_WC_LOC_LEN_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_WRITE, LKEY, 8, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_WRITE, LOCAL_HOLE, 8, IBV_WC_LOC_PROT_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_WRITE, NO_ATOMICS, 8, IBV_WC_LOC_QP_OP_ERR, NONE, NONE },
	{ IBV_WR_ATOMIC_WRITE, NO_ANSWERS, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },

	{ FLUSH_WR, NOTHING, 8, IBV_WC_SUCCESS, NONE, NONE },
	{ FLUSH_WR, RKEY, 8, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ FLUSH_WR, REMOTE_RANGE, 8, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ FLUSH_WR, WHOLE_REGION, 8, IBV_WC_SUCCESS, NONE, NONE },
	{ FLUSH_WR, RESERVED_LEVEL, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ FLUSH_WR, RESERVED_TYPE, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ FLUSH_WR, REMOTE_PD, 8, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ FLUSH_WR, REMOTE_RIGHTS, 8, IBV_WC_REM_ACCESS_ERR, NONE, IBV_EVENT_QP_ACCESS_ERR },
	{ FLUSH_WR, QP_RIGHTS, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },
	{ FLUSH_WR, NO_ATOMICS, 8, IBV_WC_LOC_QP_OP_ERR, NONE, NONE },
	{ FLUSH_WR, NO_ANSWERS, 8, IBV_WC_REM_INV_REQ_ERR, NONE, IBV_EVENT_QP_REQ_ERR },

	{ IBV_WR_BIND_MW, NO_WINDOW, 0, IBV_WC_MW_BIND_ERR, NONE, NONE },
	{ IBV_WR_LOCAL_INV, NO_WINDOW, 0, IBV_WC_LOC_QP_OP_ERR, NONE, NONE },
};

static uint8_t here[BYTES], landing[BYTES];
static _Alignas(8) uint8_t there[BYTES];
static uint32_t here_key, there_key, landing_key;
static uint32_t here_read_only, there_no_rights, landing_read_only;
static uint32_t here_other_pd, there_other_pd, landing_other_pd;

static bool is_rnr(const struct pair *t)
{
	return t->status == IBV_WC_RNR_RETRY_EXC_ERR;
}

/* by: the QP whose window it is */
static struct rig_wr request(const struct pair *t, uint32_t len, struct qp *by)
{
	struct rig_wr wr = { .wr_id = 1, .opcode = t->opcode, .nsge = 1, .unsignaled = true };

	wr.unsignaled = t->status != IBV_WC_SUCCESS; /* errors are signaled all the same */
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, len, here_key };
	wr.remote = (uintptr_t)there;
	wr.rkey = there_key;
	wr.inv_rkey = rig_bind(by);
	if (t->opcode == IBV_WR_BIND_MW)
		wr.bind = rig_window();
	if (t->opcode == FLUSH_WR) {
		wr.nsge = 0;
		wr.flush_len = len;
	}
	switch (t->wrong) {
	case LKEY:
		wr.sge[0].lkey ^= 0x100;
		break;
	case LOCAL_RANGE:
		wr.sge[0].addr = (uintptr_t)here + sizeof(here) - len + 1;
		break;
	case LOCAL_PD:
		wr.sge[0].lkey = here_other_pd;
		break;
	case LOCAL_RIGHTS:
		wr.sge[0].lkey = here_read_only;
		break;
	case LOCAL_HOLE:
		rig_hole = here;
		break;
	case RKEY:
		wr.rkey ^= 0x100;
		break;
	case WHOLE_REGION:
		wr.feth = FETH(FLUSH_GLOBAL, FLUSH_MR);
		wr.remote = 0;
		break;
	case RESERVED_LEVEL:
		wr.feth = FETH(FLUSH_GLOBAL, 2);
		break;
	case RESERVED_TYPE:
		wr.feth = FETH(FLUSH_GLOBAL | 4, FLUSH_RANGE);
		break;
	case REMOTE_RANGE:
		wr.remote = (uintptr_t)there + sizeof(there) - (len & ~7u) + (len == 8 ? 0 : 1);
		wr.remote += len == 8 ? 8 : 0;
		break;
	case REMOTE_PD:
		wr.rkey = there_other_pd;
		break;
	case REMOTE_RIGHTS:
		wr.rkey = there_no_rights;
		break;
	case REMOTE_HOLE:
		rig_hole = there;
		break;
	case UNALIGNED:
		wr.remote += 4;
		break;
	case INVALIDATED:
		wr.inv_rkey ^= 1;
		break;
	case TOO_BIG:
		wr.sge[0].length = MAX_MESSAGE + 1;
		break;
	case NO_WINDOW:
		wr.nsge = 0;
		wr.inv_rkey = wr.bind.window = 0x79;
		break;
	default:
		break;
	}
	return wr;
}

static void post_recvs(const struct pair *t, struct qp *b, uint32_t len)
{
	uint32_t key = t->wrong == RECV_LKEY	 ? landing_key ^ 0x100
		       : t->wrong == RECV_RIGHTS ? landing_read_only
		       : t->wrong == RECV_PD	 ? landing_other_pd
						 : landing_key;

	if (t->wrong == RECV_NONE)
		return;
	if (t->wrong == RECV_HOLE)
		rig_hole = landing;
	rig_recv(b, 10, landing, t->wrong == RECV_SHORT ? len - 1 : BYTES, key);
	rig_recv(b, 11, landing, BYTES, landing_key);
}

static void set_limits(const struct pair *t, struct rig_options *oa, struct rig_options *ob)
{
	*oa = *ob = rig_defaults;
	oa->mtu = ob->mtu = MTU;
	oa->rnr_retry = 2;
	if (t->wrong == QP_RIGHTS)
		ob->access = 0;
	if (t->wrong == NO_ATOMICS)
		oa->rd_atomic = 0;
	if (t->wrong == NO_ANSWERS)
		ob->rd_atomic = 0;
}

/* Everything behind the error is flushed, in order. */
static void check_requester(const struct pair *t, struct qp *a)
{
	struct ibv_wc wc;

	for (uint64_t id = 1; id <= 2; id++) {
		int want = id == 1			 ? t->status
			   : t->status == IBV_WC_SUCCESS ? IBV_WC_SUCCESS
							 : IBV_WC_WR_FLUSH_ERR;

		CHECK(rig_poll(a->send_cq, &wc));
		CHECK_INT(wc.wr_id, id);
		CHECK_INT(wc.status, want);
	}
	CHECK(!rig_poll(a->send_cq, &wc));
	CHECK_INT(qp_state(a), t->status == IBV_WC_SUCCESS ? IBV_QPS_RTS : IBV_QPS_ERR);
}

static void check_responder(const struct pair *t, struct qp *b)
{
	struct ibv_wc wc;
	bool failed = t->event != NONE || (t->recv != NONE && t->recv != IBV_WC_SUCCESS);
	uint64_t id = 10;

	if (t->recv != NONE) {
		CHECK(rig_poll(b->recv_cq, &wc));
		CHECK_INT(wc.wr_id, id++);
		CHECK_INT(wc.status, t->recv);
	}
	for (; failed && id <= 11; id++) {
		CHECK(rig_poll(b->recv_cq, &wc));
		CHECK_INT(wc.wr_id, id);
		CHECK_INT(wc.status, IBV_WC_WR_FLUSH_ERR);
	}
	CHECK(!rig_poll(b->recv_cq, &wc));
	CHECK_INT(rig_event().type, t->event);
	CHECK_INT(rig_event().type, NONE);
	if (t->wrong != NOT_READY)
		CHECK_INT(qp_state(b), failed ? IBV_QPS_ERR : IBV_QPS_RTS);
}

static void check_pair(const struct pair *t, uint32_t len)
{
	struct rig_options oa, ob;
	struct rig_wr wr, behind = { .wr_id = 2, .opcode = IBV_WR_RDMA_WRITE };
	struct qp *a, *b;

	set_limits(t, &oa, &ob);
	a = rig_qp(&oa);
	b = rig_qp(&ob);
	if (t->wrong != NOT_READY) {
		rig_rtr(b, a, &ob);
		rig_rts(b, &ob);
	}
	rig_rtr(a, b, &oa);
	rig_rts(a, &oa);
	rig_hole_bytes = BYTES;
	wr = request(t, len, t->opcode == IBV_WR_LOCAL_INV ? a : b);
	post_recvs(t, b, len);
	memset(there, 0xaa, sizeof(there));
	rig_post(a, &wr);
	rig_post(a, &behind);
	rig_run(0);
	check_requester(t, a);
	check_responder(t, b);
	for (unsigned i = 0; i < sizeof(there) && t->status != IBV_WC_SUCCESS && !is_rnr(t); i++)
		CHECK_INT(there[i], 0xaa);
	if (is_rnr(t)) /* the first time, and rnr_retry times again */
		CHECK_INT(counters[CNT_SEND_RNR], oa.rnr_retry + 1);
	rig_hole = NULL;
	counters[CNT_SEND_RNR] = 0;
	rig_free(a);
	rig_free(b);
	rig_clear();
}

/* UC: nobody is told what happens at the other end. */
static void check_uc(void)
{
	static const struct {
		enum wrong wrong;
		enum ibv_wr_opcode opcode;
		int status, recv;
	} uc[] = {
		{ RECV_SHORT, IBV_WR_SEND, IBV_WC_SUCCESS, NONE },
		{ RECV_LKEY, IBV_WR_SEND, IBV_WC_SUCCESS, IBV_WC_LOC_PROT_ERR },
		{ RECV_NONE, IBV_WR_SEND, IBV_WC_SUCCESS, NONE },
		{ RKEY, IBV_WR_RDMA_WRITE, IBV_WC_SUCCESS, NONE },
		{ REMOTE_RIGHTS, IBV_WR_RDMA_WRITE, IBV_WC_SUCCESS, NONE },
		{ QP_RIGHTS, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WC_SUCCESS, NONE },
		{ REMOTE_HOLE, IBV_WR_RDMA_WRITE, IBV_WC_SUCCESS, NONE },
		{ LKEY, IBV_WR_SEND, IBV_WC_LOC_PROT_ERR, NONE },
		{ NO_WINDOW, IBV_WR_BIND_MW, IBV_WC_MW_BIND_ERR, NONE },
		{ INVALIDATED, IBV_WR_SEND_WITH_INV, IBV_WC_LOC_QP_OP_ERR, NONE },
	};

	for (unsigned i = 0; i < sizeof(uc) / sizeof(uc[0]); i++) {
		for (uint32_t len = 8; len < BYTES; len += 3 * MTU) {
			struct pair t = { uc[i].opcode, uc[i].wrong, len, uc[i].status, 0, 0 };
			struct rig_options oa, ob;
			struct rig_wr wr, good = { .wr_id = 2, .opcode = IBV_WR_SEND };
			struct ibv_wc wc;
			struct qp *a, *b;

			set_limits(&t, &oa, &ob);
			oa.type = ob.type = IBV_QPT_UC;
			a = rig_qp(&oa);
			b = rig_qp(&ob);
			rig_connect(a, b, &oa);
			rig_hole_bytes = BYTES;
			wr = request(&t, len, b);
			post_recvs(&t, b, len);
			rig_post(a, &wr);
			rig_run(0);
			CHECK_INT(rig_poll(a->send_cq, &wc),
				  uc[i].status != IBV_WC_SUCCESS || !wr.unsignaled);
			CHECK_INT(wc.status, uc[i].status);
			CHECK_INT(qp_state(a),
				  uc[i].status == IBV_WC_SUCCESS ? IBV_QPS_RTS : IBV_QPS_SQE);
			CHECK_INT(rig_poll(b->recv_cq, &wc), uc[i].recv != NONE);
			if (uc[i].recv != NONE) {
				CHECK_INT(wc.status, uc[i].recv);
				CHECK_INT(qp_state(b), IBV_QPS_ERR);
			} else {
				/* what comes next is received, in the receive that was left */
				if (qp_state(a) == IBV_QPS_SQE) {
					rig_post(a, &good);
					CHECK(rig_poll(a->send_cq, &wc));
					CHECK_INT(wc.status, IBV_WC_WR_FLUSH_ERR);
					rig_state(a, IBV_QPS_RTS);
				}
				rig_hole = NULL;
				if (t.wrong == RECV_NONE)
					rig_recv(b, 10, landing, BYTES, landing_key);
				rig_post(a, &good);
				rig_run(0);
				CHECK(rig_poll(b->recv_cq, &wc));
				CHECK_INT(wc.status, IBV_WC_SUCCESS);
				CHECK_INT(wc.wr_id, 10);
				CHECK_INT(wc.byte_len, 0);
			}
			CHECK_INT(rig_event().type, NONE);
			rig_hole = NULL;
			rig_free(a);
			rig_free(b);
			rig_clear();
		}
	}
}

/* UD: a receive at fault ends the QP; a send at fault only stops it. */
static void check_ud(void)
{
	struct rig_options o = rig_defaults;
	struct rig_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND, .nsge = 1, .dgid = rig_gid_b };
	struct srq *srq = rig_srq(rig_pd, NULL);
	struct ibv_wc wc;
	struct qp *a, *b, *c;

	o.type = IBV_QPT_UD;
	a = rig_qp(&o);
	b = rig_qp(&o);
	o.srq = srq;
	c = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_connect(c, b, &o);
	wr.qpn = b->v.qp_num;
	wr.qkey = b->attr.qkey;
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, 8, here_key };
	rig_recv(b, 9, landing, BYTES, landing_key ^ 0x100);
	rig_post(a, &wr);
	rig_run(0);
	CHECK(rig_poll(b->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_LOC_PROT_ERR);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);

	/* too short, of a shared queue: it cannot be put back */
	wr.qpn = c->v.qp_num;
	rig_srq_recv(srq, 4, landing, GRH_BYTES + 7, landing_key);
	rig_srq_recv(srq, 5, landing, GRH_BYTES + 8, landing_key);
	rig_post(a, &wr);
	rig_post(a, &wr);
	rig_run(0);
	CHECK(rig_poll(c->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_LOC_LEN_ERR);
	CHECK(rig_poll(c->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_SUCCESS);
	CHECK_INT(wc.wr_id, 5);
	CHECK_INT(rig_event().type, NONE);

	wr.sge[0].lkey ^= 0x100;
	rig_post(a, &wr);
	while (rig_poll(a->send_cq, &wc))
		;
	CHECK_INT(wc.status, IBV_WC_LOC_PROT_ERR);
	CHECK_INT(qp_state(a), IBV_QPS_SQE);
	rig_free(a);
	rig_free(b);
	rig_free(c);
	rig_srq_free(srq);
	rig_clear();
}

/* The last WQE event of QPs on a shared queue, and what is taken of it. */
static void check_srq(void)
{
	struct rig_options o = rig_defaults;
	struct srq *srq = rig_srq(rig_pd, NULL);
	struct rig_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND, .nsge = 1 };
	struct rig_event e;
	struct ibv_wc wc;
	struct qp *a, *b;

	o.srq = srq;
	a = rig_qp(&rig_defaults);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_srq_recv(srq, 4, landing, 2 * MTU, landing_key);
	rig_srq_recv(srq, 5, landing, BYTES, landing_key);
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, 3 * MTU, here_key };
	rig_post(a, &wr);
	rig_run(0);
	CHECK(rig_poll(b->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_LOC_LEN_ERR);
	CHECK_INT(wc.wr_id, 4);
	CHECK(!rig_poll(b->recv_cq, &wc));
	e = rig_event();
	CHECK(e.qp == b && e.type == IBV_EVENT_QP_LAST_WQE_REACHED);
	CHECK_INT(rig_event().type, NONE);
	rig_state(b, IBV_QPS_ERR);
	CHECK_INT(rig_event().type, NONE); /* once */
	rig_free(a);
	rig_free(b);
	rig_srq_free(srq);
	rig_clear();
}

/* The keys of a shared receive are of the PD of its queue, those that the peer names of that of the
 * QP. */
static void check_srq_pd(void)
{
	struct rig_options o = rig_defaults;
	struct srq *srq = rig_srq(rig_other_pd, NULL);
	struct rig_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND, .nsge = 1 };
	struct ibv_wc wc;
	struct qp *a, *b;

	o.srq = srq;
	a = rig_qp(&rig_defaults);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_srq_recv(srq, 4, landing, MTU, landing_other_pd);
	rig_srq_recv(srq, 5, landing, MTU, landing_key);
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, MTU, here_key };
	rig_post(a, &wr);
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.remote = (uintptr_t)there;
	wr.rkey = there_key;
	rig_post(a, &wr);
	rig_run(0);
	CHECK(rig_poll(b->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_SUCCESS);
	CHECK_INT(wc.wr_id, 4);
	for (int i = 0; i < 2; i++) {
		CHECK(rig_poll(a->send_cq, &wc));
		CHECK_INT(wc.status, IBV_WC_SUCCESS);
	}
	wr.opcode = IBV_WR_SEND;
	rig_post(a, &wr);
	rig_run(0);
	CHECK(rig_poll(b->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_LOC_PROT_ERR);
	CHECK_INT(wc.wr_id, 5);
	CHECK(rig_poll(a->send_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_REM_OP_ERR);
	rig_free(a);
	rig_free(b);
	rig_srq_free(srq);
	while (rig_event().type != NONE)
		;
	rig_clear();
}

int main(void)
{
	const unsigned all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			     FLUSH_ACCESS_GLOBAL;

	here_key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	here_read_only = rig_reg(rig_pd, here, BYTES, 0);
	here_other_pd = rig_reg(rig_other_pd, here, BYTES, all);
	there_key = rig_reg(rig_pd, there, BYTES, all);
	there_no_rights = rig_reg(rig_pd, there, BYTES, IBV_ACCESS_LOCAL_WRITE);
	there_other_pd = rig_reg(rig_other_pd, there, BYTES, all);
	landing_key = rig_reg(rig_pd, landing, BYTES, IBV_ACCESS_LOCAL_WRITE);
	landing_read_only = rig_reg(rig_pd, landing, BYTES, 0);
	landing_other_pd = rig_reg(rig_other_pd, landing, BYTES, all);
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].len != ANY_LEN) {
			check_pair(&pairs[i], pairs[i].len);
			continue;
		}
		check_pair(&pairs[i], 8);
		check_pair(&pairs[i], MTU);
		check_pair(&pairs[i], 3 * MTU + 5);
	}
	check_uc();
	check_ud();
	check_srq();
	check_srq_pd();
	return checks_end();
}
