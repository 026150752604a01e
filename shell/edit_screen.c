/* SPDX-License-Identifier: MIT */
/*
 * Where libedit has put what: its own rules of drawing, followed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "edit_impl.h"

void edit_put(const char *s)
{
	fputs(s, stdout);
}

wchar_t edit_take_char(const char **s)
{
	mbstate_t state = { 0 };
	size_t n = strnlen(*s, MB_CUR_MAX), used;
	wchar_t c;

	used = mbrtowc(&c, *s, n, &state);
	if (used == 0 || used > n) {
		(*s)++;
		return L'\xfffd';
	}
	*s += used;
	return c;
}

int edit_text_width(const char *s)
{
	int width = 0, w;

	while (*s) {
		w = wcwidth(edit_take_char(&s));
		width += w > 0 ? w : 0;
	}
	return width;
}

int edit_terminal_size(struct edit *e, const char *capability)
{
	int n = 0;

	if (el_get(e->el, EL_GETTC, capability, &n) < 0 || n < 1)
		n = 80;
	return n;
}

static void next_row(struct spot *at)
{
	at->row++;
	at->col = 0;
}

static void advance(struct spot *at, int width)
{
	if (at->col + width > at->columns)
		next_row(at);
	at->col += width;
	if (at->col >= at->columns)
		next_row(at);
}

/* A character that cannot be shown is written \U+1234, or \U+12345. */
static int escaped_width(wchar_t c)
{
	return c > 0xffff ? 8 : 7;
}

static void advance_char(struct spot *at, wchar_t c)
{
	int i, n;

	if (c == L'\n') {
		next_row(at);
	} else if (c == L'\t') {
		do
			advance(at, 1);
		while (at->col % 8 != 0);
	} else if (iswprint(c)) {
		n = wcwidth(c);
		advance(at, n > 0 ? n : 0);
	} else {
		n = c < 0x80 ? 2 : escaped_width(c);
		for (i = 0; i < n; i++)
			advance(at, 1);
	}
}

void edit_advance_prompt(struct spot *at, const char *prompt)
{
	bool literal = false;
	wchar_t c;

	while (*prompt) {
		c = edit_take_char(&prompt);
		if (c == EDIT_LITERAL)
			literal = !literal;
		else if (!literal)
			advance_char(at, c);
	}
}

struct spot edit_place_of(struct edit *e, const wchar_t *c)
{
	struct spot at = { .columns = edit_terminal_size(e, "co") };
	const wchar_t *p;

	edit_advance_prompt(&at, Tcl_DStringValue(&e->prompt));
	for (p = el_wline(e->el)->buffer; p < c; p++)
		advance_char(&at, *p);
	return at;
}

/* Where it is shown. */
static struct spot spot_of(struct edit *e, const wchar_t *c)
{
	struct spot at = edit_place_of(e, c);
	int last_row = edit_terminal_size(e, "li") - 1;

	if (at.row > last_row)
		at.row = last_row;
	return at;
}

struct spot edit_cursor_spot(struct edit *e)
{
	return spot_of(e, el_wline(e->el)->cursor);
}

static struct spot end_spot(struct edit *e)
{
	return spot_of(e, el_wline(e->el)->lastchar);
}

static void move(int n, char direction)
{
	if (n > 0)
		printf("\033[%d%c", n, direction);
}

void edit_go_to_end(struct edit *e)
{
	struct spot end = end_spot(e);

	if (e->dumb)
		return;
	move(end.row - edit_cursor_spot(e).row, 'B');
	edit_put("\r");
	move(end.col, 'C');
}

void edit_erase_line(struct edit *e)
{
	if (e->dumb) {
		edit_put("\r\n");
		return;
	}
	move(edit_cursor_spot(e).row, 'A');
	edit_put("\r\033[J");
}
