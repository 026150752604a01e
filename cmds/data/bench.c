/* SPDX-License-Identifier: MIT */
/*
 * bench: posts and polls in C and counts. One work request in flight measures latency,
 * several measure bandwidth, like ib_read_lat and ib_write_bw of perftest.
 *
 * Every work request is signaled, so a completion belongs to the oldest one in flight.
 */
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "data/post.h"
#include "data/bad_wc.h"
#include "data/wc.h"
#include "latencies.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "timeline/timeline.h"
#include "words.h"

#define BENCH_MAX  100000000 /* iterations */
#define TURN_NS	   20000000  /* how long the rest of the program waits at most */
#define TURN_SPINS 256 /* polls that find nothing before the rest of the program has its turn */

/* The functions of verbs.h themselves: wrappers would add the cost of a record to each call. */
#undef ibv_post_send
#undef ibv_post_recv
#undef ibv_poll_cq

static const struct word op_words[] = { { "write", WR_WRITE, "RDMA WRITE" },
					{ "read", WR_READ, "RDMA READ" },
					{ "send", WR_SEND,
					  "SEND: the peer must have posted receives" },
					{ "fetch-add", WR_FETCH_ADD, "atomic fetch and add" },
					{ 0 } };

struct bench_args {
	struct num op, n, remote, rkey, warm, within;
	struct size_range len, depth;
	struct mr *mr;
	struct qp *qp;
	bool inlined;
};

