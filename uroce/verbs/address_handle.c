/* SPDX-License-Identifier: MIT */
/*
 * Where datagrams go, and where they come from. Address handles: ibv_create_ah(3),
 * ibv_init_ah_from_wc(3), volume 1, 11.2.2, annex A17.8 (GIDs are IP addresses). Multicast groups:
 * ibv_attach_mcast(3).
 */
#include <endian.h>
#include <errno.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "queue_pair.h"
#include "export.h"
#include "gid.h"
#include "group.h"

#define HOPS	  64 /* of routes, when nobody says otherwise */
#define HOPS_NEAR 1  /* multicast that does not say how far it is to go */

static unsigned ah_count;

static const struct in6_addr *to_in6(const union ibv_gid *gid)
{
	return (const struct in6_addr *)gid;
}

/* Neither :: nor 0.0.0.0 nor 255.255.255.255. */
static bool is_somebody(const union ibv_gid *gid)
{
	uint32_t v4;

	if (!gid_is_ipv4(gid))
		return !IN6_IS_ADDR_UNSPECIFIED(to_in6(gid));
	memcpy(&v4, gid->raw + 12, sizeof v4);
	return v4 != INADDR_ANY && v4 != INADDR_BROADCAST;
}

/* 0, or an errno: the host has no route there. */
static int check_route(const struct flow *flow)
{
	struct sockaddr_storage ss;

	gid_to_sockaddr(&ss, &flow->dgid, flow->scope, ROCE_PORT);
	if (gid_route((struct sockaddr *)&ss) < 0 &&
	    (errno == ENETUNREACH || errno == EHOSTUNREACH))
		return errno;
	return 0;
}

/* An IPv4 address reaches a multicast group that is no IPv4 address (perftest's is
 * ff01:0:2:c985::) from an IPv6 address of the same interface. NULL: the interface has none. */
static const struct gid_entry *ipv6_beside(const struct gid_entry *e)
{
	for (unsigned i = 0; i < gid_count(); i++) {
		const struct gid_entry *other = gid_at(i);

		if (other && other->ifindex == e->ifindex && !gid_is_ipv4(&other->gid))
			return other;
	}
	return NULL;
}

int av_flow(struct flow *flow, unsigned device, const struct ibv_ah_attr *a)
{
	const union ibv_gid *dgid = &a->grh.dgid;
	const struct gid_entry *e;
	bool multicast = gid_is_multicast(dgid);

	if (!a->is_global || a->port_num != 1 || a->grh.sgid_index >= GID_ENTRIES)
		return EINVAL;
	e = gid_at(gid_position(device, a->grh.sgid_index));
	if (!e)
		return ENODATA;
	if (multicast && gid_is_ipv4(&e->gid) && !gid_is_ipv4(dgid))
		e = ipv6_beside(e);
	if (!e || gid_is_ipv4(&e->gid) != gid_is_ipv4(dgid) || !is_somebody(dgid))
		return EINVAL;
	*flow = (struct flow){
		.sgid = e->gid,
		.dgid = *dgid,
		.tclass = a->grh.traffic_class,
		/* as the kernel, takes that of the route: applications say 1 and mean any */
		.hops = HOPS,
	};
	if (multicast)
		flow->hops = a->grh.hop_limit ? a->grh.hop_limit : HOPS_NEAR;
	if (multicast || IN6_IS_ADDR_LINKLOCAL(to_in6(dgid)))
		flow->scope = e->ifindex;
	return multicast ? 0 : check_route(flow);
}

static int ah_begin(struct ah *ah, const struct ibv_ah_attr *attr)
{
	static uint32_t handles;
	int err;

	SCOPED_ENGINE_LOCK();
	if (context_failed(ah->v.context))
		return EIO;
	err = ah_count < MAX_AH ? av_flow(&ah->flow, context_device(ah->v.context), attr) : ENOMEM;
	if (err)
		return err;
	ah_count++;
	ah->pd->users++;
	ah->v.handle = ++handles;
	return 0;
}

EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ah *ah = calloc(1, sizeof *ah);
	int err;

	if (!ah)
		return NULL;
	ah->v.context = pd->context;
	ah->v.pd = pd;
	ah->pd = to_pd(pd);
	err = ah_begin(ah, attr);
	if (!err)
		return &ah->v;
	free(ah);
	return fail_null(err);
}

EXPORT int ibv_destroy_ah(struct ibv_ah *v)
{
	struct ah *ah = to_ah(v);

	engine_lock();
	ah->pd->users--;
	ah_count--;
	engine_unlock();
	free(ah);
	return 0;
}

/* ------------------------------------------------------- from a completion -- */

