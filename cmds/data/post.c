/* SPDX-License-Identifier: MIT */
/* From arguments to a request, and from a request to the queue: common to all post
 * commands. */
#include <stdlib.h>

#include "post.h"
#include "session.h"

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
	return fail_row(s, "missing", "-qpn (and -qkey)");
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
	if (post_sges(s, a, r))
		return -1;
	return r->qp && op != &wr_ops[WR_RECV] ? fill_peer(s, a, r) : 0;
}

/* One wr_id is a number, several are a list. */
static void say(struct session *s, const struct post_req *r, uint64_t first, struct out *o)
{
	const char *where = r->srq ? r->srq->o.name : r->qp->o.name;

	if (r->repeat == 1) {
		out_u64(o, NULL, first, NULL);
	} else {
		out_list(o, NULL);
		for (uint32_t i = 0; i < r->repeat; i++)
			out_u64(o, NULL, first + i, NULL);
		out_end(o);
	}
	if (s->opt.trace)
		return; /* the trace has said it */
	out_text(o, "%s %s  %llu B  wr_id %llu", where, r->op->name,
		 (unsigned long long)post_bytes(r), (unsigned long long)first);
	if (r->repeat > 1)
		out_text(o, " to %llu", (unsigned long long)(first + r->repeat - 1));
	out_text(o, "%s\n", post_chain_open() ? "  (in the chain)" : "");
}

static int post_one(struct session *s, struct post_req *r)
{
	unsigned posted;

	if (post_chain_open())
		return post_chain_add(s, r);
	return post_list(s, &r, 1, &posted);
}

int post_run(struct session *s, struct post_req *r, struct out *o)
{
	bool numbered = r->wr.wr_id == s->ctx->wr_id + 1;
	uint64_t first = r->wr.wr_id;

	if ((!r->force && post_check(s, r)) || post_check_safe(s, r))
		return -1;
	for (uint32_t i = 0; i < r->repeat; i++) {
		r->wr.wr_id = first + i;
		if (post_one(s, r)) {
			if (r->repeat > 1)
				fail_row(s, "note", "%u of %u had been posted", i, r->repeat);
			return -1;
		}
		if (numbered)
			s->ctx->wr_id = r->wr.wr_id;
	}
	say(s, r, first, o);
	return 0;
}

int post_simple(struct session *s, const struct wr_op *op, const struct post_args *a, struct out *o)
{
	struct post_req r;

	if (post_fill(s, op, a, &r))
		return -1;
	if (op->atomic) {
		r.wr.wr.atomic.remote_addr = a->remote.v;
		r.wr.wr.atomic.rkey = (uint32_t)a->rkey.v;
		r.wr.wr.atomic.compare_add = a->compare.set ? a->compare.v : a->add.v;
		r.wr.wr.atomic.swap = a->swap.v;
	} else if (op->remote) {
		r.wr.wr.rdma.remote_addr = a->remote.v;
		r.wr.wr.rdma.rkey = (uint32_t)a->rkey.v;
	}
	return post_run(s, &r, o);
}
