/* SPDX-License-Identifier: MIT */
/* post recv: ibv_post_recv(3), ibv_post_srq_recv(3). */
#include "command/cmd.h"
#include "data/post.h"
#include "session.h"

static const struct arg recv_args[] = {
	POST_DATA_ARGS,
	OPT("qp", post_args, qp, kind_qp_opt, "queue pair; left out: the current one"),
	OPT("srq", post_args, srq, kind_srq_opt, "shared receive queue instead of a QP"),
	OPT("wr-id", post_args, wr_id, kind_u64, "left out: the next number"),
	OPT("repeat", post_args, repeat, kind_u32, "so many receives", .dflt = "1", .min = 1,
	    .max = 1u << 20),
	SWITCH("force", post_args, force, "let the device judge: no checks here"),
	ARGS_END
};

static int recv_exec(struct session *s, const void *args, struct out *o)
{
	static const struct arg qp_row = { .name = "qp", .kind = &kind_qp };
	struct post_args a = *(const struct post_args *)args;

	if (a.srq && a.qp)
		return fail(s, "post recv", "EINVAL", "-srq and -qp exclude each other");
	if (!a.srq && !a.qp && kind_qp.absent(s, &qp_row, &a.qp))
		return -1;
	return post_simple(s, &wr_ops[WR_RECV], &a, o);
}

static const struct cmd_eg recv_egs[] = { { "post recv buf -off 0 -len 64", "RECV of 64 bytes" },
					  { "post recv", "RECV of 0 bytes" },
					  { "post recv buf -len 64 -repeat 3", "wr_id" },
					  { NULL, NULL } };

const struct cmd cmd_post_recv = {
	.name = "post recv",
	.family = "data path",
	.summary = "post a receive: room for one message",
	.text = "Each SEND of the peer takes one receive, in the order they were posted; so does\n"
		"each WRITE with immediate, which leaves the memory of the receive alone and may\n"
		"use one without any. A message that is longer than the receive fails at both\n"
		"ends (LOC_LEN_ERR here, REM_INV_REQ_ERR there). On UD the first 40 bytes are\n"
		"kept for the packet's address header. Post receives before the peer may send:\n"
		"from the state INIT on. In ERR a receive completes at once, with WR_FLUSH_ERR;\n"
		"only rxe keeps it until the next modify-qp ERR.",
	.calls = "ibv_post_recv(3), ibv_post_srq_recv(3)",
	.setup = POST_SETUP,
	.examples = recv_egs,
	.args = recv_args,
	.size = sizeof(struct post_args),
	.exec = recv_exec,
};
