/* SPDX-License-Identifier: MIT */
/* Single values and their bytes (pack_value.c), for pack.c. */
#ifndef SHELL_PACK_H
#define SHELL_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct text;
struct session;

#define PACK_MAX (64u << 20) /* bytes of a packed message */

/* The bytes being unpacked. In the functions below name is the field's, for errors. */
struct unpack {
	struct session *s;
	const unsigned char *at, *end, *begin;
};

enum pack_shape {
	/* scalars: the first two have a fixed size, the others use as many bytes as they need */
	PACK_FIXED,
	PACK_REAL,
	PACK_VARINT,
	PACK_ZIGZAG,
	/* with a length of their own */
	PACK_BYTES,
	PACK_TEXT,
	PACK_HEX,
	PACK_GID, /* always 16 bytes */
	PACK_PAD,
};

struct pack_type {
	const char *name;
	enum pack_shape shape;
	unsigned bits; /* of a scalar */
	bool is_signed;
	bool little; /* the lowest byte comes first */
};

/* Appends a word as a scalar. -1 with s->fail filled, naming the field. */
int pack_scalar(struct session *s, const char *name, const struct pack_type *t, Tcl_Obj *word,
		struct text *to);
/* The next scalar, as a new Tcl value. NULL with s->fail filled. */
Tcl_Obj *unpack_scalar(struct unpack *u, const char *name, const struct pack_type *t);
/* The characters of a value as UTF-8. Kept in the arena. */
const unsigned char *pack_utf8(struct session *s, Tcl_Obj *word, size_t *len);
/* The bytes of a value; text as UTF-8. Kept in the arena. */
const unsigned char *pack_bytes(struct session *s, Tcl_Obj *word, size_t *len);
/* A new Tcl value from UTF-8 bytes; invalid UTF-8 is taken byte by byte. */
Tcl_Obj *pack_text(const void *data, size_t len);
/* Appends len bytes (-1: to their end) of Tcl's internal text as UTF-8. */
void pack_append_utf8(struct text *d, const char *utf, int len);

/* The 16 bytes of a GID that is written as an address of IPv6 or IPv4, or as 32 hex digits. */
bool gid_parse(const char *text, unsigned char raw[16]);

/* The next n bytes; NULL with s->fail filled when there are fewer. */
const unsigned char *unpack_next(struct unpack *u, const char *name, uint64_t n);

#endif
