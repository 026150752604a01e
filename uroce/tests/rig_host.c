/* SPDX-License-Identifier: MIT */
/* The host of the rig: its addresses, its neighbours, and other processes of it. */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "checks.h"
#include "gid.h"
#include "group.h"
#include "link.h"
#include "mad.h"
#include "rig.h"

#define NAMES 16

/* -------------------------------------------------------------------- addresses -- */

static const struct rig_address defaults[] = {
	{ "::ffff:10.0.0.1", "eth0", 3, 1500 },
	{ "::ffff:10.0.0.2", "eth0", 3, 1500 },
	{ "fd00::1", "eth0", 3, 1500 },
	{ "fe80::1", "eth0", 3, 1500 },
};

static struct gid_entry table[RIG_GIDS];
static bool filled;
_Atomic unsigned rig_refreshes;
int rig_route_errno;
void (*gid_changed)(unsigned device, bool table, bool port);
bool gid_may_be_down, rig_port_down;

void rig_addresses(const struct rig_address *list, unsigned n)
{
	if (!list) {
		list = defaults;
		n = sizeof(defaults) / sizeof(*defaults);
	}
	CHECK(n <= RIG_GIDS);
	memset(table, 0, sizeof(table));
	filled = true;
	for (unsigned i = 0; i < n; i++) {
		struct gid_entry *e = &table[i];

		if (!list[i].address)
			continue;
		e->gid = rig_gid_of(list[i].address);
		snprintf(e->ifname, sizeof(e->ifname), "%s", list[i].ifname);
		e->ifindex = list[i].ifindex;
		e->mtu = list[i].mtu;
		e->loopback = list[i].ifindex == 1;
	}
}

struct gid_entry *rig_entry(unsigned index)
{
	if (!filled)
		rig_addresses(NULL, 0);
	return &table[index];
}

union ibv_gid rig_gid(unsigned index)
{
	CHECK(index < RIG_GIDS && rig_entry(index)->ifindex);
	return rig_entry(index)->gid;
}

const struct gid_entry *gid_at(unsigned index)
{
	return index < RIG_GIDS && rig_entry(index)->ifindex ? rig_entry(index) : NULL;
}

unsigned gid_count(void)
{
	unsigned n = RIG_GIDS;

	while (n && !gid_at(n - 1))
		n--;
	return n;
}

static bool link_local(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid);
}

int gid_find(const union ibv_gid *gid, unsigned scope)
{
	for (unsigned i = 0; i < RIG_GIDS; i++) {
		const struct gid_entry *e = gid_at(i);

		if (e && memcmp(&e->gid, gid, sizeof(*gid)) == 0)
			return link_local(gid) && scope && scope != e->ifindex ? -1 : (int)i;
	}
	return -1;
}

bool gid_is_here(const union ibv_gid *gid, unsigned scope)
{
	return gid_find(gid, scope) >= 0;
}

bool gid_is_of(const union ibv_gid *gid, uint32_t scope, unsigned device)
{
	return device == 0 && gid_find(gid, scope) >= 0;
}

void gid_refresh(void)
{
	rig_refreshes++;
}

bool gid_port_is_up(unsigned device)
{
	(void)device;
	return !rig_port_down && gid_count() > 0;
}

bool gid_is_up(const union ibv_gid *gid, uint32_t scope)
{
	(void)gid;
	(void)scope;
	return gid_port_is_up(0);
}

void gid_port_put_down(unsigned device, bool down)
{
	const bool changed = rig_port_down != down;

	rig_port_down = down;
	if (changed && gid_changed)
		gid_changed(device, false, true);
}

bool gid_hide(unsigned index)
{
	return gid_at(index) != NULL;
}

void gid_restore(void)
{
}

bool gid_move(unsigned from, unsigned to)
{
	(void)to;
	return gid_at(from) != NULL;
}

enum ibv_mtu gid_path_mtu(unsigned ifmtu)
{
	return ifmtu > 4200 ? IBV_MTU_4096 : IBV_MTU_1024;
}

