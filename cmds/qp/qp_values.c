/* SPDX-License-Identifier: MIT */
/* Values of a QP's attributes: those that are left out, and what is wrong with those that are
 * given. */
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "alloc.h"
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

#define LARGEST_24 0xffffff /* of PSNs and QP numbers */

/* The largest value of an attribute on this device, and what says so; false: it has no such limit.
 */
static bool largest_of(unsigned bit, const struct ibv_device_attr *d, uint64_t *max,
		       const char **whose)
{
	const struct {
		unsigned bits;
		int max;
		const char *whose;
	} limits[] = {
		{ IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_DEST_QPN, LARGEST_24,
		  "the largest of 24 bits" },
		{ IBV_QP_TIMEOUT | IBV_QP_MIN_RNR_TIMER, 31, "the largest of 5 bits" },
		{ IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY, 7, "the largest of 3 bits" },
		{ IBV_QP_MAX_QP_RD_ATOMIC, d->max_qp_init_rd_atom,
		  "the device's max_qp_init_rd_atom" },
		{ IBV_QP_MAX_DEST_RD_ATOMIC, d->max_qp_rd_atom, "the device's max_qp_rd_atom" },
	};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].bits & bit) {
			*max = (uint64_t)limits[i].max;
			*whose = limits[i].whose;
			return true;
		}
	return false;
}

/* The attribute has to be given, or filled in, anew. */
static void take_away(const struct qp_limits *l, unsigned bit)
{
	if (l->right)
		l->right->mask &= ~bit;
}

void qp_check_max(const struct qp_limits *l, const struct qp_attr_def *d, uint64_t value,
		  struct causes *problems)
{
	const char *whose;
	uint64_t max;

	if (!largest_of(d->bit, l->device, &max, &whose) || value <= max)
		return;
	cause_add(problems, IS_SO, NULL, "%s %" PRIu64 " is more than %" PRIu64 ", %s",
		  qp_attr_name(d), value, max, whose);
	if (max == LARGEST_24)
		take_away(l, d->bit);
	else if (l->right)
		qp_attr_set(&l->right->a, d, max);
}

static bool is_mtu(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096;
}

static void check_port_attr(const struct qp_limits *l, const struct ibv_qp_attr *a, unsigned mask,
			    struct causes *problems)
{
	const struct ibv_port_attr *port = l->port;

	if (mask & IBV_QP_PKEY_INDEX && a->pkey_index >= port->pkey_tbl_len) {
		cause_add(problems, IS_SO, NULL, "PKEY_INDEX %u: the table has %u entr%s",
			  a->pkey_index, port->pkey_tbl_len, port->pkey_tbl_len == 1 ? "y" : "ies");
		if (l->right)
			l->right->a.pkey_index = 0;
	}
	if (mask & IBV_QP_PATH_MTU && !is_mtu(a->path_mtu)) {
		cause_add(
			problems, IS_SO, NULL,
			"PATH_MTU: the number %d is no enum ibv_mtu, whose values are 1 (IBV_MTU_256) "
			"to 5 (IBV_MTU_4096)%s",
			(int)a->path_mtu, mtu_of_bytes(a->path_mtu) ? ": bytes were given" : "");
	} else if (mask & IBV_QP_PATH_MTU && a->path_mtu > port->active_mtu) {
		cause_add(problems, IS_SO, NULL,
			  "PATH_MTU %s is more than the port's active MTU %s: such packets do not "
			  "fit the link",
			  word_name(mtu_words, a->path_mtu),
			  word_name(mtu_words, port->active_mtu));
		if (l->right)
			l->right->a.path_mtu = port->active_mtu;
	}
	if (mask & IBV_QP_ALT_PATH && port->link_layer == IBV_LINK_LAYER_ETHERNET) {
		cause_add(problems, IS_SO, NULL,
			  "ALT_PATH: alternate paths are for InfiniBand ports, this is Ethernet");
		take_away(l, IBV_QP_ALT_PATH);
	}
}

/* Does the path have the address that this kind of link needs? */
static void check_destination(const struct qp_limits *l, const struct ibv_ah_attr *av,
			      struct causes *problems)
{
	const struct in6_addr *dgid = (const struct in6_addr *)(const void *)av->grh.dgid.raw;
	const unsigned before = problems->n;

