/* SPDX-License-Identifier: MIT */
/* Waiting for the device: wait async, wait state. */
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "data/post.h"
#include "objects.h"
#include "qp/qp_object.h"
#include "session.h"
#include "words.h"

struct wait_args {
	struct num name, within;
	struct obj *about;
	struct qp *qp;
};

/* ----------------------------------------------------------- wait async -- */

static const struct arg async_args[] = {
	POS("event", wait_args, name, kind_enum, "name of the event", .data = async_words),
	OPT("on", wait_args, about, kind_any, "the object it is about"),
	OPT("within", wait_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

struct async_want {
	struct session *s;
	enum ibv_event_type type;
	const char *obj; /* NULL: any */
};

static struct async_event *find_async(const struct async_want *want)
{
	struct async_event *ev;

	TAILQ_FOREACH(ev, &want->s->ctx->asyncs, link)
		if (ev->type == want->type && (!want->obj || strcmp(ev->obj, want->obj) == 0))
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
		fail_row(s, "there is", "%s on %s", word_name(async_words, ev->type), ev->obj);
	return -1;
}

static int async_exec(struct session *s, const void *args, struct out *o)
{
	const struct wait_args *a = args;
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
	out_str(o, "event", word_name(async_words, ev->type), "%s",
		word_name(async_words, ev->type));
	out_str(o, "object", ev->obj, "  %s", ev->obj);
	out_text(o, "  %s\n",
		 word_help(async_words, ev->type) ? word_help(async_words, ev->type) : "");
	free(ev);
	return 0;
}

static const struct cmd_eg async_egs[] = { { "post send", "SEND" },
					   { "wait async SRQ_LIMIT_REACHED -on shared",
					     "fewer RECVs than the limit" },
					   { NULL, NULL } };

const struct cmd cmd_wait_async = {
	.name = "wait async",
	.family = "data path",
	.summary = "wait for an asynchronous event",
	.text = "Events of the device, its ports, CQs, QPs and SRQs, that no completion tells of.\n"
		"They are kept until a wait takes them, so one that came before counts too.",
	.calls = "ibv_get_async_event(3), ibv_ack_async_event(3)",
	.setup = "srq -max-wr 8 -name shared\n"
		 "post recv -srq shared -repeat 2\n"
		 "srq modify shared -limit 2\n"
		 "listen 7471 -address 10.0.0.1 -accept -srq shared\n"
		 "connect 10.0.0.1 7471\n",
	.examples = async_egs,
	.args = async_args,
	.size = sizeof(struct wait_args),
	.exec = async_exec,
};

/* ----------------------------------------------------------- wait state -- */

static const struct arg state_args[] = {
	POS("state", wait_args, name, kind_enum, "state of the QP", .data = qp_state_words),
	OPT("qp", wait_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("within", wait_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

static int state_exec(struct session *s, const void *args, struct out *o)
{
	const struct wait_args *a = args;
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

static const struct cmd_eg state_egs[] = { { "post write buf -len 8 -remote 0 -rkey 1", NULL },
					   { "wait state ERR", "ERR" },
					   { NULL, NULL } };

const struct cmd cmd_wait_state = {
	.name = "wait state",
	.family = "data path",
	.summary = "wait until a QP is in a state",
	.text = "The device is asked again and again: not every change raises an event.",
	.calls = "ibv_query_qp(3)",
	.setup = POST_SETUP,
	.examples = state_egs,
	.args = state_args,
	.size = sizeof(struct wait_args),
	.exec = state_exec,
};
