/* SPDX-License-Identifier: MIT */
/* The state while the words of a command are parsed, and the messages about mistakes in them. */
#ifndef SHELL_MISTAKES_H
#define SHELL_MISTAKES_H

#include <ctype.h>

#include "command/cmd.h"

/* Which arguments have been given so far, while the words are walked. */
struct walk {
	uint64_t seen;	       /* one bit for each argument of the table */
	const struct arg *due; /* an option whose value comes next */
	bool has_list;	       /* a positional that takes all remaining words has begun */
	bool only_values;      /* "--" was seen: the remaining words are values */
	bool ahead;	       /* the words are only checked, before anything runs */
	const struct arg *of;  /* the argument that the last word was a value of, or NULL */
	Tcl_Obj *last;	       /* the last word, or NULL */
};

static inline bool is_seen(const struct walk *w, const struct cmd *c, const struct arg *a)
{
	return w->seen >> (a - c->args) & 1;
}

static inline void set_seen(struct walk *w, const struct cmd *c, const struct arg *a)
{
	w->seen |= UINT64_C(1) << (a - c->args);
}

static inline bool is_switch(const struct arg *a)
{
	return a->kind == &kind_switch;
}

/* -name looks like an option; -5 and -0.5 are values, as are words with control characters or bytes
 * beyond ASCII: binary data may begin with any byte. */
static inline bool looks_like_option(const char *word)
{
	if (word[0] != '-' || !word[1] || isdigit((unsigned char)word[1]) || word[1] == '.')
		return false;
	while (*word >= ' ' && *word < 0x7f)
		word++;
	return !*word;
}

/* All fill s->fail, and return -1. */

/* word begins with '-' and names no option of c, or several. */
int mistake_option(struct session *s, const struct cmd *c, const char *word);
/* No argument is left for word. */
int mistake_too_many(struct session *s, const struct cmd *c, const struct walk *w, Tcl_Obj *word);
/* The words end with the name of the option due: its value is missing. */
int mistake_no_value(struct session *s, const struct cmd *c, const struct arg *due);
int mistake_missing(struct session *s, const struct cmd *c, const struct arg *a);
/* s->fail already describes the bad value of a. Adds the usage if that is a positional of a fixed
 * kind: the words may be in the wrong order. */
int mistake_value(struct session *s, const struct cmd *c, const struct arg *a);

/* s->fail already describes the mistake in word i. If the word before it is a text, adds how to
 * quote both as one text. */
void mistake_quotes(struct session *s, const struct cmd *c, const struct walk *w, int objc,
		    Tcl_Obj *const objv[], int i);

#endif
