/* SPDX-License-Identifier: MIT */
/*
 * The Tcl interpreters: one per domain, safe unless --unsafe is given, each with all commands of
 * the table.
 */
#ifndef SHELL_INTERP_H
#define SHELL_INTERP_H

#include <stdbool.h>
#include <tcl.h>

struct domain;
struct session;

/* Creates the user's own domain. Tcl_FindExecutable() must have been called. */
void interp_new(struct session *s);
void interp_free(struct session *s);
/* Creates d->tcl. For domain.c. */
void interp_make(struct domain *d);

/* Is the first word of this command a command of the shell (not Tcl's, not a proc)? */
bool interp_ours(struct session *s, const char *command, int len);

/* If there is a special reason why word is not a command, fills s->fail with it and returns -1. */
int interp_unknown(struct session *s, const char *word);

/* Evaluates a script given as an argument (expect, repeat, listen -accept) in the
 * caller's scope. Returns a Tcl result code; after TCL_ERROR s->fail is always filled. */
int interp_eval(struct session *s, Tcl_Obj *script);

/* Runs a command at the top level of an interpreter. Returns a Tcl result code. */
int interp_eval_words(Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[]);

/* Runs a command of d on behalf of the event loop, also while another command waits, whose result
 * and failure are preserved. Nothing is printed. *value is the result or the error's text, *code
 * the error's -errorcode (NULL on success); the caller owns a reference to both. Returns a Tcl
 * result code. */
int interp_aside(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[],
		 Tcl_Obj **value, Tcl_Obj **code);

/* After TCL_ERROR: makes s->fail describe the error, unless it already does. */
void interp_fail(struct session *s);

/* Makes the interpreters unwind their stacks in a way that no script can catch. */
void interp_stop(struct session *s);

/* Ends the run with this exit code (-1: chosen by how the run went). Returns TCL_RETURN. */
int interp_quit(struct session *s, int code);

/* Ctrl-C was handled: the interpreters may run again. */
void interp_resume(struct session *s);

#endif
