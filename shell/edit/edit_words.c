/* SPDX-License-Identifier: MIT */
/* The Tab key: completes the word, or lists the possible words below the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/edit_impl.h"
#include "output/print.h"
#include "alloc.h"

static bool begins_variable(const char *word)
{
	return *word == '$';
}

/* Appends word with the characters that Tcl would interpret escaped; visible.h uses Tcl's escapes.
 */
static void append_escaped(Tcl_DString *out, const char *word)
{
	Tcl_DString plain;

	Tcl_DStringInit(&plain);
	for (; *word; word++) {
		if (strchr(" $\"\\;[]{}", *word))
			Tcl_DStringAppend(&plain, "\\", 1);
		Tcl_DStringAppend(&plain, word, 1);
	}
	visible_append(out, Tcl_DStringValue(&plain), (size_t)Tcl_DStringLength(&plain),
		       VISIBLE_ONE_LINE);
	Tcl_DStringFree(&plain);
}

static void append_quoted(Tcl_DString *out, const char *word)
{
	char *quoted;
	int flags, n;

	if (!is_visible(word)) {
		append_escaped(out, word);
		return;
	}
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

/* Replaces typed, which is just before the cursor. */
static void replace_typed(struct edit *e, const char *typed, const char *with)
{
	int chars = 0;

	for (; *typed; edit_take_char(&typed))
		chars++;
	libedit.el_deletestr(e->el, chars);
	libedit.el_insertstr(e->el, with);
}

static bool wants_blank(struct edit *e, const char *word)
{
	const LineInfo *line = libedit.el_line(e->el);
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

/* Shortens common to its common prefix with word, at a character boundary. */
static void keep_common_prefix(Tcl_DString *common, const char *word)
{
	const char *s = Tcl_DStringValue(common);
	int n = 0;

	while (s[n] && s[n] == word[n])
		n++;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	Tcl_DStringSetLength(common, n);
}

/* The common prefix of all words, up to the first character that needs quotes. */
static void common_start(Tcl_DString *common, Tcl_Obj *const *words, int n)
{
	int i;

	Tcl_DStringAppend(common, Tcl_GetString(words[0]), -1);
	for (i = 1; i < n; i++)
		keep_common_prefix(common, Tcl_GetString(words[i]));
	Tcl_DStringSetLength(common, (int)strcspn(Tcl_DStringValue(common), " \t\n\"\\;[]{}"));
	if (!is_visible(Tcl_DStringValue(common)))
		Tcl_DStringSetLength(common, 0);
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

/* Escapes a word for display: it may be the name of a file or of a peer's object. */
static void make_visible(Tcl_DString *d, Tcl_Obj *word)
{
	const char *text = Tcl_GetString(word);

	Tcl_DStringInit(d);
	visible_append(d, text, strlen(text), VISIBLE_ONE_LINE);
}

static void put_row(Tcl_Obj *const *words, int n, int row, int rows, int width)
{
	Tcl_DString word;
	int i;

	for (i = row; i < n; i += rows) {
		make_visible(&word, words[i]);
		edit_put(Tcl_DStringValue(&word));
		if (i + rows < n)
			printf("%*s", width - edit_text_width(Tcl_DStringValue(&word)), "");
		Tcl_DStringFree(&word);
	}
	edit_put("\n");
}

static int widest_word(Tcl_Obj *const *words, int n)
{
	int i, w, width = 0;
	Tcl_DString word;

	for (i = 0; i < n; i++) {
		make_visible(&word, words[i]);
		w = edit_text_width(Tcl_DStringValue(&word));
		Tcl_DStringFree(&word);
		if (w > width)
			width = w;
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
	edit_go_to_end(e);
	edit_put("\n");
	put_columns(e, words, n);
	edit_draw(e);
}

static unsigned char offer_words(struct edit *e, const char *typed, Tcl_Obj *list)
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

unsigned char edit_complete_key(EditLine *el, wint_t key)
{
	struct edit *e = edit_of(el);
	unsigned char done = CC_ERROR;
	Tcl_DString text;
	Tcl_Obj *list;
	size_t start;

	(void)key;
	edit_before_cursor(e, &text);
	start = Tcl_DStringLength(&text);
	list = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(list);
	e->ops->complete(e->ctx, Tcl_DStringValue(&text), list, &start);
	if (start >= (size_t)Tcl_DStringLength(&e->lines) &&
	    start <= (size_t)Tcl_DStringLength(&text))
		done = offer_words(e, Tcl_DStringValue(&text) + start, list);
	Tcl_DecrRefCount(list);
	Tcl_DStringFree(&text);
	return done;
}
