/* SPDX-License-Identifier: MIT */
/*
 * The attributes of a QP: one row each with its option; their members in struct ibv_qp_attr are
 * those of the table of calls. And why a change of them is refused.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
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
		.arg = offsetof(struct modify_qp_args, field), __VA_ARGS__ \
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

/* "dgid ::ffff:10.0.0.2 sgid_index 1 hop_limit 64 ..." */
static void qp_av_text(const struct ibv_ah_attr *av, struct text *text)
{
	if (av->is_global)
		xappendf(text, "dgid %s sgid_index %u hop_limit %u traffic_class %u flow_label %u ",
			 why_gid(&av->grh.dgid), av->grh.sgid_index, av->grh.hop_limit,
			 av->grh.traffic_class, av->grh.flow_label);
	xappendf(text, "dlid %u sl %u is_global %u port %u", av->dlid, av->sl, av->is_global,
		 av->port_num);
}

static const struct ibv_ah_attr *av_of(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	return d->bit == IBV_QP_AV ? &a->ah_attr : &a->alt_ah_attr;
}

/* "1", "REMOTE_WRITE", "dgid ::1 sgid_index 1 ..." */
static void qp_attr_value(const struct ibv_qp_attr *a, const struct qp_attr_def *d,
			  struct text *text)
{
	uint64_t v = qp_attr_get(a, d);

	if (qp_attr_is_path(d)) {
		xappendf(text, "{");
		qp_av_text(av_of(a, d), text);
		xappendf(text, "}");
	} else if (d->flags) {
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

#define ROW_WIDTH 66

/* A row of s->fail to which items are added; a new row starts when it is full. */
struct wrapped {
	struct session *s;
	const char *label;
	struct text text;
};

static void flush_row(struct wrapped *w)
{
	if (!text_len(&w->text))
		return;
	fail_row(w->s, w->label, "%s", text_str(&w->text));
	text_resize(&w->text, 0);
	w->label = "";
}

static void add_item(struct wrapped *w, const char *item, size_t len, const char *between)
{
	if (text_len(&w->text) + (int)len > ROW_WIDTH)
		flush_row(w);
	if (text_len(&w->text))
		text_add(&w->text, between);
	text_add_bytes(&w->text, item, len);
}

/* The parts of an address vector, "name value" each, may be on several lines. */
static void add_wrapped_parts(struct wrapped *w, const char *text)
{
	const char *between = "  ";

	while (*text) {
		const char *name = strchr(text, '=') ? strchr(text, '=') + 2 : text;
		size_t len = (size_t)(name - text);

		len += strcspn(name, " ");
		if (text[len])
			len += 1 + strcspn(text + len + 1, " ");
		add_item(w, text, len, between);
		text += len + (text[len] == ' ');
		between = " ";
	}
}

/* Adds rows to s->fail: "passed  STATE = INIT  PORT = 1 ...". Attributes in missing are marked so.
 */
static void qp_attr_rows(struct session *s, const char *label, const struct ibv_qp_attr *a,
			 unsigned mask, unsigned missing)
{
	struct wrapped w = { .s = s, .label = label };

	w.text = (struct text){ 0 };
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		SCOPED_TEXT(one);

		if (!((mask | missing) & d->bit))
			continue;
		xappendf(&one, "%s%s", qp_attr_name(d), missing & d->bit ? " (missing)" : " = ");
		if (!(missing & d->bit))
			qp_attr_value(a, d, &one);
		if (qp_attr_is_path(d) && !(missing & d->bit))
			add_wrapped_parts(&w, text_str(&one));
		else
			add_item(&w, text_str(&one), text_len(&one), "  ");
	}
	flush_row(&w);
	text_free(&w.text);
}

/*
 * Why a change of a QP is rejected, before the call or by the kernel, and what to type.
 *
 * The kernel returns EINVAL for a missing attribute, for an extra one and for a wrong value; the
 * table of transitions and the live objects show which it was.
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
	qp_reachable(c->qp->type, c->from, &reach);
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
	qp_attr_rows(s, "required", &c->a, v->row->required & c->mask, v->missing);
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

bool qp_likely_rows(struct session *s, struct causes *reasons)
{
	const bool any = reasons->n;

	for (unsigned i = 0; i < reasons->n; i++)
		fail_row(s, "likely", "%s", reasons->v[i].text);
	causes_free(reasons);
	return any;
}

static void likely_einval(struct session *s, const struct qp_change *c)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now = { 0 };
	struct causes problems = { 0 };
	bool told;

	qp_check_values(c, NULL, &problems);
	told = qp_likely_rows(s, &problems);
	if (c->actual == IBV_QPS_SQD && ibv_query_qp(c->qp->v, &now, IBV_QP_STATE, &init) == 0 &&
	    now.sq_draining)
		fail_row(s, "likely", "the send queue is still draining: wait for SQ_DRAINED");
	else if (!told)
		fail_row(s, "likely",
			 "the device is stricter than the rule of the kernel's "
			 "core; the kernel's log may say more (dmesg)");
}

static void likely_unreachable(struct session *s, const struct qp_change *c)
{
	const struct ibv_ah_attr *av = &c->a.ah_attr;
	const char *dgid = why_gid(&av->grh.dgid);

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

static void add_likely_row(struct session *s, const struct qp_change *c, int err)
{
	switch (err) {
	case EINVAL:
		likely_einval(s, c);
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

int qp_explain_failure(struct session *s, const struct qp_change *c, int err)
{
	struct qp_verdict v = qp_change_judge(c);
	struct causes reasons = { 0 };

	fail_row(s, "state", "%s before the call", state_name(c->actual));
	qp_attr_rows(s, "passed", &c->a, c->mask, 0);
	qp_change_reasons(&v, c->qp->type, c->from, c->to, &reasons);
	qp_likely_rows(s, &reasons);
	if (v.answer == QP_OK)
		add_likely_row(s, c, err);
	return -1;
}

void qp_explain_call(struct session *s, struct qp *qp, const struct ibv_qp_attr *a, unsigned mask,
		     int err)
{
	struct qp_change c = { .qp = qp, .a = *a, .mask = mask };
	struct ibv_qp_init_attr init;

	qp_query(qp, &c.now, &init);
	c.actual = qp_history_sync(qp, NULL);
	c.from = mask & IBV_QP_CUR_STATE ? a->cur_qp_state : c.actual;
	c.to = mask & IBV_QP_STATE ? a->qp_state : c.from;
	qp_explain_failure(s, &c, err);
}
