/* SPDX-License-Identifier: MIT */
/* rdmash --peer: another rdmash sends the commands to run, over standard input and output. */
#ifndef SHELL_SERVE_H
#define SHELL_SERVE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

struct text;
struct session;

/* Serves until standard input ends or a command quits. Everything that is printed meanwhile goes to
 * the other end, in order. 0, or -2 with a message printed: standard input is a terminal.
 *
 * The messages. From the other end, which started this one:
 *
 * - run: id, script, values (of FRAMES_VALUE); print: results are printed; name, line, dir: its
 *   position in the script; interactive; settings: trace (0 to 2), color, echo, quiet, format
 * - interrupt: id: Ctrl-C, for that run only
 *
 * To it:
 *
 * - hello: protocol, version, host, pid: first of all
 * - out, err: text: printed
 * - notice: kind, text
 * - done: id; value, or error (call, code, text, where, rows, errorcode); passed, failed: its
 *   expectations so far; objects: name and kind of each
 *
 * Runs are queued and run one after the other. */
int serve(struct session *s);

/* Reads messages that have arrived while a script computes, so that an interrupt takes effect. */
void serve_look(void);
/* Creates the command FRAMES_VALUE. To be called for each interpreter. */
void serve_commands(Tcl_Interp *tcl);

/*
 * The channel between two rdmash processes: messages mixed with other output.
 *
 * A message is a JSON object in a JSON text sequence (RFC 7464): the byte RS (0x1e), the JSON text
 * without newlines, a newline. Everything else on the channel, such as the banner of a program that
 * starts the other end, is passed on as text.
 */

#define FRAMES_PROTOCOL 1
#define FRAMES_MAX	(64u << 20) /* bytes of a message */

/* A command of a served rdmash: [FRAMES_VALUE 0] is the first value of a run. */
#define FRAMES_VALUE "::rdmash_value"

struct frames;

struct frames_ops {
	/* msg is valid until the call returns. */
	void (*message)(void *ctx, struct json_object *msg);
	/* A line that is not a message, without its newline; it may contain any bytes. */
	void (*text)(void *ctx, const char *line, size_t len);
};

struct frames *frames_new(const struct frames_ops *ops, void *ctx);
void frames_free(struct frames *f);
/* Processes received data. -1: a message is longer than FRAMES_MAX; stop reading. */
int frames_feed(struct frames *f, const char *data, size_t len);
/* End of the channel: an unfinished line is text. */
void frames_end(struct frames *f);

/* Appends {name: body} as a message; takes ownership of body. */
void frames_put(struct text *to, const char *name, struct json_object *body);

/* Text of len bytes (-1: to its end) as a JSON string. Tcl's two-byte NUL becomes one byte. */
struct json_object *frames_str(const char *utf, int len);
/* Converts a Tcl value. Byte arrays stay distinct from text, also in lists and dicts. Everything
 * else becomes text. */
struct json_object *frames_value(Tcl_Obj *value);
/* Converts it back to a new Tcl value (reference count 0); empty if it is not valid. */
Tcl_Obj *frames_obj(struct json_object *value);
/* A string as a value; invalid UTF-8 is taken byte by byte. */
Tcl_Obj *frames_text(struct json_object *string);
/* Must the value be sent with its type, and not as a word of a script? */
bool frames_typed(Tcl_Obj *value);

/* Members of an untrusted object: NULL, 0 or false if a member is missing or has another type. */
const char *frames_get_str(struct json_object *in, const char *key);
uint64_t frames_get_int(struct json_object *in, const char *key);
bool frames_get_bool(struct json_object *in, const char *key);

#endif
