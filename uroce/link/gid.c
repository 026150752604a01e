/* SPDX-License-Identifier: MIT */
/* GIDs are the addresses of this host: annex A17.8. */
#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gid.h"
#include "link.h"
#include "packet.h"

/* IPv6, UDP, BTH, RETH, ImmDt and ICRC: the most that surrounds a payload */
#define AROUND_PAYLOAD (40 + 8 + BTH_BYTES + 16 + 4 + ICRC_BYTES)

/* The last one has the addresses of interfaces that no device has. */
static struct gid_entry table[(DEVICES_MAX + 1) * GID_ENTRIES];
static unsigned used; /* up to the last entry in use */
static bool filled;
void (*gid_changed)(unsigned device, bool table, bool port);

static struct {
	bool has_had_link; /* an interface other than the loopback had an address and a carrier */
	bool link_is_up, put_down;
	bool was_up; /* when gid_changed() was told */
} ports[DEVICES_MAX];
static union ibv_gid hidden[GID_ENTRIES]; /* gid_hide() */
static unsigned nhidden;
static struct {
	unsigned a, b;
} moves[GID_ENTRIES]; /* gid_move() */
static unsigned nmoves;
bool gid_may_be_down;

/* ---------------------------------------------------- addresses of this host -- */

/* The order of entries in a new table. */
enum rank { IPV4, IPV6, IPV6_LINK_LOCAL, LOOPBACK_IPV4, LOOPBACK_IPV6 };

struct candidate {
	enum rank rank;
	unsigned seen;	 /* the kernel's order */
	bool link;	 /* its interface is not the loopback, and has a carrier */
	unsigned device; /* device_count(): none */
	struct gid_entry entry;
};

static bool is_link_local(const void *gid)
{
	return IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid);
}

static enum rank rank_of(const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_V4MAPPED(addr))
		return addr->s6_addr[12] == 127 ? LOOPBACK_IPV4 : IPV4;
	if (IN6_IS_ADDR_LOOPBACK(addr))
		return LOOPBACK_IPV6;
	return is_link_local(addr) ? IPV6_LINK_LOCAL : IPV6;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->entry.down != y->entry.down) /* of equal addresses the one that works counts */
		return x->entry.down ? 1 : -1;
	return x->seen < y->seen ? -1 : 1;
}

/* May an IPv6 address be sent from? Not while the kernel looks for another host that has it, nor
 * when there is one. */
static bool is_usable(const union ibv_gid *gid, unsigned ifindex)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage at;
	bool usable;

	gid_to_sockaddr(&at, gid, ifindex, 0);
	usable = fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(struct sockaddr_in6)) == 0 ||
		 errno != EADDRNOTAVAIL;
	if (fd >= 0)
		close(fd);
	return usable;
}

/* False: it is no address, or none that the table has. fd: any socket. */
static bool read_entry(int fd, struct gid_entry *e, const struct ifaddrs *ifa)
{
	struct ifreq r = { .ifr_ifindex = 0 };
	uint32_t scope;

	memset(e, 0, sizeof(*e));
	e->down = !(ifa->ifa_flags & IFF_UP);
	if (!ifa->ifa_addr || gid_of_sockaddr(&e->gid, &scope, ifa->ifa_addr) != 0)
		return false;
	/* ifa_name may be the label of an address: eth0:1 */
	snprintf(e->ifname, sizeof(e->ifname), "%.*s", (int)strcspn(ifa->ifa_name, ":"),
		 ifa->ifa_name);
	e->ifindex = if_nametoindex(e->ifname);
	memcpy(r.ifr_name, e->ifname, sizeof(r.ifr_name));
	if (!e->ifindex || ioctl(fd, SIOCGIFMTU, &r) != 0 || !gid_path_mtu((unsigned)r.ifr_mtu))
		return false;
	e->mtu = (unsigned)r.ifr_mtu;
	e->loopback = rank_of((const void *)&e->gid) >= LOOPBACK_IPV4;
	return gid_is_ipv4(&e->gid) || is_usable(&e->gid, e->ifindex);
}

static unsigned read_all(int fd, struct candidate *c, const struct ifaddrs *list)
{
	unsigned n = 0, seen = 0;

	for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next, seen++)
		if (read_entry(fd, &c[n].entry, ifa)) {
			c[n].rank = rank_of((const void *)&c[n].entry.gid);
			c[n].link = (ifa->ifa_flags & (IFF_LOOPBACK | IFF_RUNNING)) == IFF_RUNNING;
			c[n].device = device_of_interface(c[n].entry.ifname);
			c[n++].seen = seen;
		}
	qsort(c, n, sizeof(*c), compare_candidates);
	return n;
}

/* Lists the addresses of all interfaces that are wide enough, up or not, in the order of a new
 * table. The caller frees the list. Returns how many, or -1 with errno. */
