/* SPDX-License-Identifier: MIT */
/* Text that others have chosen, before it reaches a terminal: names of programs, what processes
 * say. */
#ifndef UROCE_LINK_SHOWN_H
#define UROCE_LINK_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the text, at most size - 1 bytes of it, with each byte that is not a printable one of
 * ASCII as \xNN, which is not cut; lines: newlines stay. Returns to. */
static inline char *shown(char *to, size_t size, const char *text, bool lines)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		const bool plain = (c >= ' ' && c < 0x7f) || (lines && c == '\n');

		if (n + (plain ? 1 : 4) >= size)
			break;
		if (plain) {
			to[n++] = (char)c;
			continue;
		}
		to[n++] = '\\';
		to[n++] = 'x';
		to[n++] = digits[c >> 4];
		to[n++] = digits[c & 15];
	}
	to[n] = '\0';
	return to;
}

#endif
