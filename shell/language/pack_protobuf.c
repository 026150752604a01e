/* SPDX-License-Identifier: MIT */
/* The bytes of single values (numbers, varints, bytes, text), for pack.c, too; then protobuf's wire
 * format. */
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

static void pack_fixed(Tcl_DString *to, uint64_t v, unsigned bytes, bool little)
{
	char out[8];

	for (unsigned i = 0; i < bytes; i++)
		out[little ? i : bytes - 1 - i] = (char)(v >> 8 * i);
	Tcl_DStringAppend(to, out, (int)bytes);
}

static void pack_varint(Tcl_DString *to, uint64_t v)
{
	char bytes[10];
	int n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	Tcl_DStringAppend(to, bytes, n);
}

static bool is_varint(const struct pack_type *t)
{
	return t->shape == PACK_VARINT || t->shape == PACK_ZIGZAG || t->shape == PACK_BOOL;
}

int pack_scalar(struct session *s, const char *name, const struct pack_type *t, Tcl_Obj *word,
		Tcl_DString *to)
{
	int truth = 0, rc;
	uint64_t v;

	if (t->shape == PACK_REAL) {
		rc = pack_real(s, name, word, t->bits, &v);
	} else if (t->shape == PACK_BOOL) {
		rc = Tcl_GetBooleanFromObj(NULL, word, &truth) == TCL_OK
			     ? 0
			     : fail(s, "pack", "EINVAL", "%s: '%s' is not a bool", name,
				    Tcl_GetString(word));
		v = (uint64_t)truth;
	} else {
		rc = pack_number(s, name, word, t->bits, t->is_signed, &v);
	}
	if (rc)
		return -1;
	if (t->shape == PACK_ZIGZAG)
		v = v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
	if (is_varint(t))
		pack_varint(to, v);
	else
		pack_fixed(to, v, t->bits / 8, t->little);
	return 0;
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
void pack_append_utf8(Tcl_DString *d, const char *utf, int len)
{
	Tcl_DString plain;

	Tcl_UtfToExternalDString(utf8_encoding(), utf, len, &plain);
	Tcl_DStringAppend(d, Tcl_DStringValue(&plain), Tcl_DStringLength(&plain));
	Tcl_DStringFree(&plain);
}

const unsigned char *pack_utf8(struct session *s, Tcl_Obj *word, size_t *len)
{
	SCOPED_TEXT(plain);
	int n;
	const char *text = Tcl_GetStringFromObj(word, &n);

	pack_append_utf8(&plain, text, n);
	*len = (size_t)Tcl_DStringLength(&plain);
	return arena_copy(&s->arena, Tcl_DStringValue(&plain), *len);
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
	const unsigned spare = 64 -
			       t->bits; /* as in other decoders, longer varints are truncated */
	uint64_t v;

	if (is_varint(t) ? unpack_varint(u, name, &v)
			 : unpack_fixed(u, name, t->bits / 8, t->little, &v))
		return NULL;
	if (t->shape == PACK_REAL)
		return real_value(v, t->bits);
	if (t->shape == PACK_BOOL)
		return Tcl_NewBooleanObj(v != 0);
	if (t->shape == PACK_ZIGZAG)
		v = v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
	return t->is_signed ? Tcl_NewWideIntObj((int64_t)(v << spare) >> spare)
			    : u64_object(v << spare >> spare);
}

/* protobuf's wire format (protobuf.dev/programming-guides/encoding), by layouts that the user
 * gives. */

#define DEPTH_MAX  32 /* of nested messages */
#define NUMBER_MAX ((1u << 29) - 1)

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LEN = 2, WIRE_32 = 5 };

