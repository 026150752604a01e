/* SPDX-License-Identifier: MIT */
/*
 * Completion events on the event loop.
 *
 * An event that is not acknowledged makes ibv_destroy_cq(3) hang: each is acknowledged as
 * soon as it is taken. An event disarms its CQ; it says nothing about how many
 * completions there are.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "alloc.h"
#include "call/call_trace.h"
#include "command/cmd.h"
#include "data/cq_events.h"
#include "data/post.h"
#include "objects.h"
#include "session.h"

struct cc_watch {
	struct session *s;
	struct cc *cc;
};

static void ready(void *arg, int fd, short revents)
{
	struct cc_watch *w = arg;
	struct session *s = w->s;
	struct cc *cc = w->cc;
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

	cc->watch = xcalloc(1, sizeof *cc->watch);
	*cc->watch = (struct cc_watch){ s, cc };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_watch(s->loop, fd, POLLIN, ready, cc->watch);
}

void cc_unwatch(struct session *s, struct cc *cc)
{
	loop_unwatch(s->loop, cc->v->fd);
	free(cc->watch);
	cc->watch = NULL;
}

/* ------------------------------------------------------------------ arm -- */

int cq_arm(struct session *s, struct cq *cq, bool solicited)
{
	int err;

	if (!cq->cc) {
		fail(s, "ibv_req_notify_cq", "EINVAL",
		     "%s has no completion channel: no one would hear its event", cq->o.name);
		return fail_next(s, "cq -events, and a QP made with that CQ; or poll");
	}
	err = ibv_req_notify_cq(cq->v, solicited);
	if (err)
		return call_fail(s, err, "%s", cq->o.name);
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

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct arm_args *a = args;

	if (cq_arm(s, a->cq, a->solicited))
		return -1;
	out_str(o, NULL, a->cq->o.name, "%s armed for the next %scompletion\n", a->cq->o.name,
		a->solicited ? "solicited " : "");
	return 0;
}

static const struct cmd_eg arm_egs[] = { { "cq -events -name evq", "evq" },
					 { "arm evq", "armed" },
					 { "show evq", "armed" },
					 { NULL, NULL } };

const struct cmd cmd_arm = {
	.name = "arm",
	.family = "data path",
	.summary = "ask for an event when the next completion comes",
	.text = "One event, once: the CQ is disarmed by it. Completions that are there already\n"
		"raise none, so the safe order is arm, poll until empty, then wait. The event is\n"
		"a notice on the screen, and what wait cq waits for; wait wc does it all.",
	.calls = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.examples = arm_egs,
	.args = arm_args,
	.size = sizeof(struct arm_args),
	.exec = exec,
};
