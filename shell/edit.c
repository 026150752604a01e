/* SPDX-License-Identifier: MIT */
/*
 * Line editing at a terminal: libedit driven by the event loop.
 *
 * libedit knows the screen from the prompt's row on. Whoever writes there (a notice, a
 * hint, a list of words) leaves the cursor where libedit believes it to be, or at the
 * start of a free row and then has everything drawn anew.
 */
#include <errno.h>
#include <histedit.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "edit.h"
#include "hist.h"
#include "keys.h"
#include "loop.h"
#include "xmem.h"

#define LITERAL	     '\001' /* encloses what has no width in a prompt */
#define CONTINUATION "...> "
#define CTRL_W	     L'\027'

struct edit {
	struct loop *loop;
	const struct edit_ops *ops;
	void *ctx;
	EditLine *el;
	struct hist *hist;
	struct keys *keys;
	Tcl_DString lines;  /* of the open block, each with its newline */
	Tcl_DString prompt; /* as libedit has it */
	int first_width;    /* of the prompt of the first line */
	bool dumb;
	bool hints;
	const char *grey;
	bool idle; /* the user is waited for */
	bool hint_shown;
	bool at_end;	     /* the cursor was, before the last key */
	bool left;	     /* the line, for the row below it */
	unsigned interrupts; /* as of the last look */
	unsigned cancels;    /* Ctrl-C in a row on an empty prompt */
	struct termios cooked, raw;
	struct sigaction stop_before, cont_before;
	volatile sig_atomic_t typing; /* the terminal is raw, a line is shown */
	volatile sig_atomic_t resumed;
};

static struct edit *the_edit;

static void put(const char *s)
{
	fputs(s, stdout);
}

/* The next character of UTF-8 text; never passes the end of s. */
static wchar_t take_char(const char **s)
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

static int text_width(const char *s)
{
	int width = 0, w;

	while (*s) {
		w = wcwidth(take_char(&s));
		width += w > 0 ? w : 0;
	}
	return width;
}

/* --- where libedit has put what: its own rules of drawing, followed --- */

struct spot {
	int row, col;
	int columns;
};

static int terminal_size(struct edit *e, const char *capability)
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

static void advance_prompt(struct spot *at, const char *prompt)
{
	bool literal = false;
	wchar_t c;

	while (*prompt) {
		c = take_char(&prompt);
		if (c == LITERAL)
			literal = !literal;
		else if (!literal)
			advance_char(at, c);
	}
}

/* Where c, a pointer into the line, would be if the terminal had rows enough. */
static struct spot place_of(struct edit *e, const wchar_t *c)
{
	struct spot at = { .columns = terminal_size(e, "co") };
	const wchar_t *p;

	advance_prompt(&at, Tcl_DStringValue(&e->prompt));
	for (p = el_wline(e->el)->buffer; p < c; p++)
		advance_char(&at, *p);
	return at;
}

/* Where it is shown. */
static struct spot spot_of(struct edit *e, const wchar_t *c)
{
	struct spot at = place_of(e, c);
	int last_row = terminal_size(e, "li") - 1;

	if (at.row > last_row)
		at.row = last_row;
	return at;
}

static struct spot cursor_spot(struct edit *e)
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

static void go_to_end(struct edit *e)
{
	struct spot end = end_spot(e);

	if (e->dumb)
		return;
	move(end.row - cursor_spot(e).row, 'B');
	put("\r");
	move(end.col, 'C');
}

/* Leaves the cursor at the start of the row the prompt was in. */
static void erase_line(struct edit *e)
{
	if (e->dumb) {
		put("\r\n");
		return;
	}
	move(cursor_spot(e).row, 'A');
	put("\r\033[J");
}

/* --- what has been typed --- */

/* The block up to the cursor. The result is to be freed. */
static void before_cursor(struct edit *e, Tcl_DString *text)
{
	const LineInfo *line = el_line(e->el);

	Tcl_DStringInit(text);
	Tcl_DStringAppend(text, Tcl_DStringValue(&e->lines), Tcl_DStringLength(&e->lines));
	Tcl_DStringAppend(text, line->buffer, (int)(line->cursor - line->buffer));
}