/* The 40 bytes in front of a datagram hold an IPv6 header, or an IPv4 one at their end:
 * A17.4.5.2. Fills what leads back; *local is the address that it was sent to. */
static int parse_grh(const struct ibv_grh *grh, struct ibv_global_route *back, union ibv_gid *local)
{
	uint32_t first = be32toh(grh->version_tclass_flow);
	struct iphdr ip4;

	if (first >> 28 == 6) {
		*local = grh->dgid;
		back->dgid = grh->sgid;
		back->flow_label = first & 0xfffff;
		back->traffic_class = (uint8_t)(first >> 20);
		back->hop_limit = grh->hop_limit;
		return 0;
	}
	memcpy(&ip4, (const uint8_t *)grh + sizeof *grh - sizeof ip4, sizeof ip4);
	if (ip4.version != 4 || ip4.ihl != 5)
		return EINVAL;
	gid_of_ipv4(local, &ip4.daddr);
	gid_of_ipv4(&back->dgid, &ip4.saddr);
	back->traffic_class = ip4.tos;
	back->hop_limit = ip4.ttl;
	return 0;
}

/* 0 or an errno; ENOENT: the datagram was not sent to an address of the device. */
static int init_from_wc(unsigned device, uint8_t port, const struct ibv_wc *wc,
			const struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	union ibv_gid local;
	int position, err;

	*attr = (struct ibv_ah_attr){
		.dlid = wc->slid,
		.sl = wc->sl,
		.src_path_bits = wc->dlid_path_bits,
		.port_num = port,
	};
	if (!(wc->wc_flags & IBV_WC_GRH))
		return 0;
	err = parse_grh(grh, &attr->grh, &local);
	if (err)
		return err;
	SCOPED_ENGINE_LOCK();
	position = gid_find(&local, 0);
	if (position < 0 || gid_device((unsigned)position) != device)
		return ENOENT;
	attr->is_global = 1;
	attr->grh.sgid_index = (uint8_t)((unsigned)position % GID_ENTRIES);
	return 0;
}

EXPORT int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc,
			       struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	int err = init_from_wc(context_device(context), port, wc, grh, attr);

	return err ? fail(err) : 0;
}

EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
					    struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}

/* ------------------------------------------------------ multicast groups -- */

/*
 * Volume 1, 10.5; annex A17.4.6: the MGID is an IP multicast address, an IPv4 one as
 * ::ffff:224.0.0.0/100.
 *
 * While a QP is attached to a group, this process's own socket is a member of it, on each interface
 * that has an address of the family. A socket of the port takes only groups that it has joined
 * itself (link/group_sockets.c), so each process gets each packet once. transport/responder.c makes
 * the copies for the QPs of a process.
 */

#define MOST_JOINED (DEVICES_MAX * GID_ENTRIES)

struct multicast_group {
	LIST_ENTRY(multicast_group) next;
	union ibv_gid mgid;
	unsigned joined[MOST_JOINED]; /* interfaces */
	unsigned njoined;
	unsigned n;
	struct qp *qps[MAX_MCAST_QPS];
};

static LIST_HEAD(, multicast_group) groups = LIST_HEAD_INITIALIZER(groups);
static unsigned group_count;

static struct multicast_group *group_find(const union ibv_gid *mgid)
{
	struct multicast_group *g;

	LIST_FOREACH(g, &groups, next)
		if (gid_equal(&g->mgid, mgid))
			return g;
	return NULL;
}

/* ------------------------------------------------------------ memberships -- */

/* join or leave. 0, or -1 with errno. */
static int set_membership(const union ibv_gid *mgid, unsigned ifindex, bool join)
{
	struct ipv6_mreq v6 = { .ipv6mr_interface = ifindex };
	struct ip_mreqn v4 = { .imr_ifindex = (int)ifindex };

	if (gid_is_ipv4(mgid)) {
		memcpy(&v4.imr_multiaddr, mgid->raw + 12, 4);
		return setsockopt(group_fd(), IPPROTO_IP,
				  join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &v4, sizeof v4);
	}
	memcpy(&v6.ipv6mr_multiaddr, mgid, sizeof *mgid);
	return setsockopt(group_fd(), IPPROTO_IPV6,
			  join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP, &v6, sizeof v6);
}

static bool has_joined(const struct multicast_group *g, unsigned ifindex)
{
	for (unsigned i = 0; i < g->njoined; i++)
		if (g->joined[i] == ifindex)
			return true;
	return false;
}

