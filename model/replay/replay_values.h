/* SPDX-License-Identifier: MIT */
/*
 * Values that two programs tell each other, looked for in the bytes of their messages: addresses,
 * keys, numbers of QPs, GIDs; as numbers in either byte order, or as digits.
 *
 * A value that is found by chance is worse than one that is not found. So a match must be likely:
 * - 0 and 1 are never looked for;
 * - digits are a whole run of them: at least 4 hexadecimal ones, or 5 decimal ones;
 * - a binary number of the peer below 65536 must be there once; one below 256 also at a place that
 *   is a multiple of its size;
 * - a binary number of one's own is 256 or more; of two places that overlap, the one at a multiple
 *   of 4 counts.
 */
#ifndef VTRACE_REPLAY_VALUES_H
#define VTRACE_REPLAY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_object;

enum value_form {
	VALUE_BE, /* binary, the highest byte first; a GID as it is */
	VALUE_LE,
	VALUE_HEX, /* digits */
	VALUE_DECIMAL,
	VALUE_OCTETS, /* a GID as pairs of digits with colons between */
};

/* Where a value stands: len bytes from at on. */
struct value_place {
	size_t at, len;
	enum value_form form;
};

/* Where the n bytes say v, a number of size bytes (4 or 8), or the GID. false: nowhere, or in
 * places that may be something else. taken (NULL: none): the bytes of another binary number, of
 * which v is no part. */
bool replay_value_find(const unsigned char *data, size_t n, uint64_t v, unsigned size,
		       const struct value_place *taken, struct value_place *place);
bool replay_value_find_gid(const unsigned char *data, size_t n, const unsigned char gid[16],
			   struct value_place *place);
/* The beginning of the memory that contains v: the greatest 8-byte number, or run of at least 8
 * hexadecimal digits, that is at most 1 GiB below v. */
bool replay_value_find_base(const unsigned char *data, size_t n, uint64_t v,
			    struct value_place *place, uint64_t *base);

/* A value that differs in each run of the program. */
enum own_kind {
	OWN_MEMORY, /* any of the addresses from value on */
	OWN_KEY,
	OWN_QPN,
	OWN_GID,
};

struct own_value {
	enum own_kind kind;
	bool gone; /* not looked for any more */
	uint64_t value, len;
	unsigned char gid[16];
	/* The user's: */
	struct replay_object *of;
	uint8_t port;	       /* of a GID */
	int index;	       /* of a GID */
	bool is_read, is_told; /* memory: the peer may read it, and knows of it */
	bool is_extra;	       /* memory: the script registers it, though the program did not */
};

/* The own value that begins at data[at], or NULL. *offset: of an address in its memory. */
const struct own_value *replay_value_own_at(const struct own_value *own, unsigned nown,
					    const unsigned char *data, size_t n, size_t at,
					    struct value_place *place, uint64_t *offset);

/*
 * The memory of a recorded program that it has registered or sent from, as blocks: each becomes a
 * buffer of the replay. The bytes of a block are known as far as it was looked at.
 */

struct memory_block {
	uint64_t at, len;
	unsigned char *bytes;
	bool *dirty;   /* per byte: the program has written it, and the script has not yet */
	char name[16]; /* "": it is not written yet */
	bool is_used;  /* by now: something was registered in it */
};

/* All zero: none. */
struct replay_memory {
	struct memory_block *blocks; /* by address, none overlaps another */
	unsigned n;
};

/* Adds a block; overlapping blocks become one. To be called before any bytes are put. */
void replay_memory_add(struct replay_memory *m, uint64_t at, uint64_t len);
/* The block with all of these bytes, or NULL. */
const struct memory_block *replay_memory_find(const struct replay_memory *m, uint64_t at,
					      uint64_t len);
/* A longer block keeps no bytes: what a process says of its memory need not be true. */
#define REPLAY_BLOCK_MAX (UINT64_C(256) << 20)
/* Puts bytes that the program has written or, with dirty false, that came from the peer. Bytes
 * outside the blocks are ignored. false: the block is too long. */
bool replay_memory_put(struct replay_memory *m, uint64_t at, const unsigned char *data, size_t n,
		       bool dirty);
/* None of the n bytes is dirty any more. */
void replay_memory_clean(struct replay_memory *m, uint64_t at, uint64_t n);
/* All bytes are zero again. */
void replay_memory_clear(struct replay_memory *m);
void replay_memory_free(struct replay_memory *m);

#endif
