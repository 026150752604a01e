/* SPDX-License-Identifier: MIT */
#include "engine_app.h"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include "checks.h"
#include "engine.h"

struct cq cq;
_Atomic int app_yields_for;

/* In place of that of libc, for the engine: on a busy machine that takes longer than the tick for
 * which an application that polls keeps the reading, and no test would see it kept. */
int sched_yield(void)
{
	if (app_yields_for)
		nap(app_yields_for);
	return 0;
}

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void nap(int ms)
{
	poll(NULL, 0, ms);
}

void reaches(_Atomic unsigned *counter, unsigned value)
{
	for (int i = 0; i < PATIENCE && *counter < value; i++)
		nap(1);
	CHECK(*counter >= value);
}

void spin(unsigned ms)
{
	uint64_t until = clock_ns() + ms * UINT64_C(1000000);

	while (clock_ns() < until)
		engine_poll_empty(&cq);
}

bool parked(void)
{
	return atomic_load(&engine_poller_reads);
}

void wait_unparked(void)
{
	for (int i = 0; i < PATIENCE && parked(); i++)
		nap(1);
	CHECK(!parked());
}

void park(void)
{
	uint64_t until = clock_ns() + PATIENCE * UINT64_C(1000000);
	bool done;

	do {
		engine_poll_empty(&cq);
		done = parked();
	} while (!done && clock_ns() < until);
	CHECK(done);
}

void flush(void)
{
	engine_lock();
	engine_flush();
	engine_unlock();
}

unsigned packets(void)
{
	return rig_thread.packets + rig_others.packets;
}

void arrive(unsigned n)
{
	for (int i = 0; i < PATIENCE && packets() < n; i++)
		nap(1);
	CHECK_INT(packets(), n);
}

/* On a busy machine it may still be at what came before. */
void stays_idle(void)
{
	unsigned before, tries = 0;

	do {
		before = rig_thread.passes;
		nap(300);
	} while (rig_thread.passes != before && tries++ < 10);
	CHECK_INT(rig_thread.passes, before);
}
