/* SPDX-License-Identifier: MIT */
/*
 * The Tcl interpreters: one per domain, safe unless --unsafe is given, each with all commands of
 * the table.
 */
#ifndef SHELL_INTERP_H
#define SHELL_INTERP_H

#include <stdbool.h>
#include <sys/queue.h>
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

/* Returns -1, with s->fail filled, if there is a special reason why word is not a command; else 0.
 */
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

/* After TCL_ERROR: a reference to the -errorcode. */
Tcl_Obj *interp_errorcode(Tcl_Interp *tcl);

/* After TCL_ERROR: makes s->fail describe the error, unless it already does. */
void interp_fail(struct session *s);

/* Ends the run with this exit code (-1: chosen by how the run went). Returns TCL_RETURN. */
int interp_quit(struct session *s, int code);

/* Ctrl-C was handled: the interpreters may run again. */
void interp_resume(struct session *s);

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
	Tcl_HashTable procs; /* where.c: struct defined, by Tcl_Command */

	const char *const *refused; /* first words of commands that its code may not use; or NULL */
	bool is_over;		    /* its code may use no command any more */
	bool is_library;	    /* it shares no variables, and other domains do not find its
				       commands */
	unsigned active;	    /* number of calls into it that have not returned */
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

/* Access to Tcl dicts from untrusted sources: NULL for a missing key or a value that is not a dict.
 */

/* The value of key, borrowed from the dict. */
static inline Tcl_Obj *dict_get(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *name = Tcl_NewStringObj(key, -1), *value = NULL;

	Tcl_IncrRefCount(name);
	if (Tcl_DictObjGet(NULL, dict, name, &value) != TCL_OK)
		value = NULL;
	Tcl_DecrRefCount(name);
	return value;
}

/* Appends the keys of the dict to a Tcl list. */
static inline void dict_append_keys(Tcl_Obj *dict, Tcl_Obj *list)
{
	Tcl_Obj *key, *value;
	Tcl_DictSearch search;
	int done;

	if (Tcl_DictObjFirst(NULL, dict, &search, &key, &value, &done) != TCL_OK)
		return;
	for (; !done; Tcl_DictObjNext(&search, &key, &value, &done))
		Tcl_ListObjAppendElement(NULL, list, key);
	Tcl_DictObjDone(&search);
}

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

struct library;
struct out;

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

/* Makes Tcl's commands for regular expressions refuse patterns that would use up the stack. */
void patterns_guard(Tcl_Interp *tcl);

#endif
