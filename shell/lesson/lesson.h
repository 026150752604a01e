/* SPDX-License-Identifier: MIT */
/*
 * Lessons: text, commands for the learner to type, and questions, from a file of
 * scripts/lessons. The learner types at the usual prompt; after each command the lesson checks
 * whether its step is done.
 */
#ifndef SHELL_LESSON_H
#define SHELL_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>
#include <time.h>

struct domain;
struct meeting;
struct out;
struct session;

enum lesson_kind {
	LESSON_SAY, /* text */
	LESSON_TRY, /* text, commands that do it, a condition that says it is done */
	LESSON_ASK, /* a question, choices with replies, and the number of the right one */
};

struct lesson_step {
	enum lesson_kind kind;
	Tcl_Obj *own; /* a copy that no code of the file has; the texts point into it */
	const char *text;
	unsigned points;   /* that it is worth */
	Tcl_Obj *commands; /* LESSON_TRY: a list of lines to type */
	Tcl_Obj *hints;	   /* LESSON_TRY: a list of texts, shown one after the other */
	bool is_hidden;	   /* LESSON_TRY: the lines to type are shown last of all */
	const char *check;
	Tcl_Obj *choices; /* LESSON_ASK: a list of choices, each followed by its reply */
	int answer;	  /* from 1 */
};

struct lesson_file {
	unsigned number;       /* 0: it is none of the numbered ones */
	char *ref;	       /* what was asked for: a number, a path */
	bool is_shipped;       /* the program's own: its code has the rights of what is typed */
	struct domain *domain; /* of its code */
	char *path;
	char *title;
	struct lesson_step *step;
	unsigned n;
};

/* Reads a lesson, by its number (1 ...) or its path, for the address and port of m (NULL: only to
 * list it). -1 with s->fail filled: it does not exist or is not a lesson. */
int lesson_read(struct session *s, const char *ref, const struct meeting *m,
		struct lesson_file *file);
void lesson_free(struct lesson_file *file);
/* Records the last typed command and whether it failed, for conditions. */
void lesson_note_typed(struct session *s, const struct lesson_file *file, const char *typed,
		       bool failed);
/* Is the condition of a step true? */
bool lesson_holds(struct session *s, const struct lesson_file *file,
		  const struct lesson_step *step);
/* The fault that the last checked condition found, or NULL. Valid until the next check. */
const char *lesson_wrong(const struct lesson_file *file);
/* A command to type before those of the step, which destroys an object whose name the step needs;
 * or NULL. Valid as the result of lesson_wrong() is. */
const char *lesson_first(const struct lesson_file *file);
/* Is the line typed one of the step's lines? 1: the last, 2: the one before it ...; 0: no. */
int lesson_line_of(const struct lesson_step *step, const char *typed);
/* Was the line typed probably meant for the step (NULL: there is none)? A line that only shows
 * something, or runs a command of the system, is not, unless a line of the step begins with the
 * same command. */
bool lesson_is_attempt(const struct lesson_step *step, const char *typed, bool failed);
/* The number of lessons; 0 with s->fail filled: none were found. */
unsigned lesson_count(struct session *s);

/* To be called after each command typed at the prompt: continues when the step is done. failed: the
 * command failed. */
void lesson_look(struct session *s, const char *typed, bool failed);
/* The number of choices of the current question; 0: there is none. */
int lesson_choices(void);
/* Converts typed input to a command: a number alone may be the answer to a question; "ok", "next"
 * and the like are for the lesson. Valid until the next call. */
const char *lesson_typed(struct session *s, const char *typed);
/* Ends the current lesson, if there is one, and prints the step at which it was left. */
void lesson_end(void);

/* The number of the first lesson that is not done; 0: all are done, or none is found. *at: the step
 * at which it was left, from 0. */
unsigned lesson_next_number(unsigned *at);

/* lesson_progress.c */

/* How far the user has done a lesson, in this session or an earlier one. */
struct lesson_progress {
	bool done;
	unsigned at;  /* the step at which it was last left, from 0 */
	bool skipped; /* a step before that one was skipped */
};
struct lesson_progress lesson_progress(const struct lesson_file *file);
void lesson_note_done(const struct lesson_file *file);
void lesson_note_left(const struct lesson_file *file, unsigned at, bool skipped);
/* How a step was taken. */
struct lesson_taken {
	time_t begun;
	unsigned wrong, hints; /* answers and commands that did not do it; hints that were shown */
	bool skipped;
};
/* The points of a step: each wrong answer and each hint takes one away. */
unsigned lesson_points(const struct lesson_step *step, const struct lesson_taken *t);
/* Keeps how a step was taken. skipped: of the lesson, a step was skipped so far. */
void lesson_note_step(const struct lesson_file *file, unsigned at, bool skipped,
		      const struct lesson_taken *t);
/* All that is kept about steps, as a list. */
void lesson_write_progress(struct out *o);

/* Writes a list of all lessons, with what was done of each. current: the number of the one that is
 * on, or 0. -1 with s->fail filled. */
int lesson_list(struct session *s, unsigned current, struct out *o);

/* lesson_steps.c: parts of a lesson, laid out for the terminal. */
void lesson_write_text(const char *text, unsigned indent, struct out *o);
void lesson_write_title(const char *title, struct out *o);
/* A command on its own line, so that it can be copied. */
void lesson_write_command(const char *command, struct out *o);
void lesson_write_commands(const struct lesson_step *step, struct out *o);
/* first: a command to type before those of the step, or NULL. hints: how many of a step whose lines
 * are hidden; after the last hint come the lines. */
void lesson_write_step(const struct lesson_step *step, const char *first, unsigned hints,
		       struct out *o);
/* The number of hints of a step, with its lines if they are hidden. */
unsigned lesson_hints(const struct lesson_step *step);
/* Shows what was written, and frees it. */
void lesson_end_text(struct out *o);
/* The number of choices; choice i has its text at index 2 i of *v and its reply after it. */
int lesson_choices_of(const struct lesson_step *step, Tcl_Obj ***v);
/* Performs all steps in place of the learner, for tests and demonstrations. -1 with s->fail
 * filled. */
int lesson_play(struct session *s, const char *ref);
/* Writes the lesson as a page of Markdown, to be handed out. */
int lesson_print(struct session *s, const char *ref, bool solutions, struct out *o);
/* Destroys all objects, and repeats the first n steps to recreate those that later steps use; shows
 * only the commands. */
void lesson_do_again(struct session *s, const struct lesson_file *file, unsigned n);

/* lesson -check: looks for the mistakes of a lesson, a file or a number. */
int lesson_check(struct session *s, const char *ref);
/* Completes the words after 'lesson'. */
void lesson_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);

#endif
