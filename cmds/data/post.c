/* SPDX-License-Identifier: MIT */
/* From arguments to a request, and the checks before it goes to the queue: common to all post
 * commands. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>

#include "alloc.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "data/post.h"
#include "live_context.h"
#include "qp/qp.h"
#include "resources/mr.h"
#include "session.h"
#include "spec_tables.h"
#include "words.h"

static int fill_peer(struct session *s, const struct post_args *a, struct post_req *r)
{
	if (r->qp->type != IBV_QPT_UD) {
		if (!a->ah || r->force)
			return 0;
		return fail(s, "post", "EINVAL", "-ah is for UD: %s is connected to one peer",
			    r->qp->o.name);
	}
	if (!a->ah)
		return 0;
	r->ah = a->ah;
	r->wr.wr.ud.ah = a->ah->v;
	r->wr.wr.ud.remote_qpn = a->qpn.set ? (uint32_t)a->qpn.v : a->ah->qpn;
	r->wr.wr.ud.remote_qkey = a->qkey.set ? (uint32_t)a->qkey.v : a->ah->qkey;
	if (a->qpn.set || a->ah->qpn || r->force)
		return 0;
	fail(s, "post", "EINVAL", "%s knows no QP number: name the peer's", a->ah->o.name);
	return fail_row(s, "missing", "-dest-qpn (and -qkey)");
}

int post_needs_target(struct session *s, const struct wr_op *op, const struct qp *qp,
		      const struct num *remote, const struct num *rkey)
{
	if (qp->peer.len || (remote->set && rkey->set))
		return 0;
	fail(s, "args", "MISSING", "%s: where to? The peer of %s has told no window", op->name,
	     qp->o.name);
	fail_row(s, "missing", "%s%s%s", remote->set ? "" : "-remote ADDRESS",
		 remote->set || rkey->set ? "" : " ", rkey->set ? "" : "-rkey KEY");
	return fail_row(s, "or",
			"at the peer: 'listen PORT -share REGION' tells it to every client");
}

static int check_request(struct session *s, const struct post_req *r);

/* Do we know where to? A QP that may not post at all is told first. */
static int where_to(struct session *s, const struct post_args *a, const struct post_req *r)
{
	if (!r->force && !wr_may_post(qp_history_state(r->qp), false) && check_request(s, r))
		return -1;
	if (a->at.set && a->remote.set)
		return fail(s, "args", "TWICE", "-at and -remote both say where");
	return post_needs_target(s, r->op, r->qp, &a->remote, &a->rkey);
}

int post_fill(struct session *s, const struct wr_op *op, const struct post_args *a,
	      struct post_req *r)
{
	*r = (struct post_req){ .op = op, .qp = a->qp, .srq = a->srq, .force = a->force };
	r->repeat = a->repeat.set ? (uint32_t)a->repeat.v : 1;
	r->wr.opcode = op->code;
	r->wr.wr_id = a->wr_id.set ? a->wr_id.v : s->ctx->wr_id + 1;
	r->wr.send_flags = (a->unsignaled ? 0u : IBV_SEND_SIGNALED) |
			   (a->inlined ? IBV_SEND_INLINE : 0u) |
			   (a->solicited ? IBV_SEND_SOLICITED : 0u) |
			   (a->fence ? IBV_SEND_FENCE : 0u);
	if ((op->remote && where_to(s, a, r)) || post_sges(s, a, r))
		return -1;
	return r->qp && op != &wr_ops[WR_RECV] ? fill_peer(s, a, r) : 0;
}

/* Address and key at the peer: those of the arguments, else of the window that the peer has told
 * (listen -share, oob). */
static void take_target(const struct post_args *a, const struct post_req *r, uint64_t *remote,
			uint32_t *rkey)
{
	const struct qp_peer *told = &r->qp->peer;

	*remote = a->remote.set ? a->remote.v : told->addr + a->at.v;
	*rkey = a->rkey.set ? (uint32_t)a->rkey.v : told->rkey;
}

