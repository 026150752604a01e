/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PACKET_ENDS_H
#define MODEL_PACKET_ENDS_H

#include <arpa/inet.h>
#include <infiniband/verbs.h>

struct decoded;

/* The addresses of a packet, "10.0.0.1 > 10.0.0.2"; valid until the next call. */
const char *packet_ends(const struct decoded *d);
/* "10.0.0.1": an IPv4 address as such. */
void packet_address(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN]);

#endif
