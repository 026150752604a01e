/* SPDX-License-Identifier: MIT */
/* Text of the help: families, paragraphs, arguments. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "help_impl.h"
#include "print.h"
#include "xmem.h"

#define WIDTH	  79
#define WIDTH_MAX 100

const char *const help_families[] = {
	"device",
	"resources",
	"memory",
	"connection, in one go",
	"connection, step by step",
	"by hand",
	"beside RDMA",
	"data path",
	"every function",
	"understanding",
	"scripts",
	"both ends",
	"measuring",
	"settings",
	"help",
	NULL,
};

unsigned help_width(void)
{
	unsigned columns = print_columns();

	return !columns ? WIDTH : columns - 1 < WIDTH_MAX ? columns - 1 : WIDTH_MAX;
}

void help_blanks(Tcl_DString *d, unsigned n)
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
			help_blanks(d, indent);
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
			help_blanks(d, indent);
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

bool help_has_words(const struct arg *a)
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
	if (help_has_words(a))
		append_words(a, d);
	if (a->dflt) {
		more = xasprintf(" (default %s)", a->dflt);
		Tcl_DStringAppend(d, more, -1);
		free(more);
	}
}
