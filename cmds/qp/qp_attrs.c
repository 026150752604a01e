/* SPDX-License-Identifier: MIT */
/*
 * The attributes of a QP: one row each with its option; their members in struct ibv_qp_attr are
 * those of the table of calls. And why a change of them is refused.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "device/device.h"
#include "explain/explain.h"
#include "live_context.h"
#include "objects.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

#define DEF(bit_, option_, field, ...)                                     \
	{                                                                  \
		.bit = IBV_QP_##bit_, .option = option_,                   \
		.arg = offsetof(struct qp_modify_args, field), __VA_ARGS__ \
	}

/* clang-format off */
const struct qp_attr_def qp_attr_defs[] = {
	{ .bit = IBV_QP_STATE, .words = qp_state_words },
	DEF(CUR_STATE, "cur-state", cur_state, .words = qp_state_words),
	DEF(PORT, "port", port, .unknown = "PORT"),
	DEF(PKEY_INDEX, "pkey-index", pkey_index),
	DEF(ACCESS_FLAGS, "access", access, .words = qp_access_words, .flags = true),
	DEF(QKEY, "qkey", qkey, .unknown = "QKEY"),
	{ .bit = IBV_QP_AV, .unknown = "-dgid PEER_GID" },
	DEF(PATH_MTU, "mtu", mtu, .words = mtu_words, .unknown = "MTU"),
	DEF(DEST_QPN, "dest-qpn", dest_qpn, .unknown = "PEER_QPN"),
	DEF(RQ_PSN, "rq-psn", rq_psn, .unknown = "PEER_PSN"),
	DEF(MAX_DEST_RD_ATOMIC, "max-dest-rd-atomic", max_dest_rd_atomic),
	DEF(MIN_RNR_TIMER, "min-rnr-timer", min_rnr_timer),
	DEF(TIMEOUT, "timeout", timeout),
	DEF(RETRY_CNT, "retry-cnt", retry_cnt),
	DEF(RNR_RETRY, "rnr-retry", rnr_retry),
	DEF(SQ_PSN, "sq-psn", sq_psn, .unknown = "PSN"),
	DEF(MAX_QP_RD_ATOMIC, "max-rd-atomic", max_rd_atomic),
	DEF(EN_SQD_ASYNC_NOTIFY, "en-sqd-async-notify", en_sqd_async_notify),
	DEF(PATH_MIG_STATE, "path-mig-state", path_mig_state, .words = mig_state_words),
	{ .bit = IBV_QP_ALT_PATH, .unknown = "-alt-dgid GID" },
	{ 0 }
};
/* clang-format on */

const struct qp_attr_def *qp_attr_def(unsigned bit)
{
	const struct qp_attr_def *d = qp_attr_defs;

	while (d->bit != bit)
		d++;
	return d;
}

const char *qp_attr_name(const struct qp_attr_def *d)
{
	return word_name(qp_attr_words, d->bit);
}

/* Its member of struct ibv_qp_attr; of a path the address vector. */
static const struct call_value *qp_attr_member(const struct qp_attr_def *d)
{
	const struct call_value *v = call_table[ROW_ibv_modify_qp].args[1].of->fields;

	while (v->bit != d->bit)
		v++;
	return v;
}

/* Is it a path (IBV_QP_AV, IBV_QP_ALT_PATH), which has several members? */
static bool qp_attr_is_path(const struct qp_attr_def *d)
{
	return d->bit == IBV_QP_AV || d->bit == IBV_QP_ALT_PATH;
}

/* The value of a number, an enum or flags; a path has none: 0, and setting it does nothing. */
static uint64_t qp_attr_get(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	const struct call_value *v = qp_attr_member(d);

	return qp_attr_is_path(d) ? 0 : call_load(v, (const char *)a + v->offset);
}

bool qp_attr_set(struct ibv_qp_attr *a, const struct qp_attr_def *d, uint64_t value)
{
	const struct call_value *v = qp_attr_member(d);

	return qp_attr_is_path(d) || call_store(v, (char *)a + v->offset, value);
}

