/* SPDX-License-Identifier: MIT */
/* The command help, and what rdmash --help and --version print. */
#include <stdlib.h>

#include "command/args.h"
#include "command/cmd.h"
#include "help/help_impl.h"
#include "output/out.h"
#include "session.h"
#include "alloc.h"

#ifndef RDMASH_VERSION
#define RDMASH_VERSION "unknown"
#endif

struct help_args {
	bool json;
	struct many words; /* const char * */
};

static void complete_topic(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj((*c)->name, -1));
	for (const struct topic *t = topic_next(NULL); t; t = topic_next(t))
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
		help_json_all(o);
		return 0;
	}
	if (!a->words.n) {
		help_overview(o);
		return 0;
	}
	if (a->words.n == 1 && strcmp(words[0], "all") == 0) {
		help_list_all(o);
		return 0;
	}
	if (a->words.n == 2) { /* may be shortened as the command itself: help po w */
		c = cmd_find(NULL, words, 2, &used);
		if (c && used == 2) {
			help_command(c, o);
			return 0;
		}
		if (c && c->help && c->help(words[1], o))
			return 0;
	}
	Tcl_DStringInit(&all);
	for (size_t i = 0; i < a->words.n; i++) {
		Tcl_DStringAppend(&all, i ? " " : "", -1);
		Tcl_DStringAppend(&all, words[i], -1);
	}
	rc = help_search(s, Tcl_DStringValue(&all), o);
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
	.text = "Alone it shows the subjects and their commands, with all each command in a line. With a command's name it shows usage, arguments, text and\n"
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

const char *help_version_number(void)
{
	return RDMASH_VERSION;
}

void help_options(FILE *to)
{
	fputs("Usage: rdmash [options] [SCRIPT [ARG ...]]\n"
	      "An interactive shell for RDMA verbs. Without a script it reads commands from the\n"
	      "terminal, or from standard input.\n\n",
	      to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		char *name = xasprintf("%s%s%s", h->name, h->value ? " " : "",
				       h->value ? h->value : "");

		fprintf(to, "  %-20s %s\n", name, h->text);
		free(name);
	}
	fputs("\nExit codes: 0 ok, 1 a command failed, 2 usage, 3 an expectation failed,\n"
	      "4 interrupted, 77 skipped. Commands: rdmash -c help\n",
	      to);
}

void help_version(FILE *to, const char *version)
{
	Tcl_DString libs;

	Tcl_DStringInit(&libs);
	app.version(&libs);
	fprintf(to, "rdmash %s\nTcl %s\n%s\n", version, TCL_PATCH_LEVEL, Tcl_DStringValue(&libs));
	Tcl_DStringFree(&libs);
}
