// SPDX-License-Identifier: MIT
/*
 * Measures the memory of this machine: the baselines of "scripts/bench uroce" for programs on one
 * host. Called with MODE BYTES N; prints one number, or two.
 *
 *   memcpy   GB/s of memcpy() from one buffer to another
 *   copy     GB/s through shared memory: one thread writes, another one reads
 *   ping     microseconds a round trip of two processes through shared memory
 *   tail     the same, each round trip timed, one way: median and 99.9 %
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SLOTS 8 /* how far the writer may be ahead */

struct shared {
	_Atomic unsigned written, read;
	char pad[120];
	char slots[];
};

static size_t size;
static unsigned n;

static char *bytes(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap");
	memset(p, 1, len);
	return p;
}

/* Yields now and then, because there may be only one processor. */
static void until(_Atomic unsigned *value, unsigned from, unsigned distance)
{
	for (unsigned i = 1; from - atomic_load_explicit(value, memory_order_acquire) >= distance;
	     i++)
		if (i % 1000 == 0)
			sched_yield();
}

static double gigabytes(double seconds)
{
	return (double)size * n / seconds / 1e9;
}

static double by_memcpy(void)
{
	char *from = bytes(size), *to = bytes(size);
	double t = now();

	for (unsigned i = 0; i < n; i++) {
		memcpy(to, from, size);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return gigabytes(now() - t);
}

static void *reader(void *arg)
{
	struct shared *s = arg;
	char *to = bytes(size);

	own_processor(1);
	for (unsigned i = 0; i < n; i++) {
		until(&s->written, i + n, n); /* until more than i are written */
		memcpy(to, s->slots + i % SLOTS * size, size);
		atomic_store_explicit(&s->read, i + 1, memory_order_release);
	}
	return NULL;
}

static double by_two_threads(void)
{
	struct shared *s = (void *)bytes(sizeof *s + SLOTS * size);
	char *from = bytes(size);
	pthread_t thread;
	double t;

	s->written = s->read = 0;
	own_processor(0);
	need((errno = pthread_create(&thread, NULL, reader, s)) == 0, "pthread_create");
	t = now();
	for (unsigned i = 0; i < n; i++) {
		until(&s->read, i, SLOTS);
		memcpy(s->slots + i % SLOTS * size, from, size);
		atomic_store_explicit(&s->written, i + 1, memory_order_release);
	}
	pthread_join(thread, NULL);
	return gigabytes(now() - t);
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* "written" counts the parent's messages, "read" the child's answers. times: of each message, or
 * NULL. */
static double ping(double *times)
{
	struct shared *s = (void *)bytes(sizeof *s + 2 * size);
	char *mine = bytes(size);
	pid_t child;
	double t, from = 0;

	s->written = s->read = 0;
	child = start_end();
	if (child == 0) {
		for (unsigned i = 0;; i++) {
			until(&s->written, i + n, n);
			memcpy(mine, s->slots, size);
			memcpy(s->slots + size, mine, size);
			atomic_store_explicit(&s->read, i + 1, memory_order_release);
		}
	}
	t = now();
	for (unsigned i = 0; i < n; i++) {
		if (times)
			from = now();
		memcpy(s->slots, mine, size);
		atomic_store_explicit(&s->written, i + 1, memory_order_release);
		until(&s->read, i + n, n);
		memcpy(mine, s->slots + size, size);
		if (times)
			times[i] = (now() - from) * 1e6 / 2;
	}
	t = now() - t;
	stop(child);
	return t * 1e6 / n;
}

static int tail(void)
{
	double *times = calloc(n, sizeof *times);

	need(times != NULL, "calloc");
	ping(times);
	print_quantiles(times, n);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc == 4 ? argv[1] : "";
	double result;

	size = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	n = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	if (!size || !n)
		what = "";
	if (strcmp(what, "tail") == 0)
		return tail();
	if (strcmp(what, "memcpy") == 0)
		result = by_memcpy();
	else if (strcmp(what, "copy") == 0)
		result = by_two_threads();
	else if (strcmp(what, "ping") == 0)
		result = ping(NULL);
	else {
		fprintf(stderr, "usage: memory memcpy|copy|ping|tail BYTES N\n");
		return 2;
	}
	printf("%.4f\n", result);
	return 0;
}
