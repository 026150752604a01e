/* SPDX-License-Identifier: MIT */
/* The post commands: what each of them takes, and puts into its request. */
#include "command/cmd.h"
#include "data/post.h"
#include "memory/mem.h"
#include "object_args.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

/* ------------------------------------------------------------- messages -- */

/* post send, send-imm, send-inv: each takes a receive that the peer has posted. */

static const struct arg send_args[] = { POST_SOURCE_ARGS,   POST_COMMON_ARGS, POST_INLINE_ARG,
					POST_SOLICITED_ARG, POST_UD_ARGS,     ARGS_END };

static int send_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_SEND], args, o);
}

/** The peer decides where the bytes go: into the oldest receive it has posted.
 * Without one it answers "receiver not ready", and the sender tries again as
 * often as its rnr_retry says: 7 is for ever. A UD message needs -ah, and the
 * peer's -dest-qpn and -qkey unless the ah knows them.
 * > post recv window -qp $peer => RECV
 * > mem put buf 0 hello
 * > post send buf -len 5 => SEND of 5 bytes
 * > poll => SUCCESS  SEND
 * > poll -qp $peer => RECV */
const struct cmd cmd_post_send = {
	.name = "post send",
	.family = "data path",
	.summary = "send a message into a receive of the peer",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = send_args,
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
	return post_simple(s, &wr_ops[WR_SEND_IMM], args, o);
}

/** Like post send; the peer's completion carries the 32 bits of -imm beside the
 * message. Write the number as you mean it: it is sent in network byte order and
 * turned back by poll (imm); imm_raw is what a program that forgets to would see.
 * > post recv -qp $peer
 * > post send-imm -imm 7 => SEND_WITH_IMM of 0 bytes
 * > poll -qp $peer => imm 7 */
const struct cmd cmd_post_send_imm = {
	.name = "post send-imm",
	.family = "data path",
	.summary = "send a message with a number in the peer's completion",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = send_imm_args,
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
	return post_simple(s, &wr_ops[WR_SEND_INV], args, o);
}

/** The peer's window (type 2) can no longer be used with that rkey when its
 * completion arrives, which names the key: invalidated_rkey. So a server says that it
 * is done with the client's memory, and the client need not trust it to be.
 * > mw -type 2 -pd [get $peer pd] => mw0
 * > post bind-mw mw0 window -access remote-write -qp $peer => BIND_MW
 * > poll -qp $peer => BIND_MW
 * > post recv -qp $peer
 * > post send-inv -rkey [get mw0 rkey] => SEND_WITH_INV
 * > poll -qp $peer => invalidated */
const struct cmd cmd_post_send_inv = {
	.name = "post send-inv",
	.family = "data path",
	.summary = "send a message that invalidates a memory window of the peer",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = send_inv_args,
	.exec = send_inv_exec,
};

/* ------------------------------------------------------------- receives -- */

static const struct arg recv_args[] = {
	POST_DATA_ARGS,
	OPT("qp", post_args, qp, kind_qp_opt, "queue pair; left out: the current one"),
	OPT("srq", post_args, srq, kind_srq_opt, "shared receive queue instead of a QP"),
	OPT("wr-id", post_args, wr_id, kind_u64,
	    "number in its completion; left out: the next one"),
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
	if (!a.srq && !a.qp && obj_arg_default(s, &qp_row, &a.qp))
		return -1;
	return post_simple(s, &wr_ops[WR_RECV], &a, o);
}

/** Each SEND of the peer takes one receive, in the order they were posted; so does
 * each WRITE with immediate, which leaves the memory of the receive alone and may
 * use one without any. A message that is longer than the receive fails at both
 * ends (LOC_LEN_ERR here, REM_INV_REQ_ERR there). On UD the first 40 bytes are
 * kept for the packet's address header. Post receives before the peer may send:
 * from the state INIT on. In ERR a receive completes at once, with WR_FLUSH_ERR;
 * only rxe keeps it until the next modify-qp ERR.
 * > post recv buf -off 0 -len 64 => RECV of 64 bytes
 * > post recv => RECV of 0 bytes
 * > post recv buf -len 64 -repeat 3 => wr_id */
const struct cmd cmd_post_recv = {
	.name = "post recv",
	.family = "data path",
	.summary = "post a receive: room for one message",
	.calls = "ibv_post_recv(3), ibv_post_srq_recv(3)",
	.setup = POST_SETUP,
	.args = recv_args,
	.exec = recv_exec,
};

/* ---------------------------------------------------- the peer's memory -- */

/* post write, write-imm, read: the peer's program takes no part. */

static const struct arg write_args[] = { POST_SOURCE_ARGS, POST_REMOTE_ARGS, POST_COMMON_ARGS,
					 POST_INLINE_ARG, ARGS_END };

