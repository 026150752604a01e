/* SPDX-License-Identifier: MIT */
/*
 * Tables of the specification: the transitions of a QP, the operations of a queue, the codes of
 * timers and MTUs.
 *
 * The transitions have a row each, with their attributes: volume 1, 10.3.1 and 11.2.5.2; annex
 * A14 (XRC).
 *
 * IBV_QP_CAP is in no row: a QP cannot be resized through this check. RTS is reached
 * through INIT and RTR only, RESET -> ERR does not exist, and SQE is entered by the
 * device alone (a send of a UC or UD QP failed).
 */
#include "spec_tables.h"

#define PKEY IBV_QP_PKEY_INDEX
#define PORT IBV_QP_PORT
#define QKEY IBV_QP_QKEY
#define ACC  IBV_QP_ACCESS_FLAGS
#define AV   IBV_QP_AV
#define MTU  IBV_QP_PATH_MTU
#define DQPN IBV_QP_DEST_QPN
#define RPSN IBV_QP_RQ_PSN
#define SPSN IBV_QP_SQ_PSN
#define MDRA IBV_QP_MAX_DEST_RD_ATOMIC
#define MQRA IBV_QP_MAX_QP_RD_ATOMIC
#define RNRT IBV_QP_MIN_RNR_TIMER
#define TIME IBV_QP_TIMEOUT
#define RTRY IBV_QP_RETRY_CNT
#define RNRR IBV_QP_RNR_RETRY
#define ALT  IBV_QP_ALT_PATH
#define MIG  IBV_QP_PATH_MIG_STATE
#define CUR  IBV_QP_CUR_STATE
#define SQDN IBV_QP_EN_SQD_ASYNC_NOTIFY

#define ROW(type_, from_, to_, required_, optional_, ...)                              \
	{                                                                              \
		.type = IBV_QPT_##type_, .from = IBV_QPS_##from_, .to = IBV_QPS_##to_, \
		.required = required_, .optional = optional_, __VA_ARGS__              \
	}
#define PLAIN(from, to)                                                            \
	ROW(RC, from, to, 0, 0), ROW(UC, from, to, 0, 0), ROW(UD, from, to, 0, 0), \
		ROW(XRC_SEND, from, to, 0, 0), ROW(XRC_RECV, from, to, 0, 0)

