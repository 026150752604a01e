/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap.h"

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){ 0 };
}

char *text_str(const struct text *t)
{
	static char empty[1];

	return t->s ? t->s : empty;
}

size_t text_len(const struct text *t)
{
	return t->len;
}

void text_resize(struct text *t, size_t n)
{
	if (n >= t->room) {
		t->room = n + n / 2 + 32;
		t->s = xrealloc(t->s, t->room, 1);
	}
	if (n > t->len)
		memset(t->s + t->len, 0, n - t->len);
	t->len = n;
	t->s[n] = '\0';
}

void text_add_bytes(struct text *t, const char *bytes, size_t n)
{
	const size_t at = t->len;

	text_resize(t, at + n);
	memcpy(t->s + at, bytes, n);
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void xvappendf(struct text *t, const char *fmt, va_list ap)
{
	char *more = xvasprintf(fmt, ap);

	text_add(t, more);
	free(more);
}

void xappendf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xvappendf(t, fmt, ap);
	va_end(ap);
}

const char *text_clock(int64_t ns, int digits)
{
	const time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;

	localtime_r(&seconds, &tm);
	return temp_text("%02d:%02d:%02d.%0*d", tm.tm_hour, tm.tm_min, tm.tm_sec, digits,
			 (int)(ns % 1000000000 / (digits == 3 ? 1000000 : 1000)));
}

void xappend_hex(struct text *t, const void *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *byte = data;

	for (size_t i = 0; i < n; i++) {
		text_add_bytes(t, &digits[byte[i] >> 4], 1);
		text_add_bytes(t, &digits[byte[i] & 15], 1);
	}
}
