/* SPDX-License-Identifier: MIT */
/* Receiving: from the sockets, through the ICRC and the faults, to transport and GSI. */
#ifndef UROCE_LINK_RX_H
#define UROCE_LINK_RX_H

#include <stdint.h>

/* Takes in what has arrived on our socket (at most max packets); returns how many. */
unsigned rx_packets(unsigned max);
/* The same of MADs, which may be for any process of the host. */
unsigned rx_mads(void);

/* A UDP payload as it came in: checks it, and hands it to transport_input(). Fuzzed. */
struct packet;
void rx_input(struct packet *addresses, const uint8_t *data, uint32_t n, uint16_t dport);

#endif
