/* SPDX-License-Identifier: MIT */
/*
 * The state machine of a QP: which transitions there are, and which attributes each
 * needs and takes. Volume 1, 10.3.1 and 11.2.5.2; the device goes by it, and the shell
 * explains with it what a bare EINVAL does not. Knows no device and no session.
 */
#ifndef UROCE_SPEC_QP_TABLE_H
#define UROCE_SPEC_QP_TABLE_H

#include <infiniband/verbs.h>
#include <stddef.h>

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

#endif