/* Joins on an interface, unless the socket is a member there. 0, or an errno. */
static int join_interface(struct multicast_group *g, unsigned ifindex)
{
	if (has_joined(g, ifindex))
		return 0;
	/* a process that had the slot before us may have left its memberships */
	if (set_membership(&g->mgid, ifindex, true) && errno != EADDRINUSE)
		return errno;
	if (g->njoined < MOST_JOINED)
		g->joined[g->njoined++] = ifindex;
	return 0;
}

/* Joins on every interface of the QP's device. One interface is enough: 0, or the errno of the last
 * one if all failed. */
static int join_interfaces(struct multicast_group *g, const struct qp *qp)
{
	const unsigned device = context_device(&qp->ctx->v.context);
	bool joined = false;
	int err = ENODEV, last;

	for (unsigned i = 0; i < GID_ENTRIES; i++) {
		const struct gid_entry *e = gid_at(gid_position(device, i));

		if (!e || gid_is_ipv4(&e->gid) != gid_is_ipv4(&g->mgid))
			continue;
		last = join_interface(g, e->ifindex);
		joined |= last == 0;
		err = last ? last : err;
	}
	return joined ? 0 : err;
}

static void leave_interfaces(const struct multicast_group *g)
{
	for (unsigned i = 0; i < g->njoined; i++)
		set_membership(&g->mgid, g->joined[i], false);
}

void mcast_refresh(void)
{
	struct multicast_group *g;

	LIST_FOREACH(g, &groups, next)
		for (unsigned i = 0; i < g->n; i++)
			join_interfaces(g, g->qps[i]);
}

/* ----------------------------------------------------------------- groups -- */

static int group_new(const union ibv_gid *mgid, const struct qp *qp, struct multicast_group **out)
{
	struct multicast_group *g = group_count < MAX_MCAST_GROUPS ? calloc(1, sizeof *g) : NULL;
	int err;

	if (!g)
		return ENOMEM;
	g->mgid = *mgid;
	err = join_interfaces(g, qp);
	if (err) {
		free(g);
		return err;
	}
	LIST_INSERT_HEAD(&groups, g, next);
	group_count++;
	*out = g;
	return 0;
}

static void group_free(struct multicast_group *g)
{
	LIST_REMOVE(g, next);
	group_count--;
	free(g);
}

static unsigned find_member(const struct multicast_group *g, const struct qp *qp)
{
	unsigned i = 0;

	while (i < g->n && g->qps[i] != qp)
		i++;
	return i;
}

static int attach_qp(struct qp *qp, const union ibv_gid *mgid)
{
	struct multicast_group *g = group_find(mgid);
	int err;

	if (g && find_member(g, qp) < g->n)
		return 0; /* the kernel counts it once, too */
	if (g && g->n == MAX_MCAST_QPS)
		return ENOMEM;
	err = g ? join_interfaces(g, qp) : group_new(mgid, qp, &g);
	if (err)
		return err;
	g->qps[g->n++] = qp;
	qp->mcast++;
	return 0;
}

static int detach_qp(struct qp *qp, const union ibv_gid *mgid)
{
	struct multicast_group *g = group_find(mgid);
	unsigned i = g ? find_member(g, qp) : 0;

	if (!g || i == g->n)
		return EINVAL;
	g->qps[i] = g->qps[--g->n];
	qp->mcast--;
	if (!g->n) {
		leave_interfaces(g);
		group_free(g);
	}
	return 0;
}

void mcast_leave(struct qp *qp)
{
	struct multicast_group *g, *next;

	for (g = LIST_FIRST(&groups); g; g = next) {
		next = LIST_NEXT(g, next);
		detach_qp(qp, &g->mgid);
	}
}

/* The LID is InfiniBand's; EINVAL: not UD, or no multicast address. */
EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	SCOPED_ENGINE_LOCK();
	(void)lid;
	if (to_qp(qp)->type != IBV_QPT_UD || !gid_is_multicast(gid))
		return EINVAL;
	return context_failed(qp->context) ? EIO : attach_qp(to_qp(qp), gid);
}

EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	SCOPED_ENGINE_LOCK();
	(void)lid;
	return detach_qp(to_qp(qp), gid);
}

void qp_each_in_group(const union ibv_gid *mgid, void (*fn)(struct qp *qp, void *arg), void *arg)
{
	const struct multicast_group *g = group_find(mgid);

	for (unsigned i = 0; g && i < g->n; i++)
		fn(g->qps[i], arg);
}

void mcast_forget(void)
{
	struct multicast_group *g;

	while ((g = LIST_FIRST(&groups))) {
		for (unsigned k = 0; k < g->n; k++)
			g->qps[k]->mcast = 0;
		group_free(g);
	}
}
