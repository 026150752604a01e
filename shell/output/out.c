/* SPDX-License-Identifier: MIT */
/*
 * Output: values are stored in one array, in the order in which they are written, next to the text.
 * The Tcl value is built from the array, and JSON when it is asked for.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/out.h"
#include "output/print.h"
#include "alloc.h"

#define OUT_DEPTH  16
#define NODES_KEPT 4096 /* a larger array is freed after use */

const char *const out_formats[OUT_FORMATS] = { "text", "json", "csv" };

enum node_type {
	NODE_STR,
	NODE_BYTES,
	NODE_INT,
	NODE_U64,
	NODE_DOUBLE,
	NODE_BOOL,
	NODE_DICT,
	NODE_LIST
};

/* One value. The content of a dict or list follows its node, up to end. */
struct node {
	enum node_type type;
	Tcl_Obj *key; /* NULL: the root, or in a list */
	union {
		Tcl_Obj *obj; /* NODE_STR, NODE_BYTES */
		int64_t i;
		uint64_t u;
		double d;
		bool b;
		unsigned end; /* index of the first node after its content; 0: still open */
	} v;
};

struct out {
	struct node *nodes; /* [0] is the root */
	Tcl_Obj **scratch;  /* space for key and value of each node, while the Tcl value is built */
	unsigned n, room;
	unsigned open[OUT_DEPTH]; /* indexes of the dicts and lists around the next value */
	unsigned depth;
	Tcl_Obj *obj;  /* the value, in place of the nodes; or NULL */
	Tcl_Obj *kept; /* by out_keep_value(), or NULL */
	struct painted text;
	bool mute;	  /* values only */
	struct out *next; /* next in the list of spare outputs */
};

/* ------------------------------------------------------------------------- memory -- */

static struct out *spare;

struct out *out_new(bool text)
{
	struct out *o = spare;

	if (o)
		spare = o->next;
	else
		o = xcalloc(1, sizeof *o);
	painted_init(&o->text);
	o->mute = !text;
	return o;
}

static bool has_object(const struct node *node)
{
	return node->type == NODE_STR || node->type == NODE_BYTES;
}

static void free_nodes(struct out *o)
{
	for (struct node *node = o->nodes; node < o->nodes + o->n; node++) {
		if (node->key)
			Tcl_DecrRefCount(node->key);
		if (has_object(node))
			Tcl_DecrRefCount(node->v.obj);
	}
	o->n = 0;
	if (o->room <= NODES_KEPT)
		return;
	free(o->nodes);
	free(o->scratch);
	o->nodes = NULL;
	o->scratch = NULL;
	o->room = 0;
}

void out_free(struct out *o)
{
	if (!o)
		return;
	free_nodes(o);
	if (o->obj)
		Tcl_DecrRefCount(o->obj);
	if (o->kept)
		Tcl_DecrRefCount(o->kept);
	o->obj = o->kept = NULL;
	o->depth = 0;
	painted_free(&o->text);
	o->next = spare;
	spare = o;
}

/* A Tcl object for text, with a new reference. */
static Tcl_Obj *text_object(const char *text)
{
	return value_hold(Tcl_NewStringObj(text, -1));
}

/* ------------------------------------------------------------------------ writing -- */

static void add_room(struct out *o)
{
	o->room = o->room ? 2 * o->room : 16;
	o->nodes = xrealloc(o->nodes, o->room, sizeof *o->nodes);
	o->scratch = xrealloc(o->scratch, 2 * (size_t)o->room, sizeof *o->scratch);
}

static inline struct node *append_node(struct out *o)
{
	if (o->n == o->room)
		add_room(o);
	return &o->nodes[o->n++];
}

/* The first key makes the root a dict; values in a list have none. */
static struct node *new_node(struct out *o, const char *key, enum node_type type)
{
	struct node *node;

	if (!o->n && key)
		new_node(o, NULL, NODE_DICT);
	node = append_node(o);
	node->type = type;
	node->v.u = 0;
	node->key = o->n > 1 && o->nodes[o->open[o->depth]].type == NODE_DICT ? text_object(key)
									      : NULL;
	return node;
}

