/* SPDX-License-Identifier: MIT */
/* Completion events: ibv_req_notify_cq(3), and ibv_get_cq_event(3) on the event loop. */
#ifndef CMDS_CQ_EVENTS_H
#define CMDS_CQ_EVENTS_H

#include "objects.h"

struct cc;
struct session;

/* Watches the channel: an event is acknowledged at once, counted in its CQ and noticed.
 */
void cc_watch(struct session *s, struct cc *cc);
void cc_unwatch(struct session *s, struct cc *cc);

/* Asks for one event; -1 with s->fail filled, also when the CQ has no channel. */
int cq_arm(struct session *s, struct cq *cq, bool solicited);

#endif
