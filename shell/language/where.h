/* SPDX-License-Identifier: MIT */
/* Positions of what runs and of what has failed: for script.c and interp.c. */
#ifndef SHELL_WHERE_H
#define SHELL_WHERE_H

#include <stdbool.h>
#include <tcl.h>

#include "language/script_fs.h"

struct domain;
struct session;

/* To be called once a domain, with its interpreter made, and at its end. proc remembers from now on
 * where it was defined. */
void where_commands(struct domain *d);
void where_free(struct domain *d);

/* Newlines between the two. */
unsigned where_lines(const char *from, const char *to);
/* Tcl's frames of the domain now. */
int where_frames(struct domain *d);
/* Where body begins, an argument of the command that runs. false: it stands in no script. */
bool where_body(struct session *s, Tcl_Obj *body, struct position *at);
/* Is the command that runs the script's own, rather than one in its brackets or bodies? */
bool where_outermost(struct session *s);
/* Appends where an error of Tcl's own was raised, from its errorInfo. */
void where_error(struct session *s, const char *info, Tcl_DString *where);

#endif
