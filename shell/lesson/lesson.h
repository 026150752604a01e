/* SPDX-License-Identifier: MIT */
/*
 * Lessons: text, commands for the learner to type, and questions, from a file of
 * scripts/lessons. The learner types at the usual prompt; after each command the lesson looks
 * whether its step is done.
 */
#ifndef SHELL_LESSON_H
#define SHELL_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>

struct meeting;
struct session;

enum lesson_kind {
	LESSON_SAY, /* text */
	LESSON_TRY, /* text, commands that do it, a condition that says it is done */
	LESSON_ASK, /* a question, choices with what is said of them, which is right */
};

struct lesson_step {
	enum lesson_kind kind;
	const char *text;
	Tcl_Obj *commands; /* of LESSON_TRY: a list of lines to be typed */
	const char *check;
	Tcl_Obj *choices; /* of LESSON_ASK: a list, each with its reply behind it */
	int answer;	  /* from 1 */
};

struct lesson_file {
	unsigned number;
	char *path;
	char *title;
	Tcl_Obj *steps; /* owns what the steps point to */
	struct lesson_step *step;
	unsigned n;
};

/* Reads lesson number (1 ...), to be taken where m says (NULL: only to be looked at). -1 with
 * s->fail filled: it is not there, or is no lesson. */
int lesson_read(struct session *s, unsigned number, const struct meeting *m,
		struct lesson_file *file);
void lesson_free(struct lesson_file *file);
/* Notes what was typed last and how it ended, which conditions ask for. */
void lesson_note_typed(struct session *s, const char *typed, bool failed);
/* Is the condition of a step true? */
bool lesson_holds(struct session *s, const char *condition);
/* What the condition that was looked at last has found wrong, or NULL. Kept until the next one. */
const char *lesson_wrong(struct session *s);
/* Is it a line of the step, but not the last: is there more to type before anything can be said? */
bool lesson_is_on_the_way(const struct lesson_step *step, const char *typed);
/* How many there are; 0 with s->fail filled: none were found. */
unsigned lesson_count(struct session *s);

/* After each command typed at the prompt: goes on when the step is done. failed: it ended in an
 * error. */
void lesson_look(struct session *s, const char *typed, bool failed);
/* The question that waits: how many choices it has; 0: there is none. */
int lesson_choices(void);
/* What was typed, as a command: a number alone may be the answer to a question. Kept until the
 * next call. */
const char *lesson_typed(const char *typed);
/* At the end of the session. */
void lesson_end(void);

/* Which lessons this user has finished, by name: kept in $XDG_STATE_HOME/rdmash/lessons. */
bool lesson_is_done(const struct lesson_file *file);
void lesson_note_done(const struct lesson_file *file);

#endif
