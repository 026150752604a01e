/* SPDX-License-Identifier: MIT */
/* on timer, on wc, on readable: the kinds of handlers and the commands that make them. */
#include <poll.h>

#include "command/cmd.h"
#include "data/wc.h"
#include "data/post.h"
#include "handlers/handler.h"
#include "live_context.h"
#include "object_args.h"
#include "output/print.h"
#include "session.h"
#include "tcp/tcp_socket.h"

#define NS_PER_MS 1000000
#define BATCH	  16
#define BUDGET	  32 /* completions in one go; then others have their turn */

struct on_args {
	struct num every;
	Tcl_Obj *body;
	struct cq *cq;
	struct qp *qp;
	struct obj *socket;
	const char *name;
	bool once;
};

#define BODY(what) POS("body", on_args, body, kind_script, what)
#define COMMON                                                       \
	OPT("name", on_args, name, kind_str, "name of the handler"), \
		SWITCH("once", on_args, once, "run it once and destroy it")

static int add_handler(struct handler *h, const struct on_args *a, struct out *o)
{
	h->once = a->once;
	if (handler_add(h))
		return -1;
	out_str(o, NULL, h->o.name, "%s  on %s\n", h->o.name, h->kind->word);
	return 0;
}

/* The value of an output, which goes. */
static Tcl_Obj *value_of(struct out *o)
{
	Tcl_Obj *value = out_value(o);

	out_free(o);
	return value;
}

/* A CQ calls this for its handler. */
static void wake_handler(void *arg)
{
	handler_wake(arg, 0);
}

/* ------------------------------------------------------------------- timer -- */

/* A body that takes longer than the interval skips the runs that it has missed. */
static bool timer_run(struct handler *h)
{
	int64_t now;

	if (handler_call(h, NULL)) {
		now = loop_now();
		h->due += h->every;
		if (h->due < now)
			h->due = now;
	}
	return false;
}

static int timer_watch(struct handler *h)
{
	int64_t left = h->due - loop_now();

	handler_wake(h, left > 0 ? (left + NS_PER_MS - 1) / NS_PER_MS : 0);
	return 0;
}

static void timer_describe(const struct handler *h, struct out *out)
{
	out_int(out, "every_ms", h->every / NS_PER_MS, "  every %lld ms",
		(long long)(h->every / NS_PER_MS));
}

static const struct handler_kind timer_kind = { .word = "timer",
						.run = timer_run,
						.watch = timer_watch,
						.describe = timer_describe };

static const struct arg timer_args[] = { POS("time", on_args, every, kind_ms,
					     "between two runs, and before the first",
					     .max = 86400000),
					 BODY("what to run"), COMMON, ARGS_END };

static int timer_exec(struct session *s, const void *args, struct out *o)
{
	const struct on_args *a = args;
	struct handler *h;

	if (!a->every.v && !a->once) {
		fail(s, "on timer", "EINVAL",
		     "again and again without a pause: nothing else would run");
		return fail_next(s, "on timer 1ms {...}; or on timer 0 {...} -once");
	}
	h = handler_new(s, &timer_kind, a->name, a->body);
	if (!h)
		return -1;
	h->every = (int64_t)a->every.v * NS_PER_MS;
	h->due = loop_now() + h->every;
	return add_handler(h, a, o);
}

/** The body runs whenever the session waits: at the prompt, in wait until, in any other
 * command that waits. Its variables are its own, as those of a proc; ::name is a
 * variable of the session. It keeps the rights of the script that has made it. It may
 * wait, but does not run again before it has ended; runs that it misses are skipped. It
 * cannot destroy what a waiting command works with. A body that fails is reported as a
 * notice and not run again; a script then ends with exit code 1. The result is the
 * handler's name: destroy NAME ends it, as the end of the session does.
 * > set n 0
 * > on timer 2ms {incr ::n} -name ticker => ticker  on timer
 * > wait until {$n >= 3}
 * > show ticker => every 2 ms
 * > destroy ticker
 * > on timer 1 {set ::late yes} -once; wait until {[info exists late]} */
