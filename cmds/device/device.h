/* SPDX-License-Identifier: MIT */
/* Devices of the machine. */
#ifndef CMDS_DEVICE_H
#define CMDS_DEVICE_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>

struct dev;
struct session;

#define DEV_ADDR_LEN (INET6_ADDRSTRLEN + IF_NAMESIZE)
/* Writes the IP address at which peers reach port 1 to text[DEV_ADDR_LEN], in the form for connect:
 * that of the GID which gids recommends; on iWARP the first IPv4 address of the network interface.
 * "" if there is none, and on InfiniBand, whose GIDs do not contain IP addresses. */
void dev_addr(const struct dev *dev, char *text);

#endif
