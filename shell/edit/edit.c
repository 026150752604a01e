/* SPDX-License-Identifier: MIT */
/*
 * The line editor: libedit driven by the event loop, and the Tab key, which completes the word or
 * lists the possible words below the line.
 *
 * libedit tracks the screen from the prompt's row on. Code that writes there (a notice, a hint, a
 * list of words) must leave the cursor where libedit believes it to be, or at the start of an empty
 * row and then redraw everything.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#include <wchar.h>

#include "alloc.h"
#include "edit/edit_impl.h"
#include "loop.h"
#include "output/print.h"

static bool begins_variable(const char *word)
{
	return *word == '$';
}

/* Appends word with the characters that Tcl would interpret escaped; visible.h uses Tcl's escapes.
 */
static void append_escaped(struct text *out, const char *word)
{
	SCOPED_TEXT(plain);

	for (; *word; word++) {
		if (strchr(" $\"\\;[]{}", *word))
			text_add(&plain, "\\");
		text_add_bytes(&plain, word, 1);
	}
	visible_append(out, text_str(&plain), text_len(&plain), VISIBLE_ONE_LINE);
}

static void append_quoted(struct text *out, const char *word)
{
	char *quoted;
	int flags, n;

	if (!visible_is_plain(word)) {
		append_escaped(out, word);
		return;
	}
	if (begins_variable(word)) {
		text_add(out, word);
		return;
	}
	n = Tcl_ScanElement(word, &flags);
	quoted = xcalloc(n + 1, 1);
	Tcl_ConvertElement(word, quoted, flags | TCL_DONT_QUOTE_HASH);
	text_add(out, quoted);
	free(quoted);
}

/* Replaces typed, which is just before the cursor. */
static void replace_typed(struct edit *e, const char *typed, const char *with)
{
	int chars = 0;

	for (; *typed; edit_take_char(&typed))
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
	SCOPED_TEXT(with);

	append_quoted(&with, word);
	if (wants_blank(e, word))
		text_add(&with, " ");
	replace_typed(e, typed, text_str(&with));
}

/* Shortens common to its common prefix with word, at a character boundary. */
static void keep_common_prefix(struct text *common, const char *word)
{
	const char *s = text_str(common);
	int n = 0;

	while (s[n] && s[n] == word[n])
		n++;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	text_resize(common, n);
}

/* The common prefix of all words, up to the first character that needs quotes. */
static void common_start(struct text *common, Tcl_Obj *const *words, int n)
{
	int i;

	text_add(common, Tcl_GetString(words[0]));
	for (i = 1; i < n; i++)
		keep_common_prefix(common, Tcl_GetString(words[i]));
	text_resize(common, strcspn(text_str(common), " \t\n\"\\;[]{}"));
	if (!visible_is_plain(text_str(common)))
		text_resize(common, 0);
}

static bool insert_common(struct edit *e, const char *typed, Tcl_Obj *const *words, int n)
{
	SCOPED_TEXT(common);
	bool longer;

	common_start(&common, words, n);
	longer = text_len(&common) > strlen(typed);
	if (longer)
		replace_typed(e, typed, text_str(&common));
	return longer;
}

/* Escapes a word for display: it may be the name of a file or of a peer's object. */
static void append_visible(struct text *d, Tcl_Obj *word)
{
	visible_append(d, Tcl_GetString(word), strlen(Tcl_GetString(word)), VISIBLE_ONE_LINE);
}

static void put_row(Tcl_Obj *const *words, int n, int row, int rows, int width)
{
	for (int i = row; i < n; i += rows) {
		SCOPED_TEXT(word);

		append_visible(&word, words[i]);
		edit_put(text_str(&word));
		if (i + rows < n)
			printf("%*s",
			       width - (int)print_text_width(text_str(&word), text_len(&word)), "");
	}
	edit_put("\n");
}

