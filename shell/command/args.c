/* SPDX-License-Identifier: MIT */
/* Parsing, usage, hints and completion from argument tables; mistakes.c has the error messages.
 *
 * Positionals are matched in the order of the table. An optional positional whose kind does not
 * match the current word is skipped: "mem dump 0 64" leaves the region out. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "alloc.h"
#include "command/cmd.h"
#include "command/mistakes.h"
#include "help/help.h"
#include "output/print.h"
#include "session.h"

#define MANY_LEAST ((size_t)8)

int args_bad(struct session *s, const struct arg *a, const char *fmt, ...)
{
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	fail(s, "args", "BADVALUE", "%s%s: %s", a->flags & ARG_POS ? "" : "-", a->name, why);
	free(why);
	return -1;
}

/* Does a take all remaining words, even those that begin with '-'? */
static bool takes_all_words(const struct arg *a, const struct walk *w, const struct cmd *c)
{
	return a && (a->flags & (ARG_MANY | ARG_MIXED)) == ARG_MANY && is_seen(w, c, a);
}

/* The options that have another name since release 0.3. They are taken until 0.4, with a note. */
static struct old_option {
	const char *was, *is;
	bool noted;
} old_options[] = { { "-qpn", "-dest-qpn", false }, { "-retry-count", "-retry-cnt", false } };

static const struct arg *find_old_option(const struct arg *args, const char *word,
					 struct old_option **old)
{
	for (size_t i = 0; i < sizeof old_options / sizeof *old_options; i++) {
		*old = &old_options[i];
		if (strcmp(word, (*old)->was) != 0)
			continue;
		while (args->name && strcmp(args->option, (*old)->is) != 0)
			args++;
		return args->name ? args : NULL;
	}
	return NULL;
}

/* Finds the option that word names, whole or by a unique prefix. Tcl caches the result in the word.
 * NULL: none or several. */
static const struct arg *find_option(const struct arg *args, Tcl_Obj *word)
{
	struct old_option *old;
	int i;

	if (!args)
		return NULL;
	return Tcl_GetIndexFromObjStruct(NULL, word, &args->option, sizeof *args, NULL, 0, &i) ==
			       TCL_OK
		       ? &args[i]
		       : find_old_option(args, Tcl_GetString(word), &old);
}

/* Says once what an option is called now. */
static void note_old_option(const struct cmd *c, const char *word)
{
	struct old_option *old;

	if (!find_old_option(c->args, word, &old) || old->noted)
		return;
	old->noted = true;
	print_error("note: %s: %s is called %s now; the old word goes with release 0.4\n", c->name,
		    old->was, old->is);
}

/* The array of ARG_MANY values doubles: it is full at 0, MANY_LEAST and the powers of two above, so
 * that n words cost O(n) copies. */
static bool many_is_full(size_t n)
{
	return n == 0 || (n >= MANY_LEAST && (n & (n - 1)) == 0);
}

static int store_value(struct session *s, const struct arg *a, Tcl_Obj *word, void *args)
{
	char *dst = (char *)args + a->offset;
	struct many *many;
	void *grown;

	if (!(a->flags & ARG_MANY))
		return a->kind->parse(s, a, word, dst);
	many = (struct many *)(void *)dst;
	if (many_is_full(many->n)) {
		grown = arena_alloc(&s->arena, MAX(2 * many->n, MANY_LEAST) * a->kind->size);
		if (many->n)
			memcpy(grown, many->v, many->n * a->kind->size);
		many->v = grown;
	}
	dst = (char *)many->v + many->n * a->kind->size;
	memset(dst, 0, a->kind->size);
	if (a->kind->parse(s, a, word, dst))
		return -1;
	many->n++;
	return 0;
}

/* Is the optional positional a left out, so that word belongs to a later one? When a script is only
 * checked (w->ahead), any name could be that of an object that the script creates later. */
static bool skips_word(struct session *s, const struct walk *w, const struct arg *a, Tcl_Obj *word)
{
	uint64_t v;
	bool fits;

	if (!word || a->flags & ARG_NEED || !a->kind->matches)
		return false;
	if (w->ahead && !a->kind->is_static)
		return args_number(Tcl_GetString(word), &v, &fits);
	return !a->kind->matches(s, a, word);
}

/* The next positional that takes word (NULL: word is not known yet). NULL: none is left. */
static const struct arg *due_positional(struct session *s, const struct cmd *c,
					const struct walk *w, Tcl_Obj *word)
{
	for (const struct arg *a = c->args; a && a->name; a++)
		if (a->flags & ARG_POS && (!is_seen(w, c, a) || a->flags & ARG_MANY) &&
		    !skips_word(s, w, a, word))
			return a;
	return NULL;
}

/* Is the current word part of a nested command (ARG_REST)? */
static bool is_in_rest(const struct cmd *c, const struct walk *w)
{
	for (const struct arg *a = c->args; a && a->name; a++)
		if (a->flags & ARG_REST && is_seen(w, c, a))
			return true;
	return false;
}

