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

/* The text being run. name is what messages call it; dir is what its relative file names begin
 * at (NULL: typed, where the program runs). */
struct script {
	struct script *parent;
	const char *name;
	const char *dir;
	struct domain *domain; /* whose rights it has */
	unsigned line;	       /* of the command being run */
	const char *command;   /* being run, of len bytes */
	int len;
	bool valued; /* the value of the last command counts */
	bool last;   /* the command that runs is it */
	bool ended;  /* the command ran to its end: no return in it */
};

/* Runs the user's own words, printing errors; stops at the first unless -k. 0, or -1 when a
 * command failed. name NULL: typed at the prompt. */
int script_run(struct session *s, const char *name, const char *text);
/* Reads and runs a file, in the domain of its directory: for -f. Errors are printed. 0, -1: a
 * command failed, -2: cannot be read or is no script. */
int script_file(struct session *s, const char *path);
/* The same for the user's start file: its lines are the user's own words, unless others could have
 * written them. */
int script_start_file(struct session *s, const char *path);
/* For the source command: errors are left in s->fail and the interpreter, not printed. In the
 * user's own domain the file runs in that of its directory, elsewhere in the domain that sources
 * it. Returns a Tcl result code. */
int script_source(struct session *s, const char *path);
/* Runs body, an argument of the command being run, as lines of the script it stands in:
 * results are printed. For repeat. Returns a Tcl result code; an error is left in
 * s->fail. */
int script_body(struct session *s, Tcl_Obj *body);
/* For another end's commands: runs text as if it stood in as (name, dir, line), in the domain of
 * dir, printing results if so wanted. Returns a Tcl result code, never TCL_BREAK or
 * TCL_CONTINUE. */
int script_part(struct session *s, const struct script *as, const char *text, bool print);

/* Do brackets nest so deeply that Tcl's parser, which recurses, could use up the stack? */
bool script_nests(const char *text);
/* Parses text whole. 0, or -1 with s->fail filled (its where too): a command without end.
 */
struct script_text {
	char *text, *dir; /* dir: its directory; the current one when it is in none (a pipe) */
	bool is_users;	  /* a file that belongs to the user and that nobody else may write */
};

/* Reads a whole file as a script is read, standard input for path "-". -1 with s->fail filled. */
int script_read(struct session *s, const char *path, struct script_text *t);
void script_text_free(struct script_text *t);
/* Prints s->fail to standard error. */
void script_report(struct session *s);
/* To be called once a domain, with its interpreter made. */
void script_commands(struct domain *d);

/* Appends "file:line in proc < file:line" of the command being run. */
void script_where(struct session *s, Tcl_DString *where);

#endif
