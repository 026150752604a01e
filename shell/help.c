/* SPDX-License-Identifier: MIT */
/*
 * help: one command, a group of them, a topic, or a search in everything.
 *
 * What fits best wins: a name, else the start of one, else the word anywhere in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "builtin.h"
#include "cmd.h"
#include "help.h"
#include "out.h"
#include "session.h"
#include "xmem.h"

#define WIDTH 79

#ifndef RDMASH_VERSION
#define RDMASH_VERSION "unknown"
#endif

const char *help_version_number(void)
{
	return RDMASH_VERSION;
}

static const char *const families[] = {
	"device",    "resources", "memory",	   "connection", "connection step by step",
	"by hand",   "data path", "understanding", "scripts",	 "both ends",
	"measuring", "settings",  "help",
};

#define NFAMILIES (sizeof families / sizeof *families)

static bool is_listed(const char *family)
{
	for (size_t i = 0; i < NFAMILIES; i++)
		if (strcmp(families[i], family) == 0)
			return true;
	return false;
}

static bool is_new(const struct cmd *const *c)
{
	for (const struct cmd *const *b = cmd_table; b < c; b++)
		if (strcmp((*b)->family, (*c)->family) == 0)
			return false;
	return !is_listed((*c)->family);
}

const char *help_family(unsigned n)
{
	if (n < NFAMILIES)
		return families[n];
	n -= NFAMILIES;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (is_new(c) && n-- == 0)
			return (*c)->family;
	return NULL;
}

/* --------------------------------------------------------------- formatting -- */

static void blanks(Tcl_DString *d, unsigned n)
{
	while (n--)
		Tcl_DStringAppend(d, " ", 1);
}

/* One paragraph; returns where it ends. */
static const char *wrap_paragraph(const char *p, unsigned indent, unsigned width, Tcl_DString *d)
{
	unsigned column = 0;

	while (*p && !(p[0] == '\n' && (p[1] == '\n' || p[1] == ' ' || !p[1]))) {
		unsigned len;

		p += strspn(p, p[1] == ' ' && *p == '\n' ? "" : " \n");
		len = (unsigned)strcspn(p, " \n");
		if (!len)
			break;
		if (column && column + 1 + len > width) {
			Tcl_DStringAppend(d, "\n", 1);
			column = 0;
		}
		if (column)
			Tcl_DStringAppend(d, " ", 1);
		else
			blanks(d, indent);
		column += len + (column ? 1 : indent);
		Tcl_DStringAppend(d, p, (int)len);
		p += len;
	}
	Tcl_DStringAppend(d, "\n", 1);
	return *p ? p + 1 : p;
}

void help_wrap(const char *text, unsigned indent, unsigned width, Tcl_DString *d)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len && *text != ' ') {
			text = wrap_paragraph(text, indent, width, d);
			continue;
		}
		if (len)
			blanks(d, indent);
		Tcl_DStringAppend(d, text, (int)len);
		Tcl_DStringAppend(d, "\n", 1);
		text += len + (text[len] == '\n');
	}
}

void help_arg_name(const struct arg *a, Tcl_DString *d)
{
	bool value = a->kind != &kind_switch;

	Tcl_DStringAppend(d, a->flags & ARG_POS ? "<" : "-", 1);
	Tcl_DStringAppend(d, a->name, -1);
	if (a->flags & ARG_POS) {
		Tcl_DStringAppend(d, ">", 1);
	} else if (value) {
		Tcl_DStringAppend(d, " ", 1);
		Tcl_DStringAppend(d, a->kind->word, -1);
	}
	if (a->flags & ARG_MANY)
		Tcl_DStringAppend(d, " ...", -1);
}

static bool has_words(const struct arg *a)
{
	return (a->kind == &kind_enum || a->kind == &kind_flags) && a->data;
}

static void append_words(const struct arg *a, Tcl_DString *d)
{
	Tcl_DStringAppend(d, a->kind == &kind_flags ? "; some of" : "; one of", -1);
	for (const struct word *w = a->data; w->name; w++) {
		Tcl_DStringAppend(d, " ", 1);
		Tcl_DStringAppend(d, w->name, -1);
	}
}

void help_arg_text(const struct arg *a, Tcl_DString *d)
{
	char *more;

	Tcl_DStringAppend(d, a->help, -1);
	if (a->max) {
		more = xasprintf("; %llu to %llu", (unsigned long long)a->min,
				 (unsigned long long)a->max);
		Tcl_DStringAppend(d, more, -1);
		free(more);
	}
	if (has_words(a))
		append_words(a, d);
	if (a->dflt) {
		more = xasprintf(" (default %s)", a->dflt);
		Tcl_DStringAppend(d, more, -1);
		free(more);
	}
}

