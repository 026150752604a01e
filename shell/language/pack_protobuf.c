/* SPDX-License-Identifier: MIT */
/* Protobuf's wire format; first single values and their packed form: numbers, varints, bytes, text.
 */
#include <inttypes.h>
#include <stdio.h>
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

int pack_number(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, bool is_signed,
		uint64_t *v)
{
	Tcl_WideInt wide;
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

int pack_real(struct session *s, const char *name, Tcl_Obj *word, unsigned bits, uint64_t *v)
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

Tcl_Obj *pack_real_value(uint64_t v, unsigned bits)
{
	uint32_t v32 = (uint32_t)v;
	double real;
	float less;

	memcpy(&real, &v, sizeof real);
	memcpy(&less, &v32, sizeof less);
	return Tcl_NewDoubleObj(bits == 32 ? (double)less : real);
}

Tcl_Obj *pack_value(uint64_t v, bool is_signed)
{
	char digits[24];

	if (is_signed || v <= INT64_MAX)
		return Tcl_NewWideIntObj((Tcl_WideInt)v);
	return Tcl_NewStringObj(digits, snprintf(digits, sizeof digits, "%" PRIu64, v));
}

void pack_fixed(Tcl_DString *to, uint64_t v, unsigned bytes, bool little)
{
	char out[8];

	for (unsigned i = 0; i < bytes; i++)
		out[little ? i : bytes - 1 - i] = (char)(v >> 8 * i);
	Tcl_DStringAppend(to, out, (int)bytes);
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

int unpack_fixed(struct unpack *u, const char *name, unsigned bytes, bool little, uint64_t *v)
{
	const unsigned char *in = unpack_next(u, name, bytes);

	if (!in)
		return -1;
	*v = 0;
	for (unsigned i = 0; i < bytes; i++)
		*v |= (uint64_t)in[little ? i : bytes - 1 - i] << 8 * i;
	return 0;
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

/* protobuf's wire format (protobuf.dev/programming-guides/encoding), by layouts that the user
 * gives. */

#define DEPTH_MAX  32 /* of nested messages */
#define NUMBER_MAX ((1u << 29) - 1)

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LEN = 2, WIRE_32 = 5 };
enum shape { UNSIGNED, SIGNED, SIGNED_ZIGZAG, BOOLEAN, REAL, STRING, RAW, MESSAGE };

struct protobuf_type {
	const char *name;
	enum wire wire;
	enum shape shape;
	unsigned bits;
};

static const struct protobuf_type types[] = {
	{ "uint32", WIRE_VARINT, UNSIGNED, 32 },
	{ "uint64", WIRE_VARINT, UNSIGNED, 64 },
	{ "int32", WIRE_VARINT, SIGNED, 32 },
	{ "int64", WIRE_VARINT, SIGNED, 64 },
	{ "enum", WIRE_VARINT, SIGNED, 32 },
	{ "sint32", WIRE_VARINT, SIGNED_ZIGZAG, 32 },
	{ "sint64", WIRE_VARINT, SIGNED_ZIGZAG, 64 },
	{ "bool", WIRE_VARINT, BOOLEAN, 1 },
	{ "fixed32", WIRE_32, UNSIGNED, 32 },
	{ "fixed64", WIRE_64, UNSIGNED, 64 },
	{ "sfixed32", WIRE_32, SIGNED, 32 },
	{ "sfixed64", WIRE_64, SIGNED, 64 },
	{ "float", WIRE_32, REAL, 32 },
	{ "double", WIRE_64, REAL, 64 },
	{ "string", WIRE_LEN, STRING, 0 },
	{ "bytes", WIRE_LEN, RAW, 0 },
};
static const struct protobuf_type message_type = { "message", WIRE_LEN, MESSAGE, 0 };

/* A field of a layout. */
struct protobuf_field {
	uint64_t number;
	const struct protobuf_type *type;
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

static int number_bits(struct session *s, const struct protobuf_field *row, Tcl_Obj *value,
		       uint64_t *v)
{
	const struct protobuf_type *t = row->type;
	int truth;

	if (t->shape == REAL)
		return pack_real(s, row_name(row), value, t->bits, v);
	if (t->shape == BOOLEAN) {
		if (Tcl_GetBooleanFromObj(NULL, value, &truth) != TCL_OK)
			return fail(s, "pack", "EINVAL", "%s: '%s' is not a bool", row_name(row),
				    Tcl_GetString(value));
		*v = (uint64_t)truth;
		return 0;
	}
	if (pack_number(s, row_name(row), value, t->bits, t->shape != UNSIGNED, v))
		return -1;
	if (t->shape == SIGNED_ZIGZAG)
		*v = zigzag_encode(*v);
	return 0;
}

static int pack_row_number(struct session *s, const struct protobuf_field *row, Tcl_Obj *value,
			   Tcl_DString *to)
{
	uint64_t v;

	if (number_bits(s, row, value, &v))
		return -1;
	if (row->type->wire == WIRE_VARINT)
		pack_varint(to, v);
	else
		pack_fixed(to, v, row->type->bits / 8, true);
	return 0;
}

static void pack_key(const struct protobuf_field *row, enum wire wire, Tcl_DString *to)
{
	pack_varint(to, row->number << 3 | wire);
}

static void put_sized(const struct protobuf_field *row, const void *data, size_t len,
		      Tcl_DString *to)
{
	pack_key(row, WIRE_LEN, to);
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

	if (row->type->wire != WIRE_LEN) {
		pack_key(row, row->type->wire, to);
		return pack_row_number(s, row, value, to);
	}
	if (row->type->shape != MESSAGE) {
		bytes = row->type->shape == STRING ? pack_utf8(s, value, &len)
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
	if (row->type->wire == WIRE_LEN) {
		for (int i = 0; i < n && rc == 0; i++)
			rc = pack_one(s, row, v[i], depth, to);
		return rc;
	}
	for (int i = 0; i < n && rc == 0; i++)
		rc = pack_row_number(s, row, v[i], &inner);
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

static int read_bits(struct unpack *u, enum wire wire, const char *name, uint64_t *v)
{
	return wire == WIRE_VARINT ? unpack_varint(u, name, v)
				   : unpack_fixed(u, name, wire == WIRE_64 ? 8 : 4, true, v);
}

static Tcl_Obj *number_value(const struct protobuf_type *t, uint64_t v)
{
	switch (t->shape) {
	case REAL:
		return pack_real_value(v, t->bits);
	case BOOLEAN:
		return Tcl_NewBooleanObj(v != 0);
	case SIGNED_ZIGZAG:
		v = zigzag_decode(v);
		break;
	default:
		break;
	}
	if (t->bits == 32) /* a decoder truncates longer values to 32 bits */
		v = t->shape == UNSIGNED ? (uint32_t)v : (uint64_t)(int64_t)(int32_t)(uint32_t)v;
	return pack_value(v, t->shape != UNSIGNED);
}

static Tcl_Obj *unpack_row_number(struct unpack *u, const struct protobuf_field *row)
{
	uint64_t v;

	return read_bits(u, row->type->wire, row_name(row), &v) ? NULL : number_value(row->type, v);
}

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
	if (row->type->shape == MESSAGE)
		return unpack_message(&part, row->layout, depth + 1);
	if (row->type->shape == STRING)
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
		Tcl_Obj *value = unpack_row_number(&part, row);

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

	if (row->repeated && wire == WIRE_LEN && row->type->wire != WIRE_LEN)
		return read_packed(u, row, values);
	if (wire != row->type->wire)
		return fail(u->s, "unpack", "EBADMSG", "%s is %s: it cannot have wire type %d",
			    row_name(row), row->type->name, (int)wire);
	value = wire == WIRE_LEN ? read_sized(u, row, depth) : unpack_row_number(u, row);
	if (!value)
		return -1;
	if (row->repeated)
		append_repeated(values, row, value);
	else
		Tcl_DictObjPut(NULL, values, row->name, value);
	return 0;
}

static int pass_over(struct unpack *u, enum wire wire)
{
	struct unpack part;
	uint64_t v;

	switch (wire) {
	case WIRE_VARINT:
	case WIRE_64:
	case WIRE_32:
		return read_bits(u, wire, "a field", &v);
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
			   : pass_over(u, (enum wire)(key & 7));
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
