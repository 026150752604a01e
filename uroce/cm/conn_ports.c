/* SPDX-License-Identifier: MIT */
/* Ports, in this process and among those of the host; which process a MAD is for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "counters.h"
#include "gid.h"
#include "group.h"
#include "link.h"

static LIST_HEAD(, port) ports;

static bool port_covers(const struct port *p, const union ibv_gid *dst)
{
	if (gid_equal(&p->addr, dst))
		return true;
	if (gid_equal(&p->addr, &gid_any_ipv4))
		return gid_is_ipv4(dst);
	if (gid_equal(&p->addr, &gid_any_ipv6))
		return p->both || !gid_is_ipv4(dst);
	return false;
}

/* Is there an address that both ports take requests for? */
static bool ports_overlap(const struct port *a, const struct port *b)
{
	if (a->space != b->space || a->number != b->number)
		return false;
	return port_covers(a, &b->addr) || port_covers(b, &a->addr);
}

/* The errno of a conflict: the kernel's, confusing as it is. */
static int conflict_errno(const struct port *a, const struct port *b)
{
	return gid_is_any(&a->addr) || gid_is_any(&b->addr) ? EADDRNOTAVAIL : EADDRINUSE;
}

/* Among the ports of this process. Returns the one to share, or NULL; then *none says whether
 * nothing is in the way. If something is, errno is set. */
static struct port *find_shared_port(const struct port *want, bool *none)
{
	struct port *p, *same = NULL;

	*none = true;
	LIST_FOREACH(p, &ports, entry) {
		if (!ports_overlap(p, want))
			continue;
		/* those that are only held for connections are in nobody's way here */
		if (p->ids && (!p->reuse || !want->reuse)) {
			*none = false;
			return fail_null(conflict_errno(p, want));
		}
		if (gid_equal(&p->addr, &want->addr) && p->both == want->both)
			same = p;
	}
	return same;
}

static int claim_names(struct port *p)
{
	/* another process may have the chosen number of the other family */
	unsigned tries = p->number ? 1 : 16;

	while (tries--) {
		uint16_t number = p->number;

		p->names[0] = group_claim(p->space, &number, &p->addr);
		if (!p->names[0])
			return -1;
		if (p->both)
			p->names[1] = group_claim(p->space, &number, &gid_any_ipv4);
		if (!p->both || p->names[1]) {
			p->number = number;
			return 0;
		}
		group_release(p->names[0]);
		p->names[0] = NULL;
		if (errno != EADDRINUSE)
			break;
	}
	return -1;
}

static struct port *new_port(const struct port *want)
{
	struct port *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	*p = *want;
	if (claim_names(p) < 0) {
		/* of another process */
		if (errno == EADDRINUSE && gid_is_any(&p->addr))
			errno = EADDRNOTAVAIL;
		free(p);
		return NULL;
	}
	LIST_INSERT_HEAD(&ports, p, entry);
	return p;
}

struct port *conn_port_bind(uint16_t space, uint16_t *number, const union ibv_gid *addr, bool both,
			    bool reuse)
{
	struct port want = {
		.space = space, .number = *number, .addr = *addr, .both = both, .reuse = reuse
	};
	struct port *p = NULL;
	bool none = true;

	if (*number)
		p = find_shared_port(&want, &none);
	if (!none)
		return NULL;
	if (!p)
		p = new_port(&want);
	if (!p)
		return NULL;
	p->refs++;
	p->ids++;
	p->reuse = reuse;
	*number = p->number;
	return p;
}

void conn_port_leave(struct port *p, struct cm_id *id)
{
	if (p->listener == id)
		p->listener = NULL;
	p->ids--;
	conn_port_put(p);
}

int conn_port_listen(struct port *p, struct cm_id *id)
{
	struct port *other;

	LIST_FOREACH(other, &ports, entry) {
		if (ports_overlap(other, p) && other->ids > (other == p ? 1 : 0))
			return fail(conflict_errno(other, p));
	}
	p->listener = id;
	return 0;
}

void conn_port_hold(struct port *p)
{
	p->refs++;
}

void conn_port_put(struct port *p)
{
	if (--p->refs)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (p->names[i])
			group_release(p->names[i]);
	LIST_REMOVE(p, entry);
	free(p);
}

struct port *conn_port_find(uint16_t space, uint16_t number, const union ibv_gid *dst)
{
	struct port *p, *best = NULL;
	int score, most = -1;

