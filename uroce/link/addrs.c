// SPDX-License-Identifier: MIT
#include "addrs.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ATTEMPTS 3 /* the kernel tells when a list changed while it was being read */

struct link {
	unsigned index, flags, mtu;
	char name[IF_NAMESIZE];
};

struct reading {
	struct link *links;
	unsigned nlinks, links_room;
	struct address *list;
	unsigned n, room;
};

static int netlink(unsigned groups)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_groups = groups };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&nl, sizeof(nl)) != 0) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

/* One more element of an array that has n of them; NULL: out of memory. */
static void *more(void **array, unsigned *n, unsigned *room, size_t size)
{
	if (*n == *room) {
		unsigned want = *room ? 2 * *room : 16;
		void *bigger = realloc(*array, want * size);

		if (!bigger)
			return NULL;
		*array = bigger;
		*room = want;
	}
	return memset((char *)*array + (*n)++ * size, 0, size);
}

static int read_link(struct reading *r, const struct nlmsghdr *h)
{
	const struct ifinfomsg *info = NLMSG_DATA(h);
	size_t left = IFLA_PAYLOAD(h);
	void *array = r->links;
	struct link *l = more(&array, &r->nlinks, &r->links_room, sizeof(*l));

	r->links = array;
	if (!l)
		return -1;
	l->index = (unsigned)info->ifi_index;
	l->flags = info->ifi_flags;
	for (struct rtattr *a = IFLA_RTA(info); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		size_t n = RTA_PAYLOAD(a);

		if (a->rta_type == IFLA_MTU && n >= sizeof(l->mtu))
			memcpy(&l->mtu, RTA_DATA(a), sizeof(l->mtu));
		else if (a->rta_type == IFLA_IFNAME)
			memcpy(l->name, RTA_DATA(a), n < IF_NAMESIZE ? n : IF_NAMESIZE - 1);
	}
	return 0;
}

static const struct link *link_at(const struct reading *r, unsigned index)
{
	for (unsigned i = 0; i < r->nlinks; i++)
		if (r->links[i].index == index)
			return &r->links[i];
	return NULL;
}

/* IFA_ADDRESS is the peer's on a point-to-point link, which then has IFA_LOCAL too. */
static int read_address(struct reading *r, const struct nlmsghdr *h)
{
	const struct ifaddrmsg *info = NLMSG_DATA(h);
	const struct link *l = link_at(r, info->ifa_index);
	size_t left = IFA_PAYLOAD(h), want = info->ifa_family == AF_INET ? 4 : 16;
	uint32_t flags = info->ifa_flags;
	const void *addr = NULL;
	void *array = r->list;
	struct address *to;

	for (struct rtattr *a = IFA_RTA(info); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == IFA_FLAGS && RTA_PAYLOAD(a) >= sizeof(flags))
			memcpy(&flags, RTA_DATA(a), sizeof(flags));
		else if (RTA_PAYLOAD(a) == want &&
			 (a->rta_type == IFA_LOCAL || (a->rta_type == IFA_ADDRESS && !addr)))
			addr = RTA_DATA(a);
	}
	if (info->ifa_family != AF_INET && info->ifa_family != AF_INET6)
		return 0;
	if (!l || !(l->flags & IFF_UP) || !addr || flags & IFA_F_DADFAILED ||
	    (flags & (IFA_F_TENTATIVE | IFA_F_OPTIMISTIC)) == IFA_F_TENTATIVE)
		return 0;
	to = more(&array, &r->n, &r->room, sizeof(*to));
	r->list = array;
	if (!to)
		return -1;
	if (want == 4)
		to->addr.s6_addr[10] = to->addr.s6_addr[11] = 0xff;
	memcpy(to->addr.s6_addr + 16 - want, addr, want);
	memcpy(to->ifname, l->name, sizeof(to->ifname));
	to->ifindex = l->index;
	to->mtu = l->mtu;
	return 0;
}

static int ask(int fd, int type)
{
	struct {
		struct nlmsghdr h;
		struct rtgenmsg g;
	} ask = {
		.h = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
			.nlmsg_type = (uint16_t)type,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.g.rtgen_family = AF_UNSPEC,
	};

	return send(fd, &ask, ask.h.nlmsg_len, 0) < 0 ? -1 : 0;
}

/* Asks for all links or addresses. 0, or -1 with errno: EAGAIN: the list has changed. */
static int dump(int fd, int type, struct reading *r)
{
	static _Alignas(struct nlmsghdr) char buf[32768]; /* the lock is held */
	bool torn = false;

	if (ask(fd, type) != 0)
		return -1;
	for (;;) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);
		size_t left;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		left = (size_t)n;
		for (struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
			torn |= h->nlmsg_flags & NLM_F_DUMP_INTR;
			if (h->nlmsg_type == NLMSG_DONE) {
				errno = EAGAIN;
				return torn ? -1 : 0;
			}
			if (h->nlmsg_type == NLMSG_ERROR) {
				errno = -((struct nlmsgerr *)NLMSG_DATA(h))->error;
				return -1;
			}
			if (h->nlmsg_type == RTM_NEWLINK   ? read_link(r, h)
			    : h->nlmsg_type == RTM_NEWADDR ? read_address(r, h)
							   : 0)
				return -1;
		}
	}
}

int addrs_read(struct address **list)
{
	struct reading r = { 0 };
	int ret = -1, fd = netlink(0);

	for (unsigned i = 0; fd >= 0 && ret != 0 && i < ATTEMPTS; i++) {
		r.nlinks = r.n = 0;
		ret = dump(fd, RTM_GETLINK, &r);
		if (ret == 0)
			ret = dump(fd, RTM_GETADDR, &r);
		if (ret != 0 && errno != EAGAIN)
			break;
	}
	free(r.links);
	if (fd >= 0)
		close(fd);
	if (ret != 0) {
		free(r.list);
		return -1;
	}
	*list = r.list;
	return (int)r.n;
}

int addrs_watch(void)
{
	return netlink(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
}

void addrs_seen(int fd)
{
	char buf[8192];

	/* ENOBUFS: more than the socket could hold, the list is read anyway */
	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0 || errno == EINTR || errno == ENOBUFS)
		;
}
