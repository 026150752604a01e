/* SPDX-License-Identifier: MIT */
/* vtrace --record: the contents of the program's registered memory. It is looked at when the
 * program calls a function; what has changed since the last time is noted (REPLAY_MEMORY). */
#ifndef VTRACE_MEMORY_WATCH_H
#define VTRACE_MEMORY_WATCH_H

#include <stdbool.h>

enum watch_moment {
	WATCH_BETWEEN,
	WATCH_SENDS,	/* the program is about to send: it has written what is new */
	WATCH_RECEIVED, /* something has arrived: so has what is new */
};

/* false: this process is not recorded. */
bool memory_watch_begin(void);
/* Looks now. */
void memory_watch_look(enum watch_moment moment);

#endif
