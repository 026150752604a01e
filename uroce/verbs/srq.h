/* SPDX-License-Identifier: MIT */
/* Shared receive queues: ibv_create_srq(3). Volume 1, 10.2.9. */
#ifndef UROCE_VERBS_SRQ_H
#define UROCE_VERBS_SRQ_H

#include "qp.h"

struct srq {
	struct ibv_srq v;
	struct pd *pd;
	struct context *ctx;
	struct recv_queue rq;
	uint32_t limit;	       /* SRQ_LIMIT_REACHED when fewer are left; 0: not armed */
	unsigned users;	       /* QPs */
	LIST_ENTRY(srq) entry; /* of all that there are */
	/* of type XRC: */
	struct xrcd *xrcd; /* NULL: another type */
	struct cq *cq;	   /* where receives complete, whichever QP they are for */
	uint32_t number;
};

static inline struct srq *to_srq(struct ibv_srq *srq)
{
	return (struct srq *)srq;
}

/* Calls fn for every shared one. */
void srq_each(void (*fn)(struct srq *srq, void *arg), void *arg);

/* Posts to a receive queue, of a QP or shared. 0, or an errno as ibv_post_recv(3) returns. */
int recv_queue_post(struct recv_queue *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* Adds a request, which must fit. */
void recv_queue_put(struct recv_queue *rq, uint64_t wr_id, const struct ibv_sge *sge, int n);
/* Room for at least wr requests of sge SGEs, of the PD's memory. 0, or -1 with ENOMEM. Without
 * the lock. */
int recv_queue_init(struct recv_queue *rq, struct pd *pd, enum queue_kind kind, uint32_t wr,
		    uint32_t sge);
void recv_queue_free(struct recv_queue *rq);

#endif
