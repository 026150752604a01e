/* SPDX-License-Identifier: MIT */
/*
 * Requests are staged beyond the tail of a send queue, and committed together: by ibv_post_send(3)
 * and by ibv_wr_post(3). All functions are called with qp->post.lock held and without the engine's
 * lock, which stage_commit() takes. They return 0 or an errno.
 */
#ifndef UROCE_SEND_QUEUE_H
#define UROCE_SEND_QUEUE_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct qp;

/* Begins the next request: qp->post.wqe. EINVAL: this type of QP cannot do it, or the flags are
 * unknown; ENOMEM: the queue is full. */
int stage_begin(struct qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, unsigned flags);
/* EINVAL: too many SGEs, or too long. */
int stage_sges(struct qp *qp, const struct ibv_sge *sge, int n);
/* Copies the bytes now. EINVAL: too many, or the operation cannot be inline. */
int stage_inline(struct qp *qp, const struct ibv_data_buf *buf, size_t n);
/* UD: its destination. EINVAL: no address handle, or one of another PD. */
int stage_peer(struct qp *qp, struct ibv_ah *v, uint32_t qpn, uint32_t qkey);
/* XRC: the number of the SRQ at the peer. */
void stage_srqn(struct qp *qp, uint32_t srqn);
/* EINVAL: a window of type 1. */
int stage_bind(struct qp *qp, struct ibv_mw *mw, uint32_t rkey,
	       const struct ibv_mw_bind_info *info);
/* Checks the request as a whole; it counts from now on. */
int stage_end(struct qp *qp);
/* Posts all that are staged, and starts the requester. EINVAL in a state that takes no requests;
 * what is staged is forgotten then. */
int stage_commit(struct qp *qp);

#endif
