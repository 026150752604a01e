/* Random numbers: of the kernel, and of a seed. */
#ifndef UROCE_BASE_RANDOM_H
#define UROCE_BASE_RANDOM_H

#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>

/* Up to 256 bytes, which getrandom(2) always gives whole unless a signal comes before the system
 * has seeded its generator. */
static inline void random_bytes(void *p, size_t n)
{
	while (getrandom(p, n, 0) != (ssize_t)n)
		;
}

/* The next number of a sequence: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", 2014). */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif
