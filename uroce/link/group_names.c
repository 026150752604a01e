/* SPDX-License-Identifier: MIT */
/*
 * Names of processes that listen for connections.
 *
 * The kernel makes sure that a name is bound by one process only. It does not know that "any
 * address" overlaps with each single address. So names are claimed one at a time, with DIR_NAMES
 * locked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "gid.h"
#include "group_own.h"
#include "line_reader.h"
#include "random.h"

#define PATIENCE_MS 1000 /* for other processes of this user and network, on a busy machine */
#define PORTS	    65536

struct group_name {
	int fd;
	struct local_name name;
	LIST_ENTRY(group_name) next;
};

static LIST_HEAD(, group_name) held = LIST_HEAD_INITIALIZER(held);
static struct group_name own_guid = {
	.fd = -1
}; /* bound while this process has connections; nothing is sent to it */

static struct local_name service_name(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	const uint8_t *a = addr->raw;

	return local_name(&group.dir,
			  "svc.%04x.%u.%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x"
			  "%02x%02x",
			  space, port, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
			  a[10], a[11], a[12], a[13], a[14], a[15]);
}

static union ibv_gid any_of_family(bool v4)
{
	union ibv_gid any = { 0 };

	if (v4)
		any.raw[10] = any.raw[11] = 0xff;
	return any;
}

static bool is_any(const union ibv_gid *addr)
{
	union ibv_gid any = any_of_family(gid_is_ipv4(addr));

	return memcmp(&any, addr, sizeof(any)) == 0;
}

static bool is_taken(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	struct local_name name = service_name(space, port, addr);

	return local_taken(&name);
}

/* Does a process listen on a single address of this host? */
static bool is_single_address_taken(uint16_t space, uint16_t port, bool v4)
{
	for (unsigned i = 0; i < gid_count(); i++) {
		const struct gid_entry *e = gid_at(i);

		if (e && gid_is_ipv4(&e->gid) == v4 && is_taken(space, port, &e->gid))
			return true;
	}
	return false;
}

static bool overlaps_with_taken(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	bool v4 = gid_is_ipv4(addr);
	union ibv_gid any = any_of_family(v4);

	return is_any(addr) ? is_single_address_taken(space, port, v4)
			    : is_taken(space, port, &any);
}

