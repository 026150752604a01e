/* SPDX-License-Identifier: MIT */
/* The manual pages, in man(7) format: rdmash(1), and one for each command. */
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
	roff_str(to, text_str(&d));
	fputs("\"\n", to);
	text_resize(&d, 0);
	help_arg_text(a, &d);
	roff_str(to, text_str(&d));
	fputc('\n', to);
}

static void man_head(FILE *to, const char *title)
{
	fprintf(to, ".TH \"%s\" 1 \"\" \"rdmash %s\" \"User Commands\"\n.ad l\n", title,
		help_version_number());
}

static void man_examples(FILE *to, const struct cmd *c)
{
	const struct cmd_eg *e = cmd_examples(c);

	if (!e->line)
		return;
	fputs(".SH EXAMPLES\n.nf\n", to);
	for (; e->line; e++) {
		roff_str(to, e->line);
		fputc('\n', to);
	}
	fputs(".fi\n", to);
}

/* "ibv_post_send(3), ibv_wr_start(3)" with bold names. */
static void man_calls(FILE *to, const char *calls)
{
	while (*calls) {
		size_t name = strcspn(calls, "("), len = strcspn(calls, ",");

		fprintf(to, ",\n.BR %.*s %.*s", (int)(name < len ? name : len), calls,
			(int)(name < len ? len - name : 0), calls + name);
		calls += len;
		calls += strspn(calls, ", ");
	}
}

void help_man_command(FILE *to, const struct cmd *c)
{
	SCOPED_TEXT(d);

	help_man_name(c, &d);
	man_head(to, text_str(&d));
	fputs(".SH NAME\n", to);
	roff_str(to, text_str(&d));
	fputs(" \\- ", to);
	roff_str(to, c->summary);
	fputs("\n.SH SYNOPSIS\n.B \"", to);
	text_resize(&d, 0);
	args_usage(c, &d);
	roff_str(to, text_str(&d));
	fputs("\"\n.SH DESCRIPTION\n", to);
	roff_text(to, cmd_text(c), ".PP");
	if (c->args && c->args->name)
		fputs(".SH OPTIONS\n", to);
	for (const struct arg *a = c->args; a && a->name; a++)
		man_arg(to, a);
	man_examples(to, c);
	fputs(".SH \"SEE ALSO\"\n.BR rdmash (1)", to);
	man_calls(to, c->calls ? c->calls : "");
	fputc('\n', to);
}

void help_man_name(const struct cmd *c, struct text *d)
{
	text_add(d, "rdmash-");
	for (const char *p = c->name; *p; p++)
		text_add_bytes(d, *p == ' ' ? "-" : p, 1);
}

/* The command in the list of all, with the name of its page. */
static void man_entry(FILE *to, const struct cmd *c)
{
	SCOPED_TEXT(d);

	help_man_name(c, &d);
	fputs(".TP\n.BR ", to);
	roff_str(to, text_str(&d));
	fputs(" (1)\n", to);
	roff_str(to, c->summary);
	fputs(".\n", to);
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
		man_entry(to, *c);
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
	man_head(to, "RDMASH");
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
	fputs(".SH COMMANDS\nEach command has a page of its own.\n", to);
	for (const char *const *f = help_families; *f; f++)
		man_family(to, *f);
	fputs(".SH \"SEE ALSO\"\n.BR ibv_devinfo (1),\n.BR rdma_cm (7),\n.BR rping (1),\n"
	      ".BR rdma (8)\n",
	      to);
}
