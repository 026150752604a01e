// SPDX-License-Identifier: MIT
/* An open device: are its ports up, what do they carry, do they have an address. */
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "codes.h"
#include "doctor.h"
#include "gids.h"
#include "objects.h"
#include "words.h"

/* Bytes around the payload of a RoCEv2 packet over IPv6: IPv6, UDP, BTH, the largest extended
 * headers of a packet with data (RETH, ImmDt), ICRC. */
#define OVERHEAD (40 + 8 + 12 + 20 + 4)

static int netdev_mtu(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = -1;
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &r) == 0)
		mtu = r.ifr_mtu;
	if (fd >= 0)
		close(fd);
	return mtu;
}

static void check_mtu(struct checkup *c, const char *name, const struct ibv_port_attr *port,
		      const char *netdev)
{
	int mtu = netdev_mtu(netdev);
	char cure[128];

	snprintf(cure, sizeof cure, "sudo ip link set %s mtu 4200 (or 9000, on the whole path)",
		 netdev);
	if (mtu > 0 && mtu < (int)mtu_bytes(port->active_mtu) + OVERHEAD)
		doctor_bad(c, name, cure,
			   "active MTU %u, and %s carries %d: packets of full size do not fit",
			   mtu_bytes(port->active_mtu), netdev, mtu);
	else if (mtu > 0)
		doctor_ok(c, name, "active MTU %u on %s (MTU %d)", mtu_bytes(port->active_mtu),
			  netdev, mtu);
}

static void check_gids(struct checkup *c, struct dev *dev, uint8_t number,
		       const struct ibv_port_attr *port)
{
	struct gid_row rows[GID_ROWS];
	int n = gid_table(dev, number, rows, GID_ROWS);
	const struct gid_row *best = n > 0 ? gid_best(rows, n) : NULL;
	const char *name = ibv_get_device_name(dev->v->device);

	if (!best) {
		doctor_bad(c, name, "give its network interface an address: sudo ip address add",
			   "the GID table of port %u is empty", number);
		return;
	}
	if (port->link_layer != IBV_LINK_LAYER_ETHERNET)
		return;
	if (!IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)best->e.gid.raw) &&
	    IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)(const void *)best->e.gid.raw))
		doctor_bad(c, name, "sudo ip address add A.B.C.D/24 dev NETDEV",
			   "port %u has link-local GIDs only: peers on other links are not reached",
			   number);
	else
		doctor_ok(c, name, "GID index %u, %s", best->e.gid_index, gid_text(&best->e.gid));
	if (*best->netdev)
		check_mtu(c, name, port, best->netdev);
}

void check_device(struct checkup *c, struct ibv_context *v)
{
	struct dev dev = { .v = v };
	const char *name = ibv_get_device_name(v->device);
	struct ibv_device_attr attr;

	if (ibv_query_device(v, &attr)) {
		doctor_bad(c, name, "dmesg", "does not answer: %m");
		return;
	}
	for (uint8_t i = 1; i <= attr.phys_port_cnt; i++) {
		struct ibv_port_attr port;

		if (ibv_query_port(v, i, &port))
			continue;
		if (port.state == IBV_PORT_ACTIVE)
			doctor_ok(c, name, "port %u is ACTIVE", i);
		else
			doctor_bad(c, name,
				   port.link_layer == IBV_LINK_LAYER_ETHERNET
					   ? "sudo ip link set NETDEV up; the cable"
				   : port.state == IBV_PORT_INIT ? "a subnet manager: sudo opensm"
								 : "the cable, the switch",
				   "port %u is %s", i, word_name(port_state_words, port.state));
		check_gids(c, &dev, i, &port);
	}
}
