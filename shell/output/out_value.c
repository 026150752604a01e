/* SPDX-License-Identifier: MIT */
/* An output as a value of Tcl, and printed. */
#include <json-c/json.h>
#include <string.h>

#include "alloc.h"
#include "output/print.h"
#include "serve/serve.h"

/* ---------------------------------------------------------------------- the value -- */

static Tcl_Obj *value_of(struct json_object *j);

static Tcl_Obj *bytes_of(struct json_object *j)
{
	const char *hex = json_object_get_string(j);
	const int n = json_object_get_string_len(j) / 2;
	Tcl_Obj *value = Tcl_NewByteArrayObj(NULL, n);
	unsigned char *to = Tcl_SetByteArrayLength(value, n);

	for (int i = 0; i < n; i++)
		to[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	return value;
}

/* Tcl stores a zero byte as two bytes, so a text with one is converted. */
static Tcl_Obj *text_of(struct json_object *j)
{
	const char *text = json_object_get_string(j);
	const int n = json_object_get_string_len(j);

	return memchr(text, 0, (size_t)n) ? frames_text(j) : Tcl_NewStringObj(text, n);
}

/* A dict is built as a list, which is cheaper; Tcl converts it when it is used as a dict. */
static Tcl_Obj *dict_of(struct json_object *j)
{
	Tcl_Obj *list = Tcl_NewListObj(0, NULL);

	json_object_object_foreach(j, key, value)
	{
		value_append(list, key);
		Tcl_ListObjAppendElement(NULL, list, value_of(value));
	}
	return list;
}

static Tcl_Obj *list_of(struct json_object *j)
{
	Tcl_Obj *list = Tcl_NewListObj(0, NULL);

	for (size_t i = 0; i < json_object_array_length(j); i++)
		Tcl_ListObjAppendElement(NULL, list, value_of(json_object_array_get_idx(j, i)));
	return list;
}

static Tcl_Obj *value_of(struct json_object *j)
{
	const int64_t n = json_object_is_type(j, json_type_int) ? json_object_get_int64(j) : 0;

	switch (json_object_get_type(j)) {
	case json_type_boolean:
		return Tcl_NewBooleanObj(json_object_get_boolean(j));
	case json_type_double:
		return Tcl_NewDoubleObj(json_object_get_double(j));
	case json_type_int: /* that of a larger one is the largest */
		return n < INT64_MAX ? Tcl_NewWideIntObj(n)
				     : value_of_u64(json_object_get_uint64(j));
	case json_type_string:
		return out_is_bytes(j) ? bytes_of(j) : text_of(j);
	case json_type_object:
		return dict_of(j);
	case json_type_array:
		return list_of(j);
	default:
		return Tcl_NewObj();
	}
}

static const char *string_of(void *value)
{
	return Tcl_GetString(value);
}

static void release(void *value)
{
	Tcl_DecrRefCount((Tcl_Obj *)value);
}

static void keep(struct out *o, Tcl_Obj *value, bool replaces)
{
	struct out_twin *twin = out_twin(o);

	Tcl_IncrRefCount(value);
	if (twin->value)
		release(twin->value);
	*twin = (struct out_twin){ value, replaces, string_of, release };
}

void out_obj(struct out *o, Tcl_Obj *value)
{
	keep(o, value, true);
}

Tcl_Obj *out_value(struct out *o)
{
	const struct out_twin *twin = out_twin(o);

	return twin->replaces ? twin->value : value_of(out_json(o));
}

Tcl_Obj *out_keep_value(struct out *o)
{
	if (!out_twin(o)->value)
		keep(o, out_value(o), false);
	return out_twin(o)->value;
}

bool out_is_value(struct out *o, const Tcl_Obj *value)
{
	return out_twin(o)->value == value;
}

/* ------------------------------------------------------------------------ printed -- */

void out_show(struct out *o, enum out_format f)
{
	const struct text *text = &out_painted_text(o)->text;
	const size_t len = text_len(text);
	SCOPED_TEXT(d);

	if (f == OUT_TEXT) {
		if (len && text_str(text)[len - 1] != '\n')
			out_text(o, "\n");
		print_painted(PRINT_OUT, out_painted_text(o));
		return;
	}
	out_print(o, f, &d);
	if (f == OUT_JSON)
		print_json(text_str(&d));
	else
		print_data(text_str(&d), text_len(&d), false);
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
	SCOPED_TEXT(line);

	if (f != OUT_TEXT) {
		out_exact(f, text, true);
		return;
	}
	xappendf(&line, "%s\n", text);
	print_text(PRINT_OUT, text_str(&line));
}

void out_exact(enum out_format f, const char *text, bool newline)
{
	SCOPED_TEXT(d);

	if (f == OUT_JSON) {
		line_as_json(text);
		return;
	}
	if (f == OUT_CSV)
		out_csv_cell(&d, text, true);
	else
		text_add(&d, text);
	if (newline || f == OUT_CSV)
		text_add(&d, "\n");
	print_data(text_str(&d), text_len(&d), f == OUT_TEXT);
}