static int find_given(struct session *s, const struct cmd *c, struct walk *w, Tcl_Obj *word,
		      const struct arg **option)
{
	const struct arg *a = find_option(c->args, word);

	if (!a)
		return mistake_option(s, c, Tcl_GetString(word));
	if (is_seen(w, c, a) && !(a->flags & ARG_MANY))
		return fail(s, "args", "TWICE", "%s: -%s is given twice", c->name, a->name);
	if (!w->ahead)
		note_old_option(c, Tcl_GetString(word));
	*option = a;
	return 0;
}

/* Finds what word (NULL: not known yet) is. *value is the argument whose value it is, or the switch
 * that it names; NULL when it is the name of an option or "--". -1 with s->fail filled. */
static int place_word(struct session *s, const struct cmd *c, struct walk *w, Tcl_Obj *word,
		      const struct arg **value)
{
	const struct arg *a = w->due;
	const char *text;
	bool is_option;

	*value = a;
	w->due = NULL;
	if (a)
		return 0;
	text = word ? Tcl_GetString(word) : "";
	is_option = !w->only_values && looks_like_option(text);
	if (is_option && strcmp(text, "--") == 0 && !is_in_rest(c, w)) {
		w->only_values = true;
		return 0;
	}
	if (!is_option || w->has_list)
		a = due_positional(s, c, w, word);
	if (is_option && !takes_all_words(a, w, c)) {
		if (find_given(s, c, w, word, &a))
			return -1;
		if (!is_switch(a))
			w->due = a;
	} else if (!a) {
		return word ? mistake_too_many(s, c, w, word) : 0;
	} else if (a->flags & ARG_MANY) {
		w->has_list = true;
	}
	set_seen(w, c, a);
	*value = w->due ? NULL : a;
	return 0;
}

static int parse_default(struct session *s, const struct arg *a, void *dst)
{
	SCOPED_VALUE(word, Tcl_NewStringObj(a->dflt, -1));

	return a->kind->parse(s, a, word, dst);
}

size_t args_room(const struct cmd *c)
{
	return c->args ? c->args->room : 0;
}

/* Stores the defaults that need no device: an argument that shares its field with another one may
 * replace them. */
static void fill_defaults(struct session *s, const struct cmd *c, void *args)
{
	for (const struct arg *a = c->args; a && a->name; a++)
		if (a->dflt && a->kind->is_static && parse_default(s, a, (char *)args + a->offset))
			Tcl_Panic("%s: the default of %s: %s", c->name, a->name, s->fail.text);
}

static int fill_absent(struct session *s, const struct cmd *c, const struct walk *w, void *args)
{
	for (const struct arg *a = c->args; a && a->name; a++) {
		void *dst = (char *)args + a->offset;

		if (is_seen(w, c, a))
			continue;
		if (a->flags & ARG_NEED)
			return mistake_missing(s, c, a);
		if (a->dflt && !a->kind->is_static && parse_default(s, a, dst))
			return -1;
		if (!a->dflt && a->kind->absent && !(a->flags & ARG_MANY) &&
		    a->kind->absent(s, a, dst))
			return -1;
	}
	return 0;
}

int args_parse(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], void *dst)
{
	struct walk w = { 0 };
	const struct arg *a;

	memset(dst, 0, args_room(c));
	fill_defaults(s, c, dst);
	for (int i = 0; i < objc; i++) {
		int rc = place_word(s, c, &w, objv[i], &a);

		if (!rc && a && is_switch(a))
			*(bool *)((char *)dst + a->offset) = true;
		else if (!rc && a && store_value(s, a, objv[i], dst))
			rc = mistake_value(s, c, a);
		if (rc) {
			mistake_quotes(s, c, &w, objc, objv, i);
			return -1;
		}
		w.of = a;
		w.last = objv[i];
	}
	return w.due ? mistake_no_value(s, c, w.due) : fill_absent(s, c, &w, dst);
}

static int check_value(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	void *mark = arena_alloc(&s->arena, 0), *dst;
	int rc;

	if (!word ||
	    !(a->kind->is_static || (a->kind->is_certain && a->kind->is_certain(s, a, word))))
		return 0;
	dst = arena_alloc(&s->arena, a->kind->size);
	memset(dst, 0, a->kind->size);
	rc = a->kind->parse(s, a, word, dst);
	arena_free(&s->arena, mark);
	return rc;
}

