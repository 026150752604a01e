/* SPDX-License-Identifier: MIT */
/* Values of a QP's attributes: those that are left out, and what is wrong with those that are
 * given. */
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "device/device.h"
#include "explain/explain.h"
#include "objects.h"
#include "qp/qp.h"
#include "recorded.h"
#include "words.h"

/* ---------------------------------------------------------------------- left out -- */

/* The peer's QPN, PSN and address must be provided (oob, modify-qp -peer); the other attributes
 * have defaults. RETRY_CNT is 6 because soft-RoCE treats 7 as infinite. */

#define HOPS	    64
#define PEER_NEEDED (IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)

static const struct {
	unsigned bit, value;
} defaults[] = {
	{ IBV_QP_PORT, 1 },
	{ IBV_QP_ACCESS_FLAGS, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ },
	{ IBV_QP_QKEY, 0x11111111 },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, 1 },
	{ IBV_QP_MAX_QP_RD_ATOMIC, 1 },
	{ IBV_QP_MIN_RNR_TIMER, 12 }, /* 0.64 ms */
	{ IBV_QP_TIMEOUT, 14 },	      /* 4.096 us * 2^14: 67 ms */
	{ IBV_QP_RETRY_CNT, 6 },
	{ IBV_QP_RNR_RETRY, 7 }, /* for ever */
};

/* A peer at an address of this host gets packets from that same address, by the routes of the host:
 * so an equal GID fits best. Then the family decides, then whether both are link-local, then the
 * score. */
static int gid_fitness(const struct gid_row *r, const union ibv_gid *dgid)
{
	const struct in6_addr *own = (const struct in6_addr *)(const void *)r->e.gid.raw;
	const struct in6_addr *to = (const struct in6_addr *)(const void *)dgid->raw;

	return (IN6_ARE_ADDR_EQUAL(own, to) ? 1000 : 0) +
	       (!IN6_IS_ADDR_V4MAPPED(own) == !IN6_IS_ADDR_V4MAPPED(to) ? 100 : 0) +
	       (!IN6_IS_ADDR_LINKLOCAL(own) == !IN6_IS_ADDR_LINKLOCAL(to) ? 10 : 0) + r->score;
}

unsigned qp_sgid_for(const struct dev *dev, uint8_t port, const union ibv_gid *dgid)
{
	SCOPED_GIDS(rows);
	const struct gid_row *best = NULL;
	int n = gid_table(dev, port, &rows);

	for (int i = 0; i < n; i++)
		if (!best || gid_fitness(&rows[i], dgid) > gid_fitness(best, dgid))
			best = &rows[i];
	return best ? best->e.gid_index : 0;
}

static void fill_av(struct qp_change *c, const struct ibv_port_attr *port)
{
	const struct qp_peer *peer = &c->qp->peer;
	static const union ibv_gid none;
	struct ibv_ah_attr *av = &c->a.ah_attr;

	av->port_num = c->now.port_num ? c->now.port_num : 1;
	av->dlid = peer->lid;
	if (memcmp(&peer->gid, &none, sizeof none) == 0 ||
	    (port->link_layer == IBV_LINK_LAYER_INFINIBAND && peer->lid))
		return;
	av->is_global = 1;
	av->grh.dgid = peer->gid;
	av->grh.sgid_index = (uint8_t)qp_sgid_for(c->qp->pd->dev, av->port_num, &peer->gid);
	av->grh.hop_limit = HOPS;
}

static void fill_mtu(struct qp_change *c, const struct ibv_port_attr *port)
{
	enum ibv_mtu theirs = c->qp->peer.known ? c->qp->peer.mtu : 0;

	c->a.path_mtu = port->active_mtu;
	if (theirs && theirs < c->a.path_mtu)
		c->a.path_mtu = theirs;
}

static void fill_numbers(struct qp_change *c, unsigned want)
{
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (want & defaults[i].bit)
			qp_attr_set(&c->a, qp_attr_def(defaults[i].bit), defaults[i].value);
	if (want & IBV_QP_DEST_QPN)
		c->a.dest_qp_num = c->qp->peer.qpn;
	if (want & IBV_QP_RQ_PSN)
		c->a.rq_psn = c->qp->peer.psn;
	if (want & IBV_QP_SQ_PSN)
		c->a.sq_psn = c->qp->psn;
}

