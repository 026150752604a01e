/* SPDX-License-Identifier: MIT */
/* Messages among other output, however it is cut; values that come back as they went. */
#include "checks.h"
#include "serve/serve.h"

static char seen[1 << 16]; /* what came, a word each */

static void note(const char *mark, const char *text, size_t len)
{
	size_t at = strlen(seen);

	snprintf(seen + at, sizeof seen - at, "%s(%.*s)", mark, (int)len, text);
}

static void on_message(void *ctx, struct json_object *msg)
{
	const char *text = json_object_to_json_string_ext(msg, JSON_C_TO_STRING_PLAIN);

	(void)ctx;
	note("M", text, strlen(text));
}

static void on_text(void *ctx, const char *line, size_t len)
{
	(void)ctx;
	note("T", line, len);
}

static const struct frames_ops ops = { on_message, on_text };

/* The frames of an input that comes in pieces of each size. */
static void feeds(const char *input, size_t len, const char *want)
{
	for (size_t piece = 1; piece <= len; piece++) {
		struct frames *f = frames_new(&ops, NULL);

		*seen = 0;
		for (size_t i = 0; i < len; i += piece)
			CHECK_INT(frames_feed(f, input + i, len - i < piece ? len - i : piece), 0);
		frames_end(f);
		frames_free(f);
		CHECK_STR(seen, want);
	}
}

#define FEEDS(input, want) feeds(input, sizeof(input) - 1, want)

static void messages(void)
{
	FEEDS("\036{\"a\":1}\n", "M({\"a\":1})");
	FEEDS("hello\r\n\n\036{\"a\":1}\r\nbye", "T(hello)M({\"a\":1})T(bye)");
	FEEDS("no newline\036{\"a\":1}\n\036{\"b\":2}\n", "T(no newline)M({\"a\":1})M({\"b\":2})");
	FEEDS("0: \036{\"a\":1}\n0: text\n0: \036{\"b\":2}\n1: \036{}\n",
	      "T(0: )M({\"a\":1})T(0: text)M({\"b\":2})T(1: )M({})");
	/* after a message: text without a newline, another message */
	FEEDS("\036{\"a\":1}late\n\036{\"b\":2}  \036{\"c\":3}\n",
	      "M({\"a\":1})T(late)M({\"b\":2})M({\"c\":3})");
	/* no objects, broken, nested too deeply, unfinished */
	FEEDS("\036[1]\n\0365\n", "T(\036[1])T(\0365)");
	FEEDS("\036{\"a\":\n\036{\"a\":1\n", "T(\036{\"a\":)T(\036{\"a\":1)");
	FEEDS("\036{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}\n",
	      "T(\036{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]})");
	FEEDS("\036{\"a\"", "T(\036{\"a\")");
}

/* A flood without a newline is text in pieces; a message has a limit. */
static void floods(void)
{
	struct frames *f = frames_new(&ops, NULL);
	static char flood[1 << 20];
	int rc = 0;

	memset(flood, 'x', sizeof flood);
	*seen = 0;
	CHECK_INT(frames_feed(f, flood, sizeof flood), 0);
	CHECK(seen[0] == 'T');
	*seen = 0;
	frames_end(f);
	CHECK_STR(seen, "");
	flood[0] = '\036';
	for (int i = 0; rc == 0 && i < 100; i++) {
		rc = frames_feed(f, flood, sizeof flood);
		CHECK(rc == 0 || i >= 60);
	}
	CHECK_INT(rc, -1);
	*seen = 0;
	frames_end(f);
	CHECK_STR(seen, ""); /* it is not shown as text */
	frames_free(f);
}

static Tcl_Obj *there_and_back(Tcl_Obj *value)
{
	struct json_object *json = frames_value(value), *again;
	Tcl_Obj *back;

	again = json_tokener_parse(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
	json_object_put(json);
	back = frames_obj(again);
	json_object_put(again);
	Tcl_IncrRefCount(back);
	return back;
}

static void same_text(const char *text, int len)
{
	Tcl_Obj *value = Tcl_NewStringObj(text, len), *back;
	const char *got;
	Tcl_Size n;

	Tcl_IncrRefCount(value);
	back = there_and_back(value);
	got = Tcl_GetStringFromObj(back, &n);
	CHECK_INT(n, len);
	CHECK_INT(memcmp(got, text, (size_t)(n < len ? n : len)), 0);
	Tcl_DecrRefCount(back);
	Tcl_DecrRefCount(value);
}

static void values(void)
{
	unsigned char all[256];
	Tcl_Obj *bytes, *list = Tcl_NewListObj(0, NULL), *back, *part;
	Tcl_Size len;

	for (int i = 0; i < 256; i++)
		all[i] = (unsigned char)i;
	same_text("", 0);
	same_text("text \"{\\\n\r\032\036 \xe2\x82\xac", 16);
	same_text("zero \xc0\x80 in two", 14);

	bytes = Tcl_NewByteArrayObj(all, sizeof all);
	Tcl_IncrRefCount(bytes);
	Tcl_IncrRefCount(list);
	CHECK(frames_typed(bytes));
	back = there_and_back(bytes);
	CHECK_STR(back->typePtr ? back->typePtr->name : "", "bytearray");
	CHECK(memcmp(Tcl_GetByteArrayFromObj(back, &len), all, sizeof all) == 0 && len == 256);
	Tcl_DecrRefCount(back);

	Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj("a b", -1));
	Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(7));
	CHECK(!frames_typed(list));
	Tcl_ListObjAppendElement(NULL, list, bytes);
	CHECK(frames_typed(list));
	back = there_and_back(list);
	CHECK_INT(Tcl_ListObjLength(NULL, back, &len), TCL_OK);
	CHECK_INT(len, 3);
	Tcl_ListObjIndex(NULL, back, 0, &part);
	CHECK_STR(Tcl_GetString(part), "a b");
	Tcl_ListObjIndex(NULL, back, 2, &part);
	CHECK_STR(part->typePtr ? part->typePtr->name : "", "bytearray");
	Tcl_DecrRefCount(back);
	Tcl_DecrRefCount(list);
	Tcl_DecrRefCount(bytes);
}

int main(void)
{
	Tcl_FindExecutable("frames_test");
	messages();
	floods();
	values();
	return checks_end();
}