#define OUT_VALUE(name, type, node_type, member, make)                              \
	void name(struct out *o, const char *key, type value, const char *fmt, ...) \
	{                                                                           \
		va_list ap;                                                         \
                                                                                    \
		new_node(o, key, node_type)->v.member = make(value);                \
		if (!fmt || o->mute)                                                \
			return;                                                     \
		va_start(ap, fmt);                                                  \
		xvappendf(&o->text.text, fmt, ap);                                  \
		va_end(ap);                                                         \
	}

OUT_VALUE(out_str, const char *, NODE_STR, obj, text_object)
OUT_VALUE(out_int, int64_t, NODE_INT, i, )
OUT_VALUE(out_u64, uint64_t, NODE_U64, u, )
OUT_VALUE(out_double, double, NODE_DOUBLE, d, )
OUT_VALUE(out_bool, bool, NODE_BOOL, b, )

void out_bytes(struct out *o, const char *key, const void *data, size_t len)
{
	Tcl_Obj *bytes = Tcl_NewByteArrayObj(data, (int)len);

	Tcl_IncrRefCount(bytes);
	new_node(o, key, NODE_BYTES)->v.obj = bytes;
}

static void open_scope(struct out *o, const char *key, enum node_type type)
{
	unsigned i = (unsigned)(new_node(o, key, type) - o->nodes);

	if (!i)
		return;
	if (++o->depth == OUT_DEPTH)
		Tcl_Panic("out: scopes nested too deeply");
	o->open[o->depth] = i;
}

void out_dict(struct out *o, const char *key)
{
	open_scope(o, key, NODE_DICT);
}

void out_list(struct out *o, const char *key)
{
	open_scope(o, key, NODE_LIST);
}