static int widest_word(Tcl_Obj *const *words, int n)
{
	int width = 0;

	for (int i = 0; i < n; i++) {
		SCOPED_TEXT(word);

		append_visible(&word, words[i]);
		width = MAX(width, (int)print_text_width(text_str(&word), text_len(&word)));
	}
	return width;
}

/* Prints the words in columns, as ls does, at most one screen. */
static void put_columns(struct edit *e, Tcl_Obj *const *words, int n)
{
	int width = widest_word(words, n) + 2;
	int columns = edit_terminal_size(e, "co") / width;
	int most = edit_terminal_size(e, "li") - 3;
	int shown, rows, row;

	columns = MAX(columns, 1);
	shown = MIN(n, columns * MAX(most, 1));
	rows = (shown + columns - 1) / columns;
	for (row = 0; row < rows; row++)
		put_row(words, shown, row, rows, width);
	if (shown < n)
		printf("... and %d more\n", n - shown);
}

/* Draws prompt, line and hint, from the start of an empty row. */
static void draw(struct edit *e)
{
	el_set(e->el, EL_REFRESH);
	e->hint_shown = false;
	if (e->idle)
		edit_show_hint(e);
	fflush(stdout);
}

static void list_words(struct edit *e, Tcl_Obj *const *words, int n)
{
	edit_go_to_end(e);
	edit_put("\n");
	put_columns(e, words, n);
	draw(e);
}

/* Are all of the words options? Completion then does not insert one unless something is typed. */
static bool are_options(Tcl_Obj *const *words, int n)
{
	while (n > 0 && *Tcl_GetString(words[n - 1]) == '-')
		n--;
	return n == 0;
}

static unsigned char offer_words(struct edit *e, const char *typed, Tcl_Obj *list)
{
	Tcl_Obj **words;
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, list, &n, &words) != TCL_OK || n == 0)
		return CC_ERROR;
	if ((!*typed && are_options(words, n)) || (n > 1 && !insert_common(e, typed, words, n))) {
		list_words(e, words, n);
		return CC_NORM;
	}
	if (n == 1)
		insert_only(e, typed, Tcl_GetString(words[0]));
	return CC_REFRESH;
}

static unsigned char edit_complete_key(EditLine *el, wint_t key)
{
	struct edit *e = edit_of(el);
	unsigned char done = CC_ERROR;
	SCOPED_TEXT(text);
	SCOPED_LIST(list);
	size_t start;

	(void)key;
	edit_before_cursor(e, &text);
	start = text_len(&text);
	e->ops->complete(e->ctx, text_str(&text), list, &start);
	if (start >= text_len(&e->lines) && start <= text_len(&text))
		done = offer_words(e, text_str(&text) + start, list);
	return done;
}

void edit_before_cursor(struct edit *e, struct text *text)
{
	const LineInfo *line = el_line(e->el);

	text_add_bytes(text, text_str(&e->lines), text_len(&e->lines));
	text_add_bytes(text, line->buffer, (line->cursor - line->buffer));
}

/* --- redrawing --- */

void edit_above(struct edit *e, const char *text)
{
	if (e->typing)
		edit_erase_line(e);
	edit_put(text);
	fflush(stdout);
	if (e->typing)
		draw(e);
}

bool edit_is_typing(const struct edit *e)
{
	return e->typing;
}

static void on_resize(void *arg)
{
	struct edit *e = arg;

	if (!e->typing)
		return;
	el_resize(e->el);
	if (e->resumed)
		edit_put("\r\033[J");
	else
		edit_erase_line(e);
	e->resumed = 0;
	draw(e);
}

/* --- keys --- */

static void on_idle(void *arg, bool idle)
{
	struct edit *e = arg;

	e->idle = idle;
	if (idle)
		edit_show_hint(e);
	else
		edit_hide_hint(e);
}

/* Leaves the line on the screen and moves to the row below it. */
static void leave_line(struct edit *e, const char *mark)
{
	e->left = true;
	edit_go_to_end(e);
	edit_put(mark);
	edit_put("\r\n");
	fflush(stdout);
}

