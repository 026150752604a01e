/* SPDX-License-Identifier: MIT */
/*
 * Ports of the RDMA port spaces: who listens where. A port that is bound is a name that one
 * process of the host holds (link/group.h). As service ids: annex A11.2.
 */
#ifndef UROCE_CM_LISTEN_H
#define UROCE_CM_LISTEN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct cm_id;
struct group_name;

struct port {
	LIST_ENTRY(port) entry;
	uint16_t space, number;
	union ibv_gid addr; /* zero: any; ::ffff:0.0.0.0: any of IPv4 */
	bool both;	    /* any IPv6, and any IPv4 too */
	bool reuse;
	unsigned refs;
	unsigned ids; /* bound to it */
	struct group_name *names[2];
	struct cm_id *listener; /* NULL: bound only */
};

extern const union ibv_gid any_ipv6, any_ipv4;

/* Binds an id: *number 0 chooses one and fills it in. The id has a reference, which
 * port_leave() gives back. reuse: others of this process with reuse may have the same. NULL
 * with errno: EADDRINUSE, or EADDRNOTAVAIL when an "any" address is involved, as the kernel
 * has it; EMFILE and the like. */
struct port *port_bind(uint16_t space, uint16_t *number, const union ibv_gid *addr, bool both,
		       bool reuse);
void port_leave(struct port *p, struct cm_id *id);
/* Makes an id the listener; nobody else may be bound there. 0, or -1 with errno as above. */
int port_listen(struct port *p, struct cm_id *id);
void port_hold(struct port *p);
void port_put(struct port *p);

/* The port of this process that takes requests for an address: one with a listener before
 * one without, that very address before any. NULL: none. */
struct port *port_find(uint16_t space, uint16_t number, const union ibv_gid *dst);

/* Calls fn for every port with a listener. */
void port_each(void (*fn)(const struct port *p, void *arg), void *arg);

/* After fork(): the names are the parent's, and group_forget() has forgotten them. */
void port_forget(void);

#endif
