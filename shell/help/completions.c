/* SPDX-License-Identifier: MIT */
/* The completions for bash, zsh and fish, and the grammar for vim, from the tables of options and
 * commands. */
#include <string.h>

#include "command/cmd.h"
#include "help/help.h"

/* How each shell completes the value of an option, by the word that stands for it in help. fish
 * completes files where it is told nothing. */
static const struct value_words {
	const char *value, *bash, *zsh, *fish;
} value_table[] = {
	{ "CMD",
	  "\t\tlocal quoted=\n"
	  "\t\t[[ $cur != [\\'\\\"]* ]] || { quoted=yes; cur=${cur:1}; }\n"
	  "\t\t[[ $quoted ]] || cur=${cur//\\\\/}\n"
	  "\t\tCOMPREPLY=($(\"$1\" --complete \"$cur\" 2>/dev/null))\n"
	  "\t\t[[ $COMPREPLY ]] || return\n"
	  "\t\t[[ $quoted ]] || COMPREPLY=($(printf '%q\\n' \"${COMPREPLY[@]}\"))\n"
	  /* at a single word bash would close the quotes */
	  "\t\t[[ ! $quoted || ${COMPREPLY[1]} ]] || COMPREPLY=(\"$COMPREPLY \" \"$COMPREPLY  \")\n",
	  "_rdmash_command",
	  "-f -a '(rdmash --complete (commandline -ct | string unescape) 2>/dev/null)'" },
	{ "WHEN", "\t\tCOMPREPLY=($(compgen -W $'always\\nnever\\nauto' -- \"$cur\"))\n",
	  "(always never auto)", "-f -a 'always never auto'" },
	{ "NAME",
	  "\t\tCOMPREPLY=($(compgen -W \"$(ls /sys/class/infiniband 2>/dev/null; echo uroce0)\" "
	  "-- \"$cur\"))\n",
	  "_rdmash_device", "-f -a '(path basename /sys/class/infiniband/*) uroce0'" },
	{ "DIR", "\t\tcompopt -o filenames\n\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n",
	  "_files -/", "-f -a '(__fish_complete_directories)'" },
	{ "TEXT", NULL, " ", "-f" },
	{ "SECONDS", NULL, " ", "-f" },
	{ "FILE", NULL, "_files", "" },
	{ .value = NULL },
};

static const struct value_words *words_of(const struct help_option *h)
{
	const struct value_words *w = value_table;

	while (w->value && strcmp(w->value, h->value) != 0)
		w++;
	return w;
}

void help_bash(FILE *to)
{
	fputs("# bash completion for rdmash\n_rdmash()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} IFS=$'\\n'\n"
	      "\tlocal options='",
	      to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		fputs(h == help_option_table ? "" : "\n", to);
		if (h->id < OPTION_LONG)
			fprintf(to, "-%c\n", h->id);
		fprintf(to, "--%s", h->name);
	}
	fputs("'\n\tCOMPREPLY=()\n\tcase $prev in\n", to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		if (!h->value || !words_of(h)->bash)
			continue;
		if (h->id < OPTION_LONG)
			fprintf(to, "\t-%c|--%s)\n", h->id, h->name);
		else
			fprintf(to, "\t--%s)\n", h->name);
		fprintf(to, "%s\t\treturn ;;\n", words_of(h)->bash);
	}
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n\telse\n"
	      "\t\tcompopt -o filenames\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n"
	      "}\ncomplete -F _rdmash rdmash\n",
	      to);
}

/* Writes text within quotes of zsh's _arguments, or of fish. */
static void write_quoted(FILE *to, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", to);
		else if (strchr(escaped, *text))
			fputc('\\', to);
		fputc(*text, to);
	}
}

void help_zsh(FILE *to)
{
	fputs("#compdef rdmash\n"
	      "_rdmash_command() {\n"
	      "\tlocal -a lines\n"
	      "\tlines=(${(f)\"$(rdmash --complete \"${(Q)PREFIX}\" 2>/dev/null)\"})\n"
	      "\tcompadd -U -S '' -- $lines\n}\n"
	      "_rdmash_device() {\n\tcompadd -- /sys/class/infiniband/*(N:t) uroce0\n}\n"
	      "_arguments -S",
	      to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		if (h->id < OPTION_LONG)
			fprintf(to, " \\\n\t'*'{-%c,--%s}'[", h->id, h->name);
		else
			fprintf(to, " \\\n\t'*--%s[", h->name);
		write_quoted(to, h->text, "[]:\\");
		fputc(']', to);
		if (h->value)
			fprintf(to, ":%s:%s", h->value, words_of(h)->zsh);
		fputc('\'', to);
	}
	fputs(" \\\n\t'*:script:_files'\n", to);
}

void help_fish(FILE *to)
{
	fputs("# fish completion for rdmash\n", to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		fputs("complete -c rdmash", to);
		if (h->id < OPTION_LONG)
			fprintf(to, " -s %c", h->id);
		fprintf(to, " -l %s", h->name);
		if (h->value)
			fprintf(to, " -r %s", words_of(h)->fish);
		fputs(" -d '", to);
		write_quoted(to, h->text, "\\");
		fputs("'\n", to);
	}
}

/* ---------------------------------------------------------------------- vim -- */

/* The options of all commands, each once. */
static void write_option_names(FILE *to)
{
	const char *seen[1024];
	unsigned n = 0;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		for (const struct arg *a = (*c)->args; a && a->name; a++) {
			unsigned i = 0;

			while (i < n && strcmp(seen[i], a->name) != 0)
				i++;
			if (i < n || a->flags & ARG_POS || n == sizeof seen / sizeof *seen)
				continue;
			seen[n++] = a->name;
			fprintf(to, "%s%s", n > 1 ? "\\|" : "", a->name);
		}
}

void help_vim(FILE *to)
{
	fputs("\" Vim syntax file for scripts of rdmash\n"
	      "if exists('b:current_syntax')\n  finish\nendif\n"
	      "runtime! syntax/tcl.vim\nunlet! b:current_syntax\n",
	      to);
	for (const struct cmd_group *g = cmd_groups; g->word; g++) {
		fprintf(to, "syn match rdmashCommand '\\%%(^\\|[[{;]\\)\\s*\\zs\\V%s\\m", g->word);
		if (g->members) {
			fputs("\\%(\\s\\+\\%(", to);
			for (const struct cmd_member *m = g->members; m->word; m++)
				fprintf(to, "%s%s", m == g->members ? "" : "\\|", m->word);
			fprintf(to, "\\)\\>\\)%s", g->alone ? "\\?" : "");
		}
		fputs("\\ze\\%(\\s\\|[]};]\\|$\\)'\n", to);
	}
	fputs("syn match rdmashOption '\\s\\zs-\\%(", to);
	write_option_names(to);
	fputs("\\)\\>'\nhi def link rdmashCommand Function\nhi def link rdmashOption Identifier\n"
	      "let b:current_syntax = 'rdmash'\n",
	      to);
}
