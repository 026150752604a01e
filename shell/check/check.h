/* SPDX-License-Identifier: MIT */
/* Static checks of a script (-n), expectations, and the report on them. */
#ifndef SHELL_CHECK_H
#define SHELL_CHECK_H

#include <stdbool.h>

struct session;

/* Checks every literal command, also inside braced bodies of Tcl's and the shell's control
 * commands; prints problems with file:line. 0: none, -1: there are problems, -2: the file cannot be
 * read or does not parse. */
int check_file(struct session *s, const char *path);
int check_text(struct session *s, const char *name, const char *text);

struct cmd;

extern const struct cmd cmd_expect;

/* Does got match want: as the same text, as the same number, or as a glob pattern? */
bool expect_fits(const char *want, const char *got);

/*
 * The report on a run: a line of TAP for each expectation ("ok 1 name", "not ok 2 name" and the
 * actual result) and each error, or a JSON value, on standard output, and the totals at the end. On
 * request it is also written as a JUnit file. A run without expectations has no report, unless a
 * harness such as prove runs it.
 */

/* Starts the clock of the first expectation; each later one is timed from the one before it. */
void verdict_start(void);

/* Does a harness that reads TAP run this program? */
bool verdict_harness(void);

/* "WHAT (FILE:LINE)"; a copy of what where file is NULL. The caller frees it. */
char *verdict_placed(const char *what, const char *file, unsigned line);

/* Reports an expectation that was met, which the caller has counted. */
void verdict_met(struct session *s, const char *name);
/* Reports one that was not met, with the reason in s->fail; adds its place there. */
void verdict_unmet(struct session *s, const char *name);
/* Counts and reports the error in s->fail, which ended a command of a run without a prompt; an
 * error within an expectation is reported under its name. An expectation or a require that was not
 * met does not count as an error; an expectation that was not met at a peer counts as one that was
 * not met here. */
void verdict_error(struct session *s);
/* Does the report show the failure in s->fail on the same terminal as errors, or is it to? */
bool verdict_is_shown(const struct session *s);
/* How many expectations the peer of that name has counted by now. They are shown at the end, as its
 * own; this run's report and exit code do not depend on them. */
void verdict_peer(const char *peer, unsigned passed, unsigned failed);
/* The names of what was not met, each with a newline. The caller frees it. */
char *verdict_missed(void);
/* Forgets all that was reported so far. */
void verdict_forget(void);
/* The run ends as skipped, for this reason; the first one is kept. */
void verdict_skipped(struct session *s, const char *reason);

/* Prints the TAP plan and the totals, if there is a report, and writes the file s->opt.junit. code
 * is the program's exit code. -1: the file cannot be written; a message was printed. */
int verdict_end(struct session *s, int code);

#endif
