/* SPDX-License-Identifier: MIT */
#include "complete.h"
void complete_words(void *session, const char *text, Tcl_Obj *words, size_t *start) {(void)session,(void)text,(void)words;*start=0;}
void complete_hint(void *session, const char *text, Tcl_DString *hint) {(void)session,(void)text,(void)hint;}
