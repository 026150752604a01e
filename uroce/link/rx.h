/* SPDX-License-Identifier: MIT */
/* Receiving: from the sockets, through the ICRC and the faults, to transport and GSI. */
#ifndef UROCE_LINK_RX_H
#define UROCE_LINK_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once our socket is there. runs: the kernel may put packets of a size together (unless
 * UROCE_GSO=0). */
void rx_setup(bool runs);
/* n: +1: somebody wants to know hops and tclass of packets that come in (0 otherwise, which saves
 * the kernel a copy of each); -1: not any more. */
void rx_lifetime(int n);
/* Takes in what has come through memory and on our socket (at most max packets of each process and
 * of the socket, or some more when the kernel has put them together); returns how many. */
enum rx_socket {
	RX_EMPTY, /* epoll says that nothing is there */
	RX_READY, /* epoll says that something is there */
	RX_MAYBE, /* nobody has asked */
};
unsigned rx_packets(unsigned max, enum rx_socket socket);
/* Its parts: rx_memory.c; and all that waits on the socket already. */
unsigned rx_memory(unsigned max);
void rx_datagrams(void);
/* The same of MADs, which may be for any process of the host. */
unsigned rx_mads(void);

/* Handles the packets that have arrived already, before a MAD that another process handed on. */
void rx_drain(void);

struct mad_from;
struct packet;

/* A UDP payload as it came in: checks it, and hands it to transport_input(), or to cm_route()
 * when it is for QP 1. addresses: src, dst, scope, sport, tclass and hops. Fuzzed. */
void rx_input(const struct packet *addresses, const uint8_t *data, uint32_t n, uint16_t dport);

/* cm_input() calls this first, in the process that the MAD is for: shows it to the tap, and
 * lets the faults at it. False: it is lost, or comes later (through cm_input() again). */
bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n);

/* What link/fault.c let pass, maybe late or twice. fate: what the tap is told. */
void rx_again(const struct packet *addresses, const uint8_t *data, uint32_t n, uint16_t dport,
	      const char *fate);

#endif
