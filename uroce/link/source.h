/* SPDX-License-Identifier: MIT */
/*
 * Senders whose IPv4 identification is known. The ICRC of IPv4 is checked modulo the
 * identification, so one in 32,768 broken packets would pass. Senders like this device
 * always write 0 (or a small number, within a segmented send): who is known to do so is held
 * to it, which leaves one in 2^26.
 */
#ifndef UROCE_LINK_SOURCE_H
#define UROCE_LINK_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

/* Is id, which the ICRC was found right for, one that this sender would write? Learns. */
bool source_believed(const struct packet *addresses, uint16_t id);

#endif