/* ---------------------------------------------------------------------- json -- */

static void json_arg(const struct arg *a, struct out *o)
{
	out_dict(o, NULL);
	out_str(o, "name", a->name, NULL);
	out_bool(o, "positional", a->flags & ARG_POS, NULL);
	out_bool(o, "required", a->flags & ARG_NEED, NULL);
	out_bool(o, "many", a->flags & ARG_MANY, NULL);
	out_bool(o, "switch", a->kind == &kind_switch, NULL);
	out_str(o, "kind", a->kind->word, NULL);
	out_str(o, "help", a->help, NULL);
	if (a->dflt)
		out_str(o, "default", a->dflt, NULL);
	if (a->max) {
		out_u64(o, "min", a->min, NULL);
		out_u64(o, "max", a->max, NULL);
	}
	if (has_words(a)) {
		out_list(o, "words");
		for (const struct word *w = a->data; w->name; w++)
			out_str(o, NULL, w->name, NULL);
		out_end(o);
	}
	out_end(o);
}

static void json_command(const struct cmd *c, struct out *o)
{
	Tcl_DString usage;

	Tcl_DStringInit(&usage);
	args_usage(c, &usage);
	out_dict(o, NULL);
	out_str(o, "name", c->name, NULL);
	out_str(o, "family", c->family, NULL);
	out_str(o, "summary", c->summary, NULL);
	out_str(o, "usage", Tcl_DStringValue(&usage), NULL);
	out_str(o, "text", c->text ? c->text : "", NULL);
	out_str(o, "calls", c->calls ? c->calls : "", NULL);
	out_str(o, "setup", c->setup ? c->setup : "", NULL);
	out_list(o, "args");
	for (const struct arg *a = c->args; a && a->name; a++)
		json_arg(a, o);
	out_end(o);
	out_list(o, "examples");
	for (const struct cmd_eg *e = c->examples; e && e->line; e++) {
		out_dict(o, NULL);
		out_str(o, "line", e->line, NULL);
		out_str(o, "shows", e->shows ? e->shows : "", NULL);
		out_end(o);
	}
	out_end(o);
	out_end(o);
	Tcl_DStringFree(&usage);
}

static void json_all(struct out *o)
{
	Tcl_DString text;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		json_command(*c, o);
	Tcl_DStringInit(&text);
	out_print(o, OUT_JSON, &text);
	out_text(o, "%s", Tcl_DStringValue(&text));
	Tcl_DStringFree(&text);
}

/* -------------------------------------------------------------- one command -- */

#define ARG_COLUMN 22

/* "  -rkey n        key of the peer's region" with the rest of the text below it. */
static void arg_line(const struct arg *a, Tcl_DString *d)
{
	Tcl_DString name, text, lines;
	const char *rest;

	Tcl_DStringInit(&name);
	Tcl_DStringInit(&text);
	Tcl_DStringInit(&lines);
	help_arg_name(a, &name);
	help_arg_text(a, &text);
	help_wrap(Tcl_DStringValue(&text), ARG_COLUMN, WIDTH, &lines);
	rest = Tcl_DStringValue(&lines);
	blanks(d, 2);
	Tcl_DStringAppend(d, Tcl_DStringValue(&name), -1);
	if (Tcl_DStringLength(&name) + 3 > ARG_COLUMN) {
		Tcl_DStringAppend(d, "\n", 1);
	} else {
		blanks(d, ARG_COLUMN - 2 - (unsigned)Tcl_DStringLength(&name));
		rest += ARG_COLUMN;
	}
	Tcl_DStringAppend(d, rest, -1);
	Tcl_DStringFree(&name);
	Tcl_DStringFree(&text);
	Tcl_DStringFree(&lines);
}

static void usage_lines(const struct cmd *c, Tcl_DString *d)
{
	Tcl_DString usage, lines;

	Tcl_DStringInit(&usage);
	Tcl_DStringInit(&lines);
	args_usage(c, &usage);
	help_wrap(Tcl_DStringValue(&usage), 4, WIDTH, &lines);
	Tcl_DStringAppend(d, Tcl_DStringValue(&lines) + 4, -1);
	Tcl_DStringFree(&usage);
	Tcl_DStringFree(&lines);
}

