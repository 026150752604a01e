/* SPDX-License-Identifier: MIT */
/*
 * Completion and hints.
 *
 * A scanner finds the command at the cursor, also inside [ ], braced bodies and after ';'; the word
 * at the cursor is then completed from the argument tables. Tcl's own parser rejects incomplete
 * commands, so the scanner implements the rules that matter.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/edit.h"
#include "help/help.h"
#include "language/interp.h"
#include "lesson/lesson.h"
#include "session.h"

#define DEPTH 32
#define WORDS 64

enum nest { NEST_TOP, NEST_BRACKET, NEST_BRACE, NEST_QUOTE };

struct word_span {
	size_t from, to;
};

/* An unfinished command: the words before the cursor, and the one at it. */
struct level {
	enum nest nest;
	struct word_span words[WORDS];
	unsigned n;
	bool in_word, comment;
	size_t word; /* start of the word at the cursor */
};

struct scan {
	struct level levels[DEPTH];
	unsigned depth; /* index of the innermost level */
};

/* ------------------------------------------------------------------- scanner -- */

static void push_level(struct scan *sc, enum nest nest)
{
	if (sc->depth + 1 == DEPTH)
		return;
	sc->depth++;
	memset(&sc->levels[sc->depth], 0, sizeof sc->levels[0]);
	sc->levels[sc->depth].nest = nest;
}

static void pop_level(struct scan *sc, enum nest nest)
{
	unsigned d = sc->depth;

	while (d && sc->levels[d].nest != nest)
		d--;
	if (d)
		sc->depth = d - 1;
}

static void end_word(struct level *l, size_t at)
{
	if (l->in_word && l->n < WORDS)
		l->words[l->n++] = (struct word_span){ l->word, at };
	l->in_word = false;
}

static void end_command(struct level *l)
{
	l->in_word = false;
	l->comment = false;
	l->n = 0;
}

static void begin_word(struct scan *sc, char c, size_t at)
{
	struct level *l = &sc->levels[sc->depth];

	if (c == '#' && !l->n)
		l->comment = true;
	l->in_word = true;
	l->word = at;
	if (c == '{')
		push_level(sc, NEST_BRACE);
	else if (c == '"')
		push_level(sc, NEST_QUOTE);
}

static void scan_char(struct scan *sc, char c, size_t at)
{
	struct level *l = &sc->levels[sc->depth];

	if (l->comment && c != '\n')
		return;
	if (c == '[' && !l->comment) {
		if (!l->in_word && l->nest != NEST_QUOTE)
			begin_word(sc, c, at);
		push_level(sc, NEST_BRACKET);
	} else if (c == ']') {
		pop_level(sc, NEST_BRACKET);
	} else if (l->nest == NEST_QUOTE) {
		if (c == '"')
			pop_level(sc, NEST_QUOTE);
	} else if (c == '}') {
		pop_level(sc, NEST_BRACE);
	} else if (c == '\n' || c == ';') {
		end_command(l);
	} else if (c == ' ' || c == '\t') {
		end_word(l, at);
	} else if (!l->in_word) {
		begin_word(sc, c, at);
	}
}

static const struct level *scan_line(struct scan *sc, const char *text)
{
	memset(sc, 0, sizeof *sc);
	for (size_t i = 0; text[i]; i++) {
		struct level *l = &sc->levels[sc->depth];

		if (text[i] != '\\' || !text[i + 1]) {
			scan_char(sc, text[i], i);
			continue;
		}
		if (text[i + 1] == '\n' && l->nest != NEST_QUOTE)
			end_word(l, i);
		else if (!l->in_word && l->nest != NEST_QUOTE)
			begin_word(sc, 'x', i);
		i++;
	}
	return &sc->levels[sc->depth];
}

/* --------------------------------------------------------------------- words -- */

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b) ||
	       (strchr("-_", a) && strchr("-_", b) && a && b);
}

static bool begins_with(const char *word, const char *typed)
{
	while (*typed)
		if (!*word || !same_letter(*word++, *typed++))
			return false;
	return true;
}

