/* SPDX-License-Identifier: MIT */
/* The engine of the rig: a clock that jumps to what comes next, timers, guarded copies. */
#include <string.h>

#include "engine.h"
#include "checks.h"
#include "guard.h"
#include "rig.h"
#include "timer.h"

#define TIMERS 64

uint64_t rig_now = 1000000000;
unsigned rig_deferred;
const uint8_t *rig_hole;
size_t rig_hole_bytes;
bool rig_strict;
uint64_t counters[COUNTERS];

static struct timer *timers[TIMERS];
static unsigned ntimers;
static uint64_t random_state = 88172645463325252u;

void rig_seed(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15u + 1;
}

uint32_t rig_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

void engine_lock(void)
{
}

void engine_unlock(void)
{
}

uint64_t engine_now(void)
{
	return rig_now;
}

void engine_defer(uint64_t until)
{
	(void)until;
	rig_deferred++;
}

void timer_set(struct timer *t, uint64_t when)
{
	if (!t->place) {
		if (ntimers == TIMERS)
			__builtin_trap();
		timers[ntimers++] = t;
		t->place = ntimers;
	}
	t->when = when;
}

void timer_stop(struct timer *t)
{
	if (!t->place)
		return;
	timers[t->place - 1] = timers[--ntimers];
	timers[t->place - 1]->place = t->place;
	t->place = 0;
}

uint64_t timer_next(void)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < ntimers; i++)
		next = timers[i]->when < next ? timers[i]->when : next;
	return next;
}

void timer_run(uint64_t now)
{
	for (unsigned i = 0; i < ntimers; i++) {
		struct timer *t = timers[i];

		if (t->when <= now) {
			timer_stop(t);
			t->fn(t);
			i = UINT32_MAX; /* from the beginning */
		}
	}
}

static bool in_hole(const void *p, size_t n)
{
	const uint8_t *b = p;

	return rig_hole && b < rig_hole + rig_hole_bytes && b + n > rig_hole;
}

static void check_target(const void *p, size_t n)
{
	CHECK(!rig_strict || rig_writable(p, n) || rig_in_packet(p, n));
}

int guard_copy(void *dst, const void *src, size_t n)
{
	check_target(dst, n);
	if (in_hole(dst, n) || in_hole(src, n))
		return -1;
	memcpy(dst, src, n);
	return 0;
}

int guard_store(uint64_t *p, uint64_t value)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*p = value;
	return 0;
}

int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	*p += add;
	return 0;
}

int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	if (*old == compare)
		*p = swap;
	return 0;
}
