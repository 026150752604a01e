/* SPDX-License-Identifier: MIT */
/*
 * Waiting without polling: wait wc, wait cq.
 *
 * A completion that comes between the last poll and the arming raises no event: so arm
 * first, poll once more, and only then sleep.
 */
#include <errno.h>

#include "alloc.h"
#include "command/cmd.h"
#include "data/arm.h"
#include "data/post.h"
#include "data/wc.h"
#include "session.h"

#define WAIT_MAX 65536

static bool has_event(void *arg)
{
	const struct cq_set *set = arg;

	for (unsigned i = 0; i < set->n; i++)
		if (set->cq[i]->events)
			return true;
	return false;
}

static void forget_events(const struct cq_set *set)
{
	for (unsigned i = 0; i < set->n; i++)
		set->cq[i]->events = 0;
}

static int arm_all(struct session *s, const struct cq_set *set, bool solicited)
{
	for (unsigned i = 0; i < set->n; i++)
		if (!set->cq[i]->armed && cq_arm(s, set->cq[i], solicited))
			return -1;
	return 0;
}

struct wait_args {
	struct cq *cq;
	struct qp *qp;
	struct num n, within;
	bool ok;
};

/* -------------------------------------------------------------- wait wc -- */

static const struct arg wc_args[] = {
	OPT("n", wait_args, n, kind_u32, "so many completions", .dflt = "1", .min = 1,
	    .max = WAIT_MAX),
	OPT("within", wait_args, within, kind_ms, "how long to wait for them", .dflt = "5000"),
	OPT("cq", wait_args, cq, kind_cq_opt, "completion queue; left out: those of the QP"),
	OPT("qp", wait_args, qp, kind_qp_opt, "queue pair; left out: the current one"),
	SWITCH("ok", wait_args, ok, WC_OK_HELP),
	ARGS_END
};

/* Sleeps until there may be something in the CQs: 0, ETIMEDOUT, EINTR; -1 when it failed.
 */
static int sleep_for_event(struct session *s, struct cq_set *set, int64_t left_ms)
{
	enum loop_end end;

	end = loop_wait(s->loop, has_event, set, left_ms > 0 ? left_ms : 0);
	forget_events(set);
	return end == LOOP_DONE ? 0 : end == LOOP_TIMEOUT ? ETIMEDOUT : EINTR;
}

static int collect(struct session *s, struct cq_set *set, struct wc *wc, int want, int64_t within,
		   int *end)
{
	int64_t until = loop_now() + within * 1000000;
	int got = 0, n;

	for (*end = 0; got < want && !*end;) {
		n = wc_take(s, set, wc + got, want - got);
		if (n == 0) {
			if (arm_all(s, set, false))
				n = -1;
			else
				n = wc_take(s, set, wc + got, want - got);
		}
		if (n < 0) {
			wc_keep(wc, got);
			return -1;
		}
		got += n;
		if (n == 0)
			*end = sleep_for_event(s, set, (until - loop_now() + 999999) / 1000000);
	}
	return got;
}

static int wc_exec(struct session *s, const void *args, struct out *o)
{
	const struct wait_args *a = args;
	int want = (int)a->n.v, got, end;
	struct cq_set set;
	struct wc *wc;

	if (cq_set_pick(s, a->cq, a->qp, &set))
		return -1;
	wc = arena_alloc(&s->arena, (size_t)want * sizeof *wc);
	got = collect(s, &set, wc, want, (int64_t)a->within.v, &end);
	if (got < 0)
		return -1;
	if (got < want)
		return wc_missing(s, "wait wc", &set, wc, got, want, (int64_t)a->within.v, end);
	if (a->ok && wc_all_ok(s, "wait wc", wc, got))
		return -1;
	if (want > 1)
		out_list(o, NULL);
	wc_out_all(s, wc, got, want > 1, o);
	return 0;
}

static const struct cmd_eg wc_egs[] = { { "post recv -qp $peer", NULL },
					{ "post send-imm -imm 1", NULL },
					{ "wait wc -qp $peer", "imm 1" },
					{ NULL, NULL } };

const struct cmd cmd_wait_wc = {
	.name = "wait wc",
	.family = "data path",
	.summary = "wait for completions without polling",
	.text = "Arms the completion queue, looks once more, and sleeps until its channel tells\n"
		"of an event; then polls. The result is that of poll. The CQ needs a channel\n"
		"(cq -events): without one use poll.",
	.calls = "ibv_req_notify_cq(3), ibv_get_cq_event(3), ibv_ack_cq_events(3), ibv_poll_cq(3)",
	.setup = POST_SETUP_EVENTS,
	.examples = wc_egs,
	.args = wc_args,
	.size = sizeof(struct wait_args),
	.exec = wc_exec,
};

/* -------------------------------------------------------------- wait cq -- */

static const struct arg cq_args[] = {
	POS_OPT("cq", wait_args, cq, kind_cq, "completion queue that is armed"),
	OPT("within", wait_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

static int cq_exec(struct session *s, const void *args, struct out *o)
{
	const struct wait_args *a = args;
	struct cq_set set = { .cq = { a->cq }, .n = 1 };
	enum loop_end end;

	if (!a->cq->armed && !a->cq->events) {
		fail(s, "wait cq", "EINVAL", "%s is not armed: it will raise no event",
		     a->cq->o.name);
		return fail_next(s, "arm %s", a->cq->o.name);
	}
	end = loop_wait(s->loop, has_event, &set, (int64_t)a->within.v);
	if (end == LOOP_INTERRUPTED)
		return fail(s, "wait cq", "EINTR", "interrupted");
	if (end == LOOP_TIMEOUT) {
		fail(s, "wait cq", "ETIMEDOUT", "%s raised no event within %llu ms", a->cq->o.name,
		     (unsigned long long)a->within.v);
		fail_row(s, "likely",
			 "its completion was there before the CQ was armed, or there is none yet");
		return fail_next(s, "poll -cq %s -all", a->cq->o.name);
	}
	a->cq->events--;
	out_str(o, NULL, a->cq->o.name, "%s had a completion event; it is disarmed now\n",
		a->cq->o.name);
	return 0;
}

static const struct cmd_eg cq_egs[] = {
	{ "post recv -qp $peer", NULL },  { "arm [get $peer recv_cq]", "armed" },
	{ "post send-imm -imm 1", NULL }, { "wait cq [get $peer recv_cq]", "completion event" },
	{ "poll -qp $peer", "imm 1" },	  { NULL, NULL }
};

const struct cmd cmd_wait_cq = {
	.name = "wait cq",
	.family = "data path",
	.summary = "wait for the event of an armed completion queue",
	.text = "The event says that there is something to poll, not how much. It is\n"
		"acknowledged as soon as it comes.",
	.calls = "ibv_get_cq_event(3), ibv_ack_cq_events(3)",
	.setup = POST_SETUP_EVENTS,
	.examples = cq_egs,
	.args = cq_args,
	.size = sizeof(struct wait_args),
	.exec = cq_exec,
};
