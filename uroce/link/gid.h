/* SPDX-License-Identifier: MIT */
/*
 * The GID tables: the addresses of this host that each device uses (device_names.c). A device has
 * one port, and its table only RoCEv2 entries: IPv4, then IPv6, then the loopback addresses. Annex
 * A17.8.
 *
 * Here the tables lie one behind the other. A position is a place among all; an index, which
 * applications know, is a place in that of a device. An address belongs to one device, or to none.
 */
#ifndef UROCE_GID_H
#define UROCE_GID_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

#define GID_ENTRIES 64 /* the size of a table as it is reported; empty entries are zero */

static inline unsigned gid_position(unsigned device, unsigned index)
{
	return device * GID_ENTRIES + index;
}

/* The device that a position belongs to. */
static inline unsigned gid_device(unsigned position)
{
	return position / GID_ENTRIES;
}

struct gid_entry {
	union ibv_gid gid; /* IPv4 mapped; zero: empty */
	char ifname[IF_NAMESIZE];
	unsigned ifindex;
	unsigned mtu; /* of the interface, bytes */
	bool loopback;
	bool down; /* its interface; the address is still there */
};

/* Reads the addresses of the interfaces again. An address comes into the table when its interface
 * is up, and keeps its index for as long as it exists, as with the kernel. Calls gid_changed (which
 * may be NULL) for each device of which an address came or went (table), or the port's state has
 * changed (port). The engine calls this when the kernel reports that addresses have changed. With
 * the lock. */
void gid_refresh(void);
extern void (*gid_changed)(unsigned device, bool table, bool port);

/* The port is ACTIVE: its interfaces have a link (gid.c), and nobody has put it down. */
bool gid_port_is_up(unsigned device);
/* May packets leave from an address, or arrive at it? A loopback address only needs a port that
 * nobody has put down. scope: the interface of a link-local address, or where a packet to a group
 * has come in. Need not be asked unless gid_may_be_down. */
bool gid_is_up(const union ibv_gid *gid, uint32_t scope);
extern bool gid_may_be_down;
/* The same scope: is it that device which has the address, or joins groups on the interface? */
bool gid_is_of(const union ibv_gid *gid, uint32_t scope, unsigned device);

/* For rules about the port, and uroce_gid_hide(), uroce_gid_move() and uroce_gid_restore() in
 * uroce.h. False: there is no such entry. A hidden address looks deleted; entries of a device that
 * move change places. */
void gid_port_put_down(unsigned device, bool down);
bool gid_hide(unsigned position);
bool gid_move(unsigned from, unsigned to);
void gid_restore(void);

/* The entry; NULL: the position is outside the tables, or the entry is empty. */
const struct gid_entry *gid_at(unsigned position);
/* The position of that address, or -1. scope: the interface of a link-local address; 0: any. */
int gid_find(const union ibv_gid *gid, unsigned scope);
/* Is it an address of this host, of a device or of none? */
bool gid_is_here(const union ibv_gid *gid, unsigned scope);
/* The number of positions, up to the last that is in use. */
unsigned gid_count(void);

/* The first entry of a device that is not empty; NULL: it has no address. */
static inline const struct gid_entry *gid_first(unsigned device)
{
	const struct gid_entry *e = NULL;

	for (unsigned i = 0; i < GID_ENTRIES && !e; i++)
		e = gid_at(gid_position(device, i));
	return e;
}

/* The largest path MTU that fits an interface of that MTU in bytes, headers included. 0: none fits,
 * and the addresses of such an interface are not in the table. */
enum ibv_mtu gid_path_mtu(unsigned ifmtu);
/* The active MTU of the port: that of its first address. */
static inline enum ibv_mtu gid_active_mtu(unsigned device)
{
	const struct gid_entry *e = gid_first(device);

	return e ? gid_path_mtu(e->mtu) : IBV_MTU_1024;
}

/* From socket addresses to GIDs and back. -1: the family is neither AF_INET nor AF_INET6. */
int gid_of_sockaddr(union ibv_gid *gid, uint32_t *scope, const struct sockaddr *sa);
void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port);
/* The position of the address that this host would send from to reach dst; -1 with errno as
 * connect(2) sets it (ENETUNREACH ...), or ENODEV if no device has that address. */
int gid_route(const struct sockaddr *dst);

/* Any address: ::, or that of IPv4. */
static const union ibv_gid gid_any_ipv6;
static const union ibv_gid gid_any_ipv4 = { .raw = { [10] = 0xff, [11] = 0xff } };
static inline bool gid_is_any(const union ibv_gid *gid)
{
	return gid_equal(gid, gid_is_ipv4(gid) ? &gid_any_ipv4 : &gid_any_ipv6);
}

/* ff00::/8, or 224.0.0.0/4 mapped. */
static inline bool gid_is_multicast(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xff || (gid_is_ipv4(gid) && gid->raw[12] >> 4 == 0xe);
}

/* Opens a descriptor that becomes readable when addresses or interfaces change; -1 with errno.
 * gid_addrs_seen() makes it unreadable again. */
int gid_addrs_watch(void);
void gid_addrs_seen(int fd);

/* ----------------------------------------------------------- neighbour.c -- */

/* Has the next hop on the way to an address answered? arp(7), rtnetlink(7). */

/* Also true if nobody has to answer (an interface without ARP, this host, a group), and if the
 * kernel does not say. scope: the interface of a link-local address. */
bool neighbour_known(const union ibv_gid *dst, uint32_t scope);
/* Makes the kernel ask for the next hop, by an empty datagram to the discard port: without
 * privileges there is no other way. */
void neighbour_ask(const union ibv_gid *dst, uint32_t scope);

#endif
