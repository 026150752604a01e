/* SPDX-License-Identifier: MIT */
/* GIDs are the addresses of this host: annex A17.8. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gid.h"
#include "packet.h"

/* IPv6, UDP, BTH, RETH, ImmDt and ICRC: the most that stands around payload. */
#define AROUND_PAYLOAD (40 + 8 + BTH_BYTES + 16 + 4 + ICRC_BYTES)

static struct gid_entry table[GID_ENTRIES];
static unsigned used; /* up to the last one in use */
static bool filled;
void (*gid_changed)(void);
unsigned gid_changes;

/* ------------------------------------------------------------------- the table -- */

/* The order in which a new table has them. */
enum rank { IPV4, IPV6, IPV6_LINK, LOOPBACK4, LOOPBACK6 };

struct candidate {
	enum rank rank;
	unsigned seen; /* the kernel's order */
	const struct address *a;
};

static bool link_local(const void *gid)
{
	return IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid);
}

static enum rank rank_of(const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_V4MAPPED(addr))
		return addr->s6_addr[12] == 127 ? LOOPBACK4 : IPV4;
	if (IN6_IS_ADDR_LOOPBACK(addr))
		return LOOPBACK6;
	return link_local(addr) ? IPV6_LINK : IPV6;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->seen < y->seen ? -1 : 1;
}

static bool empty(const struct gid_entry *e)
{
	return e->ifindex == 0;
}

/* The same address; link-local ones may be on several interfaces. */
static bool same(const struct gid_entry *e, const struct address *a)
{
	return !empty(e) && memcmp(&e->gid, &a->addr, 16) == 0 &&
	       (e->ifindex == a->ifindex || !link_local(&a->addr));
}

static struct gid_entry *entry_of(const struct address *a)
{
	for (unsigned i = 0; i < used; i++)
		if (same(&table[i], a))
			return &table[i];
	return NULL;
}

/* Removes what is in the table and not among the candidates. */
static bool remove_gone(const struct candidate *c, unsigned n)
{
	bool changed = false;

	for (unsigned i = 0; i < used; i++) {
		bool lives = false;

		for (unsigned k = 0; k < n && !lives; k++)
			lives = same(&table[i], c[k].a);
		if (!lives && !empty(&table[i])) {
			memset(&table[i], 0, sizeof(table[i]));
			changed = true;
		}
	}
	return changed;
}

/* Puts an address in its entry or a free one. Returns whether it is new. */
static bool add(const struct address *a)
{
	struct gid_entry *e = entry_of(a);
	bool new = !e || e->ifindex != a->ifindex;

	for (unsigned i = 0; !e && i < GID_ENTRIES; i++)
		if (empty(&table[i]))
			e = &table[i];
	if (!e) /* full: the last in order have no entry */
		return false;
	memcpy(&e->gid, &a->addr, 16);
	memcpy(e->ifname, a->ifname, sizeof(e->ifname));
	e->ifindex = a->ifindex;
	e->mtu = a->mtu;
	e->loopback = rank_of(&a->addr) >= LOOPBACK4;
	if (e - table >= used)
		used = (unsigned)(e - table) + 1;
	return new;
}

/* Orders the list as a new table has it, without interfaces that are too narrow. */
static unsigned order(struct candidate *c, const struct address *list, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		if (gid_path_mtu(list[i].mtu))
			c[count++] = (struct candidate){ rank_of(&list[i].addr), i, &list[i] };
	qsort(c, count, sizeof(*c), compare);
	return count;
}

/* An address that is on two interfaces has one entry: the first's. */
static bool doubled(const struct candidate *c, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (memcmp(&c[k].a->addr, &c[i].a->addr, 16) == 0 && !link_local(&c[i].a->addr))
			return true;
	return false;
}

void gid_refresh(void)
{
	struct address *list;
	struct candidate *c;
	int n = addrs_read(&list);
	bool changed, first = !filled;

	if (n < 0) /* the kernel does not say: what was known before stays */
		return;
	c = calloc((size_t)n + 1, sizeof(*c));
	if (c) {
		unsigned count = order(c, list, (unsigned)n);

		changed = remove_gone(c, count);
		for (unsigned i = 0; i < count; i++)
			if (!doubled(c, i))
				changed |= add(c[i].a);
		while (used && empty(&table[used - 1]))
			used--;
		filled = true;
		gid_changes += changed;
		if (changed && !first && gid_changed)
			gid_changed();
	}
	free(c);
	free(list);
}

static void fill(void)
{
	if (!filled)
		gid_refresh();
}

const struct gid_entry *gid_at(unsigned index)
{
	fill();
	return index < used && !empty(&table[index]) ? &table[index] : NULL;
}

int gid_index(const union ibv_gid *gid, unsigned scope)
{
	fill();
	for (unsigned i = 0; i < used; i++)
		if (!empty(&table[i]) && memcmp(&table[i].gid, gid, 16) == 0 &&
		    (!scope || !link_local(gid) || table[i].ifindex == scope))
			return (int)i;
	return -1;
}

unsigned gid_count(void)
{
	fill();
	return used;
}

enum ibv_mtu gid_path_mtu(unsigned ifmtu)
{
	enum ibv_mtu mtu = IBV_MTU_4096;

	while (mtu && ifmtu < (128u << mtu) + AROUND_PAYLOAD)
		mtu--;
	return mtu;
}

/* ------------------------------------------------------------ socket addresses -- */

int gid_of_sockaddr(union ibv_gid *gid, uint32_t *scope, const struct sockaddr *sa)
{
	const struct sockaddr_in *in = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;

	*scope = 0;
	if (sa->sa_family == AF_INET) {
		gid_of_ipv4(gid, &in->sin_addr);
	} else if (sa->sa_family == AF_INET6) {
		memcpy(gid, &in6->sin6_addr, sizeof(*gid));
		if (link_local(gid) || IN6_IS_ADDR_MC_LINKLOCAL(&in6->sin6_addr))
			*scope = in6->sin6_scope_id;
	} else {
		return -1;
	}
	return 0;
}

void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port)
{
	struct sockaddr_in *in = (void *)ss;
	struct sockaddr_in6 *in6 = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (gid_is_ipv4(gid)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, gid->raw + 12, 4);
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		in6->sin6_scope_id = scope;
		memcpy(&in6->sin6_addr, gid, sizeof(*gid));
	}
}

/* Where the host would send from: ss is the destination, then the source. */
static int source_of(struct sockaddr_storage *ss)
{
	socklen_t len = sizeof(*ss);
	int fd = socket(ss->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret, err;

	if (fd < 0)
		return -1;
	ret = connect(fd, (struct sockaddr *)ss,
		      ss->ss_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6));
	if (ret == 0)
		ret = getsockname(fd, (struct sockaddr *)ss, &len);
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

int gid_route(const struct sockaddr *dst)
{
	struct sockaddr_storage ss;
	union ibv_gid gid;
	uint32_t scope;
	int index;

	if (gid_of_sockaddr(&gid, &scope, dst) != 0) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	gid_to_sockaddr(&ss, &gid, scope, ROCE_PORT);
	if (source_of(&ss) != 0 || gid_of_sockaddr(&gid, &scope, (struct sockaddr *)&ss) != 0)
		return -1;
	index = gid_index(&gid, scope);
	if (index < 0) { /* the news of it may not have come yet */
		gid_refresh();
		index = gid_index(&gid, scope);
	}
	if (index < 0)
		errno = ENODEV;
	return index;
}

/* ---------------------------------- addresses of this host: rtnetlink(7) -- */

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
