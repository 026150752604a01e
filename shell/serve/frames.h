/* SPDX-License-Identifier: MIT */
/*
 * The channel between two rdmash: messages among other output.
 *
 * A message is a JSON object as JSON text sequences have it (RFC 7464): the byte RS (0x1e),
 * the text without a newline in it, a newline. Whatever else comes on the channel, such as
 * the banner of a program that starts the other end, is text, and no harm.
 */
#ifndef SHELL_FRAMES_H
#define SHELL_FRAMES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#define FRAMES_PROTOCOL 1
#define FRAMES_MAX	(64u << 20) /* bytes of a message */

/* A command of a served rdmash: [FRAMES_VALUE 0] is the first of the values of a run. */
#define FRAMES_VALUE "::rdmash_value"

struct frames;

struct frames_ops {
	/* msg is valid until the call returns. */
	void (*message)(void *ctx, struct json_object *msg);
	/* A line that is none, without its newline: any bytes. */
	void (*text)(void *ctx, const char *line, size_t len);
};

struct frames *frames_new(const struct frames_ops *ops, void *ctx);
void frames_free(struct frames *f);
/* Takes what has come. -1: a message longer than FRAMES_MAX; nothing more is to be read. */
int frames_feed(struct frames *f, const char *data, size_t len);
/* No more will come: a line without an end is text. */
void frames_end(struct frames *f);

/* Appends {name: body} as a message; takes both. */
void frames_put(Tcl_DString *to, const char *name, struct json_object *body);

/* Text of len bytes (-1: to its end) as a JSON string. Tcl's strings have zero bytes in two,
 * JSON's have them as they are. */
struct json_object *frames_str(const char *utf, int len);
/* A value. Bytes stay bytes, also in lists and dicts: commands tell them from text. All else
 * is text, as everything in Tcl. */
struct json_object *frames_value(Tcl_Obj *value);
/* The value again (reference count 0); empty for what is none. */
Tcl_Obj *frames_obj(struct json_object *value);
/* Must the value travel as such, rather than as a word of a script? */
bool frames_typed(Tcl_Obj *value);

/* Members of an object that another process has made: NULL, 0, false when they are not
 * there or of another type. */
const char *frames_get_str(struct json_object *in, const char *key);
uint64_t frames_get_int(struct json_object *in, const char *key);
bool frames_get_bool(struct json_object *in, const char *key);

#endif
