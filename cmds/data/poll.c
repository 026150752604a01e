/* SPDX-License-Identifier: MIT */
/*
 * poll: waits for completions by polling, and says why none came.
 *
 * The first moments are a busy poll, for latency; then the wait between two polls grows,
 * so that a peer on the same processor gets its turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "call/calling.h"
#include "call_record.h"
#include "command/cmd.h"
#include "data/post.h"
#include "own_model.h"
#include "data/wc.h"
#include "device/device.h"
#include "explain/peer_end.h"
#include "language/script.h"
#include "live_context.h"
#include "object_args.h"
#include "qp/qp.h"
#include "resources/mr.h"
#include "processes.h"
#include "session.h"
#include "spec_tables.h"
#include "waits.h"
#include "why.h"

#define BUSY_NS	 200000	      /* then other processes get the processor between polls */
#define SERVE_NS 50000	      /* how long the rest of the program may go unserved */
#define PATIENCE 1000000000LL /* ns before a wait at the prompt says what it waits for */

int cq_set_pick(struct session *s, struct cq *cq, struct qp *qp, struct cq_set *set)
{
	static const struct arg row = { .name = "cq", .kind = &kind_cq };

	*set = (struct cq_set){ .qp = cq ? NULL : qp ? qp : s->ctx->qp };
	obj_hold_arg(s, set->qp);
	if (set->qp)
		set->qp->o.named = true;
	if (cq) {
		set->cq[set->n++] = cq;
	} else if (set->qp) {
		set->cq[set->n++] = set->qp->send_cq;
		if (set->qp->recv_cq != set->qp->send_cq)
			set->cq[set->n++] = set->qp->recv_cq;
	} else {
		if (obj_arg_default(s, &row, &cq))
			return -1;
		set->cq[set->n++] = cq;
	}
	return 0;
}

const char *cq_set_name(const struct cq_set *set)
{
	static char name[80];

	snprintf(name, sizeof name, "%s%s%s", set->cq[0]->o.name, set->n > 1 ? " and " : "",
		 set->n > 1 ? set->cq[1]->o.name : "");
	return name;
}

static bool in_set(const struct cq_set *set, const struct cq *cq)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->cq[i] == cq)
			return true;
	return false;
}

/* Can a posted request still complete? */
static bool is_outstanding(struct session *s, const struct cq_set *set)
{
	struct qp *qp;

	obj_foreach_of(qp, s, &qp_class) {
		if (in_set(set, qp->send_cq) && own_outstanding(qp, false).n)
			return true;
		if (in_set(set, qp->recv_cq) && (qp->srq || own_outstanding(qp, true).n))
			return true;
	}
	return false;
}

static void say_patience(struct session *s, const struct cq_set *set, int n, int64_t within)
{
	notice_post(s->notices, NOTICE_CQ,
		    "waiting for %d completion%s on %s%s, at most %.4g s "
		    "(Ctrl-C stops)",
		    n, n == 1 ? "" : "s", cq_set_name(set),
		    is_outstanding(s, set) ? "" : ", where nothing is outstanding",
		    (double)within / 1e3);
}

/* Takes n completions, waiting at most within ms for them; *end tells why it stopped
 * early: 0, ETIMEDOUT or EINTR. Returns how many, or -1 with s->fail filled. */
static int wc_wait(struct session *s, const struct cq_set *set, struct wc *wc, int n,
		   int64_t within, int *end)
{
	int64_t start = 0, served = 0; /* read only if a wait is necessary */
	bool patient = !s->opt.interactive;
	bool had_turn = within == 0; /* the rest of the program gets one at least, if time allows */
	int got = 0;

	*end = 0;
	for (;;) {
		int more = wc_take(s, set, wc + got, n - got);
		int64_t now;

		if (more < 0) {
			wc_keep(wc, got);
			return -1;
		}
		got += more;
		if (got == n)
			return got;
		if (more)
			continue;
		now = loop_now();
		if (!start)
			start = served = now;
		if (loop_interrupted(s->loop) || loop_ending(s->loop))
			*end = EINTR;
		else if (had_turn && now - start >= within * 1000000)
			*end = ETIMEDOUT;
		if (*end)
			return got;
		if (!patient && now - start > PATIENCE) {
			say_patience(s, set, n - got, within);
			patient = true;
		}
		if (now - start > BUSY_NS) {
			loop_pass(s->loop, now - start < 20 * BUSY_NS ? 50 : 500);
			had_turn = true;
		} else if (now - served > SERVE_NS) {
			loop_pass(s->loop, 0);
			served = now;
			had_turn = true;
		}
	}
}

