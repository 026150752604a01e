/* SPDX-License-Identifier: MIT */
/*
 * Sending: packets are built into memory that is shared with a process of this host (path.h), or
 * into a batch for UDP, which goes out in one system call. What is queued is the engine's: whoever
 * queues calls engine_flush() before it releases the lock. What a packet is in UDP: annex A17.3.1.
 */
#ifndef UROCE_LINK_TX_H
#define UROCE_LINK_TX_H

#include "packet.h"

/* Where packets go to: kept by QPs and address handles. */
struct flow {
	union ibv_gid sgid, dgid;
	uint32_t scope; /* interface index when dgid is link-local or multicast, else 0 */
	uint8_t tclass, hops;
};

/* Begins a packet: writes the headers of p (its addresses and port are taken from flow,
 * which must stay until tx_commit()), and returns where p->len bytes of payload, MTU_MAX at
 * most, are to be written before tx_commit(). Never NULL: a full batch is sent first. */
uint8_t *tx_begin(const struct flow *flow, const struct packet *p);
/* Pads, appends the ICRC where it is wanted, and queues. */
void tx_commit(void);
/* Is there room for one more packet to that QP? Always by UDP, which loses what is too much; memory
 * loses nothing, and makes the engine's next pass come when there is room. answer: what answers
 * the peer has some room that other packets leave to it. What is sent without room is counted and
 * lost. */
bool tx_has_room(const struct flow *flow, uint32_t qpn, bool answer);
/* Forgets the packet that was begun. (The next tx_begin() does, too.) */
void tx_abort(void);
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

#endif
