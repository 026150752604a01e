/* SPDX-License-Identifier: MIT */
/* Commands for a peer and their answers. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "check/check.h"
#include "file/file.h"
#include "language/script.h"
#include "out.h"
#include "peer/peer.h"
#include "serve/serve.h"
#include "session.h"

#define CALLS_MAX 1000	     /* calls of a peer whose answers are not taken */
#define BYTES_MAX FRAMES_MAX /* of all unfinished commands of a peer */
#define GRACE_MS  2000	     /* time for an interrupted command to end */

/* --------------------------------------------------------------------- sending -- */

static void flush_unsent(struct peer *p);

static void on_room(void *arg, int fd, short revents)
{
	(void)fd, (void)revents;
	flush_unsent(arg);
}

/* Writes as much as the pipe takes: a peer that does not read must not block this end. */
static void flush_unsent(struct peer *p)
{
	int len = text_len(&p->unsent);
	ssize_t n = len && p->in >= 0 ? write(p->in, text_str(&p->unsent), (size_t)len) : 0;

	if (n > 0) {
		memmove(text_str(&p->unsent), text_str(&p->unsent) + n, (size_t)(len - n));
		text_resize(&p->unsent, len - (int)n);
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		text_resize(&p->unsent, 0); /* the peer has ended, which will be noticed soon */
	}
	if (p->in < 0)
		return;
	if (text_len(&p->unsent))
		loop_watch(p->s->loop, p->in, POLLOUT, on_room, p);
	else
		loop_unwatch(p->s->loop, p->in);
}

/* Sends {name: body}; takes ownership of body. */
static void peer_send(struct peer *p, const char *name, struct json_object *body)
{
	frames_put(&p->unsent, name, body);
	flush_unsent(p);
}

static void put_member(struct json_object *body, const char *key, struct json_object *value)
{
	json_object_object_add(body, key, value);
}

static struct json_object *settings_json(const struct session *s)
{
	struct json_object *body = json_object_new_object();

	put_member(body, "trace", json_object_new_int(s->opt.trace + s->opt.raw));
	put_member(body, "color", json_object_new_boolean(s->opt.color));
	put_member(body, "echo", json_object_new_boolean(s->opt.echo));
	put_member(body, "quiet", json_object_new_boolean(s->opt.quiet));
	put_member(body, "format", json_object_new_string(out_formats[s->opt.format]));
	return body;
}

/* Adds the position of the script, so that errors name its file and line here. */
static void put_place(struct session *s, Tcl_Obj *script, bool is_block, struct json_object *body)
{
	const struct script *sc = s->script;
	struct position at;
	char *text = is_block ? where_body(s->domain, script, &at) : NULL;

	if (!text)
		at = (struct position){ sc ? sc->name : NULL, sc ? sc->line : 1 };
	free(text);
	put_member(body, "line", json_object_new_int64(at.line));
	if (at.name)
		put_member(body, "name", frames_str(at.name, -1));
	if (file_gate(s))
		put_member(body, "dir", frames_str(file_gate(s), -1));
	put_member(body, "interactive",
		   json_object_new_boolean(s->opt.interactive && sc && !at.name));
}

/* A copy of the first line, shortened. */
static char *copy_first_line(const char *script)
{
	size_t len;

	script += strspn(script, " \t\n");
	len = strcspn(script, "\n");
	return xasprintf("%.*s%s", (int)(len < 60 ? len : 60), script,
			 script[len < 60 ? len : 60] ? " ..." : "");
}

/* Checks the limits; *size is the size of the command. -1 with s->fail filled. */
static int may_call(struct peer *p, int len, struct json_object *values, size_t *size)
{
	struct session *s = p->s;
	unsigned waiting = 0;
	struct call *c;
	size_t more = 0, under_way = 0;

	if (p->state == PEER_ENDED)
		return peer_dead(s, p);
	STAILQ_FOREACH(c, &p->calls, link) {
		waiting++;
		under_way += c->done ? 0 : c->size;
	}
	if (waiting >= CALLS_MAX) {
		fail(s, "peer", "EAGAIN", "%s has %u commands whose results were not taken",
		     p->o.name, waiting);
		return fail_next(s, "@%s -result, or barrier", p->o.name);
	}
	if (json_object_array_length(values))
		json_object_to_json_string_length(values, JSON_C_TO_STRING_PLAIN, &more);
	if ((size_t)len > FRAMES_MAX / 8 || more > FRAMES_MAX / 4)
		return fail(s, "peer", "EMSGSIZE",
			    "a command of more than %u MiB cannot be sent to a peer",
			    FRAMES_MAX / 8 >> 20);
	*size = (size_t)len + more;
	if (under_way + *size <= BYTES_MAX)
		return 0;
	fail(s, "peer", "EAGAIN", "%s has not finished %zu MiB of commands: the limit is %u",
	     p->o.name, under_way >> 20, BYTES_MAX >> 20);
	return fail_next(s, "barrier %s", p->o.name);
}

