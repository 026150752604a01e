/* SPDX-License-Identifier: MIT */
/*
 * post chain: the posts of a script become one list, handed over in one call.
 *
 * A list is of one queue: all sends or all receives of one QP or SRQ.
 */
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "data/post.h"
#include "language/interp.h"
#include "session.h"
#include "alloc.h"

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
	bool recv = a->op == &wr_ops[WR_RECV];

	return recv == (b->op == &wr_ops[WR_RECV]) && a->srq == b->srq &&
	       (a->srq || a->qp == b->qp);
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

static int exec(struct session *s, const void *args, struct out *o)
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

static const struct cmd_eg examples[] = { { "post chain { post write buf -len 8 -remote "
					    "[get window addr] -rkey [get window rkey] "
					    "-unsignaled; post write buf -len 8 -remote "
					    "[get window addr] -rkey [get window rkey] }",
					    "2 work requests" },
					  { "dict get [poll] status", NULL },
					  { NULL, NULL } };

const struct cmd cmd_post_chain = {
	.name = "post chain",
	.family = "data path",
	.summary = "post several work requests in one call",
	.text = "The posts in the script are checked one by one, collected, and handed over as one\n"
		"linked list at its end: the device is told once. When one is refused (bad_wr), the\n"
		"ones before it are posted, it and the ones after it are not. Nothing is posted\n"
		"when the script fails.",
	.calls = "ibv_post_send(3), ibv_post_recv(3), ibv_post_srq_recv(3)",
	.setup = POST_SETUP,
	.examples = examples,
	.args = chain_args,
	.size = sizeof(struct chain_args),
	.flags = CMD_EVALS,
	.exec = exec,
};