/* " to the peer's window", " from 0x7f3a10a41fe0, rkey 0x1a07". */
static void say_target(const struct post_req *r, struct out *o)
{
	const struct qp_peer *told = &r->qp->peer;
	bool atomic = r->op->atomic;
	uint64_t at = atomic ? r->wr.wr.atomic.remote_addr : r->wr.wr.rdma.remote_addr;
	uint32_t rkey = atomic ? r->wr.wr.atomic.rkey : r->wr.wr.rdma.rkey;

	out_text(o, "%s",
		 atomic || r->op == &wr_ops[WR_FLUSH] ? " at "
		 : r->op->sink			      ? " from "
						      : " to ");
	if (told->len && told->rkey == rkey && at >= told->addr && at - told->addr >= told->len)
		out_text(o, "the peer's window + %llu, beyond its end",
			 (unsigned long long)(at - told->addr));
	else if (!told->len || told->rkey != rkey || at - told->addr >= told->len)
		out_text(o, "0x%llx, rkey 0x%x", (unsigned long long)at, rkey);
	else
		out_text(o, "the peer's window");
	if (told->len && told->rkey == rkey && at - told->addr - 1 < told->len - 1)
		out_text(o, " + %llu", (unsigned long long)(at - told->addr));
}

/* Does poll look into its CQ when no QP is named? */
static bool is_polled(const struct session *s, const struct post_req *r)
{
	const struct cq *cq = r->op == &wr_ops[WR_RECV] ? r->qp->recv_cq : r->qp->send_cq;
	const struct qp *current = s->ctx->qp;

	return current && (current->send_cq == cq || current->recv_cq == cq);
}

/* A server's next client may be there already. */
static void say_flushed(struct session *s, const struct qp *qp, struct out *o)
{
	const struct qp *next = qp->id ? id_next_peer(s, qp->id) : NULL;

	out_text(o, "), flushed at once: %s is in ERR; 'explain' tells why, and the way back",
		 qp->o.name);
	if (next)
		out_text(o, "; -qp %s is connected", next->o.name);
	out_text(o, "\n");
}

/* Its consequence, and the line to type for it. */
static void say_completion(struct session *s, const struct post_req *r, struct out *o)
{
	if (post_chain_open())
		out_text(o, "), in the chain\n");
	else if (r->srq)
		out_text(o, "); the QP whose message takes it gets its completion\n");
	else if (qp_history_state(r->qp) == IBV_QPS_ERR)
		say_flushed(s, r->qp, o);
	else if (r->op != &wr_ops[WR_RECV] && !r->qp->sq_sig_all &&
		 !(r->wr.send_flags & IBV_SEND_SIGNALED))
		out_text(o, "); no completion unless it fails\n");
	else if (is_polled(s, r))
		out_text(o, "); 'poll' takes its completion\n");
	else
		out_text(o, "); 'poll -qp %s' takes its completion\n", r->qp->o.name);
}

/* The meaning of a request without a region, where that is seldom meant. */
static const char *without_region(const struct wr_op *op)
{
	if (op == &wr_ops[WR_RECV])
		return ", no region: no room for a message";
	if (op == &wr_ops[WR_READ])
		return ", no region: nothing is read";
	if (op == &wr_ops[WR_SEND] || op == &wr_ops[WR_WRITE])
		return ", no region";
	return "";
}

/* One wr_id is a number, several are a list. */
static void out_wr_ids(const struct post_req *r, uint64_t first, struct out *o)
{
	if (r->repeat == 1) {
		out_u64(o, NULL, first, NULL);
		return;
	}
	out_list(o, NULL);
	for (uint32_t i = 0; i < r->repeat; i++)
		out_u64(o, NULL, first + i, NULL);
	out_end(o);
}

