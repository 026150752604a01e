// SPDX-License-Identifier: MIT
/* Frames through memory: their order, a full ring, who sleeps, and another side that lies. */
#include "frame_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

#define LINE(n) (((uint32_t)sizeof(struct frame_header) + (n) + FRAME_LINE - 1) & ~(FRAME_LINE - 1))
#define LEN_MIN (BTH_BYTES + ICRC_BYTES)

static struct frame_ring *ring;
static struct frame_producer out;
static struct frame_consumer in;
static uint32_t reached; /* the end of the part of the ring that was used */
static unsigned early;	 /* bells that frame_commit() asked for */

static void start(void)
{
	reached = early = 0;
	memset(ring, 0, sizeof(*ring));
	out = (struct frame_producer){ .ring = ring };
	in = (struct frame_consumer){ .ring = ring };
}

/* A frame all of whose bytes are its number. */
static bool put(unsigned number, uint32_t len)
{
	struct frame_header *h = frame_reserve(&out, len);

	if (!h)
		return false;
	h->flags = number;
	memset(frame_data(h), (int)(number & 0xff), len);
	if ((uint32_t)(frame_data(h) + len - ring->bytes) > reached)
		reached = (uint32_t)(frame_data(h) + len - ring->bytes);
	early += frame_commit(&out);
	return true;
}

static bool take(unsigned number, uint32_t len)
{
	struct frame f;

	if (!frame_next(&in, &f))
		return false;
	CHECK_INT(f.header.flags, number);
	CHECK_INT(f.header.len, len);
	CHECK(f.data[0] == (uint8_t)number && f.data[len - 1] == (uint8_t)number);
	frame_free(&in, &f);
	return true;
}

static uint32_t some_len(unsigned number)
{
	return LEN_MIN + number * 2654435761u % (PACKET_MAX - LEN_MIN + 1);
}

/* Many times around, frames of all lengths. */
static void test_around(void)
{
	unsigned taken = 0;
	struct frame f;

	start();
	for (unsigned i = 0; i < 20000; i++) {
		while (!put(i, some_len(i))) {
			frame_publish(&out);
			CHECK(take(taken, some_len(taken)));
			taken++;
			frame_give_room(&in);
		}
	}
	frame_publish(&out);
	for (; taken < 20000; taken++)
		CHECK(take(taken, some_len(taken)));
	CHECK(!frame_next(&in, &f) && !in.broken && !frame_waits(&in));
}

/* Sends n frames of that length. The consumer is so many frames behind. */
static void pass_frames(unsigned n, uint32_t len, unsigned behind)
{
	start();
	for (unsigned i = 0; i < n; i++) {
		CHECK(frame_has_room(&out, false) && put(i, len));
		frame_publish(&out);
		if (i < behind)
			continue;
		CHECK(take(i - behind, len));
		frame_give_room(&in);
	}
}

/* Short frames leave most of the ring alone, unless the consumer falls behind. */
static void test_parts(void)
{
	pass_frames(100000, 100, 0);
	CHECK(reached > 200 * 1024 && reached <= 256 * 1024);
	pass_frames(100000, 100, 500);
	CHECK(reached <= 256 * 1024);
	pass_frames(100000, 100, 1200); /* there would be no room after going back */
	CHECK(reached > 256 * 1024);
	pass_frames(100000, 100, 2000);
	CHECK(reached > 256 * 1024);
	pass_frames(10000, 1500, 0);
	CHECK(reached > FRAME_RING_BYTES - 2000);
}

/* A frame that is not published is not seen; one that was reserved and not committed is forgotten.
 */
static void test_publish(void)
{
	start();
	CHECK(put(1, 64));
	CHECK(!take(1, 64));
	CHECK(!frame_publish(&out)); /* nobody sleeps */
	CHECK(take(1, 64));
	CHECK(frame_reserve(&out, 100));
	CHECK(put(2, 200));
	frame_publish(&out);
	CHECK(take(2, 200));
}

/* Data leaves room to acknowledgements; who waits for room hears of it once. */
static void test_full(void)
{
	unsigned n = 0, more = 0, bells = 0, taken = 0;

	start();
	while (frame_has_room(&out, false))
		CHECK(put(n++, 4096));
	CHECK(n > 48);
	while (frame_has_room(&out, true)) {
		CHECK(put(n + more, 64));
		more++;
	}
	CHECK(more > 100);
	CHECK(!frame_has_room(&out, false));
	frame_publish(&out);
	for (; taken < n + more; taken++) {
		CHECK(take(taken, taken < n ? 4096 : 64));
		bells += frame_give_room(&in);
	}
	CHECK_INT(bells, 1);
	CHECK(frame_has_room(&out, false));
}

static void test_sleep(void)
{
	start();
	CHECK(frame_sleep(&in));
	CHECK(put(1, 64));
	CHECK(frame_publish(&out)); /* ring */
	CHECK(put(2, 64));
	CHECK(!frame_publish(&out)); /* once */
	CHECK(!frame_sleep(&in));
	CHECK(take(1, 64) && take(2, 64));
	CHECK(frame_sleep(&in));
	frame_awake(&in);
	CHECK(put(3, 64));
	CHECK(!frame_publish(&out));
	CHECK_INT(early, 0);
}