static const struct pack_type types[] = {
	{ "uint32", PACK_VARINT, 32, false, true }, { "uint64", PACK_VARINT, 64, false, true },
	{ "int32", PACK_VARINT, 32, true, true },   { "int64", PACK_VARINT, 64, true, true },
	{ "enum", PACK_VARINT, 32, true, true },    { "sint32", PACK_ZIGZAG, 32, true, true },
	{ "sint64", PACK_ZIGZAG, 64, true, true },  { "bool", PACK_BOOL, 1, false, true },
	{ "fixed32", PACK_FIXED, 32, false, true }, { "fixed64", PACK_FIXED, 64, false, true },
	{ "sfixed32", PACK_FIXED, 32, true, true }, { "sfixed64", PACK_FIXED, 64, true, true },
	{ "float", PACK_REAL, 32, true, true },	    { "double", PACK_REAL, 64, true, true },
	{ "string", PACK_TEXT, 0, false, false },   { "bytes", PACK_BYTES, 0, false, false },
};
static const struct pack_type message_type = { "message", PACK_MESSAGE, 0, false, false };

static enum wire wire_of(const struct pack_type *t)
{
	if (is_varint(t))
		return WIRE_VARINT;
	return t->bits == 64 ? WIRE_64 : t->bits == 32 ? WIRE_32 : WIRE_LEN;
}

/* A field of a layout. */
struct protobuf_field {
	uint64_t number;
	const struct pack_type *type;
	Tcl_Obj *layout; /* of a message */
	Tcl_Obj *name;
	bool repeated;
};

static const char *row_name(const struct protobuf_field *row)
{
	return Tcl_GetString(row->name);
}

static int read_type(struct session *s, Tcl_Obj *word, struct protobuf_field *row)
{
	Tcl_Obj **v;
	int n;

	row->repeated = false;
	if (Tcl_ListObjGetElements(NULL, word, &n, &v) == TCL_OK && n == 2 &&
	    strcmp(Tcl_GetString(v[0]), "repeated") == 0) {
		row->repeated = true;
		word = v[1];
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, Tcl_GetString(word)) == 0) {
			row->type = &types[i];
			return 0;
		}
	if (Tcl_ListObjLength(NULL, word, &n) == TCL_OK && n % 3 == 0) {
		row->type = &message_type;
		row->layout = word;
		return 0;
	}
	fail(s, "pack", "EINVAL", "'%s' is not a type of protobuf", Tcl_GetString(word));
	return fail_row(s, "one of",
			"uint32 uint64 int32 int64 sint32 sint64 bool enum fixed32 fixed64 "
			"sfixed32 sfixed64 float double string bytes {repeated TYPE} {LAYOUT}");
}

/* In the arena; *n: how many. NULL with s->fail filled. */
static struct protobuf_field *read_rows(struct session *s, Tcl_Obj *layout, unsigned depth, int *n)
{
	struct protobuf_field *rows;
	Tcl_Obj **v;
	int words;

	if (depth == DEPTH_MAX || Tcl_ListObjGetElements(NULL, layout, &words, &v) != TCL_OK ||
	    words % 3) {
		fail(s, "pack", "EINVAL",
		     "a layout is number, type and name of each field: {1 string name 2 uint64 id}, "
		     "not {%s}",
		     Tcl_GetString(layout));
		return NULL;
	}
	*n = words / 3;
	rows = arena_alloc(&s->arena, (size_t)(*n + 1) * sizeof *rows);
	for (int i = 0; i < *n; i++) {
		Tcl_Obj **word = v + (size_t)3 * (size_t)i;
		struct protobuf_field *row = &rows[i];

		if (pack_number(s, "a field's number", word[0], 29, false, &row->number) ||
		    read_type(s, word[1], row))
			return NULL;
		if (!row->number) {
			fail(s, "pack", "ERANGE", "a field's number is 1 to %u", NUMBER_MAX);
			return NULL;
		}
		row->name = word[2];
	}
	return rows;
}

/* ----------------------------------------------------------------------- pack -- */

