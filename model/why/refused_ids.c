/* SPDX-License-Identifier: MIT */
/* Why a call of librdmacm was refused, judged by its arguments, by the device, and by what its id
 * was taken for before. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "event_rules.h"
#include "refused_calls.h"

#include "calls.h"
#include "heap.h"
#include "host_gid.h"
#include "recorded.h"
#include "why.h"
#include "words.h"

/* ----------------------------------------------------------------- the order of calls -- */

/* Calls that have come before, after which the id takes the call no more. */
static const struct {
	enum call_row row;
	enum live_id_call before;
	const char *text; /* after the name of the id */
} out_of_order[] = {
	{ ROW_rdma_bind_addr, LIVE_ID_LISTENS, "listens, and has an address" },
	{ ROW_rdma_bind_addr, LIVE_ID_RESOLVED, "has an address already (rdma_resolve_addr)" },
	{ ROW_rdma_bind_addr, LIVE_ID_BOUND, "has an address already (rdma_bind_addr)" },
	{ ROW_rdma_resolve_addr, LIVE_ID_LISTENS,
	  "listens, and an id that listens does not connect" },
	{ ROW_rdma_resolve_addr, LIVE_ID_RESOLVED, "has a peer already (rdma_resolve_addr)" },
	{ ROW_rdma_listen, LIVE_ID_LISTENS, "listens already" },
	{ ROW_rdma_listen, LIVE_ID_RESOLVED,
	  "has a peer (rdma_resolve_addr): an id that listens has only an address" },
	{ ROW_rdma_connect, LIVE_ID_CONNECTED,
	  "has connected before (rdma_connect): each connection has an id of its own" },
	{ ROW_rdma_accept, LIVE_ID_ACCEPTED, "is of a request that was accepted before" },
	{ ROW_rdma_accept, LIVE_ID_REJECTED, "is of a request that was rejected before" },
	{ ROW_rdma_reject, LIVE_ID_ACCEPTED, "is of a request that was accepted before" },
	{ ROW_rdma_reject, LIVE_ID_REJECTED, "is of a request that was rejected before" },
};

static const char *name_of_id(const struct refused_call *f)
{
	return live_program_name(f->p, f->r->args[0], f->r->end);
}

/* The id has been through a call that excludes this one. */
static void find_order(const struct refused_call *f)
{
	const struct live_object *id = live_object_at(f->p->seen, f->r->args[0]);

	for (size_t i = 0; id && i < sizeof out_of_order / sizeof *out_of_order; i++)
		if (out_of_order[i].row == record_call_row(f->r) &&
		    id->id_calls & out_of_order[i].before) {
			cause_add(f->c, IS_SO, NULL, "%s %s", name_of_id(f), out_of_order[i].text);
			return;
		}
}

/* An answer is given with the id that the event has brought. */
static bool is_of_no_request(const struct refused_call *f)
{
	const struct live_object *id = live_object_at(f->p->seen, f->r->args[0]);

	return id && id->made.fn == &call_table[ROW_rdma_create_id] &&
	       !(id->id_calls & LIVE_ID_CONNECTED);
}

static void add_no_request(const struct refused_call *f)
{
	cause_add(f->c, IS_SO, NULL,
		  "%s is of no request: %s takes the id of an event CONNECT_REQUEST", name_of_id(f),
		  f->r->fn->name);
}

/* ------------------------------------------------------------------ messages, devices -- */

/* How many bytes of private data fit into a message of this id: as many as the message of the CM
 * has, and in a request less the header of rdma_cm. */
static unsigned private_room(const struct rdma_cm_id *id, enum call_row row)
{
	const bool is_udp = id->ps == RDMA_PS_UDP || id->ps == RDMA_PS_IPOIB;

	switch (row) {
	case ROW_rdma_connect:
		return is_udp ? 180 : id->ps == RDMA_PS_IB ? 92 : 56;
	case ROW_rdma_accept:
		return is_udp ? 136 : 196;
	default:
		return is_udp ? 136 : 148;
	}
}

void why_message_refused(const struct rdma_cm_id *id, enum call_row row, size_t len,
			 struct causes *c)
{
	const unsigned room = private_room(id, row);

	if (len > room)
		cause_add(c, IS_SO, NULL,
			  "%zu bytes of private data: the message of %s has room for %u", len,
			  call_table[row].name, room);
}