static struct call *new_call(struct peer *p, const char *text, bool background)
{
	struct call *c = xcalloc(1, sizeof *c);

	c->id = ++p->last_id;
	c->what = copy_first_line(text);
	c->since = loop_now();
	c->background = background;
	STAILQ_INSERT_TAIL(&p->calls, c, link);
	return c;
}

struct call *peer_call(struct peer *p, Tcl_Obj *script, bool is_block, struct json_object *values,
		       bool background)
{
	struct json_object *body;
	struct session *s = p->s;
	struct call *c;
	size_t size = 0;
	Tcl_Size len;
	const char *text = Tcl_GetStringFromObj(script, &len);

	if (may_call(p, len, values, &size)) {
		json_object_put(values);
		return NULL;
	}
	c = new_call(p, text, background);
	c->size = size;
	body = json_object_new_object();
	put_member(body, "id", json_object_new_uint64(c->id));
	put_member(body, "script", frames_str(text, len));
	put_member(body, "values", values);
	put_member(body, "print", json_object_new_boolean(s->printing && where_outermost(s)));
	put_member(body, "settings", settings_json(s));
	put_place(s, script, is_block, body);
	peer_send(p, "run", body);
	return c;
}

void peer_call_free(struct peer *p, struct call *c)
{
	STAILQ_REMOVE(&p->calls, c, call, link);
	json_object_put(c->answer);
	free(c->what);
	free(c);
}

const struct call *peer_busy(const struct peer *p)
{
	const struct call *c;

	STAILQ_FOREACH(c, &p->calls, link)
		if (!c->done)
			return c;
	return NULL;
}

struct call *peer_first(struct peer *p)
{
	struct call *c;

	STAILQ_FOREACH(c, &p->calls, link)
		if (c->background && !c->unwanted && !c->awaited)
			return c;
	return NULL;
}

/* --------------------------------------------------------------------- waiting -- */

static bool call_is_done(void *arg)
{
	return ((struct call *)arg)->done;
}

static void send_interrupt(struct peer *p, const struct call *c)
{
	struct json_object *body = json_object_new_object();

	put_member(body, "id", json_object_new_uint64(c->id));
	peer_send(p, "interrupt", body);
}

void peer_interrupt(struct peer *p)
{
	struct call *c;

	STAILQ_FOREACH(c, &p->calls, link)
		if (!c->done) {
			send_interrupt(p, c);
			c->unwanted = true;
		}
}

/* Waits for the output and the end of an interrupted call. A second Ctrl-C ends the wait. */
static void wind_down(struct peer *p, struct call *c)
{
	unsigned interrupts = loop_interrupts(p->s->loop);
	int64_t until = loop_now() + GRACE_MS * INT64_C(1000000);

	while (!c->done && loop_now() < until && loop_interrupts(p->s->loop) == interrupts &&
	       !loop_ending(p->s->loop))
		loop_pass(p->s->loop, (until - loop_now()) / 1000 + 1);
	p->stubborn = !c->done;
}

static const char *not_stopped_text(const struct call *c, bool stop)
{
	return c->done || !stop ? "" : "; it was interrupted, but has not stopped yet";
}

int peer_await(struct peer *p, struct call *c, int64_t within_ms, bool stop)
{
	struct session *s = p->s;
	const struct call *busy;
	enum loop_end end;
	char *what;

	c->awaited++;
	end = loop_wait(s->loop, call_is_done, c, within_ms);
	if (end == LOOP_DONE) {
		c->awaited--;
		return 0;
	}
	busy = peer_busy(p);
	what = xstrdup(busy ? busy->what : c->what);
	stop |= end == LOOP_INTERRUPTED;
	if (stop) {
		send_interrupt(p, c);
		wind_down(p, c);
	}
	if (end == LOOP_INTERRUPTED)
		fail(s, "peer", "EINTR", "interrupted%s", not_stopped_text(c, stop));
	else
		fail(s, "peer", "ETIMEDOUT", "%s is still running '%s' after %lld ms%s", p->o.name,
		     what, (long long)within_ms, not_stopped_text(c, stop));
	if (!stop)
		fail_next(s, "@%s -result: waits again; Ctrl-C stops the command", p->o.name);
	free(what);
	c->awaited--;
	if (stop && c->done && !c->awaited)
		peer_call_free(p, c);
	else if (stop)
		c->unwanted = true;
	return -1;
}

static void note_checks(const struct peer *p, struct json_object *body)
{
	uint64_t passed = frames_get_int(body, "passed"), failed = frames_get_int(body, "failed");

	if ((passed || failed) && passed <= UINT_MAX && failed <= UINT_MAX)
		verdict_peer(p->o.name, (unsigned)passed, (unsigned)failed);
}

/* A string member of an error, or a default. */
static const char *error_member(struct json_object *error, const char *key, const char *otherwise)
{
	const char *text = frames_get_str(error, key);

	return text ? text : otherwise;
}

