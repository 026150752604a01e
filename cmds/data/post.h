/* SPDX-License-Identifier: MIT */
/*
 * Posting work requests: what the post commands share. A command fills a request from its
 * arguments; post_run() checks it and posts it, or adds it to the chain being collected.
 */
#ifndef CMDS_POST_H
#define CMDS_POST_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "object_args.h"
#include "objects.h"
#include "spec_tables.h"
#include "wr_faults.h"

#define POST_SGES 32

/* The examples need a connected pair, buf at this end, window and $peer (its QP) at
 * the other. Both ends live in one process, on two addresses of the machine. */
#define POST_SETUP_WITH(options)                                           \
	"reg 4096 -name window -access "                                   \
	"local-write,remote-write,remote-read,remote-atomic,mw-bind\n"     \
	"listen 7471 -address 10.0.0.1 -accept -share window" options "\n" \
	"connect 10.0.0.1 7471" options "\n"                               \
	"reg 4096 -name buf\n"                                             \
	"set peer [get id2 qp]\n"
#define POST_SETUP	  POST_SETUP_WITH("")
#define POST_SETUP_EVENTS POST_SETUP_WITH(" -events")
/* The next SEND takes an SRQ below its limit: SRQ_LIMIT_REACHED. */
#define POST_SETUP_LIMIT                                      \
	"srq -max-wr 8 -name shared\n"                        \
	"post recv -srq shared -repeat 2\n"                   \
	"srq modify shared -limit 2\n"                        \
	"listen 7471 -address 10.0.0.1 -accept -srq shared\n" \
	"connect 10.0.0.1 7471\n"

/* Arguments of all post commands; each table has the rows that its operation takes. */
struct post_args {
	struct mr *mr;
	struct num off, len;
	struct many sge; /* struct sge_arg */
	struct bytes text;
	struct num at, remote, rkey, imm, wr_id, repeat, compare, swap, add, qpn, qkey, access;
	struct num flush_len; /* of the peer's memory */
	struct ah *ah;
	struct qp *qp;
	struct srq *srq;
	struct mw *mw;
	bool inlined, unsignaled, solicited, fence, force, persistent;
};

/* One -sge: a piece of a region, or raw numbers that go to the device unchecked. */
struct sge_arg {
	struct mr *mr; /* NULL: raw */
	uint64_t off, len;
	bool whole; /* no length given: up to the end */
	struct ibv_sge raw;
};
extern const struct arg_kind kind_sge;
/* Like kind_mr_opt; if a text was typed in its place, the error names -text. */
extern const struct arg_kind kind_mr_sent;

#define POST_OBJS 5

struct post_req {
	const struct wr_op *op;
	struct qp *qp;	       /* NULL for the receives of an SRQ */
	struct srq *srq;       /* or NULL */
	struct mw *mw;	       /* to bind, or NULL */
	struct mr *bound;      /* that the window is bound to, or NULL */
	const struct mr *only; /* the only region, taken because none was named; or NULL */
	struct ah *ah;	       /* where to (UD), or NULL */
	bool force;	       /* nothing is checked */
	uint32_t repeat;
	uint32_t raw;		     /* bit n: SGE n was given as numbers, which nobody checks */
	struct obj *objs[POST_OBJS]; /* in a chain: what it names, or NULL; referenced */
	struct {
		uint64_t len;
		uint8_t type, level;
	} flush;
	struct ibv_send_wr wr; /* of a receive, wr_id and the SGEs count */
	struct ibv_sge sge[POST_SGES];
};

#define POST_REGION_ARGS(mr_kind)                                                          \
	POS_OPT("mr", post_args, mr, mr_kind, "region; none: no bytes (0 SGEs)"),          \
		OPT("off", post_args, off, kind_size, "where in the region", .dflt = "0"), \
		OPT("len", post_args, len, kind_size, "bytes; left out: up to its end"),   \
		OPT("sge", post_args, sge, kind_sge, "a piece, or raw addr:len:lkey",      \
		    .flags = ARG_MANY)
#define POST_DATA_ARGS POST_REGION_ARGS(kind_mr_opt)
/* The message may be a text. */
#define POST_SOURCE_ARGS                \
	POST_REGION_ARGS(kind_mr_sent), \
		OPT("text", post_args, text, kind_bytes, "these bytes, instead of a region")
