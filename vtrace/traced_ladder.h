/* SPDX-License-Identifier: MIT */
/* The calls of the traced processes as a ladder, a lane for each: vtrace --timeline and --report.
 */
#ifndef VTRACE_TRACED_LADDER_H
#define VTRACE_TRACED_LADDER_H

#include "timeline/ladder.h"

struct decoded;
struct live_program;
struct reader_news;
struct traced;

struct traced_ladder {
	struct ladder ladder;
	unsigned long left_out; /* rows, the oldest */
};

/* A process gets its lane; returns its place. */
unsigned traced_ladder_add(struct traced_ladder *t, const struct traced *process);
/* Takes a call, which live has taken. */
void traced_ladder_take(struct traced_ladder *t, unsigned place, const struct reader_news *call,
			struct live_program *live);
/* Takes a packet that the process there has sent (out) or received; fate may be "". */
void traced_ladder_packet(struct traced_ladder *t, unsigned place, const struct decoded *d,
			  bool out, int64_t when, const char *fate);
/* There will be no more rows: puts them in order. */
void traced_ladder_end(struct traced_ladder *t);

#endif
