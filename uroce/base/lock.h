/* SPDX-License-Identifier: MIT */
/*
 * The engine's lock, and the time.
 *
 * The lock guards everything, except that ibv_poll_cq() reads the ring of a CQ without it.
 * Functions of other files say when they take it; those that say nothing run with it held. Code of
 * the application is never called under it, and a thread is not cancelled while it has it.
 * Waits under it end soon: a millisecond for room in a socket (tx.c); at most a second for the lock
 * of the names (group_names.c), which another process has for some system calls.
 */
#ifndef UROCE_BASE_LOCK_H
#define UROCE_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

void engine_lock(void);
/* Does not wait. False: another thread has it. */
bool engine_trylock(void);
void engine_unlock(void);
/* Takes the lock, until the end of the block. */
#define SCOPED_ENGINE_LOCK() \
	__attribute__((cleanup(engine_lock_end), unused)) const bool locked = (engine_lock(), true)
static inline void engine_lock_end(const bool *locked)
{
	(void)locked;
	engine_unlock();
}
/* Waits for at most a second: for the end of a process. False: it was in vain, or this thread has
 * the lock, since exit() was called by a signal handler in the middle of a call. */
bool engine_lock_patiently(void);
/* The same of any mutex, which this thread does not have. */
static inline bool lock_patiently(pthread_mutex_t *mutex)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_mutex_timedlock(mutex, &until) == 0;
}
/* Sleeps until engine_wake_all(); the lock is free meanwhile. For waits that the verbs
 * demand: destroying what has events that are not acknowledged. */
void engine_sleep(void);
void engine_wake_all(void);

/* Monotonic, nanoseconds; read once while the lock is held. */
uint64_t engine_now(void);
#define MS UINT64_C(1000000) /* ns */
static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
/* The same, without the lock. */
static inline uint64_t engine_clock(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* Does a thread wait for the lock? */
bool engine_contended(void);
/* After fork(), in the child: nobody has the lock. */
void lock_forget(void);

#endif
