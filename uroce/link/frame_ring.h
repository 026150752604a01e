/* SPDX-License-Identifier: MIT */
/*
 * Frames in memory that two processes share, in one direction: a ring of bytes with one producer
 * and one consumer. A frame is what UDP would carry (BTH to ICRC), after a header with what IP and
 * UDP would say.
 *
 * Neither side trusts the other: each keeps its own position in its own memory, and checks what it
 * reads of the other's before it uses it. A consumer copies the headers of a frame before it
 * looks at them. What breaks these rules breaks the ring: nothing comes from it any more.
 */
#ifndef UROCE_LINK_FRAME_RING_H
#define UROCE_LINK_FRAME_RING_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

#define FRAME_RING_BYTES (256u * 1024) /* a power of two; the windows of some QPs */
#define FRAME_LINE	 64u	       /* frames begin at a multiple: a cache line */

/* Positions run freely, in bytes; the place is position % FRAME_RING_BYTES. */
struct frame_ring {
	/* the producer writes */
	_Alignas(FRAME_LINE) _Atomic uint32_t tail;
	/* the consumer writes */
	_Alignas(FRAME_LINE) _Atomic uint32_t head;
	/* both: the consumer sleeps, and wants its bell rung when there is a frame; the producer
	 * waits for room, and wants to hear of it. Who answers sets it back: once is enough. */
	_Alignas(FRAME_LINE) _Atomic uint32_t asleep;
	_Alignas(FRAME_LINE) _Atomic uint32_t full;
	_Alignas(FRAME_LINE) uint8_t bytes[FRAME_RING_BYTES];
};

/* What stands before each frame. */
struct frame_header {
	uint32_t len;	/* of the frame; FRAME_SKIP: the next one is at the beginning of the ring */
	uint32_t flags; /* FRAME_... */
	union ibv_gid src, dst;
	uint32_t scope;
	uint16_t sport;
	uint8_t tclass, hops;
};
_Static_assert(sizeof(struct frame_header) == 48, "no gaps: all of it is copied");

#define FRAME_SKIP UINT32_MAX
#define FRAME_HAS_ICRC \
	1u /* it is to be checked: else it is not there, and no wire has changed it */
#define FRAME_AFTER_UDP 2u /* what was sent before went by UDP, and is to be taken in before */

/* The two ends: each in the memory of one process. */
struct frame_producer {
	struct frame_ring *ring; /* NULL: none */
	uint32_t tail;		 /* of what is committed */
	uint32_t reserved;	 /* behind it, for the frame that is being written */
	uint32_t published;	 /* what of it the consumer knows of */
	uint32_t head;		 /* the consumer's, when it was last looked at */
};

struct frame_consumer {
	struct frame_ring *ring;
	uint32_t head;
	uint32_t freed; /* what of it the producer knows of */
	bool broken;
};

/* A frame that is to be taken in: the header is a copy, the data is not. */
struct frame {
	struct frame_header header;
	const uint8_t *data; /* header.len bytes: between BTH_BYTES + ICRC_BYTES and PACKET_MAX */
};

/* Is there room for a frame of any length? kept: also of those bytes that are kept for
 * acknowledgements. False: the consumer is asked to ring the bell when there is. */
bool frame_has_room(struct frame_producer *p, bool kept);
/* Where a header and a frame of len bytes are to be written; NULL: no room. The next call
 * without frame_commit() forgets it. */
struct frame_header *frame_reserve(struct frame_producer *p, uint32_t len);
static inline uint8_t *frame_data(struct frame_header *h)
{
	return (uint8_t *)(h + 1);
}
void frame_commit(struct frame_producer *p);
/* Shows the consumer what was committed. Returns whether its bell is to be rung. */
bool frame_publish(struct frame_producer *p);
static inline bool frame_unpublished(const struct frame_producer *p)
{
	return p->tail != p->published;
}

/* Is anything there? */
static inline bool frame_waits(const struct frame_consumer *c)
{
	return atomic_load_explicit(&c->ring->tail, memory_order_acquire) != c->head;
}
/* The next frame, which stays where it is until frame_free(); false: none, or broken. */
bool frame_next(struct frame_consumer *c, struct frame *f);
void frame_free(struct frame_consumer *c, const struct frame *f);
/* Gives the room of what was freed back. Returns whether the producer's bell is to be rung. */
bool frame_give_room(struct frame_consumer *c);
/* The consumer is about to sleep. False: something has come in. */
bool frame_sleep(struct frame_consumer *c);
static inline void frame_awake(struct frame_consumer *c)
{
	atomic_store_explicit(&c->ring->asleep, 0, memory_order_relaxed);
}

#endif
