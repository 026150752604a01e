/* SPDX-License-Identifier: MIT */
/* The addresses of this host, as the kernel tells them: rtnetlink(7). */
#ifndef UROCE_LINK_ADDRS_H
#define UROCE_LINK_ADDRS_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>

struct address {
	struct in6_addr addr; /* IPv4 mapped */
	char ifname[IF_NAMESIZE];
	unsigned ifindex;
	unsigned mtu;
};

/* Those that can be sent from: of interfaces that are up, not tentative. In the order of the
 * kernel, to be freed by the caller. How many, or -1 with errno. */
int addrs_read(struct address **list);

/* A descriptor that is readable when addresses or interfaces have changed, or -1 with errno. */
int addrs_watch(void);
/* Takes away what made it readable. */
void addrs_seen(int fd);

#endif
