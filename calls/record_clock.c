/* SPDX-License-Identifier: MIT */
/*
 * The clock of records: the processor's own counter where it runs evenly on all cores, which is
 * read in half the time of CLOCK_MONOTONIC.
 */
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "call_record.h"
#include "record_clock.h"

uint32_t record_clock_kind = CLOCK_UNKNOWN;

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#if defined(__x86_64__)
static bool counter_is_even(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}
#elif defined(__aarch64__)
static bool counter_is_even(void)
{
	return true;
}
#else
static bool counter_is_even(void)
{
	return false;
}
#endif

void record_clock_choose(void)
{
	record_clock_kind = counter_is_even() ? CLOCK_COUNTER : CLOCK_SYSTEM;
}

uint64_t record_clock_system(void)
{
	return (uint64_t)now(CLOCK_MONOTONIC);
}

void record_clock_pair(struct clock_pair *p)
{
	uint64_t before, after;

	/* the narrowest of a few: an interrupt may come between */
	for (unsigned i = 0; i < 5; i++) {
		int64_t realtime;

		before = record_clock_read();
		realtime = now(CLOCK_REALTIME);
		after = record_clock_read();
		if (i && after - before >= p->width)
			continue;
		*p = (struct clock_pair){ before + (after - before) / 2, realtime, after - before };
	}
}

const char *record_clock(void)
{
	if (record_clock_kind == CLOCK_UNKNOWN)
		record_clock_choose();
	if (record_clock_kind == CLOCK_SYSTEM)
		return "CLOCK_MONOTONIC";
#if defined(__aarch64__)
	return "CNTVCT";
#else
	return "TSC";
#endif
}