/* 0, or -1 with errno as the kernel's rdma_cm sets it. */
static int claim_name(struct group_name *n, uint16_t space, uint16_t port,
		      const union ibv_gid *addr)
{
	if (overlaps_with_taken(space, port, addr)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	n->name = service_name(space, port, addr);
	n->fd = local_bind(&group.dir, &n->name);
	if (n->fd < 0 && errno == EADDRINUSE && is_any(addr))
		errno = EADDRNOTAVAIL;
	return n->fd < 0 ? -1 : 0;
}

static void read_ephemeral_range(unsigned *first, unsigned *last)
{
	char text[32];

	read_first_line("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text));
	if (sscanf(text, "%u %u", first, last) != 2 || *first == 0 || *first > *last ||
	    *last > 65535) {
		*first = 32768;
		*last = 60999;
	}
}

/* Is it the name of a service of the space in this network? Then *port is its port. */
static bool is_service(const char *base, uint16_t space, unsigned *port)
{
	unsigned long long network;
	unsigned in;

	return sscanf(base, "%llu.svc.%x.%u.", &network, &in, port) == 3 &&
	       network == group.dir.network && in == space && *port < PORTS;
}

static bool is_held(const char *base)
{
	struct group_name *name;

	LIST_FOREACH(name, &held, next)
		if (strcmp(local_base(&name->name), base) == 0)
			return true;
	return false;
}

bool group_has_port(uint16_t space, uint16_t port)
{
	DIR *entries = group.slot ? socket_dir_list(&group.dir) : NULL;
	const char *base;
	unsigned its;
	bool found = false;

	while (!found && (base = socket_dir_next(entries))) {
		if (is_service(base, space, &its) && its == port && !is_held(base)) {
			struct local_name name = local_in(&group.dir, base);

			found = local_taken(&name);
		}
	}
	if (entries)
		closedir(entries);
	return found;
}

/* Tries all ports, beginning with a random one. */
static int claim_ephemeral(struct group_name *n, uint16_t space, uint16_t *port,
			   const union ibv_gid *addr)
{
	unsigned first, last, start;

	read_ephemeral_range(&first, &last);
	random_bytes(&start, sizeof(start));
	for (unsigned i = 0; i <= last - first; i++) {
		*port = (uint16_t)(first + (start + i) % (last - first + 1));
		if (claim_name(n, space, *port, addr) == 0)
			return 0;
		if (errno != EADDRINUSE && errno != EADDRNOTAVAIL)
			return -1;
	}
	errno = EADDRNOTAVAIL;
	return -1;
}

static int claim_locked(struct group_name *n, uint16_t space, uint16_t *port,
			const union ibv_gid *addr)
{
	int ret;

	if (socket_dir_lock(&group.dir, DIR_NAMES, PATIENCE_MS, NULL) != 0)
		return -1;
	ret = *port ? claim_name(n, space, *port, addr) : claim_ephemeral(n, space, port, addr);
	socket_dir_unlock(&group.dir, DIR_NAMES);
	return ret;
}

struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr)
{
	struct group_name *name;

	if (!group.slot) {
		errno = ENODEV;
		return NULL;
	}
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	if (claim_locked(name, space, port, addr) != 0)
		goto undo;
	if (control_epoll_add(name->fd) != 0) {
		int err = errno;

		local_close(&group.dir, &name->name, name->fd);
		errno = err;
		goto undo;
	}
	LIST_INSERT_HEAD(&held, name, next);
	return name;
undo:
	free(name);
	return NULL;
}

void group_release(struct group_name *name)
{
	if (name->fd >= 0) {
		LIST_REMOVE(name, next);
		local_close(&group.dir, &name->name, name->fd);
	}
	free(name);
}

bool names_have(int fd)
{
	struct group_name *name;

	LIST_FOREACH(name, &held, next)
		if (name->fd == fd)
			return true;
	return false;
}

static struct local_name guid_name(uint64_t guid)
{
	return local_name(&group.dir, "guid.%016llx", (unsigned long long)guid);
}

/* Forgets a name that is closed. group_release() frees it later. */
static void drop_name(struct group_name *name)
{
	LIST_REMOVE(name, next);
	name->fd = -1;
}

void names_close(void)
{
	while (!LIST_EMPTY(&held)) {
		struct group_name *name = LIST_FIRST(&held);

		local_close(&group.dir, &name->name, name->fd);
		drop_name(name);
	}
}

void names_forget(void)
{
	while (!LIST_EMPTY(&held)) {
		struct group_name *name = LIST_FIRST(&held);

		close(name->fd);
		drop_name(name);
	}
}

int group_announce(uint64_t guid)
{
	if (own_guid.fd >= 0)
		return 0;
	if (socket_dir_lock(&group.dir, DIR_NAMES, PATIENCE_MS, NULL) != 0)
		return -1;
	own_guid.name = guid_name(guid);
	own_guid.fd = local_bind(&group.dir, &own_guid.name);
	socket_dir_unlock(&group.dir, DIR_NAMES);
	if (own_guid.fd < 0)
		return -1;
	LIST_INSERT_HEAD(&held, &own_guid, next);
	return 0;
}

bool group_announced(uint64_t guid)
{
	struct local_name name = guid_name(guid);

	/* We ask with our own socket, so that no descriptor is needed. In doubt the process
	 * lives. */
	return connect(own_guid.fd, (const struct sockaddr *)&name.un, name.len) == 0 ||
	       (errno != ECONNREFUSED && errno != ENOENT);
}

int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n)
{
	struct local_name to = service_name(space, port, addr);

	return messages_forward(&to, from, mad, n);
}
