/* SPDX-License-Identifier: MIT */
/*
 * How the processes of a host share one UDP port, without a daemon.
 *
 * 64 sockets are bound to the port as one SO_REUSEPORT group, and a classic BPF program
 * picks one by the upper six bits of the destination QPN. All processes hold all sockets,
 * so that none leaves the group while any process lives; each claims a slot, and reads the
 * socket of its slot. Socket 0 takes the packets of QP 1, the MADs of the connection
 * manager: whoever reads one hands it on to the process that it is for.
 */
#ifndef UROCE_LINK_GROUP_H
#define UROCE_LINK_GROUP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define SLOT_BITS  6
#define SLOTS	   (1u << SLOT_BITS)
#define SLOT_SHIFT (24 - SLOT_BITS) /* QPN -> slot; 18 bits are left for the QPs of a process */

/* Claims a slot, joins or makes the group, opens the sockets to send with. 0, or -1 with
 * errno and a reason (of size bytes). Without the lock. */
int group_join(char *reason, size_t size);
void group_leave(void);
/* After fork(): the child has nothing of it, and may join anew. */
void group_forget(void);

unsigned group_slot(void); /* 1 ... 63 */
/* Descriptors to wait on: our own packets, MADs for anybody, messages of other processes. */
int group_fd(void);
int group_gsi_fd(void);
int group_control_fd(void);
/* To send from: by address family (AF_INET, AF_INET6), and their port. */
int group_send_fd(int family);
uint16_t group_send_port(int family);

/* Listening for connections is a name that one process of the host holds. */
struct group_name;
/* Claims a port of a port space on this host for addr (zero: any). *port 0: an ephemeral
 * one, which is filled in. NULL with errno: EADDRINUSE. */
struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr);
void group_release(struct group_name *name);

/* A MAD as it came in. */
struct mad_from {
	union ibv_gid src, dst;
	uint32_t scope;
	uint32_t src_qpn;
	/* how it was on the wire, for the tap of the process that it is for */
	uint32_t psn;
	uint16_t sport, ip_id;
	uint8_t tclass, hops;
};
/* Hands a MAD on: to the process in a slot, or to the holder of a name. 0, or -1 with
 * ECONNREFUSED: there is nobody; EAGAIN: it does not take any more. */
int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n);
int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n);

/* Something came in on group_control_fd(): serves it (hands out sockets, takes MADs). */
void group_serve(void);

#endif
