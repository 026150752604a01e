/* SPDX-License-Identifier: MIT */
/* The state machine of a QP as a drawing. */
#ifndef CMDS_QP_DIAGRAM_H
#define CMDS_QP_DIAGRAM_H

struct out;
struct qp;

/* Appends the drawing as text: where the QP is, and the way it took. */
void qp_diagram(struct out *o, const struct qp *qp);

#endif
