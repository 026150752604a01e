/* SPDX-License-Identifier: MIT */
/*
 * vtrace --record: what stands in the program's registered memory. It is looked at when the program
 * calls, and what has changed since the last time is noted (REPLAY_MEMORY).
 */
#ifndef VTRACE_MEMORY_WATCH_H
#define VTRACE_MEMORY_WATCH_H

#include <stdbool.h>

/* false: this process is not recorded. */
bool memory_watch_begin(void);
/* Looks now. arrived: what is new has come with what the last call has waited for; else the program
 * has written it. */
void memory_watch_look(bool arrived);

#endif
