/* SPDX-License-Identifier: MIT */
/* pack and unpack: fields of a message by name, in any byte order. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "language/pack.h"
#include "output/print.h"
#include "session.h"

static const struct pack_type types[] = {
	{ "u8", PACK_FIXED, 8, false, false },	   { "u16", PACK_FIXED, 16, false, false },
	{ "u32", PACK_FIXED, 32, false, false },   { "u64", PACK_FIXED, 64, false, false },
	{ "i8", PACK_FIXED, 8, true, false },	   { "i16", PACK_FIXED, 16, true, false },
	{ "i32", PACK_FIXED, 32, true, false },	   { "i64", PACK_FIXED, 64, true, false },
	{ "u16le", PACK_FIXED, 16, false, true },  { "u32le", PACK_FIXED, 32, false, true },
	{ "u64le", PACK_FIXED, 64, false, true },  { "i16le", PACK_FIXED, 16, true, true },
	{ "i32le", PACK_FIXED, 32, true, true },   { "i64le", PACK_FIXED, 64, true, true },
	{ "f32", PACK_REAL, 32, true, false },	   { "f64", PACK_REAL, 64, true, false },
	{ "f32le", PACK_REAL, 32, true, true },	   { "f64le", PACK_REAL, 64, true, true },
	{ "bytes", PACK_BYTES, 0, false, false },  { "text", PACK_TEXT, 0, false, false },
	{ "hex", PACK_HEX, 0, false, false },	   { "pad", PACK_PAD, 0, false, false },
	{ "gid", PACK_GID, 0, false, false },	   { "varint", PACK_VARINT, 64, false, true },
	{ "zigzag", PACK_ZIGZAG, 64, true, true },
};

/* A field of a layout. */
struct pack_field {
	const struct pack_type *type;
	const char *size; /* after the colon: a number or the name of an earlier field; or NULL */
	Tcl_Obj *name;	  /* NULL: padding */
};

#define GID_LENGTH "16"

/* -------------------------------------------------------------------- layouts -- */

static int fail_bad_type(struct session *s, const char *word)
{
	fail(s, "pack", "EINVAL", "there is no type '%s'", word);
	fail_row(s, "numbers",
		 "u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; with le: the lowest byte "
		 "first; varint zigzag");
	return fail_row(s, "others", "bytes text hex, with :LENGTH or :FIELD; pad:LENGTH; gid");
}

static const struct pack_type *find_type(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strncmp(types[i].name, word, len) == 0 && !types[i].name[len])
			return &types[i];
	return NULL;
}

static bool is_sized(const struct pack_type *t)
{
	return !t->bits;
}

/* The fields of a layout, in the arena; *n: how many. NULL with s->fail filled. */
static struct pack_field *read_layout(struct session *s, Tcl_Obj *layout, int *n)
{
	struct pack_field *fields, *f;
	Tcl_Obj **v;
	Tcl_Size words;

	if (Tcl_ListObjGetElements(NULL, layout, &words, &v) != TCL_OK) {
		fail(s, "pack", "EINVAL", "the layout is not a list: %s", Tcl_GetString(layout));
		return NULL;
	}
	f = fields = arena_alloc(&s->arena, (size_t)(words + 1) * sizeof *fields);
	for (int i = 0; i < words; f++) {
		const char *word = Tcl_GetString(v[i++]), *colon = strchr(word, ':');

		*f = (struct pack_field){ .type = find_type(word, colon ? (size_t)(colon - word)
									: strlen(word)),
					  .size = colon ? colon + 1 : NULL };
		if (f->type && f->type->shape == PACK_GID && !colon)
			f->size = GID_LENGTH;
		if (!f->type || (colon && (!is_sized(f->type) || !colon[1])) ||
		    (colon && f->type->shape == PACK_GID) ||
		    (!colon && f->type->shape == PACK_PAD)) {
			fail_bad_type(s, word);
			return NULL;
		}
		if (f->type->shape != PACK_PAD && i == words) {
			fail(s, "pack", "EINVAL", "%s needs a name: {u16 port u32 len ...}", word);
			return NULL;
		}
		if (f->type->shape != PACK_PAD)
			f->name = v[i++];
	}
	*n = (int)(f - fields);
	return fields;
}

