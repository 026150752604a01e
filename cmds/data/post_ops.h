/* SPDX-License-Identifier: MIT */
/* What each operation of a send queue needs and allows: ibv_post_send(3). */
#ifndef CMDS_POST_OPS_H
#define CMDS_POST_OPS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct post_op {
	const char *name;	 /* as in verbs.h without the prefix */
	enum ibv_wr_opcode code; /* nothing for RECV */
	unsigned types;		 /* bit (1 << IBV_QPT_...): the QP types that can do it */
	bool remote;		 /* has an address and a key at the peer */
	bool atomic;		 /* works on 8 aligned bytes */
	bool inlines;		 /* may carry its data in the work request */
	bool solicits;		 /* can raise a solicited event: it takes a RECV at the peer */
	bool sink;		 /* the device writes to the local SGEs */
};

enum post_op_index {
	OP_RECV,
	OP_SEND,
	OP_SEND_IMM,
	OP_SEND_INV,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_CMP_SWAP,
	OP_FETCH_ADD,
	OP_BIND_MW,
	OP_LOCAL_INV,
	OPS
};

extern const struct post_op post_ops[OPS];

#endif
