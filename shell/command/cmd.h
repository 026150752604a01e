/* SPDX-License-Identifier: MIT */
/*
 * What a command is: one declarative entry that drives parsing, usage, hints,
 * completion, help, the manual page and the bash completion.
 */
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

/* A line of input and a word its output (or its error) must hold. The tests run every
 * example of a command in order in one session, after the lines of the setup. */
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
	const char *setup;   /* what the examples need first: a script, or NULL */
	const struct cmd_eg *examples; /* ends with a NULL line */
	const struct arg *args;	       /* ends with a NULL name; NULL: none */
	size_t size;		       /* of the struct the arguments are parsed into */
	unsigned flags;		       /* CMD_... */
	/* args points to the parsed struct; returns 0, or -1 with s->fail filled. With
	 * CMD_EVALS also TCL_RETURN, TCL_BREAK or TCL_CONTINUE of the script it ran. */
	int (*exec)(struct session *s, const void *args, struct out *o);
	/* Of a command whose arguments depend on its first words; NULL: they do not. Words
	 * that may come next, and what is still missing. */
	void (*complete)(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);
	void (*hint)(int objc, Tcl_Obj *const objv[], Tcl_DString *d);
	/* help COMMAND WORD: states what there is to say; false: nothing of that name. */
	bool (*help)(const char *word, struct out *o);
};

#define CMD_NO_RECORD 0x1 /* the recorder leaves it out: help, show, record ... */
#define CMD_EVALS     0x2 /* runs a script given as an argument: its errors pass through */

/* All commands, sorted by name, ends with NULL: made from their sources. */
extern const struct cmd *const cmd_table[];

/* A second word, and the command of both. */
struct cmd_member {
	const char *word;
	const struct cmd *cmd;
};

/* The commands with one first word. */
struct cmd_group {
	const char *word;
	const struct cmd *alone;	  /* the command of this word alone, or NULL */
	const struct cmd_member *members; /* sorted, ends with a NULL word; NULL: none */
};

/* All groups, sorted by word, ends with a NULL word: made with cmd_table. */
extern const struct cmd_group cmd_groups[];

/* Finds the command of words[0..n): names match by unique prefix, the two-word name
 * first. *used: how many words the name took: none where "@NAME" is "@" and its first
 * argument in one word. NULL with s->fail filled when unknown or
 * ambiguous (s may be NULL: no message). */
const struct cmd *cmd_find(struct session *s, const char *const words[], int n, int *used);

/* As cmd_find() of a group's own word and objv[1], if there is one. */
const struct cmd *cmd_find_in(struct session *s, const struct cmd_group *group, int objc,
			      Tcl_Obj *const objv[], int *used);

/* The group whose word is word, or begins so and no other does; else NULL. */
const struct cmd_group *cmd_group(const char *word);

/* Is fn, "ibv_post_send", among the functions that the command says it calls? */
bool cmd_calls(const struct cmd *c, const char *fn);

/* Parses objv (the words after the name) and runs the command. */
int cmd_run(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], struct out *o);

#endif
