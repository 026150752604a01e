/* SPDX-License-Identifier: MIT */
/* Lines of the script, and the loops that repeated ones become. */
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

/* ---------------------------------------------------------------------------------- loops -- */

#define PERIOD_MAX 32 /* lines that are repeated together */
#define TIMES_MIN  3

struct play_line {
	const char *text;
	size_t len; /* with its newline */
};

static struct play_line *split_lines(const char *script, size_t *n)
{
	struct play_line *lines = NULL;
	const char *begin = script;

	*n = 0;
	for (const char *at = script; *at; at++) {
		if (at[0] != '\n' || (at > script && at[-1] == '\\'))
			continue;
		lines = xgrow(lines, (unsigned)*n, sizeof *lines);
		lines[(*n)++] = (struct play_line){ begin, (size_t)(at + 1 - begin) };
		begin = at + 1;
	}
	return lines;
}

static bool is_same(const struct play_line *a, const struct play_line *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].len != b[i].len || memcmp(a[i].text, b[i].text, a[i].len) != 0)
			return false;
	return true;
}

/* How often the first period lines are repeated one after another. */
static size_t times_of(const struct play_line *lines, size_t n, size_t period)
{
	size_t times = 1;

	while ((times + 1) * period <= n && is_same(lines, lines + times * period, period))
		times++;
	return times;
}

/* The loop that saves most lines: how often it runs, and in *period the number of its lines; 0:
 * none is worth it. */
static size_t best_loop(const struct play_line *lines, size_t n, size_t *period)
{
	size_t best = 0, saved = 0;

	*period = 0;
	for (size_t p = 1; p <= PERIOD_MAX && p <= n; p++) {
		const size_t times = times_of(lines, n, p);

		if (times < TIMES_MIN || (times - 1) * p <= saved + 2)
			continue;
		saved = (times - 1) * p;
		best = times;
		*period = p;
	}
	return best;
}

static void add_indented(struct text *to, const struct play_line *line)
{
	const char *end = line->text + line->len, *at = line->text, *next;

	for (; at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		text_add(to, "\t");
		text_add_bytes(to, at, (size_t)(next - at));
	}
}

void play_fold(const char *script, struct text *to)
{
	size_t n, period, times, step;
	struct play_line *lines = split_lines(script, &n);

	for (size_t i = 0; i < n; i += step) {
		times = best_loop(lines + i, n - i, &period);
		step = period ? times * period : 1;
		if (!period) {
			text_add_bytes(to, lines[i].text, lines[i].len);
			continue;
		}
		xappendf(to, "for {set i 0} {$i < %zu} {incr i} {\n", times);
		for (size_t j = 0; j < period; j++)
			add_indented(to, &lines[i + j]);
		text_add(to, "}\n");
	}
	free(lines);
}
