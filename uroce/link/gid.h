/* SPDX-License-Identifier: MIT */
/*
 * The GID table: which addresses of this host the device uses. One port, RoCEv2 entries
 * only: IPv4, then IPv6, then the loopback addresses. Annex A17.8.
 */
#ifndef UROCE_GID_H
#define UROCE_GID_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

#define GID_ENTRIES 64 /* the size of the table that is reported; empty entries are zero */

struct gid_entry {
	union ibv_gid gid; /* IPv4 mapped; zero: empty */
	char ifname[IF_NAMESIZE];
	unsigned ifindex;
	unsigned mtu; /* of the interface, bytes */
	bool loopback;
};

/* Reads the addresses again: of interfaces that are up. An address keeps its index as long
 * as it lives. Calls gid_changed (which may be NULL) when something came or went; the engine
 * calls this when the kernel says that addresses have changed. With the lock. */
void gid_refresh(void);
extern void (*gid_changed)(void);
/* Counts up with each change. */
extern unsigned gid_changes;

/* The entry, NULL when index is outside the table or empty. */
const struct gid_entry *gid_at(unsigned index);
/* The index of that address, or -1. scope: for link-local ones, 0: any interface. */
int gid_index(const union ibv_gid *gid, unsigned scope);
/* How many entries are in use, up to the last one. */
unsigned gid_count(void);

/* The largest path MTU that fits an interface with this MTU in bytes, headers included; 0:
 * none does, and its addresses are not in the table. */
enum ibv_mtu gid_path_mtu(unsigned ifmtu);

/* Socket addresses and GIDs. Only AF_INET and AF_INET6; -1 for others. */
int gid_of_sockaddr(union ibv_gid *gid, uint32_t *scope, const struct sockaddr *sa);
void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port);
/* Which of our addresses the host would send from to reach dst: its index, or -1 with errno
 * as connect(2) says it (ENETUNREACH ...), or ENODEV when no GID has it. */
int gid_route(const struct sockaddr *dst);

/* ff00::/8, or 224.0.0.0/4 mapped. */
static inline bool gid_is_multicast(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xff || (gid_is_ipv4(gid) && gid->raw[12] >> 4 == 0xe);
}

/* A descriptor that is readable when addresses or interfaces have changed, or -1 with errno. */
int addrs_watch(void);
/* Takes away what made it readable. */
void addrs_seen(int fd);

/* ----------------------------------------------------------- neighbour.c -- */

/* Whether the next hop on the way to an address has answered: arp(7), rtnetlink(7). */

/* True too when nobody needs to answer (no ARP on that interface, this host, a group), and
 * when the kernel does not say. scope: the interface of a link-local address. */
bool neighbour_known(const union ibv_gid *dst, uint32_t scope);
/* Has the kernel ask for it, by an empty datagram to the port of discard: without a privilege
 * there is no other way. */
void neighbour_ask(const union ibv_gid *dst, uint32_t scope);

#endif