/* The requests whose completion is still to come.
 * "qp0: 3 sends, the oldest: RDMA_WRITE wr_id 1, posted 5000.0 ms ago" */
static unsigned say_outstanding(struct session *s, struct qp *qp, bool recv)
{
	const struct outstanding out = own_outstanding(qp, recv);

	if (!out.n)
		return 0;
	fail_row(s, "outstanding", "%s: %u %s%s, the oldest %s wr_id %llu, posted %.1f ms ago",
		 qp->o.name, out.n, recv ? "receive" : "send", out.n > 1 ? "s" : "",
		 out.oldest->op ? out.oldest->op->name : "?", (unsigned long long)out.oldest->wr_id,
		 (double)record_span(out.oldest->when, record_time()) / 1e6);
	if (out.unsignaled == out.n && !recv)
		fail_row(s, "likely", "unsignaled: they complete in silence (unless they fail)");
	return recv ? out.n : out.n - out.unsignaled;
}

static void say_how_to_receive(struct session *s, const struct qp *qp, uint64_t receives)
{
	const struct mr *mr = mr_to_receive(s, qp->pd);
	char repeat[40] = "";

	if (receives > 1)
		snprintf(repeat, sizeof repeat, " -repeat %llu", (unsigned long long)receives);
	if (mr)
		fail_next(s, "post recv %s -qp %s%s", mr->o.name, qp->o.name, repeat);
	else
		fail_next(s, "reg 4096 -pd %s -name inbox; post recv inbox -qp %s%s",
			  qp->pd->o.name, qp->o.name, repeat);
}

/* The sends that its device has; -1: it cannot tell. */
static int64_t sends_of(const struct qp *qp)
{
	struct uroce_inventory *inv = embedded_is_used() ? process_inventory(getpid()) : NULL;
	const struct uroce_qp_row *row = inv ? process_qp(inv, qp->v->qp_num) : NULL;
	const int64_t sends = row ? (int64_t)row->sends : -1;

	free(inv);
	return sends;
}

/* Proposes receives for the sends in flight and for more; at most as many as there is room for. */
static void say_receives(struct session *s, const struct qp *qp, const struct qp *peer,
			 uint64_t more)
{
	const int64_t sends = sends_of(qp);
	const uint64_t room = peer->cap.max_recv_wr, n = more + (sends > 0 ? (uint64_t)sends : 1);

	if (more && n > room)
		fail_row(s, "but",
			 "%s has room for %llu receives, and %llu sends are in flight: take a "
			 "smaller -repeat",
			 peer->o.name, (unsigned long long)room, (unsigned long long)(n - more));
	say_how_to_receive(s, peer, n < room ? n : room);
}

/* A send has no completion. */
static void say_send(struct session *s, struct qp *qp, const struct posted_wr *oldest,
		     const struct wr_op *op, uint64_t more)
{
	struct failed_wr wr = { .op = op, .wr_id = oldest ? oldest->wr_id : 0 };
	const struct qp *peer = qp_peer_here(s, qp);
	struct causes c = { 0 };
	struct live_qp here;
	bool needs_receive;

	peer_end_look(s, qp, &here, &wr);
	needs_receive = why_send_waits(&wr, &c);
	call_fail_causes(s, &c);
	if (needs_receive && peer)
		say_receives(s, qp, peer, more);
	causes_free(&c);
	peer_end_forget(&wr);
}

