/* SPDX-License-Identifier: MIT */
/* Whether the next hop on the way to an address has answered: arp(7), rtnetlink(7). */
#ifndef UROCE_LINK_NEIGHBOUR_H
#define UROCE_LINK_NEIGHBOUR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* True too when nobody needs to answer (no ARP on that interface, this host, a group), and
 * when the kernel does not say. scope: the interface of a link-local address. */
bool neighbour_known(const union ibv_gid *dst, uint32_t scope);
/* Has the kernel ask for it, by an empty datagram to the port of discard: without a privilege
 * there is no other way. */
void neighbour_ask(const union ibv_gid *dst, uint32_t scope);

#endif