#define POST_REMOTE_ARGS                                                                           \
	OPT("at", post_args, at, kind_size,                                                        \
	    "where in the region that the peer shares; left out: its beginning"),                  \
		OPT("remote", post_args, remote, kind_u64, "address at the peer, instead of -at"), \
		OPT("rkey", post_args, rkey, kind_u32, "key of the peer's region, with -remote")
#define POST_COMMON_ARGS                                                                         \
	OPT("qp", post_args, qp, kind_qp, "queue pair; left out: the current one"),              \
		OPT("wr-id", post_args, wr_id, kind_u64,                                         \
		    "number in its completion; left out: the next one"),                         \
		OPT("repeat", post_args, repeat, kind_u32, "so many work requests", .dflt = "1", \
		    .min = 1, .max = 1u << 20),                                                  \
		SWITCH("unsignaled", post_args, unsignaled, "no completion if it succeeds"),     \
		SWITCH("fence", post_args, fence, "wait for earlier READs and atomics"),         \
		SWITCH("force", post_args, force, "let the device judge: no checks here")
#define POST_INLINE_ARG \
	SWITCH("inline", post_args, inlined, "the bytes are copied at once; lkey is unused")
#define POST_SOLICITED_ARG \
	SWITCH("solicited", post_args, solicited, "raise a solicited event at the peer")
#define POST_UD_ARGS                                                                    \
	OPT("ah", post_args, ah, kind_ah_opt, "address of the peer (UD)"),              \
		OPT("dest-qpn", post_args, qpn, kind_u32, "QP number of the peer (UD)", \
		    .max = 0xffffff),                                                   \
		OPT("qkey", post_args, qkey, kind_u32, "Q_Key of the peer (UD)")

/* Fills what all operations have: QP, wr_id, flags, SGEs. -1 with s->fail filled, also when an
 * address at the peer is needed and neither told nor given. */
int post_fill(struct session *s, const struct wr_op *op, const struct post_args *a,
	      struct post_req *r);
/* -1 with s->fail filled where neither the peer of qp has told a window nor both are given. */
int post_needs_target(struct session *s, const struct wr_op *op, const struct qp *qp,
		      const struct num *remote, const struct num *rkey);
/* The next line to type for a QP of this state, so that it gets to RTS; as temp_text(). */
const char *post_way_to_rts(struct session *s, const struct qp *qp, enum ibv_qp_state state);
/* Adds that to s->fail. Returns -1. */
int post_next_state(struct session *s, const struct qp *qp, enum ibv_qp_state state);
/* Checks, posts and says what was posted, or adds it to the chain. */
int post_run(struct session *s, struct post_req *r, struct out *o);
/* post_fill(), and what the operation has beside it: the address at the peer, operands, immediate
 * data, the key that it invalidates. Then post_run(). */
int post_simple(struct session *s, const struct wr_op *op, const struct post_args *a,
		struct out *o);

/* post_sge.c: the SGEs of a request; pieces that end outside their region are refused. A text is
 * put into a region of its own, made where there is none. */
int post_sges(struct session *s, const struct post_args *a, struct post_req *r);
/* The region an SGE lies in, whatever its lkey; NULL: none. */
const struct mr *post_sge_mr(struct session *s, const struct ibv_sge *sge);
/* The region whose key and bytes an SGE names, or NULL. */
const struct mr *post_sge_key(struct session *s, const struct ibv_sge *sge);
/* The QP has no text on its way any more, or is about to go. */
void post_text_over(struct qp *qp);
uint64_t post_bytes(const struct post_req *r);

/* Mistakes that the device would refuse, or worse, would not. */
int post_check(struct session *s, const struct post_req *r);
/* Pointers that the library itself would follow blindly, and crash: refused even with -force. */
int post_check_safe(struct session *s, const struct post_req *r);

/* post_list.c: one list of work requests handed over in one call. All are of one QP (or
 * SRQ) and one direction. *posted: how many were taken, whatever is returned. */
int post_list(struct session *s, struct post_req *const reqs[], unsigned n, unsigned *posted);

/* True when a chain is being collected; then the request is copied to it.
 */
bool post_chain_open(void);
int post_chain_add(struct session *s, const struct post_req *r);

#endif