/* A receive has no completion. */
static void say_recv(struct session *s, const struct qp *qp)
{
	struct uroce_inventory *inv = embedded_is_used() ? process_inventory(getpid()) : NULL;
	struct causes c = { 0 };

	why_recv_waits(own_model(), (uintptr_t)qp->v, inv, &c);
	call_fail_causes(s, &c);
	causes_free(&c);
	free(inv);
}

static void say_why_of(struct session *s, struct qp *qp, const struct posted_wr *oldest,
		       const struct wr_op *op, bool recvs, uint64_t more)
{
	enum ibv_qp_state state = qp_history_sync(qp, "seen while polling");
	struct qp_step step;

	if (state == IBV_QPS_ERR && qp_history_err(qp, &step))
		fail_row(s, "state", "%s is in ERR: %s", qp->o.name, step.why);
	else if (state != IBV_QPS_RTS && state != IBV_QPS_RTR)
		fail_row(s, "state", "%s", why_in_state(qp->o.name, state));
	if (state != IBV_QPS_RTS && state != IBV_QPS_RTR)
		return;
	if (op && qp->type == IBV_QPT_RC)
		say_send(s, qp, oldest, op, more);
	else if (recvs)
		say_recv(s, qp);
}

int wc_say_silence(struct session *s, struct qp *qp, const struct wr_op *op, uint64_t more)
{
	say_why_of(s, qp, own_outstanding(qp, false).oldest, op, false, more);
	return -1;
}

static void say_why(struct session *s, const struct cq_set *set)
{
	const struct posted_wr *oldest;
	struct qp *qp;

	obj_foreach_of(qp, s, &qp_class) {
		unsigned sends, recvs;

		sends = in_set(set, qp->send_cq) ? say_outstanding(s, qp, false) : 0;
		recvs = in_set(set, qp->recv_cq) ? say_outstanding(s, qp, true) : 0;
		oldest = sends ? own_outstanding(qp, false).oldest : NULL;
		if (sends || recvs || qp == set->qp)
			say_why_of(s, qp, oldest, oldest ? oldest->op : NULL, recvs, 0);
	}
	if (!is_outstanding(s, set))
		fail_row(s, "likely",
			 "nothing is outstanding on %s: nothing was posted, or its "
			 "completion was polled before",
			 cq_set_name(set));
}

int wc_missing(struct session *s, const char *call, const struct cq_set *set, const struct wc *wc,
	       int got, int n, int64_t within, int end)
{
	wc_keep(wc, got);
	if (end == EINTR)
		return fail(s, call, "EINTR", "interrupted");
	fail(s, call, "ETIMEDOUT", "%s: %d of %d completions came on %s within %lld ms", call, got,
	     n, cq_set_name(set), (long long)within);
	if (got)
		fail_row(s, "kept", "%d: the next poll takes them", got);
	say_why(s, set);
	return -1;
}

/* ----------------------------------------------------------------- poll -- */

/*
 * A completion with an error is a result, not a failure of the command: scripts look at
 * its status, or ask for the strict form, -ok.
 */

#define POLL_MAX 65536

struct poll_args {
	struct cq *cq;
	struct qp *qp;
	struct num n, within;
	bool all, ok;
};

static const struct arg poll_args[] = {
	OPT("n", poll_args, n, kind_u32, "so many completions", .min = 1, .max = POLL_MAX),
	OPT("within", poll_args, within, kind_ms,
	    "how long to wait; left out: 5 s, or 0.2 s if typed when nothing is outstanding"),
	SWITCH("all", poll_args, all, "what is there now; do not wait"),
	SWITCH("ok", poll_args, ok, WC_OK_HELP),
	OPT("cq", poll_args, cq, kind_cq_opt, "completion queue; left out: those of the QP"),
	OPT("qp", poll_args, qp, kind_qp_opt, "queue pair; left out: the current one"),
	ARGS_END
};

