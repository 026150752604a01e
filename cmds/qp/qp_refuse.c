/* SPDX-License-Identifier: MIT */
/*
 * Why a change of a QP is rejected, before the call or by the kernel, and what to type.
 *
 * The kernel returns EINVAL for a missing attribute, for an extra one and for a wrong value; the
 * table of transitions and the live objects show which it was.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "device/gids.h"
#include "explain/explain_wc.h"
#include "launch.h"
#include "objects.h"
#include "qp/modify_qp.h"
#include "session.h"
#include "words.h"

static const char *state_name(enum ibv_qp_state state)
{
	return word_name(qp_state_words, state);
}

struct qp_verdict qp_change_judge(const struct qp_change *c)
{
	struct qp_verdict v = qp_judge(c->qp->type, c->from, c->to, c->mask);

	if (!v.refused || launch_loaded())
		return v;
	v.extra |= v.refused;
	if (v.answer == QP_OK)
		v.answer = QP_EXTRA;
	return v;
}

static void append_text(Tcl_DString *d, const char *text)
{
	Tcl_DStringAppend(d, text, -1);
}

void qp_change_text(const struct qp_change *c, Tcl_DString *text)
{
	append_text(text, state_name(c->from));
	if (!(c->mask & IBV_QP_STATE))
		return;
	append_text(text, " -> ");
	append_text(text, state_name(c->to));
}

void qp_change_command(struct session *s, const struct qp_change *given, enum ibv_qp_state to,
		       Tcl_DString *text)
{
	const struct qp_row *row = qp_row(given->qp->type, given->from, to);
	struct qp_change c = *given;
	unsigned takes = row ? row->required | row->optional : 0, unknown;

	append_text(text, "modify-qp");
	if (to != given->actual) { /* states are typed in capitals */
		append_text(text, " ");
		append_text(text, state_name(to));
	}
	if (s->ctx->qp != c.qp) {
		append_text(text, " ");
		append_text(text, c.qp->o.name);
	}
	c.mask &= takes;
	unknown = qp_fill(&c, row ? row->required & ~c.mask : 0);
	qp_attr_options(&c.a, c.mask | unknown, unknown, text);
}

/* The next state on the way to `to`. */
static enum ibv_qp_state next_state_toward(enum ibv_qp_type type, enum ibv_qp_state from,
					   enum ibv_qp_state to)
{
	if (from == IBV_QPS_SQE && to != IBV_QPS_INIT && to != IBV_QPS_RTR)
		return IBV_QPS_RTS;
	if (from <= IBV_QPS_RTS && (to > from || to == IBV_QPS_ERR) && qp_row(type, from, from + 1))
		return from + 1;
	return IBV_QPS_RESET;
}

static void add_next_command(struct session *s, const struct qp_change *c, enum ibv_qp_state to)
{
	Tcl_DString text;

	Tcl_DStringInit(&text);
	qp_change_command(s, c, to, &text);
	if (strchr(Tcl_DStringValue(&text), ' ')) /* else nothing is left of it */
		fail_next(s, "%s", Tcl_DStringValue(&text));
	Tcl_DStringFree(&text);
}

/* Appends the states that a QP may move to: "INIT (or RESET)". */
static void append_reachable(enum ibv_qp_type type, enum ibv_qp_state from, Tcl_DString *d)
{
	const char *between = "", *close = "";

	for (enum ibv_qp_state to = IBV_QPS_INIT; to < IBV_QPS_ERR; to++)
		if (to != from && qp_row(type, from, to)) {
			append_text(d, between);
			append_text(d, state_name(to));
			between = ", ";
		}
	if (*between) {
		append_text(d, " (or ");
		close = ")";
	}
	append_text(d, "RESET");
	if (from != IBV_QPS_ERR && qp_row(type, from, IBV_QPS_ERR))
		append_text(d, ", ERR");
	append_text(d, close);
}

