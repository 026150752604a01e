/* SPDX-License-Identifier: MIT */
/*
 * The line on the screen: positions as libedit computes them, the prompt, the grey hint after the
 * cursor, and the terminal's modes when the program is stopped.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "edit/edit_impl.h"
#include "output/print.h"

void edit_put(const char *s)
{
	fputs(s, stdout);
}

wchar_t edit_take_char(const char **s)
{
	const struct character c = visible_character(*s, strnlen(*s, 4));

	*s += c.len;
	return c.valid ? (wchar_t)c.code : L'\xfffd';
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

static void advance_spot(struct spot *at, int width)
{
	if (at->col + width > at->columns)
		next_row(at);
	at->col += width;
	if (at->col >= at->columns)
		next_row(at);
}

/* The width of an unprintable character, which libedit writes as \U+1234 or \U+12345. */
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
			advance_spot(at, 1);
		while (at->col % 8 != 0);
	} else if (iswprint(c)) {
		n = wcwidth(c);
		advance_spot(at, n > 0 ? n : 0);
	} else {
		n = c < 0x80 ? 2 : escaped_width(c);
		for (i = 0; i < n; i++)
			advance_spot(at, 1);
	}
}

/* Advances by the width of the prompt, which contains EDIT_LITERAL marks. */
static void edit_advance_prompt(struct spot *at, const char *prompt)
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

/* The position of c, a pointer into the line, if the terminal had enough rows. */
static struct spot place_of(struct edit *e, const wchar_t *c)
{
	struct spot at = { .columns = edit_terminal_size(e, "co") };
	const wchar_t *p;

	edit_advance_prompt(&at, text_str(&e->prompt));
	for (p = el_wline(e->el)->buffer; p < c; p++)
		advance_char(&at, *p);
	return at;
}

/* The position at which c is shown. */
static struct spot spot_of(struct edit *e, const wchar_t *c)
{
	struct spot at = place_of(e, c);
	int last_row = edit_terminal_size(e, "li") - 1;

	if (at.row > last_row)
		at.row = last_row;
	return at;
}

/* The position at which the cursor is shown. */
static struct spot edit_cursor_spot(struct edit *e)
{
	return spot_of(e, el_wline(e->el)->cursor);
}

static struct spot end_spot(struct edit *e)
{
	return spot_of(e, el_wline(e->el)->lastchar);
}

static void move_cursor(int n, char direction)
{
	if (n > 0)
		printf("\033[%d%c", n, direction);
}

void edit_go_to_end(struct edit *e)
{
	struct spot end = end_spot(e);

	if (e->dumb)
		return;
	move_cursor(end.row - edit_cursor_spot(e).row, 'B');
	edit_put("\r");
	move_cursor(end.col, 'C');
}

void edit_erase_line(struct edit *e)
{
	if (e->dumb) {
		edit_put("\r\n");
		return;
	}
	move_cursor(edit_cursor_spot(e).row, 'A');
	edit_put("\r\033[J");
}

/* The prompt for libedit, with its colours marked as having no width. */

#define CONTINUATION "...> "

static void end_colors(struct text *out, struct text *colors)
{
	const char literal = EDIT_LITERAL;

	if (text_len(colors) == 0)
		return;
	text_add_bytes(out, &literal, 1);
	text_add_bytes(out, text_str(colors), text_len(colors));
	text_add_bytes(out, &literal, 1);
	text_resize(colors, 0);
}

/* Length of the SGR sequence at s, or 0. */
static int sgr_length(const char *s)
{
	size_t n;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	n = 2 + strspn(s + 2, "0123456789;:");
	return s[n] == 'm' ? (int)n + 1 : 0;
}

/* libedit attaches a literal to the character after it. So adjacent literals are merged, and the
 * last one goes before the final blank of the prompt, because at the end it would be lost. */
static void close_prompt(struct text *out, struct text *colors)
{
	const char *s = text_str(out);
	int n = text_len(out);

	if (text_len(colors) == 0)
		return;
	if (n > 1 && s[n - 1] == ' ' && s[n - 2] != EDIT_LITERAL)
		text_resize(out, n - 1);
	end_colors(out, colors);
	text_add(out, " ");
}

static void enclose_colors(struct text *out, const char *s)
{
	SCOPED_TEXT(colors);
	int n;

	while (*s) {
		n = sgr_length(s);
		if (n > 0) {
			text_add_bytes(&colors, s, n);
			s += n;
			continue;
		}
		if ((unsigned char)*s >= ' ') {
			end_colors(out, &colors);
			text_add_bytes(out, s, 1);
		}
		s++;
	}
	close_prompt(out, &colors);
}

static void first_prompt(struct edit *e)
{
	struct spot at = { .columns = INT_MAX };
	SCOPED_TEXT(plain);

	e->ops->prompt(e->ctx, &plain);
	enclose_colors(&e->prompt, text_str(&plain));
	edit_advance_prompt(&at, text_str(&e->prompt));
	e->first_width = at.col;
}

