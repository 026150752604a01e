/* SPDX-License-Identifier: MIT */
/*
 * The wait commands: for completions without polling, events and states.
 *
 * A completion that comes between the last poll and the arming raises no event: so arm
 * first, poll once more, and only then sleep.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "data/wc.h"
#include "data/post.h"
#include "device/async.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

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
	OPT("within", wait_args, within, kind_ms, "how long to wait", .dflt = "5000"),
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

static int collect_completions(struct session *s, struct cq_set *set, struct wc *wc, int want,
			       int64_t within, int *end)
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
	got = collect_completions(s, &set, wc, want, (int64_t)a->within.v, &end);
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

/** Arms the completion queue, looks once more, and sleeps until its channel tells
 * of an event; then polls. The result is that of poll. The CQ needs a channel
 * (cq -events): without one use poll.
 * > post recv -qp $peer
 * > post send-imm -imm 1
 * > wait wc -qp $peer => imm 1 */
const struct cmd cmd_wait_wc = {
	.name = "wait wc",
	.family = "data path",
	.summary = "wait for completions without polling",
	.calls = "ibv_req_notify_cq(3), ibv_get_cq_event(3), ibv_ack_cq_events(3), ibv_poll_cq(3)",
	.setup = POST_SETUP_EVENTS,
	.args = wc_args,
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

/** The event says that there is something to poll, not how much. It is
 * acknowledged as soon as it comes.
 * > post recv -qp $peer
 * > arm [get $peer recv_cq] => armed
 * > post send-imm -imm 1
 * > wait cq [get $peer recv_cq] => completion event
 * > poll -qp $peer => imm 1 */
const struct cmd cmd_wait_cq = {
	.name = "wait cq",
	.family = "data path",
	.summary = "wait for the event of an armed completion queue",
	.calls = "ibv_get_cq_event(3), ibv_ack_cq_events(3)",
	.setup = POST_SETUP_EVENTS,
	.args = cq_args,
	.exec = cq_exec,
};

/* ----------------------------------------------------------- wait event -- */

struct event_args {
	struct num name, within;
	struct id *id;
};

static const struct arg event_args[] = {
	POS("event", event_args, name, kind_enum, "name of the event", .data = cm_event_words),
	OPT("id", event_args, id, kind_id, "connection id; left out: the current one"),
	OPT("within", event_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

static int event_exec(struct session *s, const void *args, struct out *o)
{
	const struct event_args *a = args;
	struct cm_event ev;

	if (cm_await(s, a->id, "wait event", (enum rdma_cm_event_type)a->name.v, a->within.v, &ev))
		return -1;
	out_str(o, "event", word_name(cm_event_words, ev.type), "%s  %s", a->id->o.name,
		word_name(cm_event_words, ev.type));
	out_str(o, "id", a->id->o.name, NULL);
	out_int(o, "status", ev.status, "  status %s", cm_status_text(&ev));
	out_bytes(o, "private_data", ev.data, ev.len);
	out_text(o, "\n");
	return 0;
}

/** Events of other names that came before are passed over; one that ends the
 * attempt (REJECTED when you wait for ESTABLISHED) fails at once and says why.
 * > cm create
 * > cm resolve-addr 10.0.0.1 7471 -nowait
 * > wait event ADDR_RESOLVED => ADDR_RESOLVED */
const struct cmd cmd_wait_event = {
	.name = "wait event",
	.family = "connection, in one go",
	.summary = "wait for an event of the connection manager",
	.calls = "rdma_get_cm_event(3)",
	.args = event_args,
	.exec = event_exec,
};

struct until_args {
	struct num name, within;
	struct obj *about;
	struct qp *qp;
};

/* ----------------------------------------------------------- wait async -- */

static const struct arg async_args[] = {
	POS("event", until_args, name, kind_enum, "name of the event", .data = async_words),
	OPT("on", until_args, about, kind_any, "the object it is about"),
	OPT("within", until_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

struct async_want {
	struct session *s;
	enum ibv_event_type type;
	const char *obj; /* NULL: any */
};

/* Events of destroyed objects are no answers, also if others have their names. */
static bool is_of_the_living(struct session *s, const struct async_event *ev)
{
	const struct obj *o = obj_find(s, NULL, ev->obj);

	return o && o->serial == ev->serial;
}

static struct async_event *find_async(const struct async_want *want)
{
	struct async_event *ev;

	TAILQ_FOREACH(ev, &want->s->ctx->asyncs, link)
		if (ev->type == want->type && is_of_the_living(want->s, ev) &&
		    (!want->obj || strcmp(ev->obj, want->obj) == 0))
			return ev;
	return NULL;
}

static bool async_there(void *arg)
{
	return find_async(arg);
}

static int async_missing(struct session *s, const struct async_want *want, uint64_t within)
{
	struct async_event *ev;

	fail(s, "wait async", "ETIMEDOUT", "no %s%s%s within %llu ms",
	     word_name(async_words, want->type), want->obj ? " on " : "",
	     want->obj ? want->obj : "", (unsigned long long)within);
	TAILQ_FOREACH(ev, &s->ctx->asyncs, link)
		if (is_of_the_living(s, ev))
			fail_row(s, "there is", "%s on %s", word_name(async_words, ev->type),
				 ev->obj);
	return -1;
}

static void out_async_event(const struct async_event *ev, struct out *o)
{
	const char *name = word_name(async_words, ev->type),
		   *means = word_help(async_words, ev->type);

	out_str(o, "event", name, "%s", name);
	out_str(o, "object", ev->obj, "  %s", ev->obj);
	out_text(o, "  %s", means ? means : "");
	if (*ev->rule)
		out_str(o, "rule", ev->rule, "; on purpose: %s", ev->rule);
	out_text(o, "\n");
}

static int async_exec(struct session *s, const void *args, struct out *o)
{
	const struct until_args *a = args;
	struct async_want want = { s, (enum ibv_event_type)a->name.v,
				   a->about ? a->about->name : NULL };
	enum loop_end end = loop_wait(s->loop, async_there, &want, (int64_t)a->within.v);
	struct async_event *ev;

	if (end == LOOP_INTERRUPTED)
		return fail(s, "wait async", "EINTR", "interrupted");
	if (end == LOOP_TIMEOUT)
		return async_missing(s, &want, a->within.v);
	ev = find_async(&want);
	TAILQ_REMOVE(&s->ctx->asyncs, ev, link);
	out_async_event(ev, o);
	free(ev);
	return 0;
}

/** Events of the device, its ports, CQs, QPs and SRQs, that no completion tells of.
 * They are kept until a wait takes them, so one that came before counts too, unless its object
 * is destroyed.
 * > post send => SEND
 * > wait async SRQ_LIMIT_REACHED -on shared => fewer RECVs than the limit */
const struct cmd cmd_wait_async = {
	.name = "wait async",
	.family = "data path",
	.summary = "wait for an asynchronous event",
	.calls = "ibv_get_async_event(3), ibv_ack_async_event(3)",
	.setup = POST_SETUP_LIMIT,
	.args = async_args,
	.exec = async_exec,
};

/* ----------------------------------------------------------- wait state -- */

static const struct arg state_args[] = {
	POS("state", until_args, name, kind_enum, "state of the QP", .data = qp_state_words),
	OPT("qp", until_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("within", until_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

static int state_exec(struct session *s, const void *args, struct out *o)
{
	const struct until_args *a = args;
	int64_t until = loop_now() + (int64_t)a->within.v * 1000000;
	enum ibv_qp_state state;

	while ((state = qp_history_sync(a->qp, "seen while waiting")) != a->name.v) {
		if (loop_interrupted(s->loop) || loop_ending(s->loop))
			return fail(s, "wait state", "EINTR", "interrupted");
		if (loop_now() >= until)
			return fail(s, "wait state", "ETIMEDOUT", "%s is %s, not %s, after %llu ms",
				    a->qp->o.name, word_name(qp_state_words, state),
				    word_name(qp_state_words, a->name.v),
				    (unsigned long long)a->within.v);
		loop_pass(s->loop, 1000);
	}
	out_str(o, NULL, word_name(qp_state_words, state), "%s is %s: %s\n", a->qp->o.name,
		word_name(qp_state_words, state), word_help(qp_state_words, state));
	return 0;
}

/** The device is asked again and again: not every change raises an event.
 * > post write buf -len 8 -remote 0 -rkey 1
 * > wait state ERR => ERR */
const struct cmd cmd_wait_state = {
	.name = "wait state",
	.family = "data path",
	.summary = "wait until a QP is in a state",
	.calls = "ibv_query_qp(3)",
	.setup = POST_SETUP,
	.args = state_args,
	.exec = state_exec,
};

/*
 * Completion events on the event loop.
 *
 * An event that is not acknowledged makes ibv_destroy_cq(3) hang: each is acknowledged as
 * soon as it is taken. An event disarms its CQ; it says nothing about how many
 * completions there are.
 */

static void take_cc_event(void *arg, int fd, short revents)
{
	struct cc *cc = arg;
	struct session *s = cc->s;
	struct ibv_cq *v;
	struct cq *cq;
	void *ctx;

	(void)fd, (void)revents;
	obj_ref(cc);
	while (!obj_gone(cc) && ibv_get_cq_event(cc->v, &v, &ctx) == 0) {
		ibv_ack_cq_events(v, 1);
		cq = obj_by_pointer(s, &cq_class, v);
		if (!cq)
			continue;
		cq->armed = false;
		if (cq->on_event) {
			cq->on_event(cq->on_event_arg);
			continue;
		}
		cq->events++;
		notice_post(s->notices, NOTICE_CQ, "%s: completion event", cq->o.name);
	}
	obj_unref(cc);
}

void cc_watch(struct session *s, struct cc *cc)
{
	int fd = cc->v->fd;

	cc->s = s;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_watch(s->loop, fd, POLLIN, take_cc_event, cc);
}

void cc_unwatch(struct session *s, struct cc *cc)
{
	loop_unwatch(s->loop, cc->v->fd);
	cc->s = NULL;
}

/* ------------------------------------------------------------------ arm -- */

int cq_arm(struct session *s, struct cq *cq, bool solicited)
{
	if (!cq->cc) {
		fail(s, "ibv_req_notify_cq", "EINVAL",
		     "%s has no completion channel: no one would hear its event", cq->o.name);
		return fail_next(s, "cq -events, and a QP made with that CQ; or poll");
	}
	if (ibv_req_notify_cq(cq->v, solicited))
		return call_fail(s, "%s", cq->o.name);
	cq->armed = true;
	return 0;
}

struct arm_args {
	struct cq *cq;
	bool solicited;
};

static const struct arg arm_args[] = { POS_OPT("cq", arm_args, cq, kind_cq,
					       "completion queue with a channel"),
				       SWITCH("solicited", arm_args, solicited,
					      "only for errors and what the peer sent -solicited"),
				       ARGS_END };

static int arm_exec(struct session *s, const void *args, struct out *o)
{
	const struct arm_args *a = args;

	if (cq_arm(s, a->cq, a->solicited))
		return -1;
	out_str(o, NULL, a->cq->o.name, "%s armed for the next %scompletion\n", a->cq->o.name,
		a->solicited ? "solicited " : "");
	return 0;
}

/** One event, once: the CQ is disarmed by it. Completions that are there already
 * raise none, so the safe order is arm, poll until empty, then wait. The event is
 * a notice on the screen, and what wait cq waits for; wait wc does it all.
 * > cq -events -name evq => evq
 * > arm evq => armed
 * > show evq => armed */
const struct cmd cmd_arm = {
	.name = "arm",
	.family = "data path",
	.summary = "ask for an event when the next completion comes",
	.calls = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.args = arm_args,
	.exec = arm_exec,
};
