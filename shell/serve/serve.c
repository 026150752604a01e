/* SPDX-License-Identifier: MIT */
/*
 * The driven end of a channel. While a command waits in the event loop, messages are read and
 * queued, and an interrupt message acts as Ctrl-C on the command. While a script computes without
 * waiting, the interpreter reads messages from time to time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "alloc.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "output/print.h"
#include "serve/serve.h"
#include "session.h"

/* Output to the other end: messages and everything that is printed, in order. */

/* A redirected stream; output is buffered until a line is complete. */
struct stream {
	const char *name; /* name of its messages: "out" or "err" */
	struct stream *other;
	struct text part;
};

#define PIECE_MAX (FRAMES_MAX / 8) /* a control character takes six bytes in JSON */

static struct stream streams[2];
static int channel;
static bool deaf; /* the other end has stopped reading */

static void write_channel(const char *data, size_t len)
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

/* Sends {name: body}; takes ownership of body. Blocks until it is written. */
static void serve_send(const char *name, struct json_object *body)
{
	SCOPED_TEXT(d);

	frames_put(&d, name, body);
	write_channel(text_str(&d), text_len(&d));
}

/* Text as a JSON string; NULL is an empty one. */
static struct json_object *serve_str(const char *text)
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
	const char *text = text_str(&st->part);

	if (!len)
		return;
	for (int done = 0, n; done < len; done += n) {
		n = len - done < (int)PIECE_MAX ? len - done : (int)PIECE_MAX;
		send_piece(st, text + done, n);
	}
	memmove(text_str(&st->part), text_str(&st->part) + len,
		(size_t)(text_len(&st->part) - len));
	text_resize(&st->part, text_len(&st->part) - len);
}

/* For fopencookie(3). Flushes the other stream first, to keep the order. */
static ssize_t stream_write(void *cookie, const char *text, size_t len)
{
	struct stream *st = cookie;
	const char *end;

	send_stream(st->other, text_len(&st->other->part));
	text_add_bytes(&st->part, text, len);
	end = memrchr(text_str(&st->part), '\n', text_len(&st->part));
	if (end)
		send_stream(st, (int)(end + 1 - text_str(&st->part)));
	return (ssize_t)len;
}

/* Sends buffered output, also without a newline. */
static void serve_flush(void)
{
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 2; i++)
		send_stream(&streams[i], text_len(&streams[i].part));
}

static void send_notice(void *arg, enum notice_kind kind, const char *text)
{
	struct json_object *body = json_object_new_object();

	(void)arg;
	serve_flush();
	json_object_object_add(body, "kind", serve_str(notice_words[kind]));
	json_object_object_add(body, "text", json_object_new_string(text));
	serve_send("notice", body);
}

/* Redirects standard output, standard error and notices to the other end as messages. The channel
 * moves to a new descriptor; descriptor 1 becomes a copy of standard error, for libraries and
 * programs that write to it. */
static void serve_divert(struct session *s)
{
	static const cookie_io_functions_t io = { .write = stream_write };

	fflush(stdout);
	channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int i = 0; i < 2; i++) {
		streams[i] = (struct stream){ i ? "err" : "out", &streams[!i], { 0 } };
		streams[i].part = (struct text){ 0 };
	}
	stdout = fopencookie(&streams[0], "w", io);
	stderr = fopencookie(&streams[1], "w", io);
	setvbuf(stderr, NULL, _IOLBF, 0);
	notices_divert(s->notices, send_notice, NULL);
}

#define ROOM (64u << 10) /* bytes read at once */

struct served_run {
	STAILQ_ENTRY(served_run) link;
	struct json_object *msg;
	bool cancelled;
};

static struct server {
	struct session *s;
	int in;
	struct frames *frames;
	STAILQ_HEAD(, served_run) runs;
	uint64_t running; /* 0: none */
	bool gone;	  /* the other end has closed the channel */
	char *settings;	  /* the last ones that were received */
} sv;

/* -------------------------------------------------------------------- reading -- */

/* Ctrl-C at the other end: interrupts the run with this id; ignored if it has ended. */
static void interrupt_run(uint64_t id)
{
	struct served_run *r;

	if (id && id == sv.running)
		raise(SIGINT);
	STAILQ_FOREACH(r, &sv.runs, link)
		if (frames_get_int(r->msg, "id") == id)
			r->cancelled = true;
}

static void queue_message(void *ctx, struct json_object *msg)
{
	struct json_object *body;
	struct served_run *r;

	(void)ctx;
	if (json_object_object_get_ex(msg, "interrupt", &body)) {
		interrupt_run(frames_get_int(body, "id"));
	} else if (json_object_object_get_ex(msg, "run", &body)) {
		r = xcalloc(1, sizeof *r);
		r->msg = json_object_get(body);
		STAILQ_INSERT_TAIL(&sv.runs, r, link);
	}
}

static void ignore_text(void *ctx, const char *line, size_t len)
{
	(void)ctx, (void)line, (void)len; /* nobody types here */
}

