// SPDX-License-Identifier: MIT
#include "fake_engine.h"

#include "checks.h"
#include "engine.h"
#include "timer.h"

#define TIMERS 16

uint64_t fake_now = 1000000000;
int fake_reserved;

static struct timer *timers[TIMERS];
static int locked;

void engine_lock(void)
{
	CHECK_INT(locked++, 0);
}

void engine_unlock(void)
{
	CHECK_INT(--locked, 0);
}

uint64_t engine_now(void)
{
	return fake_now;
}

int timer_reserve(int n)
{
	fake_reserved += n;
	return 0;
}

void timer_set(struct timer *t, uint64_t when)
{
	if (!t->place) {
		unsigned i = 0;

		while (timers[i])
			i++;
		CHECK(i < TIMERS && (int)i < fake_reserved);
		timers[i] = t;
		t->place = i + 1;
	}
	t->when = when;
}

void timer_stop(struct timer *t)
{
	if (t->place)
		timers[t->place - 1] = NULL;
	t->place = 0;
}

void fake_pass_time(uint64_t ns)
{
	uint64_t end = fake_now + ns;

	for (;;) {
		struct timer *first = NULL;

		for (unsigned i = 0; i < TIMERS; i++)
			if (timers[i] && (!first || timers[i]->when < first->when))
				first = timers[i];
		if (!first || first->when > end)
			break;
		fake_now = first->when > fake_now ? first->when : fake_now;
		timer_stop(first);
		first->fn(first);
	}
	fake_now = end;
}
