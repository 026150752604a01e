/* SPDX-License-Identifier: MIT */
/* Completion and hints for the text before the cursor, and "did you mean". */
#ifndef SHELL_COMPLETE_H
#define SHELL_COMPLETE_H

#include <stddef.h>
#include <tcl.h>

struct session;

/* For struct edit_ops: ctx is the session. */
void complete_words(void *session, const char *text, Tcl_Obj *words, size_t *start);
void complete_hint(void *session, const char *text, Tcl_DString *hint);

/* The word of the Tcl list that is nearest to typed, or NULL if none is near. Case is ignored; each
 * swapped, missing or wrong letter counts as one. Borrowed from the list. */
const char *suggest(const char *typed, Tcl_Obj *words);

#endif
