/* SPDX-License-Identifier: MIT */
/*
 * The Tcl interpreters: one a domain, safe unless --unsafe, with every command of the table in it.
 */
#ifndef SHELL_INTERP_H
#define SHELL_INTERP_H

#include <stdbool.h>
#include <tcl.h>

struct domain;
struct session;

/* Makes the user's own domain. Tcl_FindExecutable() must have been called. */
void interp_new(struct session *s);
void interp_free(struct session *s);
/* Makes d->tcl. For domain.c. */
void interp_make(struct domain *d);

/* Is the first word of this command one of ours (not Tcl's own, not a proc)? */
bool interp_ours(struct session *s, const char *command, int len);

/* Is word one that has a reason of its own not to be a command? -1 with s->fail filled.
 */
int interp_unknown(struct session *s, const char *word);

/* Evaluates a script given as an argument (expect, repeat, listen -accept) in the
 * caller's scope. Returns a Tcl result code; after TCL_ERROR s->fail is filled whatever
 * failed. */
int interp_eval(struct session *s, Tcl_Obj *script);

/* Runs a command at top level of an interpreter, which may be doing nothing else. Returns a Tcl
 * result code. */
int interp_eval_words(Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[]);

/* Runs a command of d on behalf of the event loop, also while another one waits: what that one
 * has as result and failure stays. Nothing is printed. *value is the result or the error's text,
 * *code the error's -errorcode (NULL when it went well); both hold a reference that is the
 * caller's. Returns a Tcl result code. */
int interp_aside(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[],
		 Tcl_Obj **value, Tcl_Obj **code);

/* After TCL_ERROR: makes s->fail describe it, unless it already does. */
void interp_fail(struct session *s);

/* Makes the interpreter unwind everything, in a way no script can catch. */
void interp_stop(struct session *s);

/* Ends the run with this exit code (-1: as it went). Returns TCL_RETURN. */
int interp_quit(struct session *s, int code);

/* Ctrl-C is dealt with: the interpreter may run again. */
void interp_resume(struct session *s);

#endif