void peer_answer(struct peer *p, struct json_object *body)
{
	uint64_t id = frames_get_int(body, "id");
	struct json_object *error, *objects;
	struct call *c;

	STAILQ_FOREACH(c, &p->calls, link)
		if (c->id == id && !c->done)
			break;
	if (!c)
		return;
	note_checks(p, body);
	if (json_object_object_get_ex(body, "objects", &objects) &&
	    json_object_is_type(objects, json_type_array)) {
		json_object_put(p->objects);
		p->objects = json_object_get(objects);
	}
	if (c->unwanted && !c->awaited) {
		peer_call_free(p, c);
		return;
	}
	c->done = true;
	c->answer = json_object_get(body);
	if (c->background && json_object_object_get_ex(body, "error", &error))
		notice_post(p->s->notices, NOTICE_PEER, "%s: %s: %s", p->o.name, c->what,
			    error_member(error, "text", "error"));
}

int peer_dead(struct session *s, const struct peer *p)
{
	unsigned n = p->nsaid < PEER_SAID ? p->nsaid : PEER_SAID;

	fail(s, "peer", "ENDED", "%s %s: %s", p->o.name, p->version ? "has ended" : "did not start",
	     p->why ? p->why : p->how);
	fail_row(s, "was", "%s", p->command);
	for (unsigned i = p->nsaid - n; i < p->nsaid; i++)
		fail_row(s, i == p->nsaid - n ? "said last" : "", "%s", p->said[i % PEER_SAID]);
	return -1;
}

static void add_error_rows(struct session *s, struct json_object *error)
{
	struct json_object *rows;

	if (!json_object_object_get_ex(error, "rows", &rows) ||
	    !json_object_is_type(rows, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(rows) && i < 100; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct json_object *first, *second;

		if (!json_object_is_type(row, json_type_array))
			continue;
		first = json_object_array_get_idx(row, 0);
		second = json_object_array_get_idx(row, 1);
		if (!json_object_is_type(first, json_type_string) ||
		    !json_object_is_type(second, json_type_string))
			continue;
		fail_row(s, json_object_get_string(first), "%s", json_object_get_string(second));
	}
}

/* Raises the peer's error here, with the same -errorcode. */
static void raise_error(struct peer *p, struct json_object *error)
{
	const char *call = error_member(error, "call", "peer"),
		   *code = error_member(error, "code", "ERROR");
	const char *text = error_member(error, "text", "error"),
		   *where = error_member(error, "where", "");
	struct session *s = p->s;
	struct json_object *list = NULL;
	Tcl_Obj *errorcode;
	struct where here;
	Tcl_Size n;

	fail(s, call, code, "%s", text);
	s->fail.at_peer = true;
	add_error_rows(s, error);
	fail_row(s, "on", "%s", p->o.name);
	where_init(&here);
	script_where(s, &here);
	if (*where) { /* replaces the text; the place in this script stays */
		text_free(&here.text);
		text_add(&here.text, where);
	}
	fail_place(s, &here);
	json_object_object_get_ex(error, "errorcode", &list);
	errorcode = frames_obj(list);
	Tcl_IncrRefCount(errorcode);
	if (Tcl_ListObjLength(NULL, errorcode, &n) == TCL_OK && n)
		Tcl_SetObjErrorCode(s->tcl, errorcode);
	else
		Tcl_SetErrorCode(s->tcl, "RDMASH", call, code, NULL);
	Tcl_DecrRefCount(errorcode);
	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(text, -1));
}

Tcl_Obj *peer_take(struct peer *p, struct call *c)
{
	struct json_object *answer = c->answer, *error = NULL, *value = NULL;
	Tcl_Obj *result = NULL;

	c->answer = NULL;
	peer_call_free(p, c);
	if (!answer) {
		peer_dead(p->s, p);
		return NULL;
	}
	if (json_object_object_get_ex(answer, "error", &error)) {
		raise_error(p, error);
	} else {
		json_object_object_get_ex(answer, "value", &value);
		result = frames_obj(value);
	}
	json_object_put(answer);
	return result;
}

Tcl_Obj *peer_ask(struct peer *p, const char *script, int64_t within_ms)
{
	struct session *s = p->s; /* the peer may be destroyed meanwhile */
	Tcl_Obj *text = Tcl_NewStringObj(script, -1), *value = NULL;
	const bool printing = s->printing;
	struct call *c;

	Tcl_IncrRefCount(text);
	s->printing = false; /* nor does the peer print */
	c = peer_call(p, text, true, json_object_new_array(), false);
	s->printing = printing;
	if (c && peer_await(p, c, within_ms, true) == 0)
		value = peer_take(p, c);
	if (!value) {
		fail_clear(&s->fail);
		Tcl_ResetResult(s->tcl);
	}
	Tcl_DecrRefCount(text);
	return value;
}
