// SPDX-License-Identifier: MIT
#include "frame_ring.h"

#include <string.h>

#define MASK	   (FRAME_RING_BYTES - 1)
#define FRAME_MOST ((uint32_t)sizeof(struct frame_header) + PACKET_MAX + FRAME_LINE)
/* Kept for acknowledgements, which would otherwise wait behind data that waits for them. */
#define KEPT (32u * 1024)
/* So many bytes become visible to the consumer before the batch ends, so that it can begin. With
 * 4096, a packet of that MTU, the two sides wait for each other's cache lines: READs and WRITEs are
 * a tenth slower. */
#define PUBLISH_AT 16384u
#define AHEAD	   1024u /* bytes of the next frame that are prefetched while this one is copied */
#define GIVE_AT	   32768u
/* Short frames stay in the first part of the ring if they can, so that few pairs need more memory.
 * Long frames use all of it: before the producer comes round, the consumer's processor has dropped
 * the lines from its cache. With a ring of 256 KiB they would still be there, and each would have
 * to be fetched back: WRITEs and READs of 64 KiB are two to five times slower then. */
#define SHORT_PART  (256u * 1024)
#define SHORT_FRAME 1024u

static uint32_t frame_bytes(uint32_t len)
{
	uint32_t n = (uint32_t)sizeof(struct frame_header) + len;

	return (n + FRAME_LINE - 1) & ~(FRAME_LINE - 1);
}

/* ------------------------------------------------------------------------ producer -- */

/* The number of free bytes, read again if they seem to be fewer than want. A consumer that shows an
 * impossible position gets no more frames. */
static uint32_t get_room(struct frame_producer *p, uint32_t want)
{
	uint32_t used = p->tail - p->head;

	if (FRAME_RING_BYTES - used >= want)
		return FRAME_RING_BYTES - used;
	p->head = atomic_load_explicit(&p->ring->head, memory_order_acquire);
	used = p->tail - p->head;
	if (used > FRAME_RING_BYTES || p->head % FRAME_LINE) {
		p->head = p->tail - FRAME_RING_BYTES;
		p->broken = true;
		return 0;
	}
	return FRAME_RING_BYTES - used;
}

bool frame_has_room(struct frame_producer *p, bool kept)
{
	uint32_t want = 2 * FRAME_MOST + (kept ? 0 : KEPT);

	if (get_room(p, want) >= want)
		return true;
	atomic_exchange(&p->ring->full, 1);
	return get_room(p, want) >= want;
}

/* The bytes that are left out before a frame of so many bytes: 0, or the rest of the ring if the
 * frame goes to its beginning. */
static uint32_t bytes_to_skip(struct frame_producer *p, uint32_t want)
{
	uint32_t at = p->tail & MASK, rest = FRAME_RING_BYTES - at;
	uint32_t room = rest + want + 2 * FRAME_MOST + KEPT; /* the next frames need some, too */
	bool leaves_part = at <= SHORT_PART && at + want > SHORT_PART;

	if (want > rest)
		return rest;
	return want <= SHORT_FRAME && leaves_part && get_room(p, room) >= room ? rest : 0;
}

struct frame_header *frame_reserve(struct frame_producer *p, uint32_t len)
{
	uint32_t want = frame_bytes(len), at = p->tail & MASK, skip = bytes_to_skip(p, want);
	struct frame_header *h;

	if (get_room(p, skip + want) < skip + want)
		return NULL;
	if (skip) {
		h = (struct frame_header *)(p->ring->bytes + at);
		h->len = FRAME_SKIP;
		at = 0;
	}
	h = (struct frame_header *)(p->ring->bytes + at);
	h->len = len;
	p->reserved = skip + want;
	return h;
}

/* Was the consumer asleep? Then the caller rings its bell. */
static bool clear_asleep(struct frame_producer *p)
{
	return atomic_load(&p->ring->asleep) && atomic_exchange(&p->ring->asleep, 0);
}

/* frame_publish() has a barrier between making frames visible and asking whether the consumer
 * sleeps. Here is none: a consumer that falls asleep at this moment may be missed. The next
 * frame_publish() wakes it. */
bool frame_commit(struct frame_producer *p)
{
	p->tail += p->reserved;
	if (p->tail - p->published < PUBLISH_AT)
		return false;
	atomic_store_explicit(&p->ring->tail, p->tail, memory_order_release);
	p->published = p->tail;
	return clear_asleep(p);
}

/* The exchange is the barrier between making the frames visible and asking whether the consumer
 * sleeps; frame_sleep() has the other half. */
bool frame_publish(struct frame_producer *p)
{
	atomic_exchange(&p->ring->tail, p->tail);
	p->published = p->tail;
	return clear_asleep(p);
}

/* ------------------------------------------------------------------------ consumer -- */

/* Reads the header once, so that what is checked is what is used. */
static void copy_header(struct frame *f, const struct frame_header *h)
{
	memcpy(&f->header, h, sizeof(f->header));
	atomic_signal_fence(memory_order_seq_cst);
}

static bool set_broken(struct frame_consumer *c)
{
	c->broken = true;
	return false;
}

/* The next frames, of so many bytes. */
static void fetch_ahead(const struct frame_consumer *c, uint32_t from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes && i < AHEAD; i += FRAME_LINE)
		__builtin_prefetch(c->ring->bytes + ((from + i) & MASK));
}

bool frame_next(struct frame_consumer *c, struct frame *f)
{
	uint32_t there, at = c->head & MASK, rest = FRAME_RING_BYTES - at, len;
	const struct frame_header *h = (const struct frame_header *)(c->ring->bytes + at);

	if (c->broken)
		return false;
	if (c->seen == c->head)
		c->seen = atomic_load_explicit(&c->ring->tail, memory_order_acquire);
	if (c->seen == c->head)
		return false;
	there = c->seen - c->head;
	if (there > FRAME_RING_BYTES || there % FRAME_LINE)
		return set_broken(c);
	copy_header(f, h);
	if (f->header.len == FRAME_SKIP) {
		if (there <= rest)
			return set_broken(c);
		c->head += rest;
		there -= rest;
		rest = FRAME_RING_BYTES;
		h = (const struct frame_header *)c->ring->bytes;
		copy_header(f, h);
	}
	len = f->header.len;
	if (len < BTH_BYTES + ICRC_BYTES || len > PACKET_MAX || frame_bytes(len) > there ||
	    frame_bytes(len) > rest)
		return set_broken(c);
	f->data = (const uint8_t *)(h + 1);
	fetch_ahead(c, c->head + frame_bytes(len), there - frame_bytes(len));
	return true;
}

void frame_free(struct frame_consumer *c, const struct frame *f)
{
	c->head += frame_bytes(f->header.len);
}

static bool show_head(struct frame_consumer *c)
{
	atomic_exchange(&c->ring->head, c->head);
	c->freed = c->head;
	return atomic_load(&c->ring->full) && atomic_exchange(&c->ring->full, 0);
}

bool frame_give_room(struct frame_consumer *c)
{
	return c->head - c->freed >= GIVE_AT && show_head(c);
}

bool frame_sleep(struct frame_consumer *c)
{
	atomic_exchange(&c->ring->asleep, 1);
	if (c->broken || atomic_load(&c->ring->tail) == c->head)
		return true;
	frame_awake(c);
	return false;
}
