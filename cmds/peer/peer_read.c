/* SPDX-License-Identifier: MIT */
/*
 * Reads messages and text from a peer; both are untrusted. Text is printed with the peer's name
 * before each line.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "out.h"
#include "peer/peer.h"
#include "serve/serve.h"
#include "session.h"

#define ROOM	 (64u << 10) /* bytes read at once */
#define LAST_MAX 64	     /* reads after the end of the process: more than a pipe holds */

/* -------------------------------------------------------------------- printing -- */

/* Appends a line of the peer as one JSON value, for --json. A result is {"value":...} already. */
static void append_json(struct peer *p, struct text *d, const char *line, size_t len)
{
	struct json_object *all = json_object_new_object(), *value;
	struct json_tokener *tok = json_tokener_new();

	value = json_tokener_parse_ex(tok, line, (int)len);
	if (json_tokener_get_error(tok) != json_tokener_success)
		value = json_object_new_string_len(line, (int)len);
	json_tokener_free(tok);
	json_object_object_add(all, "peer", json_object_new_string(p->o.name));
	if (json_object_is_type(value, json_type_object) &&
	    json_object_object_get_ex(value, "value", NULL)) {
		json_object_object_foreach(value, key, its)
		{
			if (strcmp(key, "peer") != 0) /* its name is known here */
				json_object_object_add(all, key, json_object_get(its));
		}
		json_object_put(value);
	} else {
		json_object_object_add(all, "value", value);
	}
	text_add(d, json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN |
								JSON_C_TO_STRING_NOSLASHESCAPE));
	text_add(d, "\n");
	json_object_put(all);
}

static void add_line(struct peer *p, struct painted *to, const char *line, size_t len, bool error)
{
	if (!error && p->s->opt.format == OUT_CSV) {
		painted_addf(to, "%s,", p->o.name);
	} else {
		painted_paint(to, PAINT_STRONG);
		painted_addf(to, "%s|", p->o.name);
		painted_paint(to, PAINT_NONE);
		painted_add(to, " ", 1);
	}
	painted_add_printed(to, line, len);
	painted_add(to, "\n", 1);
}

static void print_line(struct peer *p, const char *line, size_t len, bool error)
{
	SCOPED_PAINTED(text);
	SCOPED_TEXT(json);

	if (!error && p->s->opt.format == OUT_JSON) {
		append_json(p, &json, line, len);
		print_json(text_str(&json));
	} else {
		add_line(p, &text, line, len, error);
		print_painted(error ? PRINT_ERR : PRINT_OUT, &text);
	}
}

/* Prints text (any bytes) of a peer, with its name before each line. */
static void peer_print(struct peer *p, const char *text, size_t len, bool error)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		print_line(p, text, n, error);
		n += end != NULL;
		text += n;
		len -= n;
	}
}

static void remember_line(struct peer *p, const char *line, size_t len)
{
	char **slot = &p->said[p->nsaid++ % PEER_SAID];
	SCOPED_PAINTED(text); /* its text has no colours */

	painted_add_printed(&text, line, len < 500 ? len : 500);
	free(*slot);
	*slot = xstrdup(text_str(&text.text));
}

/* Text before the hello is kept: on_hello() prints it, or the error that the peer did not start
 * shows it. */
static void on_text(void *ctx, const char *line, size_t len)
{
	struct peer *p = ctx;

	remember_line(p, line, len);
	if (p->state == PEER_READY)
		peer_print(p, line, len, true);
}

/* -------------------------------------------------------------------- messages -- */

static void on_hello(struct peer *p, struct json_object *body)
{
	uint64_t protocol = frames_get_int(body, "protocol");
	const char *version = frames_get_str(body, "version"), *host = frames_get_str(body, "host");

	if (p->state != PEER_STARTING)
		return;
	if (protocol != FRAMES_PROTOCOL) {
		peer_give_up(p,
			     "its rdmash %.40s uses version %llu of the protocol, this one "
			     "version %d: install the same rdmash at both ends",
			     version ? version : "", (unsigned long long)protocol, FRAMES_PROTOCOL);
		return;
	}
	p->version = xstrdup(version ? version : "");
	p->host = xstrdup(host ? host : "");
	p->its_pid = (int64_t)frames_get_int(body, "pid");
	p->state = PEER_READY;
	for (unsigned i = p->nsaid < PEER_SAID ? 0 : p->nsaid - PEER_SAID; i < p->nsaid; i++)
		peer_print(p, p->said[i % PEER_SAID], strlen(p->said[i % PEER_SAID]), true);
}

