/* SPDX-License-Identifier: MIT */
/* The command table as JSON. */
#include "args.h"
#include "cmd.h"
#include "help_impl.h"
#include "out.h"

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

void help_json_all(struct out *o)
{
	Tcl_DString text;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		help_json_command(*c, o);
	Tcl_DStringInit(&text);
	out_print(o, OUT_JSON, &text);
	out_text(o, "%s", Tcl_DStringValue(&text));
	Tcl_DStringFree(&text);
}
