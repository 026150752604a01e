/* SPDX-License-Identifier: MIT */
/*
 * Keys of a terminal in raw mode: characters, bracketed paste.
 *
 * A paste is read to its end before its first line is used. Otherwise the terminal would echo and
 * edit the rest of it while the first pasted command runs.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>
#include <unistd.h>

#include "edit/edit_impl.h"
#include "loop.h"
#include "alloc.h"

#define PASTE_END "\033[201~"
#define BAD	  L'\xfffd'

struct keys {
	struct loop *loop;
	int fd;
	keys_idle_fn *idle;
	void *arg;
	bool ready;
	int again;    /* a byte that was read ahead, or -1 */
	bool newline; /* comes next: the end of a pasted line */
	struct text pasted;
	size_t pasted_at;
};

struct keys *keys_new(struct loop *l, int fd, keys_idle_fn *idle, void *arg)
{
	struct keys *k = xcalloc(1, sizeof(*k));

	k->loop = l;
	k->fd = fd;
	k->idle = idle;
	k->arg = arg;
	k->again = -1;
	k->pasted = (struct text){ 0 };
	return k;
}

void keys_free(struct keys *k)
{
	if (!k)
		return;
	text_free(&k->pasted);
	free(k);
}

/* Removes its watch, so that a nested wait does not spin on a key that it does not read. */
static void on_ready(void *arg, int fd, short revents)
{
	struct keys *k = arg;

	(void)revents;
	k->ready = true;
	loop_unwatch(k->loop, fd);
}

static bool keys_are_ready(void *arg)
{
	const struct keys *k = arg;

	return k->ready;
}

static enum loop_end wait_ready(struct keys *k, int64_t within_ms)
{
	enum loop_end end;

	k->ready = false;
	loop_watch(k->loop, k->fd, POLLIN, on_ready, k);
	end = loop_wait(k->loop, keys_are_ready, k, within_ms);
	loop_unwatch(k->loop, k->fd);
	return end;
}

static void wait_idle(struct keys *k)
{
	if (wait_ready(k, 0) != LOOP_TIMEOUT)
		return;
	k->idle(k->arg, true);
	wait_ready(k, LOOP_FOREVER);
	k->idle(k->arg, false);
}

static bool is_stopped(const struct keys *k)
{
	return loop_interrupted(k->loop) || loop_ending(k->loop);
}

static int end_of_keys(struct keys *k)
{
	keys_drop(k);
	if (loop_ending(k->loop))
		return 0;
	errno = EINTR;
	return -1;
}

/* Reads a byte; the result is that of keys_next(). A key typed after Ctrl-C is left for the next
 * line. */
static int read_byte(struct keys *k, unsigned char *byte)
{
	ssize_t n;

	if (k->again >= 0) {
		*byte = k->again;
		k->again = -1;
		return 1;
	}
	do {
		wait_idle(k);
		if (is_stopped(k))
			return end_of_keys(k);
		n = read(k->fd, byte, 1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n == 1;
}

static bool ends_paste(struct text *text)
{
	int n = text_len(text) - (int)strlen(PASTE_END);

	return n >= 0 && strcmp(text_str(text) + n, PASTE_END) == 0;
}

static void forget_paste(struct keys *k)
{
	text_resize(&k->pasted, 0);
	k->pasted_at = 0;
}

int keys_read_paste(struct keys *k)
{
	unsigned char byte;
	int got;

	forget_paste(k);
	do {
		got = read_byte(k, &byte);
		if (got != 1)
			return got;
		if (byte)
			text_add_bytes(&k->pasted, (const char *)&byte, 1);
	} while (!ends_paste(&k->pasted));
	text_resize(&k->pasted, text_len(&k->pasted) - (int)strlen(PASTE_END));
	return 1;
}

static int expected_bytes(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static int read_char(struct keys *k, unsigned char first, wchar_t *c)
{
	mbstate_t state = { 0 };
	char bytes[4] = { (char)first };
	int n, want = expected_bytes(first), got;
	unsigned char byte;

	for (n = 1; n < want; n++) {
		got = read_byte(k, &byte);
		if (got != 1)
			return got;
		if ((byte & 0xc0) != 0x80) {
			k->again = byte;
			want = 0;
			break;
		}
		bytes[n] = (char)byte;
	}
	if (want == 0 || mbrtowc(c, bytes, want, &state) > (size_t)want)
		*c = first ? BAD : L'\0';
	return 1;
}

int keys_next(struct keys *k, wchar_t *c)
{
	unsigned char byte;
	int got;

	if (is_stopped(k))
		return end_of_keys(k);
	if (k->newline || k->pasted_at < text_len(&k->pasted)) {
		*c = k->newline ? L'\n' : KEYS_PASTED;
		k->newline = false;
		return 1;
	}
	got = read_byte(k, &byte);
	return got == 1 ? read_char(k, byte, c) : got;
}

/* Decodes pasted text; removes control characters except tabs, so that it cannot act as keys. */
static size_t decode_paste(wchar_t *out, const char *text, int n)
{
	mbstate_t state = { 0 };
	size_t used, chars = 0;
	wchar_t c;

	for (; n > 0; text += used, n -= (int)used) {
		used = mbrtowc(&c, text, n, &state);
		if (used == 0 || used > (size_t)n) {
			memset(&state, 0, sizeof(state));
			used = 1;
			c = BAD;
		}
		if (c == L'\t' || (c >= L' ' && (c < 0x7f || c > 0x9f)))
			out[chars++] = c;
	}
	out[chars] = L'\0';
	return chars;
}

void keys_paste(struct keys *k, EditLine *el)
{
	const char *text = text_str(&k->pasted) + k->pasted_at;
	int n = (int)strcspn(text, "\r\n");
	wchar_t *line;

	if (!*text)
		return;
	line = xcalloc(n + 1, sizeof(*line));
	if (decode_paste(line, text, n) > 0)
		el_winsertstr(el, line);
	free(line);
	k->pasted_at += n;
	if (text[n]) {
		k->pasted_at += text[n] == '\r' && text[n + 1] == '\n' ? 2 : 1;
		k->newline = true;
	}
	if (k->pasted_at >= text_len(&k->pasted))
		forget_paste(k);
}

void keys_drop(struct keys *k)
{
	forget_paste(k);
	k->newline = false;
}
