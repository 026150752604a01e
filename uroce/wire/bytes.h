/* SPDX-License-Identifier: MIT */
/* Big-endian integers at any address: what packets and MADs are made of; and native ones. */
#ifndef UROCE_BYTES_H
#define UROCE_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_be16(const uint8_t *b)
{
	uint16_t v;

	memcpy(&v, b, sizeof(v));
	return be16toh(v);
}

static inline uint32_t get_be24(const uint8_t *b)
{
	return (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
}

static inline uint32_t get_be32(const uint8_t *b)
{
	uint32_t v;

	memcpy(&v, b, sizeof(v));
	return be32toh(v);
}

static inline uint64_t get_be64(const uint8_t *b)
{
	uint64_t v;

	memcpy(&v, b, sizeof(v));
	return be64toh(v);
}

static inline void put_be16(uint8_t *b, uint16_t v)
{
	v = htobe16(v);
	memcpy(b, &v, sizeof(v));
}

static inline void put_be24(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 16);
	b[1] = (uint8_t)(v >> 8);
	b[2] = (uint8_t)v;
}

static inline void put_be32(uint8_t *b, uint32_t v)
{
	v = htobe32(v);
	memcpy(b, &v, sizeof(v));
}

static inline void put_be64(uint8_t *b, uint64_t v)
{
	v = htobe64(v);
	memcpy(b, &v, sizeof(v));
}

/* Numbers of 1, 2, 4 or 8 bytes in the byte order of this machine: members of a struct whose offset
 * and size are in a table. */

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
