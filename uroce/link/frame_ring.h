/* SPDX-License-Identifier: MIT */
/*
 * Frames in memory shared by two processes, in one direction: a ring of bytes with one producer and
 * one consumer. A frame is what UDP would carry (BTH to ICRC), after a header with what the IP and
 * UDP headers would say.
 *
 * Neither side trusts the other. Each keeps its own position in its own memory, and checks what it
 * reads of the other's before it uses it. The consumer copies the headers of a frame before it
 * looks at them. If the other side breaks these rules, the ring is broken: nothing more is read
 * from it.
 */
#ifndef UROCE_LINK_FRAME_RING_H
#define UROCE_LINK_FRAME_RING_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "packet.h"

#define FRAME_RING_BYTES  (2u << 20) /* a power of two; more than a processor's cache */
#define FRAME_LINE	  64u	     /* a cache line: frames begin at multiples of it */
#define FRAME_RING_FRAMES (FRAME_RING_BYTES / FRAME_LINE) /* at most so many at a time */

/* Positions count bytes and wrap at 2^32; the place in the ring is position % FRAME_RING_BYTES. */
struct frame_ring {
	/* written by the producer */
	_Alignas(FRAME_LINE) _Atomic uint32_t tail;
	/* written by the consumer */
	_Alignas(FRAME_LINE) _Atomic uint32_t head;
	/* written by both. asleep: the consumer sleeps, and wants its bell rung when a frame comes;
	 * full: the producer waits for room, and wants its bell rung when there is some. The side
	 * that rings sets the flag back, so that the bell rings once. */
	_Alignas(FRAME_LINE) _Atomic uint32_t asleep;
	_Alignas(FRAME_LINE) _Atomic uint32_t full;
	_Alignas(FRAME_LINE) uint8_t bytes[FRAME_RING_BYTES];
};

/* The header before each frame. */
struct frame_header {
	uint32_t len; /* of the frame; FRAME_SKIP: the next frame is at the beginning of the ring */
	uint32_t flags; /* FRAME_... */
	union ibv_gid src, dst;
	uint32_t scope;
	uint16_t sport;
	uint8_t tclass, hops;
};
_Static_assert(sizeof(struct frame_header) == 48, "no gaps: all of it is copied");

#define FRAME_SKIP UINT32_MAX
/* The frame has an ICRC, which must be checked. Without the flag its last four bytes mean nothing,
 * because no wire can have changed the frame. */
#define FRAME_HAS_ICRC 1u
/* Packets before this frame went by UDP, and must be handled first. */
#define FRAME_AFTER_UDP 2u

/* The two ends, each in the private memory of one process. */
struct frame_producer {
	struct frame_ring *ring; /* NULL: none */
	uint32_t tail;		 /* end of the committed frames */
	uint32_t reserved;	 /* bytes after it, for the frame that is being written */
	uint32_t published;	 /* the tail that the consumer knows */
	uint32_t head;		 /* the consumer's head, when last read */
	bool broken;
};

struct frame_consumer {
	struct frame_ring *ring;
	uint32_t head;
	uint32_t seen;	/* the end of the frames that may be handled */
	uint32_t freed; /* the head that the producer knows */
	bool broken;
};

/* A frame to be handled: the header is a copy, the data is in the ring. */
struct frame {
	struct frame_header header;
	const uint8_t *data; /* header.len bytes: BTH_BYTES + ICRC_BYTES to PACKET_MAX */
};

/* Is there room for a frame of any length? kept: the bytes that are kept for acknowledgements may
 * be used, too. False: the consumer will ring the bell when there is room. */
bool frame_has_room(struct frame_producer *p, bool kept);
/* Returns the place for a header and a frame of len bytes; NULL: no room. A frame that is not
 * committed is overwritten by the next one. */
struct frame_header *frame_reserve(struct frame_producer *p, uint32_t len);
static inline uint8_t *frame_data(struct frame_header *h)
{
	return (uint8_t *)(h + 1);
}
/* Ends the frame. After some 16 KiB it makes frames visible to the consumer. Returns whether its
 * bell must be rung. */
bool frame_commit(struct frame_producer *p);
/* Makes all committed frames visible. Returns whether the bell must be rung. */
bool frame_publish(struct frame_producer *p);
/* Is there a frame? */
static inline bool frame_waits(const struct frame_consumer *c)
{
	return atomic_load_explicit(&c->ring->tail, memory_order_acquire) != c->head;
}
/* Has there ever been one? */
static inline bool frame_has_come(const struct frame_consumer *c)
{
	return c->head || frame_waits(c);
}
/* The next frame, which stays in the ring until frame_free(). False: there is none, or the ring is
 * broken. */
bool frame_next(struct frame_consumer *c, struct frame *f);
/* Copies the bytes that may be headers. A frame has whole lines, so bytes behind its end are
 * copied, too: then there are only two lengths. */
static inline void frame_copy_headers(uint8_t headers[HEADERS_MAX], const struct frame *f)
{
	enum { FIRST_LINE = FRAME_LINE - sizeof(struct frame_header) };

	memcpy(headers, f->data, FIRST_LINE);
	if (f->header.len > FIRST_LINE)
		memcpy(headers + FIRST_LINE, f->data + FIRST_LINE, HEADERS_MAX - FIRST_LINE);
	atomic_signal_fence(memory_order_seq_cst); /* read once */
}
void frame_free(struct frame_consumer *c, const struct frame *f);
/* Makes the room of freed frames visible to the producer. Returns whether its bell must be rung. */
bool frame_give_room(struct frame_consumer *c);
/* Asks for the bell, before the consumer sleeps. False: a frame has come in. */
bool frame_sleep(struct frame_consumer *c);
static inline void frame_awake(struct frame_consumer *c)
{
	atomic_store_explicit(&c->ring->asleep, 0, memory_order_relaxed);
}

#endif
