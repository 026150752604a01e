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

/* Programs put most numbers at multiples of 4. One whose bytes other than zeros read the same in
 * both orders ("2a 2a 00 00") is, with zeros before it, in the other order some bytes earlier, too
 * ("00 00 2a 2a"). So a number of size bytes that is found at a place is not there if it is also at
 * the next multiple of 4, within these bytes. Returns that multiple; 0: there is none. */
static inline size_t number_place_beyond(size_t at, unsigned size)
{
	const size_t next = (at | 3) + 1;

	return at % 4 && next < at + size ? next : 0;
}

#endif
