/* SPDX-License-Identifier: MIT */
/*
 * Running text: a file, a -c command, standard input, a line typed. Each top-level
 * command is run on its own, so that its result can be printed, it can be echoed and
 * recorded, and errors name file and line even through procs.
 */
#ifndef SHELL_SCRIPT_H
#define SHELL_SCRIPT_H

#include <stdbool.h>
#include <tcl.h>

struct session;

struct domain;

/* The text being run. name is its name in messages; dir is the directory for its relative file
 * names (NULL: typed; the current directory). */
struct script {
	struct script *parent;
	const char *name;
	const char *dir;
	struct domain *domain; /* it runs with the rights of this domain */
	unsigned line;	       /* of the command being run */
	const char *command;   /* being run, of len bytes */
	int len;
	bool valued; /* the value of the last command is wanted */
	bool last;   /* the running command is the last one */
	bool ended;  /* the command ended normally, without return */
};

/* Runs text in the user's own domain and prints errors; stops at the first error unless -k is
 * given. 0, or -1 when a command failed. name NULL: typed at the prompt. */
int script_run(struct session *s, const char *name, const char *text);
/* For -f: reads and runs a file in the domain of its directory. Errors are printed. 0, -1: a
 * command failed, -2: the file cannot be read or is not a script. */
int script_file(struct session *s, const char *path);
/* The same for the user's start file: it runs in the user's own domain, unless others could have
 * written the file. */
int script_start_file(struct session *s, const char *path);
/* For the source command: errors are left in s->fail and the interpreter, not printed. In the
 * user's own domain the file runs in that of its directory, elsewhere in the domain that sources
 * it. Returns a Tcl result code. */
int script_source(struct session *s, const char *path);
/* Runs body, an argument of the command being run, as lines of the script it stands in:
 * results are printed. For repeat. Returns a Tcl result code; an error is left in
 * s->fail. */
int script_body(struct session *s, Tcl_Obj *body);
/* For commands of a driving rdmash: runs text as part of the script as (name, dir, line), in the
 * domain of dir. print: prints results. Returns a Tcl result code, never TCL_BREAK or TCL_CONTINUE.
 */
int script_part(struct session *s, const struct script *as, const char *text, bool print);

/* Are brackets nested so deeply that Tcl's recursive parser could overflow the stack? */
bool script_nests(const char *text);
/* Parses all of text. 0, or -1 with s->fail filled, including where: a command is not complete. */
struct script_text {
	char *text, *dir; /* dir: its directory; the current one for a pipe */
	bool is_users;	  /* the user owns the file and nobody else may write to it */
};

/* Reads a whole script; path "-" is standard input. -1 with s->fail filled. */
int script_read(struct session *s, const char *path, struct script_text *t);
void script_text_free(struct script_text *t);
/* Prints s->fail to standard error. */
void script_report(struct session *s);
/* To be called once per domain, when its interpreter exists. */
void script_commands(struct domain *d);

/* Appends the position of the running command: "file:line in proc < file:line". */
void script_where(struct session *s, Tcl_DString *where);

#endif
