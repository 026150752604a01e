/* SPDX-License-Identifier: MIT */
/*
 * modify-qp: one ibv_modify_qp(3), attribute by attribute.
 *
 * A change that the kernel would refuse is not asked for: the refusal names what is
 * missing and the whole command to type. -force asks all the same.
 */
#include <errno.h>

#include "cmd.h"
#include "modify_args.h"
#include "objects.h"
#include "out.h"
#include "qp_attrs.h"
#include "qp_change.h"
#include "qp_class.h"
#include "qp_history.h"
#include "qp_peer.h"
#include "session.h"
#include "call_trace.h"
#include "words.h"

/* What the connection manager would set on the way to this state. */
static int take_from_id(struct session *s, struct qp_change *c, struct id *id)
{
	int mask = 0;

	c->a.qp_state = c->to;
	if (rdma_init_qp_attr(id->v, &c->a, &mask)) {
		call_fail(s, errno, "%s for %s", id->o.name, word_name(qp_state_words, c->to));
		return fail_row(s, "state", "%s is %s", id->o.name,
				word_name(id_state_words, id->state));
	}
	c->id = id;
	c->by_id = (unsigned)mask & ~(unsigned)IBV_QP_STATE;
	c->mask |= c->by_id;
	return 0;
}

/* Single parts of the address vector may be given: the rest is filled in first. */
static void fill_address(struct qp_change *c, const struct modify_qp_args *args)
{
	const struct qp_row *row = qp_row(c->qp->type, c->from, c->to);

	if (args->fill && row && row->required & ~c->mask & IBV_QP_AV && !args->av.dgid.set &&
	    !args->av.dlid.set && c->qp->peer.known)
		qp_fill(c, IBV_QP_AV);
}

static int gather(struct session *s, struct qp_change *c, const struct modify_qp_args *args)
{
	struct ibv_qp_init_attr init;
	struct qp_peer peer;

	qp_query(c->qp, &c->now, &init);
	c->actual = qp_history_sync(c->qp, "device");
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
	modify_take(c, args);
	c->a.qp_state = c->to;
	return 0;
}

/* iWARP has no packet numbers and no GIDs to give: its connection manager does it all. */
static int by_cm_only(struct session *s, const struct qp_change *c)
{
	fail(s, "ibv_modify_qp", "EOPNOTSUPP",
	     "ibv_modify_qp not called: on iWARP (%s) only the connection manager brings a QP "
	     "to %s",
	     c->qp->pd->dev->o.name, word_name(qp_state_words, c->to));
	fail_next(s, "connect HOST PORT");
	return fail_row(s, "or", "-force asks the kernel anyway");
}

static int check(struct session *s, const struct qp_change *c)
{
	struct qp_verdict v = qp_change_judge(c);
	Tcl_Obj *faults;
	int n, rc = 0;

	if (c->qp->pd->dev->iwarp && c->mask & IBV_QP_STATE && c->to != IBV_QPS_RESET &&
	    c->to <= IBV_QPS_RTS)
		return by_cm_only(s, c);
	if (v.answer != QP_OK)
		return qp_refuse(s, c, &v);
	faults = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(faults);
	qp_faults(c, faults);
	Tcl_ListObjLength(NULL, faults, &n);
	if (n)
		rc = qp_refuse_values(s, c, faults);
	Tcl_DecrRefCount(faults);
	return rc;
}

static int call(struct session *s, struct qp_change *c)
{
	Tcl_DString where;
	int err, rc;

	Tcl_DStringInit(&where);
	qp_change_text(c, &where);
	err = ibv_modify_qp(c->qp->v, &c->a, (int)c->mask);
	if (err) {
		rc = call_fail(s, err, "%s, %s", c->qp->o.name, Tcl_DStringValue(&where));
		qp_explain_failure(s, c, err < 0 ? -err : err);
	} else {
		rc = 0;
	}
	Tcl_DStringFree(&where);
	return rc;
}

static void tell(struct session *s, const struct qp_change *c, struct out *o)
{
	const char *from = word_name(qp_state_words, c->actual);
	enum ibv_qp_state now = qp_history_state(c->qp);
	const char *to = word_name(qp_state_words, now);
	Tcl_DString text;

	out_str(o, "qp", c->qp->o.name, "%s", c->qp->o.name);
	out_str(o, "state", to, NULL);
	out_str(o, "from", from, " %s", from);
	out_str(o, "to", to, "%s%s\n", now == c->actual ? "" : " -> ", now == c->actual ? "" : to);
	if (!c->filled)
		return;
	Tcl_DStringInit(&text);
	qp_change_command(s, c, c->to, &text);
	out_str(o, "same_as", Tcl_DStringValue(&text), "  same as  %s\n", Tcl_DStringValue(&text));
	Tcl_DStringFree(&text);
}

