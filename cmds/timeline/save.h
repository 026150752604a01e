/* SPDX-License-Identifier: MIT */
/* Text that is written to a file, and text in a page or a drawing. */
#ifndef CMDS_TIMELINE_SAVE_H
#define CMDS_TIMELINE_SAVE_H

#include <tcl.h>

struct session;

/* Writes all of d into a file of script_open(), made anew. -1 with s->fail filled, naming
 * call. */
int save_file(struct session *s, const char *call, const char *path, const Tcl_DString *d);
/* Appends text so that HTML and XML take it for nothing but text, in an attribute too. */
void markup_text(Tcl_DString *d, const char *text);
/* The same of formatted text. */
void markup_textf(Tcl_DString *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
