/* SPDX-License-Identifier: MIT */
/* What the rest of the program tells the timeline: shell/chronicle.h has the entries. */
#ifndef CMDS_TIMELINE_H
#define CMDS_TIMELINE_H

#include <stdbool.h>

#include "chronicle.h"

struct peer;
struct session;

/* Notes from now on; packets where they can be seen without taking them from a network interface,
 * which 'timeline on' does. */
void timeline_begin(struct session *s);
/* The session ends. */
void timeline_end(struct session *s);
/* Notes what has passed by now. */
void timeline_drain(struct session *s);
/* While on is true no packets are looked at. */
void timeline_pause(struct session *s, bool on);
/* Tells a peer 'timeline HOW': it keeps one, or no longer. */
void timeline_peer(struct peer *p, const char *how);
/* For struct app: side.c */
enum chronicle_side timeline_side(struct session *s, const char *text, char name[32]);

#endif
