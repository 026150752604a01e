/* SPDX-License-Identifier: MIT */
/* Timers on a heap: some per QP and connection, most of them stopped before they run out. All of it
 * runs with the engine's lock. */
#ifndef UROCE_BASE_TIMER_H
#define UROCE_BASE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in its owner, zeroed at first; the owner stops it before it goes. */
struct timer {
	uint64_t when;	/* engine_now(), ns */
	unsigned place; /* in the heap, from 1; 0: not running */
	void (*fn)(struct timer *t);
};

/* Runs t->fn(t), with the lock held, when engine_now() has reached when. Sets a running
 * timer anew. Never fails: the heap has a place for every timer that was prepared. */
void timer_set(struct timer *t, uint64_t when);
void timer_stop(struct timer *t);
static inline bool timer_running(const struct timer *t)
{
	return t->place != 0;
}

/* Makes sure that n more (negative: fewer) timers can run at once. 0, or -1 with ENOMEM. */
int timer_reserve(int n);
/* When the next one runs out; UINT64_MAX: none runs. */
uint64_t timer_next(void);
/* Runs what is due at now, each timer once at most. */
void timer_run(uint64_t now);
/* Stops all: after fork(). What was reserved stays so. */
void timer_forget(void);

#endif
