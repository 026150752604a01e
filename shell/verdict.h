/* SPDX-License-Identifier: MIT */
/*
 * What is told of expectations: a line each as TAP has it ("ok 1 name", "not ok 2 name" and what
 * was got), or JSON, on standard output, and at the end how many there were; on request a JUnit
 * file, too.
 */
#ifndef SHELL_VERDICT_H
#define SHELL_VERDICT_H

struct session;

/* An expectation is met. It has been counted. */
void verdict_met(struct session *s, const char *name);
/* It is not: s->fail has all that is to be said. */
void verdict_unmet(struct session *s, const char *name);

/* The plan and the sums, where there were any; and the file of s->opt.junit. code: what the program
 * ends with. -1: the file cannot be written, and the message is printed. */
int verdict_end(struct session *s, int code);

#endif
