/* SPDX-License-Identifier: MIT */
/*
 * The memory of a recorded program that it has registered or sent from, as blocks: each becomes a
 * buffer of the replay. What stands in a block is known as far as it was looked at.
 */
#ifndef VTRACE_REPLAY_MEMORY_H
#define VTRACE_REPLAY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory_block {
	uint64_t at, len;
	unsigned char *bytes;
};

/* All zero: none. */
struct replay_memory {
	struct memory_block *blocks; /* by address, none overlaps another */
	unsigned n;
};

/* Blocks that overlap become one. Before any bytes are put. */
void replay_memory_add(struct replay_memory *m, uint64_t at, uint64_t len);
/* The block with all of these bytes, or NULL. */
const struct memory_block *replay_memory_find(const struct replay_memory *m, uint64_t at,
					      uint64_t len);
/* Bytes outside the blocks are left out. */
void replay_memory_put(struct replay_memory *m, uint64_t at, const unsigned char *data, size_t n);
/* All bytes are zero again. */
void replay_memory_clear(struct replay_memory *m);
void replay_memory_free(struct replay_memory *m);

#endif
