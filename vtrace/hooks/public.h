/* SPDX-License-Identifier: MIT */
/* The public functions behind those that the program calls (calls/wrappers.c). */
#ifndef VTRACE_PUBLIC_H
#define VTRACE_PUBLIC_H

struct ibv_qp;
struct ibv_qp_ex;

/* ibv_qp_to_qp_ex(), which does not note itself. */
struct ibv_qp_ex *public_qp_to_qp_ex(struct ibv_qp *qp);

#endif
