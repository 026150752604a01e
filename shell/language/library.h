/* SPDX-License-Identifier: MIT */
/*
 * Libraries: commands that are written in the shell's own language and come with it. Each is a file
 * lib/NAME.rdma beside the program, which is read when NAME is first used. It runs in a trust
 * domain of its own (interp.h) that may open no files and shares no variables. Only words go in,
 * and only values come out.
 *
 * The file defines the ensemble ::rdmash::NAME. These commands exist only for libraries:
 *
 *	::rdmash::keep PARAMS BODY   stores a script of the caller; returns a name for it
 *	::rdmash::run NAME ARG...    runs it with the rights of that caller: code, value, -errorcode
 *	::rdmash::drop NAME          forgets it
 *	::rdmash::text TEXT          what is printed instead of the command's value
 *	::rdmash::notice TEXT        shows a notice
 *
 * A stored script that was typed may open no files, because the data that a library passes to it
 * may come from a peer. An error with the -errorcode RDMASH ... is shown to the caller with the
 * dict -rows as the rows below it. The comment at the start of the file is its help page.
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
/* Its help page. */
const struct topic *library_topic(const struct library *l);
/* Finds a library by name; NULL: there is none. */
struct library *library_named(const char *word);

/* Appends the words that may follow the library's name (or, second not NULL, the name and that
 * second word), as found in the usage lines of its help: "  NAME SECOND ... -option". */
void library_complete(const struct library *l, const char *second, Tcl_Obj *list);

/* Runs its command, objc words including the name, for the code of the current domain. 0, or -1
 * with s->fail filled; then *code is a reference to the error's -errorcode, or NULL. */
int library_run(struct session *s, struct library *l, int objc, Tcl_Obj *const objv[],
		struct out *o, Tcl_Obj **code);
/* To be called at the end of the session. */
void libraries_free(void);

#endif
