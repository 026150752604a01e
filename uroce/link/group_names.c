/* SPDX-License-Identifier: MIT */
/*
 * Names of processes that listen for connections.
 *
 * A file system makes sure that a name is one process's only. It does not know that "any address"
 * overlaps with each single address. So names are claimed one at a time, with DIR_NAMES locked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gid.h"
#include "group_own.h"
#include "line_reader.h"
#include "random.h"

#define PATIENCE_MS 1000 /* for other processes of this user and network, on a busy machine */
#define PORTS	    65536

struct group_name {
	unsigned joined; /* the count when it was claimed */
	struct local_name name;
};

static unsigned joined; /* how often: names of an earlier time are gone */

static struct local_name service_name(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	const uint8_t *a = addr->raw;

	return local_name(&group.dir,
			  "svc.%04x.%u.%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x"
			  "%02x%02x",
			  space, port, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
			  a[10], a[11], a[12], a[13], a[14], a[15]);
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

	return gid_is_any(addr) ? is_single_address_taken(space, port, v4)
				: is_taken(space, port, v4 ? &gid_any_ipv4 : &gid_any_ipv6);
}

/* 0, or -1 with errno as the kernel's rdma_cm sets it. */
static int claim_name(struct group_name *n, uint16_t space, uint16_t port,
		      const union ibv_gid *addr)
{
	const struct local_name own = control_name(&group.dir, group.slot);

	n->name = service_name(space, port, addr);
	if (!overlaps_with_taken(space, port, addr)) {
		if (local_link(&group.dir, &n->name, &own) == 0)
			return 0;
		if (!gid_is_any(addr))
			return -1;
	}
	if (errno == EADDRINUSE)
		errno = EADDRNOTAVAIL;
	return -1;
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

bool group_has_port(uint16_t space, uint16_t port)
{
	const struct local_name own = control_name(&group.dir, group.slot);
	DIR *entries = group.slot ? socket_dir_list(&group.dir) : NULL;
	const char *base;
	unsigned its;
	bool found = false;

	while (!found && (base = socket_dir_next(entries))) {
		if (is_service(base, space, &its) && its == port &&
		    !local_links_to(&group.dir, base, &own)) {
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

	group_check();
	if (!group.slot) {
		errno = ENODEV;
		return NULL;
	}
	name = malloc(sizeof(*name));
	if (!name)
		return NULL;
	name->joined = joined;
	if (claim_locked(name, space, port, addr) == 0)
		return name;
	free(name);
	return NULL;
}

void group_release(struct group_name *name)
{
	const int err = errno;

	group_check();
	if (name->joined == joined && group.slot)
		unlinkat(group.dir.fd, local_base(&name->name), 0);
	free(name);
	errno = err;
}

void names_remove(unsigned slot)
{
	const struct local_name to = control_name(&group.dir, slot);
	DIR *entries = socket_dir_list(&group.dir);
	const char *base;

	while ((base = socket_dir_next(entries)))
		if (local_links_to(&group.dir, base, &to))
			unlinkat(group.dir.fd, base, 0);
	if (entries)
		closedir(entries);
	joined++;
}

int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n)
{
	struct local_name to = service_name(space, port, addr);

	return messages_forward(&to, from, mad, n);
}