static const struct ibv_ah_attr *av_of(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	return d->bit == IBV_QP_AV ? &a->ah_attr : &a->alt_ah_attr;
}

/* "1", "REMOTE_WRITE" */
static void qp_attr_value(const struct ibv_qp_attr *a, const struct qp_attr_def *d,
			  struct text *text)
{
	uint64_t v = qp_attr_get(a, d);

	if (d->flags) {
		xappendf(text, "%s", word_flags(d->words, v));
	} else if (d->words) {
		xappendf(text, "%s", word_name(d->words, v));
	} else if (d->bit == IBV_QP_QKEY) {
		xappendf(text, "0x%llx", (unsigned long long)v);
	} else {
		xappendf(text, "%llu", (unsigned long long)v);
	}
}

/* The flags in the form that is typed: "remote-write,remote-read" */
static void append_typed(const struct ibv_qp_attr *a, const struct qp_attr_def *d,
			 struct text *text)
{
	int start = text_len(text);

	if (d->flags && !qp_attr_get(a, d)) {
		xappendf(text, "none");
		return;
	}
	qp_attr_value(a, d, text);
	if (!d->words || d->words == mtu_words)
		return;
	word_typed(text_str(text) + start);
}

static void append_av_typed(const struct ibv_ah_attr *av, const char *prefix, struct text *text)
{
	if (av->is_global)
		xappendf(text, " -%sdgid %s -%ssgid-index %u", prefix, why_gid(&av->grh.dgid),
			 prefix, av->grh.sgid_index);
	else
		xappendf(text, " -%sdlid %u", prefix, av->dlid);
}

/* Appends the options to type, " -port 1 -pkey-index 0"; attributes in unknown get a placeholder.
 */
static void qp_attr_options(const struct ibv_qp_attr *a, unsigned mask, unsigned unknown,
			    struct text *text)
{
	mask &= ~(unsigned)IBV_QP_STATE;
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		if (!(mask & d->bit))
			continue;
		if (qp_attr_is_path(d) && unknown & d->bit) {
			xappendf(text, " %s", d->unknown);
		} else if (qp_attr_is_path(d)) {
			append_av_typed(av_of(a, d), d->bit == IBV_QP_AV ? "" : "alt-", text);
		} else if (unknown & d->bit) {
			xappendf(text, " -%s %s", d->option, d->unknown ? d->unknown : "N");
		} else {
			xappendf(text, " -%s ", d->option);
			append_typed(a, d, text);
		}
	}
}

/*
 * Why a change of a QP is rejected before the call, and what to type. Why the kernel has rejected
 * one is said by model/why.
 */

static const char *state_name(enum ibv_qp_state state)
{
	return word_name(qp_state_words, state);
}

struct qp_verdict qp_change_judge(const struct qp_change *c)
{
	struct qp_verdict v = qp_judge(c->qp->type, c->from, c->to, c->mask);

	if (!v.refused || embedded_is_used())
		return v;
	v.extra |= v.refused;
	if (v.answer == QP_OK)
		v.answer = QP_EXTRA;
	return v;
}

void qp_change_text(const struct qp_change *c, struct text *text)
{
	xappendf(text, "%s", state_name(c->from));
	if (c->mask & IBV_QP_STATE)
		xappendf(text, " -> %s", state_name(c->to));
}

void qp_change_command(struct session *s, const struct qp_change *given, enum ibv_qp_state to,
		       struct text *text)
{
	const struct qp_row *row = qp_row(given->qp->type, given->from, to);
	struct qp_change c = *given;
	unsigned takes = row ? row->required | row->optional : 0, unknown;

	xappendf(text, "modify-qp");
	if (to != given->actual)
		xappendf(text, " %s", state_name(to)); /* states are typed in capitals */
	if (s->ctx->qp != c.qp)
		xappendf(text, " %s", c.qp->o.name);
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
	SCOPED_TEXT(text);

	qp_change_command(s, c, to, &text);
	if (strchr(text_str(&text), ' ')) /* else nothing is left of it */
		fail_next(s, "%s", text_str(&text));
}

