/* SPDX-License-Identifier: MIT */
/* Do the peers on this host still live? With the lock held. */
#ifndef UROCE_CM_ALIVE_H
#define UROCE_CM_ALIVE_H

#include <stdint.h>

struct conn;

/* This process, with this GUID, has one connection more: 0, or -1 with errno; one less. */
int alive_add(uint64_t guid);
void alive_remove(void);
/* The state of a connection has changed: its peer is looked at if need be. */
void alive_watch(const struct conn *c);
/* Now, of one that has asked and waits for an answer. */
void alive_look(struct conn *c);
/* After fork(), when the timers are forgotten. */
void alive_forget(void);

#endif
