/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"
#include "alloc.h"

#define RS	 '\036'
#define TEXT_MAX (64u << 10) /* a line of text is cut at this length */

struct frames {
	const struct frames_ops *ops;
	void *ctx;
	char *data;
	size_t len, room;
	size_t seen;	 /* bytes that are known to have no newline */
	char prefix[64]; /* text before the last message on its line */
};

struct frames *frames_new(const struct frames_ops *ops, void *ctx)
{
	struct frames *f = xcalloc(1, sizeof *f);

	f->ops = ops;
	f->ctx = ctx;
	return f;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	free(f->data);
	free(f);
}

static void pass_text(struct frames *f, const char *line, size_t len)
{
	if (len && line[len - 1] == '\r')
		len--;
	if (len)
		f->ops->text(f->ctx, line, len);
}

/* Parses untrusted JSON; the tokener limits the depth. used: how many bytes the object has, with
 * the white space before it. */
static struct json_object *parse_message(const char *json, size_t len, size_t *used)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *msg;

	if (!tok)
		Tcl_Panic("out of memory");
	msg = json_tokener_parse_ex(tok, json, (int)len);
	if (json_tokener_get_error(tok) != json_tokener_success ||
	    !json_object_is_type(msg, json_type_object)) {
		json_object_put(msg);
		msg = NULL;
	}
	*used = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	return msg;
}

/* Some launchers write a prefix before each line: it is shown only once. */
static bool is_news(struct frames *f, const char *prefix, size_t len)
{
	if (len == strlen(f->prefix) && memcmp(prefix, f->prefix, len) == 0)
		return false;
	snprintf(f->prefix, sizeof f->prefix, "%.*s", (int)len, prefix);
	return true;
}

/* Handles a line: messages, and text without a newline that may precede or follow them. */
static void take_line(struct frames *f, const char *from, size_t len)
{
	const char *begin = from, *rs;
	struct json_object *msg;
	size_t used;

	while ((rs = memchr(from, RS, len))) {
		msg = parse_message(rs + 1, len - (size_t)(rs + 1 - from), &used);
		if (!msg)
			break;
		if (from != begin || is_news(f, from, (size_t)(rs - from)))
			pass_text(f, from, (size_t)(rs - from));
		f->ops->message(f->ctx, msg);
		json_object_put(msg);
		len -= (size_t)(rs + 1 - from) + used;
		from = rs + 1 + used;
	}
	pass_text(f, from, len);
}

/* Handles the complete lines in the buffer and removes them. */
static void take_lines(struct frames *f)
{
	size_t from = 0;
	char *end;

	while ((end = memchr(f->data + f->seen, '\n', f->len - f->seen))) {
		take_line(f, f->data + from, (size_t)(end - f->data) - from);
		from = f->seen = (size_t)(end - f->data) + 1;
	}
	if (from)
		memmove(f->data, f->data + from, f->len - from);
	f->len -= from;
	f->seen = f->len;
}

int frames_feed(struct frames *f, const char *data, size_t len)
{
	while (f->room - f->len < len || !f->room)
		f->data = xrealloc(f->data, f->room = f->room ? 2 * f->room : 4096, 1);
	memcpy(f->data + f->len, data, len);
	f->len += len;
	take_lines(f);
	if (f->len > FRAMES_MAX) {
		f->len = f->seen = 0; /* too long for text, too */
		return -1;
	}
	if (f->len > TEXT_MAX && !memchr(f->data, RS, f->len)) {
		pass_text(f, f->data, f->len);
		f->len = f->seen = 0;
	}
	return 0;
}

void frames_end(struct frames *f)
{
	pass_text(f, f->data, f->len);
	f->len = f->seen = 0;
}

void frames_put(struct text *to, const char *name, struct json_object *body)
{
	struct json_object *msg = json_object_new_object();
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char rs = RS;
	const char *json;
	size_t len;

	json_object_object_add(msg, name, body);
	json = json_object_to_json_string_length(msg, flags, &len);
	text_add_bytes(to, &rs, 1);
	text_add_bytes(to, json, len);
	text_add(to, "\n");
	json_object_put(msg);
}

static Tcl_Encoding utf8_encoding(void)
{
	static Tcl_Encoding encoding;

	if (!encoding)
		encoding = Tcl_GetEncoding(NULL, "utf-8"); /* it is built in */
	return encoding;
}

/* Tcl's internal form has two bytes for NUL. */
struct json_object *frames_str(const char *utf, int len)
{
	struct json_object *plain;
	Tcl_DString d;

