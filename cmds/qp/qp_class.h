/* SPDX-License-Identifier: MIT */
/* QPs as objects. */
#ifndef CMDS_QP_CLASS_H
#define CMDS_QP_CLASS_H

#include <infiniband/verbs.h>

struct qp;
struct session;

/* Everything the device tells about the QP; 0 or the errno. */
int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init);
/* Dumps the QP as INFO lines of the trace. */
void qp_dump(struct session *s, const struct qp *qp);

#endif