static void put_sized(const struct protobuf_field *row, const void *data, size_t len,
		      Tcl_DString *to)
{
	pack_varint(to, row->number << 3 | WIRE_LEN);
	pack_varint(to, len);
	Tcl_DStringAppend(to, data, (int)len);
}

static int pack_one(struct session *s, const struct protobuf_field *row, Tcl_Obj *value,
		    unsigned depth, Tcl_DString *to)
{
	const unsigned char *bytes;
	SCOPED_TEXT(inner);
	size_t len;
	int rc;

	if (wire_of(row->type) != WIRE_LEN) {
		pack_varint(to, row->number << 3 | wire_of(row->type));
		return pack_scalar(s, row_name(row), row->type, value, to);
	}
	if (row->type->shape != PACK_MESSAGE) {
		bytes = row->type->shape == PACK_TEXT ? pack_utf8(s, value, &len)
						      : pack_bytes(s, value, &len);
		put_sized(row, bytes, len, to);
		return 0;
	}
	rc = pack_message(s, row->layout, value, depth + 1, &inner);
	if (rc == 0)
		put_sized(row, Tcl_DStringValue(&inner), (size_t)Tcl_DStringLength(&inner), to);
	return rc;
}

/* Repeated numbers are packed into one field, as in proto3; other types are repeated. */
static int pack_list(struct session *s, const struct protobuf_field *row, Tcl_Obj *list,
		     unsigned depth, Tcl_DString *to)
{
	SCOPED_TEXT(inner);
	Tcl_Obj **v;
	int n, rc = 0;

	if (Tcl_ListObjGetElements(NULL, list, &n, &v) != TCL_OK)
		return fail(s, "pack", "EINVAL", "%s: '%s' is not a list", row_name(row),
			    Tcl_GetString(list));
	if (wire_of(row->type) == WIRE_LEN) {
		for (int i = 0; i < n && rc == 0; i++)
			rc = pack_one(s, row, v[i], depth, to);
		return rc;
	}
	for (int i = 0; i < n && rc == 0; i++)
		rc = pack_scalar(s, row_name(row), row->type, v[i], &inner);
	if (n && rc == 0)
		put_sized(row, Tcl_DStringValue(&inner), (size_t)Tcl_DStringLength(&inner), to);
	return rc;
}

int pack_message(struct session *s, Tcl_Obj *layout, Tcl_Obj *values, unsigned depth,
		 Tcl_DString *to)
{
	int n, left;
	const struct protobuf_field *rows = read_rows(s, layout, depth, &n);

	if (!rows)
		return -1;
	if (Tcl_DictObjSize(NULL, values, &left) != TCL_OK)
		return fail(s, "pack", "EINVAL", "the values are not a dict: %s",
			    Tcl_GetString(values));
	for (int i = 0; i < n; i++) {
		Tcl_Obj *value = NULL;

		Tcl_DictObjGet(NULL, values, rows[i].name, &value);
		if (!value)
			continue;
		left--;
		if (rows[i].repeated ? pack_list(s, &rows[i], value, depth, to)
				     : pack_one(s, &rows[i], value, depth, to))
			return -1;
	}
	if (left)
		return fail(s, "pack", "EINVAL", "%d of the values are of no field in {%s}", left,
			    Tcl_GetString(layout));
	return 0;
}

/* --------------------------------------------------------------------- unpack -- */

/* Reads a length and sets *part to that many bytes of u. */
static int unpack_part(struct unpack *u, const char *name, struct unpack *part)
{
	uint64_t len;

	*part = *u;
	if (unpack_varint(u, name, &len))
		return -1;
	part->at = unpack_next(u, name, len);
	part->end = u->at;
	return part->at ? 0 : -1;
}

static Tcl_Obj *read_sized(struct unpack *u, const struct protobuf_field *row, unsigned depth)
{
	struct unpack part;

	if (unpack_part(u, row_name(row), &part))
		return NULL;
	if (row->type->shape == PACK_MESSAGE)
		return unpack_message(&part, row->layout, depth + 1);
	if (row->type->shape == PACK_TEXT)
		return pack_text(part.at, (size_t)(part.end - part.at));
	return Tcl_NewByteArrayObj(part.at, (int)(part.end - part.at));
}

