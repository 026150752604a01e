/* SPDX-License-Identifier: MIT */
#include "page_ends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "out.h"
#include "page.h"
#include "spec_tables.h"
#include "text.h"
#include "visible.h"
#include "why.h"
#include "words.h"

void page_str(struct out *o, const char *key, const char *text)
{
	SCOPED_TEXT(visible);

	visible_append(&visible, text, strlen(text), VISIBLE_LINES);
	out_str(o, key, text_str(&visible), NULL);
}

void page_strf(struct out *o, const char *key, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	page_str(o, key, text);
	free(text);
}

/* ----------------------------------------------------------------------- queues -- */

/* Requests and their completions have the same id, by which the page moves them. */
static void out_id(struct out *o, uint32_t qpn, uint64_t wr_id)
{
	page_strf(o, "id", "%" PRIu32 ".%" PRIu64, qpn, wr_id);
	page_strf(o, "wr_id", "%" PRIu64, wr_id);
}

static void out_request(struct out *o, const struct page_qp *qp, const struct posted_wr *wr)
{
	out_dict(o, NULL);
	out_id(o, qp->number, wr->wr_id);
	out_str(o, "what", wr->op ? wr->op->name : "?", NULL);
	if (wr->op && wr->op->code == FLUSH_WR && wr->flush_level == FLUSH_MR)
		out_str(o, "size", "whole region", NULL);
	else
		page_strf(o, "size", "%" PRIu32 " B", wr->len);
	out_end(o);
}

static void out_queue(struct out *o, const char *key, const struct page_qp *qp,
		      const struct page_queue *q)
{
	const unsigned n = q->posted ? q->posted->n : q->n;
	const unsigned shown = !q->posted ? 0 : n < PAGE_REQUESTS ? n : PAGE_REQUESTS;

	out_dict(o, key);
	out_u64(o, "n", n, NULL);
	out_u64(o, "room", q->room, NULL);
	out_u64(o, "begun", q->begun, NULL);
	out_list(o, "requests");
	for (unsigned i = 0; i < shown; i++)
		out_request(o, qp, &q->posted->v[q->posted->begin + i]);
	out_end(o);
	out_end(o);
}

static void out_drawing(struct out *o, const struct page_qp *qp)
{
	struct state_svg d = { .title = temp_text("States of %s: %s", qp->name,
						  word_name(qp_state_words, qp->now)),
			       .type = qp->type,
			       .now = qp->now,
			       .steps = qp->steps,
			       .drain = qp->drain };
	SCOPED_TEXT(svg);

	state_svg(&svg, &d);
	out_str(o, "svg", text_str(&svg), NULL);
}

void page_qp_out(struct out *o, const char *key, const struct page_qp *qp)
{
	const char *state = word_name(qp_state_words, qp->now);

	out_dict(o, key);
	page_str(o, "name", qp->name);
	out_str(o, "type", qp->type ? word_name(qp_type_words, qp->type) : "", NULL);
	out_u64(o, "qpn", qp->number, NULL);
	page_str(o, "peer", qp->peer);
	out_str(o, "state", state, NULL);
	out_bool(o, "bad", qp->failed, NULL);
	if (qp->why)
		page_strf(o, "why", "%s: %s", state, qp->why);
	out_drawing(o, qp);
	if (qp->sends)
		out_queue(o, "sends", qp, qp->sends);
	if (qp->recvs)
		out_queue(o, "recvs", qp, qp->recvs);
	out_end(o);
}

/* -------------------------------------------------------------------------- CQs -- */

void page_wc_out(struct out *o, const struct ibv_wc *wc)
{
	out_dict(o, NULL);
	out_id(o, wc->qp_num, wc->wr_id);
	out_str(o, "status", word_name(wc_status_words, wc->status), NULL);
	out_str(o, "what", wc->status ? "" : word_name(wc_opcode_words, wc->opcode), NULL);
	out_bool(o, "bad", wc->status != IBV_WC_SUCCESS, NULL);
	out_end(o);
}

/* ---------------------------------------------------------------------- regions -- */

void page_mr_begin(struct out *o, const char *name, uint64_t len, uint64_t addr, uint32_t rkey,
		   unsigned access)
{
	out_dict(o, NULL);
	page_str(o, "name", name);
	out_u64(o, "len", len, NULL);
	page_strf(o, "addr", "0x%" PRIx64, addr);
	page_strf(o, "rkey", "0x%x", rkey);
	out_str(o, "access", access ? why_access(access) : "local reads only", NULL);
}
