/* SPDX-License-Identifier: MIT */
/* Positions of running and failed commands, for script.c and interp.c. */
#ifndef SHELL_WHERE_H
#define SHELL_WHERE_H

#include <stdbool.h>
#include <tcl.h>

#include "language/script_fs.h"

struct domain;
struct session;

/* To be called once per domain, when its interpreter exists, and at its end. From then on proc
 * records where it was called. */
void where_commands(struct domain *d);
void where_free(struct domain *d);

/* The number of newlines between the two. */
unsigned where_lines(const char *from, const char *to);
/* The current depth of the domain's Tcl stack. */
int where_frames(struct domain *d);
/* Where body, an argument of the running command, begins. False: it is not in a script. */
bool where_body(struct session *s, Tcl_Obj *body, struct position *at);
/* Is the running command a top-level command of the script, not one in brackets or a body? */
bool where_outermost(struct session *s);
/* Appends the position of an error that a command of Tcl raised, from its errorInfo. */
void where_error(struct session *s, const char *info, Tcl_DString *where);

#endif
