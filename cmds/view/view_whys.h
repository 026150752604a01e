/* SPDX-License-Identifier: MIT */
/* Why completions and commands of this session have failed, each beside the row of the ladder that
 * shows it. */
#ifndef CMDS_VIEW_WHYS_H
#define CMDS_VIEW_WHYS_H

#include <stdint.h>

struct ladder;
struct session;

/* All zero: none yet. */
struct view_whys {
	struct view_why {
		int64_t from, seen; /* CLOCK_REALTIME, ns: its row began after from, before seen */
		char qp[32];	    /* of a completion; "": of a command */
		char *text;
	} * v;
	unsigned n;
	int64_t known; /* up to this time */
};

/* Explains what has failed since the last call. May ask peers, and so wait. */
void view_whys_learn(struct session *s, struct view_whys *w);
void view_whys_free(struct view_whys *w);
/* Lends the texts to the rows of the ladder. */
void view_whys_lend(const struct view_whys *w, struct ladder *l);
/* The newest one, or "". */
const char *view_whys_last(const struct view_whys *w);

#endif
