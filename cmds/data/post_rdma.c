/* SPDX-License-Identifier: MIT */
/* The peer's memory: post write, write-imm, read. The peer's program takes no part. */
#include <arpa/inet.h>

#include "command/cmd.h"
#include "data/post.h"
#include "session.h"

#define AT_WINDOW " -remote [get window addr] -rkey [get window rkey]"

static const struct arg write_args[] = { POST_SOURCE_ARGS, POST_REMOTE_ARGS, POST_COMMON_ARGS,
					 POST_INLINE_ARG, ARGS_END };

static int write_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_WRITE], args, o);
}

static const struct cmd_eg write_egs[] = {
	{ "post write -text \"hello, memory\"", "RDMA_WRITE of 13 bytes to the peer's window" },
	{ "poll", "SUCCESS  RDMA_WRITE" },
	{ "mem get window 0 13", "hello, memory" },
	{ "post write buf -len 64 -at 100", "RDMA_WRITE of 64 bytes to the peer's window + 100" },
	{ "post write buf -len 13" AT_WINDOW, "RDMA_WRITE of 13 bytes" },
	{ "post write -sge buf:0:4 -sge buf:8:4 -inline", "of 8 bytes" },
	{ "poll -n 3", "SUCCESS" },
	{ NULL, NULL }
};

const struct cmd cmd_post_write = {
	.name = "post write",
	.family = "data path",
	.summary = "write into the peer's memory",
	.text = "The bytes of the region, of several -sge in order, or -text go to the window that\n"
		"the peer has told (listen -share), or to -remote with -rkey. Its region and its QP\n"
		"must allow REMOTE_WRITE. The peer sees no completion: it looks at the memory, or\n"
		"you use write-imm. The completion here says that the peer's device has the bytes.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = write_egs,
	.args = write_args,
	.size = sizeof(struct post_args),
	.exec = write_exec,
};

static const struct arg write_imm_args[] = { POST_SOURCE_ARGS,
					     POST_REMOTE_ARGS,
					     OPT("imm", post_args, imm, kind_u32,
						 "32 bits for the peer's completion",
						 .flags = ARG_NEED),
					     POST_COMMON_ARGS,
					     POST_INLINE_ARG,
					     POST_SOLICITED_ARG,
					     ARGS_END };

static int write_imm_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;
	struct post_req r;

	if (post_fill(s, &wr_ops[WR_WRITE_IMM], a, &r))
		return -1;
	post_target(a, &r, &r.wr.wr.rdma.remote_addr, &r.wr.wr.rdma.rkey);
	r.wr.imm_data = htonl((uint32_t)a->imm.v);
	return post_run(s, &r, o);
}

static const struct cmd_eg write_imm_egs[] = { { "post recv -qp $peer", NULL },
					       { "post write-imm buf -len 22 -imm 22" AT_WINDOW,
						 "RDMA_WRITE_WITH_IMM of 22 bytes" },
					       { "poll -qp $peer", "imm 22" },
					       { NULL, NULL } };

const struct cmd cmd_post_write_imm = {
	.name = "post write-imm",
	.family = "data path",
	.summary = "write into the peer's memory and tell it",
	.text = "As post write; besides, one receive of the peer completes with\n"
		"RECV_RDMA_WITH_IMM, the number of -imm and the length. The bytes go to -remote,\n"
		"not into that receive, which may be one without memory. Without a receive the\n"
		"peer answers \"receiver not ready\".",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = write_imm_egs,
	.args = write_imm_args,
	.size = sizeof(struct post_args),
	.exec = write_imm_exec,
};

static const struct arg read_args[] = { POST_DATA_ARGS, POST_REMOTE_ARGS, POST_COMMON_ARGS,
					ARGS_END };

static int read_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_READ], args, o);
}

static const struct cmd_eg read_egs[] = { { "mem put window 0 \"read me\"", NULL },
					  { "post read buf -off 100 -len 7",
					    "RDMA_READ of 7 bytes" },
					  { "poll", "SUCCESS  RDMA_READ" },
					  { "mem get buf 100 7", "read me" },
					  { NULL, NULL } };

const struct cmd cmd_post_read = {
	.name = "post read",
	.family = "data path",
	.summary = "read from the peer's memory",
	.text = "The bytes at the peer's address come into the region, which needs LOCAL_WRITE. The\n"
		"address is in the window that the peer has told (listen -share): -at; or -remote.\n"
		"The peer's region and QP must allow REMOTE_READ, and both QPs must have been\n"
		"connected with room for reads (max_rd_atomic, max_dest_rd_atomic). What is\n"
		"posted after a read may overtake its data: -fence makes it wait.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = read_egs,
	.args = read_args,
	.size = sizeof(struct post_args),
	.exec = read_exec,
};
