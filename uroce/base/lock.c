// SPDX-License-Identifier: MIT
#include "lock.h"

#include <pthread.h>
#include <stdatomic.h>

/* It is held for as long as some packets take. To sleep for it takes longer, and gives the
 * processor to others; an adaptive mutex is tried some times before that. */
static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned waiting;
static _Atomic pthread_t
	holder;		 /* of the lock; 0: nobody. A thread may ask whether it is the one */
static int cancel_state; /* of the thread that has the lock, before */
static uint64_t now;	 /* 0: not read yet */

static void have_lock(int state)
{
	atomic_store_explicit(&holder, pthread_self(), memory_order_relaxed);
	cancel_state = state;
	now = 0;
}

/* Real verbs are no cancellation points, and a thread must not go with the lock. */
void engine_lock(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_trylock(&lock) != 0) {
		atomic_fetch_add_explicit(&waiting, 1, memory_order_relaxed);
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

	atomic_store_explicit(&holder, 0, memory_order_relaxed);
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

	atomic_store_explicit(&holder, 0, memory_order_relaxed);
	pthread_cond_wait(&woken, &lock);
	have_lock(state);
}

void engine_wake_all(void)
{
	pthread_cond_broadcast(&woken);
}

uint64_t engine_now(void)
{
	if (!now)
		now = engine_clock();
	return now;
}

bool engine_lock_patiently(void)
{
	int state;

	if (atomic_load_explicit(&holder, memory_order_relaxed) == pthread_self())
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (!lock_patiently(&lock)) {
		pthread_setcancelstate(state, NULL);
		return false;
	}
	have_lock(state);
	return true;
}

void lock_forget(void)
{
	lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_init(&woken, NULL);
	waiting = 0;
}
