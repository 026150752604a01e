/* SPDX-License-Identifier: MIT */
/* Text and its colours, which are stored beside it: see shell/output/print.h. */
#ifndef COMMON_PAINTED_H
#define COMMON_PAINTED_H

#include "text.h"

enum paint {
	PAINT_NONE,
	PAINT_GOOD, /* green */
	PAINT_BAD,  /* red */
	PAINT_DIM,
	PAINT_STRONG,
	PAINT_YELLOW,
	PAINT_MAGENTA,
	PAINT_CYAN,
	PAINT_TYPE, /* a command that can be typed: bold and cyan */
	PAINTS
};

struct paint_mark {
	size_t at; /* offset in the text at which it begins */
	enum paint paint;
};

/* All zero: an empty text. */
struct painted {
	struct text text;
	struct paint_mark *marks;
	unsigned n;
};

void painted_free(struct painted *p);
/* Declares an empty text with colours, which is freed at the end of its block. */
#define SCOPED_PAINTED(name) __attribute__((cleanup(painted_free))) struct painted name = { 0 }
/* Sets the colour of the following text. */
void painted_paint(struct painted *p, enum paint paint);
void painted_add(struct painted *p, const char *text, size_t len);
void painted_addf(struct painted *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
