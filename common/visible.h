/* SPDX-License-Identifier: MIT */
#ifndef COMMON_VISIBLE_H
#define COMMON_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

/*
 * Escapes untrusted text (from a peer, a packet, a file name) for printing.
 *
 * Everything that could control a terminal or mislead the reader is written as an escape: control
 * characters (C0, DEL, C1), characters that change the direction of text or are invisible, private
 * ones, and bytes that are not valid UTF-8. ESC becomes \x1b, a right-to-left override \u202e. All
 * other characters stay unchanged, backslashes too.
 */

struct character {
	uint32_t code; /* code point; the byte itself if it is not valid UTF-8 */
	unsigned len;  /* its length in bytes, at least 1 */
	bool valid;    /* valid UTF-8, or Tcl's two-byte NUL */
	bool visible;  /* can be printed unchanged; false for newline and tab */
};

/* The first character of text; len is at least 1. */
struct character visible_character(const char *text, size_t len);

enum visible_lines {
	VISIBLE_LINES,	  /* newlines and tabs stay */
	VISIBLE_ONE_LINE, /* they become \n and \t */
	VISIBLE_JSON,	  /* as VISIBLE_LINES, by the escapes of JSON's strings */
};

/* Appends text with everything invisible escaped. */
void visible_append(struct text *to, const char *text, size_t len, enum visible_lines lines);
/* Is every character of text visible, so that nothing needs an escape? */
bool visible_is_plain(const char *text);

/* Appends text, escaped for HTML and XML, also for an attribute. */
void visible_markup(struct text *d, const char *text);

/* Appends bytes in hex and as characters, 16 per line; off is the offset shown for the first. */
void visible_hexdump(struct text *d, const unsigned char *p, size_t n, uint64_t off);

#endif
