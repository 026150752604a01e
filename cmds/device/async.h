/* SPDX-License-Identifier: MIT */
/* Asynchronous events of devices: ibv_get_async_event(3). */
#ifndef CMDS_ASYNC_H
#define CMDS_ASYNC_H

#include <infiniband/verbs.h>
#include <sys/queue.h>

struct dev;
struct session;

/* An asynchronous event of a device, copied and acknowledged, until wait takes it. */
struct async_event {
	TAILQ_ENTRY(async_event) link;
	enum ibv_event_type type;
	char obj[32];	 /* name of the affected object; for ports the device */
	uint64_t serial; /* of that object: when it is destroyed, nobody waits for its events */
	char rule[160];	 /* of "fault port" or "fault device" that has made it; "": none */
};
TAILQ_HEAD(async_list, async_event);

/* Watches the asynchronous events of an open device (ibv_get_async_event(3)): they are copied,
 * acknowledged, shown as notices, and kept for wait. */
void async_watch(struct session *s, struct dev *dev);
void async_unwatch(struct session *s, struct dev *dev);

#endif
