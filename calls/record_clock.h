/* SPDX-License-Identifier: MIT */
/* The clock of records. */
#ifndef CALLS_RECORD_CLOCK_H
#define CALLS_RECORD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { CLOCK_UNKNOWN, CLOCK_COUNTER, CLOCK_SYSTEM };
extern uint32_t record_clock_kind;

/* Which clock this machine has; before any other. */
void record_clock_choose(void);
/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t record_clock_system(void);

static inline uint64_t record_clock_read(void)
{
	if (record_clock_kind != CLOCK_COUNTER)
		return record_clock_system();
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
	return 0;
#endif
}

/* Both clocks at one moment; width is how long that lasted, in ticks. */
struct clock_pair {
	uint64_t ticks;
	int64_t realtime;
	uint64_t width;
};
void record_clock_pair(struct clock_pair *p);

#endif