/* clang-format off */
const struct qp_row qp_rows[] = {
	PLAIN(RESET, RESET),
	ROW(RC, RESET, INIT, PKEY | PORT | ACC,  0),
	ROW(UC, RESET, INIT, PKEY | PORT | ACC,  0),
	ROW(UD, RESET, INIT, PKEY | PORT | QKEY, 0),
	ROW(XRC_SEND, RESET, INIT, PKEY | PORT | ACC, 0),
	ROW(XRC_RECV, RESET, INIT, PKEY | PORT | ACC, 0),

	PLAIN(INIT, RESET),
	PLAIN(INIT, ERR),
	ROW(RC, INIT, INIT, 0, PKEY | PORT | ACC),
	ROW(UC, INIT, INIT, 0, PKEY | PORT | ACC),
	ROW(UD, INIT, INIT, 0, PKEY | PORT | QKEY),
	ROW(XRC_SEND, INIT, INIT, 0, PKEY | PORT | ACC),
	ROW(XRC_RECV, INIT, INIT, 0, PKEY | PORT | ACC),
	ROW(RC, INIT, RTR, AV | MTU | DQPN | RPSN | MDRA | RNRT, ALT | ACC | PKEY),
	ROW(UC, INIT, RTR, AV | MTU | DQPN | RPSN,		 ALT | ACC | PKEY),
	ROW(UD, INIT, RTR, 0,					 PKEY | QKEY),
	ROW(XRC_SEND, INIT, RTR, AV | MTU | DQPN | RPSN,	       ALT | ACC | PKEY),
	ROW(XRC_RECV, INIT, RTR, AV | MTU | DQPN | RPSN | MDRA | RNRT, ALT | ACC | PKEY),

	PLAIN(RTR, RESET),
	PLAIN(RTR, ERR),
	ROW(RC, RTR, RTS, TIME | RTRY | RNRR | SPSN | MQRA, CUR | ALT | ACC | RNRT | MIG),
	ROW(UC, RTR, RTS, SPSN,				    CUR | ALT | ACC | MIG),
	ROW(UD, RTR, RTS, SPSN,				    CUR | QKEY),
	ROW(XRC_SEND, RTR, RTS, TIME | RTRY | RNRR | SPSN | MQRA, CUR | ALT | ACC | MIG),
	ROW(XRC_RECV, RTR, RTS, TIME | SPSN,			  CUR | ALT | ACC | RNRT | MIG),

	PLAIN(RTS, RESET),
	PLAIN(RTS, ERR),
	ROW(RC, RTS, RTS, 0, CUR | ACC | ALT | MIG | RNRT),
	ROW(UC, RTS, RTS, 0, CUR | ACC | ALT | MIG),
	ROW(UD, RTS, RTS, 0, CUR | QKEY),
	ROW(XRC_SEND, RTS, RTS, 0, CUR | ACC | ALT | MIG),
	ROW(XRC_RECV, RTS, RTS, 0, CUR | ACC | ALT | MIG | RNRT),
	ROW(RC, RTS, SQD, 0, SQDN),
	ROW(UC, RTS, SQD, 0, SQDN),
	ROW(UD, RTS, SQD, 0, SQDN),
	ROW(XRC_SEND, RTS, SQD, 0, SQDN),
	ROW(XRC_RECV, RTS, SQD, 0, SQDN),

	PLAIN(SQD, RESET),
	PLAIN(SQD, ERR),
	ROW(RC, SQD, RTS, 0, CUR | ALT | ACC | RNRT | MIG),
	ROW(UC, SQD, RTS, 0, CUR | ALT | ACC | MIG),
	ROW(UD, SQD, RTS, 0, CUR | QKEY),
	ROW(XRC_SEND, SQD, RTS, 0, CUR | ALT | ACC | MIG),
	ROW(XRC_RECV, SQD, RTS, 0, CUR | ALT | ACC | RNRT | MIG),
	ROW(RC, SQD, SQD, 0, PORT | AV | TIME | RTRY | RNRR | MQRA | MDRA | ALT | ACC | PKEY |
			     RNRT | MIG),
	ROW(UC, SQD, SQD, 0, AV | ALT | ACC | PKEY | MIG, .refused = AV,
	    .note = "no AV through the kernel: uverbs adds PORT to it, and that the core refuses"),
	ROW(UD, SQD, SQD, 0, PKEY | QKEY),
	ROW(XRC_SEND, SQD, SQD, 0, PORT | AV | TIME | RTRY | RNRR | MQRA | ALT | ACC | PKEY | MIG),
	ROW(XRC_RECV, SQD, SQD, 0, PORT | AV | TIME | MDRA | ALT | ACC | PKEY | RNRT | MIG),

	PLAIN(SQE, RESET),
	PLAIN(SQE, ERR),
	ROW(RC, SQE, RTS, 0, 0, .note = "an RC QP never gets into SQE"),
	ROW(XRC_SEND, SQE, RTS, 0, 0),
	ROW(XRC_RECV, SQE, RTS, 0, 0),
	ROW(UC, SQE, RTS, 0, CUR | ACC, .note = "rxe has no SQE: a failed send ends in ERR"),
	ROW(UD, SQE, RTS, 0, CUR | QKEY, .note = "rxe has no SQE: a failed send ends in ERR"),

	PLAIN(ERR, RESET),
	PLAIN(ERR, ERR),
	{ 0 }
};
/* clang-format on */

const struct qp_row *qp_row(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (const struct qp_row *r = qp_rows; r->type; r++)
		if (r->type == type && r->from == from && r->to == to)
			return r;
	return NULL;
}

struct qp_verdict qp_judge(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to,
			   unsigned mask)
{
	struct qp_verdict v = { .row = qp_row(type, from, to) };

	mask &= ~(unsigned)IBV_QP_STATE;
	if (!v.row) {
		v.answer = QP_NO_TRANSITION;
		return v;
	}
	v.missing = v.row->required & ~mask;
	v.extra = mask & ~(v.row->required | v.row->optional);
	v.refused = mask & v.row->refused;
	if (v.missing)
		v.answer = QP_MISSING;
	else if (v.extra)
		v.answer = QP_EXTRA;
	if (mask & IBV_QP_CUR_STATE && (from < IBV_QPS_RTR || from == IBV_QPS_ERR))
		v.answer = QP_NO_CUR_STATE;
	return v;
}

/* -------------------------------------------------- operations of a queue -- */

/* The operations as a table: what a provider would refuse without a word is refused by
 * name. Volume 1, 10.8.2 and 11.4.1.1. */

#define RC (1u << IBV_QPT_RC | 1u << IBV_QPT_XRC_SEND)
#define UC (1u << IBV_QPT_UC)
#define UD (1u << IBV_QPT_UD)

