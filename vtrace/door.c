/* SPDX-License-Identifier: MIT */
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "visible.h"

struct door {
	int fd, err; /* err: of the first write that failed */
	const char *path;
	struct text line; /* that has not ended */
	bool has_said;	  /* that it cannot be written */
	enum visible_lines lines;
};

static struct door to_stderr = { .fd = STDERR_FILENO, .path = "stderr" }, to_file;
static bool incomplete;

static void write_all(struct door *d, const char *text, size_t n)
{
	while (n && !d->err) {
		const ssize_t done = write(d->fd, text, n);

		if (done < 0 && errno != EINTR)
			d->err = errno;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

static void write_visible(struct door *d, const char *text, size_t n)
{
	struct text shown;

	shown = (struct text){ 0 };
	visible_append(&shown, text, n, d->lines);
	write_all(d, text_str(&shown), text_len(&shown));
	text_free(&shown);
}

/* A character may come in two parts, but not across the end of a line. */
static ssize_t take_text(void *cookie, const char *text, size_t n)
{
	struct door *d = cookie;
	const char *end = memrchr(text, '\n', n);
	const size_t lines = end ? (size_t)(end - text) + 1 : 0;

	if (lines) {
		text_add_bytes(&d->line, text, lines);
		write_visible(d, text_str(&d->line), text_len(&d->line));
		text_free(&d->line);
	}
	text_add_bytes(&d->line, text + lines, (n - lines));
	return (ssize_t)n;
}

static int end_text(void *cookie)
{
	struct door *d = cookie;

	write_visible(d, text_str(&d->line), text_len(&d->line));
	text_free(&d->line);
	if (d->fd != STDERR_FILENO && close(d->fd) && !d->err)
		d->err = errno;
	return 0;
}

static FILE *make_stream(struct door *d)
{
	FILE *f;

	d->line = (struct text){ 0 };
	f = fopencookie(d, "w", (cookie_io_functions_t){ .write = take_text, .close = end_text });
	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 16);
	return f;
}

FILE *door_open(const char *path)
{
	to_file.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	to_file.path = path;
	return to_file.fd < 0 ? NULL : make_stream(&to_file);
}

FILE *door_stderr(void)
{
	static FILE *stream;

	if (!stream)
		stream = make_stream(&to_stderr);
	if (!stream)
		abort();
	return stream;
}

__attribute__((format(printf, 1, 0))) static void say_list(const char *fmt, va_list args)
{
	FILE *to = door_stderr();

	fputs("vtrace: ", to);
	vfprintf(to, fmt, args);
	fputc('\n', to);
	fflush(to);
}

void door_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_list(fmt, args);
	va_end(args);
}

void door_say_incomplete(const char *fmt, ...)
{
	va_list args;

	incomplete = true;
	va_start(args, fmt);
	say_list(fmt, args);
	va_end(args);
}

void door_note_incomplete(void)
{
	incomplete = true;
}

static void note_failure(struct door *d)
{
	if (!d->err || d->has_said)
		return;
	d->has_said = true;
	door_say_incomplete("%s: %s: the trace is incomplete from here on", d->path,
			    strerror(d->err));
}

void door_flush(FILE *to)
{
	fflush(to);
	note_failure(to == door_stderr() ? &to_stderr : &to_file);
}

void door_take_json(FILE *to)
{
	*(to == door_stderr() ? &to_stderr.lines : &to_file.lines) = VISIBLE_JSON;
}

void door_close(FILE *to)
{
	door_flush(to);
	if (to == door_stderr())
		return;
	fclose(to);
	note_failure(&to_file);
}

int door_is_incomplete(void)
{
	return incomplete;
}

/* ----------------------------------------------------------------------------- the way in -- */

bool door_read(const char *path, bool (*fn)(char *line))
{
	FILE *f = fopen(path, "re");
	char line[4096];
	bool is_good = f;

	while (is_good && fgets(line, sizeof line, f)) {
		const size_t n = strlen(line);

		is_good = n && (line[n - 1] == '\n' || feof(f));
		if (!is_good)
			door_say("%s: a line is no text, or has more than %zu bytes", path,
				 sizeof line - 2);
		is_good = is_good && fn(line);
	}
	if (!f || ferror(f)) {
		door_say("%s: %s", path, strerror(errno));
		is_good = false;
	}
	if (f)
		fclose(f);
	return is_good;
}
