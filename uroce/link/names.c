// SPDX-License-Identifier: MIT
/*
 * A name is bound by one process, so the kernel keeps it unique; what it does not know is
 * that "any address" overlaps with each single one. Both sides look for the other after
 * they have bound their own.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <unistd.h>

#include "gid.h"
#include "group_own.h"

#define SECOND_LOOK_MS 2

struct group_name {
	int fd;
	LIST_ENTRY(group_name) next;
};

static LIST_HEAD(, group_name) held = LIST_HEAD_INITIALIZER(held);

static struct abstract service_name(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	const uint8_t *a = addr->raw;

	return abstract_name("svc/%04x/%u/%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x"
			     "%02x%02x",
			     space, port, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
			     a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
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

static bool taken(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	struct abstract name = service_name(space, port, addr);

	return abstract_taken(&name);
}

/* Does somebody listen on a single address of this host? */
static bool single_taken(uint16_t space, uint16_t port, bool v4)
{
	for (unsigned i = 0; i < gid_count(); i++) {
		const struct gid_entry *e = gid_at(i);

		if (e && gid_is_ipv4(&e->gid) == v4 && taken(space, port, &e->gid))
			return true;
	}
	return false;
}

/* The claim of a single address wins over one of any that was made at the same time, which
 * therefore looks twice. */
static bool overlaps(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	bool v4 = gid_is_ipv4(addr);
	union ibv_gid any = any_of_family(v4);

	if (!is_any(addr))
		return taken(space, port, &any);
	if (!single_taken(space, port, v4))
		return false;
	poll(NULL, 0, SECOND_LOOK_MS);
	return single_taken(space, port, v4);
}

/* A descriptor that is bound to the name, or -1. */
static int claim(uint16_t space, uint16_t port, const union ibv_gid *addr)
{
	struct abstract name = service_name(space, port, addr);
	int fd = abstract_bind(&name);

	if (fd < 0) {
		/* as rdma_cm says it in the kernel */
		if (errno == EADDRINUSE && is_any(addr))
			errno = EADDRNOTAVAIL;
		return -1;
	}
	if (!overlaps(space, port, addr))
		return fd;
	close(fd);
	errno = EADDRNOTAVAIL;
	return -1;
}

static void ephemeral_range(unsigned *first, unsigned *last)
{
	FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");

	if (!f || fscanf(f, "%u %u", first, last) != 2 || *first == 0 || *first > *last ||
	    *last > 65535) {
		*first = 32768;
		*last = 60999;
	}
	if (f)
		fclose(f);
}

static int claim_ephemeral(uint16_t space, uint16_t *port, const union ibv_gid *addr)
{
	unsigned first, last, start = 0;

	ephemeral_range(&first, &last);
	if (getrandom(&start, sizeof(start), 0) != sizeof(start))
		return -1;
	for (unsigned i = 0; i <= last - first; i++) {
		uint16_t candidate = (uint16_t)(first + (start + i) % (last - first + 1));
		int fd = claim(space, candidate, addr);

		if (fd >= 0 || (errno != EADDRINUSE && errno != EADDRNOTAVAIL)) {
			*port = candidate;
			return fd;
		}
	}
	errno = EADDRNOTAVAIL;
	return -1;
}

struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr)
{
	struct group_name *name;
	struct epoll_event event = { .events = EPOLLIN };

	if (!group.slot) {
		errno = ENODEV;
		return NULL;
	}
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	name->fd = *port ? claim(space, *port, addr) : claim_ephemeral(space, port, addr);
	if (name->fd < 0)
		goto undo;
	event.data.fd = name->fd;
	if (epoll_ctl(group.epoll, EPOLL_CTL_ADD, name->fd, &event) != 0) {
		int err = errno;

		close(name->fd);
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
		close(name->fd);
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

void names_close(void)
{
	while (!LIST_EMPTY(&held)) {
		struct group_name *name = LIST_FIRST(&held);

		LIST_REMOVE(name, next);
		close(name->fd);
		name->fd = -1; /* group_release() frees it, in its time */
	}
}

static struct abstract guid_name(uint64_t guid)
{
	return abstract_name("guid/%016llx", (unsigned long long)guid);
}

int group_announce(uint64_t guid)
{
	struct abstract name = guid_name(guid);

	if (group.alive < 0)
		group.alive = abstract_bind(&name);
	return group.alive < 0 ? -1 : 0;
}

bool group_announced(uint64_t guid)
{
	struct abstract name = guid_name(guid);

	/* our own socket is there, however few descriptors there are; in doubt it lives */
	return connect(group.alive, (const struct sockaddr *)&name.un, name.len) == 0 ||
	       errno != ECONNREFUSED;
}

int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n)
{
	struct abstract to = service_name(space, port, addr);

	return messages_forward(&to, from, mad, n);
}