/* Appends to the second list the matching words of the first, without duplicates. */
static void add_matching(Tcl_Obj *from, const char *typed, Tcl_Obj *to)
{
	Tcl_Obj **v, **have;
	Tcl_Size n, m;

	Tcl_ListObjGetElements(NULL, from, &n, &v);
	for (int i = 0; i < n; i++) {
		bool twice = false;

		Tcl_ListObjGetElements(NULL, to, &m, &have);
		for (int k = 0; k < m && !twice; k++)
			twice = strcmp(Tcl_GetString(have[k]), Tcl_GetString(v[i])) == 0;
		if (!twice && begins_with(Tcl_GetString(v[i]), typed))
			Tcl_ListObjAppendElement(NULL, to, v[i]);
	}
}

static int compare_words(const void *a, const void *b)
{
	Tcl_Obj *const *x = a, *const *y = b;

	return strcasecmp(Tcl_GetString(*x), Tcl_GetString(*y));
}

void complete_sort(Tcl_Obj *words)
{
	Tcl_Obj **v;
	Tcl_Size n = 0;

	if (Tcl_ListObjGetElements(NULL, words, &n, &v) == TCL_OK && n)
		qsort(v, (size_t)n, sizeof(Tcl_Obj *), compare_words);
	Tcl_InvalidateStringRep(words);
}

/* Adds the commands of d: all if d is the user's own domain, else those that the own domain would
 * find in d. */
static void domain_words(struct session *s, struct domain *d, Tcl_Obj *list)
{
	Tcl_Obj *commands = domain_commands(d), **v;
	Tcl_Size n = 0;

	complete_sort(commands);
	Tcl_ListObjGetElements(NULL, commands, &n, &v);
	for (int i = 0; i < n; i++)
		if (strcmp(Tcl_GetString(v[i]), "unknown") != 0 &&
		    strcmp(Tcl_GetString(v[i]), "@") != 0 &&
		    strncmp(Tcl_GetString(v[i]), "rdmash_", 7) != 0 &&
		    (d == s->own || domain_knows(s, Tcl_GetString(v[i])) == d))
			Tcl_ListObjAppendElement(NULL, list, v[i]);
	Tcl_DecrRefCount(commands);
}

/* Adds the words of the list that a script gives. */
static void add_result(Tcl_Interp *tcl, const char *script, Tcl_Obj *list)
{
	Tcl_InterpState saved = Tcl_SaveInterpState(tcl, TCL_OK);

	if (Tcl_Eval(tcl, script) == TCL_OK)
		Tcl_ListObjAppendList(NULL, list, Tcl_GetObjResult(tcl));
	Tcl_RestoreInterpState(tcl, saved);
}

static void list_variables(struct session *s, Tcl_Obj *list)
{
	add_result(s->tcl, "::lsort [::info vars]", list);
}

/* The numbers of a lesson's choices, and the command lesson. */
static void answer_words(int choices, const char *typed, Tcl_Obj *words)
{
	SCOPED_LIST(list);

	for (int i = 1; i <= choices; i++)
		Tcl_ListObjAppendElement(NULL, list, Tcl_NewIntObj(i));
	value_append(list, "lesson");
	add_matching(list, typed, words);
}

/* Adds commands, and procs of scripts. Tcl's own commands are many, so they are added only if
 * nothing else matches. */
static void first_words(struct session *s, const char *typed, Tcl_Obj *words)
{
	const struct cmd_group *at = cmd_group("@");
	SCOPED_LIST(list);
	Tcl_Size n;

	for (const struct cmd_group *g = cmd_groups; g->word; g++)
		if (g != at)
			value_append(list, g->word);
	if (at && *typed == '@') /* @NAME */
		args_complete(s, at->alone, 0, NULL, list);
	if (*typed) {
		add_result(s->own->tcl, "::lsort [::info procs]", list);
		for (struct domain *d = domain_first(s); d; d = LIST_NEXT(d, link))
			if (d != s->own)
				domain_words(s, d, list);
	}
	add_matching(list, typed, words);
	Tcl_ListObjLength(NULL, words, &n);
	if (*typed && !n) {
		domain_words(s, s->own, list);
		add_matching(list, typed, words);
	}
}

static void second_words(const struct cmd_group *group, Tcl_Obj *list)
{
	for (const struct cmd_member *m = group->members; m && m->word; m++)
		value_append(list, m->word);
}

