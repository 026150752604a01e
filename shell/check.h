/* SPDX-License-Identifier: MIT */
/* -n: a script is checked against the tables, nothing is run. */
#ifndef SHELL_CHECK_H
#define SHELL_CHECK_H

struct session;

/* Checks every literal command, and inside braced bodies of Tcl's control commands and of
 * ours; prints what is wrong with file:line. 0, -1: something is, -2: cannot be read, or does not
 * parse as a whole. */
int check_file(struct session *s, const char *path);
int check_text(struct session *s, const char *name, const char *text);

#endif