static const char *field_name(const struct pack_field *f)
{
	return f->name ? Tcl_GetString(f->name) : "pad";
}

/* Is the size a number, not the name of a field? Stores it in *n. */
static bool fixed_size(const struct pack_field *f, uint64_t *n)
{
	char *end;

	*n = f->size ? strtoull(f->size, &end, 10) : 0;
	return f->size && !*end;
}

/* ----------------------------------------------------------------------- pack -- */

/* The bytes that a value is packed as. NULL with s->fail filled. */
static const unsigned char *field_bytes(struct session *s, const struct pack_field *f,
					Tcl_Obj *word, size_t *len)
{
	const unsigned char *text = f->type->shape == PACK_TEXT ? pack_utf8(s, word, len)
								: pack_bytes(s, word, len);
	unsigned char *bytes;

	if (f->type->shape == PACK_GID) {
		*len = 16;
		bytes = arena_alloc(&s->arena, *len);
		if (gid_parse(Tcl_GetString(word), bytes))
			return bytes;
		fail(s, "pack", "EINVAL", "%s: '%s' is not a GID such as ::ffff:10.0.0.1",
		     field_name(f), Tcl_GetString(word));
		return NULL;
	}
	if (f->type->shape != PACK_HEX)
		return text;
	if (*len % 2 || strspn((const char *)arena_copy0(&s->arena, text, *len),
			       "0123456789abcdefABCDEF") != *len) {
		fail(s, "pack", "EINVAL", "%s: '%s' is not pairs of hex digits", field_name(f),
		     Tcl_GetString(word));
		return NULL;
	}
	*len /= 2;
	bytes = arena_alloc(&s->arena, *len + 1);
	for (size_t i = 0; i < *len; i++)
		bytes[i] = (unsigned char)(hex_digit((char)text[2 * i]) << 4 |
					   hex_digit((char)text[2 * i + 1]));
	return bytes;
}

static int put_bytes(struct session *s, struct text *to, const struct pack_field *f, Tcl_Obj *word)
{
	size_t len;
	const unsigned char *bytes = field_bytes(s, f, word, &len);
	uint64_t size;

	if (!bytes)
		return -1;
	if (fixed_size(f, &size) && size != len)
		return fail(s, "pack", "EMSGSIZE", "%s: %zu bytes where %s are to stand",
			    field_name(f), len, f->size);
	text_add_bytes(to, (const char *)bytes, len);
	return 0;
}

static Tcl_Obj *find_value(Tcl_Obj *values, Tcl_Obj *name)
{
	Tcl_Obj *value = NULL;

	Tcl_DictObjGet(NULL, values, name, &value);
	return value;
}

/* The length of the later field whose size f holds, as a new value; NULL: there is none. */
static Tcl_Obj *length_for(struct session *s, const struct pack_field *fields, int n,
			   const struct pack_field *f, Tcl_Obj *values)
{
	for (const struct pack_field *g = f + 1; g < fields + n; g++) {
		Tcl_Obj *value = g->name ? find_value(values, g->name) : NULL;
		size_t len;

		if (value && g->size && strcmp(g->size, field_name(f)) == 0 &&
		    field_bytes(s, g, value, &len))
			return Tcl_NewWideIntObj((Tcl_WideInt)len);
	}
	return NULL;
}

static int put_field(struct session *s, struct text *to, const struct pack_field *f, Tcl_Obj *word)
{
	return is_sized(f->type) ? put_bytes(s, to, f, word)
				 : pack_scalar(s, field_name(f), f->type, word, to);
}

static int pack_padding(struct session *s, struct text *to, const struct pack_field *f)
{
	uint64_t size;
	int begin = text_len(to);

	if (!fixed_size(f, &size) || size > PACK_MAX)
		return fail_bad_type(s, f->size);
	text_resize(to, begin + (int)size);
	memset(text_str(to) + begin, 0, size);
	return 0;
}

