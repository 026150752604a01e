/* SPDX-License-Identifier: MIT */
/*
 * Addresses: parsing, formatting, and why one did not work. A host is first parsed as a numeric
 * address. Only a name needs a name server, which is the only wait outside the event loop.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "call/calling.h"
#include "call_record.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "live_program.h"
#include "object_make.h"
#include "objects.h"
#include "refused_calls.h"
#include "session.h"
#include "why.h"

/* Does any interface that is up have an IP address, including the loopback? */
static bool cm_addr_network(void)
{
	struct ifaddrs *all = NULL;
	bool up = false;

	if (getifaddrs(&all) == 0)
		for (const struct ifaddrs *i = all; i && !up; i = i->ifa_next)
			up = i->ifa_addr && i->ifa_flags & IFF_UP &&
			     (i->ifa_addr->sa_family == AF_INET ||
			      i->ifa_addr->sa_family == AF_INET6);
	freeifaddrs(all);
	return up;
}

/* Fails because what, an address of this machine, is missing; also reports if no interface is up.
 * Returns -1. */
static int cm_addr_none(struct session *s, const char *what)
{
	if (cm_addr_network())
		return fail(s, "args", "BADVALUE", "%s is empty: the device has no IP address",
			    what);
	fail(s, "args", "BADVALUE", "no network interface is up, not even the loopback lo");
	return fail_next(s, "!ip link set lo up");
}

static int bad_host(struct session *s, const char *host, const char *why)
{
	const char *colon = strrchr(host, ':');

	if (!*host)
		return cm_addr_none(s, "the address to connect to");
	fail(s, "args", "BADVALUE", "'%s' is not a host: %s", host, why);
	if (*host == '[')
		fail_row(s, "note", "IPv6 addresses are written without brackets");
	else if (colon && strchr(host, ':') == colon)
		fail_row(s, "note", "the port is a word of its own: %.*s %s", (int)(colon - host),
			 host, colon + 1);
	else if (strchr(host, ':'))
		fail_row(s, "note", "name the interface: fe80::1%%eth0");
	else
		fail_row(s, "hosts", "are 10.0.0.1, fd00::1, fe80::1%%eth0 or a name");
	return -1;
}

static bool needs_scope(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;

	return ss->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	       !in6->sin6_scope_id;
}

int cm_addr_parse(struct session *s, const char *host, uint16_t port, int family,
		  struct sockaddr_storage *ss)
{
	struct addrinfo hints = { .ai_family = family,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char service[8];
	int rc;

	memset(ss, 0, sizeof *ss);
	if (host && strcmp(host, "*") == 0)
		host = NULL;
	if (!host) {
		hints.ai_flags |= AI_PASSIVE;
		hints.ai_family = family == AF_INET6 ? AF_INET6 : AF_INET;
	}
	snprintf(service, sizeof service, "%u", port);
	rc = getaddrinfo(host, service, &hints, &found);
	if (rc && host && !strpbrk(host, ":[]% ")) {
		hints.ai_flags = AI_NUMERICSERV;
		rc = getaddrinfo(host, service, &hints, &found);
	}
	if (rc)
		return bad_host(s, host ? host : "*", gai_strerror(rc));
	memcpy(ss, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	if (needs_scope(ss))
		return bad_host(s, host, "a link-local address is on every interface");
	return 0;
}

bool cm_addr_any(const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in = (const void *)sa;

	if (sa->sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
	return sa->sa_family != AF_INET || in->sin_addr.s_addr == htonl(INADDR_ANY);
}

/* Do both have the same IP address? Either may be NULL; ports do not count. */
static bool cm_addr_same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (!a || !b || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET6)
		return memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof a6->sin6_addr) == 0;
	return a->sa_family == AF_INET && a4->sin_addr.s_addr == b4->sin_addr.s_addr;
}

const char *cm_addr_host(const struct sockaddr *sa)
{
	char host[NI_MAXHOST];

	if ((sa->sa_family != AF_INET && sa->sa_family != AF_INET6) ||
	    getnameinfo(sa, (socklen_t)call_sockaddr_len(sa), host, sizeof host, NULL, 0,
			NI_NUMERICHOST))
		return "-";
	return temp_text("%s", host);
}

const char *cm_addr_text(const struct sockaddr *sa)
{
	const char *host = cm_addr_host(sa);
	bool v6 = sa->sa_family == AF_INET6;

	if (sa->sa_family != AF_INET && !v6)
		return host;
	return temp_text("%s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", live_port_of(sa));
}

/* The address and port at which both ends of a lesson connect in one process. */

#define FIRST_PORT 7471
#define PORTS	   100

_Static_assert(sizeof(((struct meeting *)NULL)->address) >= DEV_ADDR_LEN, "room for an address");

/* Is the port free in the connection manager's port space? Only the manager knows, so this binds an
 * id to it. The calls are not traced. */
static bool is_free(uint16_t port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct rdma_cm_id *id;
	bool is;

	record_aside(1);
	is = rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) == 0;
	if (is) {
		is = rdma_bind_addr(id, (struct sockaddr *)&any) == 0 && rdma_listen(id, 1) == 0;
		rdma_destroy_id(id);
	}
	record_aside(-1);
	return is;
}

int cm_meet(struct session *s, struct meeting *m)
{
	bool trace = s->opt.trace;
	struct dev *dev;

	s->opt.trace = false; /* the user did not ask for these calls */
	dev = dev_default(s);
	s->opt.trace = trace;
	if (!dev)
		return -1;
	dev_addr(dev, m->address);
	if (!*m->address)
		return cm_addr_none(s, "the address of the device");
	for (m->port = FIRST_PORT; m->port < FIRST_PORT + PORTS; m->port++)
		if (is_free(m->port))
			return 0;
	return fail(s, "lesson", "EADDRINUSE", "the ports %d to %d are all taken", FIRST_PORT,
		    FIRST_PORT + PORTS - 1);
}

