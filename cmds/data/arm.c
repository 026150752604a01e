/* SPDX-License-Identifier: MIT */
/* arm: ibv_req_notify_cq(3). */
#include "call/call_trace.h"
#include "command/cmd.h"
#include "data/arm.h"
#include "data/post.h"
#include "session.h"

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
