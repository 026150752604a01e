/* SPDX-License-Identifier: MIT */
/*
 * Trust domains. Rights belong to code: each domain has its own interpreter, and all code defined
 * in it (procs, traces, ensembles, objects, coroutines, stored scripts) has the domain's rights
 * whenever it runs and whoever calls it. Typed lines and -c form one domain, the user's own; a
 * script from a file belongs to the domain of its directory.
 *
 * Only data crosses between the user's own domain and the others: values of global variables,
 * arguments and results. A command that the user's own domain does not define is looked up in the
 * domains of the scripts that were run, and runs there. Other domains never reach into the user's
 * own.
 */
#ifndef SHELL_DOMAIN_H
#define SHELL_DOMAIN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <tcl.h>

struct session;

#define DOMAIN_NO_FILES "" /* root of the domain whose code may not open files */

struct domain {
	LIST_ENTRY(domain) link; /* most recently run first */
	struct session *s;
	Tcl_Interp *tcl;
	struct domain_word *words; /* interp.c: the commands of the shell in it */
	char *root; /* its code may open files below this directory; NULL: any (the user's own
		       domain) */

	/* Tcl's original commands: code in the domain cannot replace these. */
	Tcl_CmdInfo proc, info_commands, info_vars, namespace_children, array_names;
	Tcl_HashTable procs; /* where.c: struct position of its body, by Tcl_Command */

	bool is_library;      /* library.h: shares no variables, and other domains do not find its
				 commands */
	unsigned active;      /* number of calls into it that have not returned */
	Tcl_HashTable shared; /* variables as they were when last copied between it and the user's
				 own domain */
	unsigned long seen;   /* s->turns when the variables were last copied */
	bool changed;	      /* its variables may have changed since then */
	bool sharing; /* variables are being copied: a variable trace must not start another copy */
};

/* A call from one domain into another, until it returns. */
struct border {
	struct border *outer;
	struct domain *from, *into;
	int from_frames, into_frames; /* depth of Tcl's stack at the time of the call */
	bool aside; /* called by the event loop, not by the command that waits in from */
};

/* Create and free the list of domains. For interp_new() and interp_free(). */
void domains_new(struct session *s);
void domains_free(struct session *s);

/* The first domain of the list; follow its link. */
struct domain *domain_first(const struct session *s);

/* The domain of a canonical directory or of DOMAIN_NO_FILES, or the user's own for NULL (with
 * --unsafe: always). It is created when first needed and lives as long as the session. */
struct domain *domain_of(struct session *s, const char *root);

/* Enters d before its code runs. The caller keeps b until domain_leave(). */
void domain_enter(struct session *s, struct border *b, struct domain *d, bool aside);
void domain_leave(struct session *s, struct border *b);

/* Copies variables that changed in other domains into the user's own. To be called before and after
 * the user's own code runs. */
void domain_turn(struct session *s);

/* The domain that defines a command which the user's own does not, or NULL. */
struct domain *domain_knows(struct session *s, const char *word);
/* A reference to the list of the commands that d defines. Runs none of its code. */
Tcl_Obj *domain_commands(struct domain *d);
/* Runs a command of d on behalf of the user's own domain. Returns a Tcl result code; the result is
 * left in the user's own interpreter. */
int domain_call(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[]);

#endif
