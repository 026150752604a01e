/* SPDX-License-Identifier: MIT */
/*
 * Checks before posting. Providers say EINVAL or ENOMEM for most of these, and some
 * accept what only fails on the wire; here each has its own words. -force passes them by.
 */
#include <stdlib.h>

#include "connection/cm_id.h"
#include "data/post.h"
#include "data/wr_fault.h"
#include "qp/qp_object.h"
#include "session.h"
#include "words.h"

static const char *call_of(const struct post_req *r)
{
	if (r->op != &wr_ops[WR_RECV])
		return "ibv_post_send";
	return r->srq ? "ibv_post_srq_recv" : "ibv_post_recv";
}

static int forced(struct session *s)
{
	return fail_row(s, "note", "-force calls it all the same");
}

/* A QP of an id is moved by what connects the id. */
static int next_state(struct session *s, const struct qp *qp, enum ibv_qp_state state)
{
	if (qp->id && state == IBV_QPS_INIT && !qp->id->listener)
		return fail_next(s, "cm connect %s", qp->id->o.name);
	if (qp->id && state == IBV_QPS_INIT)
		return fail_next(s, "cm accept %s", qp->id->o.name);
	if (state == IBV_QPS_RESET && qp->id) {
		char *again = id_again(qp->id);

		fail_next(s, "%s", again);
		free(again);
		return -1;
	}
	if (state == IBV_QPS_RESET)
		return fail_next(s, "modify-qp INIT %s -fill", qp->o.name);
	if (state == IBV_QPS_INIT)
		return fail_next(s, "modify-qp RTR %s -fill", qp->o.name);
	return fail_next(s, "modify-qp RTS %s -fill", qp->o.name);
}

static struct wr_judged judged(const struct post_req *r)
{
	bool recv = r->op == &wr_ops[WR_RECV];
	struct wr_judged wr = {
		.op = r->op,
		.num_sge = r->wr.num_sge,
		.flags = r->wr.send_flags,
		.bytes = post_bytes(r),
		.remote_addr = r->wr.wr.atomic.remote_addr,
		.queue = r->srq ? r->srq->o.name : r->qp->o.name,
		.max_sge = r->srq ? r->srq->max_sge : 0,
	};

	if (!r->qp)
		return wr;
	wr.qp_type = r->qp->type;
	wr.state = qp_history_state(r->qp);
	wr.max_inline = r->qp->cap.max_inline_data;
	wr.srq = !r->srq && r->qp->srq ? r->qp->srq->o.name : NULL;
	if (!r->srq)
		wr.max_sge = recv ? r->qp->cap.max_recv_sge : r->qp->cap.max_send_sge;
	return wr;
}

/* What else there is to say of a fault, and what to type. */
static int add_rows(struct session *s, const struct post_req *r, const struct wr_judged *wr,
		    enum wr_fault fault)
{
	if (fault == WR_NOT_OF_TYPE)
		fail_row(s, "QP types", "%s: %s%s%s", r->op->name,
			 r->op->types & (1u << IBV_QPT_RC) ? "RC" : "",
			 r->op->types & (1u << IBV_QPT_UC) ? " UC" : "",
			 r->op->types & (1u << IBV_QPT_UD) ? " UD" : "");
	if (fault == WR_NOT_IN_STATE)
		fail_row(s, "needs", "%s",
			 r->op == &wr_ops[WR_RECV] ? "INIT or later" : "RTS (or SQD, SQE, ERR)");
	forced(s);
	switch (fault) {
	case WR_NOT_IN_STATE:
		return next_state(s, r->qp, wr->state);
	case WR_LONG_INLINE:
		return fail_next(
			s, "the same without -inline, or with a QP of: qp create -inline %llu",
			(unsigned long long)wr->bytes);
	case WR_OF_SRQ:
		return fail_next(s, "post recv ... -srq %s", wr->srq);
	default:
		return -1;
	}
}

