/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "each.h"

struct in6_ifreq { /* linux/ipv6.h does not go together with netinet/in.h */
	struct in6_addr address;
	uint32_t prefix;
	int index;
};

static int write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* A user who is not root becomes root in a user namespace of its own, and has no more rights
 * elsewhere. */
static int leave_network(void)
{
	const unsigned uid = getuid(), gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWNET) == 0)
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "0 %u 1", gid);
	if (write_file("/proc/self/gid_map", map))
		return -1;
	snprintf(map, sizeof map, "0 %u 1", uid);
	return write_file("/proc/self/uid_map", map);
}

static void add_address(const struct sockaddr *address, unsigned number)
{
	const int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct in6_ifreq six = { .prefix = 128, .index = 1 /* lo */ };
	struct ifreq four = { 0 };

	if (fd < 0)
		return;
	if (address->sa_family == AF_INET) {
		snprintf(four.ifr_name, sizeof four.ifr_name, "lo:%u", number);
		memcpy(&four.ifr_addr, address, sizeof(struct sockaddr_in));
		ioctl(fd, SIOCSIFADDR, &four);
	} else {
		six.address = ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
		ioctl(fd, SIOCSIFADDR, &six);
	}
	close(fd);
}

static int raise_lo(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const int rc = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &lo);

	if (fd >= 0)
		close(fd);
	return rc;
}

static bool is_to_be_kept(const struct sockaddr *a)
{
	const struct sockaddr_in6 *six = (const void *)a;

	if (!a || (a->sa_family != AF_INET && a->sa_family != AF_INET6))
		return false;
	if (a->sa_family == AF_INET6)
		return !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) &&
		       !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
	return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) !=
	       INADDR_LOOPBACK;
}

int each_own_network(void)
{
	struct ifaddrs *all = NULL;
	unsigned n = 0;
	int rc;

	if (getifaddrs(&all))
		return -1;
	rc = leave_network() || raise_lo() ? -1 : 0;
	for (const struct ifaddrs *i = all; i && rc == 0; i = i->ifa_next)
		if (is_to_be_kept(i->ifa_addr))
			add_address(i->ifa_addr, ++n);
	freeifaddrs(all);
	return rc;
}