static bool line_is_empty(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);

	return line->buffer == line->lastchar && text_len(&e->lines) == 0;
}

static void give_up_line(struct edit *e)
{
	e->cancels = line_is_empty(e) ? e->cancels + 1 : 0;
	leave_line(e, "^C");
	if (e->cancels < 2)
		return;
	e->cancels = 0;
	edit_put("To leave: quit or Ctrl-D\r\n");
	fflush(stdout);
}

static unsigned char paste_rest(EditLine *el, wint_t key)
{
	(void)key;
	keys_paste(edit_of(el)->keys, el);
	return CC_REFRESH;
}

/* Leaves the line if keys_next() or keys_read_paste() has read no key. Returns got. */
static int note_end(struct edit *e, int got)
{
	const int saved = errno;

	if (got < 0)
		give_up_line(e);
	else if (got == 0)
		leave_line(e, "");
	errno = saved;
	return got;
}

static unsigned char paste_begins(EditLine *el, wint_t key)
{
	struct edit *e = edit_of(el);

	return note_end(e, keys_read_paste(e->keys)) == 1 ? paste_rest(el, key) : CC_EOF;
}

/* When a line fills the screen, libedit (20221030) loses track of a move to its end, and crashes
 * when text is added there. Redrawing restores the cursor position. */
static void mend_cursor(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	bool at_end = line->cursor == line->lastchar;

	if (at_end && !e->at_end && edit_is_tall(e)) {
		edit_erase_line(e);
		draw(e);
	}
	e->at_end = at_end;
}

static int next_key(EditLine *el, wchar_t *c)
{
	struct edit *e = edit_of(el);

	if (!e->typing) {
		tcgetattr(STDIN_FILENO, &e->raw);
		e->typing = 1;
	}
	mend_cursor(e);
	return note_end(e, keys_next(e->keys, c));
}

/* --- reading --- */

static void begin_line(struct edit *e)
{
	if (loop_interrupts(e->loop) != e->interrupts)
		keys_drop(e->keys);
	loop_clear_interrupt(e->loop);
	text_resize(&e->lines, 0);
	tcgetattr(STDIN_FILENO, &e->cooked);
	edit_catch_stops(e);
	if (!e->dumb)
		edit_put(KEYS_PASTE_ON);
}

static void end_line(struct edit *e)
{
	if (!e->dumb)
		edit_put(KEYS_PASTE_OFF);
	fflush(stdout);
	edit_release_stops(e);
	e->interrupts = loop_interrupts(e->loop);
}

static enum edit_end read_line(struct edit *e)
{
	const char *line;
	int n;

	e->left = false;
	/* el_gets() does this only after the prompt: a key typed before would be echoed
	 * twice. */
	el_set(e->el, EL_PREP_TERM, 1);
	line = el_gets(e->el, &n);
	e->typing = 0;
	if (!line && !e->left)
		edit_put("\r\n");
	if (loop_ending(e->loop))
		return EDIT_EOF;
	if (line && n > 0) {
		text_add_bytes(&e->lines, line, n);
		return EDIT_BLOCK;
	}
	if (!loop_interrupted(e->loop) && !text_len(&e->lines))
		return EDIT_EOF;
	loop_clear_interrupt(e->loop);
	return EDIT_CANCEL;
}

static void accept_block(struct edit *e, struct text *block)
{
	const char *text;
	int n = text_len(&e->lines);

	if (n > 0 && text_str(&e->lines)[n - 1] == '\n')
		text_resize(&e->lines, n - 1);
	text = text_str(&e->lines);
	text_add(block, text);
	if (text[strspn(text, " \t\n")])
		hist_add(e->hist, text);
	e->cancels = 0;
}

enum edit_end edit_read(struct edit *e, struct text *block)
{
	enum edit_end end;

