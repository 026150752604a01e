/* SPDX-License-Identifier: MIT */
/*
 * The arguments of modify-qp. An address vector is one attribute made of several
 * options; what of it is not given has a value that works.
 */
#include <stddef.h>

#include "modify_args.h"
#include "objects.h"
#include "qp_attrs.h"
#include "words.h"

/* The state comes first and is one of the words; a QP may be called otherwise. */
static bool is_state(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)s;
	return args_word(a->data, Tcl_GetString(word)) != NULL;
}

static int parse_state(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	return kind_enum.parse(s, a, word, dst);
}

static void complete_state(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s;
	for (const struct word *w = a->data; w->name; w++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(w->name, -1));
}

static const struct arg_kind kind_state = { .word = "state",
					    .size = sizeof(struct num),
					    .parse = parse_state,
					    .matches = is_state,
					    .complete = complete_state };

#define NUM(name, field, kind, help, ...) \
	OPT(name, modify_qp_args, field, kind, help, ##__VA_ARGS__)

const struct arg modify_qp_args[] = {
	POS_OPT("state", modify_qp_args, state, kind_state, "state to go to; else it stays",
		.data = qp_state_words),
	POS_OPT("qp", modify_qp_args, qp, kind_qp, "QP; else the current one"),
	SWITCH("fill", modify_qp_args, fill, "add what is required and can be known"),
	SWITCH("force", modify_qp_args, force, "ask the kernel even if it will refuse"),
	OPT("from-id", modify_qp_args, from_id, kind_id_opt,
	    "attributes from rdma_init_qp_attr of this id"),
	OPT("peer", modify_qp_args, peer, kind_obj, "dict from the other end's qp-info"),
	NUM("port", port, kind_u8, "port of the device, from 1"),
	NUM("pkey-index", pkey_index, kind_u16, "index into the port's P_Key table"),
	NUM("access", access, kind_flags, "what the peer may do", .data = qp_access_words),
	NUM("qkey", qkey, kind_u32, "Q_Key (UD): packets with another are dropped"),
	NUM("mtu", mtu, kind_enum, "path MTU in bytes", .data = mtu_words),
	NUM("dest-qpn", dest_qpn, kind_u32, "number of the peer's QP"),
	NUM("rq-psn", rq_psn, kind_u32, "packet number the peer begins with"),
	NUM("sq-psn", sq_psn, kind_u32, "packet number to begin with"),
	NUM("max-rd-atomic", max_rd_atomic, kind_u8, "READs and atomics in flight to the peer"),
	NUM("max-dest-rd-atomic", max_dest_rd_atomic, kind_u8, "those of the peer in flight here"),
	NUM("min-rnr-timer", min_rnr_timer, kind_u8,
	    "wait asked of the peer when no RECV is posted; 12: 0.64 ms"),
	NUM("timeout", timeout, kind_u8, "wait for an ACK: 4.096 us * 2^n; 0: for ever"),
	NUM("retry-cnt", retry_cnt, kind_u8, "tries when no ACK comes, 0 to 7"),
	NUM("rnr-retry", rnr_retry, kind_u8, "tries when the peer posted no RECV; 7: for ever"),
	NUM("cur-state", cur_state, kind_enum, "state the QP is in, as you believe",
	    .data = qp_state_words),
	NUM("en-sqd-async-notify", en_sqd_async_notify, kind_u8, "1: event SQ_DRAINED when drained",
	    .max = 1),
	NUM("path-mig-state", path_mig_state, kind_enum, "automatic path migration",
	    .data = mig_state_words),
	NUM("dgid", av.dgid, kind_gid, "GID or IP address of the peer"),
	NUM("sgid-index", av.sgid_index, kind_u8, "our GID; else the one that fits dgid best"),
	NUM("hop-limit", av.hop_limit, kind_u8, "routers to cross; else 64"),
	NUM("traffic-class", av.traffic_class, kind_u8, "DSCP and ECN of the packets"),
	NUM("flow-label", av.flow_label, kind_u32, "IPv6 flow label", .max = 0xfffff),
	NUM("dlid", av.dlid, kind_u16, "LID of the peer (InfiniBand)"),
	NUM("sl", av.sl, kind_u8, "service level", .max = 15),
	NUM("global", av.global, kind_u8, "is_global: 1 with -dgid", .max = 1),
	NUM("alt-dgid", alt.dgid, kind_gid, "alternate path: GID"),
	NUM("alt-sgid-index", alt.sgid_index, kind_u8, "alternate path: our GID"),
	NUM("alt-dlid", alt.dlid, kind_u16, "alternate path: LID"),
	NUM("alt-port", alt_port, kind_u8, "alternate path: port"),
	NUM("alt-pkey-index", alt_pkey_index, kind_u16, "alternate path: P_Key"),
	NUM("alt-timeout", alt_timeout, kind_u8, "alternate path: timeout"),
	ARGS_END
};

/* Where the plain attributes are in the argument struct. */
static const struct {
	unsigned bit;
	size_t arg;
} plain[] = {
#define PLAIN(bit, field)                                            \
	{                                                            \
		IBV_QP_##bit, offsetof(struct modify_qp_args, field) \
	}
	PLAIN(PORT, port),
	PLAIN(PKEY_INDEX, pkey_index),
	PLAIN(ACCESS_FLAGS, access),
	PLAIN(QKEY, qkey),
	PLAIN(PATH_MTU, mtu),
	PLAIN(DEST_QPN, dest_qpn),
	PLAIN(RQ_PSN, rq_psn),
	PLAIN(SQ_PSN, sq_psn),
	PLAIN(MAX_QP_RD_ATOMIC, max_rd_atomic),
	PLAIN(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	PLAIN(MIN_RNR_TIMER, min_rnr_timer),
	PLAIN(TIMEOUT, timeout),
	PLAIN(RETRY_CNT, retry_cnt),
	PLAIN(RNR_RETRY, rnr_retry),
	PLAIN(CUR_STATE, cur_state),
	PLAIN(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
	PLAIN(PATH_MIG_STATE, path_mig_state),
};

static void take_plain(struct qp_change *c, const struct modify_qp_args *args)
{
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		const void *at = (const char *)args + plain[i].arg;
		const struct num *n = at;
		const struct qp_attr_def *d = qp_attr_defs;

		if (!n->set)
			continue;
		while (d->bit != plain[i].bit)
			d++;
		qp_attr_set(&c->a, d, n->v);
		c->mask |= d->bit;
	}
}

static bool take_av(struct qp_change *c, const struct av_args *a, struct ibv_ah_attr *av)
{
	bool given = a->dgid.set || a->dlid.set || a->sgid_index.set || a->hop_limit.set ||
		     a->traffic_class.set || a->flow_label.set || a->sl.set || a->global.set;

	if (!given)
		return false;
	if (!(c->mask & IBV_QP_AV))
		av->port_num = c->now.port_num ? c->now.port_num : 1;
	if (a->dgid.set) {
		av->is_global = 1;
		av->grh.dgid = a->dgid.v;
		av->grh.hop_limit = 64;
		av->grh.sgid_index = (uint8_t)qp_sgid_for(c->qp->pd->dev, av->port_num, &a->dgid.v);
	}
	if (a->sgid_index.set)
		av->grh.sgid_index = (uint8_t)a->sgid_index.v;
	if (a->hop_limit.set)
		av->grh.hop_limit = (uint8_t)a->hop_limit.v;
	if (a->traffic_class.set)
		av->grh.traffic_class = (uint8_t)a->traffic_class.v;
	if (a->flow_label.set)
		av->grh.flow_label = (uint32_t)a->flow_label.v;
	if (a->dlid.set)
		av->dlid = (uint16_t)a->dlid.v;
	if (a->sl.set)
		av->sl = (uint8_t)a->sl.v;
	if (a->global.set)
		av->is_global = (uint8_t)a->global.v;
	return true;
}

static void take_alt(struct qp_change *c, const struct modify_qp_args *args)
{
	bool av = take_av(c, &args->alt, &c->a.alt_ah_attr);

	if (!av && !args->alt_port.set && !args->alt_pkey_index.set && !args->alt_timeout.set)
		return;
	c->a.alt_port_num = args->alt_port.set ? (uint8_t)args->alt_port.v : 1;
	c->a.alt_ah_attr.port_num = c->a.alt_port_num;
	c->a.alt_pkey_index = (uint16_t)args->alt_pkey_index.v;
	c->a.alt_timeout = (uint8_t)args->alt_timeout.v;
	c->mask |= IBV_QP_ALT_PATH;
}

void modify_take(struct qp_change *c, const struct modify_qp_args *args)
{
	take_plain(c, args);
	if (take_av(c, &args->av, &c->a.ah_attr))
		c->mask |= IBV_QP_AV;
	take_alt(c, args);
}
