/* SPDX-License-Identifier: MIT */
/* Text for the width of a terminal. */
#ifndef SHELL_FOLD_H
#define SHELL_FOLD_H

#include <stdbool.h>
#include <tcl.h>

/* Appends text to d. A line of more than columns goes on in the next one, from a blank on, below
 * where its own text begins; a word that is longer stays whole, for the terminal to break. Colours
 * take no room. rows: how many it will take. */
unsigned fold(const char *text, unsigned columns, Tcl_DString *d);

/* Appends UTF-8 text as ASCII: the signs of this program by what comes near, others as '?'. */
void fold_to_ascii(const char *text, Tcl_DString *d);

#endif
