/* SPDX-License-Identifier: MIT */
/* Help, the manual page and the bash completion, all from the command table. */
#ifndef SHELL_HELP_H
#define SHELL_HELP_H

#include <stdbool.h>
#include <stdio.h>
#include <tcl.h>

struct arg;
struct cmd;

extern const struct cmd cmd_help;

/* rdmash --help */
void help_options(FILE *to);
/* rdmash --version: with the libraries and providers */
void help_version(FILE *to, const char *version);
/* rdmash(1), in man(7) */
void help_man(FILE *to, const char *version);
/* the bash completion script */
void help_bash(FILE *to);

/* "0.1.0" */
const char *help_version_number(void);

/* A page that belongs to no command. */
struct topic {
	const char *name;
	const char *title;
	const char *text;	      /* paragraphs between empty lines; indented lines stay */
	void (*more)(Tcl_DString *d); /* appends what is known at run time only; NULL: nothing */
};
/* The topic behind t, the first one for NULL: the shell's, then those of app.topics. NULL at
 * the end. */
const struct topic *topic_next(const struct topic *t);

/* The command or topic that has here what elsewhere is called word; or NULL. */
const char *help_synonym(const char *word);

/* Options of the command line. */
struct help_option {
	const char *name;  /* "-f, --file" */
	const char *value; /* "FILE", or NULL */
	const char *text;
};
extern const struct help_option help_option_table[]; /* ends with a NULL name */

/* The families in the order in which help shows them; ends with NULL. Every command is in
 * one of them. */
extern const char *const help_families[];
/* How an argument is written: "<mr>", "-remote addr". */
void help_arg_name(const struct arg *a, Tcl_DString *d);
/* Its help, with default, range and words. */
void help_arg_text(const struct arg *a, Tcl_DString *d);
/* Columns to lay text out for: those of the terminal, 79 without one; not much more than can be
 * read. */
unsigned help_width(void);
/* Appends text in lines of at most width columns, each after indent blanks. */
void help_wrap(const char *text, unsigned indent, unsigned width, Tcl_DString *d);

#endif
