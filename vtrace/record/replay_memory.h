/* SPDX-License-Identifier: MIT */
/*
 * The memory of a recorded program that it has registered or sent from, as blocks: each becomes a
 * buffer of the replay. What stands in a block is known as far as it was looked at.
 */
#ifndef VTRACE_REPLAY_MEMORY_H
#define VTRACE_REPLAY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_block {
	uint64_t at, len;
	unsigned char *bytes;
	bool *dirty; /* of each byte: the program has written it, and the script not yet */
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
/* Bytes that the program has written, or (dirty false) that came from the peer. Those outside the
 * blocks are left out. */
void replay_memory_put(struct replay_memory *m, uint64_t at, const unsigned char *data, size_t n,
		       bool dirty);
/* None of the n bytes is dirty any more. */
void replay_memory_clean(struct replay_memory *m, uint64_t at, uint64_t n);
/* All bytes are zero again. */
void replay_memory_clear(struct replay_memory *m);
void replay_memory_free(struct replay_memory *m);

#endif
