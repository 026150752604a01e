/* SPDX-License-Identifier: MIT */
/* The queue of events of an id, between the channel that fills it and who waits. */
#ifndef CMDS_CM_QUEUE_H
#define CMDS_CM_QUEUE_H

#include "objects.h"

/* Appends ev, which the queue then owns. The oldest go when no one takes them. */
void cm_queue(struct session *s, struct id *id, struct cm_event *ev);
/* Is a command waiting for events of this id? Then it is told by the command. */
bool cm_awaited(const struct id *id);

/* A request came in that is not answered by itself: says so at once if the command that waits
 * is the one that asked, in this very process. */
void cm_note_own(struct session *s, const struct id *request);

#endif
