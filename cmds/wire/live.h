/* SPDX-License-Identifier: MIT */
/* RoCEv2 packets of a network interface, by libpcap. */
#ifndef CMDS_LIVE_H
#define CMDS_LIVE_H

#include "wire/packet_source.h"

/* How to give a program the right without file capabilities, with which the loader would not
 * preload liburoce.so. */
#define LIVE_RIGHTS                                                                   \
	"sudo setpriv --reuid $USER --regid $USER --init-groups --inh-caps +net_raw " \
	"--ambient-caps +net_raw rdmash"

struct live;

/* On the interface of the device's recommended GID. NULL with s->fail filled, naming call. */
struct live *live_open(struct session *s, const char *call, const struct dev *dev);
/* Readable when packets are there. */
int live_fd(const struct live *l);
/* Hands over what is there; how many the kernel has lost since the last time. */
unsigned live_drain(struct live *l, packet_source_fn *fn, void *arg);
void live_close(struct live *l);

#endif
