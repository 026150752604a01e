/* SPDX-License-Identifier: MIT */
/* What a program does again and again, as a loop. */
#ifndef VTRACE_REPLAY_FOLD_H
#define VTRACE_REPLAY_FOLD_H

#include <tcl.h>

/* Appends the lines of a script; lines that are repeated, one by one or several together, become a
 * loop. A line that ends with a backslash goes on in the next one. */
void replay_fold(const char *script, Tcl_DString *to);

#endif