	begin_line(e);
	do
		end = read_line(e);
	while (end == EDIT_BLOCK && !e->ops->whole(e->ctx, text_str(&e->lines)));
	end_line(e);
	if (end == EDIT_BLOCK)
		accept_block(e, block);
	return end;
}

void edit_hints(struct edit *e, bool on)
{
	e->hints = on;
}

/* --- life --- */

/* Text is always UTF-8, as in Tcl, even if the locale is not. */
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

/* The function of the key that sends "ESC [ number ~": libedit would insert the '~'. */
static const char *function_of_key(int number)
{
	switch (number) {
	case 1:
	case 7:
		return "ed-move-to-beg";
	case 3:
		return "ed-delete-next-char";
	case 4:
	case 8:
		return "ed-move-to-end";
	case 5:
		return "ed-search-prev-history";
	case 6:
		return "ed-search-next-history";
	default:
		return "ed-ignore";
	}
}

static void bind_keys(struct edit *e)
{
	el_set(e->el, EL_EDITOR, "emacs");
	for (int n = 1; n < 35; n++)
		el_set(e->el, EL_BIND, temp_text("\033[%d~", n), function_of_key(n), NULL);
	el_set(e->el, EL_BIND, "\033[1;5C", "em-next-word", NULL);
	el_set(e->el, EL_BIND, "\033[1;5D", "ed-prev-word", NULL);
	el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(e->el, EL_BIND, "^S", "em-inc-search-next", NULL);
	el_set(e->el, EL_BIND, "^W", "ed-delete-prev-word", NULL);
	el_set(e->el, EL_SETTY, "-d", "-ixon", NULL); /* ^S is a key */
	/* el_set() would copy the names and leak them. */
	el_wset(e->el, EL_ADDFN, L"rdmash-complete", L"Complete the word", edit_complete_key);
	el_wset(e->el, EL_ADDFN, L"rdmash-paste", L"Insert what is pasted", paste_begins);
	el_wset(e->el, EL_ADDFN, L"rdmash-paste-rest", L"Insert the rest of it", paste_rest);
	el_set(e->el, EL_BIND, "^I", "rdmash-complete", NULL);
	el_set(e->el, EL_BIND, KEYS_PASTE_BEGIN, "rdmash-paste", NULL);
	el_set(e->el, EL_BIND, KEYS_PASTED_CARET, "rdmash-paste-rest", NULL);
	el_source(e->el, NULL);
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
	el_set(e->el, EL_PROMPT_ESC, edit_prompt, EDIT_LITERAL);
	el_set(e->el, EL_GETCFN, next_key);
	bind_keys(e);
	el_set(e->el, EL_HIST, history, hist_entries(e->hist));
}

struct edit *edit_new(struct loop *l, const struct edit_ops *ops, void *ctx, const char *history)
{
	struct edit *e = xcalloc(1, sizeof(*e));

	use_utf8();
	e->loop = l;
	e->ops = ops;
	e->ctx = ctx;
	e->hints = true;
	e->dumb = is_dumb();
	e->grey = getenv("NO_COLOR") ? "\033[2m" : "\033[90m";
	e->lines = (struct text){ 0 };
	e->prompt = (struct text){ 0 };
	e->hist = hist_open(history);
	e->keys = keys_new(l, STDIN_FILENO, on_idle, e);
	e->interrupts = loop_interrupts(l);
	set_up_libedit(e);
	loop_on_resize(l, on_resize, e);
	edit_guard(e);
	return e;
}

void edit_free(struct edit *e)
{
	if (!e)
		return;
	edit_guard(NULL);
	loop_on_resize(e->loop, NULL, NULL);
	el_end(e->el);
	hist_close(e->hist);
	keys_free(e->keys);
	text_free(&e->lines);
	text_free(&e->prompt);
	free(e);
}

void edit_history(const struct edit *e, unsigned n, const char *text, Tcl_Obj *list)
{
	hist_list(e->hist, n, text, list);
}
