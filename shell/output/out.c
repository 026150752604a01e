/* SPDX-License-Identifier: MIT */
/*
 * Output: values are kept as a json-c tree, beside the text. Byte strings are JSON
 * strings of hex digits that carry the raw bytes along for Tcl.
 */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/out.h"
#include "output/print.h"
#include "alloc.h"

#define OUT_DEPTH 16

const char *const out_formats[OUT_FORMATS] = { "text", "json", "csv" };

struct out {
	struct json_object *stack[OUT_DEPTH]; /* [0] is the root */
	Tcl_Obj *obj;			      /* instead of it as the value, or NULL */
	unsigned depth;
	struct painted text;
	bool mute; /* values only */
};

/* The raw form of a byte string, carried by its JSON node. */
struct raw {
	size_t len;
	unsigned char data[];
};

struct out *out_new(bool text)
{
	struct out *o = xcalloc(1, sizeof *o);

	painted_init(&o->text);
	o->mute = !text;
	return o;
}

void out_free(struct out *o)
{
	if (!o)
		return;
	json_object_put(o->stack[0]);
	if (o->obj)
		Tcl_DecrRefCount(o->obj);
	painted_free(&o->text);
	free(o);
}

static void add(struct out *o, const char *key, struct json_object *value)
{
	struct json_object *in = o->stack[o->depth];

	if (!o->stack[0] && !key) {
		o->stack[0] = value;
		return;
	}
	if (!o->stack[0])
		in = o->stack[0] = json_object_new_object();
	if (json_object_is_type(in, json_type_array))
		json_object_array_add(in, value);
	else
		json_object_object_add(in, key, value);
}

__attribute__((format(printf, 2, 0))) static void say(struct out *o, const char *fmt, va_list ap)
{
	char *text;

	if (!fmt || o->mute)
		return;
	text = xvasprintf(fmt, ap);
	painted_add(&o->text, text, strlen(text));
	free(text);
}

#define OUT_VALUE(name, type, make)                                                 \
	void name(struct out *o, const char *key, type value, const char *fmt, ...) \
	{                                                                           \
		va_list ap;                                                         \
                                                                                    \
		add(o, key, make(value));                                           \
		va_start(ap, fmt);                                                  \
		say(o, fmt, ap);                                                    \
		va_end(ap);                                                         \
	}

OUT_VALUE(out_str, const char *, json_object_new_string)
OUT_VALUE(out_int, int64_t, json_object_new_int64)
OUT_VALUE(out_u64, uint64_t, json_object_new_uint64)
OUT_VALUE(out_double, double, json_object_new_double)
OUT_VALUE(out_bool, bool, json_object_new_boolean)

static void raw_free(struct json_object *jso, void *raw)
{
	(void)jso;
	free(raw);
}

void out_bytes(struct out *o, const char *key, const void *data, size_t len)
{
	struct raw *raw = xcalloc(1, sizeof *raw + len);
	char *hex = xcalloc(1, 2 * len + 1);
	struct json_object *node;

	raw->len = len;
	if (len)
		memcpy(raw->data, data, len);
	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = "0123456789abcdef"[raw->data[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[raw->data[i] & 15];
	}
	node = json_object_new_string(hex);
	free(hex);
	json_object_set_userdata(node, raw, raw_free);
	add(o, key, node);
}

void out_copy(struct out *o, const struct out *from, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(from->stack[0], key, &value))
		return;
	add(o, NULL, json_object_get(value));
	out_text(o, "%s\n", json_object_get_string(value));
}

static void open_scope(struct out *o, const char *key, struct json_object *scope)
{
	bool root = !o->stack[0] && !key;

	add(o, key, scope);
	if (root)
		return;
	if (++o->depth == OUT_DEPTH)
		Tcl_Panic("out: scopes nested too deeply");
	o->stack[o->depth] = scope;
}

void out_dict(struct out *o, const char *key)
{
	open_scope(o, key, json_object_new_object());
}

void out_list(struct out *o, const char *key)
{
	open_scope(o, key, json_object_new_array());
}

void out_end(struct out *o)
{
	if (o->depth)
		o->depth--;
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(o, fmt, ap);
	va_end(ap);
}

void out_paint(struct out *o, enum paint p)
{
	if (!o->mute)
		painted_paint(&o->text, p);
}

static Tcl_Obj *to_tcl(struct json_object *j)
{
	struct raw *raw;
	Tcl_Obj *v;

	switch (json_object_get_type(j)) {
	case json_type_boolean:
		return Tcl_NewBooleanObj(json_object_get_boolean(j));
	case json_type_double:
		return Tcl_NewDoubleObj(json_object_get_double(j));
	case json_type_int:
		if (json_object_get_uint64(j) <= INT64_MAX)
			return Tcl_NewWideIntObj(json_object_get_int64(j));
		return Tcl_NewStringObj(json_object_get_string(j), -1); /* a big integer */
	case json_type_object:
		v = Tcl_NewDictObj();
		json_object_object_foreach(j, key, value)
			Tcl_DictObjPut(NULL, v, Tcl_NewStringObj(key, -1), to_tcl(value));
		return v;
	case json_type_array:
		v = Tcl_NewListObj(0, NULL);
		for (size_t i = 0; i < json_object_array_length(j); i++)
			Tcl_ListObjAppendElement(NULL, v, to_tcl(json_object_array_get_idx(j, i)));
		return v;
	case json_type_string:
		raw = json_object_get_userdata(j);
		if (raw)
			return Tcl_NewByteArrayObj(raw->data, (int)raw->len);
		return Tcl_NewStringObj(json_object_get_string(j), -1);
	case json_type_null:
		break;
	}
	return Tcl_NewObj();
}

