/* SPDX-License-Identifier: MIT */
/*
 * How the processes of a host share one UDP port, without a daemon.
 *
 * 64 sockets are bound to the port as one SO_REUSEPORT group, and a classic BPF program
 * picks one by the upper six bits of the destination QPN. All processes hold all sockets,
 * so that none leaves the group while any process lives; each claims a slot, and reads the
 * socket of its slot. Socket 0 takes the packets of QP 1, the MADs of the connection
 * manager: whoever reads one hands it on to the process that it is for.
 *
 *   group.c     joining and leaving
 *   group_sockets.c   the sockets of the group, those to send from, and which process has them
 *   group_names.c     who listens for connections; when the directory is removed
 *   group_messages.c  what the processes tell each other
 *   control.c         the form of these messages; AF_UNIX sockets by name
 *   pair.c            memory that two of them share
 *   inventory_file.c  what another process has
 *   socket_dir.c      where the processes of a user meet
 */
#ifndef UROCE_LINK_GROUP_H
#define UROCE_LINK_GROUP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inventory.h"

#define SLOT_BITS 6
#define SLOTS	  (1u << SLOT_BITS)
#define SLOT_SHIFT \
	UROCE_QPN_PROCESS_SHIFT /* QPN -> slot; 18 bits are left for the QPs of a process */

_Static_assert(SLOT_SHIFT == 24 - SLOT_BITS, "QP numbers have 24 bits");

/* Claims a slot, joins or makes the group, opens the sockets to send with. 0, with what the
 * user should know in reason (of size bytes), if anything: on a kernel that does not steer
 * packets no other process can join. Or -1 with errno and a reason: EADDRINUSE: the port is
 * another program's or user's;
 * EBUSY: those who hold the sockets do not answer; EUSERS: all slots are taken; EMFILE.
 * Takes up to seconds. Without the lock. */
int group_join(char *reason, size_t size);
void group_leave(void);
/* After fork(): the child has nothing of it, and may join anew. */
void group_forget(void);
/* At the end of the process: gives up the locks that others would wait for. Without the lock. */
void group_unlock(void);

unsigned group_slot(void); /* 1 ... 63; 0: not joined */
/* Descriptors to wait on: our own packets, MADs for anybody, messages of other processes.
 * -1: not joined. Addresses are IPv4 mapped unless the host has no IPv6. */
int group_fd(void);
int group_gsi_fd(void);
int group_control_fd(void);
/* To send from: by address family (AF_INET, AF_INET6), and their port. */
int group_send_fd(int family);
uint16_t group_send_port(int family);

/* Listening for connections is a name that one process of the host holds: of a port space, a
 * port, and an address, which may be :: or ::ffff:0.0.0.0 (any of its family). */
struct group_name;
/* Claims one. *port 0: an ephemeral one, which is filled in. NULL with errno as the kernel's
 * rdma_bind_addr(3) has it: EADDRINUSE: the same is claimed; EADDRNOTAVAIL: one of the two
 * is for any address (of the same family). Costs a descriptor. With the lock. */
struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr);
void group_release(struct group_name *name);

/* A process that has connections is known by the GUID of its channel adapter as long as it
 * lives: to make it known, and to look for one. 0, or -1 with errno; costs a descriptor. */
int group_announce(uint64_t guid);
bool group_announced(uint64_t guid);

/* A MAD as it came in. */
struct mad_from {
	union ibv_gid src, dst;
	uint32_t scope;
	uint32_t src_qpn;
	uint32_t psn;
	/* how it was on the wire, for the tap of the process that it is for */
	uint16_t sport, ip_id;
	uint8_t tclass, hops;
};
/* Hands a MAD on: to the process in a slot, or to the holder of exactly that name, where it
 * goes to cm_input(). 0, or -1 with ECONNREFUSED: there is nobody; EAGAIN: too many are
 * waiting already. One for a process that does not take it is lost after a while. */
int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n);
int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n);

/* Something came in on group_control_fd(): serves it (hands out sockets, takes MADs). */
void group_serve(void);

/* Text about this process for group_status() of others: some lines, the first without an
 * indent. Returns its length, less than n. With the lock. */
size_t status_text(char *buf, size_t n);
/* A file with the objects of this process (inventory_file.c), to be closed; -1 with errno. With
 * the lock. */
int inventory_fd(void);
/* Calls fn for each process of this user that has a slot on this host; pid 0: unknown. text
 * NULL: it does not answer. Needs no slot. Without the lock. 0, or -1 with errno. */
int group_status(void (*fn)(void *arg, unsigned slot, int pid, const char *text), void *arg);

#endif
