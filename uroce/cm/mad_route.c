// SPDX-License-Identifier: MIT
/*
 * Which process of the host a MAD is for. Requests name a service, which is a name that one
 * process holds; all others name a communication id, whose upper bits are a slot. A MAD for
 * nobody is answered by who has read it, as by one who knows nothing of it: 12.9.8.
 */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "counters.h"
#include "gid.h"
#include "group.h"
#include "link.h"

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

/* The holder of that very address comes before the one of any. False: it is for us, or for
 * nobody; a process that takes no more has lost it as it may be lost on a wire. */
static bool forward_request(const struct mad_from *from, const struct mad *m, const uint8_t *buf)
{
	uint64_t service = m->attr == MAD_REQ ? m->req.service : m->sidr_req.service;
	const union ibv_gid *any = gid_is_ipv4(&from->dst) ? &any_ipv4 : &any_ipv6;
	const struct port *own;

	if (service >> 32)
		return false;
	own = port_find((uint16_t)(service >> 16), (uint16_t)service, &from->dst);
	if (!own || memcmp(&own->addr, &from->dst, sizeof(own->addr)) != 0)
		if (to_name(from, &from->dst, service, buf))
			return true;
	return !own && to_name(from, any, service, buf);
}

void request_route(const struct mad_from *from, const struct mad *m)
{
	uint8_t buf[MAD_BYTES];

	mad_build(buf, m);
	if (!forward_request(from, m, buf))
		conn_input(from, m);
}

/* Who gave up before it had an answer has no id to name: the one who has its request will
 * know it by its GUID. */
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