	LIST_FOREACH(p, &ports, entry) {
		if (p->space != space || p->number != number || !port_covers(p, dst))
			continue;
		score = (p->listener ? 2 : 0) + (gid_equal(&p->addr, dst) ? 1 : 0);
		if (score > most) {
			most = score;
			best = p;
		}
	}
	return best;
}

bool conn_port_has_listener(uint16_t space, uint16_t number)
{
	const struct port *p;

	LIST_FOREACH(p, &ports, entry)
		if (p->space == space && p->number == number && p->listener)
			return true;
	return false;
}

void conn_port_each(void (*fn)(const struct port *p, void *arg), void *arg)
{
	struct port *p;

	LIST_FOREACH(p, &ports, entry)
		if (p->listener)
			fn(p, arg);
}

void conn_port_forget(void)
{
	struct port *p;

	while ((p = LIST_FIRST(&ports))) {
		LIST_REMOVE(p, entry);
		free(p);
	}
}

/* -------------------------------------------- which process a MAD is for -- */

/*
 * A request names a service, and one process holds the name of that service. All other messages
 * name a communication id, whose upper bits are the slot of a process. A MAD that is for no process
 * is answered by the one that has read it, as a host does that has no such connection: 12.9.8.
 */

static bool is_request(const struct mad *m)
{
	return m->attr == MAD_REQ || m->attr == MAD_SIDR_REQ;
}

void cm_input(const struct mad_from *from, const uint8_t *buf, size_t n)
{
	struct mad m;

	if (!rx_mad(from, buf, n))
		return;
	if (mad_parse(&m, buf, n) < 0) {
		count(CNT_BAD_PACKET);
		return;
	}
	conn_input(from, &m);
}

static bool to_name(const struct mad_from *from, const union ibv_gid *addr, uint64_t service,
		    const uint8_t *buf)
{
	return group_forward_name((uint16_t)(service >> 16), (uint16_t)service, addr, from, buf,
				  MAD_BYTES) == 0 ||
	       errno != ECONNREFUSED;
}

/* Whoever holds that very address comes before whoever holds "any". False: the request is for this
 * process, or for nobody. If the queue of the other process is full, the request counts as lost on
 * the wire. */
static bool forward_request(const struct mad_from *from, const struct mad *m, const uint8_t *buf)
{
	uint64_t service = m->attr == MAD_REQ ? m->req.service : m->sidr_req.service;
	const union ibv_gid *any = gid_is_ipv4(&from->dst) ? &gid_any_ipv4 : &gid_any_ipv6;
	const struct port *own;

	if (service >> 32)
		return false;
	own = conn_port_find((uint16_t)(service >> 16), (uint16_t)service, &from->dst);
	if (!own || !gid_equal(&own->addr, &from->dst))
		if (to_name(from, &from->dst, service, buf))
			return true;
	return !own && to_name(from, any, service, buf);
}

void conn_request_route(const struct mad_from *from, const struct mad *m)
{
	uint8_t buf[MAD_BYTES];

	mad_build(buf, m);
	if (!forward_request(from, m, buf))
		conn_input(from, m);
}

/* A peer that gave up before it had an answer has no id to name. The process that has its request
 * knows the peer by its GUID. */
static void forward_to_all(const struct mad_from *from, const uint8_t *buf)
{
	cm_input(from, buf, MAD_BYTES);
	for (unsigned slot = 1; slot < SLOTS; slot++)
		if (slot != group_slot())
			group_forward(slot, from, buf, MAD_BYTES);
}

void cm_route(const struct mad_from *from, const uint8_t *buf, size_t n)
{
	struct mad m;
	unsigned slot;

	if (mad_parse(&m, buf, n) < 0) {
		count(CNT_BAD_PACKET);
		return;
	}
	if (is_request(&m)) {
		if (!forward_request(from, &m, buf))
			cm_input(from, buf, n);
		return;
	}
	if (m.remote_id == 0) {
		if (m.attr == MAD_REJ && m.rej.reason == REJ_TIMEOUT)
			forward_to_all(from, buf);
		return;
	}
	slot = m.remote_id >> (32 - SLOT_BITS);
	if (slot == group_slot())
		cm_input(from, buf, n);
	else if (group_forward(slot, from, buf, n) < 0 && errno == ECONNREFUSED)
		cm_input(from, buf, n);
}
