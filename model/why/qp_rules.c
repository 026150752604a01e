/* SPDX-License-Identifier: MIT */
#include "qp_rules.h"

#include <inttypes.h>
#include <netinet/in.h>

#include "calls.h"
#include "diagnosis.h"
#include "recorded.h"
#include "text.h"
#include "why.h"
#include "words.h"

/* ------------------------------------------------------------------------ values -- */

/* The member of struct ibv_qp_attr that a bit stands for; NULL: it stands for several. */
static const struct call_value *member(unsigned bit)
{
	const struct call_value *v = call_table[ROW_ibv_modify_qp].args[1].of->fields;

	while (v->name && v->bit != bit)
		v++;
	return !v->name || bit == IBV_QP_AV || bit == IBV_QP_ALT_PATH || bit == IBV_QP_CAP ? NULL
											   : v;
}

static uint64_t attribute(const struct ibv_qp_attr *a, unsigned bit)
{
	const struct call_value *v = member(bit);

	return v ? call_load(v, (const char *)a + v->offset) : 0;
}

static void set_attribute(struct ibv_qp_attr *a, unsigned bit, uint64_t value)
{
	const struct call_value *v = member(bit);

	if (v)
		call_store(v, (char *)a + v->offset, value);
}

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
		*l->right_mask &= ~bit;
}

void why_qp_check_max(const struct qp_limits *l, unsigned bit, uint64_t value,
		      struct causes *problems)
{
	const char *whose;
	uint64_t max;

	if (!largest_of(bit, l->device, &max, &whose) || value <= max)
		return;
	cause_add(problems, IS_SO, NULL, "%s %" PRIu64 " is more than %" PRIu64 ", %s",
		  word_name(qp_attr_words, bit), value, max, whose);
	if (max == LARGEST_24)
		take_away(l, bit);
	else if (l->right)
		set_attribute(l->right, bit, max);
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
			l->right->pkey_index = 0;
	}
	if (mask & IBV_QP_PATH_MTU && !is_mtu(a->path_mtu)) {
		cause_add(
			problems, IS_SO, NULL,
			"PATH_MTU: the number %d is no enum ibv_mtu, whose values are 1 (IBV_MTU_256) "
			"to 5 (IBV_MTU_4096)%s",
			(int)a->path_mtu,
			spec_mtu_of_bytes(a->path_mtu) ? ": bytes were given" : "");
	} else if (mask & IBV_QP_PATH_MTU && a->path_mtu > port->active_mtu) {
		cause_add(problems, IS_SO, NULL,
			  "PATH_MTU %s is more than the port's active MTU %s: such packets do not "
			  "fit the link",
			  word_name(mtu_words, a->path_mtu),
			  word_name(mtu_words, port->active_mtu));
		if (l->right)
			l->right->path_mtu = port->active_mtu;
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

int why_gid_family(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED(address_of(gid)) ? 4 : 6;
}

bool why_gid_families_differ(const union ibv_gid *to, const union ibv_gid *from)
{
	return !IN6_IS_ADDR_UNSPECIFIED(address_of(to)) &&
	       why_gid_family(to) != why_gid_family(from);
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
	else if (av->is_global && l->source && why_gid_families_differ(&av->grh.dgid, l->source))
		cause_add(problems, IS_SO, NULL,
			  "AV: dgid %s is an IPv%d address, but sgid_index %u (%s) is IPv%d",
			  why_gid(&av->grh.dgid), why_gid_family(&av->grh.dgid), av->grh.sgid_index,
			  why_gid(l->source), why_gid_family(l->source));
}

void why_qp_check_path(const struct qp_limits *l, const struct ibv_ah_attr *av,
		       struct causes *problems)
{
	check_origin(l, av, problems);
	if (l->port)
		check_destination(l, av, problems);
}

void why_qp_check_limits(const struct qp_limits *l, const struct ibv_qp_attr *a, unsigned mask,
			 struct causes *problems)
{
	const uint8_t ports = l->device->phys_port_cnt;

	if (mask & IBV_QP_PORT && (!a->port_num || a->port_num > ports))
		cause_add(problems, IS_SO, NULL, "PORT %u: %s has %u port%s, counted from 1",
			  a->port_num, l->name, ports, ports == 1 ? "" : "s");
	else if (l->port)
		check_port_attr(l, a, mask, problems);
	for (const struct word *w = qp_attr_words; w->name; w++)
		if (mask & w->value)
			why_qp_check_max(l, (unsigned)w->value, attribute(a, (unsigned)w->value),
					 problems);
	if (mask & IBV_QP_AV)
		why_qp_check_path(l, &a->ah_attr, problems);
}

/* -------------------------------------------------------------------- transitions -- */

/* Appends the states that a QP may move to: "INIT (or RESET)". */
void why_qp_reachable(enum ibv_qp_type type, enum ibv_qp_state from, struct text *d)
{
	const bool errs = from != IBV_QPS_ERR && qp_row(type, from, IBV_QPS_ERR);
	const char *between = "";

	for (enum ibv_qp_state to = IBV_QPS_INIT; to < IBV_QPS_ERR; to++)
		if (to != from && qp_row(type, from, to)) {
			xappendf(d, "%s%s", between, why_state(to));
			between = ", ";
		}
	xappendf(d, *between ? " (or RESET%s)" : "RESET%s", errs ? ", ERR" : "");
}

static void add_names(struct causes *c, const char *what, unsigned mask)
{
	SCOPED_TEXT(names);

	if (!mask)
		return;
	word_flag_names(qp_attr_words, mask, " ", &names);
	cause_add(c, IS_SO, NULL, "%s: %s", what, text_str(&names));
}

void why_qp_change_reasons(const struct qp_verdict *v, enum ibv_qp_type type,
			   enum ibv_qp_state from, enum ibv_qp_state to, struct causes *c)
{
	SCOPED_TEXT(reach);

	if (v->row) {
		add_names(c, "missing", v->missing);
		add_names(c, "not taken here", v->extra);
		return;
	}
	why_qp_reachable(type, from, &reach);
	cause_add(c, IS_SO, NULL, "%s -> %s is not a transition: from %s a QP goes to %s",
		  why_state(from), why_state(to), why_state(from), text_str(&reach));
}

/* -------------------------------------------------------------------- the path MTU -- */

/* 0: not known. */
static enum ibv_mtu known_path_mtu(const struct live_qp *qp)
{
	return qp && qp->known & IBV_QP_PATH_MTU ? qp->attr.path_mtu : 0;
}

void why_check_path_mtu(const struct diagnosis *q)
{
	const enum ibv_mtu here = known_path_mtu(q->qp), there = known_path_mtu(q->peer);

	if (here && there && here != there)
		why_add_there(q, IS_SO, "modify-qp RTR ... -mtu",
			      "path_mtu of %s is %s, and %s here: it must be the same",
			      q->peer->name, why_mtu(there), why_mtu(here));
}

void why_guess_path_mtu(const struct diagnosis *q)
{
	const enum ibv_mtu here = known_path_mtu(q->qp);

	if (here && !known_path_mtu(q->peer) && !causes_confirmed(q->c))
		cause_add(q->c, MAY_BE, "at the peer: qp-info",
			  "path_mtu is %s here: is it the same at the peer?", why_mtu(here));
}
