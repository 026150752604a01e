/* SPDX-License-Identifier: MIT */
/* The rings: records are written and copied without a lock; and the clock. */
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call_record.h"
#include "record_rings.h"

#if defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1
#elif defined(__has_feature)
#define HAS_TSAN __has_feature(thread_sanitizer)
#else
#define HAS_TSAN 0
#endif

/* ThreadSanitizer does not support fences; it uses the atomic words instead. */
static inline void thread_fence(memory_order order)
{
#if !HAS_TSAN
	atomic_thread_fence(order);
#else
	(void)order;
#endif
}

static uint64_t load_word(const _Atomic uint64_t *w)
{
	return atomic_load_explicit(w, memory_order_relaxed);
}

static void store_word(_Atomic uint64_t *w, uint64_t value)
{
	atomic_store_explicit(w, value, memory_order_relaxed);
}

/* ---------------------------------------------------------------------------- area -- */

#define SLOT_RINGS (RECORD_CONTROL_RING + RECORD_DATA_RING) /* bytes */
#define AREA_HEAD  ((sizeof(struct record_area) + 4095) / 4096 * 4096)

size_t record_area_size(void)
{
	return AREA_HEAD + RECORD_THREADS * SLOT_RINGS;
}

/* An area of this process that began without rings, and those of its slots. */
static struct {
	const struct record_area *area;
	char *rings[RECORD_THREADS];
} apart;

void record_area_lay_out(struct record_area *a, size_t size)
{
	apart.area = size < record_area_size() ? a : NULL;
	memset(apart.rings, 0, sizeof apart.rings);
	a->size = size;
	a->rows = call_count;
	atomic_store_explicit(&a->magic, RECORD_MAGIC, memory_order_release);
}

static struct record_slot *slot_in(struct record_area *area, uint32_t state, unsigned *number)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		uint32_t expected = state;

		*number = i;
		if (atomic_compare_exchange_strong(&area->slot[i].state, &expected, SLOT_USED))
			return &area->slot[i];
	}
	return NULL;
}

/* Maps the rings of a slot that has none: its thread writes them soon. */
static bool map_rings(const struct record_area *area, unsigned slot)
{
	char *memory;

	if (area != apart.area || apart.rings[slot])
		return true;
	memory = mmap(NULL, SLOT_RINGS, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	apart.rings[slot] = memory;
	return true;
}

struct record_slot *record_slot_take(struct record_area *area, unsigned *number)
{
	struct record_slot *slot = slot_in(area, SLOT_FREE, number);

	if (!slot)
		slot = slot_in(area, SLOT_LEFT, number);
	if (!slot || map_rings(area, *number))
		return slot;
	atomic_store(&slot->state, SLOT_FREE);
	return NULL;
}

void record_area_empty(struct record_area *area)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		for (unsigned j = 0; j < RECORD_PATHS; j++) {
			struct record_ring *r = &area->slot[i].ring[j];

			atomic_store(&r->tail, atomic_load(&r->head));
			atomic_store(&r->lost, 0);
			r->last = 0;
		}
}

_Atomic uint64_t *record_word(const struct record_area *area, unsigned slot, enum record_path path,
			      uint64_t at)
{
	const char *rings = area == apart.area ? apart.rings[slot]
					       : (const char *)area + AREA_HEAD + slot * SLOT_RINGS;
	const char *ring = rings + (path == RECORD_DATA ? RECORD_CONTROL_RING : 0);

	return (_Atomic uint64_t *)(uintptr_t)ring + (at & (record_ring_words(path) - 1));
}

/* -------------------------------------------------------------------------- writing -- */

static const _Atomic uint32_t *kept_for; /* the reader that is waited for */

void record_keep_for(const _Atomic uint32_t *reader)
{
	kept_for = reader;
}

bool record_is_kept(void)
{
	return kept_for;
}

bool record_reader_died(const _Atomic uint32_t *reader)
{
	return atomic_load(reader) & FUTEX_OWNER_DIED;
}

