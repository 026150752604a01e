/* SPDX-License-Identifier: MIT */
/* -n: the bodies and conditions of Tcl's commands, and of the words of lessons. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check/check_impl.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "session.h"

/* -------------------------------------------------------------- Tcl's bodies -- */

static void check_if(const struct words *w)
{
	int i = 1;

	for (;;) {
		check_condition(w, i++);
		i += check_word_is(w, i, "then");
		check_body(w, i++);
		if (!check_word_is(w, i, "elseif"))
			break;
		i++;
	}
	i += check_word_is(w, i, "else");
	check_body(w, i);
}

static void check_last(const struct words *w)
{
	if (w->n > 1)
		check_body(w, w->n - 1);
}

static void check_expr(const struct words *w)
{
	if (w->n == 2) {
		check_condition(w, 1);
		return;
	}
	for (int i = 1; i < w->n; i++)
		if (w->token[i]->type != TCL_TOKEN_SIMPLE_WORD) {
			check_report(w->k, w->token[i]->start, "warning: ",
				     "an expression without braces is substituted twice: "
				     "write expr {...}");
			break;
		}
}

static void check_try(const struct words *w)
{
	check_body(w, 1);
	for (int i = 2; i < w->n;) {
		if (check_word_is(w, i, "finally")) {
			check_body(w, i + 1);
			i += 2;
		} else {
			check_body(w, i + 3);
			i += 4;
		}
	}
}

static void check_nested(const struct words *w)
{
	if (check_word_is(w, 1, "for") || check_word_is(w, 1, "map") ||
	    check_word_is(w, 1, "with") || check_word_is(w, 1, "update") ||
	    check_word_is(w, 1, "eval"))
		check_last(w);
}

/* The pairs of pattern and body are separate words or one list. */
static void check_switch(const struct words *w)
{
	int i = 1;
	const char *p, *end;
	bool is_body = false;

	while (i < w->n && w->literal[i] && *Tcl_GetString(w->literal[i]) == '-') {
		bool last = check_word_is(w, i, "--");

		i += 1 + (check_word_is(w, i, "-matchvar") || check_word_is(w, i, "-indexvar"));
		if (last)
			break;
	}
	if (i + 2 < w->n) {
		for (i += 2; i < w->n; i += 2)
			check_body(w, i);
		return;
	}
	if (i + 1 >= w->n || !w->literal[i + 1])
		return;
	p = w->token[i + 1][1].start;
	end = p + w->token[i + 1][1].size;
	while (p < end) {
		struct words in = { .k = w->k };

		if (Tcl_ParseCommand(NULL, p, (int)(end - p), 0, &in.parse) != TCL_OK)
			return;
		check_read_words(&in);
		for (int n = 0; n < in.n; n++, is_body = !is_body)
			if (is_body && !check_word_is(&in, n, "-"))
				check_body(&in, n);
		p = in.parse.commandStart + in.parse.commandSize;
		for (int n = 0; n < in.n; n++)
			if (in.literal[n])
				Tcl_DecrRefCount(in.literal[n]);
		Tcl_FreeParse(&in.parse);
	}
}

/* Commands of Tcl that have bodies. words says what the words after the name are; check is used
 * where that differs from call to call. */
static const struct bodies {
	const char *name;
	const char *words; /* each a condition, 'c', or a body, 'b' */
	void (*check)(const struct words *w);
} bodies[] = {
	{ "catch", "b", NULL },
	{ "dict", "", check_nested },
	{ "eval", "b", NULL },
	{ "expr", "", check_expr },
	{ "for", "bcbb", NULL },
	{ "foreach", "", check_last },
	{ "if", "", check_if },
	{ "lmap", "", check_last },
	{ "namespace", "", check_nested },
	{ "proc", "", check_last },
	{ "switch", "", check_switch },
	{ "time", "b", NULL },
	{ "try", "", check_try },
	{ "uplevel", "", check_last },
	{ "while", "cb", NULL },
	{ 0 },
};

