/* SPDX-License-Identifier: MIT */
/* Text in a page or a drawing. */
#ifndef CMDS_TIMELINE_MARKUP_H
#define CMDS_TIMELINE_MARKUP_H

#include <tcl.h>

/* Appends text so that HTML and XML take it for nothing but text, in an attribute too. */
void markup_text(Tcl_DString *d, const char *text);
/* The same of formatted text. */
void markup_textf(Tcl_DString *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
