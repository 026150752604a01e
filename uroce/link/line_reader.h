/* SPDX-License-Identifier: MIT */
/*
 * The lines of a file of proc(5), read with read(2): while the engine's lock is held, nothing uses
 * stdio. A handler of a signal that interrupts fopen(3) and calls exit() would wait for ever for
 * the lock of the list of streams.
 */
#ifndef UROCE_LINK_LINE_READER_H
#define UROCE_LINK_LINE_READER_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct line_reader {
	int fd;
	bool inside; /* the line that follows is the rest of one that was too long */
	size_t begin, end;
	char buf[1024];
};

/* Opens a file, which line_reader_close() closes. False with errno: it cannot be read. */
static inline bool line_reader_open(struct line_reader *r, const char *path)
{
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	r->inside = false;
	r->begin = r->end = 0;
	return r->fd >= 0;
}

static inline void line_reader_close(const struct line_reader *r)
{
	close(r->fd);
}

/* Appends more of the file to what is left in buf. False: the file ends here, or buf is full. */
static inline bool line_reader_fill(struct line_reader *r)
{
	ssize_t n;

	memmove(r->buf, r->buf + r->begin, r->end - r->begin);
	r->end -= r->begin;
	r->begin = 0;
	if (r->end == sizeof(r->buf) - 1)
		return false;
	do
		n = read(r->fd, r->buf + r->end, sizeof(r->buf) - 1 - r->end);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		r->end += (size_t)n;
	return n > 0;
}

/* The next line, without its newline, valid until the next call; NULL at the end. Only the first
 * 1023 bytes of a longer one are returned. */
static inline char *line_reader_next(struct line_reader *r)
{
	for (;;) {
		char *line = r->buf + r->begin, *newline;
		bool rest = r->inside;

		newline = memchr(line, '\n', r->end - r->begin);
		if (!newline && line_reader_fill(r))
			continue;
		line = r->buf + r->begin;
		if (!newline && r->begin == r->end)
			return NULL;
		r->inside = !newline;
		r->begin = newline ? (size_t)(newline - r->buf) + 1 : r->end;
		*(newline ? newline : r->buf + r->end) = '\0';
		if (!rest)
			return line;
	}
}

/* The first line of a file, cut to size - 1 bytes; "" if it cannot be read. */
static inline void read_first_line(const char *path, char *buf, size_t size)
{
	struct line_reader r;
	const char *line = line_reader_open(&r, path) ? line_reader_next(&r) : NULL;
	size_t n = line ? strnlen(line, size - 1) : 0;

	memcpy(buf, line ? line : "", n);
	buf[n] = '\0';
	if (r.fd >= 0)
		line_reader_close(&r);
}

#endif