unsigned qp_fill(struct qp_change *c, unsigned want)
{
	uint8_t number = c->now.port_num ? c->now.port_num : 1;
	struct ibv_port_attr port = { 0 };
	unsigned unknown = c->qp->peer.known ? 0 : want & PEER_NEEDED;

	want &= ~unknown;
	if (want & (IBV_QP_AV | IBV_QP_PATH_MTU) &&
	    ibv_query_port(c->qp->pd->dev->v, number, &port))
		return unknown | want;
	if (want & IBV_QP_AV)
		fill_av(c, &port);
	if (want & IBV_QP_PATH_MTU)
		fill_mtu(c, &port);
	fill_numbers(c, want);
	c->mask |= want;
	c->filled |= want;
	return unknown;
}

/* ------------------------------------------------------------------------- wrong -- */

/* Values are checked before the kernel sees them. Not every device rejects all of these: soft-RoCE
 * accepts a path MTU that is too large for the link, and the packets are lost. -force tries it. */

static const struct gid_row *row_of(const struct gid_row *rows, int n, unsigned index)
{
	for (int i = 0; i < n; i++)
		if (rows[i].e.gid_index == index)
			return &rows[i];
	return NULL;
}

static void check_gid_types(const struct dev *dev, const struct ibv_ah_attr *av,
			    struct qp_change *right, struct causes *problems)
{
	const unsigned fitting = qp_sgid_for(dev, av->port_num, &av->grh.dgid);
	SCOPED_GIDS(rows);
	int n = gid_table(dev, av->port_num, &rows);
	const struct gid_row *r = row_of(rows, n, av->grh.sgid_index);

	if (n < 0)
		return;
	if (!r) {
		cause_add(problems, IS_SO, NULL, "AV: sgid_index %u is empty; see gids",
			  av->grh.sgid_index);
		if (right)
			right->a.ah_attr.grh.sgid_index = (uint8_t)fitting;
		return;
	}
	if (r->e.gid_type == IBV_GID_TYPE_IB || !why_gid_families_differ(&av->grh.dgid, &r->e.gid))
		return;
	cause_add(problems, IS_SO, NULL,
		  "AV: dgid %s is an IPv%d address, but sgid_index %u (%s) is IPv%d; try %u",
		  why_gid(&av->grh.dgid), why_gid_family(&av->grh.dgid), av->grh.sgid_index,
		  why_gid(&r->e.gid), why_gid_family(&r->e.gid), fitting);
	if (right)
		right->a.ah_attr.grh.sgid_index = (uint8_t)fitting;
}

/* The local end of the path. */
static void check_source(const struct qp_change *c, struct qp_change *right,
			 struct causes *problems)
{
	const struct ibv_ah_attr *av = &c->a.ah_attr;

	if (c->to == IBV_QPS_RTR && c->now.port_num && av->port_num != c->now.port_num) {
		cause_add(problems, IS_SO, NULL, "AV: port %u, but INIT gave the QP port %u",
			  av->port_num, c->now.port_num);
		if (right)
			right->a.ah_attr.port_num = c->now.port_num;
	} else if (av->is_global) {
		check_gid_types(c->qp->pd->dev, av, right, problems);
	}
}

void qp_check_values(const struct qp_change *c, struct qp_change *right, struct causes *problems)
{
	const struct dev *dev = c->qp->pd->dev;
	const uint8_t number = c->mask & IBV_QP_PORT ? c->a.port_num : c->now.port_num;
	struct ibv_port_attr port;
	struct qp_limits limits = { .name = dev->o.name,
				    .device = &dev->attr.orig_attr,
				    .right = right ? &right->a : NULL,
				    .right_mask = right ? &right->mask : NULL };

	if (number && ibv_query_port(dev->v, number, &port) == 0)
		limits.port = &port;
	if (c->mask & IBV_QP_CUR_STATE && c->a.cur_qp_state != c->actual)
		cause_add(problems, IS_SO, NULL, "CUR_STATE %s: the QP is in %s",
			  word_name(qp_state_words, c->a.cur_qp_state),
			  word_name(qp_state_words, c->actual));
	why_qp_check_limits(&limits, &c->a, c->mask, problems);
	if (c->mask & IBV_QP_AV)
		check_source(c, right, problems);
}
