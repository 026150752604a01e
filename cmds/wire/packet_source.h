/* SPDX-License-Identifier: MIT */
/*
 * Live packets: from the tap of the embedded device, or by libpcap from the network interface of
 * other devices. They are passed on in the event loop.
 */
#ifndef CMDS_PACKET_SOURCE_H
#define CMDS_PACKET_SOURCE_H

#include <stdbool.h>

#include "uroce.h"

struct dev;
struct packet_source;
struct session;

/* p is valid during the call only. */
typedef void packet_source_fn(void *arg, const struct uroce_packet *p);

/* Starts to capture; dev is used if it is not the embedded device. NULL with s->fail filled, naming
 * call. */
struct packet_source *packet_source_open(struct session *s, const char *call, const struct dev *dev,
					 packet_source_fn *fn, void *arg);
/* Passes the queued packets on. Returns how many were dropped because the queue was full. */
unsigned packet_source_drain(struct packet_source *p);
/* on: stops capturing, so that the device runs at full speed, until called with false. */
void packet_source_pause(struct packet_source *p, bool on);
void packet_source_close(struct packet_source *p);

#endif
