/* SPDX-License-Identifier: MIT */
/* Checks: of a script that is not run (-n), of what a script expects, and the account of them. */
#ifndef SHELL_CHECK_H
#define SHELL_CHECK_H

#include <stdbool.h>

struct session;

/* Checks every literal command, and inside braced bodies of Tcl's control commands and of
 * ours; prints what is wrong with file:line. 0, -1: something is, -2: cannot be read, or does not
 * parse as a whole. */
int check_file(struct session *s, const char *path);
int check_text(struct session *s, const char *name, const char *text);

/* Expectations: counted, and summed up at the end of a run. */

struct cmd;

extern const struct cmd cmd_expect;

/* Does got fit want: the same text, the same number, or a glob pattern? */
bool expect_fits(const char *want, const char *got);

/*
 * What is told of expectations: a line each as TAP has it ("ok 1 name", "not ok 2 name" and what
 * was got), or JSON, on standard output, and at the end how many there were; on request a JUnit
 * file, too.
 */

/* An expectation is met. It has been counted. */
void verdict_met(struct session *s, const char *name);
/* It is not: s->fail has all that is to be said. */
void verdict_unmet(struct session *s, const char *name);

/* The plan and the sums, where there were any; and the file of s->opt.junit. code: what the program
 * ends with. -1: the file cannot be written, and the message is printed. */
int verdict_end(struct session *s, int code);

#endif