/* ------------------------------------------------------------------ complete -- */

/* The words of a command as Tcl values, without their quotes. */
static int word_objs(const char *text, const struct level *l, Tcl_Obj **v)
{
	for (unsigned i = 0; i < l->n; i++) {
		const char *from = text + l->words[i].from;
		size_t len = l->words[i].to - l->words[i].from;

		if (len > 1 && ((*from == '{' && from[len - 1] == '}') ||
				(*from == '"' && from[len - 1] == '"'))) {
			from++;
			len -= 2;
		}
		v[i] = Tcl_NewStringObj(from, (int)len);
		Tcl_IncrRefCount(v[i]);
	}
	return (int)l->n;
}

static void free_objs(Tcl_Obj **v, int n)
{
	for (int i = 0; i < n; i++)
		Tcl_DecrRefCount(v[i]);
}

/* Moves on to the nested command: poll in "@b poll". */
static void enter_command(struct session *s, Tcl_Obj ***v, int *n)
{
	for (;;) {
		const char *words[2] = { Tcl_GetString((*v)[0]),
					 *n > 1 ? Tcl_GetString((*v)[1]) : NULL };
		int used;
		const struct cmd *c = cmd_find(NULL, words, *n > 1 ? 2 : 1, &used);
		int rest = c && c->args ? args_rest(s, c, *n - used, *v + used) : -1;

		if (rest < 0 || rest >= *n - used)
			return;
		s->at = Tcl_GetString((*v)[used]);
		*v += used + rest;
		*n -= used + rest;
	}
}

static void command_words(struct session *s, Tcl_Obj **v, int n, Tcl_Obj *list)
{
	const struct cmd_group *group;
	const char *words[2];
	const struct cmd *c;
	int used;

	s->at = NULL;
	enter_command(s, &v, &n);
	words[0] = Tcl_GetString(v[0]);
	words[1] = n > 1 ? Tcl_GetString(v[1]) : NULL;
	group = cmd_group(words[0]);
	if (strcmp(words[0], "set") == 0 && !s->at) {
		list_variables(s, list);
		return;
	}
	if (!group && library_named(words[0]) && !s->at)
		library_complete(library_named(words[0]), words[1], list);
	if (!group)
		return;
	if (group->alone == &cmd_help && n == 2 && cmd_group(words[1])) {
		second_words(cmd_group(words[1]), list);
		return;
	}
	if (n == 1)
		second_words(group, list);
	c = cmd_find(NULL, words, n > 1 ? 2 : 1, &used);
	if (c)
		args_complete(s, c, n - used, v + used, list);
}

/* Is the cursor in a dict that a command takes? Then appends what may stand there. */
static bool dict_words(struct session *s, const char *text, const struct scan *sc, Tcl_Obj *list)
{
	Tcl_Obj *v[WORDS], *inner[DEPTH];
	bool found = false;

	for (int depth = 1; !found && depth <= (int)sc->depth &&
			    sc->levels[sc->depth + 1 - depth].nest == NEST_BRACE;
	     depth++) {
		const struct level *outer = &sc->levels[sc->depth - depth];
		int n = word_objs(text, outer, v), used;
		const char *words[2] = { n ? Tcl_GetString(v[0]) : "", NULL };
		const struct cmd *c = cmd_find(NULL, words, 1, &used);

		found = c && c->complete_dict;
		for (int i = 0; found && i < depth; i++) {
			Tcl_Obj *w[WORDS];
			int m = word_objs(text, outer + 1 + i, w);

			inner[i] = Tcl_NewListObj(m, w);
			Tcl_IncrRefCount(inner[i]);
			free_objs(w, m);
		}
		if (found) {
			c->complete_dict(s, n - used, v + used, depth, inner, list);
			free_objs(inner, depth);
		}
		free_objs(v, n);
	}
	return found;
}

/* The start of the name, if text ends in $name; else NULL. */
static const char *variable_start(const char *text)
{
	const char *p = text + strlen(text);

	while (p > text && (isalnum((unsigned char)p[-1]) || strchr("_:", p[-1])))
		p--;
	if (p > text && p[-1] == '{' && p - 1 > text && p[-2] == '$')
		return p;
	return p > text && p[-1] == '$' && (p - 1 == text || p[-2] != '\\') ? p : NULL;
}

