// SPDX-License-Identifier: MIT
#include "engine_own.h"

#include <sched.h>
#include <time.h>

/* It is held for as long as some packets take: to sleep for it takes longer, and gives the
 * processor to others. */
#define TRIES 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned waiting;
static _Atomic int holder; /* the processor on which the lock was taken */
static int cancel_state;   /* of the thread that has the lock, before */
static uint64_t now;	   /* 0: not read yet */

static void have_lock(int state)
{
	cancel_state = state;
	now = 0;
	atomic_store_explicit(&holder, sched_getcpu(), memory_order_relaxed);
}

static void pause_a_bit(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Not for one that waits for this processor itself. */
static bool try_for_a_while(void)
{
	int cpu = sched_getcpu();

	for (unsigned i = 0; i < TRIES; i++) {
		if (atomic_load_explicit(&holder, memory_order_relaxed) == cpu)
			return false;
		pause_a_bit();
		if (pthread_mutex_trylock(&lock) == 0)
			return true;
	}
	return false;
}

/* Real verbs are no cancellation points, and a thread must not go with the lock. */
void engine_lock(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_trylock(&lock) != 0) {
		atomic_fetch_add_explicit(&waiting, 1, memory_order_relaxed);
		if (!try_for_a_while())
			pthread_mutex_lock(&lock);
		atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed);
	}
	have_lock(state);
}

bool engine_trylock(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_trylock(&lock) != 0) {
		pthread_setcancelstate(state, NULL);
		return false;
	}
	have_lock(state);
	return true;
}

void engine_unlock(void)
{
	int state = cancel_state;

	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
}

bool engine_contended(void)
{
	return atomic_load_explicit(&waiting, memory_order_relaxed) != 0;
}

void engine_sleep(void)
{
	int state = cancel_state;

	pthread_cond_wait(&woken, &lock);
	have_lock(state);
}

void engine_wake_all(void)
{
	pthread_cond_broadcast(&woken);
}

uint64_t engine_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t engine_now(void)
{
	if (!now)
		now = engine_clock();
	return now;
}

bool engine_lock_patiently(void)
{
	struct timespec until;
	int state;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_timedlock(&lock, &until) != 0) {
		pthread_setcancelstate(state, NULL);
		return false;
	}
	have_lock(state);
	return true;
}

void lock_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&woken, NULL);
	waiting = 0;
}
