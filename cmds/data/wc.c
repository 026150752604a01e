/* SPDX-License-Identifier: MIT */
/*
 * Taking completions and writing them down.
 *
 * After an error only wr_id, status, qp_num and vendor_err of a WC mean anything; which
 * other fields do otherwise depends on the opcode: ibv_poll_cq(3).
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "data/bad_wc.h"
#include "data/wc.h"
#include "qp/qp.h"
#include "out.h"
#include "output/print.h"
#include "objects.h"
#include "own_model.h"
#include "recorded.h"
#include "resources/mr.h"
#include "session.h"
#include "words.h"
#include "spec_tables.h"

#define AT_ONCE 16

static struct qp *find_qp(struct session *s, const struct cq *cq, uint32_t qpn)
{
	struct qp *qp = obj_by_number(s, &qp_class, qpn);

	while (qp && qp->send_cq != cq && qp->recv_cq != cq)
		qp = obj_next_number(qp);
	return qp;
}

#define MOVE_US	   100 /* between two looks at a QP that is about to move */
#define MOVE_LOOKS 10

/* The device may report the first error of a QP a moment before it moves the QP. No handler runs
 * meanwhile: it could destroy what the rest of the batch is about. */
static void note_error(struct wc *wc, struct qp *qp, bool is_first)
{
	enum ibv_qp_state was = qp_history_state(qp), now;
	bool moves = is_first && was != IBV_QPS_ERR && wc->v.status != IBV_WC_WR_FLUSH_ERR;

	now = qp_history_completed(qp, wc->v.status);
	for (int i = 1; moves && now == was && i < MOVE_LOOKS; i++) {
		loop_rest(MOVE_US);
		now = qp_history_completed(qp, wc->v.status);
	}
	if (now == was)
		return;
	wc->from = word_name(qp_state_words, was);
	wc->to = word_name(qp_state_words, now);
}

/* rxe hands the kernel's flags over as they are, and there "with invalidate" has the bit
 * that means "IP checksum is good" in verbs.h: which a connected QP never reports. */
static bool has_inv(const struct wc *w)
{
	bool connected = *w->qp && !w->datagram;

	return w->v.wc_flags & IBV_WC_WITH_INV || (connected && w->v.wc_flags & IBV_WC_IP_CSUM_OK);
}

static struct qp *note_qp(struct session *s, struct wc *wc)
{
	struct qp *qp = find_qp(s, wc->cq, wc->v.qp_num);

	if (qp)
		memcpy(wc->qp, qp->o.name, sizeof qp->o.name);
	wc->datagram = qp && qp->type == IBV_QPT_UD;
	return qp;
}

/* seen: what the model knows of it, or NULL. */
static void apply_completion(struct session *s, struct wc *wc, struct qp *qp,
			     const struct live_wc *seen, bool first_error)
{
	const struct posted_wr *p = seen && seen->known ? &seen->posted : NULL;

	if (p && wc->v.status == IBV_WC_SUCCESS && p->op == &wr_ops[WR_LOCAL_INV])
		mw_invalidated(s, qp->pd, p->rkey);
	if (wc->v.status == IBV_WC_SUCCESS && wc->v.opcode & IBV_WC_RECV && has_inv(wc))
		mw_invalidated(s, qp->pd, wc->v.invalidated_rkey);
	if (wc->v.status != IBV_WC_SUCCESS) {
		bad_wc_add(qp, &wc->v, p, p && seen->is_either, s->commands);
		note_error(wc, qp, first_error);
	}
}

static int copy_kept(struct cq *cq, struct wc *wc, int max)
{
	int n = (int)cq->nkept < max ? (int)cq->nkept : max;

	for (int i = 0; i < n; i++)
		wc[i] = (struct wc){ .v = cq->kept[i], .cq = cq, .after = -1 };
	cq->nkept -= (unsigned)n;
	memmove(cq->kept, cq->kept + n, cq->nkept * sizeof *cq->kept);
	if (!cq->nkept) {
		free(cq->kept);
		cq->kept = NULL;
	}
	return n;
}

