/* SPDX-License-Identifier: MIT */
/*
 * Text of others (a peer, a packet, a file name) in a form that can be seen and does nothing.
 *
 * What could act on a terminal or deceive who reads it is written as an escape: control
 * characters (C0, DEL, C1), characters that turn the direction of text or show nothing,
 * private ones, and bytes that are no UTF-8. ESC becomes \x1b, a right-to-left override
 * \u202e. All else stays as it is, backslashes too.
 */
#ifndef SHELL_VISIBLE_H
#define SHELL_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

struct character {
	uint32_t code; /* its number; of a byte that is no UTF-8, the byte */
	unsigned len;  /* bytes of the text that it takes, at least 1 */
	bool valid;    /* UTF-8 as the standard has it, or Tcl's two bytes for NUL */
	bool visible;  /* it can be shown as it is; newline and tab are not visible */
};

/* The first character of text, which has at least one byte. */
struct character character_at(const char *text, size_t len);

enum visible_lines {
	VISIBLE_LINES,	  /* newlines and tabs stay */
	VISIBLE_ONE_LINE, /* they become \n and \t */
};

/* Appends text so that all of it is visible. */
void visible_append(Tcl_DString *to, const char *text, size_t len, enum visible_lines lines);
/* Is it visible as it is, in one line? */
bool is_visible(const char *text);

/* Appends bytes as hex and as characters, 16 a line; off: what is shown as the offset of the
 * first. */
void visible_hexdump(Tcl_DString *d, const unsigned char *p, size_t n, uint64_t off);

#endif
