/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "checks.h"
#include "link_rig.h"
#include "group.h"
#include "link.h"
#include "netns.h"
#include "packet.h"
#include "transport.h"

#ifndef UDP_NO_CHECK6_RX
#define UDP_NO_CHECK6_RX 102
#endif

static int receive_fd = -1, send_fds[2] = { -1, -1 };

static void need(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void set(int fd, int level, int option, int value)
{
	need(setsockopt(fd, level, option, &value, sizeof(value)) == 0, "setsockopt");
}

static void open_receiver(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(ROCE_PORT) };

	receive_fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	need(receive_fd >= 0, "socket");
	set(receive_fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	set(receive_fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	set(receive_fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	set(receive_fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
	set(receive_fd, IPPROTO_IP, IP_RECVTTL, 1);
	set(receive_fd, IPPROTO_IP, IP_RECVTOS, 1);
	set(receive_fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
	set(receive_fd, SOL_SOCKET, SO_RCVBUF, 4 << 20);
	need(bind(receive_fd, (struct sockaddr *)&any, sizeof(any)) == 0, "bind");
}

void link_open(void)
{
	netns_enter();
	open_receiver();
	send_fds[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	set(send_fds[0], IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
	send_fds[1] = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	set(send_fds[1], IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
	for (int i = 0; i < 2; i++) {
		struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(50000) };
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(50001) };

		need(bind(send_fds[i], i ? (struct sockaddr *)&in6 : (struct sockaddr *)&in,
			  i ? sizeof(in6) : sizeof(in)) == 0,
		     "bind");
	}
}

void await_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 5000) != 1) {
		fprintf(stderr, "nothing arrived\n");
		exit(1);
	}
}

void set_lo_mtu(int mtu)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_mtu = mtu };

	need(ioctl(send_fds[0], SIOCSIFMTU, &ifr) == 0, "mtu of lo");
}

union ibv_gid gid_of_text(const char *text)
{
	union ibv_gid gid = { 0 };

	if (inet_pton(AF_INET6, text, &gid) == 1)
		return gid;
	memset(&gid, 0, sizeof(gid));
	gid.raw[10] = gid.raw[11] = 0xff;
	need(inet_pton(AF_INET, text, gid.raw + 12) == 1, text);
	return gid;
}

int group_fd(void)
{
	return receive_fd;
}

int group_gsi_fd(void)
{
	return receive_fd;
}

int group_send_fd(int family)
{
	return send_fds[family == AF_INET6];
}

uint16_t group_send_port(int family)
{
	return family == AF_INET6 ? 50001 : 50000;
}

struct upper upper_packets;
struct upper_mads upper_mads;

void upper_reset(void)
{
	upper_packets.n = 0;
	memset(&upper_mads, 0, sizeof(upper_mads));
}

void transport_input(const struct packet *p)
{
	struct upper *u = &upper_packets;

	CHECK(u->n < UPPER_MAX);
	u->p[u->n] = *p;
	u->p[u->n].payload = NULL;
	u->first[u->n] = p->len ? p->payload[0] : 0;
	u->last[u->n] = p->len ? p->payload[p->len - 1] : 0;
	u->n++;
}

/* All MADs are for this process. */
void cm_route(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	upper_mads.routed++;
	cm_input(from, mad, n);
}

void cm_input(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	CHECK_INT(n, MAD_BYTES);
	if (!rx_mad(from, mad, n)) {
		upper_mads.lost++;
		return;
	}
	upper_mads.input++;
	upper_mads.from = *from;
	memcpy(upper_mads.mad, mad, n);
}
