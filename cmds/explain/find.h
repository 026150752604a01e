/* SPDX-License-Identifier: MIT */
/* Looking things up by what a person types: a name with or without its prefix, in any case, a
 * number, the text of an error message, a part of these. */
#ifndef CMDS_EXPLAIN_FIND_H
#define CMDS_EXPLAIN_FIND_H

#include <stdbool.h>
#include <tcl.h>

#include "explain/fact.h"

struct found {
	const struct fact_family *family;
	const struct fact *fact;
};

#define FOUND_MAX 24

/* Those that fit text best, in family (NULL: in all): at most FOUND_MAX; returns how many. */
unsigned facts_find(const struct fact_family *family, const char *text, struct found *found);
/* The family called name, which may be shortened; or NULL. */
const struct fact_family *fact_family(const char *name);
/* Appends all names to a Tcl list. */
void facts_names(Tcl_Obj *names);

#endif
