/* SPDX-License-Identifier: MIT */
/* Fits text to a terminal. */
#ifndef SHELL_FOLD_H
#define SHELL_FOLD_H

#include <stdbool.h>
#include <tcl.h>

/* Appends text to d. A line of more than columns is broken at a blank, and continues below the
 * start of its text; a longer word stays whole. Colour codes take no columns. Returns the number of
 * rows. */
unsigned fold(const char *text, unsigned columns, Tcl_DString *d);

/* Appends UTF-8 text as ASCII: this program's symbols are replaced by similar ones, all others by
 * '?'. */
void fold_to_ascii(const char *text, Tcl_DString *d);

#endif
