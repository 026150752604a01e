/* SPDX-License-Identifier: MIT */
/*
 * How the processes of a host share one UDP port, without a daemon.
 *
 * 64 sockets are bound to the port as one SO_REUSEPORT group, and a classic BPF program chooses one
 * by the upper six bits of the destination QPN. All processes hold all sockets, so that no socket
 * leaves the group while any process lives. Each process claims a slot and reads the socket of that
 * slot. Socket 0 receives the packets for QP 1, the MADs of the connection manager: the process
 * that reads a MAD passes it on to the process that it is for.
 */
#ifndef UROCE_LINK_GROUP_H
#define UROCE_LINK_GROUP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inventory.h"

#define SLOT_BITS 6
#define SLOTS	  (1u << SLOT_BITS)
#define SLOT_SHIFT                                                                             \
	UROCE_QPN_PROCESS_SHIFT /* from the QPN to the slot; 18 bits are left for the QPs of a \
				   process */

_Static_assert(SLOT_SHIFT == 24 - SLOT_BITS, "QP numbers have 24 bits");

/* Claims a slot, joins the group or makes it, and opens the sockets to send from. Takes up to
 * seconds. Without the lock. 0, perhaps with a warning for the user in reason (of size bytes): on a
 * kernel that cannot steer packets to sockets, no other process can join. Or -1 with errno and a
 * reason: EADDRINUSE: another program or user has the port; EBUSY: the processes that hold the
 * sockets do not answer; EUSERS: all slots are taken; EMFILE. */
int group_join(char *reason, size_t size);
void group_leave(void);
/* After fork(), in the child: closes everything. The child may join for itself. */
void group_forget(void);
/* At the end of the process: releases the locks that other processes would wait for. Without the
 * lock. */
void group_unlock(void);

unsigned group_slot(void); /* 1 to 63; 0: not joined */
/* Descriptors to wait on: packets for this process, MADs for any process, messages of other
 * processes. -1: not joined. Addresses are IPv4-mapped, unless the host has no IPv6. */
int group_fd(void);
int group_gsi_fd(void);
int group_control_fd(void);
/* The socket to send from, by address family (AF_INET, AF_INET6), and its port. */
int group_send_fd(int family);
uint16_t group_send_port(int family);

/* A process that listens for connections holds a name: port space, port and address. The address
 * may be :: or ::ffff:0.0.0.0, which are any address of the family. A name has one holder on the
 * host. */
struct group_name;
/* Claims a name. If *port is 0, an ephemeral port is chosen and stored there. NULL with errno as
 * the kernel's rdma_bind_addr(3) has it: EADDRINUSE: the same name is taken; EADDRNOTAVAIL: a
 * name that overlaps is taken, one of the two being for any address. With the lock. */
struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr);
void group_release(struct group_name *name);

/* The process that has a slot, according to the kernel; 0: none; -1: one that cannot be seen from
 * here. */
pid_t group_slot_pid(unsigned slot);

/* Where a MAD came from. */
struct mad_from {
	union ibv_gid src, dst;
	uint32_t scope;
	uint32_t src_qpn;
	uint32_t psn;
	/* as it was on the wire, for the tap of the process that it is for */
	uint16_t sport, ip_id;
	uint8_t tclass, hops;
};
/* Passes a MAD on to the process in a slot, or to the holder of exactly that name, where it goes to
 * cm_input(). 0, or -1 with ECONNREFUSED: there is no such process; EAGAIN: it has not read those
 * before it, and this one is lost, as on the wire. The connection manager repeats requests and
 * replies; the peer of a REJ that is lost waits for its timeout. */
int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n);
int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n);

/* Does another process of this user and host hold the port, on whatever address? */
bool group_has_port(uint16_t space, uint16_t port);

/* Handles the messages on group_control_fd(): hands out sockets, takes MADs. */
void group_serve(void);

/* Calls fn for each process of this user that has a slot on this host. pid 0: unknown; text NULL:
 * the process does not answer. Needs no slot. Without the lock. 0, or -1 with errno. */
int group_status(void (*fn)(void *arg, unsigned slot, int pid, const char *text), void *arg);

#endif
