/* SPDX-License-Identifier: MIT */
/* Messages about words that no argument takes, and about missing arguments. They suggest what was
 * probably meant, or else show the usage. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "alloc.h"
#include "command/mistakes.h"
#include "near.h"
#include "session.h"

const char *cmd_suggest(const char *typed, Tcl_Obj *words)
{
	struct near near = near_begin(typed);
	Tcl_Obj **v;
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, words, &n, &v) != TCL_OK)
		return NULL;
	for (int i = 0; i < n; i++)
		near_try(&near, Tcl_GetString(v[i]));
	return near.best;
}

const char *mistake_did_you_mean(const char *near)
{
	return near ? temp_text("; did you mean %s?", near) : "";
}

/* -------------------------------------------------------------- options -- */

static bool begins_an_option(const struct cmd *c, const char *word)
{
	for (const struct arg *a = c->args; a && a->name; a++)
		if (strncmp(a->option, word, strlen(word)) == 0)
			return true;
	return false;
}

/* The option of c that has the name word in other commands or programs; NULL: none. */
static const char *option_meant(const struct cmd *c, const char *word)
{
	static const char *const meant[][2] = {
		{ "-at", "-off" },   { "-offset", "-off" }, { "-size", "-len" },
		{ "-n", "-repeat" }, { "-last", "-n" },
	};

	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
		for (const struct arg *a = c->args; a && a->name; a++)
			if (strcmp(meant[i][0], word) == 0 && !(a->flags & ARG_POS) &&
			    strcmp(meant[i][1], a->option) == 0)
				return a->option;
	return NULL;
}

int mistake_option(struct session *s, const struct cmd *c, const char *word)
{
	const bool is_ambiguous = begins_an_option(c, word);
	const char *near = option_meant(c, word), *all;
	SCOPED_LIST(names);

	for (const struct arg *a = c->args; a && a->name; a++)
		if (!(a->flags & ARG_POS) &&
		    (!is_ambiguous || strncmp(a->option, word, strlen(word)) == 0))
			value_append(names, a->option);
	all = Tcl_GetString(names);
	if (!near)
		near = cmd_suggest(word, names);
	if (is_ambiguous)
		fail(s, "args", "BADOPTION", "ambiguous option %s of %s: could be %s", word,
		     c->name, all);
	else
		fail(s, "args", "BADOPTION", "%s has no option %s%s", c->name, word,
		     mistake_did_you_mean(near));
	if (!near && !is_ambiguous)
		fail_row(s, "options", "%s", *all ? all : "none");
	return fail_next(s, "help %s", c->name);
}

/* ---------------------------------------------------------------- words -- */

/* Is the value free text, in which people forget the quotes? */
static bool takes_text(const struct arg *a)
{
	return a &&
	       (a->kind == &kind_bytes || (a->kind == &kind_str && strcmp(a->name, "text") == 0));
}

/* Has an object of the session this name? */
static bool is_object(struct session *s, const char *name)
{
	SCOPED_LIST(names);
	Tcl_Obj **v;
	Tcl_Size n = 0;

	if (app.names)
		app.names(s, names);
	Tcl_ListObjGetElements(NULL, names, &n, &v);
	while (n-- > 0)
		if (strcmp(Tcl_GetString(v[n]), name) == 0)
			return true;
	return false;
}

/* The word before may be a command whose result was meant: "-peer qp-info right". */
static void add_brackets_row(struct session *s, const struct walk *w, const char *text)
{
	const char *before = w->of && w->last ? Tcl_GetString(w->last) : "";
	int used = 0;
	const struct cmd *c = cmd_find(NULL, &before, 1, &used);

	if (c && strcmp(c->name, before) == 0 && !is_object(s, before))
		fail_row(s, "note", "%s is a command: in brackets it runs first: [%s %s]", before,
			 before, text);
}

/* The option that has this constant for a value, unless it is given already; NULL: none. */
static const struct arg *option_of_word(const struct cmd *c, const struct walk *w, const char *text)
{
	for (const struct arg *a = c->args; a && a->name; a++) {
		const struct word *word = a->kind == &kind_enum ? word_find(a->data, text) : NULL;

		if (word && strcasecmp(word->name, text) == 0 && !(a->flags & ARG_POS) &&
		    !is_seen(w, c, a))
			return a;
	}
	return NULL;
}

static bool has_word(struct session *s, const struct arg *a, const char *text)
{
	SCOPED_LIST(words);
	Tcl_Obj **v;
	bool found = false;
	Tcl_Size n;

	if (a->kind->complete)
		a->kind->complete(s, a, words);
	if (Tcl_ListObjGetElements(NULL, words, &n, &v) == TCL_OK)
		for (int i = 0; i < n && !found; i++)
			found = strcmp(Tcl_GetString(v[i]), text) == 0;
	return found;
}

