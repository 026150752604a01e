/* SPDX-License-Identifier: MIT */
/* What is written of the calls: a line each, in text or JSON; why something has failed; and in the
 * end how much there was of each. */
#ifndef VTRACE_VIEWS_H
#define VTRACE_VIEWS_H

#include <stdbool.h>
#include <stdio.h>

struct captures;
struct reader_news;

struct views {
	FILE *to;
	bool lines;		   /* a line for each call */
	bool json;		   /* lines are objects */
	bool pids;		   /* with the number of the process */
	bool counts;		   /* a table in the end */
	bool timeline;		   /* all processes side by side, in the end */
	const char *report;	   /* the name of a page of HTML with that, in the end; or NULL */
	struct captures *captures; /* packets for these two, or NULL */
	bool explain;		   /* what has failed */
	const char *only; /* names, patterns, "set-up", "data", with commas between; NULL: all */
};

/* Is the list of names good? Else a line that says which is not, to stderr. */
bool views_check(const char *only);
/* v stays the caller's, and as it is. */
void views_begin(const struct views *v);
void views_take(const struct reader_news *news);
/* The program has ended. */
void views_end(void);

#endif