void why_depths_refused(const struct rdma_cm_id *id, const struct rdma_conn_param *param,
			const struct ibv_device_attr *device, struct causes *c)
{
	if (id->ps != RDMA_PS_TCP)
		return;
	why_limit_passed(c, "responder_resources", param->responder_resources,
			 device->max_qp_rd_atom, "max_qp_rd_atom");
	why_limit_passed(c, "initiator_depth", param->initiator_depth, device->max_qp_init_rd_atom,
			 "max_qp_init_rd_atom");
}

static void check_param(const struct refused_call *f, const struct rdma_cm_id *id)
{
	const struct rdma_conn_param *param = (const void *)(uintptr_t)f->r->args[1];

	if (!param)
		return;
	why_message_refused(id, record_call_row(f->r), param->private_data_len, f->c);
	why_depths_refused(id, param, &f->p->limits.device, f->c);
}

static bool is_unspecified(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET)
		return ((const struct sockaddr_in *)sa)->sin_addr.s_addr == INADDR_ANY;
	return sa->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)sa)->sin6_addr);
}

/* The id has no device. */
static void find_no_device(const struct refused_call *f, const struct rdma_cm_id *id)
{
	const char *name = name_of_id(f);

	switch (record_call_row(f->r)) {
	case ROW_rdma_accept:
	case ROW_rdma_reject:
		add_no_request(f);
		break;
	case ROW_rdma_disconnect:
		cause_add(f->c, IS_SO, NULL, "%s is not connected", name);
		break;
	default:
		cause_add(
			f->c, IS_SO, NULL,
			is_unspecified(&id->route.addr.src_addr)
				? "%s is bound to all addresses, and so to no device: the id of each "
				  "CONNECT_REQUEST has one, not the id that listens"
				: "%s has no device yet: its address is not resolved "
				  "(rdma_resolve_addr), nor bound to one of this host",
			name);
	}
}

/* An id has one QP, of the type that its port space has. */
static void check_qp_of_id(const struct refused_call *f, const struct rdma_cm_id *id)
{
	const struct live_tracked_qp *qp = live_program_qp_of_id(f->p, f->r->args[0]);
	const struct ibv_qp_init_attr *init = (const void *)(uintptr_t)record_arg(f->r,
										  "qp_init_attr");

	if (qp)
		cause_add(f->c, IS_SO, NULL, "%s has %s already: an id has one QP", name_of_id(f),
			  qp->v.name);
	else if (init && (id->ps == RDMA_PS_UDP) != (init->qp_type == IBV_QPT_UD) &&
		 (id->ps == RDMA_PS_UDP || id->ps == RDMA_PS_TCP))
		cause_add(f->c, IS_SO, NULL, "qp_type is %s, and the port space of %s is %s",
			  word_name(qp_type_words, init->qp_type), name_of_id(f),
			  id->ps == RDMA_PS_UDP ? "RDMA_PS_UDP, whose QPs are UD"
						: "RDMA_PS_TCP, whose QPs are connected");
}

static void find_id(const struct refused_call *f)
{
	const struct rdma_cm_id *id = record_bytes(f->r, f->r->args[0], NULL);
	const unsigned row = record_call_row(f->r);

	if (!id)
		return;
	if (!id->verbs) {
		find_no_device(f, id);
		return;
	}
	find_order(f);
	switch (row) {
	case ROW_rdma_connect:
		if (!id->route.num_paths)
			cause_add(f->c, IS_SO, NULL,
				  "the route of %s is not resolved (rdma_resolve_route)",
				  name_of_id(f));
		check_param(f, id);
		break;
	case ROW_rdma_accept:
		if (is_of_no_request(f))
			add_no_request(f);
		check_param(f, id);
		break;
	case ROW_rdma_reject:
		if (is_of_no_request(f))
			add_no_request(f);
		why_message_refused(id, row, record_arg(f->r, "private_data_len"), f->c);
		break;
	case ROW_rdma_create_qp:
		check_qp_of_id(f, id);
		break;
	}
}

