/* SPDX-License-Identifier: MIT */
/* What a queue of a traced program has that is not completed, oldest first. */
#ifndef VTRACE_POSTED_QUEUE_H
#define VTRACE_POSTED_QUEUE_H

#include "explain/live_end.h"

struct record;

/* A work request that the program has posted. */
struct posted_wr {
	uint64_t wr_id, when; /* ticks: when the call that posted it began */
	const struct wr_op *op;
	uint64_t remote;
	uint32_t rkey, len;
	bool is_inline;
	unsigned nsge;
	struct ibv_sge sge[LIVE_SGES];
};

/* All zero: an empty one. v is to be freed. */
struct posted_queue {
	struct posted_wr *v;
	unsigned begin, n, room; /* n from begin on; of all that v has room for */
};

void posted_queue_put(struct posted_queue *q, const struct posted_wr *wr);
/* Takes out the oldest with that id, and (of a queue that completes in order) all before it. false:
 * there is none. */
bool posted_queue_get(struct posted_queue *q, uint64_t wr_id, bool in_order, struct posted_wr *wr);
void posted_queue_empty(struct posted_queue *q);
bool posted_queue_has(const struct posted_queue *q, uint64_t wr_id);

/* Those that ibv_post_send() has put there; ibv_post_recv() or ibv_post_srq_recv(). */
void posted_queue_take_sends(struct posted_queue *q, const struct record *r);
void posted_queue_take_recvs(struct posted_queue *q, const struct record *r);
/* ibv_wr_start() and what follows it: requests are put into built until ibv_wr_complete() moves
 * them to q. r is a call of these. */
void posted_queue_take_step(struct posted_queue *q, struct posted_queue *built,
			    const struct record *r);

#endif
