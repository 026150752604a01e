/* SPDX-License-Identifier: MIT */
/* What the programs of the benchmarks share. They are built with _GNU_SOURCE. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Seconds. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The two ends on two processors, where there are two: else the scheduler has them now on one,
 * now on two, and the round trip is now the half, now the double. */
static inline void own_processor(int end)
{
	cpu_set_t all, one;

	need(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
	if (CPU_COUNT(&all) < 2)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && seen++ == end)
			CPU_SET(cpu, &one);
	need(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

#endif