/* A connection was rejected, of an id whose calls wait for their events: it has the event. */
static void find_rejection(const struct refused_call *f)
{
	const struct rdma_cm_id *id = record_bytes(f->r, f->r->args[0], NULL);
	const struct rdma_cm_event *e = id ? record_bytes(f->r, (uintptr_t)id->event, NULL) : NULL;
	struct failed_event event;

	if (!e)
		return;
	event = (struct failed_event){ .event = e->event,
				       .status = e->status,
				       .to = &id->route.addr.dst_addr };
	if (why_event_fails(&event))
		why_event_failed(&event, f->c);
}

/* ------------------------------------------------------------------------- addresses -- */

static union ibv_gid gid_of_address(const struct sockaddr *sa)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (sa->sa_family == AF_INET)
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	else if (sa->sa_family == AF_INET6)
		memcpy(&gid, &((const struct sockaddr_in6 *)sa)->sin6_addr, sizeof gid);
	return gid;
}

const char *why_host(const struct sockaddr *sa)
{
	const union ibv_gid gid = gid_of_address(sa);
	const char *text = why_gid(&gid);

	return sa->sa_family == AF_INET ? strrchr(text, ':') + 1 : text;
}

static void note_user(void *arg, const struct live_object *user)
{
	(void)user;
	*(bool *)arg = true;
}

/* Another id of the process has the port; or none of its ids has. is_certain: the port is in use.
 */
static void find_port_user(const struct refused_call *f, uint16_t port, bool is_certain)
{
	bool is_used = false;
	const char *name;

	for (const struct live_object *o = f->p->seen; o; o = o->hh.next) {
		if (o->port != port || o->address == f->r->args[0])
			continue;
		name = live_program_name(f->p, o->address, f->r->end);
		live_objects_users(f->p->seen, o->address, note_user, &is_used);
		cause_add(f->c, IS_SO, temp_text("destroy %s%s", name, is_used ? " -cascade" : ""),
			  "port %u is in use: %s has it", port, name);
		return;
	}
	cause_add(f->c, is_certain ? IS_SO : MAY_BE, NULL,
		  "port %u is in use, and no id of this process has it", port);
}

/* An id cannot have this address and port. */
static void find_bind(const struct refused_call *f)
{
	const struct rdma_cm_id *id = record_bytes(f->r, f->r->args[0], NULL);
	const bool is_bind = record_call_row(f->r) != ROW_rdma_listen;
	const struct sockaddr *sa = is_bind ? (const void *)(uintptr_t)f->r->args[1]
				    : id    ? &id->route.addr.src_addr
					    : NULL;
	const struct live_object *bound = live_object_at(f->p->seen, f->r->args[0]);
	uint16_t port = sa ? live_port_of(sa) : 0;
	union ibv_gid gid;

	if (f->r->err == EINVAL)
		find_order(f);
	if (f->c->n)
		return;
	if (!is_bind && bound && bound->port)
		port = bound->port;
	if (sa && (sa->sa_family == AF_INET || sa->sa_family == AF_INET6) && !is_unspecified(sa)) {
		gid = gid_of_address(sa);
		if (!host_gid_is_own(&gid)) {
			cause_add(f->c, IS_SO, NULL, "%s is not an address of this machine",
				  why_host(sa));
			return;
		}
	}
	/* EADDRNOTAVAIL at all addresses: one of them has the port */
	if (port && (f->r->err == EADDRINUSE || f->r->err == EADDRNOTAVAIL))
		find_port_user(f, port, f->r->err == EADDRINUSE || (sa && is_unspecified(sa)));
	else if (f->r->err == EACCES)
		cause_add(f->c, IS_SO, NULL, "ports below 1024 need root (CAP_NET_BIND_SERVICE)");
}

/* There is no way to the address. */
static void find_resolve(const struct refused_call *f)
{
	const struct rdma_cm_id *id = record_bytes(f->r, f->r->args[0], NULL);
	const struct sockaddr *to = record_call_row(f->r) == ROW_rdma_resolve_addr
					    ? (const void *)(uintptr_t)f->r->args[2]
				    : id ? &id->route.addr.dst_addr
					 : NULL;

	if (to)
		why_no_way(to, f->r->err, f->c);
}

