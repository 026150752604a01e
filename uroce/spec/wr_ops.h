/* SPDX-License-Identifier: MIT */
/*
 * What each operation of a queue needs and allows: ibv_post_send(3), volume 1, 10.8.
 * Knows no device and no session.
 */
#ifndef UROCE_SPEC_WR_OPS_H
#define UROCE_SPEC_WR_OPS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct wr_op {
	const char *name;	 /* as in verbs.h without the prefix */
	enum ibv_wr_opcode code; /* nothing for RECV */
	unsigned types;		 /* bit (1 << IBV_QPT_...): the QP types that can do it */
	unsigned no_wire;	 /* of these types: those for which table 38 has no opcode */
	enum ibv_wc_opcode done; /* of the completion */
	unsigned ex;		 /* IBV_QP_EX_WITH_...; nothing for RECV */
	bool remote;		 /* has an address and a key at the peer */
	bool atomic;		 /* works on 8 aligned bytes */
	bool inlines;		 /* may carry its data in the work request */
	bool solicits;		 /* can raise a solicited event: it takes a RECV at the peer */
	bool sink;		 /* the device writes to the local SGEs */
	bool asks;		 /* is answered by more than an ACK: max_rd_atomic at a time */
	bool imm;		 /* carries immediate data */
	bool local;		 /* sends nothing: works on keys of our own */
};

enum wr_op_index {
	WR_RECV,
	WR_SEND,
	WR_SEND_IMM,
	WR_SEND_INV,
	WR_WRITE,
	WR_WRITE_IMM,
	WR_READ,
	WR_CMP_SWAP,
	WR_FETCH_ADD,
	WR_ATOMIC_WRITE,
	WR_BIND_MW,
	WR_LOCAL_INV,
	WR_OPS
};

extern const struct wr_op wr_ops[WR_OPS];

/* The operation with that opcode; NULL: not in the table. */
const struct wr_op *wr_op_find(enum ibv_wr_opcode code);

#endif