static int write_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_WRITE], args, o);
}

/** The bytes of the region, of several -sge in order, or -text go to the window that
 * the peer has told (listen -share), or to -remote with -rkey. The region and the QP
 * of the peer must allow REMOTE_WRITE. The peer sees no completion: it looks at the memory, or
 * you use write-imm. The completion here says that the peer's device has the bytes.
 * > post write -text "hello, memory" => RDMA_WRITE of 13 bytes to the peer's window
 * > poll => SUCCESS  RDMA_WRITE
 * > mem get window 0 13 => hello, memory
 * > post write buf -len 64 -at 100 => RDMA_WRITE of 64 bytes to the peer's window + 100
 * > post write buf -len 13 -remote [get window addr] -rkey [get window rkey]
 *   => RDMA_WRITE of 13 bytes
 * > post write -sge buf:0:4 -sge buf:8:4 -inline => of 8 bytes
 * > poll -n 3 => SUCCESS */
const struct cmd cmd_post_write = {
	.name = "post write",
	.family = "data path",
	.summary = "write into the peer's memory",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = write_args,
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
	return post_simple(s, &wr_ops[WR_WRITE_IMM], args, o);
}

/** Like post write; besides, one receive of the peer completes with
 * RECV_RDMA_WITH_IMM, the number of -imm and the length. The bytes go to -remote,
 * not into that receive, which may be one without memory. Without a receive the
 * peer answers "receiver not ready".
 * > post recv -qp $peer
 * > post write-imm buf -len 22 -imm 22 -remote [get window addr] -rkey [get window rkey]
 *   => RDMA_WRITE_WITH_IMM of 22 bytes
 * > poll -qp $peer => imm 22 */
const struct cmd cmd_post_write_imm = {
	.name = "post write-imm",
	.family = "data path",
	.summary = "write into the peer's memory and tell it",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = write_imm_args,
	.exec = write_imm_exec,
};

static const struct arg read_args[] = { POST_DATA_ARGS, POST_REMOTE_ARGS, POST_COMMON_ARGS,
					ARGS_END };

static int read_exec(struct session *s, const void *args, struct out *o)
{
	return post_simple(s, &wr_ops[WR_READ], args, o);
}

/** The bytes at the peer's address come into the region, which needs LOCAL_WRITE. The
 * address is in the window that the peer has told (listen -share): -at; or -remote.
 * The peer's region and QP must allow REMOTE_READ, and both QPs must have been
 * connected with room for reads (max_rd_atomic, max_dest_rd_atomic). A request
 * that is posted after a read may overtake its data: -fence makes it wait.
 * > mem put window 0 "read me"
 * > post read buf -off 100 -len 7 => RDMA_READ of 7 bytes
 * > poll => SUCCESS  RDMA_READ
 * > mem get buf 100 7 => read me */
const struct cmd cmd_post_read = {
	.name = "post read",
	.family = "data path",
	.summary = "read from the peer's memory",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = read_args,
	.exec = read_exec,
};

static const struct arg flush_args[] = {
	OPT("len", post_args, flush_len, kind_size, "bytes; left out: the whole region"),
	SWITCH("persistent", post_args, persistent, "until it lasts, not only until all see it"),
	POST_REMOTE_ARGS, POST_COMMON_ARGS, ARGS_END
};

static int flush_exec(struct session *s, const void *args, struct out *o)
{
	const struct post_args *a = args;

	if (!(a->qp->o.calls.send_ops & FLUSH_SEND_OP)) {
		fail(s, "post flush", "EINVAL", "%s was not made for FLUSH", a->qp->o.name);
		return fail_row(s, "remedy", "connect, accept, listen or qp create with -flush");
	}
	return post_simple(s, &wr_ops[WR_FLUSH], a, o);
}

/** A completed WRITE is at the peer's device; a completed FLUSH behind it says that the
 * bytes are where each program and device there sees them. The QP is made with
 * -flush, and the region and the QP of the peer allow FLUSH_GLOBAL. Memory of uroce0
 * never lasts: -persistent is for others.
 * > reg 4096 -name pm -access local-write,remote-write,flush-global
 * > listen 7472 -address 10.0.0.1 -accept -share pm
 * > connect 10.0.0.1 7472 -flush
 * > post write -text "seen by all" -unsignaled
 * > post flush -len 11 => FLUSH of 11 bytes at the peer's window
 * > poll => SUCCESS  FLUSH
 * > post flush => FLUSH of the whole region */
const struct cmd cmd_post_flush = {
	.name = "post flush",
	.family = "data path",
	.summary = "make what was written into the peer's memory visible",
	.calls = "ibv_wr_start(3), ibv_wr_flush(3), ibv_wr_complete(3)",
	.setup = "require flush",
	.args = flush_args,
	.exec = flush_exec,
};

