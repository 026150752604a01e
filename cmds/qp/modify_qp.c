/* SPDX-License-Identifier: MIT */
/* modify-qp: its arguments, and the transition. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "explain/explain.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

/*
 * The arguments of modify-qp. An address vector is one attribute that has several options; those
 * that are not given have defaults.
 */

static void complete_state(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s;
	for (const struct word *w = a->data; w->name; w++)
		value_append(words, w->name);
}

/* Is the first word a state, or so much like one that the parser of states can suggest which?
 * Otherwise it is the name of a QP. */
static bool is_state(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	const char *text = Tcl_GetString(word);
	SCOPED_LIST(states);
	bool is_near;

	if (word_find(a->data, text))
		return true;
	if (obj_find(s, NULL, text))
		return false;
	complete_state(s, a, states);
	is_near = cmd_suggest(text, states) != NULL;
	return is_near;
}

/* Names of objects are seldom in capitals. */
static bool is_state_in_capitals(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	for (const char *c = Tcl_GetString(word); *c; c++)
		if (islower((unsigned char)*c))
			return false;
	return is_state(s, a, word);
}

static const struct arg_kind kind_state = { .word = "state",
					    .size = sizeof(struct num),
					    .parse = args_parse_enum,
					    .matches = is_state,
					    .is_certain = is_state_in_capitals,
					    .complete = complete_state };

/* The states in which ibv_modify_qp(3) takes cur_qp_state. */
static const struct word cur_state_words[] = {
	{ "RTR", IBV_QPS_RTR, NULL },
	{ "RTS", IBV_QPS_RTS, NULL },
	{ "SQD", IBV_QPS_SQD, NULL },
	{ "SQE", IBV_QPS_SQE, NULL },
	{ .name = NULL },
};

