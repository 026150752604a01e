/* SPDX-License-Identifier: MIT */
/*
 * Programs and scripts that are written from a template: a text whose parts have an empty line
 * between them. A part is
 *
 *   - a mark, "@session@", for which another text is put;
 *   - a function or a struct of C, or a procedure of Tcl, which is left out where nothing uses it;
 *   - or anything else, which is always there.
 */
#ifndef CMDS_TEMPLATE_H
#define CMDS_TEMPLATE_H

#include <tcl.h>

struct template_part {
	const char *mark; /* with its line end; NULL ends the list */
	const char *text;
};

/* Appends the template to text, with parts for its marks. A part may use those before it only. */
void template_fill(const char *template, const struct template_part *parts, Tcl_DString *text);

#endif