static int read_candidates(struct candidate **c)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), n = -1;
	struct ifaddrs *list = NULL;
	size_t lines = 1;

	*c = NULL;
	if (fd >= 0 && getifaddrs(&list) == 0) {
		for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next)
			lines++;
		*c = calloc(lines, sizeof(**c));
		if (*c)
			n = (int)read_all(fd, *c, list);
		freeifaddrs(list);
	}
	if (fd >= 0)
		close(fd);
	return n;
}

/* ------------------------------------------------------------------- the table -- */

static bool is_empty(const struct gid_entry *e)
{
	return e->ifindex == 0;
}

/* Is it the same address? A link-local address may be on several interfaces. */
static bool is_same(const struct gid_entry *a, const struct gid_entry *b)
{
	return !is_empty(a) && gid_equal(&a->gid, &b->gid) &&
	       (a->ifindex == b->ifindex || !is_link_local(&a->gid));
}

static struct gid_entry *find_entry(const struct gid_entry *wanted)
{
	for (unsigned i = 0; i < used; i++)
		if (is_same(&table[i], wanted))
			return &table[i];
	return NULL;
}

/* Removes the entries that are not among the candidates. Returns a bit for each device that had
 * one. */
static unsigned remove_gone(const struct candidate *c, unsigned n)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < used; i++) {
		bool lives = is_empty(&table[i]);

		for (unsigned k = 0; k < n && !lives; k++)
			lives = is_same(&table[i], &c[k].entry) && c[k].device == gid_device(i);
		if (!lives) {
			memset(&table[i], 0, sizeof(table[i]));
			changed |= 1u << gid_device(i);
		}
	}
	return changed;
}

/* Puts an address into its entry, or a free one of its device. Returns whether it is new. */
static bool put_entry(const struct candidate *c)
{
	struct gid_entry *e = find_entry(&c->entry);
	bool new = !e || e->ifindex != c->entry.ifindex;

	if (!e && c->entry.down)
		return false;
	for (unsigned i = 0; !e && i < GID_ENTRIES; i++)
		if (is_empty(&table[gid_position(c->device, i)]))
			e = &table[gid_position(c->device, i)];
	if (!e) /* the table is full: the last in order have no entry */
		return false;
	*e = c->entry;
	if (e - table >= used)
		used = (unsigned)(e - table) + 1;
	return new;
}

/* Takes those out that gid_hide() has hidden. An address that is on two interfaces has one entry:
 * that of the first. Returns how many are left. */
static unsigned leave_out(struct candidate *c, unsigned n)
{
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++) {
		bool stays = true;

		for (unsigned k = 0; k < nhidden; k++)
			stays &= !gid_equal(&hidden[k], &c[i].entry.gid);
		for (unsigned k = 0; k < left; k++)
			stays &= !is_same(&c[k].entry, &c[i].entry);
		if (stays)
			c[left++] = c[i];
	}
	return left;
}

/* A port is down when none of the interfaces of its device has a link. The loopback counts only
 * where there never was another one. */
static void read_links(const struct candidate *c, unsigned n)
{
	for (unsigned device = 0; device < device_count(); device++) {
		bool link = false, up = false;

		for (unsigned i = 0; i < n; i++) {
			link |= c[i].device == device && c[i].link;
			up |= c[i].device == device && !c[i].entry.down;
		}
		ports[device].has_had_link |= link;
		ports[device].link_is_up = link || (!ports[device].has_had_link && up);
	}
}

static bool may_be_down(void)
{
	bool may = nhidden;

	for (unsigned device = 0; device < device_count(); device++)
		may |= ports[device].put_down || !ports[device].link_is_up;
	for (unsigned i = 0; i < used; i++)
		may |= table[i].down;
	return may;
}

static void tell_changes(unsigned device, bool changed)
{
	const bool port = ports[device].was_up != gid_port_is_up(device);

	if ((changed || port) && gid_changed)
		gid_changed(device, changed, port);
}

void gid_refresh(void)
{
	struct candidate *c;
	int n = read_candidates(&c);
	const bool first = !filled;
	unsigned changed = 0; /* devices */

	if (n >= 0) { /* else the table stays as it is */
		read_links(c, (unsigned)n);
		n = (int)leave_out(c, (unsigned)n);
		changed = remove_gone(c, (unsigned)n);
		for (unsigned i = 0; i < (unsigned)n; i++)
			changed |= (unsigned)put_entry(&c[i]) << c[i].device;
		while (used && is_empty(&table[used - 1]))
			used--;
		filled = true;
	}
	free(c);
	gid_may_be_down = may_be_down();
	for (unsigned device = 0; device < device_count(); device++) {
		if (!first)
			tell_changes(device, changed & 1u << device);
		ports[device].was_up = gid_port_is_up(device);
	}
}

static bool has_entry(unsigned device)
{
	for (unsigned i = 0; i < GID_ENTRIES; i++)
		if (!is_empty(&table[gid_position(device, i)]))
			return true;
	return false;
}

