/* SPDX-License-Identifier: MIT */
/* The state machine of a QP as a drawing. */
#ifndef CMDS_QP_STATE_H
#define CMDS_QP_STATE_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct out;
struct qp;

/* Appends the drawing as text: where the QP is, and the way it took. */
void qp_diagram(struct out *o, const struct qp *qp);
/* The same of any QP; steps: uroce_step() of those between states that it has taken. */
void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps);

/* Into the dict that is open: how long this QP tries before it gives up, from its attributes. */
void qp_timing(const struct qp *qp, struct out *o);
void qp_tell_timing(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *o);

#endif
