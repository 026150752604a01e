/* SPDX-License-Identifier: MIT */
/* Completion queues and channels: ibv_create_cq(3), ibv_poll_cq(3). */
#ifndef UROCE_VERBS_CQ_H
#define UROCE_VERBS_CQ_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "context.h"

struct channel {
	struct ibv_comp_channel v;
	TAILQ_HEAD(, comp_event) events; /* not yet taken */
	unsigned users;
};

struct completion {
	struct ibv_wc wc; /* as ibv_poll_cq() hands it over */
	uint64_t time;	  /* CLOCK_REALTIME when it was made, ns */
};

enum cq_armed { CQ_UNARMED, CQ_ARMED_SOLICITED, CQ_ARMED };

struct cq {
	union {
		struct ibv_cq v;
		struct ibv_cq_ex ex;
		char room[sizeof(struct ibv_cq_ex) + 256]; /* newer headers have more at its end */
	};
	struct context *ctx;
	struct completion *ring; /* size is a power of two */
	uint32_t mask;
	_Atomic uint32_t head, tail; /* taken at the head, put at the tail; they run freely */
	bool overrun;
	enum cq_armed armed;
	unsigned users;	   /* QPs */
	uint32_t wc_flags; /* of ibv_create_cq_ex() */
	uint32_t polling;  /* ibv_start_poll(): how many were looked at */
};

static inline struct cq *to_cq(struct ibv_cq *cq)
{
	return (struct cq *)cq;
}

/* Empty, without the lock: a hint for those who poll. */
static inline bool cq_empty(struct cq *cq)
{
	return atomic_load_explicit(&cq->head, memory_order_relaxed) ==
	       atomic_load_explicit(&cq->tail, memory_order_acquire);
}

/* Puts a completion; solicited: the peer asked for an event, or it is an error. When the
 * queue is full: CQ_ERR, and the QPs of the queue fail. */
void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited);
/* Forgets what a QP left in it: ibv_destroy_qp(), or RESET. */
void cq_purge(struct cq *cq, uint32_t qpn);

#endif