/* Waits until the reader has read everything before the position, or has died. */
static void await_reader(struct record_area *area, const struct record_ring *r, uint64_t position)
{
	const struct timespec moment = { .tv_nsec = 50000000 };

	while (!record_reader_died(kept_for)) {
		const uint32_t rounds = atomic_load(&area->rounds);

		if (atomic_load_explicit(&r->seen, memory_order_acquire) >= position)
			return;
		syscall(SYS_futex, &area->rounds, FUTEX_WAIT, rounds, &moment, NULL, 0);
	}
}

/* Drops the oldest records until there is space for n words at head. */
static void drop_oldest(struct record_area *area, unsigned slot, enum record_path path,
			uint64_t head, uint64_t n)
{
	struct record_ring *r = &area->slot[slot].ring[path];
	uint64_t tail = load_word(&r->tail), lost = load_word(&r->lost), seen = load_word(&r->seen);

	if (head + n - tail <= record_ring_words(path))
		return;
	while (head + n - tail > record_ring_words(path)) {
		const _Atomic uint64_t *w = record_word(area, slot, path, tail);
		const uint64_t size = load_word(w);

		if (tail >= seen && kept_for) {
			await_reader(area, r, tail + (size >> 48));
			seen = load_word(&r->seen);
		}
		if (tail >= seen && (size >> 16 & 0xffff) != IMAGE_PAD)
			lost += load_word(w + IMAGE_COUNT) >> 32;
		tail += size >> 48;
	}
	store_word(&r->lost, lost);
	store_word(&r->tail, tail);
	thread_fence(memory_order_release); /* before anything is overwritten */
}

/* Words from a position to the end of its ring. */
static uint64_t words_left(enum record_path path, uint64_t at)
{
	return record_ring_words(path) - (at & (record_ring_words(path) - 1));
}

uint64_t record_commit(struct record_area *area, unsigned slot, enum record_path path,
		       uint64_t *image, size_t n)
{
	struct record_ring *r = &area->slot[slot].ring[path];
	uint64_t head = load_word(&r->head), left = words_left(path, head);
	_Atomic uint64_t *to;

	if (n > left) {
		drop_oldest(area, slot, path, head, left + n);
		store_word(record_word(area, slot, path, head),
			   left << 48 | r->last << 32 | (uint64_t)IMAGE_PAD << 16);
		r->last = left;
		head += left;
	} else {
		drop_oldest(area, slot, path, head, n);
	}
	image[IMAGE_SIZE] = (uint64_t)n << 48 | r->last << 32 | image[IMAGE_SIZE];
	to = record_word(area, slot, path, head);
	for (size_t i = 0; i < n; i++)
		store_word(to + i, image[i]);
	r->last = n;
	atomic_store_explicit(&r->head, head + n, memory_order_release);
	return head;
}

/* -------------------------------------------------------------------------- reading -- */

bool record_copy(const struct record_area *area, unsigned slot, enum record_path path, uint64_t at,
		 uint64_t *image)
{
	const _Atomic uint64_t *from = record_word(area, slot, path, at);
	size_t n, room = words_left(path, at);

	image[0] = load_word(from);
	n = IMAGE_WORDS(image);
	if (n <= IMAGE_MAX && n <= room && IMAGE_ROW(image) != IMAGE_PAD)
		for (size_t i = 1; i < n; i++)
			image[i] = load_word(from + i);
	thread_fence(memory_order_acquire);
	return load_word(&area->slot[slot].ring[path].tail) <= at && n <= room && n > 0;
}

/* ---------------------------------------------------------------------------- clock -- */

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

uint64_t record_clock_read(void)
{
	return (uint64_t)read_clock(CLOCK_MONOTONIC);
}

#define COMPARED_NS INT64_C(20000000000)

/* Nanoseconds from the one clock to the other. They are compared only from time to time, so that
 * equal ticks are equal times; somebody may set the other, or the machine may have slept. */
static int64_t to_realtime(uint64_t ticks)
{
	static uint64_t compared;
	static int64_t difference;

	if (!compared || (int64_t)(ticks - compared) > COMPARED_NS) {
		compared = record_clock_read();
		difference = read_clock(CLOCK_REALTIME) - (int64_t)compared;
	}
	return difference;
}

int64_t record_realtime(uint64_t ticks)
{
	return (int64_t)ticks + to_realtime(ticks);
}

uint64_t record_ticks(int64_t realtime)
{
	return (uint64_t)(realtime - to_realtime(record_clock_read()));
}
