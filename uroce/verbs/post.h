/* SPDX-License-Identifier: MIT */
/*
 * Posting to a send queue: ibv_post_send(3) and ibv_wr_post(3) stage requests beyond the
 * tail with these, and commit them together. Volume 1, 10.8 and 11.4.1.
 *
 * All are called with qp->post.lock held and without the engine's lock, which commit takes.
 */
#ifndef UROCE_VERBS_POST_H
#define UROCE_VERBS_POST_H

#include "qp.h"

/* Begins the next request: qp->post.wqe. 0, or EINVAL: this type of QP cannot do it, or the
 * flags are unknown; ENOMEM: the queue is full. */
int stage_begin(struct qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, unsigned flags);
/* What it is about. EINVAL: too many SGEs, too long, inline where that cannot be. */
int stage_sges(struct qp *qp, const struct ibv_sge *sge, int n);
/* Copies the bytes now; data buffers as of ibv_wr_set_inline_data_list(3). */
int stage_inline(struct qp *qp, const struct ibv_data_buf *buf, size_t n);
int stage_peer(struct qp *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);
/* XRC: the number of the SRQ at the peer. */
void stage_srqn(struct qp *qp, uint32_t srqn);
/* EINVAL: a window of type 1. */
int stage_bind(struct qp *qp, struct ibv_mw *mw, uint32_t rkey,
	       const struct ibv_mw_bind_info *info);
/* Checks the request as a whole; it counts from now on. 0 or EINVAL. */
int stage_end(struct qp *qp);
/* Posts all that are staged, and starts the requester. 0, or EINVAL in a state that takes
 * no requests; what is staged is forgotten then. */
int stage_commit(struct qp *qp);

/* ibv_bind_mw(3): a window of type 1, which ibv_post_send() does not take. 0 or an errno. */
int post_bind(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind *b);
/* ibv_post_send(). */
int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

/* wr_ex.c: sets all that ibv_qp_ex has for the operations of qp->post.send_ops. */
void wr_ex_init(struct qp *qp);

/* ibv_post_recv(): recv_queue.c. */
int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