/* The index, the opcode, what the completion says, the bit of ibv_create_qp_ex(3). */
#define OP(index_, name_, done_, ...)                   \
	[WR_##index_] = { .name = #name_,               \
			  .code = IBV_WR_##name_,       \
			  .done = IBV_WC_##done_,       \
			  .ex = IBV_QP_EX_WITH_##name_, \
			  __VA_ARGS__ }

/* clang-format off */
const struct wr_op wr_ops[WR_OPS] = {
	[WR_RECV] = { .name = "RECV", .types = 1u << IBV_QPT_RC | UC | UD, .done = IBV_WC_RECV,
		      .sink = true },
	OP(SEND, SEND, SEND,
	   .types = RC | UC | UD, .inlines = true, .solicits = true),
	OP(SEND_IMM, SEND_WITH_IMM, SEND,
	   .types = RC | UC | UD, .inlines = true, .solicits = true, .imm = true),
	OP(SEND_INV, SEND_WITH_INV, SEND,
	   .types = RC | UC, .no_wire = UC, .inlines = true, .solicits = true),
	OP(WRITE, RDMA_WRITE, RDMA_WRITE,
	   .types = RC | UC, .remote = true, .inlines = true),
	OP(WRITE_IMM, RDMA_WRITE_WITH_IMM, RDMA_WRITE,
	   .types = RC | UC, .remote = true, .inlines = true, .solicits = true, .imm = true),
	OP(READ, RDMA_READ, RDMA_READ,
	   .types = RC, .remote = true, .sink = true, .has_response = true),
	OP(CMP_SWAP, ATOMIC_CMP_AND_SWP, COMP_SWAP,
	   .types = RC, .remote = true, .atomic = true, .sink = true, .has_response = true),
	OP(FETCH_ADD, ATOMIC_FETCH_AND_ADD, FETCH_ADD,
	   .types = RC, .remote = true, .atomic = true, .sink = true, .has_response = true),
	[WR_FLUSH] = { .name = "FLUSH", .code = FLUSH_WR, .types = 1u << IBV_QPT_RC, .done = FLUSH_WC,
		       .ex = FLUSH_SEND_OP, .remote = true, .has_response = true },
	OP(ATOMIC_WRITE, ATOMIC_WRITE, ATOMIC_WRITE,
	   .types = 1u << IBV_QPT_RC, .remote = true, .inlines = true, .has_response = true),
	OP(BIND_MW, BIND_MW, BIND_MW, .types = RC | UC, .local = true),
	OP(LOCAL_INV, LOCAL_INV, LOCAL_INV, .types = RC | UC, .local = true),
};

/* By opcode; WR_RECV, which has none, is not there. */
#define AT(code) [IBV_WR_##code]
static const unsigned char by_code[] = {
	AT(RDMA_WRITE) = WR_WRITE,	   AT(RDMA_WRITE_WITH_IMM) = WR_WRITE_IMM,
	AT(SEND) = WR_SEND,		   AT(SEND_WITH_IMM) = WR_SEND_IMM,
	AT(RDMA_READ) = WR_READ,	   AT(ATOMIC_CMP_AND_SWP) = WR_CMP_SWAP,
	AT(ATOMIC_FETCH_AND_ADD) = WR_FETCH_ADD, AT(LOCAL_INV) = WR_LOCAL_INV,
	AT(BIND_MW) = WR_BIND_MW,	   AT(SEND_WITH_INV) = WR_SEND_INV,
	AT(ATOMIC_WRITE) = WR_ATOMIC_WRITE, [FLUSH_WR] = WR_FLUSH,
};
/* clang-format on */

const struct wr_op *wr_op_find(enum ibv_wr_opcode code)
{
	if ((unsigned)code >= sizeof by_code || by_code[code] == WR_RECV)
		return NULL;
	return &wr_ops[by_code[code]];
}

/* -------------------------------------------------------- codes ----------- */

uint32_t spec_rnr_timer_us(unsigned code)
{
	static const uint32_t us[32] = { 655360, 10,	 20,	 30,	40,    60,    80,
					 120,	 160,	 240,	 320,	480,   640,   960,
					 1280,	 1920,	 2560,	 3840,	5120,  7680,  10240,
					 15360,	 20480,	 30720,	 40960, 61440, 81920, 122880,
					 163840, 245760, 327680, 491520 };

	return us[code & 31];
}

uint64_t spec_ack_timeout_ns(unsigned code)
{
	return code & 31 ? UINT64_C(4096) << (code & 31) : 0;
}

unsigned spec_mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

enum ibv_mtu spec_mtu_of_bytes(unsigned bytes)
{
	enum ibv_mtu mtu = IBV_MTU_4096;

	while (mtu && spec_mtu_bytes(mtu) > bytes)
		mtu--;
	return mtu;
}