void out_end(struct out *o)
{
	if (o->depth)
		o->nodes[o->open[o->depth--]].v.end = o->n;
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

/* ---------------------------------------------------------------------- the value -- */

static bool has_content(const struct node *node)
{
	return node->type == NODE_DICT || node->type == NODE_LIST;
}

/* The index of the first node after node i and its content. */
static unsigned next_sibling(const struct out *o, unsigned i)
{
	if (!has_content(&o->nodes[i]))
		return i + 1;
	return o->nodes[i].v.end ? o->nodes[i].v.end : o->n;
}

/* The Tcl value of node i. A dict is built as a list, which is cheaper; Tcl converts it when it is
 * used as a dict. */
static Tcl_Obj *node_value(const struct out *o, unsigned i, Tcl_Obj **scratch)
{
	const struct node *node = &o->nodes[i];
	int n = 0;

	switch (node->type) {
	case NODE_STR:
	case NODE_BYTES:
		return node->v.obj;
	case NODE_INT:
		return Tcl_NewWideIntObj(node->v.i);
	case NODE_U64:
		return u64_object(node->v.u);
	case NODE_DOUBLE:
		return Tcl_NewDoubleObj(node->v.d);
	case NODE_BOOL:
		return Tcl_NewBooleanObj(node->v.b);
	case NODE_DICT:
	case NODE_LIST:
		break;
	}
	for (unsigned in = i + 1, end = next_sibling(o, i); in < end; in = next_sibling(o, in)) {
		if (o->nodes[in].key)
			scratch[n++] = o->nodes[in].key;
		scratch[n] = node_value(o, in, scratch + n);
		n++;
	}
	return Tcl_NewListObj(n, scratch);
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
	return o->n ? node_value(o, 0, o->scratch) : Tcl_NewObj();
}

Tcl_Obj *out_keep_value(struct out *o)
{
	if (!o->kept)
		o->kept = value_hold(out_value(o));
	return o->kept;
}

bool out_is_value(const struct out *o, const Tcl_Obj *value)
{
	return o->kept == value;
}

/* --------------------------------------------------------------------------- JSON -- */

/* Bytes as a string of two hex digits each. */
static struct json_object *json_hex(Tcl_Obj *bytes)
{
	int len;
	const unsigned char *data = Tcl_GetByteArrayFromObj(bytes, &len);
	SCOPED_TEXT(hex);

	xappend_hex(&hex, data, (size_t)len);
	return json_object_new_string(text_str(&hex));
}

/* In the fewest digits that read as the same number: 0.1, not 0.10000000000000001. */
static struct json_object *json_double(double d)
{
	char text[TCL_DOUBLE_SPACE];

	if (!isfinite(d))
		return json_object_new_double(d);
	Tcl_PrintDouble(NULL, d, text);
	return json_object_new_double_s(d, text);
}

static struct json_object *node_json(const struct out *o, unsigned i)
{
	const struct node *node = &o->nodes[i];
	struct json_object *all;

	switch (node->type) {
	case NODE_STR:
		return json_object_new_string(Tcl_GetString(node->v.obj));
	case NODE_BYTES:
		return json_hex(node->v.obj);
	case NODE_INT:
		return json_object_new_int64(node->v.i);
	case NODE_U64:
		return json_object_new_uint64(node->v.u);
	case NODE_DOUBLE:
		return json_double(node->v.d);
	case NODE_BOOL:
		return json_object_new_boolean(node->v.b);
	case NODE_DICT:
	case NODE_LIST:
		break;
	}
	all = node->type == NODE_DICT ? json_object_new_object() : json_object_new_array();
	for (unsigned in = i + 1; in < next_sibling(o, i); in = next_sibling(o, in)) {
		Tcl_Obj *key = o->nodes[in].key;

		if (key)
			json_object_object_add(all, Tcl_GetString(key), node_json(o, in));
		else
			json_object_array_add(all, node_json(o, in));
	}
	return all;
}

/* The index of the root's value with this key; 0: none. */
static unsigned find_key(const struct out *o, const char *key)
{
	for (unsigned i = 1; i < o->n; i = next_sibling(o, i))
		if (o->nodes[i].key && strcmp(Tcl_GetString(o->nodes[i].key), key) == 0)
			return i;
	return 0;
}

void out_copy(struct out *o, const struct out *from, const char *key)
{
	const unsigned first = find_key(from, key), at = o->n;
	struct json_object *j;

	if (!first)
		return;
	for (unsigned i = first; i < next_sibling(from, first); i++) {
		struct node *copy = append_node(o);

		*copy = from->nodes[i];
		if (i == first)
			copy->key = NULL;
		if (copy->key)
			Tcl_IncrRefCount(copy->key);
		if (has_object(copy))
			Tcl_IncrRefCount(copy->v.obj);
		if (has_content(copy))
			copy->v.end = at + next_sibling(from, i) - first;
	}
	j = node_json(from, first);
	out_text(o, "%s\n", json_object_get_string(j));
	json_object_put(j);
}

static void csv_cell(struct text *d, const char *cell, bool first)
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
			csv_cell(d, json_object_get_string(row), true);
	} else {
		json_object_object_foreach(row, key, value)
		{
			csv_cell(d, names ? key : json_object_get_string(value), first);
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

void out_print(const struct out *o, enum out_format f, struct text *d)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = text_str(&o->text.text);
	int len = text_len(&o->text.text);
	struct json_object *root;

	if (f == OUT_TEXT) {
		text_add_bytes(d, text, len);
		if (len && text[len - 1] != '\n')
			text_add(d, "\n");
		return;
	}
	if (o->obj && len)
		root = json_object_new_string(Tcl_GetString(o->obj));
	else
		root = o->n ? node_json(o, 0) : NULL;
	if (root && f == OUT_CSV) {
		print_csv(root, d);
	} else if (root) {
		text_add(d, json_object_to_json_string_ext(root, flags));
		text_add(d, "\n");
	}
	json_object_put(root);
}

void out_show(struct out *o, enum out_format f)
{
	struct text *text = &o->text.text;
	SCOPED_TEXT(d);
	int len = text_len(text);

	if (f == OUT_TEXT) {
		if (len && text_str(text)[len - 1] != '\n')
			text_add(text, "\n");
		print_painted(PRINT_OUT, &o->text);
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
		csv_cell(&d, text, true);
	else
		text_add(&d, text);
	if (newline || f == OUT_CSV)
		text_add(&d, "\n");
	print_data(text_str(&d), text_len(&d), f == OUT_TEXT);
}