static int poll_all(struct session *s, const struct cq_set *set, bool ok, struct out *o)
{
	struct wc wc[64];
	int n, all = 0, rc = 0;

	out_list(o, NULL);
	do {
		n = wc_take(s, set, wc, 64);
		if (n < 0)
			return -1;
		wc_out_all(s, wc, n, true, o);
		all += n;
		if (ok && rc == 0) /* all are taken; the first failed one is the error */
			rc = wc_all_ok(s, "poll", wc, n);
	} while (n);
	out_end(o);
	if (!all)
		out_text(o, "no completions in %s\n", cq_set_name(set));
	return rc;
}

#define WITHIN_MS	5000
#define WITHIN_BRIEF_MS 200 /* not 0: requests of call ibv_wr_... are not known here */

/* How long to wait if the user has not said so. If poll was typed and no completion can come, the
 * prompt returns soon. A script may wait for what a handler posts. */
static int64_t default_within(struct session *s, const struct cq_set *set)
{
	const bool is_typed = s->opt.interactive && !(s->script && s->script->name);

	return is_typed && !is_outstanding(s, set) ? WITHIN_BRIEF_MS : WITHIN_MS;
}

/* In ERR all that is posted completes: a success was not the last word of the QP. */
static void say_more(struct qp *qp, struct out *o)
{
	const struct outstanding sends = own_outstanding(qp, false);

	if (qp_history_state(qp) == IBV_QPS_ERR && sends.n > sends.unsignaled)
		out_text(o, "  %s is in ERR, and another completion waits: poll\n", qp->o.name);
}

static int poll_exec(struct session *s, const void *args, struct out *o)
{
	const struct poll_args *a = args;
	int64_t within;
	int want = a->n.set ? (int)a->n.v : 1, got, end;
	struct cq_set set;
	struct wc *wc;

	if (cq_set_pick(s, a->cq, a->qp, &set))
		return -1;
	if (a->all)
		return poll_all(s, &set, a->ok, o);
	within = a->within.set ? (int64_t)a->within.v : default_within(s, &set);
	wc = arena_alloc(&s->arena, (size_t)want * sizeof *wc);
	got = wc_wait(s, &set, wc, want, within, &end);
	if (got < 0)
		return -1;
	if (end)
		wc_missing(s, "poll", &set, wc, got, want, within, end);
	if (end == ETIMEDOUT && !a->within.set && within == WITHIN_BRIEF_MS)
		fail_row(s, "to wait", "poll -within 60s");
	if (end)
		return -1;
	if (a->ok && wc_all_ok(s, "poll", wc, got))
		return -1;
	if (want > 1)
		out_list(o, NULL);
	wc_out_all(s, wc, got, want > 1, o);
	if (out_has_text(o) && set.qp && wc[got - 1].v.status == IBV_WC_SUCCESS)
		say_more(set.qp, o);
	return 0;
}

/** Waits for one completion, or for -n of them, and says what became of the work
 * request: a dict; a list of dicts with -n 2 and more, or -all. Only fields that
 * are valid are there. A status other than SUCCESS is no error of this command,
 * unless -ok is given: then a script ends there (RDMASH poll REM_ACCESS_ERR). When
 * nothing comes in time, that is an error (RDMASH poll ETIMEDOUT), and it says what
 * is outstanding. While it waits, the rest of the session goes on.
 * > post write buf -len 8 -remote [get window addr] -rkey [get window rkey]
 * > poll => SUCCESS  RDMA_WRITE
 * > post write buf -len 8 -remote [get window addr] -rkey [get window rkey] -repeat 3
 * > poll -n 3 => SUCCESS
 * > poll -all
 * > post write buf -len 8 -remote [get window addr] -rkey 1
 * > poll => REM_ACCESS_ERR
 * > post write buf -len 8 -remote [get window addr] -rkey [get window rkey]
 * > poll -ok => poll: wr_id */
const struct cmd cmd_poll = {
	.name = "poll",
	.family = "data path",
	.summary = "take completions from a completion queue",
	.calls = "ibv_poll_cq(3)",
	.setup = POST_SETUP,
	.args = poll_args,
	.exec = poll_exec,
};
