/* SPDX-License-Identifier: MIT */
#include "latencies.h"

static unsigned bucket_of(uint64_t ns)
{
	unsigned shift;

	if (ns < 1u << LATENCY_BITS)
		return (unsigned)ns;
	shift = 63 - LATENCY_BITS - (unsigned)__builtin_clzll(ns);
	return (shift + 1) << LATENCY_BITS | ((unsigned)(ns >> shift) & ((1u << LATENCY_BITS) - 1));
}

/* The middle of a bucket. */
static uint64_t bucket_ns(unsigned bucket)
{
	unsigned shift = bucket >> LATENCY_BITS;
	uint64_t low;

	if (!shift)
		return bucket;
	low = 1u << LATENCY_BITS | (bucket & ((1u << LATENCY_BITS) - 1));
	return (low << (shift - 1)) + ((UINT64_C(1) << (shift - 1)) / 2);
}

void latencies_add(struct latencies *l, uint64_t ns)
{
	if (!l->n || ns < l->min)
		l->min = ns;
	if (ns > l->max)
		l->max = ns;
	l->n++;
	l->buckets[bucket_of(ns)]++;
}

uint64_t latencies_quantile(const struct latencies *l, unsigned per_mille)
{
	const uint64_t rank = (l->n * per_mille + 999) / 1000;
	uint64_t seen = 0, ns = 0;

	if (rank <= 1)
		return l->min;
	if (rank >= l->n)
		return l->max;
	for (unsigned i = 0; i < LATENCY_BUCKETS && seen < rank; i++) {
		seen += l->buckets[i];
		ns = bucket_ns(i);
	}
	return ns < l->min ? l->min : ns > l->max ? l->max : ns;
}