const struct cmd cmd_on_timer = {
	.name = "on timer",
	.family = "scripts",
	.summary = "run a script every so often while the session goes on",
	.args = timer_args,
	.exec = timer_exec,
};

/* ---------------------------------------------------------------------- wc -- */

static struct cq_set cqs_of(const struct handler *h)
{
	return (struct cq_set){ .cq = { h->cq[0], h->cq[1] }, .n = h->cq[1] ? 2 : 1 };
}

/* The dict of one completion, as poll has it. */
static Tcl_Obj *wc_value(struct session *s, const struct wc *wc)
{
	struct out *o = out_new(false);

	wc_out(s, wc, o);
	return value_of(o);
}

/* How many; -1: the handler is over. */
static int wc_batch(struct handler *h)
{
	struct cq_set set = cqs_of(h);
	struct wc wc[BATCH];
	int n = wc_take(h->s, &set, wc, h->once ? 1 : BATCH);
	Tcl_Obj *values[BATCH];
	bool goes_on = n >= 0;

	if (n < 0)
		handler_cancel(h, h->s->fail.text, true);
	for (int i = 0; i < n; i++) {
		values[i] = wc_value(h->s, &wc[i]); /* the CQ may go in the first body */
		Tcl_IncrRefCount(values[i]);
	}
	for (int i = 0; i < n; i++) {
		goes_on = goes_on && handler_call(h, values[i]);
		Tcl_DecrRefCount(values[i]);
	}
	return goes_on ? n : -1;
}

static bool wc_run(struct handler *h)
{
	int done = 0, n;

	do
		n = wc_batch(h);
	while (n > 0 && !h->once && (done += n) < BUDGET);
	return n > 0;
}

static bool needs_arming(const struct handler *h)
{
	return !h->cq[0]->armed || (h->cq[1] && !h->cq[1]->armed);
}

/* A completion that arrives between the last poll and the arming raises no event: so poll, arm and
 * poll again. */
static int wc_watch(struct handler *h)
{
	bool again = needs_arming(h);

	for (unsigned i = 0; i < 2 && h->cq[i]; i++) {
		if (!h->cq[i]->armed && cq_arm(h->s, h->cq[i], false))
			return -1;
		h->cq[i]->on_event = wake_handler;
		h->cq[i]->on_event_arg = h;
	}
	if (again)
		handler_wake(h, 0);
	return 0;
}

static void wc_unwatch(struct handler *h)
{
	for (unsigned i = 0; i < 2 && h->cq[i]; i++)
		if (h->cq[i]->on_event_arg == h) {
			h->cq[i]->on_event = NULL;
			h->cq[i]->on_event_arg = NULL;
		}
}

static void wc_describe(const struct handler *h, struct out *out)
{
	struct cq_set set = cqs_of(h);

	out_str(out, "of", cq_set_name(&set), " of %s", cq_set_name(&set));
}

static const struct handler_kind wc_kind = { .word = "wc",
					     .variable = "wc",
					     .run = wc_run,
					     .watch = wc_watch,
					     .unwatch = wc_unwatch,
					     .describe = wc_describe };

static const struct arg wc_args[] = {
	BODY("what to run; the completion is in $wc"),
	OPT("cq", on_args, cq, kind_cq_opt, "completion queue; left out: those of the QP"),
	OPT("qp", on_args, qp, kind_qp_opt, "queue pair; left out: the current one"), COMMON,
	ARGS_END
};

static int has_one(struct session *s, const char *call, const char *name, const void *arg)
{
	const struct handler *h = arg;

	fail(s, call, "EBUSY", "%s has a handler already: %s", name, h->o.name);
	return fail_next(s, "destroy %s", h->o.name);
}

static int on_wc_exec(struct session *s, const void *args, struct out *o)
{
	const struct on_args *a = args;
	struct handler *h;
	struct cq_set set;

	if (cq_set_pick(s, a->cq, a->qp, &set))
		return -1;
	for (unsigned i = 0; i < set.n; i++)
		if (set.cq[i]->on_event)
			return has_one(s, "on wc", set.cq[i]->o.name, set.cq[i]->on_event_arg);
	h = handler_new(s, &wc_kind, a->name, a->body);
	if (!h)
		return -1;
	for (unsigned i = 0; i < set.n; i++) {
		h->cq[i] = set.cq[i];
		obj_use(h, set.cq[i]);
	}
	if (add_handler(h, a, o))
		return -1;
	handler_wake(h, 0); /* for those that are there already */
	return 0;
}