/* The other end is gone: ends the running command, too. */
static void driver_gone(void)
{
	sv.gone = true;
	loop_unwatch(sv.s->loop, sv.in);
	if (sv.running)
		raise(SIGTERM);
}

static void on_input(void *arg, int fd, short revents)
{
	static char data[ROOM];
	ssize_t n = read(fd, data, sizeof data);

	(void)arg, (void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || frames_feed(sv.frames, data, (size_t)n))
		driver_gone();
}

void serve_look(void)
{
	struct pollfd in = { .fd = sv.in, .events = POLLIN };

	while (sv.running && !sv.gone && poll(&in, 1, 0) > 0)
		on_input(NULL, sv.in, in.revents);
}

/* -------------------------------------------------------------------- running -- */

static void apply_settings(struct session *s, struct json_object *settings)
{
	const char *text = json_object_to_json_string(settings), *format;

	if (sv.settings && strcmp(sv.settings, text) == 0)
		return; /* keep what a command here has set */
	free(sv.settings);
	sv.settings = xstrdup(text);
	s->opt.trace = frames_get_int(settings, "trace") > 0;
	s->opt.raw = frames_get_int(settings, "trace") > 1;
	s->opt.color = frames_get_bool(settings, "color");
	s->opt.echo = frames_get_bool(settings, "echo");
	s->opt.quiet = frames_get_bool(settings, "quiet");
	format = frames_get_str(settings, "format");
	for (int f = 0; format && f < OUT_FORMATS; f++)
		if (strcmp(format, out_formats[f]) == 0)
			s->opt.format = (enum out_format)f;
}

#define ERROR_MAX (256u << 10) /* bytes of a text in an error, so that it fits into a message */

static struct json_object *shortened_json(const char *text)
{
	return frames_str(text ? text : "", text ? (int)strnlen(text, ERROR_MAX) : 0);
}

static struct json_object *rows_of(const struct fail *f)
{
	struct json_object *rows = json_object_new_array();

	for (unsigned i = 0; i < f->nrows; i++) {
		struct json_object *row = json_object_new_array();

		json_object_array_add(row, shortened_json(f->rows[i].label));
		json_object_array_add(row, shortened_json(f->rows[i].text));
		json_object_array_add(rows, row);
	}
	return rows;
}

/* The -errorcode of the interpreter. */
static struct json_object *errorcode_json(struct session *s)
{
	Tcl_Obj *code = interp_errorcode(s->tcl);
	const char *text = Tcl_GetString(code);
	struct json_object *j;

	/* a truncated text is not a list */
	j = serve_str(strlen(text) < ERROR_MAX ? text : "NONE");
	Tcl_DecrRefCount(code);
	return j;
}

static struct json_object *error_of(struct session *s)
{
	struct json_object *e = json_object_new_object();

	json_object_object_add(e, "errorcode", errorcode_json(s));
	interp_fail(s);
	if (loop_interrupted(s->loop) || loop_ending(s->loop)) {
		fail(s, "peer", "EINTR", "interrupted");
		json_object_object_add(e, "errorcode", serve_str("RDMASH peer EINTR"));
	}
	json_object_object_add(e, "call", shortened_json(s->fail.call));
	json_object_object_add(e, "code", shortened_json(s->fail.code));
	json_object_object_add(e, "text", shortened_json(s->fail.text));
	json_object_object_add(e, "where", shortened_json(s->fail.where));
	json_object_object_add(e, "rows", rows_of(&s->fail));
	return e;
}

static int run_message(struct session *s, struct json_object *msg)
{
	const char *dir = frames_get_str(msg, "dir");
	char *real = dir ? realpath(dir, NULL) : NULL; /* canonical on the other host */
	struct script as = { .name = frames_get_str(msg, "name"),
			     .dir = real ? real : dir,
			     .line = (unsigned)frames_get_int(msg, "line") };
	SCOPED_VALUE(text, frames_obj(json_object_object_get(msg, "script")));
	int rc;

	if (!as.line || as.line > 1000000)
		as.line = 1;
	rc = script_part(s, &as, Tcl_GetString(text), frames_get_bool(msg, "print"));
	free(real);
	return rc;
}

/* FRAMES_VALUE: the values of the run that are not text. */
static int give_value(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct json_object *values = NULL;
	int i;

	(void)data;
	if (objc != 2 || Tcl_GetIntFromObj(NULL, objv[1], &i) != TCL_OK || i < 0 || !sv.running ||
	    !json_object_object_get_ex(STAILQ_FIRST(&sv.runs)->msg, "values", &values) ||
	    !json_object_is_type(values, json_type_array))
		return TCL_ERROR;
	Tcl_SetObjResult(tcl, frames_obj(json_object_array_get_idx(values, (size_t)i)));
	return TCL_OK;
}

void serve_commands(Tcl_Interp *tcl)
{
	Tcl_CreateObjCommand(tcl, FRAMES_VALUE, give_value, NULL, NULL);
}

