/* SPDX-License-Identifier: MIT */
/* Numbers of 1, 2, 4 or 8 bytes in the order of this machine: members of a struct that a table
 * names by offset and size. */
#ifndef UROCE_WIRE_NATIVE_H
#define UROCE_WIRE_NATIVE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t native_get(const void *p, size_t size)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	default:
		memcpy(&v64, p, 8);
		return v64;
	}
}

#endif
