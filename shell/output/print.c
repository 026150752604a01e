/* SPDX-License-Identifier: MIT */
#include "output/print.h"

#include <errno.h>
#include <json-c/json.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "edit/edit.h"
#include "alloc.h"

static const char *const codes[PAINTS] = {
	[PAINT_NONE] = "\033[0m",     [PAINT_GOOD] = "\033[32m",  [PAINT_BAD] = "\033[31m",
	[PAINT_DIM] = "\033[2m",      [PAINT_STRONG] = "\033[1m", [PAINT_YELLOW] = "\033[33m",
	[PAINT_MAGENTA] = "\033[35m", [PAINT_CYAN] = "\033[36m",  [PAINT_TYPE] = "\033[1;36m",
};

/* There is one terminal per process. */
static struct edit *editor;
static const bool *colors;
static int failed; /* errno */

/* ----------------------------------------------------------- text and its colours -- */

void painted_init(struct painted *p)
{
	Tcl_DStringInit(&p->text);
	p->marks = NULL;
	p->n = 0;
}

void painted_free(struct painted *p)
{
	Tcl_DStringFree(&p->text);
	free(p->marks);
}

void painted_paint(struct painted *p, enum paint paint)
{
	p->marks = xgrow(p->marks, p->n, sizeof *p->marks);
	p->marks[p->n++] = (struct paint_mark){ Tcl_DStringLength(&p->text), paint };
}

void painted_add(struct painted *p, const char *text, size_t len)
{
	Tcl_DStringAppend(&p->text, text, (int)len);
}

void painted_addf(struct painted *p, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	Tcl_DStringAppend(&p->text, text, -1);
	free(text);
}

void painted_add_line(struct painted *p, const char *text, size_t len)
{
	visible_append(&p->text, text, len, VISIBLE_ONE_LINE);
}

/* The colour whose escape sequence text begins with; PAINTS: none. */
static enum paint paint_at(const char *text, size_t len)
{
	enum paint i = PAINT_NONE;

	while (i < PAINTS &&
	       (strlen(codes[i]) > len || memcmp(codes[i], text, strlen(codes[i])) != 0))
		i++;
	return i;
}

void painted_add_printed(struct painted *p, const char *text, size_t len)
{
	while (len) {
		enum paint paint = paint_at(text, len);
		size_t n = 1;

		if (paint < PAINTS) {
			painted_paint(p, paint);
			n = strlen(codes[paint]);
		} else {
			while (n < len && text[n] != '\033')
				n++;
			painted_add(p, text, n);
		}
		text += n;
		len -= n;
	}
}

/* -------------------------------------------------------------------- to a terminal -- */

/* Everything that is printed goes through here. */
static void print_raw(enum print_to to, const char *text, size_t len)
{
	FILE *stream = to == PRINT_OUT ? stdout : stderr;

	if (editor) {
		edit_above(editor, text);
		return;
	}
	if (to == PRINT_ERR)
		fflush(stdout); /* to keep the order of both streams */
	if ((fwrite(text, 1, len, stream) < len || fflush(stream)) && to == PRINT_OUT && !failed)
		failed = errno;
}

static void put_string(enum print_to to, const Tcl_DString *d)
{
	print_raw(to, Tcl_DStringValue(d), (size_t)Tcl_DStringLength(d));
}

static bool is_for_terminal(enum print_to to)
{
	return editor || isatty(to == PRINT_OUT ? STDOUT_FILENO : STDERR_FILENO);
}

static struct winsize terminal_size(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	return size;
}

