// SPDX-License-Identifier: MIT
/* GIDs are the addresses of this host: annex A17.8. */
#include "gid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addrs.h"
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
		memset(gid, 0, sizeof(*gid));
		gid->raw[10] = gid->raw[11] = 0xff;
		memcpy(gid->raw + 12, &in->sin_addr, 4);
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
