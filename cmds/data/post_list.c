/* SPDX-License-Identifier: MIT */
/*
 * Handing work requests over, one or a list of them: ibv_post_send(3), ibv_post_recv(3),
 * ibv_post_srq_recv(3).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
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
#include "words.h"

static bool is_recv(const struct post_req *r)
{
	return r->op == &wr_ops[WR_RECV];
}

static bool is_signaled(const struct post_req *r)
{
	return is_recv(r) || r->wr.send_flags & IBV_SEND_SIGNALED || r->qp->sq_sig_all;
}

static bool has_imm(const struct post_req *r)
{
	return r->op == &wr_ops[WR_SEND_IMM] || r->op == &wr_ops[WR_WRITE_IMM];
}

/* The key used at the peer: it lies elsewhere in atomics. */
static uint32_t remote_key(const struct post_req *r)
{
	return r->op->atomic ? r->wr.wr.atomic.rkey : r->op->remote ? r->wr.wr.rdma.rkey : 0;
}

static uint64_t remote_addr(const struct post_req *r)
{
	return r->op->remote ? r->wr.wr.rdma.remote_addr : 0;
}

static void add_flags(const struct post_req *r, struct text *d)
{
	xappendf(d, "%s%s%s%s", is_signaled(r) ? " signaled" : " unsignaled",
		 r->wr.send_flags & IBV_SEND_INLINE ? " inline" : "",
		 r->wr.send_flags & IBV_SEND_SOLICITED ? " solicited" : "",
		 r->wr.send_flags & IBV_SEND_FENCE ? " fence" : "");
}

/* "RDMA_WRITE wr_id 1 signaled, sge buf+0 13 B -> 0x7f... rkey 0x9c31" */
static void describe_request(struct session *s, const struct post_req *r, struct text *d)
{
	if (!is_recv(r))
		xappendf(d, "%s ", r->op->name);
	xappendf(d, "wr_id %llu", (unsigned long long)r->wr.wr_id);
	if (!is_recv(r))
		add_flags(r, d);
	if (has_imm(r))
		xappendf(d, " imm %u", ntohl(r->wr.imm_data));
	for (int i = 0; i < r->wr.num_sge; i++) {
		text_add(d, i ? " + " : ", sge ");
		post_sge_text(s, &r->sge[i], d);
	}
	if (!r->wr.num_sge)
		text_add(d, ", no sge");
	if (r->op->remote)
		xappendf(d, " -> 0x%llx rkey 0x%x", (unsigned long long)remote_addr(r),
			 remote_key(r));
	if (r->op == &wr_ops[WR_CMP_SWAP])
		xappendf(d, ", compare %llu swap %llu",
			 (unsigned long long)r->wr.wr.atomic.compare_add,
			 (unsigned long long)r->wr.wr.atomic.swap);
	else if (r->op == &wr_ops[WR_FETCH_ADD])
		xappendf(d, ", add %llu", (unsigned long long)r->wr.wr.atomic.compare_add);
	else if (r->op == &wr_ops[WR_SEND_INV] || r->op == &wr_ops[WR_LOCAL_INV])
		xappendf(d, ", rkey 0x%x", r->wr.invalidate_rkey);
	else if (r->op == &wr_ops[WR_BIND_MW] && r->mw)
		xappendf(d, ", %s rkey 0x%x to %llu B at 0x%llx %s", r->mw->o.name,
			 r->wr.bind_mw.rkey, (unsigned long long)r->wr.bind_mw.bind_info.length,
			 (unsigned long long)r->wr.bind_mw.bind_info.addr,
			 word_flags(qp_access_words, r->wr.bind_mw.bind_info.mw_access_flags));
	if (r->qp && r->qp->type == IBV_QPT_UD && !is_recv(r))
		xappendf(d, ", to qpn 0x%x qkey 0x%x", r->wr.wr.ud.remote_qpn,
			 r->wr.wr.ud.remote_qkey);
}

/* A window has the key of its last bind. */
static void take_key(const struct post_req *r)
{
	if (!r->mw || r->op != &wr_ops[WR_BIND_MW])
		return;
	r->mw->v->rkey = r->wr.bind_mw.rkey;
	mw_bound(r->mw, r->bound, r->qp);
}

/* Send requests are linked where they are; *bad becomes the index of the refused one. */
static int hand_over_send(struct post_req *const reqs[], unsigned n, unsigned *bad)
{
	struct ibv_send_wr *bad_wr = NULL;
	int rc;

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

/* The rule that a forced request breaks: the words of the check that was passed by. */
static char *broken_rule(struct session *s, const struct post_req *r)
{
	char *text;

	if (post_check(s, r) == 0)
		return NULL;
	text = xstrdup(s->fail.text);
	fail_clear(&s->fail);
	return text;
}

static int fail_full_queue(struct session *s, const struct post_req *r)
{
	struct outstanding out;

	if (r->srq) {
		fail_row(s, "likely", "%s is full: it holds %u receives", r->srq->o.name,
			 r->srq->max_wr);
		return fail_next(s, "poll");
	}
	out = own_outstanding(r->qp, is_recv(r));
	fail_row(s, "likely", "the %s queue is full: it holds %u, %u are outstanding",
		 is_recv(r) ? "receive" : "send",
		 is_recv(r) ? r->qp->cap.max_recv_wr : r->qp->cap.max_send_wr, out.n);
	if (out.silent && out.silent == out.n)
		return fail_row(s, "note",
				"all are unsignaled: on most cards their places come back "
				"only when a later signaled one has completed and is "
				"polled; on rxe0 and uroce0 when the peer has acknowledged");
	return fail_next(s, "poll -all");
}

static int fail_refused(struct session *s, struct post_req *const reqs[], unsigned n, unsigned bad)
{
	const struct post_req *r = reqs[bad < n ? bad : 0];
	const int err = call_errno();
	char *rule = broken_rule(s, r);
	SCOPED_TEXT(d);

	describe_request(s, r, &d);
	call_fail(s, "%s", r->op->name);
	fail_row(s, "posted", "%s", text_str(&d));
	if (n > 1)
		fail_row(s, "bad_wr", "number %u of %u: the %u before it are posted", bad + 1, n,
			 bad);
	if (r->qp)
		fail_row(s, "state", "%s %s %s", r->qp->o.name,
			 word_name(qp_type_words, r->qp->type),
			 word_name(qp_state_words, qp_history_sync(r->qp, "seen when posting")));
	if (rule)
		fail_row(s, "likely", "%s", rule);
	free(rule);
	return err == ENOMEM ? fail_full_queue(s, r) : -1;
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
