/* SPDX-License-Identifier: MIT */
/*
 * The IP address of a device. On RoCE the GIDs are addresses; the one GID of an iWARP port
 * begins with the MAC address of its network interface.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "device/gids.h"
#include "objects.h"

#define MAC_LEN 6

static void of_gid(const struct gid_row *r, char *text)
{
	const struct in6_addr *a = (const struct in6_addr *)(const void *)r->e.gid.raw;
	char host[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_V4MAPPED(a)) {
		inet_ntop(AF_INET, &a->s6_addr32[3], text, DEV_ADDR_LEN);
		return;
	}
	inet_ntop(AF_INET6, a, host, sizeof host);
	snprintf(text, DEV_ADDR_LEN, "%s%s%s", host, IN6_IS_ADDR_LINKLOCAL(a) ? "%" : "",
		 IN6_IS_ADDR_LINKLOCAL(a) ? r->netdev : "");
}

static const char *netdev_of_mac(const struct ifaddrs *i, const uint8_t *mac)
{
	for (; i; i = i->ifa_next) {
		const struct sockaddr_ll *ll = (const void *)i->ifa_addr;

		if (ll && ll->sll_family == AF_PACKET && ll->sll_halen == MAC_LEN &&
		    memcmp(ll->sll_addr, mac, MAC_LEN) == 0)
			return i->ifa_name;
	}
	return NULL;
}

static void of_mac(const uint8_t *mac, char *text)
{
	struct ifaddrs *all;
	const char *netdev;

	if (getifaddrs(&all))
		return;
	netdev = netdev_of_mac(all, mac);
	for (const struct ifaddrs *i = all; netdev && i; i = i->ifa_next) {
		const struct sockaddr_in *in = (const void *)i->ifa_addr;

		if (!in || in->sin_family != AF_INET || strcmp(i->ifa_name, netdev) != 0)
			continue;
		inet_ntop(AF_INET, &in->sin_addr, text, DEV_ADDR_LEN);
		break;
	}
	freeifaddrs(all);
}

void dev_addr(const struct dev *dev, char *text)
{
	struct gid_row rows[GID_ROWS];
	int n = gid_table(dev, 1, rows, GID_ROWS);
	const struct gid_row *best = n > 0 ? gid_best(rows, n) : NULL;

	*text = 0;
	if (!best)
		return;
	if (dev->iwarp)
		of_mac(best->e.gid.raw, text);
	else if (best->e.gid_type != IBV_GID_TYPE_IB)
		of_gid(best, text);
}