static const struct arg bench_args[] = {
	POS("operation", bench_args, op, kind_enum, "what is posted", .data = op_words),
	POS_OPT("mr", bench_args, mr, kind_mr, "region"),
	OPT("remote", bench_args, remote, kind_u64,
	    "address at the peer; left out: that of the region it shares (listen -share)"),
	OPT("rkey", bench_args, rkey, kind_u32,
	    "key of the peer's region; left out: that of the region it shares"),
	OPT("len", bench_args, len, kind_size_range,
	    "bytes of each; 8..1M: doubled from 8 on, and 1M", .dflt = "8"),
	OPT("repeat", bench_args, n, kind_u32, "how many of each length and depth", .dflt = "1000",
	    .min = 1, .max = BENCH_MAX),
	OPT("depth", bench_args, depth, kind_size_range,
	    "how many in flight; 1..64: doubled from 1 on, and 64", .dflt = "1"),
	OPT("warm-up", bench_args, warm, kind_u32, "how many more first, not counted",
	    .dflt = "10"),
	SWITCH("inline", bench_args, inlined, "the bytes are in the work request"),
	OPT("qp", bench_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("within", bench_args, within, kind_ms, "give up when nothing completes for so long",
	    .dflt = "5000"),
	ARGS_END
};

struct bench_run {
	struct session *s;
	const struct bench_args *a;
	uint64_t len;
	uint32_t depth;
	uint64_t remote; /* address and key at the peer: those given, else of its window */
	uint32_t rkey;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int64_t *sent; /* ring of depth: when */
	struct latencies *took;
	bool counts;	/* not while warming up */
	uint64_t wr_id; /* of the first request: other completions in the CQ are not counted */
	uint32_t posted, done;
	int64_t heard;	/* when the last completion came */
	int64_t turned; /* when the rest of the program had its turn */
};

static int check_args(struct session *s, const struct bench_args *a)
{
	const struct wr_op *op = &wr_ops[a->op.v];
	enum ibv_qp_state state = qp_history_sync(a->qp, "seen by bench");

	if (!(op->types & (1u << a->qp->type)) || a->qp->type == IBV_QPT_UD)
		return fail(s, "bench", "EINVAL",
			    "%s is %s: bench is for connected QPs, and this has no %s",
			    a->qp->o.name, word_name(qp_type_words, a->qp->type), op->name);
	if (state != IBV_QPS_RTS) {
		fail(s, "bench", "EINVAL", "%s is %s, not RTS", a->qp->o.name,
		     word_name(qp_state_words, state));
		return post_next_state(s, a->qp, state);
	}
	if (op->remote && post_needs_target(s, op, a->qp, &a->remote, &a->rkey))
		return -1;
	if (op->remote && !a->remote.set && a->len.last > a->qp->peer.len)
		return fail(s, "bench", "ERANGE", "-len %llu: the peer's window has %llu bytes",
			    (unsigned long long)a->len.last, (unsigned long long)a->qp->peer.len);
	if (a->mr->pd != a->qp->pd && !a->inlined) {
		fail(s, "bench", "EINVAL", "%s is in %s, %s in %s", a->mr->o.name,
		     a->mr->pd->o.name, a->qp->o.name, a->qp->pd->o.name);
		return fail_next(s, "reg %zu -pd %s", a->mr->len, a->qp->pd->o.name);
	}
	if (a->len.last > a->mr->len || a->len.last > UINT32_MAX)
		return fail(s, "bench", "ERANGE", "-len %llu: %s has %zu bytes",
			    (unsigned long long)a->len.last, a->mr->o.name, a->mr->len);
	if (!a->depth.first)
		return fail(s, "bench", "ERANGE", "-depth 0: one at least is in flight");
	if (a->depth.last > a->qp->cap.max_send_wr ||
	    a->depth.last > (uint64_t)a->qp->send_cq->v->cqe)
		return fail(s, "bench", "EINVAL", "-depth %llu: the send queue holds %u, %s %d",
			    (unsigned long long)a->depth.last, a->qp->cap.max_send_wr,
			    a->qp->send_cq->o.name, a->qp->send_cq->v->cqe);
	if (a->inlined && (!op->inlines || a->len.last > a->qp->cap.max_inline_data))
		return fail(s, "bench", "EINVAL", "-inline: %s of %s takes at most %u bytes inline",
			    op->name, a->qp->o.name, op->inlines ? a->qp->cap.max_inline_data : 0);
	if (op->atomic && (a->len.first != 8 || a->len.last != 8))
		return fail(s, "bench", "EINVAL", "an atomic has 8 bytes");
	return 0;
}

static void prepare_request(struct bench_run *r)
{
	const struct wr_op *op = &wr_ops[r->a->op.v];

	r->sge = (struct ibv_sge){ (uintptr_t)r->a->mr->buf, (uint32_t)r->len, r->a->mr->v->lkey };
	r->wr = (struct ibv_send_wr){ .sg_list = &r->sge,
				      .num_sge = 1,
				      .opcode = op->code,
				      .send_flags = IBV_SEND_SIGNALED |
						    (r->a->inlined ? IBV_SEND_INLINE : 0u) };
	if (op->atomic) {
		r->wr.wr.atomic.remote_addr = r->remote;
		r->wr.wr.atomic.rkey = r->rkey;
		r->wr.wr.atomic.compare_add = 1;
	} else if (op->remote) {
		r->wr.wr.rdma.remote_addr = r->remote;
		r->wr.wr.rdma.rkey = r->rkey;
	}
}

static int post_request(struct bench_run *r)
{
	struct ibv_send_wr *bad;
	int err;

	/* one at a time: it begins where the last one ended, and the clock is read once for both */
	r->sent[r->posted % r->depth] = r->depth == 1 ? r->heard : loop_now();
	r->wr.wr_id = r->wr_id + r->posted;
	err = ibv_post_send(r->a->qp->v, &r->wr, &bad);
	if (err)
		return fail_call(r->s, err, "ibv_post_send", "bench: number %u", r->posted);
	r->posted++;
	return 0;
}

/* The record has no requests of bench, so explain gets the one that failed. */
static int fail_completion(const struct bench_run *r, const struct ibv_wc *wc)
{
	const char *status = word_name(wc_status_words, wc->status);
	const struct posted_wr p = { .wr_id = wc->wr_id,
				     .op = &wr_ops[r->a->op.v],
				     .remote = r->remote,
				     .rkey = r->rkey,
				     .len = r->sge.length,
				     .is_inline = r->a->inlined,
				     .nsge = 1,
				     .sge = { r->sge } };
	bad_wc_add(r->a->qp, wc, wc->wr_id - r->wr_id < r->posted ? &p : NULL, false,
		   r->s->commands);
	qp_history_completed(r->a->qp, wc->status);
	fail(r->s, "bench", status, "bench: number %u completed with %s", r->done, status);
	fail_row(r->s, "meaning", "%s", word_help(wc_status_words, wc->status));
	return fail_explain(r->s);
}

/* The number of completions; -1: failed. */
static int poll_once(struct bench_run *r, struct cq *cq)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(cq->v, 16, wc);
	int64_t now;

	if (n == 0)
		return 0;
	now = loop_now();
	if (n < 0)
		return fail_call(r->s, -n, "ibv_poll_cq", "%s", cq->o.name);
	for (int i = 0; i < n; i++) {
		if (wc[i].qp_num != r->a->qp->v->qp_num)
			continue;
		if (wc[i].status != IBV_WC_SUCCESS)
			return fail_completion(r, &wc[i]);
		if (wc[i].opcode & IBV_WC_RECV || r->done == r->posted ||
		    wc[i].wr_id != r->wr_id + r->done)
			continue; /* posted before */
		if (r->counts)
			latencies_add(r->took, (uint64_t)(now - r->sent[r->done % r->depth]));
		r->done++;
	}
	r->heard = now;
	return n;
}