/* During ^R libedit keeps what is looked for in the line, behind the cursor. */
static bool searching(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	const wchar_t *p;

	for (p = line->cursor; line->lastchar - p >= 4; p++)
		if (wmemcmp(p, L"\nbck", 4) == 0 || wmemcmp(p, L"\nfwd", 4) == 0)
			return true;
	return false;
}

/* --- prompt --- */

static void end_colors(Tcl_DString *out, Tcl_DString *colors)
{
	const char literal = LITERAL;

	if (Tcl_DStringLength(colors) == 0)
		return;
	Tcl_DStringAppend(out, &literal, 1);
	Tcl_DStringAppend(out, Tcl_DStringValue(colors), Tcl_DStringLength(colors));
	Tcl_DStringAppend(out, &literal, 1);
	Tcl_DStringSetLength(colors, 0);
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

/* libedit ties a literal to the character behind it: adjacent ones are to be one, and the
 * last one is lost, so it goes before the blank that ends the prompt. */
static void close_prompt(Tcl_DString *out, Tcl_DString *colors)
{
	const char *s = Tcl_DStringValue(out);
	int n = Tcl_DStringLength(out);

	if (Tcl_DStringLength(colors) == 0)
		return;
	if (n > 1 && s[n - 1] == ' ' && s[n - 2] != LITERAL)
		Tcl_DStringSetLength(out, n - 1);
	end_colors(out, colors);
	Tcl_DStringAppend(out, " ", 1);
}

static void enclose_colors(Tcl_DString *out, const char *s)
{
	Tcl_DString colors;
	int n;

	Tcl_DStringInit(&colors);
	while (*s) {
		n = sgr_length(s);
		if (n > 0) {
			Tcl_DStringAppend(&colors, s, n);
			s += n;
			continue;
		}
		if ((unsigned char)*s >= ' ') {
			end_colors(out, &colors);
			Tcl_DStringAppend(out, s, 1);
		}
		s++;
	}
	close_prompt(out, &colors);
	Tcl_DStringFree(&colors);
}

static void first_prompt(struct edit *e)
{
	struct spot at = { .columns = INT_MAX };
	Tcl_DString plain;

	Tcl_DStringInit(&plain);
	e->ops->prompt(e->ctx, &plain);
	enclose_colors(&e->prompt, Tcl_DStringValue(&plain));
	Tcl_DStringFree(&plain);
	advance_prompt(&at, Tcl_DStringValue(&e->prompt));
	e->first_width = at.col;
}

static void next_prompt(struct edit *e)
{
	int pad = e->first_width - (int)strlen(CONTINUATION);

	if (e->first_width <= terminal_size(e, "co") / 2)
		while (pad-- > 0)
			Tcl_DStringAppend(&e->prompt, " ", 1);
	Tcl_DStringAppend(&e->prompt, CONTINUATION, -1);
}

static struct edit *edit_of(EditLine *el)
{
	void *e = NULL;

	el_get(el, EL_CLIENTDATA, &e);
	return e;
}

static char *prompt(EditLine *el)
{
	struct edit *e = edit_of(el);

	Tcl_DStringSetLength(&e->prompt, 0);
	if (Tcl_DStringLength(&e->lines) > 0)
		next_prompt(e);
	else
		first_prompt(e);
	return Tcl_DStringValue(&e->prompt);
}

/* --- ghost hints --- */

/* Bytes of s that fit into room columns and are one row of text. */
static int fitting(const char *s, int room)
{
	const char *p = s, *end = s;
	int w;

	while (*p) {
		w = wcwidth(take_char(&p));
		if (w < 0 || w > room)
			break;
		room -= w;
		end = p;
	}
	return (int)(end - s);
}

static void put_hint(struct edit *e, const char *hint)
{
	struct spot at = cursor_spot(e);
	int n = fitting(hint, at.columns - at.col - 1);

	if (n == 0)
		return;
	printf("\0337%s%.*s\033[0m\0338", e->grey, n, hint);
	fflush(stdout);
	e->hint_shown = true;
}

static void show_hint(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	Tcl_DString text, hint;

	if (!e->hints || e->dumb || line->cursor != line->lastchar)
		return;
	before_cursor(e, &text);
	Tcl_DStringInit(&hint);
	e->ops->hint(e->ctx, Tcl_DStringValue(&text), &hint);
	put_hint(e, Tcl_DStringValue(&hint));
	Tcl_DStringFree(&hint);
	Tcl_DStringFree(&text);
}

static void hide_hint(struct edit *e)
{
	if (!e->hint_shown)
		return;
	e->hint_shown = false;
	put("\033[K");
	fflush(stdout);
}

/* --- drawing anew --- */

/* From the start of a free row. */
static void draw(struct edit *e)
{
	el_set(e->el, EL_REFRESH);
	e->hint_shown = false;
	if (e->idle)
		show_hint(e);
	fflush(stdout);
}

void edit_above(struct edit *e, const char *text)
{
	if (e->typing)
		erase_line(e);
	put(text);
	fflush(stdout);
	if (e->typing)
		draw(e);
}

static void on_resize(void *arg)
{
	struct edit *e = arg;

	if (!e->typing)
		return;
	el_resize(e->el);
	if (e->resumed)
		put("\r\033[J");
	else
		erase_line(e);
	e->resumed = 0;
	draw(e);
}

/* --- completion --- */

static bool begins_variable(const char *word)
{
	return *word == '$';
}

static void append_quoted(Tcl_DString *out, const char *word)
{
	char *quoted;
	int flags, n;

	if (begins_variable(word)) {
		Tcl_DStringAppend(out, word, -1);
		return;
	}
	n = Tcl_ScanElement(word, &flags);
	quoted = xcalloc(n + 1, 1);
	Tcl_ConvertElement(word, quoted, flags | TCL_DONT_QUOTE_HASH);
	Tcl_DStringAppend(out, quoted, -1);
	free(quoted);
}

/* Replaces the bytes of typed, just before the cursor. */
static void replace_typed(struct edit *e, const char *typed, const char *with)
{
	int chars = 0;

	for (; *typed; take_char(&typed))
		chars++;
	el_deletestr(e->el, chars);
	el_insertstr(e->el, with);
}

static bool wants_blank(struct edit *e, const char *word)
{
	const LineInfo *line = el_line(e->el);
	size_t n = strlen(word);

	if (n > 0 && word[n - 1] == '/')
		return false;
	return line->cursor == line->lastchar || *line->cursor != ' ';
}

static void insert_only(struct edit *e, const char *typed, const char *word)
{
	Tcl_DString with;

	Tcl_DStringInit(&with);
	append_quoted(&with, word);
	if (wants_blank(e, word))
		Tcl_DStringAppend(&with, " ", 1);
	replace_typed(e, typed, Tcl_DStringValue(&with));
	Tcl_DStringFree(&with);
}

/* Shortens common to what word begins with, too, at a whole character. */
static void shorten(Tcl_DString *common, const char *word)
{
	const char *s = Tcl_DStringValue(common);
	int n = 0;

	while (s[n] && s[n] == word[n])
		n++;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	Tcl_DStringSetLength(common, n);
}

/* What needs no quoting of the beginning that all words share. */
static void common_start(Tcl_DString *common, Tcl_Obj *const *words, int n)
{
	int i;

	Tcl_DStringAppend(common, Tcl_GetString(words[0]), -1);
	for (i = 1; i < n; i++)
		shorten(common, Tcl_GetString(words[i]));
	Tcl_DStringSetLength(common, (int)strcspn(Tcl_DStringValue(common), " \t\n\"\\;[]{}"));
}

static bool insert_common(struct edit *e, const char *typed, Tcl_Obj *const *words, int n)
{
	Tcl_DString common;
	bool longer;

	Tcl_DStringInit(&common);
	common_start(&common, words, n);
	longer = Tcl_DStringLength(&common) > (int)strlen(typed);
	if (longer)
		replace_typed(e, typed, Tcl_DStringValue(&common));
	Tcl_DStringFree(&common);
	return longer;
}

static void put_row(Tcl_Obj *const *words, int n, int row, int rows, int width)
{
	const char *word;
	int i;

	for (i = row; i < n; i += rows) {
		word = Tcl_GetString(words[i]);
		put(word);
		if (i + rows < n)
			printf("%*s", width - text_width(word), "");
	}
	put("\n");
}

static int widest(Tcl_Obj *const *words, int n)
{
	int i, w, width = 0;

	for (i = 0; i < n; i++) {
		w = text_width(Tcl_GetString(words[i]));
		if (w > width)
			width = w;
	}
	return width;
}

/* Downwards in columns, as ls does; no more than a screen. */
static void put_columns(struct edit *e, Tcl_Obj *const *words, int n)
{
	int width = widest(words, n) + 2;
	int columns = terminal_size(e, "co") / width;
	int most = terminal_size(e, "li") - 3;
	int shown, rows, row;

	if (columns < 1)
		columns = 1;
	if (most < 1)
		most = 1;
	shown = n < columns * most ? n : columns * most;
	rows = (shown + columns - 1) / columns;
	for (row = 0; row < rows; row++)
		put_row(words, shown, row, rows, width);
	if (shown < n)
		printf("... and %d more\n", n - shown);
}

static void list_words(struct edit *e, Tcl_Obj *const *words, int n)
{
	go_to_end(e);
	put("\n");
	put_columns(e, words, n);
	draw(e);
}

static unsigned char offer(struct edit *e, const char *typed, Tcl_Obj *list)
{
	Tcl_Obj **words;
	int n;

	if (Tcl_ListObjGetElements(NULL, list, &n, &words) != TCL_OK || n == 0)
		return CC_ERROR;
	if (n == 1)
		insert_only(e, typed, Tcl_GetString(words[0]));
	else if (!insert_common(e, typed, words, n)) {
		list_words(e, words, n);
		return CC_NORM;
	}
	return CC_REFRESH;
}

static unsigned char complete_key(EditLine *el, wint_t key)
{
	struct edit *e = edit_of(el);
	unsigned char done = CC_ERROR;
	Tcl_DString text;
	Tcl_Obj *list;
	size_t start;

	(void)key;
	before_cursor(e, &text);
	start = Tcl_DStringLength(&text);
	list = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(list);
	e->ops->complete(e->ctx, Tcl_DStringValue(&text), list, &start);
	if (start >= (size_t)Tcl_DStringLength(&e->lines) &&
	    start <= (size_t)Tcl_DStringLength(&text))
		done = offer(e, Tcl_DStringValue(&text) + start, list);
	Tcl_DecrRefCount(list);
	Tcl_DStringFree(&text);
	return done;
}

/* --- keys --- */

static unsigned char pasted_key(EditLine *el, wint_t key)
{
	(void)key;
	keys_paste(edit_of(el)->keys, el);
	return CC_REFRESH;
}

static void on_idle(void *arg, bool idle)
{
	struct edit *e = arg;

	e->idle = idle;
	if (idle)
		show_hint(e);
	else
		hide_hint(e);
}

/* The line stays on the screen, what comes next begins below it. In a search libedit goes
 * there on its own. */
static void leave_line(struct edit *e, const char *mark)
{
	e->left = true;
	if (searching(e))
		return;
	go_to_end(e);
	put(mark);
	put("\r\n");
	fflush(stdout);
}

static bool line_is_empty(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);

	return line->buffer == line->lastchar && Tcl_DStringLength(&e->lines) == 0;
}

