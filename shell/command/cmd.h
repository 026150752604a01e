/* SPDX-License-Identifier: MIT */
/* A command is one declarative entry. Parsing, usage, hints, completion, help, the manual page and
 * the bash completion all use it. */
#ifndef SHELL_CMD_H
#define SHELL_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

struct cmd;
struct arg;
struct out;
struct session;

/* An example: a line of input, and text that its output or error must contain. The tests run the
 * examples of a command in order in one session, after the setup. */
struct cmd_eg {
	const char *line;
	const char *shows; /* NULL: any output */
};

struct cmd {
	const char *name;    /* one or two words: "poll", "post write" */
	const char *family;  /* heading in help: "data path" */
	const char *summary; /* one line, no full stop */
	const char *text;    /* long help, plain text; searched by help */
	const char *calls;   /* "ibv_post_send(3)": named in help, linked in the man page */
	const char *setup;   /* a script that the examples need to run first, or NULL */
	const struct cmd_eg *examples; /* ends with a NULL line */
	const struct arg *args;	       /* ends with a NULL name; NULL: none */
	size_t size;		       /* of the struct that the arguments are parsed into */
	unsigned flags;		       /* CMD_... */
	/* args points to the parsed struct; returns 0, or -1 with s->fail filled. With
	 * CMD_EVALS also TCL_RETURN, TCL_BREAK or TCL_CONTINUE of the script it ran. */
	int (*exec)(struct session *s, const void *args, struct out *o);
	/* For a command whose arguments depend on its first words, else NULL: appends the words
	 * that may come next, and what is still missing. */
	void (*complete)(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);
	void (*hint)(int objc, Tcl_Obj *const objv[], Tcl_DString *d);
	/* help COMMAND WORD: writes the help for word; false: there is none. */
	bool (*help)(const char *word, struct out *o);
};

#define CMD_NO_RECORD 0x1 /* record leaves it out: help, show, record ... */
#define CMD_EVALS     0x2 /* runs a script given as an argument: its errors pass through */
#define CMD_LOOKS     0x4 /* leaves all objects as they are; so do those that record leaves out */

/* All commands, sorted by name; ends with NULL. The build generates it from the sources. */
extern const struct cmd *const cmd_table[];

/* A second word, and the command that both words name. */
struct cmd_member {
	const char *word;
	const struct cmd *cmd;
};

/* The commands that share a first word. */
struct cmd_group {
	const char *word;
	const struct cmd *alone;	  /* the command of this word alone, or NULL */
	const struct cmd_member *members; /* sorted, ends with a NULL word; NULL: none */
};

/* All groups, sorted by word; ends with a NULL word. Generated with cmd_table. */
extern const struct cmd_group cmd_groups[];

/* Finds the command that words[0..n) begin with. Names match by unique prefix, two-word names
 * first. *used is the number of words in the name; 0 for "@NAME", which is the command "@" and its
 * first argument in one word. NULL with s->fail filled when the name is unknown or ambiguous; with
 * s NULL there is no message. */
const struct cmd *cmd_find(struct session *s, const char *const words[], int n, int *used);

/* Like cmd_find(), for the group's word and objv[1], if there is one. */
const struct cmd *cmd_find_in(struct session *s, const struct cmd_group *group, int objc,
			      Tcl_Obj *const objv[], int *used);

/* Finds a group by its word or a unique prefix of it; NULL: none or several. */
const struct cmd_group *cmd_group(const char *word);

/* Does c->calls name the function fn, such as "ibv_post_send"? */
bool cmd_calls(const struct cmd *c, const char *fn);

/* Parses objv (the words after the name) and runs the command. */
int cmd_run(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], struct out *o);

#endif
