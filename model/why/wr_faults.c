/* SPDX-License-Identifier: MIT */
#include "wr_faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live_program.h"
#include "spec_tables.h"
#include "why.h"
#include "words.h"

static bool is_recv(const struct wr_judged *wr)
{
	return wr->op == &wr_ops[WR_RECV];
}

bool wr_may_post(enum ibv_qp_state state, bool recv)
{
	if (recv)
		return state != IBV_QPS_RESET;
	return state != IBV_QPS_RESET && state != IBV_QPS_INIT && state != IBV_QPS_RTR;
}

static enum wr_fault fault_of_inline(const struct wr_judged *wr, char *text, size_t size)
{
	if (!(wr->flags & IBV_SEND_INLINE))
		return WR_FITS;
	if (!wr->op->inlines) {
		snprintf(text, size, "%s cannot be inline", wr->op->name);
		return WR_NEVER_INLINE;
	}
	if (wr->bytes <= wr->max_inline)
		return WR_FITS;
	snprintf(text, size, "%" PRIu64 " bytes inline, %s takes at most %u (max_inline_data)",
		 wr->bytes, wr->queue, wr->max_inline);
	return WR_LONG_INLINE;
}

static enum wr_fault fault_of_atomic(const struct wr_judged *wr, char *text, size_t size)
{
	if (!wr->op->atomic)
		return WR_FITS;
	if (wr->remote_addr % 8) {
		snprintf(text, size, "an atomic needs an address that 8 divides, not 0x%" PRIx64,
			 wr->remote_addr);
		return WR_ODD_ATOMIC;
	}
	if (wr->bytes == 8)
		return WR_FITS;
	if (wr->num_sge)
		snprintf(text, size, "an atomic brings 8 bytes back, the SGEs have %" PRIu64,
			 wr->bytes);
	else
		snprintf(text, size,
			 "an atomic brings 8 bytes back: it needs a region (SGE) for them");
	return WR_SIZE_OF_ATOMIC;
}

static enum wr_fault fault_of_qp(const struct wr_judged *wr, char *text, size_t size)
{
	enum wr_fault fault;

	if (!(wr->op->types & 1u << wr->qp_type)) {
		snprintf(text, size, "%s is %s, which has no %s", wr->queue,
			 word_name(qp_type_words, wr->qp_type), wr->op->name);
		return WR_NOT_OF_TYPE;
	}
	if (!wr_may_post(wr->state, is_recv(wr))) {
		snprintf(text, size, "%s is %s: %s", wr->queue,
			 word_name(qp_state_words, wr->state),
			 wr->state == IBV_QPS_RESET ? "nothing may be posted"
						    : "RECV may be posted, SEND not");
		return WR_NOT_IN_STATE;
	}
	fault = fault_of_inline(wr, text, size);
	if (!fault)
		fault = fault_of_atomic(wr, text, size);
	if (fault || !is_recv(wr) || !wr->srq)
		return fault;
	snprintf(text, size, "%s takes its receives from %s", wr->queue, wr->srq);
	return WR_OF_SRQ;
}

enum wr_fault wr_fault_find(const struct wr_judged *wr, char *text, size_t size)
{
	enum wr_fault fault;

	/* a QP with an SRQ has no receives of its own, and room for none of their SGEs */
	if ((uint32_t)wr->num_sge > wr->max_sge && !(is_recv(wr) && wr->srq)) {
		snprintf(text, size, "%d SGEs, %s was made with at most %u", wr->num_sge, wr->queue,
			 wr->max_sge);
		return WR_MANY_SGES;
	}
	fault = wr->qp_type ? fault_of_qp(wr, text, size) : WR_FITS;
	if (fault || !wr->room || wr->used < wr->room)
		return fault;
	snprintf(text, size,
		 "%s has room for %u requests (%s), and %u are posted whose completions were not "
		 "polled",
		 wr->queue, wr->room,
		 wr->is_resized ? "max_wr of ibv_modify_srq"
		 : !wr->qp_type ? "max_wr"
		 : is_recv(wr)	? "max_recv_wr"
				: "max_send_wr",
		 wr->used);
	return WR_QUEUE_FULL;
}

void why_take_posted(struct failed_wr *wr, const struct posted_wr *posted,
		     const struct live_program *p)
{
	const struct live_object *window = live_object_at(p->seen, posted->bind.mw);

	wr->known = true;
	wr->wr_id = posted->wr_id;
	wr->posted = posted->when;
	wr->op = posted->op;
	wr->recv = posted->op == &wr_ops[WR_RECV];
	wr->is_inline = posted->is_inline;
	wr->remote = posted->remote;
	wr->rkey = posted->rkey;
	wr->len = posted->len;
	wr->nsge = posted->nsge;
	memcpy(wr->sge, posted->sge, posted->nsge * sizeof *wr->sge);
	wr->flush_type = posted->flush_type;
	wr->flush_level = posted->flush_level;
	wr->bind = posted->bind;
	wr->bind.mw_rkey = window ? window->rkey : 0;
	live_object_name(p->objects, live_objects_pd(p->seen, posted->bind.mw), OBJECT_PD,
			 posted->when, wr->window_pd);
	for (unsigned i = 0; i < p->regions.n; i++)
		if (posted->bind.mr == p->regions.at[i])
			wr->bound = &p->regions.v[i];
}
