/* SPDX-License-Identifier: MIT */
/*
 * Keys of a terminal in raw mode: characters, escape sequences, bracketed paste.
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

#define ESC	  '\033'
#define PASTE_END "\033[201~"
/* Time to wait for the rest of a sequence; after that, ESC was typed on its own. */
#define REST_MS 25
#define BAD	L'\xfffd'

static const struct key {
	const char *sequence;
	const char *function;
} known[] = {
	{ "\033[A", "ed-prev-history" },
	{ "\033OA", "ed-prev-history" },
	{ "\033[B", "ed-next-history" },
	{ "\033OB", "ed-next-history" },
	{ "\033[C", "ed-next-char" },
	{ "\033OC", "ed-next-char" },
	{ "\033[D", "ed-prev-char" },
	{ "\033OD", "ed-prev-char" },
	{ "\033[H", "ed-move-to-beg" },
	{ "\033OH", "ed-move-to-beg" },
	{ "\033[1~", "ed-move-to-beg" },
	{ "\033[7~", "ed-move-to-beg" },
	{ "\033[F", "ed-move-to-end" },
	{ "\033OF", "ed-move-to-end" },
	{ "\033[4~", "ed-move-to-end" },
	{ "\033[8~", "ed-move-to-end" },
	{ "\033[3~", "ed-delete-next-char" },
	{ "\033[5~", "ed-search-prev-history" },
	{ "\033[6~", "ed-search-next-history" },
	{ "\033[1;5C", "em-next-word" },
	{ "\033[1;3C", "em-next-word" },
	{ "\033[1;5D", "ed-prev-word" },
	{ "\033[1;3D", "ed-prev-word" },
};
#define N_KNOWN (sizeof(known) / sizeof(*known))

struct keys {
	struct loop *loop;
	int fd;
	keys_idle_fn *idle;
	void *arg;
	bool own_bindings;
	bool ready;
	int again; /* a byte that was read ahead, or -1 */
	wchar_t replay[20];
	unsigned replay_at;
	Tcl_DString pasted;
	int pasted_at;
};

struct keys *keys_new(struct loop *l, int fd, keys_idle_fn *idle, void *arg)
{
	struct keys *k = xcalloc(1, sizeof(*k));

	k->loop = l;
	k->fd = fd;
	k->idle = idle;
	k->arg = arg;
	k->again = -1;
	Tcl_DStringInit(&k->pasted);
	return k;
}

void keys_free(struct keys *k)
{
	if (!k)
		return;
	Tcl_DStringFree(&k->pasted);
	free(k);
}

void keys_bind(struct keys *k, EditLine *el, bool own)
{
	unsigned i;

	k->own_bindings = own;
	for (i = 0; !own && i < N_KNOWN; i++)
		libedit.el_set(el, EL_BIND, known[i].sequence, known[i].function, NULL);
}

