/* SPDX-License-Identifier: MIT */
/*
 * Which way a packet takes: through memory to processes of this user and host (pair.h), else by
 * UDP. Memory is not used while somebody watches the loopback (loopback_is_watched()). MADs and
 * multicast always go by UDP, because more than one process receives them.
 *
 * Packets stay in order when the way changes. Before a datagram is sent, frames in memory are shown
 * to the other process; before a datagram is handled, the frames are. The first frame after
 * datagrams says that these come before it.
 */
#ifndef UROCE_PATH_H
#define UROCE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pair.h"
#include "link.h"

/* The value of UROCE_PATH: "udp", or "memory" (also while somebody watches), or NULL or "" for the
 * best way. 0, or -1 with errno and a reason (of size bytes). */
int path_setup(const char *value, char *reason, size_t size);
/* May memory be shared at all? */
bool path_may_share(void);
/* Do both addresses belong to this host? */
bool path_is_here(const union ibv_gid *a, const union ibv_gid *b, uint32_t scope);

/* The pair through which packets go to that QP; NULL: they go by UDP. If there is no pair yet,
 * offers to make one. */
struct pair *path_to(const struct flow *flow, uint32_t qpn);
/* The same question for the status: changes nothing. */
bool path_is_memory(const struct flow *flow, uint32_t qpn);

/* --------------------------------------------------- who watches from outside -- */

/*
 * Does somebody watch packets from outside: tcpdump, Wireshark? If so, packets are as a
 * network card would have sent them: none go through memory, and there is no segmentation offload.
 *
 * A look costs some 20 us. One is taken before a packet is sent if the last is more than 100 ms
 * ago, so a process that does nothing does not look. Firewall rules and queueing
 * disciplines (tc(8)) are not looked for.
 */

/* Is there a running packet socket for all protocols, IP or IPv6, at any interface? */
bool path_is_watched(void);

#endif