static int no_transition(struct session *s, const struct qp_change *c)
{
	Tcl_DString where, reach;

	Tcl_DStringInit(&where);
	Tcl_DStringInit(&reach);
	qp_change_text(c, &where);
	append_reachable(c->qp->type, c->from, &reach);
	if (c->mask & IBV_QP_STATE)
		fail(s, "ibv_modify_qp", "EINVAL",
		     "ibv_modify_qp not called: %s is not a transition. From %s a QP goes to %s.",
		     Tcl_DStringValue(&where), state_name(c->from), Tcl_DStringValue(&reach));
	else
		fail(s, "ibv_modify_qp", "EINVAL",
		     "ibv_modify_qp not called: in %s no attributes can be changed.",
		     state_name(c->from));
	if (c->to == IBV_QPS_SQE)
		fail_row(s, "note",
			 "a device puts a UC or UD QP into SQE when a send fails; "
			 "nobody else does");
	if (c->mask & IBV_QP_STATE)
		add_next_command(s, c, next_state_toward(c->qp->type, c->from, c->to));
	Tcl_DStringFree(&where);
	Tcl_DStringFree(&reach);
	return -1;
}

static void optional_row(struct session *s, const struct qp_row *row)
{
	Tcl_DString names;

	Tcl_DStringInit(&names);
	qp_attr_names(row->optional, "  ", &names);
	fail_row(s, "optional", "%s", row->optional ? Tcl_DStringValue(&names) : "none");
	Tcl_DStringFree(&names);
}

int qp_refuse(struct session *s, const struct qp_change *c, const struct qp_verdict *v)
{
	Tcl_DString where, missing, extra;

	if (!v->row)
		return no_transition(s, c);
	Tcl_DStringInit(&where);
	Tcl_DStringInit(&missing);
	Tcl_DStringInit(&extra);
	qp_change_text(c, &where);
	qp_attr_names(v->missing, ", ", &missing);
	qp_attr_names(v->extra, ", ", &extra);
	fail(s, "ibv_modify_qp", "EINVAL",
	     "ibv_modify_qp(%s, %s) would fail with EINVAL: %s%s%s%s%s", Tcl_DStringValue(&where),
	     word_name(qp_type_words, c->qp->type), v->missing ? "missing " : "",
	     Tcl_DStringValue(&missing), v->missing && v->extra ? "; " : "",
	     Tcl_DStringValue(&extra), v->extra ? " is not taken here" : "");
	if (v->answer == QP_NO_CUR_STATE && !v->extra)
		fail_row(s, "note", "CUR_STATE can be given in RTR, RTS, SQD, SQE only");
	qp_attr_rows(s, "required", &c->a, v->row->required & c->mask, v->missing);
	if (v->extra)
		optional_row(s, v->row);
	if (v->row->note)
		fail_row(s, "note", "%s", v->row->note);
	add_next_command(s, c, c->to);
	fail_row(s, "or", "-force asks the kernel anyway%s",
		 v->missing ? "; -fill adds what can be known" : "");
	Tcl_DStringFree(&where);
	Tcl_DStringFree(&missing);
	Tcl_DStringFree(&extra);
	return -1;
}

int qp_refuse_values(struct session *s, const struct qp_change *c, Tcl_Obj *faults)
{
	Tcl_DString where;
	Tcl_Obj **v;
	int n;

	Tcl_DStringInit(&where);
	qp_change_text(c, &where);
	Tcl_ListObjGetElements(NULL, faults, &n, &v);
	fail(s, "ibv_modify_qp", "EINVAL", "ibv_modify_qp(%s, %s) not called: %s",
	     Tcl_DStringValue(&where), word_name(qp_type_words, c->qp->type), Tcl_GetString(v[0]));
	for (int i = 1; i < n; i++)
		fail_row(s, "and", "%s", Tcl_GetString(v[i]));
	Tcl_DStringFree(&where);
	return fail_row(s, "or", "-force asks the kernel anyway");
}

static void likely_einval(struct session *s, const struct qp_change *c, Tcl_Obj *faults)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now = { 0 };
	Tcl_Obj **v;
	int n;

	Tcl_ListObjGetElements(NULL, faults, &n, &v);
	for (int i = 0; i < n; i++)
		fail_row(s, "likely", "%s", Tcl_GetString(v[i]));
	if (c->actual == IBV_QPS_SQD && ibv_query_qp(c->qp->v, &now, IBV_QP_STATE, &init) == 0 &&
	    now.sq_draining)
		fail_row(s, "likely", "the send queue is still draining: wait for SQ_DRAINED");
	else if (!n)
		fail_row(s, "likely",
			 "the device is stricter than the rule of the kernel's "
			 "core; the kernel's log may say more (dmesg)");
}