/* Nothing has completed: fails with the likely reason. */
static int fail_silence(const struct bench_run *r)
{
	const struct wr_op *op = &wr_ops[r->a->op.v];
	const uint64_t needs = op->solicits ? r->a->n.v + r->a->warm.v : 0;

	fail(r->s, "bench", "ETIMEDOUT", "bench: nothing completed for %llu ms, %u in flight",
	     (unsigned long long)r->a->within.v, r->posted - r->done);
	if (needs)
		fail_row(r->s, "needs", "%llu receives at the peer: -repeat and -warm-up",
			 (unsigned long long)needs);
	return wc_say_silence(r->s, r->a->qp, op, needs);
}

static bool is_stopped(const struct bench_run *r)
{
	return loop_interrupted(r->s->loop) || loop_ending(r->s->loop);
}

/* Gives the rest of the program, and a peer on this processor, their turn: when there is no
 * completion, and from time to time while completions keep coming. */
static int pass_turn(struct bench_run *r, unsigned spins)
{
	if (spins % TURN_SPINS && r->heard - r->turned < TURN_NS)
		return 0;
	loop_pass(r->s->loop, spins > 4096 ? 50 : 0);
	r->turned = loop_now();
	if (is_stopped(r))
		return fail(r->s, "bench", "EINTR", "interrupted");
	if (r->turned - r->heard < (int64_t)r->a->within.v * 1000000)
		return 0;
	return fail_silence(r);
}

static int post_and_poll(struct bench_run *r, uint32_t n)
{
	unsigned spins = 1;

	r->posted = r->done = 0;
	r->wr_id = r->s->ctx->wr_id + 1;
	r->s->ctx->wr_id += n;
	r->heard = loop_now();
	while (r->done < n) {
		int got;

		while (r->posted < n && r->posted - r->done < r->depth)
			if (post_request(r))
				return -1;
		got = poll_once(r, r->a->qp->send_cq);
		spins = got ? 1 : spins + 1;
		if (got < 0 || pass_turn(r, spins))
			return -1;
	}
	return 0;
}

/* Two decimals: the measurement is not more precise. */
static double rounded(double d)
{
	return (double)(int64_t)(d * 100 + 0.5) / 100;
}

static const struct {
	const char *key;
	unsigned per_mille; /* of the latencies are at most this long */
	int width;	    /* in a row of a table */
	const char *label;
} quantiles[] = {
	{ "us_min", 0, 7, "latency µs: min" }, { "us_p50", 500, 7, "p50" },
	{ "us_p90", 900, 7, "p90" },	       { "us_p99", 990, 7, "p99" },
	{ "us_max", 1000, 8, "max" },
};

static void out_latencies(const struct latencies *l, bool row, struct out *o)
{
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		const double us = (double)latencies_quantile(l, quantiles[i].per_mille) / 1000;

		out_double(o, quantiles[i].key, us, NULL);
		if (row)
			out_text(o, " %*.1f", quantiles[i].width, us);
		else
			out_text(o, "  %s %.1f", quantiles[i].label, us);
	}
}

static void out_figures(const struct bench_run *r, int64_t ns, bool row, struct out *o)
{
	double n = (double)r->took->n, s = (double)ns / 1e9, mb = n * (double)r->len / s / 1e6;
	const char *op = word_name(op_words, r->a->op.v);

	out_str(o, "operation", op, row ? NULL : "%s", op);
	out_u64(o, "len", r->len, row ? "%9llu" : "  %llu B", (unsigned long long)r->len);
	out_u64(o, "n", r->took->n, row ? NULL : "  n %.0f", n);
	out_u64(o, "depth", r->depth, row ? " %5u" : "  depth %u", r->depth);
	out_latencies(r->took, row, o);
	out_double(o, "per_second", rounded(n / s), row ? " %8.0f" : "  %.0f/s", n / s);
	out_double(o, "mb_per_second", rounded(mb), row ? " %9.2f\n" : "  %.2f MB/s\n", mb);
}

