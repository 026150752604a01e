/* SPDX-License-Identifier: MIT */
/* Atomics: post cmp-swap, fetch-add. Operands are in host byte order on both sides. */
#include "command/cmd.h"
#include "data/post.h"
#include "session.h"

#define AT_WINDOW " -remote [get window addr] -rkey [get window rkey]"

static const struct arg cmp_swap_args[] = { POST_DATA_ARGS,
					    POST_REMOTE_ARGS,
					    OPT("compare", post_args, compare, kind_u64,
						"swap only if this is there", .flags = ARG_NEED),
					    OPT("swap", post_args, swap, kind_u64,
						"what is put there", .flags = ARG_NEED),
					    POST_COMMON_ARGS,
					    ARGS_END };

static int cmp_swap_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_CMP_SWAP], args, o);
}

static const struct cmd_eg cmp_swap_egs[] = { { "mem put window 0 [binary format w 5]", NULL },
					      { "post cmp-swap buf -compare 5 -swap 9" AT_WINDOW,
						"ATOMIC_CMP_AND_SWP of 8 bytes" },
					      { "poll", "SUCCESS  COMP_SWAP" },
					      { "mem dump window 0 8", "09 00" },
					      { NULL, NULL } };

const struct cmd cmd_post_cmp_swap = {
	.name = "post cmp-swap",
	.family = "data path",
	.summary = "compare and swap 8 bytes at the peer",
	.text = "If the 8 bytes at the peer hold -compare they become -swap, with nothing in\n"
		"between. What was there before comes into the region, swapped or not. The\n"
		"address must be a multiple of 8, the peer must allow REMOTE_ATOMIC, and only\n"
		"accesses through the same device are atomic with each other.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = cmp_swap_egs,
	.args = cmp_swap_args,
	.size = sizeof(struct post_args),
	.exec = cmp_swap_exec,
};

static const struct arg fetch_add_args[] = { POST_DATA_ARGS, POST_REMOTE_ARGS,
					     OPT("add", post_args, add, kind_u64, "what is added",
						 .flags = ARG_NEED),
					     POST_COMMON_ARGS, ARGS_END };

static int fetch_add_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_FETCH_ADD], args, o);
}

static const struct cmd_eg fetch_add_egs[] = {
	{ "mem put window 8 [binary format w 40]", NULL },
	{ "post fetch-add buf -add 2 -remote [expr {[get window addr] + 8}] "
	  "-rkey [get window rkey]",
	  "ATOMIC_FETCH_AND_ADD of 8 bytes" },
	{ "poll", "SUCCESS  FETCH_ADD" },
	{ "mem dump window 8 8", "2a 00" },
	{ NULL, NULL }
};

const struct cmd cmd_post_fetch_add = {
	.name = "post fetch-add",
	.family = "data path",
	.summary = "add to 8 bytes at the peer",
	.text = "Adds -add to the 64-bit number at the peer; what was there before comes into\n"
		"the region. The rules of post cmp-swap apply.",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.examples = fetch_add_egs,
	.args = fetch_add_args,
	.size = sizeof(struct post_args),
	.exec = fetch_add_exec,
};