static int check_request(struct session *s, const struct post_req *r)
{
	struct wr_judged wr = judged(r);
	char text[160];
	enum wr_fault fault = wr_fault_find(&wr, text, sizeof text);

	if (fault == WR_NOT_IN_STATE) { /* it may have moved on */
		wr.state = qp_history_sync(r->qp, "seen when posting");
		fault = wr_fault_find(&wr, text, sizeof text);
	}
	if (!fault)
		return 0;
	fail(s, call_of(r), "EINVAL", "%s not called: %s", call_of(r), text);
	return add_rows(s, r, &wr, fault);
}

/* A region, window or address handle of another PD: the completion would say so at best,
 * and of another device the numbers mean something else there. */
static int check_pd(struct session *s, const struct post_req *r, const void *object,
		    const struct pd *pd)
{
	const struct pd *home = r->srq ? r->srq->pd : r->qp->pd;
	const char *queue = r->srq ? r->srq->o.name : r->qp->o.name;
	const struct obj *o = object;

	if (!o || pd == home)
		return 0;
	fail(s, call_of(r), "EINVAL", "%s not called: %s is in %s (%s), %s in %s (%s)", call_of(r),
	     o->name, pd->o.name, pd->dev->o.name, queue, home->o.name, home->dev->o.name);
	forced(s);
	if (o->class == &mr_class)
		return fail_next(s, "reg %zu -pd %s -name %.14s-%.16s",
				 ((const struct mr *)object)->len, home->o.name, o->name,
				 home->o.name);
	return fail_row(s, "remedy", "make it with -pd %s", home->o.name);
}

static int check_pds(struct session *s, const struct post_req *r)
{
	bool lkeys = !(r->wr.send_flags & IBV_SEND_INLINE);

	for (int i = 0; lkeys && i < r->wr.num_sge; i++) {
		const struct mr *mr = r->raw & 1u << i ? NULL : post_sge_key(s, &r->sge[i]);

		if (mr && check_pd(s, r, mr, mr->pd))
			return -1;
	}
	if (check_pd(s, r, r->ah, r->ah ? r->ah->pd : NULL) ||
	    check_pd(s, r, r->mw, r->mw ? r->mw->pd : NULL))
		return -1;
	return check_pd(s, r, r->bound, r->bound ? r->bound->pd : NULL);
}

int post_check(struct session *s, const struct post_req *r)
{
	return check_request(s, r) ? -1 : check_pds(s, r);
}

/* ------------------------------------------------- not even with -force -- */

/* The provider takes the address handle from the work request without a look. */
static int check_ud(struct session *s, const struct post_req *r)
{
	if (r->op != &wr_ops[WR_SEND] && r->op != &wr_ops[WR_SEND_IMM]) {
		fail(s, call_of(r), "EINVAL", "%s not called: %s is UD, which has no %s",
		     call_of(r), r->qp->o.name, r->op->name);
		return fail_row(s, "note",
				"it would be taken for a SEND without a peer: "
				"not even -force does that");
	}
	if (r->wr.wr.ud.ah)
		return 0;
	fail(s, call_of(r), "EINVAL", "%s not called: %s is UD: each message needs its peer",
	     call_of(r), r->qp->o.name);
	fail_row(s, "missing", "-ah (and -qpn, -qkey, unless the ah has them)");
	return fail_next(s, "help ah");
}

/* Inline bytes are copied by the processor: they must be there. */
static int check_copy(struct session *s, const struct post_req *r)
{
	for (int i = 0; i < r->wr.num_sge; i++) {
		if (!r->sge[i].length || post_sge_mr(s, &r->sge[i]))
			continue;
		fail(s, call_of(r), "EFAULT",
		     "%s not called: inline, and there are no %u bytes of ours at 0x%llx",
		     call_of(r), r->sge[i].length, (unsigned long long)r->sge[i].addr);
		return fail_row(s, "note",
				"inline bytes are copied here and now: not even -force does that");
	}
	return 0;
}

int post_check_safe(struct session *s, const struct post_req *r)
{
	if (r->op == &wr_ops[WR_RECV])
		return 0;
	if (r->qp->type == IBV_QPT_UD && check_ud(s, r))
		return -1;
	return r->wr.send_flags & IBV_SEND_INLINE ? check_copy(s, r) : 0;
}
