/* SPDX-License-Identifier: MIT */
/* Random numbers: of the kernel, and of a seed. */
#ifndef UROCE_BASE_RANDOM_H
#define UROCE_BASE_RANDOM_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>

/* The next number of a sequence: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", 2014). */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Up to 256 bytes, which getrandom(2) always gives whole unless a signal comes before the system
 * has seeded its generator. Where a filter of system calls forbids getrandom(2), the bytes follow
 * from the time. */
static inline void random_bytes(void *p, size_t n)
{
	uint64_t state, some;
	struct timespec now;
	ssize_t got;

	do
		got = getrandom(p, n, 0);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)n)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	state = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
	for (size_t i = 0; i < n; i += sizeof(some)) {
		some = random_next(&state);
		memcpy((char *)p + i, &some, n - i < sizeof(some) ? n - i : sizeof(some));
	}
}

#endif