int args_check(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], bool more,
	       void (*is)(void *ctx, int i, const struct arg *a), void *ctx)
{
	struct walk w = { .ahead = true };
	const struct arg *value;
	bool unclear = false; /* an unknown word may have been for a later positional */

	for (int i = 0; i < objc; i++) {
		if (place_word(s, c, &w, objv[i], &value))
			return -1;
		if (!value || is_switch(value))
			continue;
		unclear |= !objv[i] && (value->flags & (ARG_POS | ARG_NEED)) == ARG_POS;
		if (!(unclear && value->flags & ARG_POS) && check_value(s, value, objv[i]))
			return -1;
		if (is)
			is(ctx, i, value);
	}
	if (more)
		return 0;
	if (w.due)
		return mistake_no_value(s, c, w.due);
	for (const struct arg *a = c->args; a && a->name; a++)
		if (a->flags & ARG_NEED && !is_seen(&w, c, a) && !(unclear && a->flags & ARG_POS))
			return mistake_missing(s, c, a);
	return 0;
}

/* "<mr>", "[-len size]", "-sge mr:off:len ..." */
static void usage_arg(const struct arg *a, struct text *d)
{
	bool optional = !(a->flags & ARG_NEED);

	text_add(d, optional ? " [" : " ");
	help_arg_name(a, d);
	text_add(d, optional ? "]" : "");
}

void args_usage(const struct cmd *c, struct text *d)
{
	text_add(d, c->name);
	for (const struct arg *a = c->args; a && a->name; a++)
		usage_arg(a, d);
}

#define USAGE_SHORT 120

void args_usage_short(const struct cmd *c, struct text *d)
{
	const size_t begin = text_len(d);

	args_usage(c, d);
	if (text_len(d) - begin <= USAGE_SHORT)
		return;
	text_resize(d, begin);
	text_add(d, c->name);
	for (const struct arg *a = c->args; a->name; a++)
		if (a->flags & (ARG_POS | ARG_NEED))
			usage_arg(a, d);
	text_add(d, " [option ...]");
}

/* Marks the arguments that the words give, without parsing their values. */
static void walk_words(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[],
		       struct walk *w)
{
	for (int i = 0; i < objc; i++) {
		const char *word = Tcl_GetString(objv[i]);
		const struct arg *a;

		if (w->due) {
			w->due = NULL;
			continue;
		}
		if (looks_like_option(word)) {
			a = find_option(c->args, objv[i]);
			if (!a)
				continue;
			w->due = is_switch(a) ? NULL : a;
		} else {
			a = due_positional(s, c, w, objv[i]);
			if (!a)
				continue;
		}
		set_seen(w, c, a);
	}
}

int args_rest(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[])
{
	const struct arg *rest = c->args;
	struct walk w;
	int i;

	while (rest && rest->name && !(rest->flags & ARG_REST))
		rest++;
	if (!rest || !rest->name)
		return -1;
	for (i = 0; i < objc; i++) {
		w = (struct walk){ 0 };
		walk_words(s, c, i + 1, objv, &w);
		if (is_seen(&w, c, rest))
			break;
	}
	return i;
}

/* Appends the arguments that are not given yet and whose flags, masked by mask, equal flags. */
static void hint_args(const struct cmd *c, const struct walk *w, unsigned mask, unsigned flags,
		      struct text *d)
{
	for (const struct arg *a = c->args; a && a->name; a++)
		if (!is_seen(w, c, a) && (a->flags & mask) == flags)
			usage_arg(a, d);
}

void args_hint(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[],
	       struct text *d)
{
	struct walk w = { 0 };
	const size_t start = text_len(d);

	walk_words(s, c, objc, objv, &w);
	if (w.due) {
		text_add(d, " ");
		text_add(d, w.due->kind->word);
	}
	hint_args(c, &w, ARG_POS, ARG_POS, d);
	hint_args(c, &w, ARG_POS | ARG_NEED, ARG_NEED, d);
	hint_args(c, &w, ARG_POS | ARG_NEED, 0, d);
	if (c->hint && !w.due) {
		SCOPED_TEXT(own);

		c->hint(objc, objv, &own);
		if (text_len(&own)) {
			text_resize(d, start);
			xappendf(d, " %s", text_str(&own));
		}
	}
	if (text_len(d) > start) { /* the caller has written a blank already */
		char *rest = xstrdup(text_str(d) + start + 1);

		text_resize(d, start);
		text_add(d, rest);
		free(rest);
	}
}

void args_complete(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[],
		   Tcl_Obj *list)
{
	struct walk w = { 0 };

	walk_words(s, c, objc, objv, &w);
	if (w.due) {
		if (w.due->kind->complete)
			w.due->kind->complete(s, w.due, list);
		return;
	}
	if (c->complete)
		c->complete(s, objc, objv, list);
	for (const struct arg *a = c->args; a && a->name; a++) {
		if (!(a->flags & ARG_POS) || (is_seen(&w, c, a) && !(a->flags & ARG_MANY)))
			continue;
		if (a->kind->complete)
			a->kind->complete(s, a, list);
		if (a->flags & ARG_NEED)
			break;
	}
	for (const struct arg *a = c->args; a && a->name; a++)
		if (!(a->flags & ARG_POS) && (!is_seen(&w, c, a) || a->flags & ARG_MANY))
			Tcl_ListObjAppendElement(NULL, list, Tcl_ObjPrintf("-%s", a->name));
}