void out_obj(struct out *o, Tcl_Obj *value)
{
	Tcl_IncrRefCount(value);
	if (o->obj)
		Tcl_DecrRefCount(o->obj);
	o->obj = value;
}

Tcl_Obj *out_value(const struct out *o)
{
	if (o->obj)
		return o->obj;
	return to_tcl(o->stack[0]);
}

static void csv_cell(Tcl_DString *d, const char *cell, bool first)
{
	if (!first)
		Tcl_DStringAppend(d, ",", 1);
	if (!strpbrk(cell, ",\"\n\r")) {
		Tcl_DStringAppend(d, cell, -1);
		return;
	}
	Tcl_DStringAppend(d, "\"", 1);
	for (const char *p = cell; *p; p++)
		Tcl_DStringAppend(d, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
	Tcl_DStringAppend(d, "\"", 1);
}

static void csv_line(Tcl_DString *d, struct json_object *row, bool names)
{
	bool first = true;

	if (!json_object_is_type(row, json_type_object)) {
		if (!names)
			csv_cell(d, json_object_get_string(row), true);
	} else {
		json_object_object_foreach(row, key, value)
		{
			csv_cell(d, names ? key : json_object_get_string(value), first);
			first = false;
		}
	}
	if (!names || !first)
		Tcl_DStringAppend(d, "\n", 1);
}

/* One header, then a row each; a new header where the names change. */
static void print_csv(struct json_object *root, Tcl_DString *d)
{
	Tcl_DString names, last;

	if (!json_object_is_type(root, json_type_array)) {
		csv_line(d, root, true);
		csv_line(d, root, false);
		return;
	}
	Tcl_DStringInit(&last);
	for (size_t i = 0; i < json_object_array_length(root); i++) {
		struct json_object *row = json_object_array_get_idx(root, i);

		Tcl_DStringInit(&names);
		csv_line(&names, row, true);
		if (strcmp(Tcl_DStringValue(&names), Tcl_DStringValue(&last)) != 0) {
			Tcl_DStringAppend(d, Tcl_DStringValue(&names), -1);
			Tcl_DStringSetLength(&last, 0);
			Tcl_DStringAppend(&last, Tcl_DStringValue(&names), -1);
		}
		Tcl_DStringFree(&names);
		csv_line(d, row, false);
	}
	Tcl_DStringFree(&last);
}

void out_print(const struct out *o, enum out_format f, Tcl_DString *d)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = Tcl_DStringValue(&o->text.text);
	int len = Tcl_DStringLength(&o->text.text);
	struct json_object *root;

	if (f == OUT_TEXT) {
		Tcl_DStringAppend(d, text, len);
		if (len && text[len - 1] != '\n')
			Tcl_DStringAppend(d, "\n", 1);
		return;
	}
	if (o->obj && len)
		root = json_object_new_string(Tcl_GetString(o->obj));
	else
		root = json_object_get(o->stack[0]);
	if (root && f == OUT_CSV) {
		print_csv(root, d);
	} else if (root) {
		Tcl_DStringAppend(d, json_object_to_json_string_ext(root, flags), -1);
		Tcl_DStringAppend(d, "\n", 1);
	}
	json_object_put(root);
}

void out_show(struct out *o, enum out_format f)
{
	Tcl_DString *text = &o->text.text, d;
	int len = Tcl_DStringLength(text);

	if (f == OUT_TEXT) {
		if (len && Tcl_DStringValue(text)[len - 1] != '\n')
			Tcl_DStringAppend(text, "\n", 1);
		print_painted(PRINT_OUT, &o->text);
		return;
	}
	Tcl_DStringInit(&d);
	out_print(o, f, &d);
	if (f == OUT_JSON)
		print_json(Tcl_DStringValue(&d));
	else
		print_data(Tcl_DStringValue(&d), (size_t)Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
}

static void line_as_json(const char *text)
{
	struct json_object *j = json_object_new_string(text);

	print_json(json_object_to_json_string_ext(j, JSON_C_TO_STRING_NOSLASHESCAPE));
	print_text(PRINT_OUT, "\n");
	json_object_put(j);
}

void out_line(enum out_format f, const char *text)
{
	char *line;

	if (f != OUT_TEXT) {
		out_exact(f, text, true);
		return;
	}
	line = xasprintf("%s\n", text);
	print_text(PRINT_OUT, line);
	free(line);
}

void out_exact(enum out_format f, const char *text, bool newline)
{
	Tcl_DString d;

	if (f == OUT_JSON) {
		line_as_json(text);
		return;
	}
	Tcl_DStringInit(&d);
	if (f == OUT_CSV)
		csv_cell(&d, text, true);
	else
		Tcl_DStringAppend(&d, text, -1);
	if (newline || f == OUT_CSV)
		Tcl_DStringAppend(&d, "\n", 1);
	print_data(Tcl_DStringValue(&d), (size_t)Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
}