/* The question's choices have a reply each, and its answer is one of them. */
static void check_ask(const struct words *w)
{
	Tcl_Size n = 0;
	int answer = 0;

	if (w->n < 4 || !w->literal[2] || !w->literal[3])
		return;
	if (Tcl_ListObjLength(NULL, w->literal[2], &n) != TCL_OK || n % 2 || n < 4)
		check_report(w->k, w->token[2]->start, "",
			     "a question takes two or more choices, each with its reply");
	else if (Tcl_GetIntFromObj(NULL, w->literal[3], &answer) != TCL_OK || answer < 1 ||
		 answer > n / 2)
		check_report(w->k, w->token[3]->start, "",
			     temp_text("the answer is '%s', and the choices are 1 to %d",
				       Tcl_GetString(w->literal[3]), (int)(n / 2)));
}

/* The lines that are to be typed. Those for the system are not checked. */
static void check_lines(const struct words *w, int i)
{
	const Tcl_Token *t = w->token[i] + 1;
	const char *p = t->start, *end = p + t->size, *from = p;

	if (!w->literal[i])
		return;
	for (; p < end; p += strcspn(p, "\n") + 1) {
		if (p[strspn(p, " \t")] != '!')
			continue;
		check_walk(w->k, from, p);
		from = p + strcspn(p, "\n") + 1;
	}
	if (from < end)
		check_walk(w->k, from, end);
}

/* The options of a step, from word i on. */
static void check_step_options(const struct words *w, int i)
{
	for (; i < w->n; i += 2)
		if (i + 1 == w->n ||
		    (!check_word_is(w, i, "-points") && !check_word_is(w, i, "-hints")))
			check_report(w->k, w->token[i]->start, "",
				     "a step has the options -points N and -hints {TEXT ...}");
}

/* The words of lessons; 'l': lines, '.': a text. */
static const struct bodies lesson_bodies[] = {
	{ "ask", "...", check_ask }, { "say", ".", NULL },   { "task", ".lc", NULL },
	{ "title", ".", NULL },	     { "try", ".lc", NULL }, { 0 },
};

static const struct bodies *find_bodies(const struct bodies *row, const char *first)
{
	while (row->name && strcmp(row->name, first) != 0)
		row++;
	return row->name ? row : NULL;
}

bool check_bodies(const struct words *w, const char *first)
{
	const struct bodies *own = w->k->is_lesson ? find_bodies(lesson_bodies, first) : NULL;
	const struct bodies *b = own ? own : find_bodies(bodies, first);
	const int n = b ? (int)strlen(b->words) : 0;

	if (!b)
		return false;
	if (own && w->n <= n) {
		check_report(w->k, w->token[0]->start, "",
			     temp_text("%s takes %d words: 'help teaching'", first, n));
		return true;
	}
	for (int k = 0; k < n; k++)
		if (b->words[k] == 'c')
			check_condition(w, k + 1);
		else if (b->words[k] == 'b')
			check_body(w, k + 1);
		else if (b->words[k] == 'l')
			check_lines(w, k + 1);
	if (b->check)
		b->check(w);
	if (own)
		check_step_options(w, n + 1);
	return true;
}

/* ------------------------------------------------------------------------ lessons -- */

bool check_is_lesson(const char *text)
{
	while (*text && (strchr(" \t\n", *text) || *text == '#'))
		text += *text == '#' ? strcspn(text, "\n") : 1;
	return strncmp(text, "title", 5) == 0 && strchr(" \t", text[5]);
}

char *check_filled(struct session *s, const char *text)
{
	Tcl_Obj *words[] = { Tcl_NewStringObj("string", -1), Tcl_NewStringObj("map", -1),
			     Tcl_NewStringObj("ADDRESS 192.0.2.1 PORT 7471", -1),
			     Tcl_NewStringObj(text, -1) };
	char *filled = xstrdup(
		interp_eval_words(s->tcl, 4, words) == TCL_OK ? Tcl_GetStringResult(s->tcl) : text);

	return filled;
}
