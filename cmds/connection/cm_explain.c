/* SPDX-License-Identifier: MIT */
/* Why an event of the connection manager came, and why an address did not work. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "call_record.h"
#include "connection/cm_addr.h"
#include "connection/cm_id.h"
#include "launch.h"
#include "objects.h"
#include "session.h"
#include "words.h"

/*
 * Why an address did not work, from the current state of the system: the route to it, and the
 * interfaces that have an RDMA device.
 */

static socklen_t sockaddr_len(const struct sockaddr *sa)
{
	return sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static bool same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (!a || !b || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET6)
		return memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof a6->sin6_addr) == 0;
	return a->sa_family == AF_INET && a4->sin_addr.s_addr == b4->sin_addr.s_addr;
}

/* The interface that has this address, or "". */
static void owner_of(const struct sockaddr *sa, char *netdev)
{
	struct ifaddrs *all;

	*netdev = 0;
	if (getifaddrs(&all))
		return;
	for (struct ifaddrs *i = all; i; i = i->ifa_next)
		if (same_host(i->ifa_addr, sa))
			snprintf(netdev, IF_NAMESIZE, "%s", i->ifa_name);
	freeifaddrs(all);
}

/* The interface packets to dst leave by, and the address they would carry. */
static void route_to(const struct sockaddr *dst, char *netdev, struct sockaddr_storage *from)
{
	socklen_t len = sizeof *from;
	int fd = socket(dst->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*netdev = 0;
	memset(from, 0, sizeof *from);
	if (fd < 0)
		return;
	if (connect(fd, dst, sockaddr_len(dst)) == 0 &&
	    getsockname(fd, (struct sockaddr *)from, &len) == 0)
		owner_of((struct sockaddr *)from, netdev);
	close(fd);
}

/* Appends "rxe0 on eth0, ...". True: netdev is one of them. */
static bool rdma_netdevs(const char *netdev, Tcl_DString *list)
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
		xappendf(list, "%s%s on %s", Tcl_DStringLength(list) ? ", " : "",
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
		Tcl_DString list;

		if (!i->ifa_addr || i->ifa_addr->sa_family != family)
			continue;
		Tcl_DStringInit(&list);
		found = rdma_netdevs(i->ifa_name, &list);
		Tcl_DStringFree(&list);
		if (found)
			memcpy(sa, i->ifa_addr, sockaddr_len(i->ifa_addr));
	}
	freeifaddrs(all);
	return found;
}

static void explain_no_device(struct session *s, const struct sockaddr *sa, const char *netdev)
{
	struct sockaddr_storage other;
	bool loopback = strcmp(netdev, "lo") == 0;
	Tcl_DString list;
	bool has;

	Tcl_DStringInit(&list);
	has = rdma_netdevs(netdev, &list);
	fail_row(s, "devices", "%s",
		 Tcl_DStringLength(&list) ? Tcl_DStringValue(&list)
					  : "none on any network interface");
	if (*netdev && !has)
		fail_row(s, "cause", "%s is reached by way of %s, which has no RDMA device",
			 cm_addr_host(sa), netdev);
	if (!Tcl_DStringLength(&list))
		fail_next(s, "!rdma link add rxe0 type rxe netdev eth0");
	else if (loopback && rdma_address(sa->sa_family, &other))
		fail_row(s, "remedy", "use an address of an interface with a device: %s",
			 cm_addr_host((struct sockaddr *)&other));
	else if (*netdev && !has && !loopback)
		fail_next(s, "!rdma link add rxe_%s type rxe netdev %s", netdev, netdev);
	Tcl_DStringFree(&list);
}

void cm_explain_resolve(struct session *s, const struct sockaddr *src, const struct sockaddr *dst,
			int err)
{
	struct sockaddr_storage from;
	char netdev[IF_NAMESIZE], own[IF_NAMESIZE] = "";

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
		return;
	}
	switch (err) {
	case ENODEV:
	case EADDRNOTAVAIL:
		explain_no_device(s, *own ? src : dst, *own ? own : netdev);
		break;
	case ETIMEDOUT:
	case EHOSTUNREACH:
		fail_row(s, "cause",
			 "no answer to ARP or neighbour discovery: %s is down, or not on "
			 "this network",
			 cm_addr_host(dst));
		fail_next(s, "!ping -c 1 %s", cm_addr_host(dst));
		break;
	case ENETUNREACH:
		if (!cm_addr_network()) {
			fail_row(s, "cause", "no interface is up, not even the loopback, lo");
			fail_next(s, "!ip link set lo up");
			break;
		}
		fail_row(s, "cause", "this machine has no route to that network");
		fail_next(s, "!ip route get %s", cm_addr_host(dst));
		break;
	default:
		break;
	}
}

