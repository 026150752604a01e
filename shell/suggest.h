/* SPDX-License-Identifier: MIT */
/* Did you mean: the nearest of some words. */
#ifndef SHELL_SUGGEST_H
#define SHELL_SUGGEST_H

#include <tcl.h>

/* The word of the Tcl list nearest to typed (any case; swapped, missing or wrong letters
 * cost one each), or NULL when none is near. Borrowed from the list. */
const char *suggest(const char *typed, Tcl_Obj *words);

#endif