static int pack_fields(struct session *s, Tcl_Obj *layout, Tcl_Obj *values, struct text *to)
{
	Tcl_Size left;
	int n;
	struct pack_field *fields = read_layout(s, layout, &n);

	if (!fields)
		return -1;
	if (Tcl_DictObjSize(NULL, values, &left) != TCL_OK)
		return fail(s, "pack", "EINVAL", "the values are not a dict: %s",
			    Tcl_GetString(values));
	for (const struct pack_field *f = fields; f < fields + n; f++) {
		Tcl_Obj *word = f->name ? find_value(values, f->name) : NULL;
		int rc;

		left -= word != NULL;
		if (!word && f->name)
			word = length_for(s, fields, n, f, values);
		if (!word && f->name)
			return fail(s, "pack", "ENOENT", "there is no value for %s", field_name(f));
		if (word)
			Tcl_IncrRefCount(word);
		rc = word ? put_field(s, to, f, word) : pack_padding(s, to, f);
		if (word)
			Tcl_DecrRefCount(word);
		if (rc)
			return -1;
	}
	if (left)
		return fail(s, "pack", "EINVAL", "%d of the values are of no field in {%s}",
			    (int)left, Tcl_GetString(layout));
	return 0;
}

/* --------------------------------------------------------------------- unpack -- */

/* The size of bytes, text, hex or padding. -1 with s->fail filled. */
static int unpack_size(struct unpack *u, const struct pack_field *f, Tcl_Obj *values,
		       uint64_t *size)
{
	Tcl_Obj *value;
	bool fits;

	if (!f->size) {
		*size = (uint64_t)(u->end - u->at);
		return 0;
	}
	if (fixed_size(f, size))
		return 0;
	value = dict_get(values, f->size);
	if (!value || !args_number(Tcl_GetString(value), size, &fits))
		return fail(u->s, "unpack", "EINVAL", "%s: no number called %s comes before it",
			    field_name(f), f->size);
	if (!fits)
		*size = UINT64_MAX;
	return 0;
}

static Tcl_Obj *read_bytes(struct unpack *u, const struct pack_field *f, Tcl_Obj *values)
{
	const unsigned char *bytes;
	char gid[INET6_ADDRSTRLEN];
	uint64_t size;
	Tcl_Obj *hex;

	if (unpack_size(u, f, values, &size) || !(bytes = unpack_next(u, field_name(f), size)))
		return NULL;
	if (f->type->shape == PACK_TEXT)
		return pack_text(bytes, size);
	if (f->type->shape == PACK_GID)
		return Tcl_NewStringObj(inet_ntop(AF_INET6, bytes, gid, sizeof gid), -1);
	if (f->type->shape != PACK_HEX)
		return Tcl_NewByteArrayObj(bytes, (int)size);
	hex = Tcl_NewObj();
	for (uint64_t i = 0; i < size; i++)
		Tcl_AppendPrintfToObj(hex, "%02x", bytes[i]);
	return hex;
}

static Tcl_Obj *unpack_field(struct unpack *u, const struct pack_field *f, Tcl_Obj *values)
{
	return is_sized(f->type) ? read_bytes(u, f, values)
				 : unpack_scalar(u, field_name(f), f->type);
}

/* A new dict, reference count 0; NULL with s->fail filled. */
static Tcl_Obj *unpack_fields(struct unpack *u, Tcl_Obj *layout)
{
	Tcl_Obj *values, *value;
	int n;
	const struct pack_field *fields = read_layout(u->s, layout, &n), *f = fields;

	if (!fields)
		return NULL;
	values = Tcl_NewDictObj();
	for (; f < fields + n && (value = unpack_field(u, f, values)); f++)
		if (f->name)
			Tcl_DictObjPut(NULL, values, f->name, value);
		else
			Tcl_DecrRefCount(value);
	if (f == fields + n && u->at < u->end) {
		fail(u->s, "unpack", "EMSGSIZE", "%zu bytes are left over at %zu",
		     (size_t)(u->end - u->at), (size_t)(u->at - u->begin));
		fail_row(u->s, "remedy", "end the layout with 'bytes NAME', which takes the rest");
	} else if (f == fields + n) {
		return values;
	}
	Tcl_DecrRefCount(values);
	return NULL;
}

