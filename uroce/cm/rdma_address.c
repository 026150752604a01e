/* SPDX-License-Identifier: MIT */
/* Addresses of ids: rdma_bind_addr(3), rdma_listen(3), rdma_resolve_addr(3),
 * rdma_resolve_route(3), rdma_get_src_port(3), rdma_getaddrinfo(3), rdma_resolve_addrinfo(3). An IP
 * address is a GID here: annex A17.8. */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "random.h"
#include "rdma_id.h"

#define BACKLOG_MAX	1024 /* the kernel's: net.rdma_ucm.max_backlog */
#define EPHEMERAL_FIRST 32768
#define EPHEMERAL_COUNT (61000 - EPHEMERAL_FIRST)

static bool is_loopback(const union ibv_gid *gid)
{
	return gid_is_ipv4(gid) ? gid->raw[12] == IN_LOOPBACKNET
				: IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)gid);
}

/* sa may be the id's own, filled in by the application. */
static void set_addr(struct sockaddr_storage *ss, const struct sockaddr *sa)
{
	const size_t n = addr_len(sa);

	memmove(ss, sa, n);
	memset((char *)ss + n, 0, sizeof(*ss) - n);
}

/* Makes a GID of the address; EINVAL: another family, or a link-local address that does not say its
 * link. */
static int read_addr(const struct sockaddr *sa, union ibv_gid *gid, uint32_t *scope)
{
	if (!sa)
		return fail(EINVAL);
	if (gid_of_sockaddr(gid, scope, sa) < 0)
		return fail(EINVAL);
	if (IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid) && !*scope)
		return fail(EINVAL);
	return 0;
}

/* Has a device that address, even if the host has it since a moment ago? */
static bool is_own(const union ibv_gid *gid, uint32_t scope)
{
	if (gid_find(gid, scope) >= 0)
		return true;
	gid_refresh();
	return gid_find(gid, scope) >= 0;
}

/* Can other hosts reach an address of this one? */
static bool is_reachable(void)
{
	for (unsigned i = 0; i < gid_count(); i++) {
		const struct gid_entry *e = gid_at(i);

		if (e && strcmp(e->ifname, "lo") != 0)
			return true;
	}
	return false;
}

/* To the kernel a loopback address is any address: it belongs to no device. Here it does, but for a
 * synchronous id without a port, which nobody can connect to. libfabric binds one to find out which
 * addresses a server may listen on; if that had a device, it would tell other hosts 127.0.0.1. */
static bool asks_for_any(const struct cm_id *id, const union ibv_gid *gid, uint16_t port)
{
	return id->sync && !port && is_loopback(gid) && is_reachable();
}

static int bind_locked(struct cm_id *id, const struct sockaddr *sa)
{
	struct sockaddr_storage *src = &id->v.route.addr.src_storage;
	union ibv_gid gid;
	uint32_t scope;
	uint16_t number;
	bool any;

	if (!id->channel || id->state != ID_IDLE)
		return fail(EINVAL);
	id_drop_source(id);
	if (read_addr(sa, &gid, &scope) < 0)
		return -1;
	any = gid_is_any(&gid);
	if (!any && !is_own(&gid, scope))
		return fail(EADDRNOTAVAIL);
	set_addr(src, sa);
	number = be16toh(*port_field(src));
	id->port = conn_port_bind((uint16_t)id->v.ps, &number, &gid,
				  gid_equal(&gid, &gid_any_ipv6) && !id->afonly, id->reuse);
	if (!id->port) {
		memset(src, 0, sizeof(*src));
		return -1;
	}
	if (!any && !asks_for_any(id, &gid, be16toh(*port_field(src))) &&
	    id_set_device(id, &gid, scope) < 0) {
		conn_port_leave(id->port, id);
		id->port = NULL;
		memset(src, 0, sizeof(*src));
		return -1;
	}
	*port_field(src) = htobe16(number);
	id->state = ID_BOUND;
	return 0;
}