bool gid_port_is_up(unsigned device)
{
	return ports[device].link_is_up && !ports[device].put_down && has_entry(device);
}

void gid_port_put_down(unsigned device, bool down)
{
	ports[device].put_down = down;
	gid_refresh();
}

/* device_count(): none. */
static unsigned find_device(const union ibv_gid *gid, uint32_t scope)
{
	const int position = gid_is_multicast(gid) ? -1 : gid_find(gid, scope);

	if (position >= 0)
		return gid_device((unsigned)position);
	if (!gid_is_multicast(gid))
		return device_count();
	for (unsigned i = 0; i < gid_count(); i++)
		if (table[i].ifindex == scope)
			return gid_device(i);
	return device_has_all() ? 0 : device_count();
}

bool gid_is_of(const union ibv_gid *gid, uint32_t scope, unsigned device)
{
	return find_device(gid, scope) == device;
}

bool gid_is_up(const union ibv_gid *gid, uint32_t scope)
{
	const int position = gid_is_multicast(gid) ? -1 : gid_find(gid, scope);
	const unsigned device = find_device(gid, scope);

	if (device == device_count() || ports[device].put_down)
		return false;
	if (position >= 0 && table[position].down)
		return false;
	return ports[device].link_is_up || (position >= 0 && table[position].loopback);
}

bool gid_hide(unsigned position)
{
	if (!gid_at(position) || nhidden == GID_ENTRIES)
		return false;
	hidden[nhidden++] = table[position].gid;
	gid_refresh();
	return !gid_at(position);
}

static void swap_entries(unsigned a, unsigned b)
{
	const struct gid_entry e = table[a];

	table[a] = table[b];
	table[b] = e;
	used = used > a ? used : a + 1;
	used = used > b ? used : b + 1;
}

bool gid_move(unsigned from, unsigned to)
{
	if (!gid_at(from) || gid_device(from) != gid_device(to) || nmoves == GID_ENTRIES)
		return false;
	swap_entries(from, to);
	moves[nmoves].a = from;
	moves[nmoves++].b = to;
	if (gid_changed)
		gid_changed(gid_device(from), true, false);
	return true;
}

void gid_restore(void)
{
	unsigned moved = 0; /* devices */

	for (; nmoves; nmoves--) {
		swap_entries(moves[nmoves - 1].a, moves[nmoves - 1].b);
		moved |= 1u << gid_device(moves[nmoves - 1].a);
	}
	nhidden = 0;
	gid_refresh();
	for (unsigned device = 0; device < device_count(); device++)
		if (moved & 1u << device && gid_changed)
			gid_changed(device, true, false);
}

static void fill_table(void)
{
	if (!filled)
		gid_refresh();
}

unsigned gid_count(void)
{
	const unsigned all = gid_position(device_count(), 0);

	fill_table();
	return used < all ? used : all;
}

const struct gid_entry *gid_at(unsigned position)
{
	return position < gid_count() && !is_empty(&table[position]) ? &table[position] : NULL;
}

/* Among the first n positions. */
static int find_address(const union ibv_gid *gid, unsigned scope, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!is_empty(&table[i]) && gid_equal(&table[i].gid, gid) &&
		    (!scope || !is_link_local(gid) || table[i].ifindex == scope))
			return (int)i;
	return -1;
}

int gid_find(const union ibv_gid *gid, unsigned scope)
{
	return find_address(gid, scope, gid_count());
}

bool gid_is_here(const union ibv_gid *gid, unsigned scope)
{
	fill_table();
	return find_address(gid, scope, used) >= 0;
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
		if (is_link_local(gid) || IN6_IS_ADDR_MC_LINKLOCAL(&in6->sin6_addr))
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

/* Replaces the destination in ss by the address that the host would send from. */
static int find_source(struct sockaddr_storage *ss)
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
	int position;

	if (gid_of_sockaddr(&gid, &scope, dst) != 0) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	gid_to_sockaddr(&ss, &gid, scope, ROCE_PORT);
	if (find_source(&ss) != 0 || gid_of_sockaddr(&gid, &scope, (struct sockaddr *)&ss) != 0)
		return -1;
	position = gid_find(&gid, scope);
	if (position < 0) { /* the kernel's message about it may not have come yet */
		gid_refresh();
		position = gid_find(&gid, scope);
	}
	if (position < 0)
		errno = ENODEV;
	return position;
}

/* -------------------------------------------- changes of addresses: rtnetlink(7) -- */

int gid_addrs_watch(void)
{
	struct sockaddr_nl nl = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), err;

	if (fd < 0 || bind(fd, (struct sockaddr *)&nl, sizeof(nl)) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

void gid_addrs_seen(int fd)
{
	char buf[8192];

	/* ENOBUFS: messages were lost, but the whole table is read anyway */
	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0 || errno == EINTR || errno == ENOBUFS)
		;
}
