/* SPDX-License-Identifier: MIT */
/*
 * -n: checks every literal command and argument of a script against the command tables, without
 * running anything.
 *
 * There are two passes over the text: the first collects the procs that it defines, the second
 * checks the commands. Words that are known only at run time ($x, [cmd]) are not checked; commands
 * in brackets are.
 */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/check_impl.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "file/file.h"
#include "language/script.h"
#include "session.h"
#include "alloc.h"

#define NEST_MAX 200 /* depth of nested bodies */

/* ----------------------------------------------------------------- reporting -- */

static unsigned line_of(struct check *k, const char *p)
{
	if (p < k->at) {
		k->at = k->text;
		k->line = 1;
	}
	for (; k->at < p; k->at++)
		k->line += *k->at == '\n';
	return k->line;
}

void check_report(struct check *k, const char *p, const char *kind, const char *what)
{
	SCOPED_TEXT(text);

	if (k->learning)
		return;
	fail_append(&text, what, 4);
	print_error("%s:%u: %s%s\n", k->name, line_of(k, p), kind, text_str(&text));
	k->problems += *kind == 0;
}

static void report_failure(struct check *k, const char *p)
{
	check_report(k, p, "", k->s->fail.text);
	fail_clear(&k->s->fail);
}

/* --------------------------------------------------------------------- words -- */

static bool is_braced(const struct words *w, int i)
{
	return *w->token[i]->start == '{' && w->token[i]->type == TCL_TOKEN_SIMPLE_WORD;
}

bool check_word_is(const struct words *w, int i, const char *text)
{
	return i < w->n && w->literal[i] && strcmp(Tcl_GetString(w->literal[i]), text) == 0;
}

/* Checks a word that is a script, if it is literal. */
void check_body(const struct words *w, int i)
{
	const Tcl_Token *t;

	if (i < 0 || i >= w->n || !w->literal[i])
		return;
	t = w->token[i] + 1;
	check_walk(w->k, t->start, t->start + t->size);
}

/* Checks the commands in an expression, and warns if it would be substituted twice. */
void check_condition(const struct words *w, int i)
{
	Tcl_Parse parse;
	const Tcl_Token *t;

	if (i >= w->n)
		return;
	if (!is_braced(w, i)) {
		if (w->token[i]->type != TCL_TOKEN_SIMPLE_WORD)
			check_report(
				w->k, w->token[i]->start, "warning: ",
				"an expression without braces is substituted twice: write {...}");
		return;
	}
	t = w->token[i] + 1;
	if (Tcl_ParseExpr(w->k->s->tcl, t->start, t->size, &parse) != TCL_OK) {
		check_report(w->k, parse.term, "", Tcl_GetStringResult(w->k->s->tcl));
		return;
	}
	for (int n = 0; n < parse.numTokens; n++)
		if (parse.tokenPtr[n].type == TCL_TOKEN_COMMAND)
			check_walk(w->k, parse.tokenPtr[n].start + 1,
				   parse.tokenPtr[n].start + parse.tokenPtr[n].size - 1);
	Tcl_FreeParse(&parse);
}

/* -------------------------------------------------------------- the shell's commands -- */

/* Collects the arguments that are scripts, for args_check(). */
struct seen {
	const struct words *w;
	const struct cmd *c;
	int offset; /* number of words in the command's name */
	int last;   /* expect: the last word is the script */
	bool fails; /* the script is expected to fail: not checked */
	Tcl_Obj *positional[256];
	int n; /* of these */
};

static void seen_arg(void *ctx, int i, const struct arg *a)
{
	struct seen *seen = ctx;

	seen->fails |= seen->c == &cmd_expect && strcmp(a->name, "error") == 0;
	if (a->flags & ARG_POS)
		seen->positional[seen->n++] = seen->w->literal[i + seen->offset];
	if (a->kind == &kind_expr)
		check_condition(seen->w, i + seen->offset);
	else if (a->kind == &kind_script && a->flags & ARG_MANY)
		seen->last = i + seen->offset;
	else if (a->kind == &kind_script)
		check_body(seen->w, i + seen->offset);
}

