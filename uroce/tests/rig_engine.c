/* SPDX-License-Identifier: MIT */
/* The engine of the rig: the lock, a clock that jumps to what comes next, timers, passes. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "checks.h"
#include "completion_queue.h"
#include "engine.h"
#include "rig.h"

#define TIMERS 10000 /* more than the packets that the faults hold back */

/* Not in every test: rig_wire.c, and transport/. */
#pragma weak rig_arrive
#pragma weak rig_next_arrival
#pragma weak transport_finish

uint64_t rig_now = 1000000000;
bool rig_real_time;
unsigned rig_timers;
void (*rig_app)(void);
bool rig_locked, rig_unflushed;
unsigned rig_locks, rig_flushes, rig_sleeps;
void (*rig_sleeper)(void), (*rig_unlocked)(void);
int rig_engine_error;
unsigned rig_engine_users;
_Atomic unsigned rig_polls, rig_waits;
bool rig_hands_over;
int (*rig_waiter)(int fd);

/* --------------------------------------------------------------------- the lock -- */

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

void engine_lock(void)
{
	CHECK_INT(pthread_mutex_lock(&lock), 0);
	rig_locks++;
	rig_locked = true;
	rig_unflushed = false;
}

bool engine_lock_patiently(void)
{
	engine_lock();
	return true;
}

void engine_unlock(void)
{
	CHECK(!rig_unflushed);
	rig_locked = false;
	CHECK_INT(pthread_mutex_unlock(&lock), 0);
	if (rig_unlocked)
		rig_unlocked();
}

void engine_sleep(void)
{
	rig_sleeps++;
	if (rig_sleeper) {
		engine_unlock();
		rig_sleeper();
		engine_lock();
		return;
	}
	rig_locked = false;
	pthread_cond_wait(&woken, &lock);
	rig_locked = true;
}

void rig_must_not_sleep(void)
{
	CHECK(!"a child waits for what only its parent can acknowledge");
}

void engine_wake_all(void)
{
	pthread_cond_broadcast(&woken);
}

/* ----------------------------------------------------------- its thread, which is none -- */

_Atomic bool engine_poller_reads, engine_poller_leaves;

int engine_get(void)
{
	if (rig_engine_error) {
		errno = rig_engine_error;
		return -1;
	}
	rig_engine_users++;
	return 0;
}

void engine_put(void)
{
	rig_engine_users--;
}

const char *engine_reason(void)
{
	return "the test wants it so";
}

void engine_flush(void)
{
	CHECK(rig_locked);
	rig_unflushed = false;
	rig_flushes++;
}

void guard_copy_unseen(void)
{
}

void engine_timer_set(void)
{
	CHECK(rig_locked);
}

void engine_flush_here(void)
{
	engine_flush();
}

void engine_poll_empty(struct cq *cq)
{
	(void)cq;
	rig_polls++;
}

void engine_release_reading(void)
{
}

bool engine_hand_over(int fd)
{
	(void)fd;
	CHECK(rig_locked);
	return rig_hands_over;
}

/* A thread may be cancelled here: without AddressSanitizer, see await_event() in events.c. */
__attribute__((no_sanitize_address)) int engine_wait_fd(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	rig_waits++;
	if (rig_waiter)
		return rig_waiter(fd);
	return poll(&p, 1, -1) < 0 ? -1 : 0;
}

/* --------------------------------------------------------------- time and timers -- */

static struct timer *timers[TIMERS];
static unsigned most_timers;

uint64_t engine_now(void)
{
	struct timespec now;

	if (!rig_real_time)
		return rig_now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void timer_set(struct timer *t, uint64_t when)
{
	static uint64_t number;
	unsigned i = 0;

	t->when = when;
	t->number = ++number;
	if (t->running)
		return;
	rig_timers++;
	while (timers[i])
		i++;
	CHECK(i + 1 < TIMERS);
	timers[i] = t;
	t->running = true;
	if (i >= most_timers)
		most_timers = i + 1;
}

void timer_stop(struct timer *t)
{
	if (!t->running)
		return;
	for (unsigned i = 0; i < most_timers; i++)
		if (timers[i] == t)
			timers[i] = NULL;
	t->running = false;
	rig_timers--;
}

void timer_forget(void)
{
	for (unsigned i = 0; i < most_timers; i++)
		if (timers[i])
			timer_stop(timers[i]);
}

static struct timer *first_timer(void)
{
	struct timer *first = NULL;

	for (unsigned i = 0; i < most_timers; i++)
		if (timers[i] &&
		    (!first || timers[i]->when < first->when ||
		     (timers[i]->when == first->when && timers[i]->number < first->number)))
			first = timers[i];
	return first;
}

uint64_t timer_next(void)
{
	const struct timer *first = first_timer();

	return first ? first->when : UINT64_MAX;
}

void timer_run(uint64_t now)
{
	struct timer *t;

	while ((t = first_timer()) && t->when <= now) {
		timer_stop(t);
		t->fn(t);
		rig_run_app();
	}
}

void rig_run_app(void)
{
	if (!rig_app)
		return;
	engine_flush();
	engine_unlock();
	rig_app();
	engine_lock();
}

bool rig_finish(void)
{
	bool more;

	engine_lock();
	more = transport_finish();
	engine_flush();
	engine_unlock();
	return more;
}

bool rig_pass(void)
{
	bool more;

	engine_lock();
	more = rig_arrive && rig_arrive();
	more |= timer_next() <= rig_now;
	timer_run(rig_now);
	if (transport_finish)
		more |= transport_finish();
	engine_flush();
	engine_unlock();
	return more;
}

bool rig_step(uint64_t end)
{
	uint64_t next, arrival;

	if (rig_pass())
		return true;
	next = timer_next();
	arrival = rig_next_arrival ? rig_next_arrival() : UINT64_MAX;
	if (arrival < next)
		next = arrival;
	if (next == UINT64_MAX || next > end)
		return false;
	if (next > rig_now)
		rig_now = next;
	return true;
}

void rig_run(uint64_t ns)
{
	uint64_t end = ns ? rig_now + ns : UINT64_MAX;

	while (rig_step(end))
		;
	if (ns && rig_now < end)
		rig_now = end;
}
