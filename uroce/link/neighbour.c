// SPDX-License-Identifier: MIT
#include "gid.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DISCARD 9 /* RFC 863 */
#define VALID	(NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY)

/* A request to rtnetlink, and the answer. */
struct message {
	struct nlmsghdr h;
	union {
		struct rtmsg route;
		struct ndmsg neighbour;
		struct nlmsgerr error;
		char room[1024];
	};
};

/* The next hop: its interface and its address. */
struct hop {
	int family;
	int ifindex;
	uint8_t addr[16];
};

static size_t addr_len(int family)
{
	return family == AF_INET ? 4 : 16;
}

static void add_attribute(struct message *m, uint16_t type, const void *data, size_t n)
{
	struct rtattr *a = (void *)((char *)m + NLMSG_ALIGN(m->h.nlmsg_len));

	a->rta_type = type;
	a->rta_len = (uint16_t)RTA_LENGTH(n);
	memcpy(RTA_DATA(a), data, n);
	m->h.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->h.nlmsg_len) + RTA_LENGTH(n));
}

/* The kernel answers before send() returns. 0, or -1 with errno. */
static int ask_kernel(int fd, struct message *m)
{
	ssize_t n;

	m->h.nlmsg_flags = NLM_F_REQUEST;
	if (send(fd, m, m->h.nlmsg_len, 0) < 0)
		return -1;
	n = recv(fd, m, sizeof(*m), MSG_DONTWAIT);
	if (n < 0)
		return -1;
	if (!NLMSG_OK(&m->h, (size_t)n) || m->h.nlmsg_len < NLMSG_LENGTH(sizeof(m->neighbour))) {
		errno = EPROTO;
		return -1;
	}
	if (m->h.nlmsg_type == NLMSG_ERROR) {
		errno = -m->error.error;
		return -1;
	}
	return 0;
}

/* False: there is no next hop, or the kernel does not say. */
static bool find_next_hop(int fd, struct hop *hop, const union ibv_gid *dst, uint32_t scope)
{
	struct message m = { .h.nlmsg_len = NLMSG_LENGTH(sizeof(m.route)),
			     .h.nlmsg_type = RTM_GETROUTE };
	size_t n, left;

	hop->family = gid_is_ipv4(dst) ? AF_INET : AF_INET6;
	n = addr_len(hop->family);
	memcpy(hop->addr, dst->raw + 16 - n, n);
	m.route.rtm_family = (uint8_t)hop->family;
	m.route.rtm_dst_len = (uint8_t)(8 * n);
	add_attribute(&m, RTA_DST, hop->addr, n);
	if (scope)
		add_attribute(&m, RTA_OIF, &scope, sizeof(scope));
	if (ask_kernel(fd, &m) != 0 || m.h.nlmsg_type != RTM_NEWROUTE ||
	    m.route.rtm_type != RTN_UNICAST)
		return false;
	hop->ifindex = 0;
	left = RTM_PAYLOAD(&m.h);
	for (struct rtattr *a = RTM_RTA(&m.route); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == RTA_OIF && RTA_PAYLOAD(a) == sizeof(hop->ifindex))
			memcpy(&hop->ifindex, RTA_DATA(a), sizeof(hop->ifindex));
		else if (a->rta_type == RTA_GATEWAY && RTA_PAYLOAD(a) == n)
			memcpy(hop->addr, RTA_DATA(a), n);
		else if (a->rta_type == RTA_VIA) /* the next hop has an address of another family */
			return false;
	}
	return hop->ifindex != 0;
}

static bool needs_neighbours(int fd, int ifindex)
{
	struct ifreq r = { .ifr_ifindex = ifindex };

	return ioctl(fd, SIOCGIFNAME, &r) == 0 && ioctl(fd, SIOCGIFFLAGS, &r) == 0 &&
	       !(r.ifr_flags & (IFF_LOOPBACK | IFF_POINTOPOINT | IFF_NOARP));
}

static bool is_valid_neighbour(int fd, const struct hop *hop)
{
	struct message m = { .h.nlmsg_len = NLMSG_LENGTH(sizeof(m.neighbour)),
			     .h.nlmsg_type = RTM_GETNEIGH };

	m.neighbour.ndm_family = (uint8_t)hop->family;
	m.neighbour.ndm_ifindex = hop->ifindex;
	add_attribute(&m, NDA_DST, hop->addr, addr_len(hop->family));
	if (ask_kernel(fd, &m) != 0)
		return errno != ENOENT;
	return m.h.nlmsg_type != RTM_NEWNEIGH || m.neighbour.ndm_state & VALID;
}

bool neighbour_known(const union ibv_gid *dst, uint32_t scope)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct hop hop;
	bool known;

	if (fd < 0)
		return true;
	known = !find_next_hop(fd, &hop, dst, scope) || !needs_neighbours(fd, hop.ifindex) ||
		is_valid_neighbour(fd, &hop);
	close(fd);
	return known;
}

void neighbour_ask(const union ibv_gid *dst, uint32_t scope)
{
	struct sockaddr_storage to;
	socklen_t len;
	int fd;

	gid_to_sockaddr(&to, dst, scope, DISCARD);
	len = to.ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	(void)!sendto(fd, NULL, 0, 0, (struct sockaddr *)&to, len);
	close(fd);
}