static int no_transition(struct session *s, const struct qp_change *c)
{
	SCOPED_TEXT(where);
	SCOPED_TEXT(reach);

	qp_change_text(c, &where);
	why_qp_reachable(c->qp->type, c->from, &reach);
	if (c->mask & IBV_QP_STATE)
		fail(s, "ibv_modify_qp", "EINVAL",
		     "ibv_modify_qp not called: %s is not a transition. From %s a QP goes to %s.",
		     text_str(&where), state_name(c->from), text_str(&reach));
	else
		fail(s, "ibv_modify_qp", "EINVAL",
		     "ibv_modify_qp not called: in %s no attributes can be changed.",
		     state_name(c->from));
	if (c->to == IBV_QPS_SQE)
		fail_row(s, "note",
			 "only the device puts a QP into SQE: a UC or UD QP whose "
			 "send has failed");
	if (c->mask & IBV_QP_STATE)
		add_next_command(s, c, next_state_toward(c->qp->type, c->from, c->to));
	return -1;
}

static void optional_row(struct session *s, const struct qp_row *row)
{
	SCOPED_TEXT(names);

	word_flag_names(qp_attr_words, row->optional, "  ", &names);
	fail_row(s, "optional", "%s", row->optional ? text_str(&names) : "none");
}

/* The change with right values in place of wrong ones. */
static struct qp_change change_on_device(const struct qp_change *c)
{
	struct causes problems = { 0 };
	struct qp_change right = *c, tried;

	if (c->a.port_num < 1 || c->a.port_num > c->qp->pd->dev->attr.orig_attr.phys_port_cnt)
		right.a.port_num = 1;
	tried = right;
	if (!c->now.port_num)
		tried.mask |= IBV_QP_PORT;
	qp_check_values(&tried, &right, &problems);
	causes_free(&problems);
	return right;
}

int qp_refuse(struct session *s, const struct qp_change *c, const struct qp_verdict *v)
{
	SCOPED_TEXT(where);
	SCOPED_TEXT(missing);
	SCOPED_TEXT(extra);
	struct qp_change fixed;

	if (!v->row)
		return no_transition(s, c);
	qp_change_text(c, &where);
	word_flag_names(qp_attr_words, v->missing, ", ", &missing);
	word_flag_names(qp_attr_words, v->extra, ", ", &extra);
	fail(s, "ibv_modify_qp", "EINVAL", "ibv_modify_qp(%s, %s) not called: %s%s%s%s%s",
	     text_str(&where), word_name(qp_type_words, c->qp->type), v->missing ? "missing " : "",
	     text_str(&missing), v->missing && v->extra ? "; " : "", text_str(&extra),
	     v->extra ? " is not taken here" : "");
	if (v->answer == QP_NO_CUR_STATE && !v->extra)
		fail_row(s, "note", "CUR_STATE can be given in RTR, RTS, SQD, SQE only");
	if (v->extra)
		optional_row(s, v->row);
	if (v->row->note)
		fail_row(s, "note", "%s", v->row->note);
	fixed = change_on_device(c);
	add_next_command(s, &fixed, c->to);
	fail_row(s, "or", "-force calls the kernel anyway, which returns EINVAL%s",
		 v->missing ? "; -fill adds what can be known" : "");
	return -1;
}

int qp_next_on_device(struct session *s, const struct qp_change *refused)
{
	struct qp_change c = change_on_device(refused);
	struct causes left = { 0 };

	qp_check_values(&c, NULL, &left);
	if (!left.n)
		add_next_command(s, &c, c.to);
	causes_free(&left);
	return -1;
}

int qp_refuse_values(struct session *s, const struct qp_change *c, const struct causes *problems)
{
	SCOPED_TEXT(where);

	qp_change_text(c, &where);
	fail(s, "ibv_modify_qp", "EINVAL", "ibv_modify_qp(%s, %s) not called: %s", text_str(&where),
	     word_name(qp_type_words, c->qp->type), problems->v[0].text);
	for (unsigned i = 1; i < problems->n; i++)
		fail_row(s, "and", "%s", problems->v[i].text);
	qp_next_on_device(s, c);
	return fail_row(s, "or", "-force calls the kernel anyway");
}