/* The id of this session that listens on or is bound to the port. */
static struct id *ours_on(struct session *s, uint16_t port)
{
	struct obj *o;

	obj_foreach_of(o, s, &id_class) {
		struct id *id = (struct id *)o;

		if (id->v && !id->listener &&
		    (id->state == ID_LISTENING || id->state == ID_BOUND) &&
		    ntohs(rdma_get_src_port(id->v)) == port)
			return id;
	}
	return NULL;
}

void cm_explain_bind(struct session *s, const struct sockaddr *sa, int err)
{
	uint16_t port = cm_addr_port(sa);
	struct id *id = port ? ours_on(s, port) : NULL;
	char netdev[IF_NAMESIZE] = "";

	if (!cm_addr_any(sa))
		owner_of(sa, netdev);
	if (!cm_addr_any(sa) && !*netdev) {
		fail_row(s, "cause", "%s is not an address of this machine", cm_addr_host(sa));
	} else if (id) {
		fail_row(s, "cause", "port %u is in use: %s has it", port, id->o.name);
		fail_next(s, "destroy %s", id->o.name);
	} else if (err == EADDRINUSE || (err == EADDRNOTAVAIL && port)) {
		fail_row(s, "cause", "port %u is in use by another program", port);
		fail_row(s, "remedy", "choose another port; '!%s' lists who has it",
			 launch_loaded() ? "uroce status" : "rdma resource show cm_id");
	} else if (err == ENODEV) {
		explain_no_device(s, sa, netdev);
	} else if (err == EACCES) {
		fail_row(s, "cause", "ports below 1024 need root (CAP_NET_BIND_SERVICE)");
	}
}

/*
 * What an event that ends an attempt means. The status of REJECTED is a reason of the
 * InfiniBand CM, no errno (strerror(28) would say "No space left on device"); iWARP puts
 * a negative errno there.
 */

/* Statuses of a SIDR response: UNREACHABLE of a UD id. */
static const struct word sidr_words[] = { { "UNSUPPORTED", 1, "the service is not supported" },
					  { "REJECT", 2, "the server program rejected it" },
					  { "NO_QP", 3, "the server has no QP for it" },
					  { "REDIRECT", 4, "redirected" },
					  { "UNSUPPORTED_VERSION", 5, "version not supported" },
					  { 0 } };

/* The table of a positive status; NULL: it has none. */
static const struct word *reject_reasons(const struct id *id, const struct cm_event *ev)
{
	if (ev->status <= 0)
		return NULL;
	if (id_is_ud(id))
		return sidr_words;
	return ev->type == RDMA_CM_EVENT_REJECTED ? rej_words : NULL;
}

const char *cm_status_text(const struct id *id, const struct cm_event *ev)
{
	static char buffers[4][64];
	static unsigned next;
	const struct word *words = reject_reasons(id, ev);
	char *text = buffers[next++ % 4];
	const char *name = words ? args_word_name(words, (uint64_t)ev->status)
				 : strerrorname_np(abs(ev->status));

	if (!ev->status)
		name = NULL;
	snprintf(text, sizeof buffers[0], "%d%s%s", ev->status, name ? " " : "", name ? name : "");
	return text;
}

static void explain_data(struct session *s, const struct cm_event *ev)
{
	char hex[3 * 48 + 8], text[52];
	size_t n = ev->len, at = 0;

	while (n && !ev->data[n - 1])
		n--;
	if (!n)
		return;
	for (size_t i = 0; i < n && i < 48; i++) {
		at += (size_t)snprintf(hex + at, sizeof hex - at, "%02x ", ev->data[i]);
		text[i] = ev->data[i] >= 0x20 && ev->data[i] < 0x7f ? (char)ev->data[i] : '.';
	}
	text[n < 48 ? n : 48] = 0;
	fail_row(s, "data", "%s %s%s", hex, text, n > 48 ? " ..." : "");
}