/* -------------------------------------------------------------- atomics -- */

/* post cmp-swap, fetch-add: operands are in host byte order on both sides. */

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

/** If the 8 bytes at the peer hold -compare they become -swap, with nothing in
 * between. The bytes of before come into the region, swapped or not. The
 * address must be a multiple of 8, the peer must allow REMOTE_ATOMIC, and only
 * accesses through the same device are atomic with each other.
 * > mem put window 0 [binary format w 5]
 * > post cmp-swap buf -compare 5 -swap 9 -remote [get window addr] -rkey [get window rkey]
 *   => ATOMIC_CMP_AND_SWP of 8 bytes
 * > poll => SUCCESS  COMP_SWAP
 * > mem dump window 0 8 => 09 00 */
const struct cmd cmd_post_cmp_swap = {
	.name = "post cmp-swap",
	.family = "data path",
	.summary = "compare and swap 8 bytes at the peer",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = cmp_swap_args,
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

/** Adds -add to the 64-bit number at the peer; what was there before comes into
 * the region. The rules of post cmp-swap apply.
 * > mem put window 8 [binary format w 40]
 * > post fetch-add buf -add 2 -remote [expr {[get window addr] + 8}] -rkey [get window rkey]
 *   => ATOMIC_FETCH_AND_ADD of 8 bytes
 * > poll => SUCCESS  FETCH_ADD
 * > mem dump window 8 8 => 2a 00 */
const struct cmd cmd_post_fetch_add = {
	.name = "post fetch-add",
	.family = "data path",
	.summary = "add to 8 bytes at the peer",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = fetch_add_args,
	.exec = fetch_add_exec,
};

/* ------------------------------------------------------- memory windows -- */

/*
 * post bind-mw, local-inv.
 *
 * A bind of type 2 chooses the new rkey itself: the key part (the low 8 bits) of the last
 * one plus 1, ibv_inc_rkey(3). The window's rkey is the new one as soon as it is posted.
 */

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

	if (!a->force && mem_check(s, "post", a->mr, a->off.v, len))
		return -1;
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

/** Binds a memory window of type 2 in the send queue of this QP. The region needs
 * MW_BIND, and LOCAL_WRITE if the window is to be written. Each bind has a new
 * rkey, which the peer must be told: get MW rkey. local-inv, or send-inv of the
 * peer, closes the window; only then it can be bound again. For type 1 see mw
 * bind.
 * > mw -type 2 -pd [get $peer pd] => mw0
 * > post bind-mw mw0 window -off 64 -len 64 -qp $peer => BIND_MW of mw0 to 64 bytes at window + 64
 * > poll -qp $peer => SUCCESS  BIND_MW
 * > post write buf -len 64 -remote [expr {[get window addr] + 64}] -rkey [get mw0 rkey]
 *   => RDMA_WRITE
 * > poll => SUCCESS */
const struct cmd cmd_post_bind_mw = {
	.name = "post bind-mw",
	.family = "data path",
	.summary = "open a part of a region under an rkey of its own",
	.calls = "ibv_post_send(3), ibv_inc_rkey(3)",
	.setup = POST_SETUP,
	.args = bind_args,
	.exec = bind_exec,
};

static const struct arg inv_args[] = {
	POS_OPT("mw", post_args, mw, kind_mw_opt, "memory window: its rkey"),
	OPT("rkey", post_args, rkey, kind_u32, "key, instead of a window"), POST_COMMON_ARGS,
	ARGS_END
};

static int inv_exec(struct session *s, const void *args, struct out *o)
{
	struct post_args a = *(const struct post_args *)args;

	if (!a.mw == !a.rkey.set)
		return fail(s, "post", "EINVAL", "name the window, or its key with -rkey");
	if (a.mw)
		a.rkey = (struct num){ a.mw->v->rkey, true };
	return post_simple(s, &wr_ops[WR_LOCAL_INV], &a, o);
}

/** Closes a memory window of type 2: from its completion on the peer's accesses
 * with that rkey fail. The window can be bound again.
 * > mw -type 2 -pd [get $peer pd] => mw0
 * > post bind-mw mw0 window -qp $peer => BIND_MW
 * > poll -qp $peer => SUCCESS  BIND_MW
 * > post local-inv mw0 -qp $peer => LOCAL_INV of rkey 0x
 * > poll -qp $peer => SUCCESS  LOCAL_INV */
const struct cmd cmd_post_local_inv = {
	.name = "post local-inv",
	.family = "data path",
	.summary = "invalidate an rkey of this side",
	.calls = "ibv_post_send(3)",
	.setup = POST_SETUP,
	.args = inv_args,
	.exec = inv_exec,
};
