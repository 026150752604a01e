/* SPDX-License-Identifier: MIT */
/* Lines of the script. */
#include "play_parts.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 96

void play_flush(struct replay *p)
{
	text_add(&p->body, text_str(&p->before));
	text_resize(&p->before, 0);
}

/* A line that is too long continues on the next one, after a blank. */
__attribute__((format(printf, 2, 0))) static void add_line(struct text *to, const char *fmt,
							   va_list ap)
{
	char *text = xvasprintf(fmt, ap);
	const char *line = text, *end;
	size_t column = 0;

	for (; *line; line = end) {
		end = line + strcspn(line + 1, " ") + 1;
		if (column && column + (size_t)(end - line) > COLUMNS - 2 && *line == ' ') {
			text_add(to, " \\\n\t");
			column = 8;
			line++;
		}
		text_add_bytes(to, line, (size_t)(end - line));
		column += (size_t)(end - line);
	}
	text_add(to, "\n");
	free(text);
}

void play_line(struct replay *p, const char *fmt, ...)
{
	va_list ap;

	play_flush(p);
	va_start(ap, fmt);
	add_line(&p->body, fmt, ap);
	va_end(ap);
}

void play_first(struct replay *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&p->before, fmt, ap);
	va_end(ap);
}
