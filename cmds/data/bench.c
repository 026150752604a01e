/* SPDX-License-Identifier: MIT */
/*
 * bench: posts and polls in C and counts. One work request in flight measures latency,
 * more of them bandwidth.
 *
 * Every work request is signaled, so a completion belongs to the oldest one in flight.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/cmd.h"
#include "data/post.h"
#include "objects.h"
#include "output/out.h"
#include "own_rows.h"
#include "qp/qp_object.h"
#include "session.h"
#include "timeline/timeline.h"
#include "words.h"
#include "alloc.h"

#define BENCH_MAX 100000000 /* iterations */

static const struct word op_words[] = { { "write", WR_WRITE, "RDMA WRITE" },
					{ "read", WR_READ, "RDMA READ" },
					{ "send", WR_SEND,
					  "SEND: the peer must have posted receives" },
					{ "fetch-add", WR_FETCH_ADD, "atomic fetch and add" },
					{ 0 } };

struct bench_args {
	struct num op, size, n, depth, remote, rkey, warm, within;
	struct mr *mr;
	struct qp *qp;
	bool inlined;
};

static const struct arg bench_args[] = {
	POS("operation", bench_args, op, kind_enum, "what is posted", .data = op_words),
	POS_OPT("mr", bench_args, mr, kind_mr, "region"),
	OPT("remote", bench_args, remote, kind_u64, "address at the peer"),
	OPT("rkey", bench_args, rkey, kind_u32, "key of the peer's region"),
	OPT("len", bench_args, size, kind_size, "bytes of each", .dflt = "8"),
	OPT("n", bench_args, n, kind_u32, "so many", .dflt = "1000", .min = 1, .max = BENCH_MAX),
	OPT("depth", bench_args, depth, kind_u32, "so many in flight", .dflt = "1", .min = 1),
	OPT("warm-up", bench_args, warm, kind_u32, "so many more first, not counted", .dflt = "10"),
	SWITCH("inline", bench_args, inlined, "the bytes are in the work request"),
	OPT("qp", bench_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("within", bench_args, within, kind_ms, "give up when nothing completes for so long",
	    .dflt = "5000"),
	ARGS_END
};

struct run {
	struct session *s;
	const struct bench_args *a;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int64_t *sent;	/* ring of depth: when */
	int64_t *took;	/* latencies, NULL while warming up */
	uint64_t wr_id; /* of the first one: others in the CQ are not counted */
	uint32_t posted, done;
	int64_t heard; /* when the last completion came */
};

static int check(struct session *s, const struct bench_args *a)
{
	const struct wr_op *op = &wr_ops[a->op.v];
	enum ibv_qp_state state = qp_history_sync(a->qp, "seen by bench");

	if (!(op->types & (1u << a->qp->type)) || a->qp->type == IBV_QPT_UD)
		return fail(s, "bench", "EINVAL",
			    "%s is %s: bench is for connected QPs, and this has no %s",
			    a->qp->o.name, word_name(qp_type_words, a->qp->type), op->name);
	if (state != IBV_QPS_RTS)
		return fail(s, "bench", "EINVAL", "%s is %s, not RTS", a->qp->o.name,
			    word_name(qp_state_words, state));
	if (op->remote && (!a->remote.set || !a->rkey.set))
		return fail(s, "bench", "EINVAL", "bench %s needs -remote and -rkey",
			    word_name(op_words, a->op.v));
	if (a->mr->pd != a->qp->pd && !a->inlined) {
		fail(s, "bench", "EINVAL", "%s is in %s, %s in %s", a->mr->o.name,
		     a->mr->pd->o.name, a->qp->o.name, a->qp->pd->o.name);
		return fail_next(s, "reg %zu -pd %s", a->mr->len, a->qp->pd->o.name);
	}
	if (a->size.v > a->mr->len || a->size.v > UINT32_MAX)
		return fail(s, "bench", "ERANGE", "-len %llu: %s has %zu bytes",
			    (unsigned long long)a->size.v, a->mr->o.name, a->mr->len);
	if (a->depth.v > a->qp->cap.max_send_wr || a->depth.v > (uint64_t)a->qp->send_cq->v->cqe)
		return fail(s, "bench", "EINVAL", "-depth %llu: the send queue holds %u, %s %d",
			    (unsigned long long)a->depth.v, a->qp->cap.max_send_wr,
			    a->qp->send_cq->o.name, a->qp->send_cq->v->cqe);
	if (a->inlined && (!op->inlines || a->size.v > a->qp->cap.max_inline_data))
		return fail(s, "bench", "EINVAL", "-inline: %s of %s takes at most %u bytes inline",
			    op->name, a->qp->o.name, op->inlines ? a->qp->cap.max_inline_data : 0);
	if (op->atomic && a->size.v != 8)
		return fail(s, "bench", "EINVAL", "an atomic has 8 bytes");
	return 0;
}

static void prepare(struct run *r)
{
	const struct wr_op *op = &wr_ops[r->a->op.v];

	r->sge = (struct ibv_sge){ (uintptr_t)r->a->mr->buf, (uint32_t)r->a->size.v,
				   r->a->mr->v->lkey };
	r->wr = (struct ibv_send_wr){ .sg_list = &r->sge,
				      .num_sge = 1,
				      .opcode = op->code,
				      .send_flags = IBV_SEND_SIGNALED |
						    (r->a->inlined ? IBV_SEND_INLINE : 0u) };
	if (op->atomic) {
		r->wr.wr.atomic.remote_addr = r->a->remote.v;
		r->wr.wr.atomic.rkey = (uint32_t)r->a->rkey.v;
		r->wr.wr.atomic.compare_add = 1;
	} else if (op->remote) {
		r->wr.wr.rdma.remote_addr = r->a->remote.v;
		r->wr.wr.rdma.rkey = (uint32_t)r->a->rkey.v;
	}
}

static int post(struct run *r)
{
	struct ibv_send_wr *bad;
	int err;

	r->sent[r->posted % r->a->depth.v] = loop_now();
	r->wr.wr_id = r->wr_id + r->posted;
	err = ibv_post_send(r->a->qp->v, &r->wr, &bad);
	if (err)
		return fail_call(r->s, err, "ibv_post_send", "bench: number %u", r->posted);
	r->posted++;
	return 0;
}

static int take(struct run *r)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(r->a->qp->send_cq->v, 16, wc);
	int64_t now = loop_now();

	if (n < 0)
		return fail_call(r->s, -n, "ibv_poll_cq", "%s", r->a->qp->send_cq->o.name);
	for (int i = 0; i < n; i++) {
		if (wc[i].qp_num != r->a->qp->v->qp_num)
			continue;
		if (wc[i].status != IBV_WC_SUCCESS) {
			qp_history_sync(r->a->qp, word_name(wc_status_words, wc[i].status));
			fail(r->s, "bench", word_name(wc_status_words, wc[i].status),
			     "bench: number %u completed with %s", r->done,
			     word_name(wc_status_words, wc[i].status));
			return fail_row(r->s, "meaning", "%s",
					word_help(wc_status_words, wc[i].status));
		}
		if (wc[i].opcode & IBV_WC_RECV || r->done == r->posted ||
		    wc[i].wr_id != r->wr_id + r->done)
			continue; /* posted before */
		if (r->took)
			r->took[r->done] = now - r->sent[r->done % r->a->depth.v];
		r->done++;
	}
	if (n)
		r->heard = now;
	return n;
}

