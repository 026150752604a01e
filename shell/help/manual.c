/* SPDX-License-Identifier: MIT */
/* Prints the manual page, in man(7) format, and the bash completion from the command table. */
#include <ctype.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "help/help.h"

/* Writes text for roff: control characters at the start of lines, backslashes and hyphens are
 * escaped. */
static void write_roff(FILE *to, const char *text, size_t len)
{
	bool start = true;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (start && (c == '.' || c == '\''))
			fputs("\\&", to);
		start = c == '\n';
		if (c == '\\')
			fputs("\\e", to);
		else if (c == '-')
			fputs("\\-", to);
		else if (c == '\'')
			fputs("\\(aq", to);
		else if (c == '^')
			fputs("\\(ha", to);
		else if (c == '~')
			fputs("\\(ti", to);
		else
			fputc(c, to);
	}
}

static void roff_str(FILE *to, const char *text)
{
	write_roff(to, text, strlen(text));
}

/* Writes paragraphs as in help: indented lines stay unchanged. */
static void roff_text(FILE *to, const char *text, const char *between)
{
	bool verbatim = false, begun = false, gap = false;

	while (*text) {
		size_t len = strcspn(text, "\n");
		bool indented = *text == ' ';

		if (!len) {
			gap = true;
		} else {
			if (indented != verbatim)
				fputs(indented ? (begun ? "\n.nf\n" : ".nf\n") : ".fi\n", to);
			if (gap && begun)
				fprintf(to, "%s\n", indented || verbatim ? ".sp" : between);
			if (verbatim && !indented && !gap)
				fprintf(to, ".br\n");
			verbatim = indented;
			write_roff(to, text, len);
			fputc('\n', to);
			begun = true;
			gap = false;
		}
		text += len + (text[len] == '\n');
	}
	if (verbatim)
		fputs(".fi\n", to);
}

static void man_arg(FILE *to, const struct arg *a)
{
	SCOPED_TEXT(d);

	help_arg_name(a, &d);
	fputs(".TP\n.B \"", to);
	roff_str(to, Tcl_DStringValue(&d));
	fputs("\"\n", to);
	Tcl_DStringSetLength(&d, 0);
	help_arg_text(a, &d);
	roff_str(to, Tcl_DStringValue(&d));
	fputc('\n', to);
}

static void man_command(FILE *to, const struct cmd *c)
{
	SCOPED_TEXT(d);

	args_usage(c, &d);
	fputs(".TP\n.B \"", to);
	roff_str(to, Tcl_DStringValue(&d));
	fputs("\"\n", to);
	roff_str(to, c->summary);
	fputs(".\n.RS\n", to);
	fputs(".PP\n", to);
	roff_text(to, cmd_text(c), ".PP");
	for (const struct arg *a = c->args; a && a->name; a++)
		man_arg(to, a);
	fputs(".PP\nExamples:\n.PP\n.nf\n", to);
	for (const struct cmd_eg *e = cmd_examples(c); e->line; e++) {
		fputs("    ", to);
		roff_str(to, e->line);
		fputc('\n', to);
	}
	fputs(".fi\n", to);
	if (c->calls) {
		fputs(".PP\nCalls ", to);
		roff_str(to, c->calls);
		fputs(".\n", to);
	}
	fputs(".RE\n", to);
}

static void man_family(FILE *to, const char *family)
{
	bool any = false;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (strcmp((*c)->family, family) != 0)
			continue;
		if (!any) {
			fputs(".SS \"", to);
			for (const char *p = family; *p; p++)
				fputc(p == family ? toupper((unsigned char)*p) : *p, to);
			fputs("\"\n", to);
		}
		any = true;
		man_command(to, *c);
	}
}

static void man_options(FILE *to)
{
	fputs(".SH OPTIONS\n", to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		fputs(".TP\n.B \"", to);
		roff_str(to, help_option_name(h));
		fputs("\"", to);
		fprintf(to, "%s%s", h->value ? " " : "", h->value ? h->value : "");
		fputc('\n', to);
		roff_str(to, h->text);
		fputs(".\n", to);
	}
}

static void man_topics(FILE *to)
{
	for (const struct topic *t = topic_next(NULL); t; t = topic_next(t)) {
		fputs(".SH \"", to);
		for (const char *p = t->title; *p; p++)
			fputc(toupper((unsigned char)*p), to);
		fputs("\"\n", to);
		roff_text(to, topic_text(t), ".PP");
		if (t->more) {
			fputs(".PP\nIn rdmash, \\(aqhelp ", to);
			roff_str(to, t->name);
			fputs("\\(aq prints the list.\n", to);
		}
	}
}

void help_man(FILE *to)
{
	fprintf(to, ".TH RDMASH 1 \"\" \"rdmash %s\" \"User Commands\"\n", help_version_number());
	fputs(".SH NAME\nrdmash \\- interactive shell for RDMA verbs\n"
	      ".SH SYNOPSIS\n.B rdmash\n[\\fIoptions\\fR] [\\fISCRIPT\\fR [\\fIARG\\fR ...]]\n"
	      ".SH DESCRIPTION\n"
	      "rdmash keeps devices, protection domains, completion queues, queue pairs, memory\n"
	      "regions and connections alive between commands, so that a person can step through\n"
	      "the protocol by hand, see every change of state and every completion, break things\n"
	      "on purpose, and replay the session as a script. Every command is one call of the\n"
	      "verbs libraries, or a short sequence of calls, which it shows.\n",
	      to);
	man_options(to);
	man_topics(to);
	fputs(".SH COMMANDS\n", to);
	for (const char *const *f = help_families; *f; f++)
		man_family(to, *f);
	fputs(".SH \"SEE ALSO\"\n.BR ibv_devinfo (1),\n.BR rdma_cm (7),\n.BR rping (1),\n"
	      ".BR rdma (8)\n",
	      to);
}

/* ---------------------------------------------------------------------- bash -- */

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
	fputs("'\n\tCOMPREPLY=()\n\tcase $prev in\n"
	      "\t-c|--command)\n"
	      "\t\tlocal quoted=\n"
	      "\t\t[[ $cur != [\\'\\\"]* ]] || { quoted=yes; cur=${cur:1}; }\n"
	      "\t\t[[ $quoted ]] || cur=${cur//\\\\/}\n"
	      "\t\tCOMPREPLY=($(\"$1\" --complete \"$cur\" 2>/dev/null))\n"
	      "\t\t[[ $COMPREPLY ]] || return\n"
	      "\t\t[[ $quoted ]] || COMPREPLY=($(printf '%q\\n' \"${COMPREPLY[@]}\"))\n"
	      /* at a single word bash would close the quotes */
	      "\t\t[[ ! $quoted || ${COMPREPLY[1]} ]] || "
	      "COMPREPLY=(\"$COMPREPLY \" \"$COMPREPLY  \")\n\t\treturn ;;\n"
	      "\t--color)\n"
	      "\t\tCOMPREPLY=($(compgen -W $'always\\nnever\\nauto' -- \"$cur\"))\n\t\treturn ;;\n"
	      "\t--device)\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$(ls /sys/class/infiniband 2>/dev/null; echo uroce0)\" "
	      "-- \"$cur\"))\n"
	      "\t\treturn ;;\n"
	      "\t--allow-dir)\n"
	      "\t\tcompopt -o filenames\n\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n\t\treturn ;;\n"
	      "\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n\telse\n"
	      "\t\tcompopt -o filenames\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n"
	      "}\ncomplete -F _rdmash rdmash\n",
	      to);
}
