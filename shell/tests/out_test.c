/* SPDX-License-Identifier: MIT */
/* One writer: the Tcl value, the text, JSON read back by a parser, CSV. */
#include <json-c/json.h>

#include "checks.h"
#include "output/print.h"

static struct out *rows(void)
{
	struct out *o = out_new(true);

	out_list(o, NULL);
	for (int i = 0; i < 2; i++) {
		out_dict(o, NULL);
		out_str(o, "name", i ? "a \"b\", c" : "plain", "%s ", i ? "quoted" : "plain");
		out_u64(o, "big", UINT64_MAX - (unsigned)i, "big ");
		out_int(o, "neg", -5, NULL);
		out_bool(o, "on", i, "\n");
		out_end(o);
	}
	out_end(o);
	return o;
}

static const char *printed(const struct out *o, enum out_format f)
{
	static char text[4096];
	struct text d;

	d = (struct text){ 0 };
	out_print(o, f, &d);
	snprintf(text, sizeof text, "%s", text_str(&d));
	text_free(&d);
	return text;
}

static const char *value(struct out *o)
{
	static char text[4096];
	Tcl_Obj *v = out_value(o);

	Tcl_IncrRefCount(v);
	snprintf(text, sizeof text, "%s", Tcl_GetString(v));
	Tcl_DecrRefCount(v);
	return text;
}

static void tables(void)
{
	struct out *o = rows();
	struct json_object *j, *row, *field;

	CHECK_STR(value(o), "{name plain big 18446744073709551615 neg -5 on 0} "
			    "{name {a \"b\", c} big 18446744073709551614 neg -5 on 1}");
	CHECK_STR(printed(o, OUT_TEXT), "plain big \nquoted big \n");
	CHECK_STR(printed(o, OUT_CSV), "name,big,neg,on\nplain,18446744073709551615,-5,false\n"
				       "\"a \"\"b\"\", c\",18446744073709551614,-5,true\n");
	j = json_tokener_parse(printed(o, OUT_JSON));
	CHECK(j && json_object_array_length(j) == 2);
	row = json_object_array_get_idx(j, 1);
	CHECK(json_object_object_get_ex(row, "name", &field));
	CHECK_STR(json_object_get_string(field), "a \"b\", c");
	CHECK(json_object_object_get_ex(row, "big", &field));
	CHECK(json_object_get_uint64(field) == UINT64_MAX - 1);
	json_object_put(j);
	out_free(o);
}

static void scalars(void)
{
	struct out *o = out_new(true);
	Tcl_Obj *v;
	Tcl_Size len;

	CHECK_STR(value(o), "");
	CHECK_STR(printed(o, OUT_JSON), "");
	out_int(o, NULL, 7, "seven");
	CHECK_STR(value(o), "7");
	CHECK_STR(printed(o, OUT_TEXT), "seven\n");
	CHECK_STR(printed(o, OUT_JSON), "7\n");
	CHECK_STR(printed(o, OUT_CSV), "7\n");
	out_free(o);

	o = out_new(true);
	out_bytes(o, "data", "\0\xff\n", 3);
	out_paint(o, PAINT_BAD);
	out_text(o, "x");
	out_paint(o, PAINT_NONE);
	CHECK_STR(printed(o, OUT_JSON), "{\"data\":\"00ff0a\"}\n");
	CHECK_STR(printed(o, OUT_TEXT), "x\n");
	v = out_value(o);
	Tcl_IncrRefCount(v);
	CHECK(Tcl_DictObjSize(NULL, v, &len) == TCL_OK && len == 1);
	Tcl_DecrRefCount(v);
	out_free(o);

	o = out_new(true);
	v = Tcl_NewStringObj("mine", -1);
	out_str(o, "a", "b", "text");
	out_obj(o, v);
	CHECK_STR(value(o), "mine");
	out_free(o);
}

static void nested(void)
{
	struct out *o = out_new(true);

	out_str(o, "id", "id0", NULL);
	out_dict(o, "cap");
	out_int(o, "max", 3, NULL);
	out_list(o, "flags");
	out_str(o, NULL, "A B", NULL);
	out_str(o, NULL, "C", NULL);
	out_end(o);
	out_end(o);
	out_double(o, "t", 0.1, NULL);
	CHECK_STR(value(o), "id id0 cap {max 3 flags {{A B} C}} t 0.1");
	CHECK_STR(printed(o, OUT_JSON), "{\"id\":\"id0\",\"cap\":{\"max\":3,\"flags\":["
					"\"A B\",\"C\"]},\"t\":0.1}\n");
	out_free(o);
}

int main(void)
{
	Tcl_FindExecutable("test");
	tables();
	scalars();
	nested();
	return checks_end();
}
