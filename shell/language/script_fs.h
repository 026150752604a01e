/* SPDX-License-Identifier: MIT */
/*
 * Where commands stand: the interpreter knows exact lines (through procs, loops and continued
 * lines) only of what it reads from files. So it reads each command from a file system of our own,
 * whose paths name the script and the line at which the command begins. Whatever Tcl makes of the
 * command remembers that path, for as long as it lives.
 */
#ifndef SHELL_SCRIPT_FS_H
#define SHELL_SCRIPT_FS_H

#include <stdbool.h>
#include <tcl.h>

struct position {
	const char *name; /* of the script, valid until script_fs_free(); NULL: typed */
	unsigned line;	  /* 0: not known */
};

/* To be called once a process, before any interpreter is made, and at its end. */
void script_fs_init(void);
void script_fs_free(void);

/* Evaluates a command of len bytes that begins at this place, and then tail (NULL: nothing).
 * Returns a Tcl result code; return is TCL_OK, as at the end of a file. */
int script_fs_eval(Tcl_Interp *tcl, const struct position *at, const char *command, int len,
		   const char *tail);

/* Where line (from 1) of the file called path stands, as Tcl gives both. false: it is none of
 * ours. */
bool script_fs_place(const char *path, unsigned line, struct position *at);

#endif
