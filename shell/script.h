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

/* The text being run. name is what messages call it; dir is where it may read files
 * from (NULL: typed by the user, anywhere). */
struct script {
	struct script *parent;
	const char *name;
	const char *dir;
	int fd;		     /* memory file the interpreter reads the commands from */
	unsigned line;	     /* of the command being run */
	const char *command; /* being run, of len bytes */
	int len;
	bool valued; /* the value of the last command counts */
	bool last;   /* the command that runs is it */
	bool ended;  /* the command ran to its end: no return in it */
};

/* Runs text, printing errors; stops at the first unless -k. 0, or -1 when a command
 * failed. name NULL: typed at the prompt. */
int script_run(struct session *s, const char *name, const char *dir, const char *text);
/* Reads and runs a file: for -f and at top level. Errors are printed. 0, -1: a command
 * failed, -2: cannot be read or is no script. */
int script_file(struct session *s, const char *path);
/* For the source command: as script_file(), but errors are left in s->fail and the
 * interpreter, not printed. Returns a Tcl result code. */
int script_source(struct session *s, const char *path);
/* Runs body, an argument of the command being run, as lines of the script it stands in:
 * results are printed. For repeat. Returns a Tcl result code; an error is left in
 * s->fail. */
int script_body(struct session *s, Tcl_Obj *body);
/* For another end's commands: runs text as if it stood in as (name, dir, line), printing
 * results if so wanted. Returns a Tcl result code, never TCL_BREAK or TCL_CONTINUE. */
int script_part(struct session *s, const struct script *as, const char *text, bool print);

/* Parses text whole. 0, or -1 with s->fail filled (its where too): a command without end.
 */
int script_parses(struct session *s, const char *name, const char *text);
/* Reads a whole file as a script is read, as is for path "-"; its directory in *dir. Both
 * are to be freed. -1 with s->fail filled. */
int script_read(struct session *s, const char *path, char **text, char **dir);
/* Prints s->fail to standard error. */
void script_report(struct session *s);
/* To be called once, with s->tcl made. */
void script_init(struct session *s);

/* Appends "file:line in proc < file:line" of the command being run. */
void script_where(struct session *s, Tcl_DString *where);

#endif