#define NUM(name, field, kind, help, ...) \
	OPT(name, qp_modify_args, field, kind, help, ##__VA_ARGS__)

const struct arg qp_modify_args[] = {
	POS_OPT("state", qp_modify_args, state, kind_state, "state to go to; else it stays",
		.data = qp_state_words),
	POS_OPT("qp", qp_modify_args, qp, kind_qp, "QP; else the current one"),
	SWITCH("fill", qp_modify_args, fill, "add required attributes whose values are known"),
	SWITCH("force", qp_modify_args, force, "call the kernel even if it will fail"),
	OPT("from-id", qp_modify_args, from_id, kind_id_opt,
	    "attributes from rdma_init_qp_attr of this id"),
	OPT("peer", qp_modify_args, peer, kind_obj, "dict from the other end's qp-info"),
	NUM("port", port, kind_u8, "port of the device, from 1"),
	NUM("pkey-index", pkey_index, kind_u16, "index into the port's P_Key table"),
	NUM("access", access, kind_flags, "what the peer may do", .data = qp_access_words),
	NUM("qkey", qkey, kind_u32, "Q_Key (UD): packets with another are dropped"),
	NUM("mtu", mtu, kind_enum, "path MTU in bytes", .data = mtu_words),
	NUM("dest-qpn", dest_qpn, kind_u32, "number of the peer's QP"),
	NUM("rq-psn", rq_psn, kind_u32, "packet number the peer begins with"),
	NUM("sq-psn", sq_psn, kind_u32, "packet number to begin with"),
	NUM("max-rd-atomic", max_rd_atomic, kind_u32, "READs and atomics in flight to the peer"),
	NUM("max-dest-rd-atomic", max_dest_rd_atomic, kind_u32,
	    "READs and atomics of the peer in flight"),
	NUM("min-rnr-timer", min_rnr_timer, kind_u32,
	    "how long the peer waits where no RECV is posted; 12: 0.64 ms"),
	NUM("timeout", timeout, kind_u32, "wait for an ACK: 4.096 us * 2^n; 0: for ever"),
	NUM("retry-cnt", retry_cnt, kind_u32, "retries when no ACK comes, 0 to 7"),
	NUM("rnr-retry", rnr_retry, kind_u32, "retries when the peer posted no RECV; 7: for ever"),
	NUM("cur-state", cur_state, kind_enum, "state in which you believe the QP is",
	    .data = cur_state_words),
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

/* A number that has no room in its field, so that not even -force can pass it: fails with the limit
 * of the attribute. */
static int fail_no_room(struct session *s, struct qp_change *c, const struct qp_attr_def *d,
			uint64_t value)
{
	const struct dev *dev = c->qp->pd->dev;
	const struct qp_limits limits = { .name = dev->o.name,
					  .device = &dev->attr.orig_attr,
					  .right = &c->a,
					  .right_mask = &c->mask };
	struct causes problems = { 0 };

	c->mask |= d->bit;
	why_qp_check_max(&limits, d->bit, value, &problems);
	fail(s, "ibv_modify_qp", "EINVAL", "ibv_modify_qp not called: %s", problems.v[0].text);
	causes_free(&problems);
	return qp_next_on_device(s, c);
}

static int take_plain(struct session *s, struct qp_change *c, const struct qp_modify_args *args)
{
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		const void *at = (const char *)args + d->arg;
		const struct num *n = at;

		if (!d->option || !n->set)
			continue;
		if (!qp_attr_set(&c->a, d, n->v))
			return fail_no_room(s, c, d, n->v);
		c->mask |= d->bit;
	}
	return 0;
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

static void take_alt(struct qp_change *c, const struct qp_modify_args *args)
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

/* Copies the given attributes to the change. */
static int modify_take(struct session *s, struct qp_change *c, const struct qp_modify_args *args)
{
	if (take_plain(s, c, args))
		return -1;
	if (take_av(c, &args->av, &c->a.ah_attr))
		c->mask |= IBV_QP_AV;
	take_alt(c, args);
	return 0;
}

/*
 * modify-qp: one ibv_modify_qp(3), attribute by attribute.
 *
 * A change that the kernel would reject fails before the call, with the missing attributes and the
 * whole command to type. -force calls the kernel in any case.
 */

/* Copies the attributes that the connection manager would set for this state. */
static int take_from_id(struct session *s, struct qp_change *c, struct id *id)
{
	int mask = 0;

	c->a.qp_state = c->to;
	if (rdma_init_qp_attr(id->v, &c->a, &mask)) {
		call_fail(s, "%s for %s", id->o.name, word_name(qp_state_words, c->to));
		return fail_row(s, "state", "%s is %s", id->o.name,
				word_name(id_state_words, id->state));
	}
	c->id = id;
	c->by_id = (unsigned)mask & ~(unsigned)IBV_QP_STATE;
	c->mask |= c->by_id;
	return 0;
}

/* Fills in the parts of the address vector that are not given. */
static void fill_address(struct qp_change *c, const struct qp_modify_args *args)
{
	const struct qp_row *row = qp_row(c->qp->type, c->from, c->to);

	if (args->fill && row && row->required & ~c->mask & IBV_QP_AV && !args->av.dgid.set &&
	    !args->av.dlid.set && c->qp->peer.known)
		qp_fill(c, IBV_QP_AV);
}

static int gather_change(struct session *s, struct qp_change *c, const struct qp_modify_args *args)
{
	struct ibv_qp_init_attr init;
	struct qp_peer peer;

	qp_query(c->qp, &c->now, &init);
	c->actual = qp_history_sync(c->qp, NULL);
	c->from = args->cur_state.set ? (enum ibv_qp_state)args->cur_state.v : c->actual;
	c->to = args->state.set ? (enum ibv_qp_state)args->state.v : c->from;
	if (args->state.set)
		c->mask |= IBV_QP_STATE;
	if (args->from_id && take_from_id(s, c, args->from_id))
		return -1;
	if (args->peer &&
	    (qp_peer_from_dict(s, args->peer, &peer) || qp_peer_adopt(s, c->qp, &peer)))
		return -1;
	fill_address(c, args);
	if (modify_take(s, c, args))
		return -1;
	c->a.qp_state = c->to;
	return 0;
}

/* Fails on iWARP, which has no PSNs and GIDs: only the connection manager can connect a QP. */
static int by_cm_only(struct session *s, const struct qp_change *c)
{
	fail(s, "ibv_modify_qp", "EOPNOTSUPP",
	     "ibv_modify_qp not called: on iWARP (%s) only the connection manager brings a QP "
	     "to %s",
	     c->qp->pd->dev->o.name, word_name(qp_state_words, c->to));
	fail_next(s, "connect HOST PORT");
	return fail_row(s, "or", "-force calls the kernel anyway");
}

static int check_change(struct session *s, const struct qp_change *c)
{
	struct qp_verdict v = qp_change_judge(c);
	struct causes problems = { 0 };
	int rc = 0;

	if (c->qp->pd->dev->iwarp && c->mask & IBV_QP_STATE && c->to != IBV_QPS_RESET &&
	    c->to <= IBV_QPS_RTS)
		return by_cm_only(s, c);
	if (v.answer != QP_OK)
		return qp_refuse(s, c, &v);
	qp_check_values(c, NULL, &problems);
	if (problems.n)
		rc = qp_refuse_values(s, c, &problems);
	causes_free(&problems);
	return rc;
}

static int call_modify_qp(struct session *s, struct qp_change *c)
{
	SCOPED_TEXT(where);

	if (!ibv_modify_qp(c->qp->v, &c->a, (int)c->mask))
		return 0;
	qp_change_text(c, &where);
	call_fail(s, "%s, %s", c->qp->o.name, text_str(&where));
	return call_fail_why(s);
}

static void out_change(struct session *s, const struct qp_change *c, struct out *o)
{
	const char *from = word_name(qp_state_words, c->actual);
	enum ibv_qp_state now = qp_history_state(c->qp);
	const char *to = word_name(qp_state_words, now);
	SCOPED_TEXT(text);

	out_str(o, "qp", c->qp->o.name, "%s", c->qp->o.name);
	out_str(o, "state", to, NULL);
	out_str(o, "from", from, " %s", from);
	out_str(o, "to", to, "%s%s\n", now == c->actual ? "" : " -> ", now == c->actual ? "" : to);
	if (!c->filled)
		return;
	qp_change_command(s, c, c->to, &text);
	out_str(o, "same_as", text_str(&text), "  same as  %s\n", text_str(&text));
}

/* Another QP of this session that may be meant as the peer of qp, or NULL. */
static const struct qp *unconnected_qp(struct session *s, const struct qp *qp)
{
	const struct qp *other;

	obj_foreach_of(other, s, &qp_class) {
		if (other != qp && other->type == qp->type && !other->id &&
		    qp_history_state(other) <= IBV_QPS_INIT)
			return other;
	}
	return NULL;
}

static int cannot_fill(struct session *s, const struct qp_change *c, unsigned unknown)
{
	const struct qp *other = unconnected_qp(s, c->qp);
	SCOPED_TEXT(names);

	word_flag_names(qp_attr_words, unknown, ", ", &names);
	fail(s, "modify-qp", "ENOENT", "%s of %s cannot be filled in: the peer is not known",
	     text_str(&names), c->qp->o.name);
	text_resize(&names, 0);
	qp_change_command(s, c, c->to, &names);
	if (unknown & IBV_QP_AV)
		fail_row(s, "AV", "the address vector: the way to the peer, its GID or LID");
	if (other)
		fail_next(s, "modify-qp RTR %s -peer [qp-info %s] -fill", c->qp->o.name,
			  other->o.name);
	else
		fail_next(s, "oob connect HOST PORT");
	fail_row(s, "or", "%s", text_str(&names));
	return -1;
}

/* Adds a row: an id provides only the attributes of the states that its connection has reached. */
static int told_by_id(struct session *s, const struct id *id)
{
	return fail_row(s, "note",
			"%s is %s: rdma_init_qp_attr knows the peer only after the id has its "
			"answer",
			id->o.name, word_name(id_state_words, id->state));
}

extern const struct cmd cmd_modify_qp;

static int nothing_to_change(struct session *s, const struct qp_change *c)
{
	fail(s, "args", "MISSING", "modify-qp: neither a state nor an attribute is given");
	args_fail_usage(s, &cmd_modify_qp);
	return fail_next(s, "qp-state %s", c->qp->o.name);
}

static int modify_qp_exec(struct session *s, const void *args, struct out *o)
{
	const struct qp_modify_args *a = args;
	struct qp_change c = { .qp = a->qp };
	const struct qp_row *row;

	if (gather_change(s, &c, a))
		return -1;
	if (!c.mask && !a->fill && !a->force)
		return nothing_to_change(s, &c);
	row = qp_row(c.qp->type, c.from, c.to);
	if (a->fill && row) {
		unsigned unknown = qp_fill(&c, row->required & ~c.mask);

		if (unknown && !a->force)
			return cannot_fill(s, &c, unknown);
	}
	if (!a->force && check_change(s, &c))
		return a->from_id ? told_by_id(s, a->from_id) : -1;
	if (call_modify_qp(s, &c))
		return -1;
	qp_history_asked(c.qp, "modify-qp");
	if (c.to == IBV_QPS_RTS && c.actual != IBV_QPS_RTS)
		qp_dump(s, c.qp);
	out_change(s, &c, o);
	return 0;
}

/** A QP goes RESET -> INIT -> RTR -> RTS, and each step needs its own attributes:
 * give all of these, and only attributes that the transition takes. A
 * change that the kernel would reject fails before the call, with the reason and the
 * command to type; -force calls the kernel anyway. -fill adds required attributes that
 * are not given: the QPN, PSN and address of the peer from oob or -peer,
 * the smaller MTU of the two, timeout 14, retry-cnt 6, rnr-retry 7, min-rnr-timer
 * 12, one READ in flight. Without a state it changes attributes
 * of the current one. qp-state shows the next states.
 * > modify-qp RTS => RESET -> RTS is not a transition
 * > modify-qp INIT -port 1 => missing PKEY_INDEX, ACCESS_FLAGS
 * > modify-qp INIT -port 1 -pkey-index 0 -access remote-write,remote-read => RESET -> INIT
 * > modify-qp -access remote-read => qp0 INIT
 * > modify-qp RTR -peer [qp-info] -fill => INIT -> RTR
 * > modify-qp RTS -fill => RTR -> RTS
 * > modify-qp ERR => RTS -> ERR */
const struct cmd cmd_modify_qp = {
	.name = "modify-qp",
	.family = "by hand",
	.summary = "move a QP to another state, or change its attributes",
	.calls = "ibv_modify_qp(3), rdma_init_qp_attr(3)",
	.setup = "qp create",
	.args = qp_modify_args,
	.exec = modify_qp_exec,
};
