/* SPDX-License-Identifier: MIT */
/* Completion events: ibv_get_cq_event(3) on the event loop. */
#ifndef CMDS_CQ_EVENTS_H
#define CMDS_CQ_EVENTS_H

struct cc;
struct session;

/* Watches the channel: an event is acknowledged at once, counted in its CQ and noticed.
 */
void cc_watch(struct session *s, struct cc *cc);
void cc_unwatch(struct session *s, struct cc *cc);

#endif