static int cannot_fill(struct session *s, const struct qp_change *c, unsigned unknown)
{
	Tcl_DString names;

	Tcl_DStringInit(&names);
	qp_attr_names(unknown, ", ", &names);
	fail(s, "modify-qp", "ENOENT", "%s of %s cannot be filled in: the peer is not known",
	     Tcl_DStringValue(&names), c->qp->o.name);
	Tcl_DStringSetLength(&names, 0);
	qp_change_command(s, c, c->to, &names);
	fail_next(s, "oob connect HOST PORT");
	fail_row(s, "or", "%s", Tcl_DStringValue(&names));
	Tcl_DStringFree(&names);
	return -1;
}

/* An id gives the attributes of the state its connection is ready for. */
static int told_by_id(struct session *s, const struct id *id)
{
	return fail_row(s, "note",
			"%s is %s: rdma_init_qp_attr knows the peer only after the id has its "
			"answer",
			id->o.name, word_name(id_state_words, id->state));
}

int qp_move(struct session *s, struct qp *qp, enum ibv_qp_state to, const struct ibv_qp_attr *a,
	    unsigned mask)
{
	struct qp_change c = { .qp = qp, .to = to };
	struct ibv_qp_init_attr init;
	const struct qp_row *row;
	unsigned unknown;

	qp_query(qp, &c.now, &init);
	if (a)
		c.a = *a;
	c.mask = mask | IBV_QP_STATE;
	c.actual = c.from = qp_history_sync(qp, "device");
	row = qp_row(qp->type, c.from, to);
	unknown = row ? qp_fill(&c, row->required & ~c.mask) : 0;
	if (unknown)
		return cannot_fill(s, &c, unknown);
	c.a.qp_state = to;
	if (check(s, &c) || call(s, &c))
		return -1;
	qp_history_sync(qp, "modify-qp");
	return 0;
}

static int modify_qp_exec(struct session *s, const void *args, struct out *o)
{
	const struct modify_qp_args *a = args;
	struct qp_change c = { .qp = a->qp };
	const struct qp_row *row;

	if (gather(s, &c, a))
		return -1;
	row = qp_row(c.qp->type, c.from, c.to);
	if (a->fill && row) {
		unsigned unknown = qp_fill(&c, row->required & ~c.mask);

		if (unknown && !a->force)
			return cannot_fill(s, &c, unknown);
	}
	if (!a->force && check(s, &c))
		return a->from_id ? told_by_id(s, a->from_id) : -1;
	if (call(s, &c))
		return -1;
	qp_history_sync(c.qp, "modify-qp");
	if (c.to == IBV_QPS_RTS && c.actual != IBV_QPS_RTS)
		qp_dump(s, c.qp);
	tell(s, &c, o);
	return 0;
}

static const struct cmd_eg modify_qp_egs[] = {
	{ "modify-qp RTS", "RESET -> RTS is not a transition" },
	{ "modify-qp INIT -port 1", "missing PKEY_INDEX, ACCESS_FLAGS" },
	{ "modify-qp INIT -port 1 -pkey-index 0 -access remote-write,remote-read",
	  "RESET -> INIT" },
	{ "modify-qp -access remote-read", "qp0 INIT" },
	{ "modify-qp RTR -peer [qp-info] -fill", "INIT -> RTR" },
	{ "modify-qp RTS -fill", "RTR -> RTS" },
	{ "modify-qp ERR", "RTS -> ERR" },
	{ NULL, NULL }
};

const struct cmd cmd_modify_qp = {
	.name = "modify-qp",
	.family = "by hand",
	.summary = "move a QP to another state, or change its attributes",
	.text = "A QP goes RESET -> INIT -> RTR -> RTS, and each step needs its own attributes:\n"
		"none may be missing, and none may be given that the step does not take. What\n"
		"the kernel would refuse is refused before, with the reason and the command to\n"
		"type; -force asks the kernel all the same. -fill adds required attributes that\n"
		"are not given: the QPN, PSN and address of the peer as oob or -peer told them,\n"
		"the smaller MTU of the two, timeout 14, retry-cnt 6, rnr-retry 7, min-rnr-timer\n"
		"12, one READ in flight. Without a state the attributes of the present one are\n"
		"changed. qp-state shows what comes next.",
	.calls = "ibv_modify_qp(3), rdma_init_qp_attr(3)",
	.setup = "qp create",
	.examples = modify_qp_egs,
	.args = modify_qp_args,
	.size = sizeof(struct modify_qp_args),
	.exec = modify_qp_exec,
};