static void give_up_line(struct edit *e)
{
	e->cancels = line_is_empty(e) ? e->cancels + 1 : 0;
	leave_line(e, "^C");
	if (e->cancels < 2)
		return;
	e->cancels = 0;
	put("To leave: quit or Ctrl-D\r\n");
	fflush(stdout);
}

/* A line that fills the screen: libedit (20221030) does not follow a move to its end, and
 * crashes when text is added there. Drawn anew, it knows again where the cursor is. */
static void mend_cursor(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	bool at_end = line->cursor == line->lastchar;

	if (at_end && !e->at_end && !searching(e) &&
	    place_of(e, line->lastchar).row >= terminal_size(e, "li") - 1) {
		erase_line(e);
		draw(e);
	}
	e->at_end = at_end;
}

/* In a search libedit (20221030) takes a word from beyond the end of the line. */
static bool is_harmful(struct edit *e, wchar_t c)
{
	return c == CTRL_W && searching(e);
}

static int take_key(struct edit *e, wchar_t *c)
{
	int got;

	do
		got = keys_next(e->keys, c);
	while (got == 1 && is_harmful(e, *c));
	return got;
}

static int next_key(EditLine *el, wchar_t *c)
{
	struct edit *e = edit_of(el);
	int got, saved;

	if (!e->typing) {
		tcgetattr(STDIN_FILENO, &e->raw);
		e->typing = 1;
	}
	mend_cursor(e);
	got = take_key(e, c);
	saved = errno;
	if (got < 0)
		give_up_line(e);
	else if (got == 0)
		leave_line(e, "");
	errno = saved;
	return got;
}

