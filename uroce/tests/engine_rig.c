// SPDX-License-Identifier: MIT
#include "engine_rig.h"

#include <poll.h>
#include <time.h>

#include "check.h"
#include "engine.h"
#include "fake_device.h"

struct cq cq;

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
	return atomic_load(&engine_parked);
}

void wait_unparked(void)
{
	for (int i = 0; i < PATIENCE && parked(); i++)
		nap(1);
	CHECK(!parked());
}

void park(void)
{
	for (int i = 0; i < PATIENCE && !parked(); i++)
		spin(1);
	CHECK(parked());
}

void flush(void)
{
	engine_lock();
	engine_flush();
	engine_unlock();
}

unsigned packets(void)
{
	return fake_engine.packets + fake_others.packets;
}

void arrive(unsigned n)
{
	for (int i = 0; i < PATIENCE && packets() < n; i++)
		nap(1);
	CHECK_INT(packets(), n);
}

void stays_idle(void)
{
	unsigned before;

	nap(20);
	before = fake_engine.passes;
	nap(300);
	CHECK_INT(fake_engine.passes, before);
}
