/* SPDX-License-Identifier: MIT */
/* Positions of commands. The interpreter tracks exact line numbers (through procs, loops and
 * continued lines) only for code that it reads from files. So each command is read from a virtual
 * file system, whose paths name the script and the line at which the command begins. Everything
 * that Tcl compiles from the command keeps that path. */
#ifndef SHELL_SCRIPT_FS_H
#define SHELL_SCRIPT_FS_H

#include <stdbool.h>
#include <tcl.h>

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

#endif