/* A consumer that sleeps is woken once, before the end of a long batch. */
static void test_long_batch(void)
{
	start();
	CHECK(frame_sleep(&in));
	for (unsigned i = 0; i < 3; i++)
		CHECK(put(i, 4096));
	CHECK(early == 0 && !frame_waits(&in));
	for (unsigned i = 3; i < 12; i++)
		CHECK(put(i, 4096));
	CHECK(early == 1 && frame_waits(&in));
	CHECK(!frame_publish(&out));
}

/* ---------------------------------------------------------------- the other side lies -- */

static void breaks(void)
{
	struct frame f;

	CHECK(!frame_next(&in, &f));
	CHECK(in.broken);
	atomic_store(&ring->tail, in.head + LINE(64)); /* and stays so */
	CHECK(!frame_next(&in, &f));
}

static void lies_about(uint32_t tail)
{
	start();
	CHECK(put(1, 64));
	frame_publish(&out);
	atomic_store(&ring->tail, tail);
	breaks();
}

static void lies_in_header(uint32_t len, uint32_t tail)
{
	start();
	((struct frame_header *)ring->bytes)->len = len;
	atomic_store(&ring->tail, tail);
	breaks();
}

static void test_lying_producer(void)
{
	lies_about(1);
	lies_about(LINE(64) + 1);
	lies_about(FRAME_RING_BYTES + FRAME_LINE);
	lies_about(0x7fffffc0);
	lies_about(0u - FRAME_LINE);
	lies_in_header(0, LINE(64));
	lies_in_header(LEN_MIN - 1, LINE(64));
	lies_in_header(PACKET_MAX + 1, FRAME_RING_BYTES);
	lies_in_header(0x80000000u, FRAME_RING_BYTES);
	lies_in_header(FRAME_SKIP - 1, FRAME_RING_BYTES);
	lies_in_header(1000, FRAME_LINE);	/* longer than what is there */
	lies_in_header(FRAME_SKIP, FRAME_LINE); /* nothing is behind */
	lies_in_header(FRAME_SKIP, FRAME_RING_BYTES);
	/* a skip of nothing, twice */
	start();
	in.head = in.seen = out.tail = FRAME_LINE;
	((struct frame_header *)(ring->bytes + FRAME_LINE))->len = FRAME_SKIP;
	((struct frame_header *)ring->bytes)->len = FRAME_SKIP;
	atomic_store(&ring->tail, FRAME_LINE + FRAME_RING_BYTES);
	breaks();
	/* a frame that would go on behind the end */
	start();
	in.head = in.seen = FRAME_RING_BYTES - FRAME_LINE;
	((struct frame_header *)(ring->bytes + in.head))->len = 1000;
	atomic_store(&ring->tail, in.head + LINE(1000));
	breaks();
}

/* A consumer that claims to have taken what it cannot have gets nothing more. */
static void test_lying_consumer(void)
{
	static const uint32_t heads[] = { 1, FRAME_LINE, 0x80000000u, UINT32_MAX };

	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		start();
		while (frame_has_room(&out, true))
			CHECK(put(0, 4096));
		atomic_store(&ring->head, out.tail + heads[i]);
		CHECK(!frame_has_room(&out, true));
		CHECK(!frame_reserve(&out, PACKET_MAX) || out.tail - out.head <= FRAME_RING_BYTES);
	}
	/* what it writes into a frame that is being made is not believed */
	start();
	frame_reserve(&out, 64)->len = FRAME_SKIP;
	frame_commit(&out);
	CHECK_INT(out.tail, LINE(64));
}

/* ------------------------------------------------------------------------ two threads -- */

#define FRAMES 100000

static _Atomic unsigned bell, room_bell;

static void ring_bell(_Atomic unsigned *b)
{
	atomic_fetch_add(b, 1);
}

static void *produce(void *arg)
{
	unsigned heard = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		while (!frame_has_room(&out, false)) { /* asleep until the bell */
			if (frame_publish(&out))
				ring_bell(&bell);
			while (atomic_load(&room_bell) == heard)
				sched_yield();
			heard++;
		}
		put(i, some_len(i));
		for (; early; early--)
			ring_bell(&bell);
		if (i % 7 == 0 && frame_publish(&out))
			ring_bell(&bell);
	}
	if (frame_publish(&out))
		ring_bell(&bell);
	return arg;
}

/* Nobody sleeps for ever: a bell that is not rung hangs the test. */
static void test_threads(void)
{
	unsigned taken = 0, heard = 0;
	pthread_t thread;

	start();
	CHECK_INT(pthread_create(&thread, NULL, produce, NULL), 0);
	while (taken < FRAMES) {
		while (taken < FRAMES && take(taken, some_len(taken))) {
			taken++;
			if (frame_give_room(&in))
				ring_bell(&room_bell);
		}
		if (taken == FRAMES || !frame_sleep(&in))
			continue;
		while (atomic_load(&bell) == heard)
			sched_yield();
		heard++;
	}
	pthread_join(thread, NULL);
	CHECK(!in.broken);
}

int main(void)
{
	ring = aligned_alloc(FRAME_LINE, sizeof(*ring));
	if (!ring)
		return 1;
	test_around();
	test_parts();
	test_publish();
	test_full();
	test_sleep();
	test_long_batch();
	test_lying_producer();
	test_lying_consumer();
	test_threads();
	free(ring);
	return checks_end();
}