	if (av->is_global && IN6_IS_ADDR_UNSPECIFIED(dgid))
		cause_add(problems, IS_SO, NULL, "AV: dgid is ::");
	else if (!av->is_global && l->port->link_layer == IBV_LINK_LAYER_ETHERNET)
		cause_add(problems, IS_SO, NULL,
			  "AV: on RoCE a peer is reached by its GID: -dgid (is_global = 1)");
	else if (!av->is_global && !av->dlid)
		cause_add(problems, IS_SO, NULL, "AV: dlid is 0");
	if (problems->n > before)
		take_away(l, IBV_QP_AV);
}

static const struct in6_addr *address_of(const union ibv_gid *gid)
{
	return (const struct in6_addr *)(const void *)gid->raw;
}

static int family_of(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED(address_of(gid)) ? 4 : 6;
}

static bool are_families_different(const union ibv_gid *to, const union ibv_gid *from)
{
	return !IN6_IS_ADDR_UNSPECIFIED(address_of(to)) && family_of(to) != family_of(from);
}

/* The port and the entry of its GID table that the path begins with. */
static void check_origin(const struct qp_limits *l, const struct ibv_ah_attr *av,
			 struct causes *problems)
{
	const uint8_t ports = l->device->phys_port_cnt;

	if (!av->port_num || av->port_num > ports)
		cause_add(problems, IS_SO, NULL, "AV: port %u: %s has %u port%s, counted from 1",
			  av->port_num, l->name, ports, ports == 1 ? "" : "s");
	else if (av->is_global && l->port && l->port->gid_tbl_len &&
		 av->grh.sgid_index >= l->port->gid_tbl_len)
		cause_add(problems, IS_SO, NULL,
			  "AV: sgid_index %u: the table of the port has the entries 0 to %d",
			  av->grh.sgid_index, l->port->gid_tbl_len - 1);
	else if (av->is_global && l->source && are_families_different(&av->grh.dgid, l->source))
		cause_add(problems, IS_SO, NULL,
			  "AV: dgid %s is an IPv%d address, but sgid_index %u (%s) is IPv%d",
			  gid_text(&av->grh.dgid), family_of(&av->grh.dgid), av->grh.sgid_index,
			  gid_text(l->source), family_of(l->source));
}

void qp_check_path(const struct qp_limits *l, const struct ibv_ah_attr *av, struct causes *problems)
{
	check_origin(l, av, problems);
	if (l->port)
		check_destination(l, av, problems);
}

void qp_check_limits(const struct qp_limits *l, const struct ibv_qp_attr *a, unsigned mask,
		     struct causes *problems)
{
	const uint8_t ports = l->device->phys_port_cnt;

	if (mask & IBV_QP_PORT && (!a->port_num || a->port_num > ports))
		cause_add(problems, IS_SO, NULL, "PORT %u: %s has %u port%s, counted from 1",
			  a->port_num, l->name, ports, ports == 1 ? "" : "s");
	else if (l->port)
		check_port_attr(l, a, mask, problems);
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit)
			qp_check_max(l, d, qp_attr_get(a, d), problems);
	if (mask & IBV_QP_AV)
		qp_check_path(l, &a->ah_attr, problems);
}

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
	if (r->e.gid_type == IBV_GID_TYPE_IB || !are_families_different(&av->grh.dgid, &r->e.gid))
		return;
	cause_add(problems, IS_SO, NULL,
		  "AV: dgid %s is an IPv%d address, but sgid_index %u (%s) is IPv%d; try %u",
		  gid_text(&av->grh.dgid), family_of(&av->grh.dgid), av->grh.sgid_index,
		  gid_text(&r->e.gid), family_of(&r->e.gid), fitting);
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
				    .right = right };

	if (number && ibv_query_port(dev->v, number, &port) == 0)
		limits.port = &port;
	if (c->mask & IBV_QP_CUR_STATE && c->a.cur_qp_state != c->actual)
		cause_add(problems, IS_SO, NULL, "CUR_STATE %s: the QP is in %s",
			  word_name(qp_state_words, c->a.cur_qp_state),
			  word_name(qp_state_words, c->actual));
	qp_check_limits(&limits, &c->a, c->mask, problems);
	if (c->mask & IBV_QP_AV)
		check_source(c, right, problems);
}
