/* SPDX-License-Identifier: MIT */
/* The state machine of a QP as a drawing. */
#ifndef CMDS_QP_STATE_H
#define CMDS_QP_STATE_H

struct out;
struct qp;

/* Appends the drawing as text: where the QP is, and the way it took. */
void qp_diagram(struct out *o, const struct qp *qp);

/* Into the dict that is open: how long this QP tries before it gives up, from its attributes. */
void qp_timing(const struct qp *qp, struct out *o);

#endif
