/* SPDX-License-Identifier: MIT */
/* The operations as a table: what a provider would refuse without a word is refused by
 * name. Volume 1, 10.8.2 and 11.4.1.1. */
#include "wr_ops.h"

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
	   .types = RC, .remote = true, .sink = true, .asks = true),
	OP(CMP_SWAP, ATOMIC_CMP_AND_SWP, COMP_SWAP,
	   .types = RC, .remote = true, .atomic = true, .sink = true, .asks = true),
	OP(FETCH_ADD, ATOMIC_FETCH_AND_ADD, FETCH_ADD,
	   .types = RC, .remote = true, .atomic = true, .sink = true, .asks = true),
	OP(ATOMIC_WRITE, ATOMIC_WRITE, ATOMIC_WRITE,
	   .types = 1u << IBV_QPT_RC, .remote = true, .inlines = true, .asks = true),
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
	AT(ATOMIC_WRITE) = WR_ATOMIC_WRITE,
};
/* clang-format on */

const struct wr_op *wr_op_find(enum ibv_wr_opcode code)
{
	if ((unsigned)code >= sizeof by_code || by_code[code] == WR_RECV)
		return NULL;
	return &wr_ops[by_code[code]];
}
