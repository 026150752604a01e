/* SPDX-License-Identifier: MIT */
/* Messages: post send, send-imm, send-inv. Each takes a receive that the peer has posted.
 */
#include <arpa/inet.h>

#include "command/cmd.h"
#include "data/post.h"
#include "session.h"

static const struct arg send_args[] = { POST_SOURCE_ARGS,   POST_COMMON_ARGS, POST_INLINE_ARG,
					POST_SOLICITED_ARG, POST_UD_ARGS,     ARGS_END };

static int send_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_SEND], args, o);
}

static const struct cmd_eg send_egs[] = { { "post recv window -qp $peer", "RECV" },
					  { "mem put buf 0 hello", NULL },
					  { "post send buf -len 5", "SEND of 5 bytes" },
					  { "poll", "SUCCESS  SEND" },
					  { "poll -qp $peer", "RECV" },
					  { NULL, NULL } };

const struct cmd cmd_post_send = {
	.name = "post send",
	.family = "data path",
	.summary = "send a message into a receive of the peer",
	.text = "The peer decides where the bytes go: into the oldest receive it has posted.\n"
		"Without one it answers \"receiver not ready\", and the sender tries again as\n"
		"often as its rnr_retry says: 7 is for ever. A UD message needs -ah, and the\n"
		"peer's -qpn and -qkey unless the ah knows them.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = send_egs,
	.args = send_args,
	.size = sizeof(struct post_args),
	.exec = send_exec,
};

#define IMM_ARG \
	OPT("imm", post_args, imm, kind_u32, "32 bits for the peer's completion", .flags = ARG_NEED)

static const struct arg send_imm_args[] = {
	POST_SOURCE_ARGS,   IMM_ARG,	  POST_COMMON_ARGS, POST_INLINE_ARG,
	POST_SOLICITED_ARG, POST_UD_ARGS, ARGS_END
};

static int send_imm_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;
	struct post_req r;

	if (post_fill(s, &wr_ops[WR_SEND_IMM], a, &r))
		return -1;
	r.wr.imm_data = htonl((uint32_t)a->imm.v);
	return post_run(s, &r, o);
}

static const struct cmd_eg send_imm_egs[] = { { "post recv -qp $peer", NULL },
					      { "post send-imm -imm 7",
						"SEND_WITH_IMM of 0 bytes" },
					      { "poll -qp $peer", "imm 7" },
					      { NULL, NULL } };

const struct cmd cmd_post_send_imm = {
	.name = "post send-imm",
	.family = "data path",
	.summary = "send a message with a number in the peer's completion",
	.text = "As post send; the peer's completion carries the 32 bits of -imm beside the\n"
		"message. Write the number as you mean it: it is sent in network byte order and\n"
		"turned back by poll (imm); imm_raw is what a program that forgets to would see.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = send_imm_egs,
	.args = send_imm_args,
	.size = sizeof(struct post_args),
	.exec = send_imm_exec,
};

static const struct arg send_inv_args[] = { POST_SOURCE_ARGS,
					    OPT("rkey", post_args, rkey, kind_u32,
						"key of the peer's window, to be invalidated",
						.flags = ARG_NEED),
					    POST_COMMON_ARGS,
					    POST_INLINE_ARG,
					    POST_SOLICITED_ARG,
					    ARGS_END };

static int send_inv_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;
	struct post_req r;

	if (post_fill(s, &wr_ops[WR_SEND_INV], a, &r))
		return -1;
	r.wr.invalidate_rkey = (uint32_t)a->rkey.v;
	return post_run(s, &r, o);
}

static const struct cmd_eg send_inv_egs[] = {
	{ "mw -type 2 -pd [get $peer pd]", "mw0" },
	{ "post bind-mw mw0 window -access remote-write -qp $peer", "BIND_MW" },
	{ "poll -qp $peer", "BIND_MW" },
	{ "post recv -qp $peer", NULL },
	{ "post send-inv -rkey [get mw0 rkey]", "SEND_WITH_INV" },
	{ "poll -qp $peer", "invalidated" },
	{ NULL, NULL }
};

const struct cmd cmd_post_send_inv = {
	.name = "post send-inv",
	.family = "data path",
	.summary = "send a message that invalidates a memory window of the peer",
	.text = "The peer's window (type 2) can no longer be used with that rkey when its\n"
		"completion arrives, which names the key: invalidated_rkey. A server says so\n"
		"\"I am done with your memory\" without trust.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = send_inv_egs,
	.args = send_inv_args,
	.size = sizeof(struct post_args),
	.exec = send_inv_exec,
};