EXPORT int rdma_bind_addr(struct rdma_cm_id *v, struct sockaddr *addr)
{
	SCOPED_ENGINE_LOCK();
	return bind_locked(to_cm_id(v), addr);
}

EXPORT int rdma_listen(struct rdma_cm_id *v, int backlog)
{
	static const struct sockaddr_in any = { .sin_family = AF_INET };
	struct cm_id *id = to_cm_id(v);

	SCOPED_ENGINE_LOCK();
	if (id->state == ID_IDLE && bind_locked(id, (const struct sockaddr *)&any) < 0)
		return -1;
	if (!id->channel || id->state != ID_BOUND || !id->port)
		return fail(EINVAL);
	if (conn_port_listen(id->port, id) < 0)
		return -1;
	id->backlog = backlog > 0 && backlog < BACKLOG_MAX ? (unsigned)backlog : BACKLOG_MAX;
	id->state = ID_LISTEN;
	return 0;
}

/* ------------------------------------------------------------- resolving -- */

/* An id that only connects needs no port that is known to others. */
static uint16_t ephemeral_port(void)
{
	uint16_t n;

	random_bytes(&n, sizeof(n));
	return (uint16_t)(EPHEMERAL_FIRST + n % EPHEMERAL_COUNT);
}

/* "Any" as a destination is this host. */
static void to_loopback(struct sockaddr_storage *ss)
{
	if (ss->ss_family == AF_INET)
		((struct sockaddr_in *)ss)->sin_addr.s_addr = htobe32(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)ss)->sin6_addr = in6addr_loopback;
}

/* The source as the application wants it: bound before, given now, or free. */
static int prepare_src(struct cm_id *id, const struct sockaddr *src, sa_family_t family)
{
	struct sockaddr_storage *ss = &id->v.route.addr.src_storage;
	union ibv_gid gid;
	uint32_t scope;

	if (id->state == ID_BOUND)
		return ss->ss_family == family ? 0 : fail(EINVAL);
	if (id->state != ID_IDLE)
		return fail(EINVAL);
	if (!src || src->sa_family == AF_UNSPEC) {
		memset(ss, 0, sizeof(*ss));
		ss->ss_family = family;
		return 0;
	}
	if (src->sa_family != family)
		return fail(EINVAL);
	if (read_addr(src, &gid, &scope) < 0)
		return -1;
	set_addr(ss, src);
	if (*port_field(ss))
		return bind_locked(id, src);
	if (gid_is_any(&gid))
		return 0;
	if (!is_own(&gid, scope))
		return fail(EADDRNOTAVAIL);
	return id_set_device(id, &gid, scope);
}

/* Our address on the way to dst, unless the application has chosen one. 0, or -1 with errno;
 * ENODEV: there is a way, but not for this device. */
static int choose_src(struct cm_id *id, const union ibv_gid *dgid, uint32_t scope)
{
	struct sockaddr_storage *ss = &id->v.route.addr.src_storage;
	const struct gid_entry *e;
	uint16_t port = be16toh(*port_field(ss));
	int position;

	if (id->v.verbs) { /* bound to one address */
		if (!id->scope && scope)
			id->scope = scope;
		return 0;
	}
	position = gid_route(&id->v.route.addr.dst_addr);
	if (position < 0)
		return -1;
	e = gid_at((unsigned)position);
	if (!e)
		return fail(ENODEV);
	if (!scope && (dgid->raw[0] == 0xff || IN6_IS_ADDR_LINKLOCAL((struct in6_addr *)dgid)))
		scope = e->ifindex;
	if (id_set_device(id, &e->gid, scope) < 0)
		return -1;
	gid_to_sockaddr(ss, &e->gid, scope, port);
	return 0;
}

static enum ibv_mtu path_mtu(const struct cm_id *id)
{
	const int position = gid_find(&id->sgid, id->scope);
	const struct gid_entry *e = position < 0 ? NULL : gid_at((unsigned)position);

