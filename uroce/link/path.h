/* SPDX-License-Identifier: MIT */
/*
 * Which way a packet takes: through memory to processes of this user and host (pair.h), else by
 * UDP. Memory steps aside as long as somebody looks at the loopback (onlooker.h). MADs and
 * multicast go by UDP: more than one process takes them.
 *
 * The order of packets stays when the way changes: frames in memory are shown before a datagram
 * is sent, and taken in before one is; the first frame after datagrams says that these come first.
 */
#ifndef UROCE_LINK_PATH_H
#define UROCE_LINK_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pair.h"
#include "tx.h"

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

#endif