/** Each completion is polled and handed to the body as $wc, a dict as poll has it; the
 * queue is armed again before the session waits. It needs a channel (cq -events). The
 * body does not see what poll and wait wc take from the same queue. For bodies see 'help
 * on timer'.
 * > on wc {lappend ::got [dict get $wc imm]} -qp $peer => on wc
 * > post recv -qp $peer; post send-imm -imm 1
 * > wait until {[info exists got]}; echo $got => 1
 * > on wc {} -qp $peer => has a handler already */
const struct cmd cmd_on_wc = {
	.name = "on wc",
	.family = "data path",
	.summary = "run a script for each completion",
	.calls = "ibv_req_notify_cq(3), ibv_get_cq_event(3), ibv_ack_cq_events(3), ibv_poll_cq(3)",
	.setup = POST_SETUP_EVENTS,
	.args = wc_args,
	.exec = on_wc_exec,
};

/* ---------------------------------------------------------------- readable -- */

static bool readable_run(struct handler *h)
{
	handler_call(h, NULL);
	return false;
}

static void readable_ready(void *arg, int fd, short revents)
{
	struct handler *h = arg;

	(void)revents;
	loop_unwatch(h->s->loop, fd); /* until the body has read it */
	handler_wake(h, 0);
}

static int readable_watch(struct handler *h)
{
	loop_watch(h->s->loop, h->fd, POLLIN, readable_ready, h);
	return 0;
}

static void readable_unwatch(struct handler *h)
{
	loop_unwatch(h->s->loop, h->fd);
}

static void readable_describe(const struct handler *h, struct out *out)
{
	out_str(out, "of", h->socket->name, ": %s", h->socket->name);
}

static const struct handler_kind readable_kind = { .word = "readable",
						   .run = readable_run,
						   .watch = readable_watch,
						   .unwatch = readable_unwatch,
						   .describe = readable_describe };

static const struct arg readable_args[] = { POS("tcp", on_args, socket, kind_any,
						"a TCP connection, or a listener"),
					    BODY("what to run"), COMMON, ARGS_END };

static int readable_exec(struct session *s, const void *args, struct out *o)
{
	const struct on_args *a = args;
	struct handler *h;
	struct obj_use *u;

	if (a->socket->class != &tcp_class && a->socket->class != &tcpl_class)
		return fail(s, "on readable", "BADVALUE",
			    "%s is a %s, not a TCP connection or listener", a->socket->name,
			    a->socket->class->title);
	obj_foreach_user(u, a->socket)
		if (u->user->class == &handler_class)
			return has_one(s, "on readable", a->socket->name, u->user);
	h = handler_new(s, &readable_kind, a->name, a->body);
	if (!h)
		return -1;
	h->socket = a->socket;
	h->fd = ((struct tcp *)a->socket)->fd;
	obj_use(h, a->socket);
	return add_handler(h, a, o);
}

/** The body reads it, with tcp recv NAME BYTES -any or tcp accept; it runs again at once
 * while something is left. The end of a connection is readable, too: tcp recv -any then
 * has 0 bytes, and the body destroys the connection with -cascade, which ends the
 * handler. For bodies see 'help on timer'.
 * > set port [dict get [tcp listen 0 -name door] port]
 * > on readable door {tcp accept door -name client} -once => on readable
 * > tcp connect 127.0.0.1 $port -name a
 * > wait until {[dict exists [show] client]}
 * > on readable client {append ::text [tcp recv client 100 -any]}
 * > tcp send a hello; wait until {[info exists text]}; echo $text => hello */
const struct cmd cmd_on_readable = {
	.name = "on readable",
	.family = "beside RDMA",
	.summary = "run a script when a TCP socket has something to read",
	.args = readable_args,
	.exec = readable_exec,
};