	Tcl_UtfToExternalDString(utf8_encoding(), utf, len, &d);
	plain = json_object_new_string_len(Tcl_DStringValue(&d), Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
	return plain;
}

Tcl_Obj *frames_text(struct json_object *string)
{
	Tcl_DString d;
	Tcl_Obj *value;

	Tcl_ExternalToUtfDString(utf8_encoding(), json_object_get_string(string),
				 json_object_get_string_len(string), &d);
	value = Tcl_NewStringObj(Tcl_DStringValue(&d), Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
	return value;
}

/* ---------------------------------------------------------------------- values -- */

#define DEPTH 8 /* of nested lists; deeper ones are sent as text */

/* The elements of a value whose internal type is list or dict (key, value ...). */
static int list_elements(Tcl_Obj *value, Tcl_Obj ***v)
{
	Tcl_Size n = 0;

	if ((!value_has_type(value, "list") && !value_has_type(value, "dict")) ||
	    Tcl_ListObjGetElements(NULL, value, &n, v) != TCL_OK)
		return 0;
	return n;
}

static bool has_bytes(Tcl_Obj *value, int depth)
{
	Tcl_Obj *copy = NULL, **v;
	bool found = value_has_type(value, "bytearray");
	int n;

	if (found || !depth || (!value_has_type(value, "list") && !value_has_type(value, "dict")))
		return found;
	copy = Tcl_DuplicateObj(value); /* the original stays a dict */
	Tcl_IncrRefCount(copy);
	n = list_elements(copy, &v);
	for (int i = 0; i < n && !found; i++)
		found = has_bytes(v[i], depth - 1);
	Tcl_DecrRefCount(copy);
	return found;
}

bool frames_typed(Tcl_Obj *value)
{
	return has_bytes(value, DEPTH) || strpbrk(Tcl_GetString(value), "\r\032");
}

static struct json_object *tagged_object(const char *tag, struct json_object *body)
{
	struct json_object *all = json_object_new_object();

	json_object_object_add(all, tag, body);
	return all;
}

static struct json_object *bytes_value(Tcl_Obj *value)
{
	Tcl_Size len;
	const unsigned char *data = Tcl_GetByteArrayFromObj(value, &len);
	SCOPED_TEXT(hex);

	xappend_hex(&hex, data, (size_t)len);
	return tagged_object("bytes", json_object_new_string_len(text_str(&hex), text_len(&hex)));
}

static struct json_object *to_json(Tcl_Obj *value, int depth)
{
	struct json_object *list;
	Tcl_Obj *copy, **v;
	const char *text;
	Tcl_Size n;

	if (value_has_type(value, "bytearray"))
		return bytes_value(value);
	if (!has_bytes(value, depth)) {
		text = Tcl_GetStringFromObj(value, &n);
		return frames_str(text, n);
	}
	copy = Tcl_DuplicateObj(value);
	Tcl_IncrRefCount(copy);
	list = json_object_new_array();
	n = list_elements(copy, &v);
	for (int i = 0; i < n; i++)
		json_object_array_add(list, to_json(v[i], depth - 1));
	Tcl_DecrRefCount(copy);
	return tagged_object("list", list);
}

struct json_object *frames_value(Tcl_Obj *value)
{
	return to_json(value, DEPTH);
}

/* Decodes up to the first character that is not a hexadecimal digit. */
static Tcl_Obj *bytes_obj(struct json_object *body)
{
	const char *hex = json_object_get_string(body);
	size_t len = strspn(hex, "0123456789abcdef") / 2;
	Tcl_Obj *value = Tcl_NewByteArrayObj(NULL, 0);
	unsigned char *data = Tcl_SetByteArrayLength(value, (int)len);

	for (size_t i = 0; i < len; i++)
		data[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	return value;
}

Tcl_Obj *frames_obj(struct json_object *value)
{
	struct json_object *body;
	Tcl_Obj *list;

	if (json_object_is_type(value, json_type_string))
		return frames_text(value);
	if (!json_object_is_type(value, json_type_object))
		return Tcl_NewObj();
	if (json_object_object_get_ex(value, "bytes", &body) &&
	    json_object_is_type(body, json_type_string))
		return bytes_obj(body);
	list = Tcl_NewListObj(0, NULL);
	if (json_object_object_get_ex(value, "list", &body) &&
	    json_object_is_type(body, json_type_array))
		for (size_t i = 0; i < json_object_array_length(body); i++)
			Tcl_ListObjAppendElement(NULL, list,
						 frames_obj(json_object_array_get_idx(body, i)));
	return list;
}

static struct json_object *get_member(struct json_object *in, const char *key, enum json_type type)
{
	struct json_object *v = NULL;

	if (!json_object_is_type(in, json_type_object) || !json_object_object_get_ex(in, key, &v))
		return NULL;
	return json_object_is_type(v, type) ? v : NULL;
}

const char *frames_get_str(struct json_object *in, const char *key)
{
	struct json_object *v = get_member(in, key, json_type_string);

	return v ? json_object_get_string(v) : NULL;
}

uint64_t frames_get_int(struct json_object *in, const char *key)
{
	struct json_object *v = get_member(in, key, json_type_int);

	return v ? json_object_get_uint64(v) : 0;
}

bool frames_get_bool(struct json_object *in, const char *key)
{
	struct json_object *v = get_member(in, key, json_type_boolean);

	return v && json_object_get_boolean(v);
}
