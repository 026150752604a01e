/* SPDX-License-Identifier: MIT */
/*
 * Libraries: commands that are written in the shell's own language and come with it. Each is a file
 * lib/NAME.rdma beside the program, is read when NAME is first typed, and lives in a trust domain
 * of its own (domain.h): it has no files, and shares no variables with anybody. Only words go in
 * and values come out.
 *
 * The file defines the ensemble ::rdmash::NAME. For what no command that is typed can do it has
 *
 *	::rdmash::keep PARAMS BODY   a script of its caller, to be run later: a name for it
 *	::rdmash::run NAME ARG...    runs it with the rights of who gave it: code, value, -errorcode
 *	::rdmash::drop NAME          forgets it
 *	::rdmash::text TEXT          what is printed of the command's result, in place of the value
 *	::rdmash::notice TEXT        a notice
 *
 * A script that was typed is run without files: what a library runs it for came from elsewhere.
 * Errors with the -errorcode RDMASH ... are the library's words to its caller, with the dict -rows
 * as the rows below them. The comment that the file begins with is its page of help.
 */
#ifndef SHELL_LIBRARY_H
#define SHELL_LIBRARY_H

#include <tcl.h>

struct library;
struct out;
struct session;

/* The next one, by name; NULL: the first. NULL at the end. */
const struct library *library_next(const struct library *l);
const char *library_name(const struct library *l);
/* Its page of help. */
const struct topic *library_topic(const struct library *l);
/* NULL: there is none of that name. */
struct library *library_named(const char *word);

/* Appends what may stand behind its name, or (second not NULL) behind that and its second word, as
 * the lines of usage in its help have it: "  NAME SECOND ... -option". */
void library_complete(const struct library *l, const char *second, Tcl_Obj *list);

/* Runs its command, of objc words with the name, for the code of the domain that is current. 0, or
 * -1 with s->fail filled; then *code is the error's -errorcode, a reference, or NULL. */
int library_run(struct session *s, struct library *l, int objc, Tcl_Obj *const objv[],
		struct out *o, Tcl_Obj **code);
/* At the end of the session. */
void libraries_free(void);

#endif
