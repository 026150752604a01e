/* SPDX-License-Identifier: MIT */
/* Output: values are kept as json-c has them, next to the text. */
#include "out.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "word.h"

#define OUT_DEPTH 16

const char *const out_formats[OUT_FORMATS] = { "text", "json", "csv" };

struct out {
	struct json_object *root;	     /* NULL: no value yet */
	struct json_object *open[OUT_DEPTH]; /* the dicts and lists around the next value */
	unsigned depth;
	struct out_twin twin;
	struct painted text;
	bool mute; /* values only */
};

struct out *out_new(bool text)
{
	struct out *o = xcalloc(1, sizeof *o);

	o->mute = !text;
	return o;
}

void out_free(struct out *o)
{
	if (!o)
		return;
	json_object_put(o->root);
	if (o->twin.value)
		o->twin.release(o->twin.value);
	painted_free(&o->text);
	free(o);
}

/* ------------------------------------------------------------------------ writing -- */

static void set_root(struct out *o, struct json_object *j)
{
	json_object_put(o->root);
	o->root = o->open[0] = j;
}

/* The first key makes the root a dict; values in a list have none. */
static void add_value(struct out *o, const char *key, struct json_object *j)
{
	if (!o->root && key)
		set_root(o, json_object_new_object());
	if (!o->root)
		set_root(o, j);
	else if (json_object_is_type(o->open[o->depth], json_type_object))
		json_object_object_add(o->open[o->depth], key, j);
	else if (json_object_is_type(o->open[o->depth], json_type_array))
		json_object_array_add(o->open[o->depth], j);
	else
		json_object_put(j); /* a scalar has no room for another value */
}

/* In the fewest digits that read as the same number: 0.1, not 0.10000000000000001. */
static struct json_object *json_double(double d)
{
	char text[40];
	int digits = 15;

	if (!isfinite(d))
		return json_object_new_double(d);
	do
		snprintf(text, sizeof text - 2, "%.*g", digits, d);
	while (strtod(text, NULL) != d && ++digits <= 17);
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	return json_object_new_double_s(d, text);
}

static struct json_object *json_text(const char *text)
{
	return json_object_new_string(text ? text : "");
}

#define OUT_VALUE(name, type, make)                                                 \
	void name(struct out *o, const char *key, type value, const char *fmt, ...) \
	{                                                                           \
		va_list ap;                                                         \
                                                                                    \
		add_value(o, key, make(value));                                     \
		if (!fmt || o->mute)                                                \
			return;                                                     \
		va_start(ap, fmt);                                                  \
		xvappendf(&o->text.text, fmt, ap);                                  \
		va_end(ap);                                                         \
	}

OUT_VALUE(out_str, const char *, json_text)
OUT_VALUE(out_int, int64_t, json_object_new_int64)
OUT_VALUE(out_u64, uint64_t, json_object_new_uint64)
OUT_VALUE(out_double, double, json_double)
OUT_VALUE(out_bool, bool, json_object_new_boolean)

/* Is the user data of hex digits that stand for bytes. */
static char is_bytes[1];

bool out_is_bytes(struct json_object *value)
{
	return json_object_get_userdata(value) == is_bytes;
}

void out_bytes(struct out *o, const char *key, const void *data, size_t len)
{
	struct json_object *j;
	SCOPED_TEXT(hex);

	xappend_hex(&hex, data, len);
	j = json_object_new_string_len(text_str(&hex), (int)text_len(&hex));
	json_object_set_userdata(j, is_bytes, NULL);
	add_value(o, key, j);
}

void out_parsed(struct out *o, const char *key, const char *json)
{
	add_value(o, key, json_tokener_parse(json));
}

