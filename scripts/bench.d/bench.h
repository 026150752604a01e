/* SPDX-License-Identifier: MIT */
/* Functions that the programs of the benchmarks share. They are built with _GNU_SOURCE. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

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

/* Pins the two ends to two processors, if there are two. Otherwise the scheduler moves them between
 * one and two processors, which changes the time of a round trip by a factor of two. */
static inline void own_processor(int end)
{
	static cpu_set_t all; /* of the program: a thread or child inherits the one of its maker */
	cpu_set_t one;

	if (CPU_COUNT(&all) == 0)
		need(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
	if (CPU_COUNT(&all) < 2)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && seen++ == end)
			CPU_SET(cpu, &one);
	need(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

/* Forks the other end, and gives each end its own processor; the child ends with its parent. */
static inline pid_t start_end(void)
{
	pid_t pid = fork();

	need(pid >= 0, "fork");
	own_processor(pid == 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

#endif