static void find_families(const struct refused_call *f)
{
	const struct sockaddr *from = (const void *)(uintptr_t)f->r->args[1],
			      *to = (const void *)(uintptr_t)f->r->args[2];
	const struct sockaddr_in6 *to_6 = (const void *)to;

	if (to && to->sa_family != AF_INET && to->sa_family != AF_INET6 && to->sa_family != AF_IB)
		cause_add(f->c, IS_SO, NULL,
			  "sa_family of dst_addr is %u, and not AF_INET, AF_INET6 or AF_IB",
			  to->sa_family);
	else if (to && to->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&to_6->sin6_addr) &&
		 !to_6->sin6_scope_id)
		cause_add(
			f->c, IS_SO, NULL,
			"dst_addr %s is a link-local address without sin6_scope_id, the index of the "
			"interface",
			why_host(to));
	else if (from && to && from->sa_family != to->sa_family)
		cause_add(f->c, IS_SO, NULL,
			  "src_addr and dst_addr are of different families: %s and %s",
			  why_host(from), why_host(to));
}

bool why_no_way(const struct sockaddr *to, int err, struct causes *c)
{
	const char *host;

	if (to->sa_family != AF_INET && to->sa_family != AF_INET6)
		return false;
	host = why_host(to);
	if (err == ETIMEDOUT || err == EHOSTUNREACH)
		cause_add(c, IS_SO, temp_text("!ping -c 1 %s", host),
			  "no neighbour answers for %s (ARP, neighbour discovery): it is down, or "
			  "not on this network",
			  host);
	else if (err == ENETUNREACH)
		cause_add(c, IS_SO, temp_text("!ip route get %s", host),
			  "this machine has no route to %s", host);
	else
		return false;
	return true;
}

const char *why_lookup_name(int result)
{
	static const struct {
		int value;
		const char *name;
	} errors[] = {
		{ EAI_NONAME, "EAI_NONAME" },	  { EAI_SERVICE, "EAI_SERVICE" },
		{ EAI_AGAIN, "EAI_AGAIN" },	  { EAI_FAIL, "EAI_FAIL" },
		{ EAI_FAMILY, "EAI_FAMILY" },	  { EAI_SOCKTYPE, "EAI_SOCKTYPE" },
		{ EAI_BADFLAGS, "EAI_BADFLAGS" }, { EAI_MEMORY, "EAI_MEMORY" },
		{ EAI_SYSTEM, "EAI_SYSTEM" },
	};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].value == result)
			return errors[i].name;
	return NULL;
}

const char *why_lookup_error(int result)
{
	const char *name = why_lookup_name(result);

	return name ? temp_text("%s  %s", name, gai_strerror(result)) : temp_text("%d", result);
}

static void find_lookup(const struct refused_call *f)
{
	cause_add(f->c, IS_SO, NULL, "getaddrinfo(3) says so of the name or the service: %s",
		  why_lookup_error((int)f->r->result));
}

/* --------------------------------------------------------------------- other arguments -- */

static void find_port_space(const struct refused_call *f)
{
	const unsigned ps = (unsigned)record_arg(f->r, "ps");

	if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IB && ps != RDMA_PS_IPOIB)
		cause_add(f->c, IS_SO, NULL, "ps 0x%x is no enum rdma_port_space", ps);
}

/* ---------------------------------------------------------------------------- all calls -- */

static const struct refused_rule rules[] = {
	{ ROW_rdma_create_id, EINVAL, find_port_space },
	{ ROW_rdma_create_qp, EINVAL, find_id },
	{ ROW_rdma_resolve_route, EINVAL, find_id },
	{ ROW_rdma_connect, EINVAL, find_id },
	{ ROW_rdma_connect, ECONNREFUSED, find_rejection },
	{ ROW_rdma_accept, EINVAL, find_id },
	{ ROW_rdma_reject, EINVAL, find_id },
	{ ROW_rdma_disconnect, EINVAL, find_id },
	{ ROW_rdma_join_multicast, 0, find_id },
	{ ROW_rdma_bind_addr, 0, find_bind },
	{ ROW_rdma_listen, 0, find_bind },
	{ ROW_rdma_resolve_addr, 0, find_bind },
	{ ROW_rdma_resolve_addr, 0, find_resolve },
	{ ROW_rdma_resolve_addr, EINVAL, find_families },
	{ ROW_rdma_resolve_route, 0, find_resolve },
	{ ROW_rdma_getaddrinfo, 0, find_lookup },
};

void why_id_call_refused(const struct refused_call *f)
{
	why_apply_rules(rules, sizeof rules / sizeof *rules, f);
}
