/* SPDX-License-Identifier: MIT */
/* Text that grows: bytes, which may include null bytes, and a null byte behind them. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: an empty text. */
struct text {
	char *s; /* NULL: nothing was ever added; text_str() is never NULL */
	size_t len, room;
};

/* Declares an empty text, which is freed at the end of its block. */
#define SCOPED_TEXT(name) __attribute__((cleanup(text_free))) struct text name = { 0 }

/* Without memory these end the process, as those of heap.h. */

/* The text is empty afterwards, and can be used again. */
void text_free(struct text *t);
char *text_str(const struct text *t);
size_t text_len(const struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *bytes, size_t n);
/* Cuts the text off behind n bytes, or adds null bytes up to there. */
void text_resize(struct text *t, size_t n);
/* Appends formatted text. */
void xappendf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void xvappendf(struct text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* "12:03:04.123", local time; digits: 3 of a second, or 6. ns: CLOCK_REALTIME. As temp_text(). */
const char *text_clock(int64_t ns, int digits);
/* Appends two hex digits for each of n bytes. */
void xappend_hex(struct text *t, const void *data, size_t n);

#endif
