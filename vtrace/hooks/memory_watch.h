/* SPDX-License-Identifier: MIT */
/*
 * vtrace --record: what stands in the program's registered memory. It is looked at when the program
 * calls, and what has changed since the last time is noted (REPLAY_MEMORY).
 */
#ifndef VTRACE_MEMORY_WATCH_H
#define VTRACE_MEMORY_WATCH_H

#include <stdbool.h>

enum watch_moment {
	WATCH_BETWEEN,
	WATCH_SENDS,	/* the program sends something now: what is new it has written */
	WATCH_RECEIVED, /* something has come: what is new, too */
};

/* false: this process is not recorded. */
bool memory_watch_begin(void);
/* Looks now. */
void memory_watch_look(enum watch_moment moment);

#endif