/* Is the i-th of a batch the first of its QP in it that has failed? */
static bool fails_first(const struct ibv_wc *v, int i)
{
	for (int before = 0; before < i; before++)
		if (v[before].qp_num == v[i].qp_num && v[before].status != IBV_WC_SUCCESS)
			return false;
	return v[i].status != IBV_WC_SUCCESS;
}

static int poll_one(struct session *s, struct cq *cq, struct wc *wc, int max)
{
	const struct live_wc *seen;
	struct ibv_wc v[AT_ONCE];
	struct qp *qp[AT_ONCE];
	int n;

	if (cq->nkept) {
		n = copy_kept(cq, wc, max);
		for (int i = 0; i < n; i++)
			note_qp(s, &wc[i]);
		return n;
	}
	max = max < AT_ONCE ? max : AT_ONCE;
	n = ibv_poll_cq(cq->v, max, v);
	if (n < 0) {
		fail_call(s, -n, "ibv_poll_cq", "%s", cq->o.name);
		return cq->broken ? fail_row(s, "cause", "it overran (CQ_ERR): it is lost") : -1;
	}
	for (int i = 0; i < n; i++) {
		wc[i] = (struct wc){ .v = v[i], .cq = cq, .after = -1 };
		qp[i] = note_qp(s, &wc[i]);
		seen = own_completion((unsigned)i, &v[i]);
		if (seen && seen->known && seen->posted.op != &wr_ops[WR_RECV])
			wc[i].after = seen->after;
	}
	for (int i = 0; i < n; i++)
		if (qp[i])
			apply_completion(s, &wc[i], qp[i], own_completion((unsigned)i, &v[i]),
					 fails_first(v, i));
	return n;
}

int wc_take(struct session *s, const struct cq_set *set, struct wc *wc, int max)
{
	int got = 0;

	for (unsigned i = 0; i < set->n && got < max; i++) {
		int n = poll_one(s, set->cq[i], wc + got, max - got);

		if (n < 0)
			return -1;
		got += n;
	}
	return got;
}

void wc_keep(const struct wc *wc, int n)
{
	for (int i = 0; i < n; i++) {
		struct cq *cq = wc[i].cq;

		cq->kept = xgrow(cq->kept, cq->nkept, sizeof *cq->kept);
		cq->kept[cq->nkept++] = wc[i].v;
	}
}

/* ---------------------------------------------------------------- output -- */

static bool has_length(const struct ibv_wc *wc)
{
	return wc->opcode & IBV_WC_RECV || wc->opcode == IBV_WC_RDMA_READ ||
	       wc->opcode == IBV_WC_COMP_SWAP || wc->opcode == IBV_WC_FETCH_ADD;
}

static void out_datagram(const struct ibv_wc *wc, struct out *o)
{
	out_u64(o, "src_qp", wc->src_qp, "  from qpn 0x%x", wc->src_qp);
	out_bool(o, "grh", wc->wc_flags & IBV_WC_GRH, "%s",
		 wc->wc_flags & IBV_WC_GRH ? " (40 bytes of header first)" : "");
	out_u64(o, "slid", wc->slid, NULL);
	out_u64(o, "sl", wc->sl, NULL);
	out_u64(o, "dlid_path_bits", wc->dlid_path_bits, NULL);
}

static void out_success(const struct wc *w, struct out *o)
{
	const struct ibv_wc *wc = &w->v;
	bool recv = wc->opcode & IBV_WC_RECV;

	if (has_length(wc))
		out_u64(o, "byte_len", wc->byte_len, "  %u B", wc->byte_len);
	if (recv && wc->wc_flags & IBV_WC_WITH_IMM) {
		out_u64(o, "imm", ntohl(wc->imm_data), "  imm %u", ntohl(wc->imm_data));
		out_u64(o, "imm_raw", (uint32_t)wc->imm_data, " (raw 0x%08x)",
			(uint32_t)wc->imm_data);
	}
	if (recv && has_inv(w))
		out_u64(o, "invalidated_rkey", wc->invalidated_rkey, "  rkey 0x%x invalidated",
			wc->invalidated_rkey);
	if (recv && w->datagram)
		out_datagram(wc, o);
}