/* Adds the value, or an error if it is too large for a message. */
static void put_value(struct session *s, struct json_object *body)
{
	struct json_object *value = frames_value(Tcl_GetObjResult(s->tcl));
	size_t len;

	json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &len);
	if (len < FRAMES_MAX / 2) {
		json_object_object_add(body, "value", value);
		return;
	}
	json_object_put(value);
	Tcl_SetObjErrorCode(s->tcl, Tcl_NewStringObj("RDMASH peer EMSGSIZE", -1));
	fail(s, "peer", "EMSGSIZE", "a value of %zu MiB cannot go from one end to the other",
	     len >> 20);
	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
	json_object_object_add(body, "error", error_of(s));
}

/* Adds the names of objects, for completion at the other end. */
static void put_names(struct session *s, struct json_object *body)
{
	struct json_object *names = json_object_new_array();
	SCOPED_LIST(list);
	Tcl_Obj **v;
	Tcl_Size n;

	if (app.names)
		app.names(s, list);
	Tcl_ListObjGetElements(NULL, list, &n, &v);
	for (int i = 0; i < n; i++)
		json_object_array_add(names, serve_str(Tcl_GetString(v[i])));
	json_object_object_add(body, "objects", names);
}

static void run_queued(struct session *s, struct served_run *r)
{
	struct json_object *body = json_object_new_object(), *settings;
	int rc = TCL_ERROR;

	sv.running = frames_get_int(r->msg, "id");
	if (json_object_object_get_ex(r->msg, "settings", &settings))
		apply_settings(s, settings);
	s->opt.interactive = frames_get_bool(r->msg, "interactive");
	if (r->cancelled)
		raise(SIGINT);
	else
		rc = run_message(s, r->msg);
	serve_flush();
	json_object_object_add(body, "id", json_object_new_uint64(sv.running));
	if (rc == TCL_ERROR && !s->quit)
		json_object_object_add(body, "error", error_of(s));
	else if (s->quit)
		json_object_object_add(body, "value", serve_str(""));
	else
		put_value(s, body);
	sv.running = 0;
	json_object_object_add(body, "passed", json_object_new_int64(s->passed));
	json_object_object_add(body, "failed", json_object_new_int64(s->failed));
	put_names(s, body);
	serve_send("done", body);
	s->skipped = false;
}

static bool has_work(void *arg)
{
	(void)arg;
	return sv.gone || deaf || !STAILQ_EMPTY(&sv.runs);
}

static void drop_first(void)
{
	struct served_run *r = STAILQ_FIRST(&sv.runs);

	STAILQ_REMOVE_HEAD(&sv.runs, link);
	json_object_put(r->msg);
	free(r);
}

static void serve_runs(struct session *s)
{
	while (!s->quit && !sv.gone && !deaf && !loop_ending(s->loop)) {
		loop_wait(s->loop, has_work, NULL, LOOP_FOREVER);
		if (!STAILQ_EMPTY(&sv.runs) && !sv.gone && !loop_ending(s->loop)) {
			run_queued(s, STAILQ_FIRST(&sv.runs));
			drop_first();
		}
		if (!s->quit)
			interp_resume(s);
		loop_clear_interrupt(s->loop);
	}
	while (!STAILQ_EMPTY(&sv.runs))
		drop_first();
}

/* -------------------------------------------------------------------- channel -- */

/* Moves the channel to descriptors that child processes do not inherit and libraries do not print
 * to. */
static void take_channel(struct session *s)
{
	static const struct frames_ops ops = { queue_message, ignore_text };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	sv.s = s;
	sv.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(null, STDIN_FILENO);
	close(null);
	serve_divert(s);
	sv.frames = frames_new(&ops, NULL);
	STAILQ_INIT(&sv.runs);
	loop_watch(s->loop, sv.in, POLLIN, on_input, NULL);
}

/* Stops reading; output during the destruction of objects is still sent. */
static void stop_reading(struct session *s)
{
	loop_unwatch(s->loop, sv.in);
	frames_free(sv.frames);
	free(sv.settings);
}

static void send_hello(void)
{
	struct json_object *body = json_object_new_object();
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	json_object_object_add(body, "protocol", json_object_new_int(FRAMES_PROTOCOL));
	json_object_object_add(body, "version", serve_str(help_version_number()));
	json_object_object_add(body, "host", serve_str(host));
	json_object_object_add(body, "pid", json_object_new_int64(getpid()));
	serve_send("hello", body);
}

int serve(struct session *s)
{
	if (isatty(STDIN_FILENO)) {
		print_error("rdmash: --peer is used by the 'peer' command of another rdmash; "
			    "it does not work at a terminal\n");
		return -2;
	}
	take_channel(s);
	send_hello();
	serve_runs(s);
	serve_flush();
	stop_reading(s);
	s->failed = 0; /* the other end was told */
	return 0;
}
