/* SPDX-License-Identifier: MIT */
/* QPs as objects. */
#ifndef CMDS_QP_CLASS_H
#define CMDS_QP_CLASS_H

#include <infiniband/verbs.h>

#include <stdbool.h>

struct out;
struct qp;
struct session;

/* Everything the device tells about the QP; 0 or the errno. */
int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init);
/* Dumps the QP as INFO lines of the trace. */
void qp_dump(struct session *s, const struct qp *qp);

/* What show and get tell of any QP, into the dict that is open: whom it is connected with, what it
 * has room for, its attributes. */
void qp_tell_peer(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *out);
void qp_tell_cap(const struct ibv_qp_cap *cap, bool sig_all, struct out *out);
void qp_tell_attrs(const struct ibv_qp_attr *a, struct out *out);

#endif
