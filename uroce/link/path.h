/* SPDX-License-Identifier: MIT */
/*
 * Which way a packet takes: through memory to processes of this user and host (pair.h), else by
 * UDP. Memory steps aside as long as somebody looks at the loopback (loopback_is_watched()).
 * MADs and multicast go by UDP: more than one process takes them.
 *
 * The order of packets stays when the way changes: frames in memory are shown before a datagram
 * is sent, and taken in before one is; the first frame after datagrams says that these come first.
 */
#ifndef UROCE_PATH_H
#define UROCE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pair.h"
#include "link.h"

/* The value of UROCE_PATH: "udp" or "memory" (also while somebody looks); NULL or "": the best
 * there is. 0, or -1 with errno and a reason (of size bytes). */
int path_setup(const char *value, char *reason, size_t size);
/* May memory be shared at all? */
bool path_may_share(void);
/* Are both addresses of this host? */
bool path_is_here(const union ibv_gid *a, const union ibv_gid *b, uint32_t scope);

/* The pair by which a packet goes to that QP; NULL: UDP. Offers to make one. */
struct pair *path_to(const struct flow *flow, uint32_t qpn);
/* The same, but nothing is done for it: for status. */
bool path_is_memory(const struct flow *flow, uint32_t qpn);

/* --------------------------------------------------- who looks from outside -- */

/*
 * Whether somebody looks at packets from outside: tcpdump, Wireshark, netem. They are shown what a
 * network card would have sent: no memory, no segmentation offload.
 *
 * A look costs some 20 us and is taken before something is sent when the last one is older than
 * 100 ms: who does nothing does not look. Firewall rules cannot be seen this way.
 */

/* At the loopback: a running packet socket for all protocols, IP or IPv6, on that interface or on
 * all (packet(7); the one of a DHCP client is on another), or a queueing discipline (tc(8)). */
bool loopback_is_watched(void);
/* At any interface: such a packet socket. */
bool any_interface_is_watched(void);

#endif
