/* SPDX-License-Identifier: MIT */
/*
 * --grade RULES HAND-IN ...: runs each hand-in in a process of its own, and then the rules, a
 * script of expectations with points, which look at the objects and the record that the hand-in has
 * left.
 *
 * The hand-in cannot reach the rules: its code has a domain without files and without the commands
 * that would change the record, and none of its code runs once the rules have begun. A program
 * (--grade RULES -- PROGRAM) is traced; what it has left is its record alone.
 */
#ifndef SHELL_GRADE_H
#define SHELL_GRADE_H

#include <stdbool.h>

struct session;

/* Told to the process that waits when the rules cannot be run. */
#define RULES_FAIL "rules\n"

struct grade {
	const char *rules; /* the script; NULL: nothing is graded */
	unsigned within;   /* seconds for a hand-in; 0: 30 */
	char **hand_ins;   /* scripts and folders; or the words of a program */
	int n;
	bool is_program;
	/* In the process of a hand-in: */
	const char *hand_in;
	int report; /* a pipe: what the process that waits is told */
	enum grade_end { ENDED, ENDED_BY_ERROR, NOT_PARSED, INTERRUPTED, GRADE_ENDS } end;
};

/* Starts a process for each hand-in, waits, and says what became of them. The exit code; in the
 * process of a hand-in -1, at once: it goes on to grade_run(). */
int grade_all(struct session *s, struct grade *g);
/* Runs the hand-in and the rules in this session. The exit code. */
int grade_run(struct session *s, struct grade *g);

#endif