static bool sequence_passes(const struct keys *k, const char *sequence)
{
	unsigned i;

	for (i = 0; i < N_KNOWN; i++)
		if (strcmp(known[i].sequence, sequence) == 0)
			return true;
	return k->own_bindings;
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

static bool read_soon(struct keys *k, unsigned char *byte)
{
	return wait_ready(k, REST_MS) == LOOP_DONE && read(k->fd, byte, 1) == 1;
}

static void replay_sequence(struct keys *k, const char *sequence)
{
	unsigned i;

	for (i = 0; sequence[i]; i++)
		k->replay[i] = (unsigned char)sequence[i];
	k->replay[i] = L'\0';
	k->replay_at = 0;
}

static bool ends_paste(Tcl_DString *text)
{
	int n = Tcl_DStringLength(text) - (int)strlen(PASTE_END);

	return n >= 0 && strcmp(Tcl_DStringValue(text) + n, PASTE_END) == 0;
}

static void forget_paste(struct keys *k)
{
	Tcl_DStringSetLength(&k->pasted, 0);
	k->pasted_at = 0;
}

static int read_paste(struct keys *k)
{
	unsigned char byte;
	int got;

	forget_paste(k);
	do {
		got = read_byte(k, &byte);
		if (got != 1)
			return got;
		if (byte)
			Tcl_DStringAppend(&k->pasted, (const char *)&byte, 1);
	} while (!ends_paste(&k->pasted));
	Tcl_DStringSetLength(&k->pasted, Tcl_DStringLength(&k->pasted) - (int)strlen(PASTE_END));
	return 1;
}

static bool is_final(unsigned char byte)
{
	return byte >= 0x40 && byte <= 0x7e;
}

/* Reads the rest of a sequence after ESC: "[" parameters final, or "O" final. Anything else was
 * typed after the key ESC and remains a key. */
static void read_sequence(struct keys *k, char *sequence, unsigned room)
{
	unsigned char byte;
	unsigned n = 0;

	sequence[n++] = ESC;
	while (n < room - 1 && read_soon(k, &byte)) {
		if (n == 1 && byte != '[' && byte != 'O') {
			k->again = byte;
			break;
		}
		sequence[n++] = byte;
		if (n > 2 && is_final(byte))
			break;
	}
	sequence[n] = '\0';
}

/* 1: there is something to replay; 2: the sequence was dropped; else the result of keys_next(). */
static int read_escape(struct keys *k)
{
	char sequence[16];
	int got = 1;

	read_sequence(k, sequence, sizeof(sequence));
	if (strcmp(sequence, "\033[200~") == 0)
		got = read_paste(k);
	else if (strlen(sequence) < 3 || sequence_passes(k, sequence))
		replay_sequence(k, sequence);
	else
		got = 2;
	return got;
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

/* Takes the next character of the replayed sequence, then of the rest of a paste. */
static bool take_ahead(struct keys *k, wchar_t *c)
{
	if (k->replay[k->replay_at]) {
		*c = k->replay[k->replay_at++];
		return true;
	}
	if (k->pasted_at < Tcl_DStringLength(&k->pasted)) {
		*c = KEYS_PASTED;
		return true;
	}
	return false;
}

int keys_next(struct keys *k, wchar_t *c)
{
	unsigned char byte;
	int got;

	for (;;) {
		if (is_stopped(k))
			return end_of_keys(k);
		if (take_ahead(k, c))
			return 1;
		got = read_byte(k, &byte);
		if (got != 1)
			return got;
		if (byte != ESC)
			return read_char(k, byte, c);
		got = read_escape(k);
		if (got < 1)
			return got;
	}
}

void keys_put_back(struct keys *k, wchar_t c)
{
	if (c == KEYS_PASTED) /* is still to be inserted */
		return;
	if (k->replay_at > 0 && k->replay[k->replay_at - 1] == c) {
		k->replay_at--;
		return;
	}
	k->replay[0] = c;
	k->replay[1] = L'\0';
	k->replay_at = 0;
}

bool keys_was_escape(const struct keys *k, wchar_t c)
{
	return c == ESC && !k->replay[k->replay_at];
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
	const char *text = Tcl_DStringValue(&k->pasted) + k->pasted_at;
	int n = (int)strcspn(text, "\r\n");
	wchar_t *line;

	if (!*text)
		return;
	line = xcalloc(n + 1, sizeof(*line));
	if (decode_paste(line, text, n) > 0)
		libedit.el_winsertstr(el, line);
	free(line);
	k->pasted_at += n;
	if (text[n]) {
		k->pasted_at += text[n] == '\r' && text[n + 1] == '\n' ? 2 : 1;
		replay_sequence(k, "\n");
	}
	if (k->pasted_at >= Tcl_DStringLength(&k->pasted))
		forget_paste(k);
}

void keys_drop(struct keys *k)
{
	forget_paste(k);
	replay_sequence(k, "");
}
