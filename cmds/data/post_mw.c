/* SPDX-License-Identifier: MIT */
/*
 * Memory windows by work request: post bind-mw, local-inv.
 *
 * A bind of type 2 chooses the new rkey itself: the key part (the low 8 bits) of the last
 * one plus 1, ibv_inc_rkey(3). The window's rkey is the new one as soon as it is posted.
 */
#include "command/cmd.h"
#include "data/post.h"
#include "session.h"
#include "words.h"

static const struct arg bind_args[] = {
	POS_OPT("mw", post_args, mw, kind_mw, "memory window of type 2"),
	POS_OPT("mr", post_args, mr, kind_mr, "region it opens a part of"),
	OPT("off", post_args, off, kind_size, "where in the region", .dflt = "0"),
	OPT("len", post_args, len, kind_size, "bytes; left out: up to its end"),
	OPT("access", post_args, access, kind_flags, "what the peer may do",
	    .dflt = "remote-write,remote-read", .data = qp_access_words),
	OPT("rkey", post_args, rkey, kind_u32, "the new key; left out: the last one plus 1"),
	POST_COMMON_ARGS,
	ARGS_END
};

static int bind_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;
	struct post_args none = *a;
	struct post_req r;
	uint64_t len = a->len.set ? a->len.v : a->mr->len - a->off.v;

	if (!a->force && (a->off.v > a->mr->len || len > a->mr->len - a->off.v))
		return fail(s, "post", "ERANGE",
			    "%s has %zu bytes: %llu at offset %llu end outside of it",
			    a->mr->o.name, a->mr->len, (unsigned long long)len,
			    (unsigned long long)a->off.v);
	none.mr = NULL;
	none.off = none.len = (struct num){ 0 };
	if (post_fill(s, &wr_ops[WR_BIND_MW], &none, &r))
		return -1;
	if (a->mw->v->type == IBV_MW_TYPE_1 && !a->force) {
		fail(s, "ibv_post_send", "EINVAL",
		     "%s is of type 1: it is bound by a call of its own", a->mw->o.name);
		return fail_next(s, "mw bind %s %s", a->mw->o.name, a->mr->o.name);
	}
	r.mw = a->mw;
	r.bound = a->mr;
	r.wr.bind_mw.mw = a->mw->v;
	r.wr.bind_mw.rkey = a->rkey.set ? (uint32_t)a->rkey.v : ibv_inc_rkey(a->mw->v->rkey);
	r.wr.bind_mw.bind_info =
		(struct ibv_mw_bind_info){ .mr = a->mr->v,
					   .addr = (uintptr_t)a->mr->buf + a->off.v,
					   .length = len,
					   .mw_access_flags = (unsigned)a->access.v };
	return post_run(s, &r, o);
}

static const struct cmd_eg bind_egs[] = {
	{ "mw -type 2 -pd [get $peer pd]", "mw0" },
	{ "post bind-mw mw0 window -off 64 -len 64 -qp $peer", "BIND_MW" },
	{ "poll -qp $peer", "SUCCESS  BIND_MW" },
	{ "post write buf -len 64 -remote [expr {[get window addr] + 64}] -rkey [get mw0 rkey]",
	  "RDMA_WRITE" },
	{ "poll", "SUCCESS" },
	{ NULL, NULL }
};

const struct cmd cmd_post_bind_mw = {
	.name = "post bind-mw",
	.family = "data path",
	.summary = "open a part of a region under an rkey of its own",
	.text = "Binds a memory window of type 2 in the send queue of this QP. The region needs\n"
		"MW_BIND, and LOCAL_WRITE if the window is to be written. Each bind has a new\n"
		"rkey, which the peer must be told: get MW rkey. local-inv, or send-inv of the\n"
		"peer, closes the window; only then it can be bound again. For type 1 see mw\n"
		"bind.",
	.calls = "ibv_post_send(3), ibv_inc_rkey(3)",
	.setup = POST_SETUP,
	.examples = bind_egs,
	.args = bind_args,
	.size = sizeof(struct post_args),
	.exec = bind_exec,
};

static const struct arg inv_args[] = {
	POS_OPT("mw", post_args, mw, kind_mw_opt, "memory window: its rkey"),
	OPT("rkey", post_args, rkey, kind_u32, "key, instead of a window"), POST_COMMON_ARGS,
	ARGS_END
};

static int inv_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;
	struct post_req r;

	if (!a->mw == !a->rkey.set)
		return fail(s, "post", "EINVAL", "name the window, or its key with -rkey");
	if (post_fill(s, &wr_ops[WR_LOCAL_INV], a, &r))
		return -1;
	r.wr.invalidate_rkey = a->mw ? a->mw->v->rkey : (uint32_t)a->rkey.v;
	return post_run(s, &r, o);
}

static const struct cmd_eg inv_egs[] = { { "mw -type 2 -pd [get $peer pd]", "mw0" },
					 { "post bind-mw mw0 window -qp $peer", "BIND_MW" },
					 { "poll -qp $peer", "SUCCESS  BIND_MW" },
					 { "post local-inv mw0 -qp $peer", "LOCAL_INV" },
					 { "poll -qp $peer", "SUCCESS  LOCAL_INV" },
					 { NULL, NULL } };

const struct cmd cmd_post_local_inv = {
	.name = "post local-inv",
	.family = "data path",
	.summary = "invalidate an rkey of this side",
	.text = "Closes a memory window of type 2: from its completion on the peer's accesses\n"
		"with that rkey fail. The window can be bound again.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = inv_egs,
	.args = inv_args,
	.size = sizeof(struct post_args),
	.exec = inv_exec,
};
