/* SPDX-License-Identifier: MIT */
/* The bytes of single values: numbers, varints, bytes, text. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/pack.h"
#include "session.h"

static int fail_no_number(struct session *s, const char *name, const char *word)
{
	return fail(s, "pack", "EINVAL", "%s: '%s' is not a number", name, word);
}

/* Parses word as a number of that many bits, unsigned or (is_signed) in two's complement. -1 with
 * s->fail filled. */
static int pack_number(struct session *s, const char *name, Tcl_Obj *word, unsigned bits,
		       bool is_signed, uint64_t *v)
{
	Tcl_WideInt wide = 0; /* stays 0 if Tcl refuses the word: "0999" looks octal */
	bool fits = true, big = false;

	if (Tcl_GetWideIntFromObj(NULL, word, &wide) != TCL_OK) {
		if (!args_number(Tcl_GetString(word), v, &fits))
			return fail_no_number(s, name, Tcl_GetString(word));
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

static int pack_real(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, uint64_t *v)
{
	double real;
	float less;
	uint32_t v32;

	if (Tcl_GetDoubleFromObj(NULL, word, &real) != TCL_OK)
		return fail_no_number(s, name, Tcl_GetString(word));
	less = (float)real;
	memcpy(v, &real, sizeof *v);
	memcpy(&v32, &less, sizeof v32);
	if (bits == 32)
		*v = v32;
	return 0;
}

static Tcl_Obj *real_value(uint64_t v, unsigned bits)
{
	uint32_t v32 = (uint32_t)v;
	double real;
	float less;

	memcpy(&real, &v, sizeof real);
	memcpy(&less, &v32, sizeof less);
	return Tcl_NewDoubleObj(bits == 32 ? (double)less : real);
}

static void pack_fixed(struct text *to, uint64_t v, unsigned bytes, bool little)
{
	char out[8];

	for (unsigned i = 0; i < bytes; i++)
		out[little ? i : bytes - 1 - i] = (char)(v >> 8 * i);
	text_add_bytes(to, out, bytes);
}

static void pack_varint(struct text *to, uint64_t v)
{
	char bytes[10];
	int n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	text_add_bytes(to, bytes, n);
}

static bool is_varint(const struct pack_type *t)
{
	return t->shape == PACK_VARINT || t->shape == PACK_ZIGZAG;
}

int pack_scalar(struct session *s, const char *name, const struct pack_type *t, Tcl_Obj *word,
		struct text *to)
{
	uint64_t v;

	if (t->shape == PACK_REAL ? pack_real(s, name, word, t->bits, &v)
				  : pack_number(s, name, word, t->bits, t->is_signed, &v))
		return -1;
	if (t->shape == PACK_ZIGZAG)
		v = v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
	if (is_varint(t))
		pack_varint(to, v);
	else
		pack_fixed(to, v, t->bits / 8, t->little);
	return 0;
}

bool gid_parse(const char *text, unsigned char raw[16])
{
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, raw) == 1)
		return true;
	if (inet_pton(AF_INET, text, &v4) == 1) {
		memset(raw, 0, 10);
		memset(raw + 10, 0xff, 2);
		memcpy(raw + 12, &v4, 4);
		return true;
	}
	if (strlen(text) != 32 || strspn(text, "0123456789abcdefABCDEF") != 32)
		return false;
	for (unsigned i = 0; i < 16; i++)
		raw[i] = (unsigned char)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	return true;
}

const unsigned char *pack_bytes(struct session *s, Tcl_Obj *word, size_t *len)
{
	struct bytes b;

	kind_bytes.parse(s, NULL, word, &b);
	*len = b.len;
	return b.data;
}

static Tcl_Encoding utf8_encoding(void)
{
	static Tcl_Encoding encoding;

	if (!encoding)
		encoding = Tcl_GetEncoding(NULL, "utf-8"); /* it is built in */
	return encoding;
}

/* Tcl's internal form has two bytes for NUL. */
void pack_append_utf8(struct text *d, const char *utf, int len)
{
	Tcl_DString plain;

	Tcl_UtfToExternalDString(utf8_encoding(), utf, len, &plain);
	text_add_bytes(d, Tcl_DStringValue(&plain), (size_t)Tcl_DStringLength(&plain));
	Tcl_DStringFree(&plain);
}

const unsigned char *pack_utf8(struct session *s, Tcl_Obj *word, size_t *len)
{
	SCOPED_TEXT(plain);
	Tcl_Size n;
	const char *text = Tcl_GetStringFromObj(word, &n);

	pack_append_utf8(&plain, text, n);
	*len = text_len(&plain);
	return arena_copy(&s->arena, text_str(&plain), *len);
}

Tcl_Obj *pack_text(const void *data, size_t len)
{
	Tcl_DString text;
	Tcl_Obj *value;

	Tcl_ExternalToUtfDString(utf8_encoding(), len ? data : "", (int)len, &text);
	value = Tcl_NewStringObj(Tcl_DStringValue(&text), Tcl_DStringLength(&text));
	Tcl_DStringFree(&text);
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

static int unpack_fixed(struct unpack *u, const char *name, unsigned bytes, bool little,
			uint64_t *v)
{
	const unsigned char *in = unpack_next(u, name, bytes);

	if (!in)
		return -1;
	*v = 0;
	for (unsigned i = 0; i < bytes; i++)
		*v |= (uint64_t)in[little ? i : bytes - 1 - i] << 8 * i;
	return 0;
}

static int unpack_varint(struct unpack *u, const char *name, uint64_t *v)
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

Tcl_Obj *unpack_scalar(struct unpack *u, const char *name, const struct pack_type *t)
{
	const unsigned spare = 64 - t->bits;
	uint64_t v;

	if (is_varint(t) ? unpack_varint(u, name, &v)
			 : unpack_fixed(u, name, t->bits / 8, t->little, &v))
		return NULL;
	if (t->shape == PACK_REAL)
		return real_value(v, t->bits);
	if (t->shape == PACK_ZIGZAG)
		v = v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
	return t->is_signed ? Tcl_NewWideIntObj((int64_t)(v << spare) >> spare)
			    : u64_object(v << spare >> spare);
}
