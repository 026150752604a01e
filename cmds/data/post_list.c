/* SPDX-License-Identifier: MIT */
/*
 * Handing work requests over, one or a list of them: ibv_post_send(3), ibv_post_recv(3),
 * ibv_post_srq_recv(3).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "data/post.h"
#include "own_model.h"
#include "language/interp.h"
#include "live_context.h"
#include "qp/qp.h"
#include "objects.h"
#include "recorded.h"
#include "resources/mr.h"
#include "session.h"

static bool is_recv(const struct post_req *r)
{
	return r->op == &wr_ops[WR_RECV];
}

/* A window has the key of its last bind. */
static void take_key(const struct post_req *r)
{
	if (!r->mw || r->op != &wr_ops[WR_BIND_MW])
		return;
	r->mw->v->rkey = r->wr.bind_mw.rkey;
	mw_bound(r->mw, r->bound, r->qp);
}

/* ibv_wr_post(3): struct ibv_send_wr cannot say what to flush. */
static int hand_over_flush(const struct post_req *r)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(r->qp->v);

	ibv_wr_start(ex);
	ex->wr_id = r->wr.wr_id;
	ex->wr_flags = r->wr.send_flags;
	ibv_wr_flush(ex, r->wr.wr.rdma.rkey, r->wr.wr.rdma.remote_addr, r->flush.len, r->flush.type,
		     r->flush.level);
	return ibv_wr_complete(ex);
}

/* Send requests are linked where they are; *bad becomes the index of the refused one. */
static int hand_over_send(struct post_req *const reqs[], unsigned n, unsigned *bad)
{
	struct ibv_send_wr *bad_wr = NULL;
	int rc;

	if (reqs[0]->op == &wr_ops[WR_FLUSH]) { /* alone */
		*bad = 0;
		return hand_over_flush(reqs[0]);
	}
	for (unsigned i = 0; i < n; i++)
		reqs[i]->wr.next = i + 1 < n ? &reqs[i + 1]->wr : NULL;
	rc = ibv_post_send(reqs[0]->qp->v, &reqs[0]->wr, &bad_wr);
	for (*bad = 0; rc && *bad < n && &reqs[*bad]->wr != bad_wr; ++*bad)
		;
	return rc;
}

static int hand_over_recv(struct post_req *const reqs[], unsigned n, unsigned *bad)
{
	struct ibv_recv_wr one, *wr = n == 1 ? &one : xcalloc(n, sizeof *wr), *bad_wr = NULL;
	int rc;

	for (unsigned i = 0; i < n; i++)
		wr[i] = (struct ibv_recv_wr){ .wr_id = reqs[i]->wr.wr_id,
					      .sg_list = reqs[i]->sge,
					      .num_sge = reqs[i]->wr.num_sge,
					      .next = i + 1 < n ? &wr[i + 1] : NULL };
	if (reqs[0]->srq)
		rc = ibv_post_srq_recv(reqs[0]->srq->v, wr, &bad_wr);
	else
		rc = ibv_post_recv(reqs[0]->qp->v, wr, &bad_wr);
	*bad = rc && bad_wr >= wr && bad_wr < wr + n ? (unsigned)(bad_wr - wr) : rc ? n : 0;
	if (wr != &one)
		free(wr);
	return rc;
}

static int fail_refused(struct session *s, struct post_req *const reqs[], unsigned n, unsigned bad)
{
	const struct post_req *r = reqs[bad < n ? bad : 0];
	const struct outstanding out = r->qp ? own_outstanding(r->qp, is_recv(r))
					     : (struct outstanding){ 0 };
	const bool is_full = call_errno() == ENOMEM;

	call_fail(s, "%s", r->op->name);
	if (n > 1)
		fail_row(s, "bad_wr", "number %u of %u: the %u before it are posted", bad + 1, n,
			 bad);
	call_fail_why(s);
	if (!is_full || (out.n && out.unsignaled == out.n))
		return -1;
	if (r->srq)
		return fail_next(s, "poll");
	return fail_next(s, "poll -all");
}

int post_list(struct session *s, struct post_req *const reqs[], unsigned n, unsigned *posted)
{
	unsigned bad;
	bool failed = is_recv(reqs[0]) ? hand_over_recv(reqs, n, &bad)
				       : hand_over_send(reqs, n, &bad);

	*posted = !failed ? n : bad < n ? bad : 0;
	for (unsigned i = 0; i < *posted; i++)
		take_key(reqs[i]);
	return failed ? fail_refused(s, reqs, n, bad) : 0;
}

/* ----------------------------------------------------------- post chain -- */

/*
 * The posts of a script become one list, handed over in one call.
 *
 * A list is of one queue: all sends or all receives of one QP or SRQ.
 */

#define CHAIN_MAX 65536

static struct {
	struct post_req **reqs;
	unsigned n;
	bool open;
} chain;