/* "RDMA_WRITE of 12 bytes", "BIND_MW of mw0 to 64 bytes at buf + 1024". */
static void say_request(const struct post_req *r, struct out *o)
{
	const struct ibv_mw_bind_info *bind = &r->wr.bind_mw.bind_info;
	const bool binds = r->op == &wr_ops[WR_BIND_MW];
	const uint64_t bytes = binds ? bind->length : post_bytes(r);

	out_text(o, "%s of ", r->op->name);
	if (r->op == &wr_ops[WR_LOCAL_INV]) {
		out_text(o, "rkey 0x%x", r->wr.invalidate_rkey);
		return;
	}
	if (r->op == &wr_ops[WR_FLUSH]) {
		if (r->flush.level == FLUSH_MR)
			out_text(o, "the whole region");
		else
			out_text(o, "%llu bytes", (unsigned long long)r->flush.len);
		return;
	}
	if (binds)
		out_text(o, "%s to ", r->mw->o.name);
	out_text(o, "%llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
	if (binds)
		out_text(o, " at %s + %llu", r->bound->o.name,
			 (unsigned long long)(bind->addr - (uintptr_t)r->bound->buf));
}

static void say_posted(struct session *s, const struct post_req *r, uint64_t first, struct out *o)
{
	const struct obj *queue = r->srq ? &r->srq->o : &r->qp->o;

	out_text(o, "posted");
	if (r->srq || r->qp != s->ctx->qp)
		out_text(o, " on %s", queue->name);
	out_text(o, ": ");
	say_request(r, o);
	if (r->op->remote)
		say_target(r, o);
	if (!r->wr.num_sge)
		out_text(o, "%s", without_region(r->op));
	else if (r->only)
		out_text(o, ", in %s", r->only->o.name);
	out_text(o, " (wr_id %llu", (unsigned long long)first);
	if (r->repeat > 1)
		out_text(o, " to %llu", (unsigned long long)(first + r->repeat - 1));
	say_completion(s, r, o);
}

static int post_or_chain(struct session *s, struct post_req *r)
{
	unsigned posted;

	if (loop_interrupted(s->loop))
		return fail(s, r->op->name, "EINTR", "interrupted");
	return post_chain_open() ? post_chain_add(s, r) : post_list(s, &r, 1, &posted);
}

int post_run(struct session *s, struct post_req *r, struct out *o)
{
	bool numbered = r->wr.wr_id == s->ctx->wr_id + 1;
	uint64_t first = r->wr.wr_id;

	if ((!r->force && post_check(s, r)) || post_check_safe(s, r))
		return -1;
	for (uint32_t i = 0; i < r->repeat; i++) {
		r->wr.wr_id = first + i;
		if (post_or_chain(s, r)) {
			s->partly = i;
			if (r->repeat > 1)
				fail_row(s, "note", "%u of %u had been posted", i, r->repeat);
			return -1;
		}
		if (numbered)
			s->ctx->wr_id = r->wr.wr_id;
	}
	out_wr_ids(r, first, o);
	if (out_has_text(o))
		say_posted(s, r, first, o);
	return 0;
}

int post_simple(struct session *s, const struct wr_op *op, const struct post_args *a, struct out *o)
{
	struct post_req r;

	if (post_fill(s, op, a, &r))
		return -1;
	r.flush.len = a->flush_len.v;
	r.flush.type = a->persistent ? FLUSH_PERSISTENT : FLUSH_GLOBAL;
	r.flush.level = a->flush_len.set ? FLUSH_RANGE : FLUSH_MR;
	if (op->atomic) {
		take_target(a, &r, &r.wr.wr.atomic.remote_addr, &r.wr.wr.atomic.rkey);
		r.wr.wr.atomic.compare_add = a->compare.set ? a->compare.v : a->add.v;
		r.wr.wr.atomic.swap = a->swap.v;
	} else if (op->remote) {
		take_target(a, &r, &r.wr.wr.rdma.remote_addr, &r.wr.wr.rdma.rkey);
	}
	if (a->imm.set)
		r.wr.imm_data = htonl((uint32_t)a->imm.v);
	else if (!op->remote && a->rkey.set)
		r.wr.invalidate_rkey = (uint32_t)a->rkey.v;
	return post_run(s, &r, o);
}

/* --------------------------------------------------------------- checks -- */

/*
 * Providers say EINVAL or ENOMEM for most of these, and some
 * accept what only fails on the wire; here each has its own words. -force passes them by.
 */

static const char *call_of(const struct post_req *r)
{
	if (r->op != &wr_ops[WR_RECV])
		return "ibv_post_send";
	return r->srq ? "ibv_post_srq_recv" : "ibv_post_recv";
}

static int note_forced(struct session *s)
{
	return fail_row(s, "note", "-force calls it all the same");
}

/* A QP of an id is moved by what connects the id. */
const char *post_way_to_rts(struct session *s, const struct qp *qp, enum ibv_qp_state state)
{
	if (qp->id && state == IBV_QPS_INIT)
		return temp_text(qp->id->listener ? "cm accept %s" : "cm connect %s",
				 qp->id->o.name);
	if (qp->id && (state == IBV_QPS_RESET || state == IBV_QPS_ERR))
		return id_again(s, qp->id);
	if (state == IBV_QPS_ERR)
		return temp_text("modify-qp RESET %s, and INIT, RTR, RTS as before", qp->o.name);
	return temp_text("modify-qp %s %s -fill",
			 word_name(qp_state_words, state < IBV_QPS_RTS ? state + 1 : IBV_QPS_RTS),
			 qp->o.name);
}

int post_next_state(struct session *s, const struct qp *qp, enum ibv_qp_state state)
{
	return fail_next(s, "%s", post_way_to_rts(s, qp, state));
}

/* An SRQ made by the command call has no max_sge yet. */
static uint32_t max_sge_of(struct srq *srq)
{
	struct ibv_srq_attr attr;

	if (!srq->max_sge && ibv_query_srq(srq->v, &attr) == 0)
		srq->max_sge = attr.max_sge;
	return srq->max_sge;
}

static struct wr_judged judge_request(const struct post_req *r)
{
	bool recv = r->op == &wr_ops[WR_RECV];
	struct wr_judged wr = {
		.op = r->op,
		.num_sge = r->wr.num_sge,
		.flags = r->wr.send_flags,
		.bytes = post_bytes(r),
		.remote_addr = r->wr.wr.atomic.remote_addr,
		.queue = r->srq ? r->srq->o.name : r->qp->o.name,
		.max_sge = r->srq ? max_sge_of(r->srq) : 0,
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

/* The remedy for an atomic without a region: the line to type, with a region for what was there. */
static int next_atomic(struct session *s, const struct post_req *r)
{
	const struct mr *mr = mr_to_receive(s, r->qp->pd);
	const bool adds = r->op == &wr_ops[WR_FETCH_ADD];
	const char *name = mr ? mr->o.name : "before";
	SCOPED_TEXT(line);

	if (!mr)
		xappendf(&line, "reg 8 -pd %s -name %s; ", r->qp->pd->o.name, name);
	xappendf(&line, "post %s %s -%s %llu", adds ? "fetch-add" : "cmp-swap", name,
		 adds ? "add" : "compare", (unsigned long long)r->wr.wr.atomic.compare_add);
	if (!adds)
		xappendf(&line, " -swap %llu", (unsigned long long)r->wr.wr.atomic.swap);
	if (!r->qp->peer.len)
		xappendf(&line, " -remote 0x%llx -rkey 0x%x",
			 (unsigned long long)r->wr.wr.atomic.remote_addr, r->wr.wr.atomic.rkey);
	if (r->qp != s->ctx->qp)
		xappendf(&line, " -qp %s", r->qp->o.name);
	return fail_next(s, "%s", text_str(&line));
}

/* Further facts about a fault, and the line to type. */
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
	note_forced(s);
	switch (fault) {
	case WR_NOT_IN_STATE:
		return post_next_state(s, r->qp, wr->state);
	case WR_LONG_INLINE:
		return fail_next(
			s, "the same without -inline, or with a QP of: qp create -inline %llu",
			(unsigned long long)wr->bytes);
	case WR_SIZE_OF_ATOMIC:
		return r->wr.num_sge ? -1 : next_atomic(s, r);
	case WR_OF_SRQ:
		return fail_next(s, "post recv ... -srq %s", wr->srq);
	default:
		return -1;
	}
}

static int check_request(struct session *s, const struct post_req *r)
{
	struct wr_judged wr = judge_request(r);
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
	note_forced(s);
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
	fail_row(s, "missing", "-ah (and -dest-qpn, -qkey, unless the ah has them)");
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
