/* SPDX-License-Identifier: MIT */
/* Timers in a pairing heap, the first to run out at its root: some per QP and connection, most of
 * them stopped before they run out. All of it runs with the engine's lock. */
#ifndef UROCE_BASE_TIMER_H
#define UROCE_BASE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in its owner, zeroed at first; the owner stops it before it goes. */
struct timer {
	uint64_t when; /* engine_now(), ns */
	bool running;
	uint64_t number; /* of all that were set */
	void (*fn)(struct timer *t);
	struct timer *below; /* the first of those below it, none of which runs out before it */
	struct timer *next;  /* to it, below the same one */
	struct timer **from; /* what points to it */
};

/* Runs t->fn(t), with the lock held, when engine_now() has reached when; of timers with the same
 * time the one first that was set first. Sets a running timer anew. */
void timer_set(struct timer *t, uint64_t when);
void timer_stop(struct timer *t);
static inline bool timer_running(const struct timer *t)
{
	return t->running;
}

/* When the next one runs out; UINT64_MAX: none runs. */
uint64_t timer_next(void);
/* Runs what is due at now. One that is set meanwhile to a time gone by has its turn, with those due
 * after it, in the next run. */
void timer_run(uint64_t now);
/* Stops all: after fork(). */
void timer_forget(void);

#endif
