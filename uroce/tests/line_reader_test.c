// SPDX-License-Identifier: MIT
/* Lines of files that are longer and shorter than the reader's buffer, and that come in pieces. */
#include "line_reader.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "checks.h"

#define LONGEST (sizeof(((struct line_reader *)NULL)->buf) - 1)

/* A reader of a file that has this text. */
static void begin(struct line_reader *r, const char *text)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);
	char path[64];

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	CHECK(line_reader_open(r, path));
	close(fd);
}

static void next_is(struct line_reader *r, const char *want)
{
	const char *line = line_reader_next(r);

	CHECK(line != NULL);
	if (line)
		CHECK_STR(line, want);
}

static void ends(struct line_reader *r)
{
	CHECK(line_reader_next(r) == NULL);
	CHECK(line_reader_next(r) == NULL);
	line_reader_close(r);
}

static void test_lines(void)
{
	struct line_reader r;

	begin(&r, "");
	ends(&r);
	begin(&r, "one\n\nthree\n");
	next_is(&r, "one");
	next_is(&r, "");
	next_is(&r, "three");
	ends(&r);
	begin(&r, "one\nwithout a newline");
	next_is(&r, "one");
	next_is(&r, "without a newline");
	ends(&r);
	CHECK(!line_reader_open(&r, "/proc/self/no-such-file") && errno == ENOENT);
}

/* Lines around the size of the buffer, each with a short one before and behind it. */
static void test_long_lines(void)
{
	static char text[4 * LONGEST], want[LONGEST + 1];

	for (size_t n = LONGEST - 2; n < 3 * LONGEST + 3; n++) {
		struct line_reader r;

		memset(text, 'x', sizeof text);
		memcpy(text, "before\n", 7);
		memcpy(text + 7 + n, "\nbehind\n", 9);
		memset(want, 0, sizeof want);
		memset(want, 'x', n < LONGEST ? n : LONGEST);
		begin(&r, text);
		next_is(&r, "before");
		next_is(&r, want);
		next_is(&r, "behind");
		ends(&r);
	}
}

/* Writes a line in two pieces, the second one when the first has been read. */
static void *write_pieces(void *arg)
{
	const int *fds = arg;
	char byte;

	CHECK_INT(write(fds[1], "first\nsec", 9), 9);
	CHECK_INT(read(fds[2], &byte, 1), 1);
	CHECK_INT(write(fds[1], "ond\n", 4), 4);
	close(fds[1]);
	return NULL;
}

static void test_pieces(void)
{
	int data[2], go[2], fds[3];
	struct line_reader r = { .fd = -1 };
	pthread_t thread;

	CHECK_INT(pipe(data), 0);
	CHECK_INT(pipe(go), 0);
	fds[1] = data[1];
	fds[2] = go[0];
	r.fd = data[0];
	CHECK_INT(pthread_create(&thread, NULL, write_pieces, fds), 0);
	next_is(&r, "first");
	CHECK_INT(write(go[1], "", 1), 1);
	next_is(&r, "second");
	ends(&r);
	pthread_join(thread, NULL);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	test_lines();
	test_long_lines();
	test_pieces();
	return checks_end();
}
