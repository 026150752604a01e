/* SPDX-License-Identifier: MIT */
/* Devices of the machine and how they are opened. */
#ifndef CMDS_DEVICE_H
#define CMDS_DEVICE_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>

struct dev;
struct session;

#define DEV_ADDR_LEN (INET6_ADDRSTRLEN + IF_NAMESIZE)
/* The IP address by which peers reach port 1, as connect takes it, into text[DEV_ADDR_LEN]:
 * that of the GID which gids recommends; on iWARP the first IPv4 address of the network
 * interface. "" when there is none, and on InfiniBand, whose GIDs are no IP addresses. */
void dev_addr(const struct dev *dev, char *text);

#endif
