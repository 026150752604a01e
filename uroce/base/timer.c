// SPDX-License-Identifier: MIT
/* A binary heap, from place 1: the children of a place are at twice that place and beside it. */
#include "timer.h"

#include <errno.h>
#include <stdlib.h>

static struct timer **heap; /* heap[0] is not used */
static unsigned running, reserved, room;

static void put(struct timer *t, unsigned place)
{
	heap[place] = t;
	t->place = place;
}

/* t moves from its place towards the top as far as it is earlier than what is above. */
static void rise(struct timer *t)
{
	unsigned place = t->place;

	while (place > 1 && heap[place / 2]->when > t->when) {
		put(heap[place / 2], place);
		place /= 2;
	}
	put(t, place);
}

static void sink(struct timer *t)
{
	unsigned place = t->place, child;

	while ((child = 2 * place) <= running) {
		if (child < running && heap[child + 1]->when < heap[child]->when)
			child++;
		if (heap[child]->when >= t->when)
			break;
		put(heap[child], place);
		place = child;
	}
	put(t, place);
}

void timer_set(struct timer *t, uint64_t when)
{
	if (!t->place)
		t->place = ++running;
	t->when = when;
	rise(t);
	sink(t);
}

void timer_stop(struct timer *t)
{
	struct timer *last;
	unsigned place = t->place;

	if (!place)
		return;
	t->place = 0;
	last = heap[running--];
	if (last == t)
		return;
	put(last, place);
	rise(last);
	sink(last);
}

int timer_reserve(int n)
{
	unsigned want = reserved + (unsigned)n;

	if (n > 0 && want > room) {
		unsigned size = room ? room : 64;
		struct timer **bigger;

		while (size < want)
			size *= 2;
		bigger = realloc(heap, (size + 1) * sizeof(*heap));
		if (!bigger) {
			errno = ENOMEM;
			return -1;
		}
		heap = bigger;
		room = size;
	}
	reserved = want;
	return 0;
}

uint64_t timer_next(void)
{
	return running ? heap[1]->when : UINT64_MAX;
}

void timer_run(uint64_t now)
{
	/* A timer that sets itself to a time gone by has its turn in the next pass. */
	for (unsigned turns = running; turns && running && heap[1]->when <= now; turns--) {
		struct timer *t = heap[1];

		timer_stop(t);
		t->fn(t);
	}
}

void timer_forget(void)
{
	while (running)
		heap[running--]->place = 0;
}
