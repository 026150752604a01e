/* SPDX-License-Identifier: MIT */
/* What goes to the other end: messages, and all that is printed, in order. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"
#include "notice.h"
#include "serve_out.h"
#include "session.h"

/* What is printed is kept back until a line is whole. */
struct stream {
	const char *name; /* of its messages */
	struct stream *other;
	Tcl_DString part;
};

#define PIECE_MAX (FRAMES_MAX / 8) /* a control character takes six bytes of a message */

static struct stream streams[2];
static int channel;
static bool deaf;

bool serve_deaf(void)
{
	return deaf;
}

static void send_all(const char *data, size_t len)
{
	while (len && !deaf) {
		ssize_t n = write(channel, data, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = channel, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			deaf = true;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

void serve_send(const char *name, struct json_object *body)
{
	Tcl_DString d;

	Tcl_DStringInit(&d);
	frames_put(&d, name, body);
	send_all(Tcl_DStringValue(&d), (size_t)Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
}

struct json_object *serve_str(const char *text)
{
	return frames_str(text ? text : "", -1);
}

static void send_piece(struct stream *st, const char *text, int len)
{
	struct json_object *body = json_object_new_object();

	json_object_object_add(body, "text", json_object_new_string_len(text, len));
	serve_send(st->name, body);
}

static void send_stream(struct stream *st, int len)
{
	const char *text = Tcl_DStringValue(&st->part);

	if (!len)
		return;
	for (int done = 0, n; done < len; done += n) {
		n = len - done < (int)PIECE_MAX ? len - done : (int)PIECE_MAX;
		send_piece(st, text + done, n);
	}
	memmove(Tcl_DStringValue(&st->part), Tcl_DStringValue(&st->part) + len,
		(size_t)(Tcl_DStringLength(&st->part) - len));
	Tcl_DStringSetLength(&st->part, Tcl_DStringLength(&st->part) - len);
}

/* For fopencookie(3). What the other stream has begun comes before. */
static ssize_t print(void *cookie, const char *text, size_t len)
{
	struct stream *st = cookie;
	const char *end;

	send_stream(st->other, Tcl_DStringLength(&st->other->part));
	Tcl_DStringAppend(&st->part, text, (int)len);
	end = memrchr(Tcl_DStringValue(&st->part), '\n', (size_t)Tcl_DStringLength(&st->part));
	if (end)
		send_stream(st, (int)(end + 1 - Tcl_DStringValue(&st->part)));
	return (ssize_t)len;
}

void serve_flush(void)
{
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 2; i++)
		send_stream(&streams[i], Tcl_DStringLength(&streams[i].part));
}

static void on_notice(void *arg, enum notice_kind kind, const char *text)
{
	struct json_object *body = json_object_new_object();

	(void)arg;
	serve_flush();
	json_object_object_add(body, "kind", serve_str(notice_words[kind]));
	json_object_object_add(body, "text", json_object_new_string(text));
	serve_send("notice", body);
}

void serve_divert(struct session *s)
{
	static const cookie_io_functions_t io = { .write = print };

	fflush(stdout);
	channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int i = 0; i < 2; i++) {
		streams[i] = (struct stream){ i ? "err" : "out", &streams[!i], { 0 } };
		Tcl_DStringInit(&streams[i].part);
	}
	stdout = fopencookie(&streams[0], "w", io);
	stderr = fopencookie(&streams[1], "w", io);
	setvbuf(stderr, NULL, _IOLBF, 0);
	notices_divert(s->notices, on_notice, NULL);
}
