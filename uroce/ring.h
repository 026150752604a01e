/* SPDX-License-Identifier: MIT */
/* Rings of work requests, completions and answers: positions run freely, a mask finds the slot. */
#ifndef UROCE_RING_H
#define UROCE_RING_H

#include <stdint.h>

/* The least power of two that is not less than n; 1 for 0. n is at most 2^31. */
static inline uint32_t ring_slots(uint32_t n)
{
	return n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1;
}

#endif