static void whole_command(const struct cmd *c, struct out *o)
{
	Tcl_DString d;

	json_command(c, o);
	Tcl_DStringInit(&d);
	usage_lines(c, &d);
	out_paint(o, PAINT_STRONG);
	out_text(o, "%s", Tcl_DStringValue(&d));
	out_paint(o, PAINT_NONE);
	out_text(o, "  %s\n", c->summary);
	Tcl_DStringSetLength(&d, 0);
	for (const struct arg *a = c->args; a && a->name; a++)
		arg_line(a, &d);
	if (c->text) {
		Tcl_DStringAppend(&d, "\n", 1);
		help_wrap(c->text, 2, WIDTH, &d);
	}
	out_text(o, "%s%s", c->args && c->args->name ? "\n" : "", Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
	if (c->examples && c->examples->line)
		out_text(o, "\n");
	for (const struct cmd_eg *e = c->examples; e && e->line; e++)
		out_text(o, "  > %s\n", e->line);
	if (c->calls)
		out_text(o, "\n  calls  %s\n", c->calls);
}

/* --------------------------------------------------------------------- lists -- */

static void summary_line(const struct cmd *c, struct out *o)
{
	out_str(o, NULL, c->name, "  %-18s %s\n", c->name, c->summary);
}

static void list_family(const char *family, struct out *o)
{
	bool any = false;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (strcmp((*c)->family, family) != 0)
			continue;
		if (!any) {
			out_paint(o, PAINT_STRONG);
			out_text(o, "%s\n", family);
			out_paint(o, PAINT_NONE);
		}
		any = true;
		summary_line(*c, o);
	}
}

static void list_all(struct out *o)
{
	const char *family;

	for (unsigned i = 0; (family = help_family(i)); i++)
		list_family(family, o);
	out_text(o, "\nhelp COMMAND, help WORD (searches everything)\nhelp TOPIC:");
	for (const struct topic *t = topics; t->name; t++)
		out_text(o, " %s", t->name);
	out_text(o, "\n");
}

static void whole_topic(const struct topic *t, struct out *o)
{
	Tcl_DString d;

	out_str(o, NULL, t->text, NULL);
	Tcl_DStringInit(&d);
	help_wrap(t->text, 2, WIDTH, &d);
	out_paint(o, PAINT_STRONG);
	out_text(o, "%s\n", t->title);
	out_paint(o, PAINT_NONE);
	out_text(o, "%s", Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
}

/* -------------------------------------------------------------------- search -- */

/* How well does an entry fit? Larger is better. */
enum fit { FIT_NOT, FIT_TEXT, FIT_PREFIX, FIT_FAMILY, FIT_FIRST, FIT_NAME };

static bool mentions(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static bool args_mention(const struct arg *a, const char *word)
{
	for (; a && a->name; a++) {
		if (mentions(a->name, word) || mentions(a->help, word))
			return true;
		for (const struct word *w = has_words(a) ? a->data : NULL; w && w->name; w++)
			if (mentions(w->name, word) || mentions(w->help, word))
				return true;
	}
	return false;
}

static enum fit command_fits(const struct cmd *c, const char *word)
{
	size_t len = strlen(word), first = strcspn(c->name, " ");

	if (strcasecmp(c->name, word) == 0)
		return FIT_NAME;
	if (first == len && strncasecmp(c->name, word, len) == 0)
		return FIT_FIRST;
	if (strcasecmp(c->family, word) == 0)
		return FIT_FAMILY;
	if (strncasecmp(c->name, word, len) == 0)
		return FIT_PREFIX;
	if (mentions(c->name, word) || mentions(c->summary, word) || mentions(c->text, word) ||
	    mentions(c->calls, word) || args_mention(c->args, word))
		return FIT_TEXT;
	return FIT_NOT;
}

static enum fit topic_fits(const struct topic *t, const char *word)
{
	if (strcasecmp(t->name, word) == 0)
		return FIT_NAME;
	if (strncasecmp(t->name, word, strlen(word)) == 0)
		return strlen(word) > 2 ? FIT_NAME : FIT_PREFIX;
	return mentions(t->title, word) || mentions(t->text, word) ? FIT_TEXT : FIT_NOT;
}

static unsigned count_best(const char *word, enum fit *best)
{
	unsigned n = 0;

	*best = FIT_NOT;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (command_fits(*c, word) > *best)
			*best = command_fits(*c, word);
	for (const struct topic *t = topics; t->name; t++)
		if (topic_fits(t, word) > *best)
			*best = topic_fits(t, word);
	for (const struct cmd *const *c = cmd_table; *c; c++)
		n += command_fits(*c, word) == *best;
	for (const struct topic *t = topics; t->name; t++)
		n += topic_fits(t, word) == *best;
	return n;
}

/* Many are listed, a few are shown whole. */
#define WHOLE_MAX 4

static int search(struct session *s, const char *word, struct out *o)
{
	enum fit best;
	unsigned n = count_best(word, &best);
	bool whole = best == FIT_NAME || n <= (best == FIT_TEXT ? WHOLE_MAX : 1);
	bool any = false;

	if (best == FIT_NOT) {
		fail(s, "help", "UNKNOWN", "nothing in the help mentions '%s'", word);
		return fail_next(s, "help");
	}
	if (!whole && best == FIT_FAMILY) {
		list_family(word, o);
		return 0;
	}
	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (command_fits(*c, word) != best)
			continue;
		if (whole && any)
			out_text(o, "\n");
		if (whole)
			whole_command(*c, o);
		else
			summary_line(*c, o);
		any = true;
	}
	for (const struct topic *t = topics; t->name; t++) {
		if (topic_fits(t, word) != best)
			continue;
		if (whole && any)
			out_text(o, "\n");
		if (whole)
			whole_topic(t, o);
		else
			out_str(o, NULL, t->name, "  help %-13s %s\n", t->name, t->title);
		any = true;
	}
	return 0;
}

/* ------------------------------------------------------------------- command -- */

struct help_args {
	bool json;
	struct many words; /* const char * */
};

static void complete_topic(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj((*c)->name, -1));
	for (const struct topic *t = topics; t->name; t++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(t->name, -1));
}

