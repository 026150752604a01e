/* SPDX-License-Identifier: MIT */
/* The real command table: sorted, and with all that help, manual and completion need. */
#include "alloc.h"
#include "checks.h"
#include "command/cmd.h"
#include "help/help.h"
#include "output/print.h"

static const struct cmd *now;
static unsigned problems;

/* Says which command, and which argument, is wrong. */
static void want(bool ok, const char *what, const char *arg)
{
	if (ok)
		return;
	fprintf(stderr, "%s%s%s: %s\n", now->name, arg ? " " : "", arg ? arg : "", what);
	problems++;
}

static bool is_line(const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	return len && len <= max && !strchr(text, '\n') && text[len - 1] != '.';
}

static void check_arg(const struct arg *args, const struct arg *a)
{
	want(is_line(a->help, 100), "help: one line of 1 to 100 letters without full stop",
	     a->name);
	want(a->kind && a->kind->parse && a->kind->word, "has no kind", a->name);
	want(a->room == args->room, "is of another argument struct", a->name);
	want(a->offset < a->room, "lies outside of the argument struct", a->name);
	want(!(a->dflt && a->flags & ARG_NEED), "is needed and has a default", a->name);
	want(!(a->dflt && a->flags & ARG_MANY), "is a list and has a default", a->name);
	want(a->option && (a->flags & ARG_POS
				   ? !*a->option
				   : *a->option == '-' && strcmp(a->option + 1, a->name) == 0),
	     "is an option of another name", a->name);
	for (const struct arg *b = args; b < a; b++)
		want(strcmp(b->name, a->name) != 0, "stands there twice", a->name);
}

static void check_cmd(const struct cmd *c)
{
	const char *blank = strchr(c->name, ' ');
	unsigned n = 0;

	now = c;
	want(!blank || !strchr(blank + 1, ' '), "more than two words", NULL);
	want(strlen(c->name) <= 18, "name is longer than 18 letters", NULL);
	want(c->family && *c->family, "no family", NULL);
	want(is_line(c->summary, 59), "summary: one line of 1 to 59 letters without full stop",
	     NULL);
	want(strlen(cmd_text(c)) > 40, "no text", NULL);
	want(cmd_examples(c)->line, "no example", NULL);
	want(c->exec, "no exec", NULL);
	for (const struct arg *a = c->args; a && a->name; a++, n++)
		check_arg(c->args, a);
	want(n < 64, "more than 64 arguments", NULL);
}

static void check_order(void)
{
	for (const struct cmd *const *c = cmd_table; c[0] && c[1]; c++) {
		now = c[1];
		want(strcmp(c[0]->name, c[1]->name) < 0, "not in order", NULL);
	}
}

#define HELP_COLUMNS 77 /* of 80: an indent of two, and the last one stays empty */

/* Lines that help leaves as they are fit on a terminal. */
static void check_columns(const char *name, const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		want(*text != ' ' || print_text_width(text, len) <= HELP_COLUMNS,
		     "a line is too long", name);
	}
}

static void check_topics(void)
{
	now = cmd_table[0];
	for (const struct topic *const *t = topic_table; *t; t++)
		check_columns((*t)->name, help_topic_text(*t));
}

int main(void)
{
	unsigned n = 0;

	check_order();
	for (const struct cmd *const *c = cmd_table; *c; c++)
		check_cmd(*c);
	check_topics();
	for (const char *const *f = help_families; *f; f++)
		for (const struct cmd *const *c = cmd_table; *c; c++)
			n += strcmp((*c)->family, *f) == 0;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		n--;
	CHECK_INT(n, 0); /* each is in one family that help lists */
	CHECK_INT(problems, 0);
	return checks_end();
}