static void next_prompt(struct edit *e)
{
	int pad = e->first_width - (int)strlen(CONTINUATION);

	if (e->first_width <= edit_terminal_size(e, "co") / 2)
		while (pad-- > 0)
			text_add(&e->prompt, " ");
	text_add(&e->prompt, CONTINUATION);
}

char *edit_prompt(EditLine *el)
{
	struct edit *e = edit_of(el);

	text_resize(&e->prompt, 0);
	if (text_len(&e->lines) > 0)
		next_prompt(e);
	else
		first_prompt(e);
	return text_str(&e->prompt);
}

/* The hint: what is still missing, in grey after the cursor. */

/* How many bytes of s fit into room columns of one row. */
static int fitting_bytes(const char *s, int room)
{
	const char *p = s, *end = s;
	int w;

	while (*p) {
		w = wcwidth(edit_take_char(&p));
		if (w < 0 || w > room)
			break;
		room -= w;
		end = p;
	}
	return (int)(end - s);
}

/* May a hint be cut before p: is it between two arguments or two words of a choice? */
static bool is_border(const char *p)
{
	return p[-1] == '|' || (*p == ' ' && p[1] && strchr("[<-", p[1]));
}

/* The same, but cut only between arguments. */
static int fitting_args(const char *hint, int room)
{
	int most = fitting_bytes(hint, room), n = most;

	while (n > 0 && !is_border(hint + n))
		n--;
	return n ? n : most;
}

#define CUT "..." /* shown after a hint that was cut */

static void put_hint(struct edit *e, const char *text)
{
	struct spot at = edit_cursor_spot(e);
	const char *mark = "";
	SCOPED_TEXT(hint);
	int n, room;

	visible_append(&hint, text, strlen(text), VISIBLE_ONE_LINE);
	room = at.columns - at.col - 1;
	n = fitting_bytes(text_str(&hint), room);
	if (n < (int)text_len(&hint)) {
		n = fitting_args(text_str(&hint), room - (int)strlen(CUT));
		mark = CUT;
	}
	if (n > 0) {
		printf("\0337%s%.*s%s\033[0m\0338", e->grey, n, text_str(&hint), mark);
		fflush(stdout);
		e->hint_shown = true;
	}
}

bool edit_is_tall(struct edit *e)
{
	return place_of(e, el_wline(e->el)->lastchar).row >= edit_terminal_size(e, "li") - 1;
}

void edit_show_hint(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	SCOPED_TEXT(text);
	SCOPED_TEXT(hint);

	if (!e->hints || e->dumb || line->cursor != line->lastchar)
		return;
	edit_before_cursor(e, &text);
	e->ops->hint(e->ctx, text_str(&text), &hint);
	put_hint(e, text_str(&hint));
}

void edit_hide_hint(struct edit *e)
{
	if (!e->hint_shown)
		return;
	e->hint_shown = false;
	edit_put("\033[K");
	fflush(stdout);
}

/* Terminal modes when the program is stopped (SIGTSTP, SIGCONT) or panics. */

static struct edit *the_edit;

static void write_all(const char *s)
{
	ssize_t n = write(STDOUT_FILENO, s, strlen(s));

	(void)n;
}

static void release_terminal(struct edit *e)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &e->cooked);
	if (!e->dumb)
		write_all(KEYS_PASTE_OFF);
}

static void resume_terminal(struct edit *e)
{
	if (!e->typing)
		return;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &e->raw);
	if (!e->dumb)
		write_all(KEYS_PASTE_ON);
	e->resumed = 1;
	raise(SIGWINCH);
}

static void on_cont(int sig)
{
	int saved = errno;

	(void)sig;
	resume_terminal(the_edit);
	errno = saved;
}

static void on_stop(int sig)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, own;
	int saved = errno;

	if (the_edit->typing)
		release_terminal(the_edit);
	sigaction(sig, &stop, &own);
	raise(sig);
	sigaction(sig, &own, NULL);
	errno = saved;
}

/* SA_NODEFER: the handler raises the same signal to stop the process. */
void edit_catch_stops(struct edit *e)
{
	struct sigaction stop = { .sa_handler = on_stop, .sa_flags = SA_RESTART | SA_NODEFER };
	struct sigaction cont = { .sa_handler = on_cont, .sa_flags = SA_RESTART };

	sigaction(SIGTSTP, NULL, &e->stop_before);
	if (e->stop_before.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGCONT, &cont, &e->cont_before);
}

void edit_release_stops(struct edit *e)
{
	sigaction(SIGTSTP, &e->stop_before, NULL);
	sigaction(SIGCONT, &e->cont_before, NULL);
}

void edit_panic(struct edit *e)
{
	if (!e->typing)
		return;
	release_terminal(e);
	write_all("\r\n");
}

/* exit(3) was called while a line was typed, for instance because memory ran out. */
static void at_exit(void)
{
	if (the_edit)
		edit_panic(the_edit);
}

void edit_guard(struct edit *e)
{
	static bool registered;

	the_edit = e;
	if (!registered)
		registered = atexit(at_exit) == 0;
}