/* Nothing there: the rest of the program, and a peer on this processor, get their turn.
 */
static int idle(struct run *r, unsigned spins)
{
	if (spins % 256)
		return 0;
	loop_pass(r->s->loop, spins > 4096 ? 50 : 0);
	if (loop_interrupted(r->s->loop) || loop_ending(r->s->loop))
		return fail(r->s, "bench", "EINTR", "interrupted");
	if (loop_now() - r->heard < (int64_t)r->a->within.v * 1000000)
		return 0;
	return fail(r->s, "bench", "ETIMEDOUT",
		    "bench: nothing completed for %llu ms, %u in flight",
		    (unsigned long long)r->a->within.v, r->posted - r->done);
}

static int go(struct run *r, uint32_t n)
{
	unsigned spins = 0;

	r->posted = r->done = 0;
	r->wr_id = r->s->ctx->wr_id + 1;
	r->s->ctx->wr_id += n;
	r->heard = loop_now();
	while (r->done < n) {
		int got;

		while (r->posted < n && r->posted - r->done < r->a->depth.v)
			if (post(r))
				return -1;
		got = take(r);
		if (got < 0 || (got == 0 && idle(r, ++spins)))
			return -1;
		if (got)
			spins = 0;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double at(const int64_t *sorted, uint32_t n, double part)
{
	return (double)sorted[(uint32_t)((double)(n - 1) * part)] / 1000;
}

static void report(const struct run *r, uint32_t n, int64_t ns, struct out *o)
{
	double s = (double)ns / 1e9, mb = (double)n * (double)r->a->size.v / s / 1e6;
	const char *op = word_name(op_words, r->a->op.v);

	qsort(r->took, n, sizeof *r->took, by_value);
	out_str(o, "operation", op, "%s", op);
	out_u64(o, "size", r->a->size.v, "  %llu B", (unsigned long long)r->a->size.v);
	out_u64(o, "n", n, "  n %u", n);
	out_u64(o, "depth", r->a->depth.v, "  depth %u", (unsigned)r->a->depth.v);
	out_double(o, "us_min", at(r->took, n, 0), "  latency µs: min %.1f", at(r->took, n, 0));
	out_double(o, "us_p50", at(r->took, n, 0.5), "  p50 %.1f", at(r->took, n, 0.5));
	out_double(o, "us_p90", at(r->took, n, 0.9), "  p90 %.1f", at(r->took, n, 0.9));
	out_double(o, "us_p99", at(r->took, n, 0.99), "  p99 %.1f", at(r->took, n, 0.99));
	out_double(o, "us_max", at(r->took, n, 1), "  max %.1f", at(r->took, n, 1));
	out_double(o, "per_second", n / s, "  %.0f/s", n / s);
	out_double(o, "mb_per_second", mb, "  %.2f MB/s\n", mb);
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct bench_args *a = args;
	uint32_t n = (uint32_t)a->n.v;
	struct run r = { .s = s, .a = a };
	int64_t start, *took;
	int rc;

	if (check(s, a))
		return -1;
	prepare(&r);
	timeline_pause(s, true); /* a million packets would tell nothing, and cost time */
	took = xcalloc(n, sizeof *took);
	r.sent = xcalloc(a->depth.v, sizeof *r.sent);
	rc = go(&r, (uint32_t)a->warm.v);
	start = loop_now();
	r.took = took;
	if (rc == 0)
		rc = go(&r, n);
	own_left_out("bench", a->qp->v);
	if (rc == 0)
		report(&r, n, loop_now() - start, o);
	timeline_pause(s, false);
	free(r.sent);
	free(took);
	return rc;
}

static const struct cmd_eg bench_egs[] = {
	{ "bench write buf -remote [get window addr] -rkey [get window rkey] -n 200", "p50" },
	{ "bench read buf -remote [get window addr] -rkey [get window rkey] -len 4K "
	  "-depth 8 -n 100",
	  "MB/s" },
	{ NULL, NULL }
};

const struct cmd cmd_bench = {
	.name = "bench",
	.family = "measuring",
	.summary = "measure latency and bandwidth of one operation",
	.text = "Posts -n work requests, at most -depth in flight, and polls them, all in C. The\n"
		"latency is from post to polled completion; with a depth above 1 it has the time\n"
		"in the queue in it. For send the peer must have posted enough receives: post\n"
		"recv -repeat. Completions of other work requests in the same CQ are lost.",
	.calls = "ibv_post_send(3), ibv_poll_cq(3)",
	.setup = POST_SETUP,
	.examples = bench_egs,
	.args = bench_args,
	.size = sizeof(struct bench_args),
	.exec = exec,
};
