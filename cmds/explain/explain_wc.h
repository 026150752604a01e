/* SPDX-License-Identifier: MIT */
/* Possible causes, each checked as far as it could be, the confirmed ones told first. */
#ifndef CMDS_EXPLAIN_WC_H
#define CMDS_EXPLAIN_WC_H

#include <stdbool.h>

#include "explain/live_end.h"

struct out;

enum verdict { IS_SO, MAY_BE, IS_NOT, VERDICTS };

struct cause {
	enum verdict verdict;
	char *text, *next; /* next: what to type, or NULL */
};

struct causes {
	struct cause *v;
	unsigned n;
	bool no_commands; /* what to type is left out */
};

/* next may be NULL. */
void cause_add(struct causes *c, enum verdict verdict, const char *next, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* How many are confirmed. */
unsigned causes_confirmed(const struct causes *c);
void causes_free(struct causes *c);
/* Writes the list "causes" into the dict that is open; frees. */
void causes_out(struct causes *c, struct out *o);

/* Into the dict that is open: what failed, and the possible causes, each checked against the
 * regions and QPs that are known, as far as that can be. */
void explain_wc(const struct failed_wr *wr, struct out *o);

#endif