/*
 * Why an address did not work, from the current state of the system: the route to it, and the
 * interfaces that have an RDMA device.
 */

/* The interface that has this address, or "". */
static void owner_of(const struct sockaddr *sa, char *netdev)
{
	struct ifaddrs *all;

	*netdev = 0;
	if (getifaddrs(&all))
		return;
	for (struct ifaddrs *i = all; i; i = i->ifa_next)
		if (cm_addr_same_host(i->ifa_addr, sa))
			snprintf(netdev, IF_NAMESIZE, "%s", i->ifa_name);
	freeifaddrs(all);
}

/* The interface through which packets to dst leave, and their source address. */
static void route_to(const struct sockaddr *dst, char *netdev, struct sockaddr_storage *from)
{
	socklen_t len = sizeof *from;
	int fd = socket(dst->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*netdev = 0;
	memset(from, 0, sizeof *from);
	if (fd < 0)
		return;
	if (connect(fd, dst, (socklen_t)call_sockaddr_len(dst)) == 0 &&
	    getsockname(fd, (struct sockaddr *)from, &len) == 0)
		owner_of((struct sockaddr *)from, netdev);
	close(fd);
}

/* Appends "rxe0 on eth0, ...". True: netdev is one of them. */
static bool rdma_netdevs(const char *netdev, struct text *list)
{
	struct ibv_context **all;
	bool found = false;
	int n = 0;

	record_aside(1);
	all = rdma_get_devices(&n);
	for (int i = 0; all && i < n; i++) {
		char name[IF_NAMESIZE];
		struct ibv_gid_entry e;

		if (ibv_query_gid_ex(all[i], 1, 0, &e, 0) || !if_indextoname(e.ndev_ifindex, name))
			continue;
		found = found || strcmp(name, netdev) == 0;
		xappendf(list, "%s%s on %s", text_len(list) ? ", " : "",
			 ibv_get_device_name(all[i]->device), name);
	}
	if (all)
		rdma_free_devices(all);
	record_aside(-1);
	return found;
}

/* An address of the first interface that has an RDMA device, for "use ... instead". */
static bool rdma_address(int family, struct sockaddr_storage *sa)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		SCOPED_TEXT(list);

		if (!i->ifa_addr || i->ifa_addr->sa_family != family)
			continue;
		found = rdma_netdevs(i->ifa_name, &list);
		if (found)
			memcpy(sa, i->ifa_addr, call_sockaddr_len(i->ifa_addr));
	}
	freeifaddrs(all);
	return found;
}

static void explain_no_device(struct session *s, const struct sockaddr *sa, const char *netdev)
{
	struct sockaddr_storage other;
	bool loopback = strcmp(netdev, "lo") == 0;
	SCOPED_TEXT(list);
	bool has;

	has = rdma_netdevs(netdev, &list);
	fail_row(s, "devices", "%s",
		 text_len(&list) ? text_str(&list) : "none on any network interface");
	if (*netdev && !has)
		fail_row(s, "cause", "%s is reached by way of %s, which has no RDMA device",
			 cm_addr_host(sa), netdev);
	if (!text_len(&list))
		fail_next(s, "!rdma link add rxe0 type rxe netdev eth0");
	else if (loopback && rdma_address(sa->sa_family, &other))
		fail_row(s, "remedy", "use an address of an interface with a device: %s",
			 cm_addr_host((struct sockaddr *)&other));
	else if (*netdev && !has && !loopback)
		fail_next(s, "!rdma link add rxe_%s type rxe netdev %s", netdev, netdev);
}

void cm_explain_resolve(struct session *s, const struct sockaddr *src, const struct sockaddr *dst,
			int err)
{
	struct sockaddr_storage from;
	char netdev[IF_NAMESIZE], own[IF_NAMESIZE] = "";
	struct causes c = { 0 };

	route_to(dst, netdev, &from);
	if (src && !cm_addr_any(src))
		owner_of(src, own);
	if (*netdev)
		fail_row(s, "route", "%s by way of %s from %s", cm_addr_host(dst), netdev,
			 cm_addr_host((struct sockaddr *)&from));
	else
		fail_row(s, "route", "none to %s", cm_addr_host(dst));
	if (src && !cm_addr_any(src) && !*own) {
		fail_row(s, "cause", "%s is not an address of this machine", cm_addr_host(src));
	} else if (err == ENODEV || err == EADDRNOTAVAIL) {
		explain_no_device(s, *own ? src : dst, *own ? own : netdev);
	} else if (err == ENETUNREACH && !cm_addr_network()) {
		fail_row(s, "cause", "no interface is up, not even the loopback, lo");
		fail_next(s, "!ip link set lo up");
	} else {
		why_no_way(dst, err, &c);
		call_fail_causes(s, &c);
		causes_free(&c);
	}
}

int cm_fail_bind(struct session *s, const struct sockaddr *sa)
{
	const int err = call_errno();
	char netdev[IF_NAMESIZE] = "";

	call_fail(s, "%s", cm_addr_text(sa));
	call_fail_why(s);
	if (!cm_addr_any(sa))
		owner_of(sa, netdev);
	if (err == EADDRINUSE || (err == EADDRNOTAVAIL && (cm_addr_any(sa) || *netdev)))
		fail_row(s, "remedy", "choose another port; '!%s' lists who has it",
			 embedded_is_used() ? "uroce status" : "rdma resource show cm_id");
	else if (err == ENODEV)
		explain_no_device(s, sa, netdev);
	return -1;
}