static void out_failed(const struct wc *w, struct out *o)
{
	const char *help = word_help(wc_status_words, w->v.status);

	if (help)
		out_str(o, "meaning", help, "\n   %s", help);
	if (w->to)
		out_str(o, "state", w->to, "\n   %s went %s -> %s", w->qp, w->from, w->to);
	if (w->v.status != IBV_WC_WR_FLUSH_ERR)
		out_text(o, "\n   'explain' says why");
}

static void out_after(struct out *o, int64_t ns)
{
	double us = (double)ns / 1e3;

	if (us < 1e3)
		out_double(o, "us", us, "   (polled %.1f µs after the post)", us);
	else if (us < 1e6)
		out_double(o, "us", us, "   (polled %.1f ms after the post)", us / 1e3);
	else
		out_double(o, "us", us, "   (polled %.1f s after the post)", us / 1e6);
}

void wc_out(struct session *s, const struct wc *w, struct out *o)
{
	bool good = w->v.status == IBV_WC_SUCCESS;

	(void)s;
	out_u64(o, "wr_id", w->v.wr_id, "WC wr_id %llu  ", (unsigned long long)w->v.wr_id);
	out_paint(o, good ? PAINT_GOOD : PAINT_BAD);
	out_str(o, "status", word_name(wc_status_words, w->v.status), "%s",
		word_name(wc_status_words, w->v.status));
	out_paint(o, PAINT_NONE);
	if (good)
		out_str(o, "opcode", word_name(wc_opcode_words, w->v.opcode), "  %s",
			word_name(wc_opcode_words, w->v.opcode));
	else
		out_u64(o, "vendor_err", w->v.vendor_err,
			w->v.vendor_err ? "  vendor_err 0x%x" : NULL, w->v.vendor_err);
	if (*w->qp)
		out_str(o, "qp", w->qp, "  %s", w->qp);
	out_u64(o, "qp_num", w->v.qp_num, *w->qp ? NULL : "  qpn 0x%x", w->v.qp_num);
	out_str(o, "cq", w->cq->o.name, NULL);
	if (good)
		out_success(w, o);
	if (w->after >= 0)
		out_after(o, w->after);
	if (!good)
		out_failed(w, o);
	out_text(o, "\n");
}

void wc_out_all(struct session *s, const struct wc *wc, int n, bool list, struct out *o)
{
	for (int i = 0; i < n; i++) {
		if (list)
			out_dict(o, NULL);
		wc_out(s, &wc[i], o);
		if (list)
			out_end(o);
	}
}

/* -------------------------------------------------------------------- -ok -- */

int wc_all_ok(struct session *s, const char *call, const struct wc *wc, int n)
{
	const struct wc *bad = NULL;
	const char *status, *help;
	int failed = 0;

	for (int i = 0; i < n; i++) {
		if (wc[i].v.status == IBV_WC_SUCCESS)
			continue;
		if (!failed++)
			bad = &wc[i];
	}
	if (!bad)
		return 0;
	status = word_name(wc_status_words, bad->v.status);
	help = word_help(wc_status_words, bad->v.status);
	fail(s, call, status, "%s: wr_id %llu of %s ended with %s", call,
	     (unsigned long long)bad->v.wr_id, *bad->qp ? bad->qp : "a QP that is gone", status);
	if (help)
		fail_row(s, "meaning", "%s", help);
	if (bad->to)
		fail_row(s, "state", "%s went %s -> %s", bad->qp, bad->from, bad->to);
	if (n > 1)
		fail_row(s, "taken", "%d completions, %d of them with errors", n, failed);
	return fail_explain(s);
}
