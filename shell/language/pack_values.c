/* SPDX-License-Identifier: MIT */
/* Single values and their packed form: numbers, varints, bytes, text. */
#include <inttypes.h>
#include <stdio.h>

#include "alloc.h"
#include "command/args.h"
#include "language/pack.h"
#include "session.h"

int pack_no_number(struct session *s, const char *name, const char *word)
{
	return fail(s, "pack", "EINVAL", "%s: '%s' is not a number", name, word);
}

int pack_number(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, bool is_signed,
		uint64_t *v)
{
	Tcl_WideInt wide;
	bool fits = true, big = false;

	if (Tcl_GetWideIntFromObj(NULL, word, &wide) != TCL_OK) {
		if (!args_number(word, v, &fits))
			return pack_no_number(s, name, Tcl_GetString(word));
	} else {
		*v = (uint64_t)wide;
		big = wide < 0 && *Tcl_GetString(word) != '-'; /* 2^63 and more */
		if (wide < 0 && !big)
			fits = is_signed && wide >= -(Tcl_WideInt)(UINT64_MAX >> (65 - bits)) - 1;
	}
	if (big || wide >= 0)
		fits = fits && *v <= UINT64_MAX >> (64 - bits + is_signed);
	if (fits)
		return 0;
	return fail(s, "pack", "ERANGE", "%s: %s does not fit in %u %s bits", name,
		    Tcl_GetString(word), bits, is_signed ? "signed" : "unsigned");
}

Tcl_Obj *pack_value(uint64_t v, bool is_signed)
{
	char digits[24];

	if (is_signed || v <= INT64_MAX)
		return Tcl_NewWideIntObj((Tcl_WideInt)v);
	return Tcl_NewStringObj(digits, snprintf(digits, sizeof digits, "%" PRIu64, v));
}

void pack_varint(Tcl_DString *to, uint64_t v)
{
	char bytes[10];
	int n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	Tcl_DStringAppend(to, bytes, n);
}

const unsigned char *pack_bytes(struct session *s, Tcl_Obj *word, size_t *len)
{
	struct bytes b;

	kind_bytes.parse(s, NULL, word, &b);
	*len = b.len;
	return b.data;
}

const unsigned char *pack_utf8(struct session *s, Tcl_Obj *word, size_t *len)
{
	Tcl_Encoding utf8 = Tcl_GetEncoding(NULL, "utf-8");
	Tcl_DString room;
	const char *text;
	void *copy;
	int n;

	text = Tcl_GetStringFromObj(word, &n);
	Tcl_UtfToExternalDString(utf8, text, n,
				 &room); /* Tcl's internal form has two bytes for NUL */
	Tcl_FreeEncoding(utf8);
	*len = (size_t)Tcl_DStringLength(&room);
	copy = arena_copy(&s->arena, Tcl_DStringValue(&room), *len);
	Tcl_DStringFree(&room);
	return copy;
}

Tcl_Obj *pack_text(const unsigned char *data, size_t len)
{
	Tcl_Encoding utf8 = Tcl_GetEncoding(NULL, "utf-8");
	Tcl_DString room;
	Tcl_Obj *value;

	Tcl_ExternalToUtfDString(utf8, len ? (const char *)data : "", (int)len, &room);
	Tcl_FreeEncoding(utf8);
	value = Tcl_NewStringObj(Tcl_DStringValue(&room), Tcl_DStringLength(&room));
	Tcl_DStringFree(&room);
	return value;
}

const unsigned char *unpack_next(struct unpack *u, const char *name, uint64_t n)
{
	const unsigned char *at = u->at;

	if (n > (size_t)(u->end - at)) {
		fail(u->s, "unpack", "EMSGSIZE", "%s: %llu bytes are to stand at %zu, %zu are left",
		     name, (unsigned long long)n, (size_t)(at - u->begin), (size_t)(u->end - at));
		return NULL;
	}
	u->at += n;
	return at;
}

int unpack_varint(struct unpack *u, const char *name, uint64_t *v)
{
	const unsigned char *byte;
	unsigned shift = 0;

	*v = 0;
	do {
		byte = unpack_next(u, name, 1);
		if (!byte)
			return -1;
		if (shift == 63 && *byte > 1)
			return fail(u->s, "unpack", "ERANGE", "%s: a varint of more than 64 bits",
				    name);
		*v |= (uint64_t)(*byte & 0x7f) << shift;
		shift += 7;
	} while (*byte & 0x80);
	return 0;
}