/* ------------------------------------------------------------------- commands -- */

struct pack_args {
	Tcl_Obj *layout, *values;
};

#define LAYOUT POS("layout", pack_args, layout, kind_obj, "types and names, in order")

static const struct arg pack_arg_table[] = {
	LAYOUT, POS("values", pack_args, values, kind_obj, "a dict of the fields' values"), ARGS_END
};

static void out_hex(struct out *o, const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < len && i < 64; i++)
		out_text(o, "%02x%s", data[i], i % 4 == 3 ? " " : "");
	out_text(o, "%s\n", len > 64 ? "..." : "");
}

static int pack_exec(struct session *s, const void *args, struct out *o)
{
	const struct pack_args *a = args;
	SCOPED_TEXT(to);
	const unsigned char *data;
	int rc, len;

	rc = pack_fields(s, a->layout, a->values, &to);
	if (rc == 0) {
		data = (const unsigned char *)text_str(&to);
		len = text_len(&to);
		out_obj(o, Tcl_NewByteArrayObj(data, len));
		out_hex(o, data, (size_t)len);
	}
	return rc;
}

/** The layout is pairs of type and name. Numbers: u8 u16 u32 u64, i8 to i64 with a sign,
 * f32 f64, in network byte order; with le after the type (u32le) in little-endian order;
 * varint and zigzag take as many bytes as they need. Bytes: bytes, text (UTF-8) and hex
 * (pairs of digits) take the whole value, or with a colon a fixed number of bytes,
 * bytes:16, or as many as an earlier field says: {u32 len bytes:len data}, where you need
 * not give len. gid is the 16 bytes of a GID, which is written as an address or as 32
 * digits. pad:4 is four zero bytes and has no name. The value is the bytes, for
 * mem put, tcp send, post -text.
 *
 * Messages of protobuf: protobuf pack.
 * > pack {u16 port u32le key text name} {port 4791 key 1 name ibv} => 12b70100 00006962 76
 * > pack {u8 len bytes:len data pad:2} {data hello} => 0568656c 6c6f0000
 * > pack {gid me} {me 10.0.0.1} => 00000000 00000000 0000ffff 0a000001
 * > pack {u8 n} {n 256} => n: 256 does not fit in 8 unsigned bits */
const struct cmd cmd_pack = {
	.name = "pack",
	.family = "scripts",
	.summary = "make the bytes of a message from named fields",
	.args = pack_arg_table,
	.exec = pack_exec,
};

static const struct arg unpack_arg_table[] = {
	LAYOUT, POS("bytes", pack_args, values, kind_obj, "the message"), ARGS_END
};

static int unpack_exec(struct session *s, const void *args, struct out *o)
{
	const struct pack_args *a = args;
	size_t len;
	const unsigned char *data = pack_bytes(s, a->values, &len);
	struct unpack u = { .s = s, .at = data, .begin = data, .end = data + len };
	Tcl_Obj *values = unpack_fields(&u, a->layout);

	if (!values)
		return -1;
	out_obj(o, values);
	if (s->printing)
		out_text(o, "%s\n", Tcl_GetString(values));
	return 0;
}

/** The reverse of pack, with the same layouts: the value is a dict. The bytes must match
 * the whole layout, with none left over; otherwise it fails (RDMASH unpack EMSGSIZE).
 * Write -- before bytes that may begin with '-'.
 * > set bytes [pack {u16 port u32le key text name} {port 4791 key 1 name ibv}]
 * > unpack {u16 port u32le key text name} $bytes => port 4791 key 1 name ibv
 * > unpack {gid to} [pack {gid to} {to fe800000000000000000000000000001}] => to fe80::1
 * > unpack {u16 port} $bytes => 7 bytes are left over at 2
 * > unpack {u64 a u64 b bytes rest} $bytes => b: 8 bytes are to stand at 8, 1 are left */
const struct cmd cmd_unpack = {
	.name = "unpack",
	.family = "scripts",
	.summary = "read the named fields of a message from its bytes",
	.args = unpack_arg_table,
	.flags = CMD_LOOKS,
	.exec = unpack_exec,
};