int gid_of_sockaddr(union ibv_gid *gid, uint32_t *scope, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;

	*scope = 0;
	memset(gid, 0, sizeof(*gid));
	if (sa->sa_family == AF_INET) {
		memset(gid->raw + 10, 0xff, 2);
		memcpy(gid->raw + 12, &((const struct sockaddr_in *)sa)->sin_addr, 4);
		return 0;
	}
	if (sa->sa_family != AF_INET6)
		return -1;
	memcpy(gid, &in6->sin6_addr, 16);
	*scope = in6->sin6_scope_id;
	return 0;
}

void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (gid_is_ipv4(gid)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, gid->raw + 12, 4);
		return;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_scope_id = scope;
	memcpy(&in6->sin6_addr, gid, 16);
}

/* From the first address that begins with the same byte; multicast from the first of its family.
 * Loopback addresses have a way, but no device if they are not in the table. */
int gid_route(const struct sockaddr *dst)
{
	union ibv_gid gid;
	uint32_t scope;
	bool ipv4;

	CHECK_INT(gid_of_sockaddr(&gid, &scope, dst), 0);
	ipv4 = gid_is_ipv4(&gid);
	errno = rig_route_errno;
	if (rig_route_errno)
		return -1;
	for (unsigned i = 0; i < RIG_GIDS; i++) {
		const struct gid_entry *e = gid_at(i);

		if (!e || gid_is_ipv4(&e->gid) != ipv4)
			continue;
		if (gid_is_multicast(&gid) ||
		    (ipv4 ? e->gid.raw[12] == gid.raw[12] : e->gid.raw[0] == gid.raw[0]))
			return (int)i;
	}
	errno = ipv4 && gid.raw[12] == IN_LOOPBACKNET ? ENODEV : ENETUNREACH;
	return -1;
}

bool rig_neighbour_silent;
unsigned rig_neighbour_asked;

bool neighbour_known(const union ibv_gid *dst, uint32_t scope)
{
	(void)dst;
	(void)scope;
	return !rig_neighbour_silent;
}

void neighbour_ask(const union ibv_gid *dst, uint32_t scope)
{
	(void)dst;
	(void)scope;
	rig_neighbour_asked++;
}

/* -------------------------------------------------------------- other processes -- */

static struct group_name {
	bool used;
} names[NAMES];
unsigned rig_slot = 5, rig_names, rig_forwards;
int rig_group_fd = -1;
_Atomic pthread_t rig_asked;
uint16_t rig_port_taken;
bool rig_all_killed;
unsigned rig_slots_asked;

unsigned group_slot(void)
{
	return rig_slot;
}

int group_fd(void)
{
	rig_asked = pthread_self();
	return rig_group_fd;
}

/* In place of that of libc, which gets all other descriptors. */
int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	return fd == RIG_MEMBER_FD ? 0 : (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr)
{
	unsigned i = 0;

	(void)space;
	(void)addr;
	if (*port && *port == rig_port_taken) {
		errno = EADDRINUSE;
		return NULL;
	}
	while (names[i].used)
		i++;
	CHECK(i + 1 < NAMES);
	names[i].used = true;
	if (!*port)
		*port = (uint16_t)(40000 + i);
	rig_names++;
	return &names[i];
}

void group_release(struct group_name *name)
{
	rig_names--;
	name->used = false;
}

pid_t group_slot_pid(unsigned slot)
{
	(void)slot;
	rig_slots_asked++;
	return rig_all_killed ? 0 : getpid();
}

static int refuse(size_t n)
{
	CHECK_INT(n, MAD_BYTES);
	rig_forwards++;
	errno = ECONNREFUSED;
	return -1;
}

int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n)
{
	(void)from;
	(void)mad;
	CHECK(slot != rig_slot);
	return refuse(n);
}

bool group_has_port(uint16_t space, uint16_t port)
{
	(void)space;
	return rig_port_taken && port == rig_port_taken;
}

int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n)
{
	(void)space;
	(void)port;
	(void)addr;
	(void)from;
	(void)mad;
	return refuse(n);
}
