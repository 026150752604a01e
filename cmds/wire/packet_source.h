/* SPDX-License-Identifier: MIT */
/*
 * Packets as they pass: of the embedded device by its tap, of others by libpcap from the network
 * interface below them. What is seen is handed over in the event loop.
 */
#ifndef CMDS_PACKET_SOURCE_H
#define CMDS_PACKET_SOURCE_H

#include <stdbool.h>

#include "uroce.h"

struct dev;
struct packet_source;
struct session;

/* p is lost after the call. */
typedef void packet_source_fn(void *arg, const struct uroce_packet *p);

/* Begins to look on; dev is used where the device is not the embedded one. NULL with s->fail
 * filled, naming call. */
struct packet_source *packet_source_open(struct session *s, const char *call, const struct dev *dev,
					 packet_source_fn *fn, void *arg);
/* Hands over what has come by now; how many were lost because nobody had taken them. */
unsigned packet_source_drain(struct packet_source *p);
/* While on is true nothing is looked at: the device is as fast as without. */
void packet_source_pause(struct packet_source *p, bool on);
void packet_source_close(struct packet_source *p);

#endif