static int parse_topic(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	return kind_str.parse(s, a, word, dst);
}

static const struct arg_kind kind_topic = { .word = "word",
					    .size = sizeof(char *),
					    .parse = parse_topic,
					    .complete = complete_topic };

static const struct arg help_arg_table[] = {
	SWITCH("json", help_args, json, "the whole command table as JSON"),
	POS_MANY("word", help_args, words, kind_topic, "a command, a family, a topic, any word"),
	ARGS_END,
};

static int help_exec(struct session *s, const void *args, struct out *o)
{
	const struct help_args *a = args;
	const char *const *words = a->words.v;
	Tcl_DString all;
	const struct cmd *c;
	int used, rc = 0;

	out_list(o, NULL);
	if (a->json) {
		json_all(o);
		return 0;
	}
	if (!a->words.n) {
		list_all(o);
		return 0;
	}
	if (a->words.n == 2) { /* may be shortened as the command itself: help po w */
		c = cmd_find(NULL, words, 2, &used);
		if (c && used == 2) {
			whole_command(c, o);
			return 0;
		}
	}
	Tcl_DStringInit(&all);
	for (size_t i = 0; i < a->words.n; i++) {
		Tcl_DStringAppend(&all, i ? " " : "", -1);
		Tcl_DStringAppend(&all, words[i], -1);
	}
	rc = search(s, Tcl_DStringValue(&all), o);
	Tcl_DStringFree(&all);
	return rc;
}

static const struct cmd_eg help_examples[] = {
	{ "help", "scripts" },
	{ "help repeat", "repeat <times> <body>" },
	{ "help language", "proc" },
	{ "help scripts", "expect" },
	{ "help trap", "the errno or status" },
	{ NULL, NULL },
};

const struct cmd cmd_help = {
	.name = "help",
	.family = "help",
	.summary = "commands, one command, a topic, or a search",
	.text = "Alone it lists all commands. With a command's name it shows usage, arguments, text and\n"
		"examples; with a first word as 'post' or a family as 'memory' what belongs to it.\n"
		"Any other word is looked for in all names first, then in all texts.\n"
		"help -json prints the table that all of this comes from.",
	.examples = help_examples,
	.args = help_arg_table,
	.size = sizeof(struct help_args),
	.flags = CMD_NO_RECORD,
	.exec = help_exec,
};

/* -------------------------------------------------------------- command line -- */

void help_options(FILE *to)
{
	fputs("Usage: rdmash [options] [SCRIPT [ARG ...]]\n"
	      "An interactive shell for RDMA verbs. Without a script it reads commands "
	      "from the\n"
	      "terminal, or from standard input.\n\n",
	      to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		char *name = xasprintf("%s%s%s", h->name, h->value ? " " : "",
				       h->value ? h->value : "");

		fprintf(to, "  %-20s %s\n", name, h->text);
		free(name);
	}
	fputs("\nExit codes: 0 ok, 1 a command failed, 2 usage, 3 an expectation "
	      "failed,\n"
	      "4 interrupted, 77 skipped. Commands: rdmash -c help\n",
	      to);
}

void help_version(FILE *to, const char *version)
{
	Tcl_DString libs;

	Tcl_DStringInit(&libs);
	app.version(&libs);
	fprintf(to, "rdmash %s\nTcl %s\n%s", version, TCL_PATCH_LEVEL, Tcl_DStringValue(&libs));
	Tcl_DStringFree(&libs);
}
