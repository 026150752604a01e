/* SPDX-License-Identifier: MIT */
/*
 * Parsing and formatting addresses. Numeric addresses are tried before names: only a name needs a
 * name server, which is the only wait outside of the event loop.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "connection/cm_addr.h"
#include "device/device.h"
#include "objects.h"
#include "session.h"

bool cm_addr_network(void)
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

static void wildcard_addr(int family, uint16_t port, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)(void *)ss;

	if (family == AF_INET6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
	}
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
	if (!host || strcmp(host, "*") == 0) {
		wildcard_addr(family, port, ss);
		return 0;
	}
	snprintf(service, sizeof service, "%u", port);
	rc = getaddrinfo(host, service, &hints, &found);
	if (rc && !strpbrk(host, ":[]% ")) {
		hints.ai_flags = AI_NUMERICSERV;
		rc = getaddrinfo(host, service, &hints, &found);
	}
	if (rc)
		return bad_host(s, host, gai_strerror(rc));
	memcpy(ss, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	if (needs_scope(ss))
		return bad_host(s, host, "a link-local address is on every interface");
	return 0;
}

uint16_t cm_addr_port(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)(const void *)sa)->sin6_port);
	if (sa->sa_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)(const void *)sa)->sin_port);
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

/* Returns one of several buffers in turn, so that one message can use several addresses. */
static char *next_buffer(void)
{
	static char buffers[4][96];
	static unsigned next;

	return buffers[next++ % 4];
}

const char *cm_addr_host(const struct sockaddr *sa)
{
	socklen_t len = sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	char *text = next_buffer();

	if ((sa->sa_family != AF_INET && sa->sa_family != AF_INET6) ||
	    getnameinfo(sa, len, text, 96, NULL, 0, NI_NUMERICHOST))
		snprintf(text, 96, "-");
	return text;
}

const char *cm_addr_text(const struct sockaddr *sa)
{
	const char *host = cm_addr_host(sa);
	bool v6 = sa->sa_family == AF_INET6;
	char *text = next_buffer();

	if (sa->sa_family != AF_INET && !v6)
		return host;
	snprintf(text, 96, "%s%.72s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", cm_addr_port(sa));
	return text;
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
