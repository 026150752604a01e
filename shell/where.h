/* SPDX-License-Identifier: MIT */
/* Positions of what runs and of what has failed: for script.c and interp.c. */
#ifndef SHELL_WHERE_H
#define SHELL_WHERE_H

#include <stdbool.h>
#include <tcl.h>

struct script;
struct session;

void where_init(void);
void where_free(void);

/* Newlines between the two. */
unsigned where_lines(const char *from, const char *to);
/* The line where body begins, an argument of the command that runs; *in: the script that
 * it stands in. 0: it stands in none. */
unsigned where_body(struct session *s, Tcl_Obj *body, const struct script **in);
/* Is the command that runs the script's own, rather than one in its brackets or bodies? */
bool where_outermost(struct session *s);
/* If the command at the script's line defines a proc, its place is remembered. */
void where_proc(struct session *s, const char *command, int len);
/* Appends where an error of Tcl's own was raised, from its errorInfo. */
void where_error(struct session *s, const char *info, Tcl_DString *where);

#endif