static void explain_reject(struct session *s, struct id *id, const struct cm_event *ev)
{
	const char *peer = id_peer(id);
	uint16_t port = cm_addr_port(rdma_get_peer_addr(id->v));

	switch (ev->status) {
	case 8:
		fail_row(s, "remedy",
			 "start the server first ('listen %u' there), or check port, address and "
			 "port space (%s)",
			 port, word_name(ps_words, id->ps));
		break;
	case 28:
		fail_row(s, "cause",
			 "the program at %s called rdma_reject, failed before it accepted, "
			 "or ended",
			 peer);
		fail_row(s, "remedy", "look at the server; it may say why in the private data");
		break;
	case 10:
		fail_row(s, "cause", "%s still has an old connection with this QP number", peer);
		fail_row(s, "remedy", "wait until its time-wait is over, and connect again");
		break;
	case 4:
		fail_row(s, "cause", "the program at %s got the request and did not answer in time",
			 peer);
		break;
	default:
		break;
	}
}

static int fail_rejected(struct session *s, struct id *id, const char *call,
			 const struct cm_event *ev)
{
	const struct word *words = reject_reasons(id, ev);
	const char *help = words ? word_help(words, (uint64_t)ev->status) : NULL;

	if (ev->status < 0) /* iWARP */
		help = strerror(-ev->status);
	if (ev->status == 8 && words == rej_words)
		help = "nobody listens on that port there";
	fail(s, call, "REJECTED", "%s: %s REJECTED by %s: %s%s%s", call, id->o.name, id_peer(id),
	     cm_status_text(id, ev), help ? ": " : "", help ? help : "");
	if (words == rej_words)
		explain_reject(s, id, ev);
	else if (words && ev->status == 1)
		fail_row(s, "likely", "nobody listens on that port in port space %s",
			 word_name(ps_words, id->ps));
	explain_data(s, ev);
	return -1;
}

static int unreachable(struct session *s, struct id *id, const char *call,
		       const struct cm_event *ev)
{
	const struct word *words = reject_reasons(id, ev);

	if (words)
		return fail_rejected(s, id, call, ev);
	fail(s, call, "UNREACHABLE", "%s: %s UNREACHABLE: %s does not answer: %s", call, id->o.name,
	     id_peer(id), cm_status_text(id, ev));
	fail_row(s, "likely", "a firewall drops UDP port 4791, or %s has no RDMA device",
		 cm_addr_host(rdma_get_peer_addr(id->v)));
	return fail_next(s, "!ping -c 1 %s", cm_addr_host(rdma_get_peer_addr(id->v)));
}

int cm_explain(struct session *s, struct id *id, const char *call, const struct cm_event *ev)
{
	const char *name = word_name(cm_event_words, ev->type);

	switch (ev->type) {
	case RDMA_CM_EVENT_REJECTED:
		return fail_rejected(s, id, call, ev);
	case RDMA_CM_EVENT_UNREACHABLE:
		return unreachable(s, id, call, ev);
	case RDMA_CM_EVENT_ADDR_ERROR:
		fail(s, call, name, "%s: %s ADDR_ERROR: %s: %s", call, id->o.name,
		     cm_status_text(id, ev), strerror(abs(ev->status)));
		cm_explain_resolve(s, rdma_get_local_addr(id->v), rdma_get_peer_addr(id->v),
				   abs(ev->status));
		return -1;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		fail(s, call, name, "%s: %s ROUTE_ERROR: %s: %s", call, id->o.name,
		     cm_status_text(id, ev), strerror(abs(ev->status)));
		if (ev->status == -ENODEV)
			cm_explain_resolve(s, rdma_get_local_addr(id->v), rdma_get_peer_addr(id->v),
					   ENODEV);
		else
			fail_row(s, "likely", "on InfiniBand: the subnet manager does not answer");
		return -1;
	case RDMA_CM_EVENT_DISCONNECTED:
		fail(s, call, name, "%s: %s DISCONNECTED: %s has gone", call, id->o.name,
		     id_peer(id));
		return fail_row(s, "remedy", "an id and its QP are used once: connect again");
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		fail(s, call, name, "%s: the device of %s is being removed", call, id->o.name);
		return fail_next(s, "destroy %s -cascade", id->o.name);
	default:
		break;
	}
	return fail(s, call, name, "%s: %s %s: %s: %s", call, id->o.name, name,
		    cm_status_text(id, ev),
		    ev->status < 0 ? strerror(-ev->status) : "no reason given");
}
