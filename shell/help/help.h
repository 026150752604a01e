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

/* The version, such as "0.1.0". */
const char *help_version_number(void);

/* A page that belongs to no command. */
struct topic {
	const char *name;
	const char *title;
	const char *text;	      /* paragraphs between empty lines; indented lines stay */
	void (*more)(Tcl_DString *d); /* appends text that is known only at run time; NULL: none */
};
/* The topic after t, or the first one for NULL: the shell's, then those of app.topics. NULL at the
 * end. */
const struct topic *topic_next(const struct topic *t);

/* The command or topic for a word that other tools use; or NULL. */
const char *help_synonym(const char *word);

/* Options of the command line. */
struct help_option {
	const char *name;  /* "-f, --file" */
	const char *value; /* "FILE", or NULL */
	const char *text;
};
extern const struct help_option help_option_table[]; /* ends with a NULL name */

/* The command families in the order of help; ends with NULL. Every command belongs to one. */
extern const char *const help_families[];
/* Appends the form of an argument: "<mr>", "-remote addr". */
void help_arg_name(const struct arg *a, Tcl_DString *d);
/* Appends its help, with default, range and words. */
void help_arg_text(const struct arg *a, Tcl_DString *d);
/* The width for text: that of the terminal, limited for readability; 79 without a terminal. */
unsigned help_width(void);
/* Appends text wrapped at width columns, indented by indent blanks. */
void help_wrap(const char *text, unsigned indent, unsigned width, Tcl_DString *d);

#endif