static void likely_unreachable(struct session *s, const struct qp_change *c)
{
	const struct ibv_ah_attr *av = &c->a.ah_attr;
	const char *dgid = gid_text(&av->grh.dgid);

	if (!(c->mask & IBV_QP_AV) || !av->is_global) {
		fail_row(s, "likely", "the device did not answer in time");
		return;
	}
	fail_row(s, "likely",
		 "the Ethernet address of %s was not found from sgid_index %u: another "
		 "subnet, or nobody there",
		 dgid, av->grh.sgid_index);
	if (IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)(const void *)av->grh.dgid.raw))
		fail_row(s, "likely",
			 "a link-local address reaches only the same link; use the "
			 "IPv4 one (gids)");
	fail_next(s, "gids");
}

static void add_likely_row(struct session *s, const struct qp_change *c, int err, Tcl_Obj *faults)
{
	switch (err) {
	case EINVAL:
		likely_einval(s, c, faults);
		break;
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
		likely_unreachable(s, c);
		break;
	case ENODATA:
	case ENODEV:
	case ENXIO:
		fail_row(s, "likely",
			 err == ENODATA ? "there is no GID at sgid_index %u"
					: "the GID at sgid_index %u has no network interface",
			 c->a.ah_attr.grh.sgid_index);
		fail_next(s, "gids");
		break;
	case EPERM:
		if (c->mask & IBV_QP_QKEY && c->a.qkey >> 31)
			fail_row(s, "likely",
				 "a Q_Key with the highest bit set needs "
				 "CAP_NET_RAW, or rdma system set privileged-qkey on");
		break;
	case EOPNOTSUPP:
		fail_row(s, "likely", "the device does not know one of the attributes");
		break;
	case ENOMEM:
		fail_row(s, "likely", "the device has no room for MAX_DEST_RD_ATOMIC %u",
			 c->a.max_dest_rd_atomic);
		break;
	}
}

static void add_names(struct causes *c, const char *what, unsigned mask)
{
	Tcl_DString names;

	if (!mask)
		return;
	Tcl_DStringInit(&names);
	qp_attr_names(mask, " ", &names);
	cause_add(c, IS_SO, NULL, "%s: %s", what, Tcl_DStringValue(&names));
	Tcl_DStringFree(&names);
}

void qp_change_reasons(const struct qp_verdict *v, enum ibv_qp_type type, enum ibv_qp_state from,
		       enum ibv_qp_state to, struct causes *c)
{
	Tcl_DString reach;

	if (v->row) {
		add_names(c, "missing", v->missing);
		add_names(c, "not taken here", v->extra);
		return;
	}
	Tcl_DStringInit(&reach);
	append_reachable(type, from, &reach);
	cause_add(c, IS_SO, NULL, "%s -> %s is not a transition: from %s a QP goes to %s",
		  state_name(from), state_name(to), state_name(from), Tcl_DStringValue(&reach));
	Tcl_DStringFree(&reach);
}

int qp_explain_failure(struct session *s, const struct qp_change *c, int err)
{
	struct qp_verdict v = qp_change_judge(c);
	struct causes reasons = { 0 };
	Tcl_Obj *faults = Tcl_NewListObj(0, NULL);

	Tcl_IncrRefCount(faults);
	fail_row(s, "state", "%s before the call", state_name(c->actual));
	qp_attr_rows(s, "passed", &c->a, c->mask, 0);
	qp_change_reasons(&v, c->qp->type, c->from, c->to, &reasons);
	for (unsigned i = 0; i < reasons.n; i++)
		fail_row(s, "likely", "%s", reasons.v[i].text);
	causes_free(&reasons);
	if (v.answer == QP_OK) {
		qp_faults(c, faults);
		add_likely_row(s, c, err, faults);
	}
	Tcl_DecrRefCount(faults);
	return -1;
}
