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

#include "text.h"

struct domain;
struct session;

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
	bool is_block; /* typed, on several lines */
	bool is_body;  /* of a loop, so that break and continue may end it */
	bool valued;   /* the value of the last command is wanted */
	bool last;     /* the running command is the last one */
	bool ended;    /* the command ended normally, without return */
	bool left;     /* script_run_as(): by return */
};

/* Runs text in the user's own domain and prints errors; stops at the first error unless -k is
 * given. 0, or -1 when a command failed. name NULL: typed at the prompt. */
int script_run(struct session *s, const char *name, const char *text);
/* Runs a text at top level, which begins at script->line, and prints errors. 0, -1: a command
 * failed, -2: it does not parse, and nothing of it has run. */
int script_run_as(struct session *s, struct script *script, const char *text);
/* For -f: reads and runs a file in the domain of its directory. Errors are printed. 0, -1: a
 * command failed, -2: the file cannot be read or is not a script. */
int script_file(struct session *s, const char *path);
/* The same for the user's start file: it runs in the user's own domain, unless others could have
 * written the file. */
int script_start_file(struct session *s, const char *path);
/* Fails with the error of Tcl's parser, which has just read text, and a caret below the place in
 * its line. Returns the place. */
const char *script_unparsed(struct session *s, const char *text, const char *end,
			    const Tcl_Parse *parse);
/* For the source command: errors are left in s->fail and the interpreter, not printed. In the
 * user's own domain the file runs in that of its directory, elsewhere in the domain that sources
 * it. Returns a Tcl result code. */
int script_source(struct session *s, const char *path);
/* Runs body, an argument of the command being run, as lines of the script it stands in:
 * results are printed. Returns a Tcl result code; an error is left in
 * s->fail. */
int script_body(struct session *s, Tcl_Obj *body);
/* Runs text as part of the script as (name, dir, line), in its domain (NULL: that of dir). print:
 * prints results. Returns a Tcl result code, never TCL_BREAK or TCL_CONTINUE.
 */
int script_part(struct session *s, const struct script *as, const char *text, bool print);

/* Are brackets nested so deeply that Tcl's recursive parser could overflow the stack? */
bool script_nests(const char *text);

/* Creates the command that marks the end of a script's command. To be called once per domain, when
 * its interpreter exists. */
void script_commands(struct domain *d);

/* Finds the word of command that Tcl has parsed as text. Returns its start and sets *size to its
 * length in command, which may differ from that of text because Tcl joins lines that end with a
 * backslash. NULL: there is no such word. */
const char *script_word(const char *command, const char *text, size_t *size);
/* Finds the place in text, or in a braced word of one of its commands, that Tcl's parser refuses
 * with this message. Adds it to s->fail with a caret and sets *line, from 1. False: there is none.
 */
bool script_syntax(struct session *s, const char *text, size_t len, const char *message,
		   unsigned *line);

/* Positions of running and failed commands. The interpreter tracks exact line numbers (through
 * procs, loops and continued lines) only for code that it reads from files. So each command is read
 * from a virtual file system, whose paths name the script and the line at which the command begins.
 * Everything that Tcl compiles from the command keeps that path. */

struct position {
	const char *name; /* of the script, valid until script_fs_free(); NULL: typed */
	unsigned line;	  /* 0: not known */
};

/* To be called once per process, before any interpreter is created, and at its end. */
void script_fs_init(void);
void script_fs_free(void);

/* Where a command is, or an error was: "file:line in proc < file:line", and the first of these
 * places (line 0: none is known). Typed text has no name: "line 2 in proc". The caller frees the
 * text. */
struct where {
	struct text text;
	struct position innermost;
	struct position last; /* the latest one, and its proc or "" */
	char last_proc[64];
};
void where_init(struct where *w);
/* Appends the position of the running command. */
void script_where(struct session *s, struct where *w);

/* Evaluates a command of len bytes that begins at this position, and then tail (NULL: nothing).
 * Returns a Tcl result code; return gives TCL_OK, as in a file. */
int script_fs_eval(Tcl_Interp *tcl, const struct position *at, const char *command, int len,
		   const char *tail);
/* Converts a path and line (from 1) that Tcl reports to a position in a script. False: the path is
 * not in that file system. */
bool script_fs_place(const char *path, unsigned line, struct position *at);

/* To be called once per domain, when its interpreter exists, and at its end. From then on proc
 * records where each procedure is defined. */
void where_commands(struct domain *d);
void where_free(struct domain *d);

/* The number of newlines in [from, to). */
unsigned where_lines(const char *from, const char *to);
/* The current depth of the domain's Tcl stack. */
int where_frames(struct domain *d);
/* Finds body, an argument of the command that runs in the domain, in its script. Sets *at to where
 * it begins, and returns it as it is written there, before Tcl joins lines that end with a
 * backslash; the caller frees it. NULL: it is not in a script. */
char *where_body(struct domain *d, Tcl_Obj *body, struct position *at);
/* Is the running command a top-level command of the script, not one in brackets or a body? */
bool where_outermost(struct session *s);
/* Appends the position of an error that a command of Tcl raised, from its errorInfo. body: the
 * argument of the running command that it was raised in; NULL: no command is running. */
void where_error(struct session *s, const char *info, Tcl_Obj *body, struct where *w);

#endif
