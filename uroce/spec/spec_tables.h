/* SPDX-License-Identifier: MIT */
/* Tables of the specification, for the device and for whoever explains what it does: codes in
 * attributes and packets, the transitions of a QP, the operations of a queue. */
#ifndef UROCE_SPEC_TABLES_H
#define UROCE_SPEC_TABLES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------------- codes -- */

/* Microseconds of an RNR NAK timer, min_rnr_timer of a QP: table 46. Five bits; others are
 * cut off. */
uint32_t spec_rnr_timer_us(unsigned code);

/* Nanoseconds of a QP's timeout: 4.096 us * 2^code, volume 1, 9.7.6.1.3. 0: none, wait for
 * ever. Five bits; others are cut off. */
uint64_t spec_ack_timeout_ns(unsigned code);

/* Bytes of an MTU; 0: no such code. */
unsigned spec_mtu_bytes(enum ibv_mtu mtu);
/* The largest MTU that is not larger than so many bytes; 0: less than 256. */
enum ibv_mtu spec_mtu_of_bytes(unsigned bytes);

/* ------------------------------------------------------------ transitions of QPs -- */

/*
 * The state machine of a QP: which transitions there are, and which attributes each
 * needs and takes. Volume 1, 10.3.1 and 11.2.5.2; the device goes by it, and the shell
 * explains with it what a bare EINVAL does not.
 */

/* Masks are of IBV_QP_... bits, without IBV_QP_STATE. */
struct qp_row {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	unsigned required, optional;
	unsigned refused; /* of optional: what the kernel refuses for its devices */
	const char *note; /* where devices differ from the rule, or NULL */
};

/* Ends with a row whose type is 0. */
extern const struct qp_row qp_rows[];

/* The row of a transition, NULL: there is none. from == to: attributes of that state. */
const struct qp_row *qp_row(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to);

enum qp_answer {
	QP_OK,
	QP_NO_TRANSITION,
	QP_NO_CUR_STATE, /* CUR_STATE may not be given in RESET, INIT, ERR */
	QP_MISSING,	 /* required attributes are not in the mask */
	QP_EXTRA,	 /* the mask has attributes that the transition does not take */
};

struct qp_verdict {
	enum qp_answer answer; /* the first reason; missing and extra may both be set */
	const struct qp_row *row;
	unsigned missing, extra;
	unsigned refused; /* of the mask: right by the rule, and yet the kernel says EINVAL */
};

/* Does the rule allow these attributes for this transition? */
struct qp_verdict qp_judge(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to,
			   unsigned mask);

/* -------------------------------------------------------- operations of a queue -- */

/* The needs and rights of each operation of a queue: ibv_post_send(3), volume 1, 10.8. */

/* FLUSH, which the headers of release 44 do not name; in later ones these are IBV_WR_FLUSH and so
 * on. */
#define FLUSH_WR		((enum ibv_wr_opcode)14)
#define FLUSH_WC		((enum ibv_wc_opcode)8)
#define FLUSH_SEND_OP		(1u << 11)
#define FLUSH_ACCESS_GLOBAL	(1u << 8)
#define FLUSH_ACCESS_PERSISTENT (1u << 9)
#define FLUSH_GLOBAL		1u /* bits of ibv_placement_type */
#define FLUSH_PERSISTENT	2u
#define FLUSH_TYPE_IS_VALID(t)	((t) && !((t) & ~(FLUSH_GLOBAL | FLUSH_PERSISTENT)))
#define FLUSH_RANGE		0u /* values of ibv_selectivity_level */
#define FLUSH_MR		1u

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
	bool has_response;	 /* of its own, not only an ACK: max_rd_atomic at a time */
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
	WR_FLUSH,
	WR_ATOMIC_WRITE,
	WR_BIND_MW,
	WR_LOCAL_INV,
	WR_OPS
};

extern const struct wr_op wr_ops[WR_OPS];

/* The operation with that opcode; NULL: not in the table. */
const struct wr_op *wr_op_find(enum ibv_wr_opcode code);

#endif
