/* SPDX-License-Identifier: MIT */
/* The tables of commands, options and topics as JSON: help -json, help -tables. */
#include "command/cmd.h"
#include "help/help.h"
#include "out.h"

static void json_arg(const struct arg *a, struct out *o)
{
	SCOPED_TEXT(form);
	SCOPED_TEXT(text);

	help_arg_name(a, &form);
	help_arg_text(a, &text);
	out_dict(o, NULL);
	out_str(o, "name", a->name, NULL);
	out_bool(o, "positional", a->flags & ARG_POS, NULL);
	out_bool(o, "required", a->flags & ARG_NEED, NULL);
	out_bool(o, "many", a->flags & ARG_MANY, NULL);
	out_bool(o, "switch", a->kind == &kind_switch, NULL);
	out_str(o, "kind", a->kind->word, NULL);
	out_str(o, "help", a->help, NULL);
	out_str(o, "form", text_str(&form), NULL);
	out_str(o, "text", text_str(&text), NULL);
	if (a->dflt)
		out_str(o, "default", a->dflt, NULL);
	if (a->max) {
		out_u64(o, "min", a->min, NULL);
		out_u64(o, "max", a->max, NULL);
	}
	if (help_has_words(a)) {
		out_list(o, "words");
		for (const struct word *w = a->data; w->name; w++)
			out_str(o, NULL, w->name, NULL);
		out_end(o);
	}
	out_end(o);
}

void help_json_command(const struct cmd *c, struct out *o)
{
	SCOPED_TEXT(usage);

	args_usage(c, &usage);
	out_dict(o, NULL);
	out_str(o, "name", c->name, NULL);
	out_str(o, "family", c->family, NULL);
	out_str(o, "summary", c->summary, NULL);
	out_str(o, "usage", text_str(&usage), NULL);
	out_str(o, "text", cmd_text(c), NULL);
	out_str(o, "calls", c->calls ? c->calls : "", NULL);
	out_str(o, "setup", c->setup ? c->setup : "", NULL);
	out_list(o, "args");
	for (const struct arg *a = c->args; a && a->name; a++)
		json_arg(a, o);
	out_end(o);
	out_list(o, "examples");
	for (const struct cmd_eg *e = cmd_examples(c); e->line; e++) {
		out_dict(o, NULL);
		out_str(o, "line", e->line, NULL);
		out_str(o, "shows", e->shows ? e->shows : "", NULL);
		out_end(o);
	}
	out_end(o);
	out_end(o);
}

void help_json_all(struct out *o)
{
	SCOPED_TEXT(text);

	for (const struct cmd *const *c = cmd_table; *c; c++)
		help_json_command(*c, o);
	out_print(o, OUT_JSON, &text);
	out_text(o, "%s", text_str(&text));
}

static void json_option(const struct help_option *h, struct out *o)
{
	const char letter[2] = { h->id < OPTION_LONG ? (char)h->id : 0 };

	out_dict(o, NULL);
	out_str(o, "name", h->name, NULL);
	out_str(o, "letter", letter, NULL);
	out_str(o, "value", h->value ? h->value : "", NULL);
	out_str(o, "text", h->text, NULL);
	out_end(o);
}

static void json_topic(const struct topic *t, struct out *o)
{
	out_dict(o, NULL);
	out_str(o, "name", t->name, NULL);
	out_str(o, "title", t->title, NULL);
	out_str(o, "text", help_topic_text(t), NULL);
	out_bool(o, "more", t->more, NULL);
	out_end(o);
}

void help_tables(struct out *o)
{
	out_dict(o, NULL);
	out_str(o, "version", help_version_number(), NULL);
	out_list(o, "families");
	for (const char *const *f = help_families; *f; f++)
		out_str(o, NULL, *f, NULL);
	out_end(o);
	out_list(o, "options");
	for (const struct help_option *h = help_option_table; h->name; h++)
		json_option(h, o);
	out_end(o);
	out_list(o, "topics");
	for (const struct topic *t = help_topic_next(NULL); t; t = help_topic_next(t))
		json_topic(t, o);
	out_end(o);
	out_list(o, "commands");
	for (const struct cmd *const *c = cmd_table; *c; c++)
		help_json_command(*c, o);
	out_end(o);
	out_end(o);
}
