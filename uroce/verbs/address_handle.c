/* SPDX-License-Identifier: MIT */
/*
 * Address handles, and what address vectors mean here: ibv_create_ah(3),
 * ibv_init_ah_from_wc(3). Volume 1, 11.2.2; annex A17.8 (GIDs are IP addresses).
 */
#include <endian.h>
#include <errno.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>

#include "address_handle.h"
#include "engine.h"
#include "export.h"
#include "gid.h"

#define HOPS	  64 /* what routes have when nobody says otherwise */
#define HOPS_NEAR 1  /* multicast that does not say how far it is to go */

static unsigned ahs;

static const struct in6_addr *in6(const union ibv_gid *gid)
{
	return (const struct in6_addr *)gid;
}

/* Neither :: nor 0.0.0.0 nor 255.255.255.255. */
static bool is_somebody(const union ibv_gid *gid)
{
	uint32_t v4;

	if (!gid_is_ipv4(gid))
		return !IN6_IS_ADDR_UNSPECIFIED(in6(gid));
	memcpy(&v4, gid->raw + 12, sizeof v4);
	return v4 != INADDR_ANY && v4 != INADDR_BROADCAST;
}

/* 0, or the errno of a host that has no route to it. */
static int check_route(const struct flow *flow)
{
	struct sockaddr_storage ss;

	gid_to_sockaddr(&ss, &flow->dgid, flow->scope, ROCE_PORT);
	if (gid_route((struct sockaddr *)&ss) < 0 &&
	    (errno == ENETUNREACH || errno == EHOSTUNREACH))
		return errno;
	return 0;
}

/* Of a multicast group that is no IPv4 address (perftest's is ff01:0:2:c985::): who has an IPv4
 * address reaches it from an IPv6 address of the same interface. NULL: there is none. */
static const struct gid_entry *ipv6_beside(const struct gid_entry *e)
{
	for (unsigned i = 0; i < GID_ENTRIES; i++) {
		const struct gid_entry *other = gid_at(i);

		if (other && other->ifindex == e->ifindex && !gid_is_ipv4(&other->gid))
			return other;
	}
	return NULL;
}

int flow_of_av(struct flow *flow, const struct ibv_ah_attr *a)
{
	const union ibv_gid *dgid = &a->grh.dgid;
	const struct gid_entry *e = gid_at(a->grh.sgid_index);
	bool multicast = gid_is_multicast(dgid);

	if (!a->is_global || a->port_num != 1 || a->grh.sgid_index >= GID_ENTRIES)
		return EINVAL;
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
		/* the kernel takes the route's, too: applications say 1 and mean any */
		.hops = HOPS,
	};
	if (multicast)
		flow->hops = a->grh.hop_limit ? a->grh.hop_limit : HOPS_NEAR;
	if (multicast || IN6_IS_ADDR_LINKLOCAL(in6(dgid)))
		flow->scope = e->ifindex;
	return multicast ? 0 : check_route(flow);
}

static int ah_begin(struct ah *ah, const struct ibv_ah_attr *attr)
{
	static uint32_t handles;
	int err = ahs < MAX_AH ? flow_of_av(&ah->flow, attr) : ENOMEM;

	if (err)
		return err;
	ahs++;
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
	engine_lock();
	err = ah_begin(ah, attr);
	engine_unlock();
	if (!err)
		return &ah->v;
	free(ah);
	errno = err;
	return NULL;
}

EXPORT int ibv_destroy_ah(struct ibv_ah *v)
{
	struct ah *ah = to_ah(v);

	engine_lock();
	ah->pd->users--;
	ahs--;
	engine_unlock();
	free(ah);
	return 0;
}

/* ------------------------------------------------------- from a completion -- */

static void map_ipv4(union ibv_gid *gid, uint32_t addr)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(gid->raw, prefix, sizeof prefix);
	memcpy(gid->raw + 12, &addr, sizeof addr);
}

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
	map_ipv4(local, ip4.daddr);
	map_ipv4(&back->dgid, ip4.saddr);
	back->traffic_class = ip4.tos;
	back->hop_limit = ip4.ttl;
	return 0;
}

/* 0 or an errno; ENOENT: what the datagram was sent to is no address of ours. */
static int init_from_wc(uint8_t port, const struct ibv_wc *wc, const struct ibv_grh *grh,
			struct ibv_ah_attr *attr)
{
	union ibv_gid local;
	int index, err;

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
	engine_lock();
	index = gid_index(&local, 0);
	engine_unlock();
	if (index < 0)
		return ENOENT;
	attr->is_global = 1;
	attr->grh.sgid_index = (uint8_t)index;
	return 0;
}

EXPORT int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc,
			       struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	int err = init_from_wc(port, wc, grh, attr);

	(void)context;
	if (!err)
		return 0;
	errno = err;
	return -1;
}

EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
					    struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}
