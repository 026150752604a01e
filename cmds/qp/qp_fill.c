/* SPDX-License-Identifier: MIT */
/*
 * Values for attributes of a QP that the user left out.
 *
 * The peer's QPN, PSN and address can only be told (oob, modify-qp -peer); the rest has
 * values that work. RETRY_CNT is 6 because soft-RoCE takes 7 for "for ever".
 */
#include <netinet/in.h>
#include <string.h>

#include "gids.h"
#include "objects.h"
#include "qp_change.h"

#define UD_QKEY	    0x11111111
#define HOPS	    64
#define TIMEOUT	    14 /* 4.096 us * 2^14: 67 ms */
#define RETRY_CNT   6
#define RNR_RETRY   7  /* for ever */
#define RNR_TIMER   12 /* 0.64 ms */
#define PEER_NEEDED (IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)

static bool alike(const union ibv_gid *gid, const union ibv_gid *other)
{
	const struct in6_addr *a = (const struct in6_addr *)(const void *)gid->raw;
	const struct in6_addr *b = (const struct in6_addr *)(const void *)other->raw;

	return !IN6_IS_ADDR_V4MAPPED(a) == !IN6_IS_ADDR_V4MAPPED(b) &&
	       !IN6_IS_ADDR_LINKLOCAL(a) == !IN6_IS_ADDR_LINKLOCAL(b);
}

/* A peer at one of our own addresses sees ours as that one, as the routes of the host have it. */
static int fitness(const struct gid_row *r, const union ibv_gid *dgid)
{
	return r->score + (memcmp(&r->e.gid, dgid, sizeof *dgid) == 0 ? 1000 : 0);
}

unsigned qp_sgid_for(const struct dev *dev, uint8_t port, const union ibv_gid *dgid)
{
	struct gid_row rows[GID_ROWS];
	const struct gid_row *best = NULL;
	int n = gid_table(dev, port, rows, GID_ROWS);

	for (int i = 0; i < n; i++)
		if (alike(&rows[i].e.gid, dgid) &&
		    (!best || fitness(&rows[i], dgid) > fitness(best, dgid)))
			best = &rows[i];
	if (!best)
		best = gid_best(rows, n);
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

static void fill_plain(struct qp_change *c, unsigned bit)
{
	struct ibv_qp_attr *a = &c->a;

	switch (bit) {
	case IBV_QP_PORT:
		a->port_num = 1;
		break;
	case IBV_QP_ACCESS_FLAGS:
		a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
		break;
	case IBV_QP_QKEY:
		a->qkey = UD_QKEY;
		break;
	case IBV_QP_DEST_QPN:
		a->dest_qp_num = c->qp->peer.qpn;
		break;
	case IBV_QP_RQ_PSN:
		a->rq_psn = c->qp->peer.psn;
		break;
	case IBV_QP_SQ_PSN:
		a->sq_psn = c->qp->psn;
		break;
	case IBV_QP_MAX_DEST_RD_ATOMIC:
		a->max_dest_rd_atomic = 1;
		break;
	case IBV_QP_MAX_QP_RD_ATOMIC:
		a->max_rd_atomic = 1;
		break;
	case IBV_QP_MIN_RNR_TIMER:
		a->min_rnr_timer = RNR_TIMER;
		break;
	case IBV_QP_TIMEOUT:
		a->timeout = TIMEOUT;
		break;
	case IBV_QP_RETRY_CNT:
		a->retry_cnt = RETRY_CNT;
		break;
	case IBV_QP_RNR_RETRY:
		a->rnr_retry = RNR_RETRY;
		break;
	}
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
	for (unsigned bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1)
		if (want & bit)
			fill_plain(c, bit);
	c->mask |= want;
	c->filled |= want;
	return unknown;
}