	return e ? gid_path_mtu(e->mtu) : IBV_MTU_1024;
}

static void address_resolved(struct cm_id *id)
{
	id->state = ID_ADDR_RESOLVED;
	cm_event_post(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
}

/* --------------------------------------------------------- the neighbour -- */

/* An address is resolved, as by the kernel's device, when the next hop has answered the system's
 * ARP or neighbour discovery. A timer looks whether it has: soon at first, then less often. */
#define WAIT_FIRST 500000u    /* ns */
#define WAIT_MOST  100000000u /* ns */
#define ASK_AGAIN  1000000000u

void id_end_query(struct cm_id *id)
{
	timer_stop(&id->query);
}

void id_drop_source(struct cm_id *id)
{
	if (!id->source_failed)
		return;
	id->source_failed = false;
	id->v.verbs = NULL;
	id->v.pd = NULL;
	memset(&id->v.route.addr.src_storage, 0, sizeof(id->v.route.addr.src_storage));
}

static void no_answer(struct cm_id *id)
{
	id_end_query(id);
	id->state = id->before;
	id->source_failed = id->state == ID_IDLE;
	cm_event_post(id, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
}

static void look_for_neighbour(struct timer *t)
{
	struct cm_id *id = (struct cm_id *)((char *)t - offsetof(struct cm_id, query));
	const union ibv_gid *dgid = &id->v.route.addr.addr.ibaddr.dgid;
	uint64_t now = engine_now(), next;

	if (neighbour_known(dgid, id->scope)) {
		id_end_query(id);
		address_resolved(id);
		return;
	}
	if (now >= id->query_end) {
		no_answer(id);
		return;
	}
	if (now >= id->query_ask) {
		neighbour_ask(dgid, id->scope);
		id->query_ask = now + ASK_AGAIN;
	}
	next = now + id->query_wait;
	id->query_wait = 2 * id->query_wait < WAIT_MOST ? 2 * id->query_wait : WAIT_MOST;
	timer_set(t, next < id->query_end ? next : id->query_end);
}

static void begin_query(struct cm_id *id, int timeout_ms)
{
	id->before = id->state;
	id->state = ID_ADDR_QUERY;
	id->query.fn = look_for_neighbour;
	id->query_wait = WAIT_FIRST;
	id->query_ask = engine_now();
	id->query_end = id->query_ask + (timeout_ms < 0 ? INT_MAX : timeout_ms) * 1000000ull;
	look_for_neighbour(&id->query);
}

static bool is_silent(const struct cm_id *id)
{
	const union ibv_gid *dgid = &id->v.route.addr.addr.ibaddr.dgid;

	return !gid_is_here(dgid, id->scope) && !neighbour_known(dgid, id->scope);
}

static int resolve_locked(struct cm_id *id, const struct sockaddr *src, const struct sockaddr *dst,
			  int timeout_ms)
{
	struct sockaddr_storage *to = &id->v.route.addr.dst_storage;
	struct sockaddr_storage *from = &id->v.route.addr.src_storage;
	union ibv_gid dgid;
	uint32_t scope;

	if (!id->channel)
		return fail(EINVAL);
	id_drop_source(id);
	if (read_addr(dst, &dgid, &scope) < 0 || prepare_src(id, src, dst->sa_family) < 0)
		return -1;
	set_addr(to, dst);
	if (gid_is_any(&dgid)) {
		to_loopback(to);
		gid_of_sockaddr(&dgid, &scope, (struct sockaddr *)to);
	}
	if (choose_src(id, &dgid, scope) < 0) {
		if (errno != ENODEV)
			return -1;
		cm_event_post(id, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
		return 0;
	}
	if (!*port_field(from))
		*port_field(from) = htobe16(ephemeral_port());
	id->v.route.addr.addr.ibaddr.dgid = dgid;
	if (is_silent(id))
		begin_query(id, timeout_ms);
	else
		address_resolved(id);
	return 0;
}

EXPORT int rdma_resolve_addr(struct rdma_cm_id *v, struct sockaddr *src, struct sockaddr *dst,
			     int timeout_ms)
{
	bool sync;
	int r;

	engine_lock();
	sync = to_cm_id(v)->sync;
	r = resolve_locked(to_cm_id(v), src, dst, timeout_ms);
	engine_flush(); /* the thread learns of the timer */
	engine_unlock();
	return r < 0 || !sync ? r : id_complete(to_cm_id(v));
}

EXPORT int rdma_resolve_route(struct rdma_cm_id *v, int timeout_ms)
{
	struct cm_id *id = to_cm_id(v);
	bool sync;
	int r = 0;

	(void)timeout_ms;
	engine_lock();
	sync = id->sync;
	if (!id->channel || id->state != ID_ADDR_RESOLVED) {
		r = fail(EINVAL);
	} else {
		union ibv_gid dgid = v->route.addr.addr.ibaddr.dgid;

		id_set_path(id, &dgid, path_mtu(id));
		id->state = ID_ROUTE_RESOLVED;
		cm_event_post(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	}
	engine_unlock();
	return r < 0 || !sync ? r : id_complete(id);
}

/* ----------------------------------------------------------------- ports -- */

static __be16 port_or_0(struct sockaddr_storage *ss)
{
	return ss->ss_family == AF_INET || ss->ss_family == AF_INET6 ? *port_field(ss) : 0;
}

EXPORT __be16 rdma_get_src_port(struct rdma_cm_id *v)
{
	return port_or_0(&v->route.addr.src_storage);
}

EXPORT __be16 rdma_get_dst_port(struct rdma_cm_id *v)
{
	return port_or_0(&v->route.addr.dst_storage);
}

/* --------------------------------------------------- rdma_getaddrinfo(3) -- */

static const struct rdma_addrinfo no_hints = {
	.ai_qp_type = IBV_QPT_RC,
	.ai_port_space = RDMA_PS_TCP,
};

static struct sockaddr *copy_addr(const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr *copy = malloc(len);

	if (copy)
		memcpy(copy, sa, len);
	return copy;
}

/* Sets QP type and port space, and chooses those that the hints leave open. EAI_SOCKTYPE: they do
 * not go together (the manual calls it EAI_QPTYPE). */
static int set_types(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	r->ai_qp_type = hints->ai_qp_type;
	r->ai_port_space = hints->ai_port_space;
	if (!r->ai_qp_type)
		r->ai_qp_type = r->ai_port_space == RDMA_PS_UDP || r->ai_port_space == RDMA_PS_IPOIB
					? IBV_QPT_UD
					: IBV_QPT_RC;
	if (!r->ai_port_space)
		r->ai_port_space = r->ai_qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP;
	if ((r->ai_port_space == RDMA_PS_TCP && r->ai_qp_type == IBV_QPT_UD) ||
	    (r->ai_port_space == RDMA_PS_UDP && r->ai_qp_type != IBV_QPT_UD))
		return EAI_SOCKTYPE;
	return 0;
}

static int look_up(struct rdma_addrinfo *r, const char *node, const char *service,
		   const struct rdma_addrinfo *hints)
{
	struct addrinfo ask = { .ai_family = AF_UNSPEC }, *found;
	bool passive = hints->ai_flags & RAI_PASSIVE;
	struct sockaddr **addr = passive ? &r->ai_src_addr : &r->ai_dst_addr;
	int error;

	ask.ai_socktype = r->ai_qp_type == IBV_QPT_UD ? SOCK_DGRAM : SOCK_STREAM;
	ask.ai_flags = (passive ? AI_PASSIVE : 0) |
		       (hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0);
	if (hints->ai_flags & RAI_FAMILY)
		ask.ai_family = hints->ai_family;
	error = getaddrinfo(node, service, &ask, &found);
	if (error)
		return error;
	r->ai_family = found->ai_family;
	*addr = copy_addr(found->ai_addr, found->ai_addrlen);
	*(passive ? &r->ai_src_len : &r->ai_dst_len) = found->ai_addrlen;
	freeaddrinfo(found);
	return *addr ? 0 : EAI_MEMORY;
}

/* Without a node and a service: takes the addresses of the hints. */
static int take_dst(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	r->ai_family = hints->ai_family;
	if (!hints->ai_dst_len)
		return 0;
	r->ai_family = hints->ai_dst_addr->sa_family;
	r->ai_dst_addr = copy_addr(hints->ai_dst_addr, hints->ai_dst_len);
	r->ai_dst_len = hints->ai_dst_len;
	return r->ai_dst_addr ? 0 : EAI_MEMORY;
}

static int take_src(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	if (r->ai_src_len || !hints->ai_src_len)
		return 0;
	r->ai_src_addr = copy_addr(hints->ai_src_addr, hints->ai_src_len);
	r->ai_src_len = hints->ai_src_len;
	if (!r->ai_family)
		r->ai_family = hints->ai_src_addr->sa_family;
	return r->ai_src_addr ? 0 : EAI_MEMORY;
}

EXPORT int rdma_getaddrinfo(const char *node, const char *service,
			    const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	struct rdma_addrinfo *r;
	int error;

	if (!node && !service && !hints)
		return fail(EINVAL);
	if (!hints)
		hints = &no_hints;
	r = calloc(1, sizeof(*r));
	if (!r)
		return EAI_MEMORY;
	r->ai_flags = hints->ai_flags;
	error = set_types(r, hints);
	if (!error)
		error = node || service ? look_up(r, node, service, hints) : take_dst(r, hints);
	if (!error)
		error = take_src(r, hints);
	if (error) {
		rdma_freeaddrinfo(r);
		return error;
	}
	*res = r;
	return 0;
}

EXPORT void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	while (res) {
		struct rdma_addrinfo *next = res->ai_next;

		free(res->ai_src_addr);
		free(res->ai_dst_addr);
		free(res->ai_src_canonname);
		free(res->ai_dst_canonname);
		free(res->ai_route);
		free(res->ai_connect);
		free(res);
		res = next;
	}
}

/* The names are looked up within the call, as librdmacm does it. There is no subnet administration
 * to ask. */
EXPORT int rdma_resolve_addrinfo(struct rdma_cm_id *v, const char *node, const char *service,
				 const struct rdma_addrinfo *hints)
{
	struct cm_id *id = to_cm_id(v);
	struct rdma_addrinfo *found;
	struct cm_event *ev = NULL;
	int error, err = 0;
	bool sync;

	if (!v)
		return fail(EINVAL);
	if (hints && hints->ai_flags & CM_RAI_SA)
		return fail(ENOTSUP);
	error = rdma_getaddrinfo(node, service, hints, &found);
	if (error) /* EAI_... are no errnos */
		return error == -1 ? -1 : fail(error == EAI_MEMORY ? ENOMEM : EADDRNOTAVAIL);
	engine_lock();
	sync = id->sync;
	if (!id->channel)
		err = EINVAL;
	else if (id->resolved)
		err = EBUSY;
	else if (!(ev = cm_event_new(id, CM_EVENT_ADDRINFO_RESOLVED, 0)))
		err = ENOMEM;
	if (!err) {
		id->resolved = found;
		cm_channel_put(ev);
	}
	engine_unlock();
	if (err) {
		rdma_freeaddrinfo(found);
		return fail(err);
	}
	return sync ? id_complete(id) : 0;
}

EXPORT int rdma_query_addrinfo(struct rdma_cm_id *v, struct rdma_addrinfo **info)
{
	struct cm_id *id = to_cm_id(v);

	if (!v || !info)
		return fail(EINVAL);
	SCOPED_ENGINE_LOCK();
	if (!id->resolved)
		return fail(ENOENT);
	*info = id->resolved;
	id->resolved = NULL;
	return 0;
}
