/* SPDX-License-Identifier: MIT */
/* Help, from the command table; pages.rdma makes the manual pages, completions and the grammar for
 * vim of the same. */
#ifndef SHELL_HELP_H
#define SHELL_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tcl.h>

struct text;
struct arg;
struct cmd;
struct out;
struct session;

extern const struct cmd cmd_help;

/* rdmash --help */
void help_options(FILE *to);
/* rdmash --version: with the libraries and providers */
void help_version(FILE *to);
/* The version, such as "0.1.0". */
const char *help_version_number(void);

/* A page that belongs to no command. Its text is the comment before its definition, like
 * that of a command. */
struct topic {
	const char *name;
	const char *title;
	const char *text;	      /* of a library, which is read at run time; else NULL */
	void (*more)(struct text *d); /* appends text that is known only at run time; NULL: none */
};
/* All topics of the program, sorted by name; ends with NULL. And their texts, in the same order.
 * command_table.py makes both from the sources. */
extern const struct topic *const topic_table[];
extern const char *const topic_texts[];
/* The topic after t, or the first one for NULL: those of the table, then those of libraries. NULL
 * at the end. */
const struct topic *help_topic_next(const struct topic *t);
/* Paragraphs between empty lines; indented lines stay. */
const char *help_topic_text(const struct topic *t);

/* The command or topic for a word that other tools use; or NULL. */
const char *help_synonym(const char *word);

/* Options of the command line. */
struct help_option {
	int id;		   /* its letter, or OPTION_... if it has none */
	const char *name;  /* "file" of --file */
	const char *value; /* "FILE", or NULL */
	const char *text;
	size_t at; /* in struct session: a bool, or the value; 0: it does something else */
};
enum {
	OPTION_LONG = 256,
	OPTION_JSON = OPTION_LONG,
	OPTION_CSV,
	OPTION_JUNIT,
	OPTION_GRADE,
	OPTION_WITHIN,
	OPTION_COLOR,
	OPTION_UNSAFE,
	OPTION_ALLOW_DIR,
	OPTION_DEVICE,
	OPTION_PEER,
	OPTION_COMPLETE
};
extern const struct help_option help_option_table[]; /* ends with a NULL name */
/* "-f, --file"; valid as temp_text() is. */
const char *help_option_name(const struct help_option *h);

/* The command families in the order of help; ends with NULL. Every command belongs to one. */
extern const char *const help_families[];
/* Appends the form of an argument: "<mr>", "-remote addr". */
void help_arg_name(const struct arg *a, struct text *d);
/* Appends its help, with default, range and words. */
void help_arg_text(const struct arg *a, struct text *d);
/* The width for text: that of the terminal, limited for readability; 79 without a terminal. */
unsigned help_width(void);
/* Appends text wrapped at width columns, indented by indent blanks. */
void help_wrap(const char *text, unsigned indent, unsigned width, struct text *d);

/* Are the data of a words to choose from? */
bool help_has_words(const struct arg *a);

/* A command, its arguments and examples, as a dict. */
void help_json_command(const struct cmd *c, struct out *o);
/* All commands as the text of one JSON value. */
void help_json_all(struct out *o);
/* The tables of commands, options and topics, as a dict. */
void help_tables(struct out *o);

/* Writes usage, arguments, text and examples; the value is the command's dict. */
void help_command(const struct cmd *c, struct out *o);
/* Writes the name and summary of a command. */
void help_summary(const struct cmd *c, struct out *o);
void help_list_family(const char *family, struct out *o);
/* Writes the families and their commands, on one screen. */
void help_overview(struct out *o);
/* Writes each command with its summary. */
void help_list_all(struct out *o);
void help_topic(const struct topic *t, struct out *o);

/* Shows the best matches for word. -1 with s->fail filled if there are none. */
int help_search(struct session *s, const char *word, struct out *o);

#endif
