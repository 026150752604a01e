// SPDX-License-Identifier: MIT
#include "timer.h"

#include <stddef.h>

static TAILQ_HEAD(timers, timer) timers = TAILQ_HEAD_INITIALIZER(timers);

/* Most are set to a time that is later than that of most others: the search begins at the end. */
void timer_set(struct timer *t, uint64_t when)
{
	struct timer *before;

	timer_stop(t);
	t->when = when;
	t->running = true;
	before = TAILQ_LAST(&timers, timers);
	while (before && before->when > when)
		before = TAILQ_PREV(before, timers, entry);
	if (before)
		TAILQ_INSERT_AFTER(&timers, before, t, entry);
	else
		TAILQ_INSERT_HEAD(&timers, t, entry);
}

void timer_stop(struct timer *t)
{
	if (t->running)
		TAILQ_REMOVE(&timers, t, entry);
	t->running = false;
}

uint64_t timer_next(void)
{
	return TAILQ_EMPTY(&timers) ? UINT64_MAX : TAILQ_FIRST(&timers)->when;
}

void timer_run(uint64_t now)
{
	struct timer *t;
	unsigned turns = 0;

	TAILQ_FOREACH(t, &timers, entry)
		if (t->when <= now)
			turns++;
		else
			break;
	/* a timer that sets itself to a time gone by has its turn in the next pass */
	for (; turns && (t = TAILQ_FIRST(&timers)) && t->when <= now; turns--) {
		timer_stop(t);
		t->fn(t);
	}
}

void timer_forget(void)
{
	while (!TAILQ_EMPTY(&timers))
		timer_stop(TAILQ_FIRST(&timers));
}
