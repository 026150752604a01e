/* SPDX-License-Identifier: MIT */
/* Asynchronous events of devices: copied, acknowledged, shown as notices, and kept for wait. */
#ifndef CMDS_ASYNC_H
#define CMDS_ASYNC_H

struct dev;
struct session;

/* Watches the events of an open device: ibv_get_async_event(3). */
void async_watch(struct session *s, struct dev *dev);
void async_unwatch(struct session *s, struct dev *dev);
void async_free(struct session *s);

#endif