static void open_scope(struct out *o, const char *key, struct json_object *j)
{
	const bool is_first = !o->root && !key;

	add_value(o, key, j);
	if (is_first)
		return;
	if (++o->depth == OUT_DEPTH)
		abort(); /* nested too deeply */
	o->open[o->depth] = j;
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

void out_flags(struct out *o, const char *key, const struct word *words, uint64_t bits)
{
	out_list(o, key);
	for (; words->name; words++) {
		if (!words->value || (bits & words->value) != words->value)
			continue;
		bits &= ~words->value;
		out_str(o, NULL, words->name, NULL);
	}
	if (bits)
		out_str(o, NULL, temp_text("0x%llx", (unsigned long long)bits), NULL);
	out_end(o);
}

bool out_has_text(const struct out *o)
{
	return !o->mute;
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->mute)
		return;
	va_start(ap, fmt);
	xvappendf(&o->text.text, fmt, ap);
	va_end(ap);
}

void out_paint(struct out *o, enum paint p)
{
	if (!o->mute)
		painted_paint(&o->text, p);
}

void out_painted(struct out *o, enum paint p, const char *fmt, ...)
{
	va_list ap;

	out_paint(o, p);
	va_start(ap, fmt);
	if (!o->mute)
		xvappendf(&o->text.text, fmt, ap);
	va_end(ap);
	out_paint(o, PAINT_NONE);
}

void out_copy(struct out *o, const struct out *from, const char *key)
{
	struct json_object *j;

	if (!json_object_object_get_ex(from->root, key, &j))
		return;
	set_root(o, json_object_get(j));
	out_text(o, "%s\n", json_object_get_string(j));
}

/* ------------------------------------------------------------------------ reading -- */

struct json_object *out_json(const struct out *o)
{
	return o->root;
}

const struct painted *out_painted_text(const struct out *o)
{
	return &o->text;
}

struct out_twin *out_twin(struct out *o)
{
	return &o->twin;
}

/* ---------------------------------------------------------------------------- CSV -- */

void out_csv_cell(struct text *d, const char *cell, bool first)
{
	if (!first)
		text_add(d, ",");
	if (!strpbrk(cell, ",\"\n\r")) {
		text_add(d, cell);
		return;
	}
	text_add(d, "\"");
	for (const char *p = cell; *p; p++)
		text_add_bytes(d, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
	text_add(d, "\"");
}

static void csv_line(struct text *d, struct json_object *row, bool names)
{
	bool first = true;

	if (!json_object_is_type(row, json_type_object)) {
		if (!names)
			out_csv_cell(d, json_object_get_string(row), true);
	} else {
		json_object_object_foreach(row, key, value)
		{
			out_csv_cell(d, names ? key : json_object_get_string(value), first);
			first = false;
		}
	}
	if (!names || !first)
		text_add(d, "\n");
}

/* Prints a header and then the rows, and a new header where the names change. */
static void print_csv(struct json_object *root, struct text *d)
{
	SCOPED_TEXT(last);

	if (!json_object_is_type(root, json_type_array)) {
		csv_line(d, root, true);
		csv_line(d, root, false);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(root); i++) {
		struct json_object *row = json_object_array_get_idx(root, i);
		SCOPED_TEXT(names);

		csv_line(&names, row, true);
		if (strcmp(text_str(&names), text_str(&last)) != 0) {
			text_add(d, text_str(&names));
			text_resize(&last, 0);
			text_add(&last, text_str(&names));
		}
		csv_line(d, row, false);
	}
}

/* A value of the caller's is printed as a string if there is a text, what was written as it is. */
static struct json_object *printed(const struct out *o)
{
	if (o->twin.replaces && text_len(&o->text.text))
		return json_text(o->twin.string(o->twin.value));
	return json_object_get(o->root);
}

void out_print(const struct out *o, enum out_format f, struct text *d)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = text_str(&o->text.text);
	const size_t len = text_len(&o->text.text);
	struct json_object *root;

	if (f == OUT_TEXT) {
		text_add_bytes(d, text, len);
		if (len && text[len - 1] != '\n')
			text_add(d, "\n");
		return;
	}
	root = printed(o);
	if (root && f == OUT_CSV) {
		print_csv(root, d);
	} else if (root) {
		text_add(d, json_object_to_json_string_ext(root, flags));
		text_add(d, "\n");
	}
	json_object_put(root);
}
