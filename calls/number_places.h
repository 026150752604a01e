/* SPDX-License-Identifier: MIT */
/* Numbers in bytes: addresses, keys and numbers of QPs are recognised by their values. */
#ifndef CALLS_NUMBER_PLACES_H
#define CALLS_NUMBER_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* big: the highest byte comes first. */
static inline uint64_t number_load(const unsigned char *b, unsigned size, bool big)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v = v << 8 | b[big ? i : size - 1 - i];
	return v;
}

/* Where to look, too, before a number of size bytes is taken to be at this place. Programs put most
 * numbers at multiples of 4. The bytes "00 00 2a 2a 00 00" have the number 0x2a2a twice: in the
 * first four bytes, the highest byte first, and in the last four, the lowest byte first. The one at
 * a multiple of 4 is meant. Returns the multiple of 4 that is within the number's bytes; 0: the
 * place is a multiple itself, or there is none. */
static inline size_t number_next_aligned(size_t at, unsigned size)
{
	const size_t next = (at | 3) + 1;

	return at % 4 && next < at + size ? next : 0;
}

#endif
