/* SPDX-License-Identifier: MIT */
/*
 * Multicast groups: ibv_attach_mcast(3). Volume 1, 10.5; annex A17.4.6: the MGID is an IP
 * multicast address, an IPv4 one as ::ffff:224.0.0.0/100.
 *
 * Our own socket joins the group while a QP is attached to it, on each interface that has an
 * address of the family. The sockets of the port are told not to take what they did not
 * join (link/group.c), so that each process gets each packet once; copies for the QPs of a
 * process are made above, by transport/transport.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine.h"
#include "export.h"
#include "gid.h"
#include "group.h"
#include "queue_pair.h"

#define BUCKETS 256

struct group {
	LIST_ENTRY(group) next;
	union ibv_gid mgid;
	unsigned joined[GID_ENTRIES]; /* interfaces */
	unsigned njoined;
	unsigned n;
	struct qp *qps[MAX_MCAST_QPS];
};

static LIST_HEAD(, group) buckets[BUCKETS];
static unsigned groups;

static unsigned bucket_of(const union ibv_gid *mgid)
{
	unsigned h = 0;

	for (unsigned i = 12; i < 16; i++)
		h = h * 31 + mgid->raw[i];
	return h % BUCKETS;
}

static struct group *group_find(const union ibv_gid *mgid)
{
	struct group *g;

	LIST_FOREACH(g, &buckets[bucket_of(mgid)], next)
		if (memcmp(&g->mgid, mgid, sizeof *mgid) == 0)
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

static bool has_joined(const struct group *g, unsigned ifindex)
{
	for (unsigned i = 0; i < g->njoined; i++)
		if (g->joined[i] == ifindex)
			return true;
	return false;
}

/* On every interface where it is not a member yet. 0, or the errno of the last that failed:
 * one interface is enough. */
static int join(struct group *g)
{
	int err = ENODEV;

	for (unsigned i = 0; i < gid_count(); i++) {
		const struct gid_entry *e = gid_at(i);

		if (!e || gid_is_ipv4(&e->gid) != gid_is_ipv4(&g->mgid) ||
		    has_joined(g, e->ifindex))
			continue;
		/* a process that had the slot before us may have left its memberships */
		if (set_membership(&g->mgid, e->ifindex, true) && errno != EADDRINUSE)
			err = errno;
		else if (g->njoined < GID_ENTRIES)
			g->joined[g->njoined++] = e->ifindex;
	}
	return g->njoined ? 0 : err;
}

static void leave(const struct group *g)
{
	for (unsigned i = 0; i < g->njoined; i++)
		set_membership(&g->mgid, g->joined[i], false);
}

void mcast_refresh(void)
{
	struct group *g;

	for (unsigned i = 0; groups && i < BUCKETS; i++)
		LIST_FOREACH(g, &buckets[i], next)
			join(g);
}

/* ----------------------------------------------------------------- groups -- */

static int group_new(const union ibv_gid *mgid, struct group **out)
{
	struct group *g = groups < MAX_MCAST_GROUPS ? calloc(1, sizeof *g) : NULL;
	int err;

	if (!g)
		return ENOMEM;
	g->mgid = *mgid;
	err = join(g);
	if (err) {
		free(g);
		return err;
	}
	LIST_INSERT_HEAD(&buckets[bucket_of(mgid)], g, next);
	groups++;
	*out = g;
	return 0;
}

static void group_free(struct group *g)
{
	LIST_REMOVE(g, next);
	groups--;
	free(g);
}

static unsigned member(const struct group *g, const struct qp *qp)
{
	unsigned i = 0;

	while (i < g->n && g->qps[i] != qp)
		i++;
	return i;
}

static int attach(struct qp *qp, const union ibv_gid *mgid)
{
	struct group *g = group_find(mgid);
	int err;

	if (g && member(g, qp) < g->n)
		return 0; /* the kernel counts it once, too */
	if (g && g->n == MAX_MCAST_QPS)
		return ENOMEM;
	err = g ? 0 : group_new(mgid, &g);
	if (err)
		return err;
	g->qps[g->n++] = qp;
	qp->mcast++;
	return 0;
}

static int detach(struct qp *qp, const union ibv_gid *mgid)
{
	struct group *g = group_find(mgid);
	unsigned i = g ? member(g, qp) : 0;

	if (!g || i == g->n)
		return EINVAL;
	g->qps[i] = g->qps[--g->n];
	qp->mcast--;
	if (!g->n) {
		leave(g);
		group_free(g);
	}
	return 0;
}

/* The LID is InfiniBand's; EINVAL: not UD, or no multicast address. */
EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	int err = EINVAL;

	(void)lid;
	engine_lock();
	if (to_qp(qp)->type == IBV_QPT_UD && gid_is_multicast(gid))
		err = attach(to_qp(qp), gid);
	engine_unlock();
	return err;
}

EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	int err;

	(void)lid;
	engine_lock();
	err = detach(to_qp(qp), gid);
	engine_unlock();
	return err;
}

void qp_each_in_group(const union ibv_gid *mgid, void (*fn)(struct qp *qp, void *arg), void *arg)
{
	const struct group *g = group_find(mgid);

	for (unsigned i = 0; g && i < g->n; i++)
		fn(g->qps[i], arg);
}

void mcast_forget(void)
{
	struct group *g;

	for (unsigned i = 0; i < BUCKETS; i++)
		while ((g = LIST_FIRST(&buckets[i]))) {
			for (unsigned k = 0; k < g->n; k++)
				g->qps[k]->mcast = 0;
			group_free(g);
		}
}