/* Is word, which stands alone, a value of option a? */
static bool is_meant_for(struct session *s, const struct walk *w, const struct arg *a,
			 Tcl_Obj *word)
{
	if (a->flags & ARG_NEED && a->kind->is_static && a->kind->matches)
		return a->kind->matches(s, a, word);
	return !w->ahead && has_word(s, a, Tcl_GetString(word));
}

/* The option may have been left out: "poll cq1", "post fetch-add 5", "reg 64 window". */
static void add_option_row(struct session *s, const struct cmd *c, const struct walk *w,
			   Tcl_Obj *word)
{
	const char *text = Tcl_GetString(word);
	const struct arg *meant = NULL;

	for (const struct arg *a = c->args; a && a->name; a++) {
		if (a->flags & ARG_POS || is_switch(a) || is_seen(w, c, a))
			continue;
		if (is_meant_for(s, w, a, word)) {
			meant = a;
			break;
		}
		if (strcmp(a->name, "name") == 0 && isalpha((unsigned char)*text))
			meant = a;
	}
	if (meant)
		fail_row(s, "near", "did you mean -%s %s?", meant->name, text);
}

int mistake_too_many(struct session *s, const struct cmd *c, const struct walk *w, Tcl_Obj *word)
{
	const char *text = Tcl_GetString(word);
	const struct arg *option = option_of_word(c, w, text);

	fail(s, "args", "TOOMANY", "%s: one word too many: '%s'", c->name, text);
	if (option)
		return fail_next(s, "%s -%s %s", c->name, option->name, text);
	if (text[0] == '#')
		fail_row(s, "note", "a comment after a command is written ';# ...'");
	add_brackets_row(s, w, text);
	add_option_row(s, c, w, word);
	if (!takes_text(w->of))
		fail_next(s, "help %s", c->name);
	return -1;
}

void args_append_quoted(struct text *d, const char *text)
{
	const char *quote = !*text || strpbrk(text, " \t;") ? "\"" : "";
	char *element;

	if (!strpbrk(text, "\"\\$[]{}\n")) {
		xappendf(d, " %s%s%s", quote, text, quote);
		return;
	}
	element = Tcl_Merge(1, &text);
	xappendf(d, " %s", element);
	Tcl_Free(element);
}

void mistake_quotes(struct session *s, const struct cmd *c, const struct walk *w, int objc,
		    Tcl_Obj *const objv[], int i)
{
	SCOPED_TEXT(line);
	SCOPED_TEXT(text);
	int end = i;

	if (!takes_text(w->of) || looks_like_option(Tcl_GetString(objv[i])))
		return;
	text_add(&text, Tcl_GetString(objv[i - 1]));
	while (end < objc && !looks_like_option(Tcl_GetString(objv[end])))
		xappendf(&text, " %s", Tcl_GetString(objv[end++]));
	text_add(&line, c->name);
	for (int k = 0; k < i - 1; k++)
		args_append_quoted(&line, Tcl_GetString(objv[k]));
	args_append_quoted(&line, text_str(&text));
	for (int k = end; k < objc; k++)
		args_append_quoted(&line, Tcl_GetString(objv[k]));
	if (strcmp(s->fail.code, "TOOMANY") == 0)
		fail_next(s, "%s", text_str(&line));
	else
		fail_row(s, "or", "as one text: %s", text_str(&line));
}

/* -------------------------------------------------------------- missing -- */

int mistake_no_value(struct session *s, const struct cmd *c, const struct arg *due)
{
	return fail(s, "args", "MISSING", "%s: -%s needs a value: %s", c->name, due->name,
		    due->help);
}

int args_fail_usage(struct session *s, const struct cmd *c)
{
	size_t len = strlen(c->name);
	SCOPED_TEXT(usage);

	args_usage_short(c, &usage);
	fail_row(s, "usage", "%s", text_str(&usage));
	for (const struct cmd_eg *e = cmd_examples(c); e->line; e++)
		if (strncmp(e->line, c->name, len) == 0 && e->line[len] == ' ') {
			fail_row(s, "example", "%s", e->line);
			break;
		}
	return -1;
}

int mistake_missing(struct session *s, const struct cmd *c, const struct arg *a)
{
	if (a->flags & ARG_POS)
		fail(s, "args", "MISSING", "%s: missing <%s>: %s", c->name, a->name, a->help);
	else
		fail(s, "args", "MISSING", "%s: missing -%s: %s", c->name, a->name, a->help);
	args_fail_usage(s, c);
	return -1;
}

int mistake_value(struct session *s, const struct cmd *c, const struct arg *a)
{
	if (a->flags & ARG_POS && a->kind->is_static && strcmp(s->fail.code, "BADVALUE") == 0)
		args_fail_usage(s, c);
	return -1;
}
