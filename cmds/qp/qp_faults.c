/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with the values of a change, seen before the kernel sees them.
 *
 * Not all of it is refused by every device: soft-RoCE takes a path MTU that the link
 * cannot carry, and the packets are lost. -force tries it.
 */
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "device/gids.h"
#include "objects.h"
#include "qp/qp_change.h"
#include "words.h"
#include "alloc.h"

__attribute__((format(printf, 2, 3))) static void fault(Tcl_Obj *faults, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	Tcl_ListObjAppendElement(NULL, faults, Tcl_NewStringObj(text, -1));
	free(text);
}

static void check_max(const struct qp_change *c, unsigned bit, const char *name, uint64_t value,
		      uint64_t max, const char *whose, Tcl_Obj *faults)
{
	if (c->mask & bit && value > max)
		fault(faults, "%s %llu is more than %llu, %s", name, (unsigned long long)value,
		      (unsigned long long)max, whose);
}

static void check_numbers(const struct qp_change *c, Tcl_Obj *faults)
{
	const struct ibv_device_attr *d = &c->qp->pd->dev->attr.orig_attr;
	const struct ibv_qp_attr *a = &c->a;
	static const char field3[] = "the largest of 3 bits", field5[] = "the largest of 5 bits";
	static const char field24[] = "the largest of 24 bits";

	check_max(c, IBV_QP_RQ_PSN, "RQ_PSN", a->rq_psn, 0xffffff, field24, faults);
	check_max(c, IBV_QP_SQ_PSN, "SQ_PSN", a->sq_psn, 0xffffff, field24, faults);
	check_max(c, IBV_QP_DEST_QPN, "DEST_QPN", a->dest_qp_num, 0xffffff, field24, faults);
	check_max(c, IBV_QP_TIMEOUT, "TIMEOUT", a->timeout, 31, field5, faults);
	check_max(c, IBV_QP_MIN_RNR_TIMER, "MIN_RNR_TIMER", a->min_rnr_timer, 31, field5, faults);
	check_max(c, IBV_QP_RETRY_CNT, "RETRY_CNT", a->retry_cnt, 7, field3, faults);
	check_max(c, IBV_QP_RNR_RETRY, "RNR_RETRY", a->rnr_retry, 7, field3, faults);
	check_max(c, IBV_QP_MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC", a->max_rd_atomic,
		  (uint64_t)d->max_qp_init_rd_atom, "the device's max_qp_init_rd_atom", faults);
	check_max(c, IBV_QP_MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC", a->max_dest_rd_atomic,
		  (uint64_t)d->max_qp_rd_atom, "the device's max_qp_rd_atom", faults);
}

static void check_port(const struct qp_change *c, Tcl_Obj *faults)
{
	const struct dev *dev = c->qp->pd->dev;
	uint8_t ports = dev->attr.orig_attr.phys_port_cnt;
	uint8_t number = c->mask & IBV_QP_PORT ? c->a.port_num : c->now.port_num;
	struct ibv_port_attr port;

	if (c->mask & IBV_QP_PORT && (!number || number > ports)) {
		fault(faults, "PORT %u: %s has %u port%s, counted from 1", number, dev->o.name,
		      ports, ports == 1 ? "" : "s");
		return;
	}
	if (!number || ibv_query_port(dev->v, number, &port))
		return;
	if (c->mask & IBV_QP_PKEY_INDEX && c->a.pkey_index >= port.pkey_tbl_len)
		fault(faults, "PKEY_INDEX %u: the table has %u entr%s", c->a.pkey_index,
		      port.pkey_tbl_len, port.pkey_tbl_len == 1 ? "y" : "ies");
	if (c->mask & IBV_QP_PATH_MTU && c->a.path_mtu > port.active_mtu)
		fault(faults,
		      "PATH_MTU %s is more than the port's active MTU %s: such packets do not "
		      "fit the link",
		      word_name(mtu_words, c->a.path_mtu), word_name(mtu_words, port.active_mtu));
	if (c->mask & IBV_QP_ALT_PATH && port.link_layer == IBV_LINK_LAYER_ETHERNET)
		fault(faults, "ALT_PATH: alternate paths are for InfiniBand ports, this is "
			      "Ethernet");
}

static const struct gid_row *row_of(const struct gid_row *rows, int n, unsigned index)
{
	for (int i = 0; i < n; i++)
		if (rows[i].e.gid_index == index)
			return &rows[i];
	return NULL;
}

static void check_gids(const struct dev *dev, const struct ibv_ah_attr *av, Tcl_Obj *faults)
{
	struct gid_row rows[GID_ROWS];
	int n = gid_table(dev, av->port_num, rows, GID_ROWS);
	const struct gid_row *r = row_of(rows, n, av->grh.sgid_index);
	const struct in6_addr *to = (const struct in6_addr *)(const void *)av->grh.dgid.raw;
	const struct in6_addr *from;

	if (n < 0)
		return;
	if (!r) {
		fault(faults, "AV: sgid_index %u is empty; see gids", av->grh.sgid_index);
		return;
	}
	if (IN6_IS_ADDR_UNSPECIFIED(to)) {
		fault(faults, "AV: dgid is ::");
		return;
	}
	if (r->e.gid_type == IBV_GID_TYPE_IB)
		return;
	from = (const struct in6_addr *)(const void *)r->e.gid.raw;
	if (!IN6_IS_ADDR_V4MAPPED(to) != !IN6_IS_ADDR_V4MAPPED(from))
		fault(faults,
		      "AV: dgid %s is an IPv%d address, but sgid_index %u (%s) is IPv%d; try %u",
		      gid_text(&av->grh.dgid), IN6_IS_ADDR_V4MAPPED(to) ? 4 : 6, av->grh.sgid_index,
		      gid_text(&r->e.gid), IN6_IS_ADDR_V4MAPPED(from) ? 4 : 6,
		      qp_sgid_for(dev, av->port_num, &av->grh.dgid));
}

static void check_av(const struct qp_change *c, Tcl_Obj *faults)
{
	const struct dev *dev = c->qp->pd->dev;
	const struct ibv_ah_attr *av = &c->a.ah_attr;
	struct ibv_port_attr port;

	if (!(c->mask & IBV_QP_AV) || ibv_query_port(dev->v, 1, &port))
		return;
	if (c->to == IBV_QPS_RTR && c->now.port_num && av->port_num != c->now.port_num) {
		fault(faults, "AV: port %u, but INIT gave the QP port %u", av->port_num,
		      c->now.port_num);
		return;
	}
	if (av->is_global)
		check_gids(dev, av, faults);
	else if (port.link_layer == IBV_LINK_LAYER_ETHERNET)
		fault(faults, "AV: on RoCE a peer is reached by its GID: -dgid (is_global = 1)");
	else if (!av->dlid)
		fault(faults, "AV: dlid is 0");
}

void qp_faults(const struct qp_change *c, Tcl_Obj *faults)
{
	if (c->mask & IBV_QP_CUR_STATE && c->a.cur_qp_state != c->actual)
		fault(faults, "CUR_STATE %s: the QP is in %s",
		      word_name(qp_state_words, c->a.cur_qp_state),
		      word_name(qp_state_words, c->actual));
	check_port(c, faults);
	check_numbers(c, faults);
	check_av(c, faults);
}
