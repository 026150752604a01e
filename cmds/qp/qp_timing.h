/* SPDX-License-Identifier: MIT */
#ifndef CMDS_QP_TIMING_H
#define CMDS_QP_TIMING_H

struct out;
struct qp;

/* Into the dict that is open: how long this QP tries before it gives up, from its attributes. */
void qp_timing(const struct qp *qp, struct out *o);

#endif
