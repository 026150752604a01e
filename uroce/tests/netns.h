/* SPDX-License-Identifier: MIT */
/* A network namespace of its own for a test: UDP port 4791 and addresses are nobody else's. */
#ifndef UROCE_TESTS_NETNS_H
#define UROCE_TESTS_NETNS_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SKIPPED 77

static inline bool netns_write(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static inline void netns_lo(bool up)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &r) != 0) {
		perror("lo");
		exit(1);
	}
	r.ifr_flags = (short)(up ? r.ifr_flags | IFF_UP : r.ifr_flags & ~IFF_UP);
	if (ioctl(fd, SIOCSIFFLAGS, &r) != 0) {
		perror("lo");
		exit(1);
	}
	close(fd);
}

/* Enters one, as root or as a user who becomes root of a user namespace; ends the test as
 * skipped where neither is possible. Before there are threads. */
static inline void netns_enter(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[40];

	if (unshare(CLONE_NEWNET) != 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
			perror("skipped: no network namespace");
			exit(SKIPPED);
		}
		snprintf(map, sizeof(map), "0 %u 1", uid);
		netns_write("/proc/self/uid_map", map);
		netns_write("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", gid);
		netns_write("/proc/self/gid_map", map);
	}
	netns_lo(true);
}

/* Runs a command of ip(8); false: it failed. */
static inline bool netns_ip(const char *command)
{
	char line[200];

	snprintf(line, sizeof(line), "ip %s >/dev/null 2>&1", command);
	return system(line) == 0;
}

#endif
