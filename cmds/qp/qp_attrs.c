/* SPDX-License-Identifier: MIT */
/* The attributes of a QP: one row each with its name, option and offset. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "device/gids.h"
#include "qp/modify_qp.h"
#include "session.h"
#include "words.h"

#define AT_ATTR(field)                                 \
	.offset = offsetof(struct ibv_qp_attr, field), \
	.size = sizeof(((struct ibv_qp_attr *)NULL)->field)
#define DEF(bit_, option_, field, ...)                                                     \
	{                                                                                  \
		.bit = IBV_QP_##bit_, .member = #field, .option = option_, AT_ATTR(field), \
		__VA_ARGS__                                                                \
	}

/* clang-format off */
const struct qp_attr_def qp_attr_defs[] = {
	DEF(STATE, NULL, qp_state, .words = qp_state_words),
	DEF(CUR_STATE, "cur-state", cur_qp_state, .words = qp_state_words),
	DEF(PORT, "port", port_num, .unknown = "PORT"),
	DEF(PKEY_INDEX, "pkey-index", pkey_index),
	DEF(ACCESS_FLAGS, "access", qp_access_flags, .words = qp_access_words, .flags = true),
	DEF(QKEY, "qkey", qkey, .unknown = "QKEY"),
	{ .bit = IBV_QP_AV, .unknown = "-dgid PEER_GID" },
	DEF(PATH_MTU, "mtu", path_mtu, .words = mtu_words, .unknown = "MTU"),
	DEF(DEST_QPN, "dest-qpn", dest_qp_num, .unknown = "PEER_QPN"),
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

const char *qp_attr_name(const struct qp_attr_def *d)
{
	return word_name(qp_attr_words, d->bit);
}

uint64_t qp_attr_get(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	const void *p = (const char *)a + d->offset;

	switch (d->size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	}
	return 0;
}

void qp_attr_set(struct ibv_qp_attr *a, const struct qp_attr_def *d, uint64_t v)
{
	void *p = (char *)a + d->offset;

	switch (d->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)p = (uint32_t)v;
		break;
	}
}

void qp_attr_names(unsigned mask, const char *sep, Tcl_DString *text)
{
	const char *between = "";

	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit) {
			xappendf(text, "%s%s", between, qp_attr_name(d));
			between = sep;
		}
}

/* "dgid ::ffff:10.0.0.2 sgid_index 1 hop_limit 64 ..." */
static void qp_av_text(const struct ibv_ah_attr *av, Tcl_DString *text)
{
	if (av->is_global)
		xappendf(text, "dgid %s sgid_index %u hop_limit %u traffic_class %u flow_label %u ",
			 gid_text(&av->grh.dgid), av->grh.sgid_index, av->grh.hop_limit,
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
			  Tcl_DString *text)
{
	uint64_t v = qp_attr_get(a, d);

	if (!d->size) {
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

/* As it is typed: "remote-write,remote-read" */
static void append_typed(const struct ibv_qp_attr *a, const struct qp_attr_def *d,
			 Tcl_DString *text)
{
	int start = Tcl_DStringLength(text);

	if (d->flags && !qp_attr_get(a, d)) {
		xappendf(text, "none");
		return;
	}
	qp_attr_value(a, d, text);
	if (!d->words || d->words == mtu_words)
		return;
	word_typed(Tcl_DStringValue(text) + start);
}

static void append_av_typed(const struct ibv_ah_attr *av, const char *prefix, Tcl_DString *text)
{
	if (av->is_global)
		xappendf(text, " -%sdgid %s -%ssgid-index %u", prefix, gid_text(&av->grh.dgid),
			 prefix, av->grh.sgid_index);
	else
		xappendf(text, " -%sdlid %u", prefix, av->dlid);
}

void qp_attr_options(const struct ibv_qp_attr *a, unsigned mask, unsigned unknown,
		     Tcl_DString *text)
{
	mask &= ~(unsigned)IBV_QP_STATE;
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		if (!(mask & d->bit))
			continue;
		if (!d->size && unknown & d->bit) {
			xappendf(text, " %s", d->unknown);
		} else if (!d->size) {
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
	Tcl_DString text;
};

static void flush_row(struct wrapped *w)
{
	if (!Tcl_DStringLength(&w->text))
		return;
	fail_row(w->s, w->label, "%s", Tcl_DStringValue(&w->text));
	Tcl_DStringSetLength(&w->text, 0);
	w->label = "";
}

static void add_item(struct wrapped *w, const char *item, size_t len, const char *between)
{
	if (Tcl_DStringLength(&w->text) + (int)len > ROW_WIDTH)
		flush_row(w);
	if (Tcl_DStringLength(&w->text))
		Tcl_DStringAppend(&w->text, between, -1);
	Tcl_DStringAppend(&w->text, item, (int)len);
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

void qp_attr_rows(struct session *s, const char *label, const struct ibv_qp_attr *a, unsigned mask,
		  unsigned missing)
{
	struct wrapped w = { .s = s, .label = label };
	Tcl_DString one;

	Tcl_DStringInit(&w.text);
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		if (!((mask | missing) & d->bit))
			continue;
		Tcl_DStringInit(&one);
		xappendf(&one, "%s%s", qp_attr_name(d), missing & d->bit ? " (missing)" : " = ");
		if (!(missing & d->bit))
			qp_attr_value(a, d, &one);
		if (!d->size && !(missing & d->bit))
			add_wrapped_parts(&w, Tcl_DStringValue(&one));
		else
			add_item(&w, Tcl_DStringValue(&one), (size_t)Tcl_DStringLength(&one), "  ");
		Tcl_DStringFree(&one);
	}
	flush_row(&w);
	Tcl_DStringFree(&w.text);
}