/* The word at the cursor, after the last comma of a list of flags. */
static const char *word_at(const char *text, const struct level *l)
{
	const char *word = l->in_word ? text + l->word : text + strlen(text);
	const char *comma = strrchr(word, ',');

	return comma ? comma + 1 : word;
}

void complete_words(void *session, const char *text, Tcl_Obj *words, size_t *start)
{
	struct session *s = session;
	struct scan sc;
	const struct level *l = scan_line(&sc, text);
	const char *typed = variable_start(text);
	SCOPED_LIST(list);
	Tcl_Obj *v[WORDS];
	int n;

	if (typed) {
		list_variables(s, list);
	} else if (l->nest == NEST_QUOTE || l->comment) {
		typed = text + strlen(text);
	} else {
		typed = word_at(text, l);
		n = word_objs(text, l, v);
		s->typed = typed;
		if (dict_words(s, text, &sc, list))
			; /* no command begins there */
		else if (n)
			command_words(s, v, n, list);
		else if (!*typed && lesson_choices())
			answer_words(lesson_choices(), typed, words);
		else
			first_words(s, typed, words);
		s->typed = NULL;
		s->at = NULL;
		free_objs(v, n);
	}
	*start = (size_t)(typed - text);
	add_matching(list, typed, words);
}

void complete_print(struct session *s, const char *text)
{
	SCOPED_TEXT(lines);
	SCOPED_LIST(words);
	Tcl_Obj **v;
	size_t start;
	Tcl_Size n;

	complete_words(s, text, words, &start);
	Tcl_ListObjGetElements(NULL, words, &n, &v);
	for (int i = 0; i < n; i++)
		xappendf(&lines, "%.*s%s\n", (int)start, text, Tcl_GetString(v[i]));
	print_text(PRINT_OUT, text_str(&lines));
}

/* ---------------------------------------------------------------------- hint -- */

static void family_hint(const struct cmd_group *group, struct text *hint)
{
	for (const struct cmd_member *m = group->members; m && m->word; m++)
		xappendf(hint, "%s%s", m == group->members ? "" : "|", m->word);
}

/* Is word the whole first or second word of the command's name? */
static bool names_command(const struct cmd *c, Tcl_Obj *word, int n)
{
	const char *blank = strchr(c->name, ' ');
	size_t first = strcspn(c->name, " ");

	if (n == 1)
		return strlen(Tcl_GetString(word)) == first;
	return blank && strcmp(blank + 1, Tcl_GetString(word)) == 0;
}

static void hint_words(struct session *s, Tcl_Obj **v, int n, bool blank, struct text *hint)
{
	const struct cmd_group *group;
	const char *words[2];
	const struct cmd *c;
	int used;

	enter_command(s, &v, &n);
	s->at = NULL;
	words[0] = Tcl_GetString(v[0]);
	words[1] = n > 1 ? Tcl_GetString(v[1]) : NULL;
	group = cmd_group(words[0]);
	if (!group)
		return;
	c = cmd_find(NULL, words, n > 1 ? 2 : 1, &used);
	if (!blank && (!c || (n == used && !names_command(c, v[n - 1], n))))
		return; /* the name is still being typed */
	if (!blank)
		text_add(hint, " ");
	if (c && (n > 1 || !strchr(c->name, ' ')))
		args_hint(s, c, n - used, v + used, hint);
	else if (n == 1)
		family_hint(group, hint);
	if (!blank && text_len(hint) == 1)
		text_resize(hint, 0);
}

void complete_hint(void *session, const char *text, struct text *hint)
{
	struct session *s = session;
	struct scan sc;
	struct level l = *scan_line(&sc, text);
	bool blank = !l.in_word;
	Tcl_Obj *v[WORDS];
	int n;

	if (l.nest == NEST_QUOTE && text[strlen(text) - 1] == '\n')
		text_add(hint, "a \" is open; Ctrl-C drops it all");
	if (l.nest == NEST_QUOTE || l.comment)
		return;
	end_word(&l, strlen(text));
	n = word_objs(text, &l, v);
	if (n)
		hint_words(s, v, n, blank, hint);
	free_objs(v, n);
}
