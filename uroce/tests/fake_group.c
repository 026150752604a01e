// SPDX-License-Identifier: MIT
#include "fake_group.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "group.h"
#include "packet.h"

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

static void own_network(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 && unshare(CLONE_NEWNET) != 0) {
		fprintf(stderr, "no network of its own: %s\n", strerror(errno));
		exit(77);
	}
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	need(ioctl(fd, SIOCSIFFLAGS, &ifr) == 0, "lo up");
	close(fd);
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

void fake_group_open(void)
{
	own_network();
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

void fake_group_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 5000) != 1) {
		fprintf(stderr, "nothing arrived\n");
		exit(1);
	}
}

void fake_group_mtu(int mtu)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_mtu = mtu };

	need(ioctl(send_fds[0], SIOCSIFMTU, &ifr) == 0, "mtu of lo");
}

union ibv_gid fake_gid(const char *text)
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
