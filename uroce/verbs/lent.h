/* SPDX-License-Identifier: MIT */
/*
 * Memory that is lent to the device: what a request names, from its post until its completion is
 * polled. A sanitizer that the program was built with is told.
 *
 * AddressSanitizer: memory that the device may write to, of receives and of READs and atomics, is
 * poisoned meanwhile. Its granules are of 8 bytes: the rest of one that begins before the memory is
 * left as it is. Memory on a stack is left out, since a frame that is used again would stay
 * poisoned.
 *
 * ThreadSanitizer: the device is two threads of its own (fibers), one for send queues, one for
 * receive queues. They take over what the program has done when it posts to a queue, and give it
 * back when a completion of such a queue is polled, and by nothing else. WRITEs of a peer are not
 * told: programs agree on them by ways that are not seen here.
 *
 * Reports have the place of the post, too: below the report of AddressSanitizer, and as the
 * caller of the device's access in that of ThreadSanitizer.
 *
 * The functions of the sanitizers are looked up when a device is opened. All but lent_polled() run
 * with the engine's lock.
 */
#ifndef UROCE_LENT_H
#define UROCE_LENT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is there a sanitizer? The only cost of all this when there is none. */
extern bool lent_seen;

void lent_look(void);

/* A call that posts requests, and returns to that address: reports name its place. */
void lent_begin(const void *from);
/* A request is posted to a queue (its address; a position of it): sink: the device may write. */
void lent_out(const void *queue, uint32_t position, const struct ibv_sge *sge, int n, bool sink);
/* It is done, and that was polled; before: and so are all that were posted before it. */
void lent_back(const void *queue, uint32_t position, bool before);
/* The queue is emptied, or goes. */
void lent_forget(const void *queue);
/* After fork(), in the child: requests are the parent's. */
void lent_forget_all(void);

/* The device writes or reads memory of a request of that queue. recv: it is a receive queue. */
void lent_access(const void *queue, bool recv, const void *at, size_t n, bool write);
/* A completion is put into that slot of a CQ; it is polled. */
void lent_completed(void *slot, bool recv);
void lent_polled(void *slot);

#endif