/* Appends a value to the list of a repeated field. */
static void append_repeated(Tcl_Obj *values, const struct protobuf_field *row, Tcl_Obj *value)
{
	Tcl_Obj *list = NULL;

	Tcl_DictObjGet(NULL, values, row->name, &list);
	if (Tcl_IsShared(list))
		list = Tcl_DuplicateObj(list);
	Tcl_ListObjAppendElement(NULL, list, value);
	Tcl_DictObjPut(NULL, values, row->name, list);
}

static int read_packed(struct unpack *u, const struct protobuf_field *row, Tcl_Obj *values)
{
	struct unpack part;

	if (unpack_part(u, row_name(row), &part))
		return -1;
	while (part.at < part.end) {
		Tcl_Obj *value = unpack_scalar(&part, row_name(row), row->type);

		if (!value)
			return -1;
		append_repeated(values, row, value);
	}
	return 0;
}

static int unpack_row(struct unpack *u, const struct protobuf_field *row, enum wire wire,
		      unsigned depth, Tcl_Obj *values)
{
	Tcl_Obj *value;

	if (row->repeated && wire == WIRE_LEN && wire_of(row->type) != WIRE_LEN)
		return read_packed(u, row, values);
	if (wire != wire_of(row->type))
		return fail(u->s, "unpack", "EBADMSG", "%s is %s: it cannot have wire type %d",
			    row_name(row), row->type->name, (int)wire);
	value = wire == WIRE_LEN ? read_sized(u, row, depth)
				 : unpack_scalar(u, row_name(row), row->type);
	if (!value)
		return -1;
	if (row->repeated)
		append_repeated(values, row, value);
	else
		Tcl_DictObjPut(NULL, values, row->name, value);
	return 0;
}

static int skip_field(struct unpack *u, enum wire wire)
{
	struct unpack part;
	uint64_t v;

	switch (wire) {
	case WIRE_VARINT:
		return unpack_varint(u, "a field", &v);
	case WIRE_64:
	case WIRE_32:
		return unpack_next(u, "a field", wire == WIRE_64 ? 8 : 4) ? 0 : -1;
	case WIRE_LEN:
		return unpack_part(u, "a field", &part);
	}
	return fail(u->s, "unpack", "EBADMSG", "there is no wire type %d", (int)wire);
}

static int read_fields(struct unpack *u, const struct protobuf_field *rows, int n, unsigned depth,
		       Tcl_Obj *values)
{
	uint64_t key;

	while (u->at < u->end) {
		int i = 0, rc;

		if (unpack_varint(u, "a field's key", &key))
			return -1;
		while (i < n && rows[i].number != key >> 3)
			i++;
		if (!(key >> 3))
			return fail(u->s, "unpack", "EBADMSG", "a field has the number 0");
		rc = i < n ? unpack_row(u, &rows[i], (enum wire)(key & 7), depth, values)
			   : skip_field(u, (enum wire)(key & 7));
		if (rc)
			return -1;
	}
	return 0;
}

Tcl_Obj *unpack_message(struct unpack *u, Tcl_Obj *layout, unsigned depth)
{
	int n;
	const struct protobuf_field *rows = read_rows(u->s, layout, depth, &n);
	Tcl_Obj *values;

	if (!rows)
		return NULL;
	values = Tcl_NewDictObj();
	for (int i = 0; i < n; i++)
		if (rows[i].repeated)
			Tcl_DictObjPut(NULL, values, rows[i].name, Tcl_NewListObj(0, NULL));
	if (read_fields(u, rows, n, depth, values) == 0)
		return values;
	Tcl_IncrRefCount(values);
	Tcl_DecrRefCount(values);
	return NULL;
}