/* --- terminal modes: SIGTSTP, SIGCONT, a panic --- */

static void write_all(const char *s)
{
	ssize_t n = write(STDOUT_FILENO, s, strlen(s));

	(void)n;
}

static void let_go(struct edit *e)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &e->cooked);
	if (!e->dumb)
		write_all(KEYS_PASTE_OFF);
}

static void resume(struct edit *e)
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
	resume(the_edit);
	errno = saved;
}

static void on_stop(int sig)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, own;
	int saved = errno;

	if (the_edit->typing)
		let_go(the_edit);
	sigaction(sig, &stop, &own);
	raise(sig);
	sigaction(sig, &own, NULL);
	errno = saved;
}

/* SA_NODEFER: the handler stops the process by the same signal. */
static void catch_stops(struct edit *e)
{
	struct sigaction stop = { .sa_handler = on_stop, .sa_flags = SA_RESTART | SA_NODEFER };
	struct sigaction cont = { .sa_handler = on_cont, .sa_flags = SA_RESTART };

	sigaction(SIGTSTP, NULL, &e->stop_before);
	if (e->stop_before.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGCONT, &cont, &e->cont_before);
}

void edit_panic(struct edit *e)
{
	if (!e->typing)
		return;
	let_go(e);
	write_all("\r\n");
}

