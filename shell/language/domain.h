/* SPDX-License-Identifier: MIT */
/*
 * Trust domains. Rights belong to code, not to the moment: each domain has an interpreter of its
 * own, and all code that lives in it (procs, traces, ensembles, objects, coroutines, kept scripts)
 * has the domain's rights whenever it runs and whoever makes it run. What is typed and -c are one
 * domain; a script from a file belongs to that of its directory.
 *
 * Between the user's own domain and the others only data goes: values of global variables,
 * arguments and results. A command that the own domain does not have is looked for in those of the
 * scripts that it has run, and runs there. Other domains never reach the user's.
 */
#ifndef SHELL_DOMAIN_H
#define SHELL_DOMAIN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <tcl.h>

struct session;

#define DOMAIN_NO_FILES "" /* the root of the domain whose code may open no file at all */

struct domain {
	LIST_ENTRY(domain) link; /* the last whose file was run comes first */
	struct session *s;
	Tcl_Interp *tcl;
	struct domain_word *words; /* interp.c: the commands of the shell in it */
	char *root; /* its code may open files below this directory; NULL: any, the user's own */

	/* Tcl's own commands as they were made: code cannot replace these. */
	Tcl_CmdInfo proc, info_commands, info_vars, namespace_children, array_names;
	Tcl_HashTable procs; /* where.c: struct position of its body, by Tcl_Command */

	bool is_library; /* library.h: it shares no variables, and its commands are not looked for
			  */
	unsigned active; /* borders that lead into it */
	Tcl_HashTable shared; /* variables as they were last in both it and the own domain */
	unsigned long seen;   /* s->turns when these were read last */
	bool changed;	      /* its variables may have changed since */
	bool sharing;	      /* variables are being copied: a trace on one does not begin again */
};

/* The way into a domain, while code runs there. */
struct border {
	struct border *outer;
	struct domain *from, *into;
	int from_frames, into_frames; /* Tcl's frames at the time */
	bool aside; /* on behalf of the event loop: what waits at from has not called it */
};

/* All domains, the own one first. interp_new() and interp_free() call these. */
void domains_new(struct session *s);
void domains_free(struct session *s);

/* The list of all, by their links. */
struct domain *domain_first(const struct session *s);

/* The domain of a canonical directory, of DOMAIN_NO_FILES, or the user's own (NULL; with --unsafe
 * all). It is made when first needed and lives as long as the session. */
struct domain *domain_of(struct session *s, const char *root);

/* Code of d is about to run; b is the caller's until domain_leave(). */
void domain_enter(struct session *s, struct border *b, struct domain *d, bool aside);
void domain_leave(struct session *s, struct border *b);

/* The user's own code has run, or is about to: variables that changed elsewhere become its own. */
void domain_turn(struct session *s);

/* The domain in which a command is known that the own one does not have, or NULL. */
struct domain *domain_knows(struct session *s, const char *word);
/* The names of its commands, a reference; asking runs none of its code. */
Tcl_Obj *domain_commands(struct domain *d);
/* Runs a command of d for the own domain. A Tcl result code; the result is the own interpreter's.
 */
int domain_call(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[]);

#endif
