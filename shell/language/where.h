/* SPDX-License-Identifier: MIT */
/* Positions of running and failed commands, for script.c and interp.c. */
#ifndef SHELL_WHERE_H
#define SHELL_WHERE_H

#include <stdbool.h>
#include <tcl.h>

struct domain;
struct session;

/* Positions of commands. The interpreter tracks exact line numbers (through procs, loops and
 * continued lines) only for code that it reads from files. So each command is read from a virtual
 * file system, whose paths name the script and the line at which the command begins. Everything
 * that Tcl compiles from the command keeps that path. */

struct position {
	const char *name; /* of the script, valid until script_fs_free(); NULL: typed */
	unsigned line;	  /* 0: not known */
};

/* To be called once per process, before any interpreter is created, and at its end. */
void script_fs_init(void);
void script_fs_free(void);

/* Evaluates a command of len bytes that begins at this position, and then tail (NULL: nothing).
 * Returns a Tcl result code; return gives TCL_OK, as in a file. */
int script_fs_eval(Tcl_Interp *tcl, const struct position *at, const char *command, int len,
		   const char *tail);

/* Converts a path and line (from 1) that Tcl reports to a position in a script. False: the path is
 * not in this file system. */
bool script_fs_place(const char *path, unsigned line, struct position *at);

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