/* exit(3) while a line is typed: memory has run out, say. */
static void at_exit(void)
{
	if (the_edit)
		edit_panic(the_edit);
}

/* --- reading --- */

static void begin(struct edit *e)
{
	if (loop_interrupts(e->loop) != e->interrupts)
		keys_drop(e->keys);
	loop_clear_interrupt(e->loop);
	Tcl_DStringSetLength(&e->lines, 0);
	tcgetattr(STDIN_FILENO, &e->cooked);
	catch_stops(e);
	if (!e->dumb)
		put(KEYS_PASTE_ON);
}

static void finish(struct edit *e)
{
	if (!e->dumb)
		put(KEYS_PASTE_OFF);
	fflush(stdout);
	sigaction(SIGTSTP, &e->stop_before, NULL);
	sigaction(SIGCONT, &e->cont_before, NULL);
	e->interrupts = loop_interrupts(e->loop);
}

static enum edit_end read_line(struct edit *e)
{
	const char *line;
	int n;

	e->left = false;
	/* el_gets() would do so when the prompt is out: a quick key would be echoed
	 * twice. */
	el_set(e->el, EL_PREP_TERM, 1);
	line = el_gets(e->el, &n);
	e->typing = 0;
	if (!line && !e->left)
		put("\r\n");
	if (loop_ending(e->loop))
		return EDIT_EOF;
	if (line && n > 0) {
		Tcl_DStringAppend(&e->lines, line, n);
		return EDIT_BLOCK;
	}
	if (!loop_interrupted(e->loop))
		return EDIT_EOF;
	loop_clear_interrupt(e->loop);
	return EDIT_CANCEL;
}

