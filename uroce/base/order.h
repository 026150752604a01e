/* SPDX-License-Identifier: MIT */
/*
 * Order: the device as unkind as the specification allows, on request (UROCE_ORDER,
 * uroce_order_set() in uroce.h). A program that is right with every seed depends on nothing that
 * only a quick device gives. All of it runs with the engine's lock.
 *
 * Below is each thing that may come otherwise, where, what allows it (a manual page of rdma-core,
 * or a section of volume 1 of the InfiniBand specification), and what must stay:
 *
 * - The bytes of a message reach memory in any order and pieces, often the last byte before
 *   the first; READ responses, too (placing.c; ibv_query_qp_data_in_order(3); 9.5). All are
 *   there before the message completes, and of two WRITEs to a byte the later one stays.
 * - ORDER_FAR: the bytes of a WRITE come to memory after the ACK, when a receive of the QP is
 *   completed or an atomic or READ of it looks (placing.c; the completion of a WRITE promises
 *   no visibility at the peer: rpma_flush(3) of librpma asks for it with a READ). They are
 *   there before a later receive completes.
 * - The memory of a request is read late, and a packet is sent twice (requester.c;
 *   ibv_post_send(3): the memory is the device's until the completion was retrieved). It is
 *   not read after the completion; inline data were copied; no retry is used up; a fence holds
 *   (10.8.3.3).
 * - Completions come late, in lumps, those of different queues mixed: of two QPs, of both
 *   queues of one QP (late.c; only requests of one queue have an order: 10.8.3.3). Those of
 *   one work queue stay in order.
 * - The place of a request is taken until its completion, or that of a later one, was polled
 *   (send_queue.c, late.c; 10.7.3.1). Then it is free.
 * - An event comes after its completion was polled (late.c; ibv_get_cq_event(3): an extra
 *   event without a completion in the CQ). A completion that comes while the queue is armed
 *   has its event.
 * - ESTABLISHED comes after the first receive, DISCONNECTED after flushes (rdma_event.c;
 *   rdma_notify(3): data are received on a QP that is not yet considered connected). The
 *   events of an id stay in order.
 *
 * Of UC and UD nothing is sent twice. The wire carries nothing that is not allowed there: the peer
 * may be a device of the kernel.
 */
#ifndef UROCE_BASE_ORDER_H
#define UROCE_BASE_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "uroce.h"

enum { ORDER_OFF, ORDER_NEAR, ORDER_FAR };

extern _Atomic unsigned order_level;
/* Counts of what was moved since the seed was given. */
extern struct uroce_order order_done;

/* The only cost of all this while it is off. */
static inline bool order_on(void)
{
	return __builtin_expect(atomic_load_explicit(&order_level, memory_order_relaxed), 0);
}

/* A number from 0 to n-1, the next one of the sequence that the seed gives. */
uint32_t order_draw(uint32_t n);
/* True once in n times. */
static inline bool order_once_in(uint32_t n)
{
	return order_draw(n) == 0;
}

/* Something that is held back for so many passes of progress.c: not for a time, so that a program
 * that polls sees the same each time. Embedded in its owner, zeroed at first; the owner drops it
 * before it goes. */
struct order_wait {
	TAILQ_ENTRY(order_wait) entry;
	uint32_t passes; /* 0: it does not wait */
	void (*fn)(struct order_wait *w);
};

static inline bool order_waits(const struct order_wait *w)
{
	return w->passes != 0;
}
/* Calls w->fn(w) after passes (from 1) of them, if it does not wait already. */
void order_hold(struct order_wait *w, uint32_t passes);
void order_drop(struct order_wait *w);
/* A pass is made. */
void order_step(void);
bool order_waiting(void);

/* Reads "SEED" or "SEED,far". 0, or -1 with EINVAL and why (of size bytes). */
int order_read(const char *text, uint64_t *seed, unsigned *level, char *why, size_t size);
/* Begins with that seed, or ends with ORDER_OFF: what is held back is let go. 0, or -1 with errno.
 */
int order_set(uint64_t seed, unsigned level);
/* After fork(), in the child: what is held back is the parent's. */
void order_forget(void);

#endif
