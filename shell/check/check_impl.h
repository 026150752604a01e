/* SPDX-License-Identifier: MIT */
/* Shared by check.c and check_bodies.c: a text that is checked, and the words of a command. */
#ifndef SHELL_CHECK_IMPL_H
#define SHELL_CHECK_IMPL_H

#include <stdbool.h>
#include <tcl.h>

struct session;

struct check {
	struct session *s;
	const char *name;
	const char *text;
	const char *at; /* the position whose line number is line */
	unsigned line;
	Tcl_HashTable *procs;
	bool learning;
	bool is_lesson; /* its words are those of lessons */
	unsigned nest;
	unsigned sourced; /* nesting depth of sourced files */
	unsigned problems;
	bool unparsed; /* a command is not terminated: the rest cannot be checked */
};

/* The words of the command being checked. */
struct words {
	struct check *k;
	Tcl_Parse parse;
	const Tcl_Token *token[256];
	Tcl_Obj *literal[256]; /* NULL: known only at run time */
	int n;
	bool expands; /* has {*}: the number of words is unknown */
};

/* Checks the commands in [from, to). */
void check_walk(struct check *k, const char *from, const char *to);
/* Prints a problem at p; kind: "", or "warning: ", which does not count. */
void check_report(struct check *k, const char *p, const char *kind, const char *what);
/* Reads the words that w->parse has found. */
void check_read_words(struct words *w);
bool check_word_is(const struct words *w, int i, const char *text);
/* Checks a word that is a script, if it is literal. */
void check_body(const struct words *w, int i);
/* Checks the commands in an expression, and warns if it would be substituted twice. */
void check_condition(const struct words *w, int i);

/* check_bodies.c: checks the bodies of a command of Tcl, or of lessons. False: first is none of
 * them. */
bool check_bodies(const struct words *w, const char *first);
/* Is the text a lesson: is its first word 'title'? */
bool check_is_lesson(const char *text);
/* A copy of a lesson with an address and a port in the places of the words for them. */
char *check_filled(struct session *s, const char *text);

#endif
