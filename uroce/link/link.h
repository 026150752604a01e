/* SPDX-License-Identifier: MIT */
/*
 * Packets out (tx.c) and in (rx.c, rx_memory.c), and what the environment asks (link_setup.c).
 *
 * Sending: packets are built into memory that is shared with a process of this host (path.h), or
 * into a batch for UDP, which goes out in one system call. What is queued is the engine's: whoever
 * queues calls engine_flush() before it releases the lock. What a packet is in UDP: annex A17.3.1.
 */
#ifndef UROCE_LINK_H
#define UROCE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet.h"

/* Where packets go to: kept by QPs and address handles. */
struct flow {
	union ibv_gid sgid, dgid;
	uint32_t scope; /* interface index when dgid is link-local or multicast, else 0 */
	uint8_t tclass, hops;
};

/* Begins a packet: writes the headers of p (its addresses and port are taken from flow,
 * which must stay until tx_commit()), and returns where p->len bytes of payload, MTU_MAX at
 * most, are to be written before tx_commit(). Never NULL: a full batch is sent first. A packet that
 * is begun and not committed is forgotten when the next one begins. */
uint8_t *tx_begin(const struct flow *flow, const struct packet *p);
/* Pads, appends the ICRC where it is wanted, and queues. */
void tx_commit(void);
/* Is there room for one more packet to that QP? Always by UDP, which loses what is too much; memory
 * loses nothing, and makes the engine's next pass come when there is room. answer: what answers
 * the peer has some room that other packets leave to it. What is sent without room is counted and
 * lost. */
bool tx_has_room(const struct flow *flow, uint32_t qpn, bool answer);
/* Sends a MAD of MAD_BYTES to QP 1 of flow->dgid: the general services interface, 3.9.3, 13.5. */
void tx_send_mad(const struct flow *flow, const uint8_t *mad);
/* Sends what is queued. What the kernel refuses is counted and lost, as on a wire. */
void tx_flush(void);

/* Queues a UDP payload that is complete, its ICRC too: for link/fault.c, which lets packets
 * pass late or twice. a: the addresses; fate: what the tap is told. */
void tx_again(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate);
/* Unless UROCE_GSO=0: runs of packets of one size to one QP go to the kernel as one, which takes
 * them apart at the end of its way. Faster; captures on the host show them whole. */
extern bool tx_gso;
/* After fork(): what is queued is the parent's. */
void tx_forget(void);

/* ------------------------------------------------------------------ rx.c -- */

/* Receiving: from the sockets, through the ICRC and the faults, to transport and GSI. */

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
void rx_input(const struct packet *addresses, const uint8_t *data, uint32_t n);

/* cm_input() calls this first, in the process that the MAD is for: shows it to the tap, and
 * lets the faults at it. False: it is lost, or comes later (through cm_input() again). */
bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n);

/* What link/fault.c let pass, maybe late or twice. fate: what the tap is told. */
void rx_again(const struct packet *addresses, const uint8_t *data, uint32_t n, const char *fate);

/* ---------------------------------------------------------- link_setup.c -- */

/*
 * What the environment asks of the link: UROCE_NAME, UROCE_FAULT, UROCE_FAULT_SEED, UROCE_PCAP,
 * UROCE_GSO and UROCE_PATH.
 */

/* The name of the device: UROCE_NAME, or uroce0 if that is not set or is refused. Never NULL. */
const char *device_name(void);
/* Can text, which ends within size bytes or does not, be the name of a device? */
bool device_name_is_valid(const char *text, size_t size);
/* 0, or -1 with EINVAL and a reason (of size bytes): UROCE_NAME cannot be the name of a device. */
int device_name_check(char *reason, size_t size);

/* Called by engine_get(), with the lock, when it brings the device up, after group_join().
 * Faults and capture of the environment are looked at the first time, and do not undo what
 * the program has set since. 0, or -1 with errno and a reason (of size bytes): a word of
 * UROCE_FAULT that is none, a file that cannot be written, a name that is refused. */
int link_setup(char *reason, size_t size);
/* After fork(): the child has none of the packets that wait, no faults and no capture, but
 * those of the environment with the next link_setup(). */
void link_forget(void);

#endif