/* Prints text for people: with colours and folded if this is a terminal. */
static void print_text_for_people(enum print_to to, const Tcl_DString *d)
{
	unsigned columns = is_for_terminal(to) ? print_columns() : 0, rows;
	Tcl_DString ascii, folded;

	if (!columns) {
		put_string(to, d);
		return;
	}
	Tcl_DStringInit(&ascii);
	Tcl_DStringInit(&folded);
	if (!print_is_utf8())
		fold_to_ascii(Tcl_DStringValue(d), &ascii);
	rows = fold(Tcl_DStringValue(print_is_utf8() ? d : &ascii), columns, &folded);
	if (to != PRINT_OUT || !editor || edit_is_typing(editor) || rows < terminal_size().ws_row ||
	    !pager_show(Tcl_DStringValue(&folded), (size_t)Tcl_DStringLength(&folded)))
		put_string(to, &folded);
	Tcl_DStringFree(&folded);
	Tcl_DStringFree(&ascii);
}

void print_painted(enum print_to to, const struct painted *p)
{
	const char *text = Tcl_DStringValue(&p->text);
	int at = 0, len = Tcl_DStringLength(&p->text);
	Tcl_DString d;

	Tcl_DStringInit(&d);
	for (unsigned i = 0; i <= p->n; i++) {
		int end = i < p->n ? p->marks[i].at : len;

		visible_append(&d, text + at, (size_t)(end - at), VISIBLE_LINES);
		if (i < p->n && colors && *colors)
			Tcl_DStringAppend(&d, codes[p->marks[i].paint], -1);
		at = end;
	}
	print_text_for_people(to, &d);
	Tcl_DStringFree(&d);
}

void print_text(enum print_to to, const char *text)
{
	Tcl_DString d;

	Tcl_DStringInit(&d);
	visible_append(&d, text, strlen(text), VISIBLE_LINES);
	print_text_for_people(to, &d);
	Tcl_DStringFree(&d);
}

void print_error(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	print_text(PRINT_ERR, text);
	free(text);
}

void print_in_place(const char *line, bool last)
{
	Tcl_DString d;

	Tcl_DStringInit(&d);
	Tcl_DStringAppend(&d, "\r", 1);
	visible_append(&d, line, strlen(line), VISIBLE_ONE_LINE);
	Tcl_DStringAppend(&d, last ? "\033[K\n" : "\033[K", -1);
	put_string(PRINT_ERR, &d);
	Tcl_DStringFree(&d);
}

void print_data(const char *text, size_t len)
{
	Tcl_DString d;
	size_t n;

	if (isatty(fileno(stdout))) {
		print_text(PRINT_OUT, text);
		return;
	}
	Tcl_DStringInit(&d);
	for (size_t i = 0; i < len; i += n) {
		const char *nul = memmem(text + i, len - i, "\xc0\x80", 2);

		n = nul ? (size_t)(nul - text) - i : len - i;
		Tcl_DStringAppend(&d, text + i, (int)n);
		if (nul) {
			Tcl_DStringAppend(&d, "", 1);
			n += 2;
		}
	}
	put_string(PRINT_OUT, &d);
	Tcl_DStringFree(&d);
}

/* JSON writes a character beyond the basic plane as a surrogate pair. */
static void append_json_escape(Tcl_DString *d, const struct character *c)
{
	if (c->code <= 0xffff)
		xappendf(d, "\\u%04x", c->code);
	else
		xappendf(d, "\\u%04x\\u%04x", 0xd7c0 + (c->code >> 10), 0xdc00 | (c->code & 0x3ff));
}

void print_json(const char *json)
{
	size_t len = strlen(json);
	struct character c;
	Tcl_DString d;

	Tcl_DStringInit(&d);
	for (size_t i = 0; i < len; i += c.len) {
		c = character_at(json + i, len - i);
		if (c.visible || json[i] == '\n')
			Tcl_DStringAppend(&d, json + i, (int)c.len);
		else
			append_json_escape(&d, &c);
	}
	put_string(PRINT_OUT, &d);
	Tcl_DStringFree(&d);
}

/* ------------------------------------------------------------------------- settings -- */

unsigned print_columns(void)
{
	return terminal_size().ws_col;
}

bool print_is_utf8(void)
{
	static int is = -1;

	if (is < 0)
		is = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return is;
}

void print_editor(struct edit *e)
{
	editor = e;
}

void print_color(const bool *on)
{
	colors = on;
}

int print_failed(void)
{
	return failed;
}
