/* SPDX-License-Identifier: MIT */
/* Possible causes, each checked as far as it could be, the confirmed ones told first. */
#ifndef CMDS_EXPLAIN_CANDIDATES_H
#define CMDS_EXPLAIN_CANDIDATES_H

#include <stdbool.h>

struct out;

enum verdict { IS_SO, MAY_BE, IS_NOT, VERDICTS };

struct candidate {
	enum verdict verdict;
	char *text, *next; /* next: what to type, or NULL */
};

struct candidates {
	struct candidate *v;
	unsigned n;
	bool no_commands; /* what to type is left out */
};

/* next may be NULL. */
void candidate_add(struct candidates *c, enum verdict verdict, const char *next, const char *fmt,
		   ...) __attribute__((format(printf, 4, 5)));
/* How many are confirmed. */
unsigned candidates_sure(const struct candidates *c);
void candidates_free(struct candidates *c);
/* Writes the list "candidates" into the dict that is open; frees. */
void candidates_out(struct candidates *c, struct out *o);

#endif
