/* SPDX-License-Identifier: MIT */
/*
 * Order: the device as unkind as the specification allows, on request (UROCE_ORDER,
 * uroce_order_set() in uroce.h). A program that is right with every seed depends on nothing that
 * only a quick device gives. All of it runs with the engine's lock.
 *
 * Sections are those of volume 1 of the InfiniBand specification.
 *
 * what may be moved                     where              allowed by                what must not
 * ------------------------------------  -----------------  ------------------------
 * ----------------- bytes of a message reach memory in    placing.c          9.5: an application
 * does  all are there any order and pieces, often the last                     not depend on the
 * order   before the byte first; READ responses too                           of writes in a
 * message;   completion, of a ibv_query_qp_data_in_     READ too; of two order(3) answers 0 writes
 * to a byte the later one stays: 9.5 the bytes of a WRITE come to memory   placing.c,
 * "far"   9.7.5.1: an ACK says      before the after the ACK, when a receive of the that a request
 * came,      completion of a QP completes, or an atomic or READ                       not that
 * memory has it;   later receive, of it looks                                              9.5
 * before a later atomic or READ of that QP memory of a request is read late, a
 * requester.c        10.8.2: the memory is     never after the packet is sent twice the device's
 * until the    completion; what completion; 9.7.5.1       is inline was (duplicates) copied; no
 * retry is used up; a fence: 10.8.3.3 completions come late, in lumps,
 * late.c             10.8.3, 10.8.6: only      the order in one those of different queues mixed: of
 * completions of one work   work queue two QPs, of both queues of one QP queue are in order the
 * place of a request is taken       send_queue.c       10.8.6: an unsignaled     its completion
 * until its completion, or that of a    late.c             request is known to be    was polled:
 * the later one, was polled                                    done by a later           place is
 * free completion an event comes after its completion   late.c             11.4.2.2: the handler a
 * completion that was polled                                               is called some time
 * comes while armed after                     has its event ESTABLISHED after the first receive,
 * rdma_event.c       12.9.6, 11.6.3.1 (COMM_   the order of the DISCONNECTED after flushes EST):
 * messages may come   events of an id before the RTU
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
/* A pass is made: to be called while order_on(), or order_waiting(). */
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