static void check_shell_command(const struct words *w, const char *first)
{
	struct session *s = w->k->s;
	struct seen seen = { .w = w };
	const char *words[2] = { first,
				 w->n > 1 && w->literal[1] ? Tcl_GetString(w->literal[1]) : "" };
	const struct cmd *c;
	int used;

	if (w->n > 1 && !w->literal[1] && cmd_group(first) && !cmd_group(first)->alone)
		return; /* post $how ... */
	if (interp_unknown(s, first)) {
		report_failure(w->k, w->token[0]->start);
		return;
	}
	if (library_named(first))
		return;
	c = cmd_find(s, words, w->n > 1 ? 2 : 1, &used);
	if (!c) {
		report_failure(w->k, w->token[0]->start);
		return;
	}
	seen.offset = used;
	seen.c = c;
	if (args_check(s, c, w->n - used, w->literal + used, w->expands, seen_arg, &seen) ||
	    (c->check && !w->expands && c->check(s, seen.n, seen.positional)))
		report_failure(w->k, w->token[0]->start);
	if (seen.last && !seen.fails)
		check_body(w, seen.last);
}

/* ----------------------------------------------------------------- procs -- */

static void learn_proc(struct check *k, const char *name)
{
	const char *tail = strrchr(name, ':');
	int is_new;

	Tcl_CreateHashEntry(k->procs, name, &is_new);
	if (tail)
		Tcl_CreateHashEntry(k->procs, tail + 1, &is_new);
}

/* Collects the procs of a sourced file, too. */
static void learn_file(struct check *k, const char *path)
{
	struct check in = *k;
	struct script_text t;
	char *beside;

	if (k->sourced > 15)
		return;
	beside = file_path_beside(k->name, path);
	if (file_read_script(k->s, beside, &t)) {
		fail_clear(&k->s->fail);
		free(beside);
		return;
	}
	in.name = beside;
	in.text = in.at = t.text;
	in.line = 1;
	in.sourced++;
	check_walk(&in, t.text, t.text + strlen(t.text));
	free(beside);
	file_free_script(&t);
}

static void learn_command(const struct words *w)
{
	if (w->n == 4 && check_word_is(w, 0, "proc") && w->literal[1])
		learn_proc(w->k, Tcl_GetString(w->literal[1]));
	else if (w->n == 3 && check_word_is(w, 0, "rename") && w->literal[2])
		learn_proc(w->k, Tcl_GetString(w->literal[2]));
	else if (w->n == 2 && check_word_is(w, 0, "source") && w->literal[1])
		learn_file(w->k, Tcl_GetString(w->literal[1]));
}

/* ---------------------------------------------------------------------- walk -- */

void check_read_words(struct words *w)
{
	const Tcl_Token *t = w->parse.tokenPtr;

	w->n = w->parse.numWords < 256 ? w->parse.numWords : 256;
	for (int i = 0; i < w->n; i++, t += t->numComponents + 1) {
		w->token[i] = t;
		w->expands |= t->type == TCL_TOKEN_EXPAND_WORD;
		if (t->type == TCL_TOKEN_SIMPLE_WORD) {
			w->literal[i] = Tcl_NewStringObj(t[1].start, t[1].size);
			Tcl_IncrRefCount(w->literal[i]);
		}
	}
}

/* Checks [commands] in words that are not literal. */
static void check_brackets(const struct words *w)
{
	for (int i = 0; i < w->n; i++)
		for (int n = 1; n <= w->token[i]->numComponents; n++) {
			const Tcl_Token *t = &w->token[i][n];

			if (t->type == TCL_TOKEN_COMMAND)
				check_walk(w->k, t->start + 1, t->start + t->size - 1);
		}
}

static void check_command(const struct words *w);

/* @NAME: its options are followed by another command or a block. */
static void check_at(const struct words *w)
{
	struct words in = *w;
	int i = 1;

	while (i < w->n && w->literal[i] && *Tcl_GetString(w->literal[i]) == '-')
		i += 1 + (strncmp(Tcl_GetString(w->literal[i]), "-w", 2) == 0);
	if (i + 1 == w->n && is_braced(w, i)) {
		check_body(w, i);
	} else if (i < w->n) {
		in.n -= i;
		memmove(in.token, in.token + i, (size_t)in.n * sizeof *in.token);
		memmove(in.literal, in.literal + i, (size_t)in.n * sizeof *in.literal);
		check_command(&in);
	}
}