/* One length and depth. An interrupt ends it with the figures so far. */
static int measure_one(struct bench_run *r, bool row, struct out *o)
{
	int64_t start;
	int rc;

	prepare_request(r);
	r->counts = false;
	if (post_and_poll(r, (uint32_t)r->a->warm.v))
		return -1;
	memset(r->took, 0, sizeof *r->took);
	r->counts = true;
	start = loop_now();
	rc = post_and_poll(r, (uint32_t)r->a->n.v);
	if (rc && !(is_stopped(r) && r->took->n))
		return rc;
	if (row)
		out_dict(o, NULL);
	out_figures(r, loop_now() - start, row, o);
	if (row)
		out_end(o);
	return rc;
}

/* The next value of a range: twice the last one, but at most the end, which is always measured. */
static uint64_t next_size(const struct size_range *range, uint64_t n)
{
	return n > range->last / 2 ? range->last : n * 2;
}

static int measure_all(struct bench_run *r, struct out *o)
{
	const struct bench_args *a = r->a;
	bool row = a->len.is_range || a->depth.is_range;
	int rc = 0;

	if (row) {
		out_list(o, NULL);
		out_text(o, "%s, %u of each\n", word_name(op_words, a->op.v), (unsigned)a->n.v);
		out_text(o, "    bytes depth  min µs     p50     p90     p99      max    per s"
			    "      MB/s\n");
	}
	for (r->len = a->len.first; rc == 0; r->len = next_size(&a->len, r->len)) {
		for (r->depth = (uint32_t)a->depth.first; rc == 0;
		     r->depth = (uint32_t)next_size(&a->depth, r->depth)) {
			rc = measure_one(r, row, o);
			if (r->depth == a->depth.last)
				break;
		}
		if (r->len == a->len.last)
			break;
	}
	if (row)
		out_end(o);
	return rc;
}

/* A command that fails has no output: the figures become a row of the failure. */
static void tell_so_far(struct session *s, const struct out *o)
{
	SCOPED_TEXT(text);

	out_print(o, OUT_TEXT, &text);
	text_resize(&text, text_len(&text) - !!text_len(&text));
	if (text_len(&text))
		fail_row(s, "so far", "%s", text_str(&text));
}

static int bench_exec(struct session *s, const void *args, struct out *o)
{
	const struct bench_args *a = args;
	struct bench_run r = { .s = s, .a = a };
	int rc;

	if (check_args(s, a))
		return -1;
	r.remote = a->remote.set ? a->remote.v : a->qp->peer.addr;
	r.rkey = a->rkey.set ? (uint32_t)a->rkey.v : a->qp->peer.rkey;
	timeline_pause(s, true); /* a million packets would show nothing, and cost time */
	r.took = xcalloc(1, sizeof *r.took);
	r.sent = xcalloc(a->depth.last, sizeof *r.sent);
	rc = measure_all(&r, o);
	if (rc && is_stopped(&r))
		tell_so_far(s, o);
	own_left_out("bench", a->qp->v);
	timeline_pause(s, false);
	free(r.sent);
	free(r.took);
	return rc;
}

/** Posts -repeat work requests, at most -depth in flight, and polls them, all in C.
 * Operations that need an address at the peer go to the region that the peer shares
 * (listen -share), or to -remote with -rkey.
 * The latency is from post to polled completion; with a depth above 1 it includes the
 * time in the queue. -len 8..1M measures 8, 16, 32 bytes and so on, a row for each;
 * -depth 1..64 does so with depths, and both together measure each pair. 'option
 * format csv' prints the table for other programs. Ctrl-C stops it, and prints the
 * figures so far. For send the peer must have
 * posted enough receives: post recv -repeat. Completions of other work requests in the
 * same CQ are lost.
 *
 * perftest measures the same: ib_read_lat as bench read, ib_atomic_lat as bench
 * fetch-add, ib_write_bw -Q 1 and ib_read_bw as bench with -depth (their MB are 2^20
 * bytes); the time one way is that of its ib_write_lat and ib_send_lat.
 * > bench write buf -repeat 200 => p50
 * > bench read buf -remote [get window addr] -rkey [get window rkey] -len 4K -depth 8 -repeat
 *   100 => MB/s
 * > bench write buf -remote [get window addr] -rkey [get window rkey] -len 8..4K -repeat 100
 *   => 4096
 * > bench fetch-add buf -remote [get window addr] -rkey [get window rkey] => p50 */
const struct cmd cmd_bench = {
	.name = "bench",
	.family = "measuring",
	.summary = "measure latency and bandwidth of one operation",
	.calls = "ibv_post_send(3), ibv_poll_cq(3)",
	.setup = POST_SETUP,
	.args = bench_args,
	.exec = bench_exec,
};
