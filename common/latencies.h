/* SPDX-License-Identifier: MIT */
#ifndef COMMON_LATENCIES_H
#define COMMON_LATENCIES_H

#include <stdint.h>

/* How long requests took, counted by the highest LATENCY_BITS + 1 bits of the time: the error is
 * below 0.2 %, and the size does not depend on how many there are. Zeroed: none. */
#define LATENCY_BITS	9
#define LATENCY_BUCKETS ((64 - LATENCY_BITS + 1) << LATENCY_BITS)

struct latencies {
	uint64_t n;
	uint64_t min, max; /* ns, exact; if n */
	uint32_t buckets[LATENCY_BUCKETS];
};

void latencies_add(struct latencies *l, uint64_t ns);
/* The shortest time, in ns, that so many in a thousand did not exceed. 0: there is none. */
uint64_t latencies_quantile(const struct latencies *l, unsigned per_mille);

#endif
