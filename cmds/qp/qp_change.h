/* SPDX-License-Identifier: MIT */
/* A change of a QP that is about to be asked for: checked, filled in, and explained. */
#ifndef CMDS_QP_CHANGE_H
#define CMDS_QP_CHANGE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <tcl.h>

#include "qp_table.h"

struct candidates;
struct dev;
struct id;
struct qp;
struct session;

struct qp_change {
	struct qp *qp;
	enum ibv_qp_state actual;   /* as the device has it */
	enum ibv_qp_state from, to; /* from is CUR_STATE if that is given */
	struct ibv_qp_attr a;
	unsigned mask;	     /* what is given, with IBV_QP_STATE if a state is */
	const struct id *id; /* whose rdma_init_qp_attr() gave by_id of mask, or NULL */
	unsigned by_id;
	unsigned filled;	/* of mask: what qp_fill() found */
	struct ibv_qp_attr now; /* before the change */
};

/* qp_fill.c: gives values to the attributes of want, as far as they can be known from the
 * device, from the QP and from its peer. Returns those that cannot. */
unsigned qp_fill(struct qp_change *c, unsigned want);
/* The index of our GID to use towards that one. */
unsigned qp_sgid_for(const struct dev *dev, uint8_t port, const union ibv_gid *dgid);

/* modify_qp.c: moves the QP to that state, as modify-qp -fill: what attributes a has (mask) and
 * else what qp_fill() finds. */
int qp_move(struct session *s, struct qp *qp, enum ibv_qp_state to, const struct ibv_qp_attr *a,
	    unsigned mask);

/* qp_faults.c: appends what is wrong with the values, for this device, to a Tcl list. */
void qp_faults(const struct qp_change *c, Tcl_Obj *faults);

/* qp_refuse.c: qp_judge() for the device that the QP is of: what the kernel refuses beyond
 * the rule is extra, unless the device is the embedded one. */
struct qp_verdict qp_change_judge(const struct qp_change *c);
/* Fill s->fail with all there is to say. Return -1. */
int qp_refuse(struct session *s, const struct qp_change *c, const struct qp_verdict *v);
int qp_refuse_values(struct session *s, const struct qp_change *c, Tcl_Obj *faults);
/* Adds why a change with this verdict is refused; none if the verdict is good. */
void qp_change_reasons(const struct qp_verdict *v, enum ibv_qp_type type, enum ibv_qp_state from,
		       enum ibv_qp_state to, struct candidates *c);
/* After ibv_modify_qp() failed with err and call_fail(). */
int qp_explain_failure(struct session *s, const struct qp_change *c, int err);
/* Appends the command that makes the change: "modify-qp INIT -port 1 ...". */
void qp_change_command(struct session *s, const struct qp_change *c, enum ibv_qp_state to,
		       Tcl_DString *text);
/* "RESET -> INIT", or "RTS" when the state stays. */
void qp_change_text(const struct qp_change *c, Tcl_DString *text);

#endif
