/* SPDX-License-Identifier: MIT */
/* Decoded packets as values and lines: for wire read, and for what passes live. */
#ifndef CMDS_PACKETS_H
#define CMDS_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include "decode.h"

struct out;

/* The IP packet in a frame of a capture; *n: its length there, and what is left of it. NULL: no
 * IP, or a link type (pcap_datalink(3)) that is not known. */
const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n);
/* "10.0.0.1 > 10.0.0.2" of a packet, kept until the next call. */
const char *packet_ends(const struct decoded *d);
/* States addresses and fields as values; with text also each field as a line. */
void packet_out(struct out *o, const struct decoded *d, bool text);

#endif