struct chain_args {
	Tcl_Obj *script;
};

static const struct arg chain_args[] = {
	POS("script", chain_args, script, kind_script, "post commands"), ARGS_END
};

bool post_chain_open(void)
{
	return chain.open;
}

static bool same_queue(const struct post_req *a, const struct post_req *b)
{
	return is_recv(a) == is_recv(b) && a->srq == b->srq && (a->srq || a->qp == b->qp);
}

static void note_objects(struct post_req *r)
{
	void *used[POST_OBJS] = { r->qp, r->srq, r->ah, r->mw, r->bound };

	for (unsigned i = 0; i < POST_OBJS; i++) {
		r->objs[i] = used[i];
		if (used[i])
			obj_ref(used[i]);
	}
}

int post_chain_add(struct session *s, const struct post_req *r)
{
	struct post_req *copy;

	if (chain.n && !same_queue(chain.reqs[0], r))
		return fail(s, "post chain", "EINVAL",
			    "a chain is for one queue: all sends or all receives of one QP");
	if (r->op == &wr_ops[WR_FLUSH])
		return fail(s, "post chain", "EINVAL",
			    "a chain is for ibv_post_send, which cannot post a FLUSH");
	if (chain.n == CHAIN_MAX)
		return fail(s, "post chain", "E2BIG", "more than %u work requests", CHAIN_MAX);
	copy = xcalloc(1, sizeof *copy);
	*copy = *r;
	copy->wr.sg_list = copy->sge;
	note_objects(copy);
	chain.reqs = xgrow(chain.reqs, chain.n, sizeof(struct post_req *));
	chain.reqs[chain.n++] = copy;
	return 0;
}

static void chain_clear(void)
{
	for (unsigned i = 0; i < chain.n; i++) {
		for (unsigned j = 0; j < POST_OBJS; j++)
			if (chain.reqs[i]->objs[j])
				obj_unref(chain.reqs[i]->objs[j]);
		free(chain.reqs[i]);
	}
	free(chain.reqs);
	chain.reqs = NULL;
	chain.n = 0;
}

/* Objects of the chain may be gone: the script might destroy them. */
static bool still_there(void)
{
	for (unsigned i = 0; i < chain.n; i++)
		for (unsigned j = 0; j < POST_OBJS; j++)
			if (chain.reqs[i]->objs[j] && obj_gone(chain.reqs[i]->objs[j]))
				return false;
	return true;
}

static int post_collected(struct session *s, struct out *o, unsigned *posted)
{
	out_list(o, NULL);
	if (chain.n) {
		if (!still_there())
			return fail(s, "post chain", "ENOENT",
				    "an object that it uses was destroyed");
		for (unsigned i = 0; i < chain.n; i++)
			if (post_check_safe(s, chain.reqs[i]))
				return -1;
		if (post_list(s, chain.reqs, chain.n, posted))
			return -1;
	}
	for (unsigned i = 0; i < chain.n; i++)
		out_u64(o, NULL, chain.reqs[i]->wr.wr_id, NULL);
	out_end(o);
	out_text(o, "%u work request%s in one call\n", chain.n, chain.n == 1 ? "" : "s");
	return 0;
}

static int post_chain_exec(struct session *s, const void *args, struct out *o)
{
	const struct chain_args *a = args;
	uint64_t wr_id = s->ctx->wr_id;
	unsigned posted = 0;
	int rc;

	if (chain.open)
		return fail(s, "post chain", "EBUSY", "a chain cannot stand in a chain");
	chain.open = true;
	rc = interp_eval(s, a->script);
	chain.open = false;
	if (rc != TCL_OK && rc != TCL_ERROR)
		fail(s, "post chain", "EINVAL", "break, continue and return cannot leave a chain");
	rc = rc == TCL_OK ? post_collected(s, o, &posted) : -1;
	if (rc && !posted)
		s->ctx->wr_id = wr_id;
	chain_clear();
	return rc;
}

/** The posts in the script are checked one by one, collected, and handed over as one
 * linked list at its end: the device is told once. When one is refused (bad_wr), the
 * ones before it are posted, it and the ones after it are not. Nothing is posted
 * when the script fails.
 * > post chain { post write buf -len 8 -remote [get window addr] -rkey [get window rkey]
 *   -unsignaled; post write buf -len 8 -remote [get window addr] -rkey [get window rkey] }
 *   => 2 work requests
 * > dict get [poll] status */
const struct cmd cmd_post_chain = {
	.name = "post chain",
	.family = "data path",
	.summary = "post several work requests in one call",
	.calls = "ibv_post_send(3), ibv_post_recv(3), ibv_post_srq_recv(3)",
	.setup = POST_SETUP,
	.args = chain_args,
	.flags = CMD_EVALS,
	.exec = post_chain_exec,
};