static void accept_block(struct edit *e, Tcl_DString *block)
{
	const char *text;
	int n = Tcl_DStringLength(&e->lines);

	if (n > 0 && Tcl_DStringValue(&e->lines)[n - 1] == '\n')
		Tcl_DStringSetLength(&e->lines, n - 1);
	text = Tcl_DStringValue(&e->lines);
	Tcl_DStringAppend(block, text, -1);
	if (text[strspn(text, " \t\n")])
		hist_add(e->hist, text);
	e->cancels = 0;
}

enum edit_end edit_read(struct edit *e, Tcl_DString *block)
{
	enum edit_end end;

	begin(e);
	do
		end = read_line(e);
	while (end == EDIT_BLOCK && !e->ops->whole(e->ctx, Tcl_DStringValue(&e->lines)));
	finish(e);
	if (end == EDIT_BLOCK)
		accept_block(e, block);
	return end;
}

void edit_hints(struct edit *e, bool on)
{
	e->hints = on;
}

/* --- life --- */

/* Text is UTF-8 throughout, as Tcl has it, also where the locale is not. */
static void use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || strcmp(term, "dumb") == 0;
}

static void bind_keys(struct edit *e)
{
	bool own;

	el_set(e->el, EL_EDITOR, "emacs");
	own = el_source(e->el, NULL) == 0;
	keys_bind(e->keys, e->el, own);
	/* el_set() would copy the names, and lose them. */
	el_wset(e->el, EL_ADDFN, L"rdmash-complete", L"Complete the word", complete_key);
	el_wset(e->el, EL_ADDFN, L"rdmash-paste", L"Insert what was pasted", pasted_key);
	el_set(e->el, EL_BIND, "^I", "rdmash-complete", NULL);
	el_set(e->el, EL_BIND, KEYS_PASTED_CARET, "rdmash-paste", NULL);
	el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(e->el, EL_BIND, "^W", "ed-delete-prev-word", NULL);
}

static void set_up_libedit(struct edit *e)
{
	e->el = el_init("rdmash", stdin, stdout, stderr);
	if (!e->el) {
		fputs("rdmash: cannot set up line editing\n", stderr);
		exit(1);
	}
	el_set(e->el, EL_CLIENTDATA, e);
	el_set(e->el, EL_SIGNAL, 0);
	el_set(e->el, EL_PROMPT_ESC, prompt, LITERAL);
	el_set(e->el, EL_GETCFN, next_key);
	bind_keys(e);
	el_set(e->el, EL_HIST, history, hist_entries(e->hist));
}

struct edit *edit_new(struct loop *l, const struct edit_ops *ops, void *ctx, const char *history)
{
	static bool registered;
	struct edit *e = xcalloc(1, sizeof(*e));

	use_utf8();
	e->loop = l;
	e->ops = ops;
	e->ctx = ctx;
	e->hints = true;
	e->dumb = is_dumb();
	e->grey = getenv("NO_COLOR") ? "\033[2m" : "\033[90m";
	Tcl_DStringInit(&e->lines);
	Tcl_DStringInit(&e->prompt);
	e->hist = hist_open(history);
	e->keys = keys_new(l, STDIN_FILENO, on_idle, e);
	e->interrupts = loop_interrupts(l);
	set_up_libedit(e);
	loop_on_resize(l, on_resize, e);
	the_edit = e;
	if (!registered)
		registered = atexit(at_exit) == 0;
	return e;
}

void edit_free(struct edit *e)
{
	if (!e)
		return;
	the_edit = NULL;
	loop_on_resize(e->loop, NULL, NULL);
	el_end(e->el);
	hist_close(e->hist);
	keys_free(e->keys);
	Tcl_DStringFree(&e->lines);
	Tcl_DStringFree(&e->prompt);
	free(e);
}
