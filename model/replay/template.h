/* SPDX-License-Identifier: MIT */
/*
 * Templates of programs and scripts. The parts of a template are separated by empty lines. A part
 * is
 *
 *   - a mark, "@session@", which is replaced by another text;
 *   - a function or a struct of C, or a procedure of Tcl, which is left out if nothing uses it;
 *   - or anything else, which is always written.
 */
#ifndef MODEL_TEMPLATE_H
#define MODEL_TEMPLATE_H

struct text;

struct template_part {
	const char *mark; /* with its line end; NULL ends the list */
	const char *text;
};

/* Appends the template to text, with the texts of parts for its marks. A part may only use parts
 * before it. */
void template_fill(const char *template, const struct template_part *parts, struct text *text);

#endif