static void on_notice(struct peer *p, struct json_object *body)
{
	const char *kind = frames_get_str(body, "kind"), *text = frames_get_str(body, "text");

	for (int k = 0; kind && text && k < NOTICE_KINDS; k++)
		if (strcmp(kind, notice_words[k]) == 0)
			notice_post(p->s->notices, (enum notice_kind)k, "%s: %s", p->o.name, text);
}

static void on_print(struct peer *p, struct json_object *body, bool error)
{
	struct json_object *text;

	if (!json_object_object_get_ex(body, "text", &text) ||
	    !json_object_is_type(text, json_type_string))
		return;
	if (error)
		remember_line(p, json_object_get_string(text),
			      strcspn(json_object_get_string(text), "\n"));
	peer_print(p, json_object_get_string(text), (size_t)json_object_get_string_len(text),
		   error);
}

static void on_message(void *ctx, struct json_object *msg)
{
	struct peer *p = ctx;
	struct json_object *body;

	if (json_object_object_get_ex(msg, "hello", &body))
		on_hello(p, body);
	else if (p->state != PEER_READY)
		return;
	else if (json_object_object_get_ex(msg, "out", &body))
		on_print(p, body, false);
	else if (json_object_object_get_ex(msg, "err", &body))
		on_print(p, body, true);
	else if (json_object_object_get_ex(msg, "notice", &body))
		on_notice(p, body);
	else if (json_object_object_get_ex(msg, "done", &body))
		peer_answer(p, body);
}

/* --------------------------------------------------------------------- reading -- */

/* On standard error only text is expected. */
static void ignore_message(void *ctx, struct json_object *msg)
{
	(void)ctx, (void)msg;
}

static void close_watched(struct peer *p, int *fd)
{
	if (*fd < 0)
		return;
	loop_unwatch(p->s->loop, *fd);
	close(*fd);
	*fd = -1;
}

static void kill_now(void *arg)
{
	struct peer *p = arg;

	p->kill = NULL;
	peer_give_up(p, "it closed its end of the channel");
}

/* Reads once; false: there is nothing more to read now. */
static bool read_some(struct peer *p, int *fd, struct frames *f)
{
	static char data[ROOM];
	ssize_t n = *fd < 0 ? 0 : read(*fd, data, sizeof data);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0 && frames_feed(f, data, (size_t)n)) {
		peer_give_up(p, "it sent a message of more than %u MiB", FRAMES_MAX >> 20);
		n = 0;
	}
	if (n > 0)
		return true;
	frames_end(f);
	close_watched(p, fd);
	return false;
}

static void on_out(void *arg, int fd, short revents)
{
	struct peer *p = arg;

	(void)fd, (void)revents;
	read_some(p, &p->out, p->frames);
	if (p->out < 0 && !p->kill && p->state != PEER_ENDED && !p->leaving)
		p->kill = loop_after(p->s->loop, 2000, kill_now, p);
}

static void on_err(void *arg, int fd, short revents)
{
	struct peer *p = arg;

	(void)fd, (void)revents;
	read_some(p, &p->err, p->errors);
}

void peer_drain(struct peer *p)
{
	for (int n = 0; n < LAST_MAX && read_some(p, &p->err, p->errors); n++)
		;
	for (int n = 0; n < LAST_MAX && read_some(p, &p->out, p->frames); n++)
		;
	frames_end(p->errors);
	frames_end(p->frames);
	close_watched(p, &p->err);
	close_watched(p, &p->out);
}

static void on_process_end(void *arg, int fd, short revents)
{
	(void)fd, (void)revents;
	peer_ended(arg);
}

void peer_listen(struct peer *p)
{
	static const struct frames_ops ops = { on_message, on_text };
	static const struct frames_ops text_ops = { ignore_message, on_text };

	p->frames = frames_new(&ops, p);
	p->errors = frames_new(&text_ops, p);
	loop_watch(p->s->loop, p->out, POLLIN, on_out, p);
	loop_watch(p->s->loop, p->err, POLLIN, on_err, p);
	loop_watch(p->s->loop, p->pidfd, POLLIN, on_process_end, p);
}