static void check_command(const struct words *w)
{
	const char *first = w->n && w->literal[0] ? Tcl_GetString(w->literal[0]) : NULL;
	struct session *s = w->k->s;
	Tcl_CmdInfo info;

	if (!first)
		return;
	if (*first == '@') {
		check_at(w);
		return;
	}
	first += strspn(first, ":");
	if (w->k->learning)
		learn_command(w);
	if (check_bodies(w, first) || Tcl_FindHashEntry(w->k->procs, first))
		return;
	if (Tcl_GetCommandInfo(s->tcl, first, &info) && !interp_ours(s, first, -1))
		return;
	check_shell_command(w, first);
}

/* Reports an error of the parser, with a caret below its place. */
static void report_syntax(struct check *k, const char *p, const char *to, const Tcl_Parse *parse)
{
	const char *at = script_unparsed(k->s, p, to, parse);
	SCOPED_TEXT(rows);

	check_report(k, at, "", k->s->fail.text);
	fail_rows(&k->s->fail, &rows);
	if (!k->learning)
		print_error("%s", text_str(&rows));
	fail_clear(&k->s->fail);
}

static void walk_command(struct check *k, const char **p, const char *to)
{
	struct words w = { .k = k };

	if (Tcl_ParseCommand(k->s->tcl, *p, (int)(to - *p), 0, &w.parse) != TCL_OK) {
		report_syntax(k, *p, to, &w.parse);
		k->unparsed = true;
		*p = to;
		return;
	}
	check_read_words(&w);
	check_brackets(&w);
	check_command(&w);
	*p = w.parse.commandStart + w.parse.commandSize;
	for (int i = 0; i < w.n; i++)
		if (w.literal[i])
			Tcl_DecrRefCount(w.literal[i]);
	Tcl_FreeParse(&w.parse);
}

void check_walk(struct check *k, const char *from, const char *to)
{
	if (++k->nest > NEST_MAX)
		check_report(k, from, "", "nested too deeply to be checked");
	else
		while (from < to)
			walk_command(k, &from, to);
	k->nest--;
}

/* Collects the procs of a text that is not checked itself. */
static void learn_text(const struct check *k, const char *text)
{
	struct check in = *k;

	in.learning = true;
	in.text = in.at = text;
	check_walk(&in, text, text + strlen(text));
}

static int check_whole(struct check *k)
{
	const char *text = k->text;

	if (script_nests(text)) {
		check_report(k, text, "", "brackets nested too deeply to be checked");
		return -2;
	}
	learn_text(k, text);
	check_walk(k, text, text + strlen(text));
	Tcl_ResetResult(k->s->tcl);
	if (k->unparsed)
		return -2;
	return k->problems ? -1 : 0;
}

/* The procs that a lesson, or rules to grade by, may use; NULL: it is neither. */
static char *words_of(struct session *s, const struct check *k)
{
	const char *name = k->is_lesson ? "lesson.tcl" : s->grades ? "grade.tcl" : NULL;

	return name ? file_own_find(s, "RDMASH_LIB", "lib", name) : NULL;
}

int check_text(struct session *s, const char *name, const char *text)
{
	Tcl_HashTable procs;
	struct check k = { .s = s, .name = name, .line = 1, .procs = &procs };
	char *words, *filled;
	int rc;

	k.is_lesson = check_is_lesson(text);
	filled = k.is_lesson ? check_filled(s, text) : xstrdup(text);
	words = words_of(s, &k);
	Tcl_InitHashTable(&procs, TCL_STRING_KEYS);
	if (words)
		learn_text(&k, words);
	k.text = k.at = filled;
	rc = check_whole(&k);
	Tcl_DeleteHashTable(&procs);
	free(filled);
	free(words);
	return rc;
}

int check_file(struct session *s, const char *path)
{
	struct script_text t;
	int rc;

	if (file_read_script(s, path, &t)) {
		fail_report(s);
		return -2;
	}
	rc = check_text(s, strcmp(path, "-") == 0 ? "stdin" : path, t.text);
	file_free_script(&t);
	return rc;
}
