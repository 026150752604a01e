/* SPDX-License-Identifier: MIT */
/* Single values and their bytes (pack_protobuf.c), shared with pack.c. */
#ifndef SHELL_PACK_H
#define SHELL_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct session;

#define PACK_MAX (64u << 20) /* bytes of a packed message */

/* The bytes being unpacked. In the functions below name is the field's, for errors. */
struct unpack {
	struct session *s;
	const unsigned char *at, *end, *begin;
};

/* Parses a word as a number of that many bits, unsigned or (is_signed) two's complement. -1 with
 * s->fail filled, naming the field. */
int pack_number(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, bool is_signed,
		uint64_t *v);
/* The same for a word that is a float (32 bits) or double (64 bits). */
int pack_real(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, uint64_t *v);
/* A new Tcl value from an unsigned or (is_signed) two's complement number. */
Tcl_Obj *pack_value(uint64_t v, bool is_signed);
/* A new Tcl value from a float or double. */
Tcl_Obj *pack_real_value(uint64_t v, unsigned bits);
/* Append a number: in 1 to 8 bytes, little: the lowest byte first; in as many as it needs. */
void pack_fixed(Tcl_DString *to, uint64_t v, unsigned bytes, bool little);
void pack_varint(Tcl_DString *to, uint64_t v);
/* The characters of a value as UTF-8. Kept in the arena. */
const unsigned char *pack_utf8(struct session *s, Tcl_Obj *word, size_t *len);
/* The bytes of a value; text as UTF-8. Kept in the arena. */
const unsigned char *pack_bytes(struct session *s, Tcl_Obj *word, size_t *len);
/* A new Tcl value from UTF-8 bytes; invalid UTF-8 is taken byte by byte. */
Tcl_Obj *pack_text(const unsigned char *data, size_t len);

/* The next n bytes; NULL with s->fail filled when there are fewer. */
const unsigned char *unpack_next(struct unpack *u, const char *name, uint64_t n);
/* Read what pack_fixed() and pack_varint() write. -1 with s->fail filled. */
int unpack_fixed(struct unpack *u, const char *name, unsigned bytes, bool little, uint64_t *v);
int unpack_varint(struct unpack *u, const char *name, uint64_t *v);
static inline uint64_t zigzag_encode(uint64_t v)
{
	return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}
static inline uint64_t zigzag_decode(uint64_t v)
{
	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

/* Messages of protobuf's wire format, by layouts of number, type and name. -1 with s->fail
 * filled. */
int pack_message(struct session *s, Tcl_Obj *layout, Tcl_Obj *values, unsigned depth,
		 Tcl_DString *to);
/* A new dict, reference count 0; NULL with s->fail filled. */
Tcl_Obj *unpack_message(struct unpack *u, Tcl_Obj *layout, unsigned depth);

#endif
