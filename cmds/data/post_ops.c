/* SPDX-License-Identifier: MIT */
/* The operations as a table: what a provider would refuse without a word is refused by
 * name. */
#include "post_ops.h"

#define RC (1u << IBV_QPT_RC)
#define UC (1u << IBV_QPT_UC)
#define UD (1u << IBV_QPT_UD)

const struct post_op post_ops[OPS] = {
	[OP_RECV] = { .name = "RECV", .types = RC | UC | UD, .sink = true },
	[OP_SEND] = { .name = "SEND",
		      .code = IBV_WR_SEND,
		      .types = RC | UC | UD,
		      .inlines = true,
		      .solicits = true },
	[OP_SEND_IMM] = { .name = "SEND_WITH_IMM",
			  .code = IBV_WR_SEND_WITH_IMM,
			  .types = RC | UC | UD,
			  .inlines = true,
			  .solicits = true },
	[OP_SEND_INV] = { .name = "SEND_WITH_INV",
			  .code = IBV_WR_SEND_WITH_INV,
			  .types = RC | UC,
			  .inlines = true,
			  .solicits = true },
	[OP_WRITE] = { .name = "RDMA_WRITE",
		       .code = IBV_WR_RDMA_WRITE,
		       .types = RC | UC,
		       .remote = true,
		       .inlines = true },
	[OP_WRITE_IMM] = { .name = "RDMA_WRITE_WITH_IMM",
			   .code = IBV_WR_RDMA_WRITE_WITH_IMM,
			   .types = RC | UC,
			   .remote = true,
			   .inlines = true,
			   .solicits = true },
	[OP_READ] = { .name = "RDMA_READ",
		      .code = IBV_WR_RDMA_READ,
		      .types = RC,
		      .remote = true,
		      .sink = true },
	[OP_CMP_SWAP] = { .name = "ATOMIC_CMP_AND_SWP",
			  .code = IBV_WR_ATOMIC_CMP_AND_SWP,
			  .types = RC,
			  .remote = true,
			  .atomic = true,
			  .sink = true },
	[OP_FETCH_ADD] = { .name = "ATOMIC_FETCH_AND_ADD",
			   .code = IBV_WR_ATOMIC_FETCH_AND_ADD,
			   .types = RC,
			   .remote = true,
			   .atomic = true,
			   .sink = true },
	[OP_BIND_MW] = { .name = "BIND_MW", .code = IBV_WR_BIND_MW, .types = RC | UC },
	[OP_LOCAL_INV] = { .name = "LOCAL_INV", .code = IBV_WR_LOCAL_INV, .types = RC | UC },
};
