/* SPDX-License-Identifier: MIT */
/* What may be typed next: completion and hints for the text before the cursor. */
#ifndef SHELL_COMPLETE_H
#define SHELL_COMPLETE_H

#include <stddef.h>
#include <tcl.h>

struct session;

/* For struct edit_ops: ctx is the session. */
void complete_words(void *session, const char *text, Tcl_Obj *words, size_t *start);
void complete_hint(void *session, const char *text, Tcl_DString *hint);

#endif
