/* SPDX-License-Identifier: MIT */
/* Why a work request is refused, judged from values alone. */
#ifndef MODEL_WR_FAULTS_H
#define MODEL_WR_FAULTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wr_op;

/* In the order in which they are looked for. */
enum wr_fault {
	WR_FITS,
	WR_MANY_SGES,
	WR_NOT_OF_TYPE,
	WR_NOT_IN_STATE,
	WR_NEVER_INLINE,
	WR_LONG_INLINE,
	WR_ODD_ATOMIC,
	WR_SIZE_OF_ATOMIC,
	WR_OF_SRQ,
	WR_QUEUE_FULL,
};

struct wr_judged {
	const struct wr_op *op;
	int num_sge;
	unsigned flags; /* enum ibv_send_flags */
	uint64_t bytes; /* of all SGEs */
	uint64_t remote_addr;
	const char *queue; /* the name of the QP or SRQ */
	uint32_t max_sge;  /* of the queue, as it was made */
	bool is_resized;   /* its room, since it was made */
	/* Of a QP; qp_type 0: the queue is an SRQ, and the rest does not matter. */
	enum ibv_qp_type qp_type;
	enum ibv_qp_state state;
	uint32_t max_inline;
	const char *srq;     /* the receives of the QP come from it; NULL: they do not */
	uint32_t room, used; /* requests that the queue has room for, and has; room 0: not known */
};

/* The first fault, and what there is to say of it: "4 SGEs, qp0 was made with at most 1". */
enum wr_fault wr_fault_find(const struct wr_judged *wr, char *text, size_t size);
/* May requests be posted to a QP of this state? */
bool wr_may_post(enum ibv_qp_state state, bool recv);

#endif
