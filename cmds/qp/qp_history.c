/* SPDX-License-Identifier: MIT */
/* What became of a QP: the record has its states. */
#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "data/posted.h"
#include "objects.h"
#include "own_rows.h"
#include "qp/qp_history.h"
#include "words.h"

/* meant: somebody asked for it. */
static void note(struct qp *qp, enum ibv_qp_state state, const char *why, bool meant)
{
	own_state(qp, qp->has_state ? (int)qp->state : -1, state, why,
		  (state == IBV_QPS_ERR || state == IBV_QPS_SQE) && !meant);
	qp->state = state;
	qp->has_state = true;
	if (state == IBV_QPS_RESET)
		posted_clear(qp);
}

void qp_history_begin(struct qp *qp)
{
	note(qp, IBV_QPS_RESET, "created", true);
}

unsigned qp_history_steps(const struct qp *qp, struct qp_step steps[QP_STEPS])
{
	struct record_walk w = { .path = RECORD_CONTROL };
	unsigned n = 0;
	bool made = false;

	while (n < QP_STEPS && !made && record_back(&w)) {
		struct qp_step *step = &steps[QP_STEPS - 1 - n];

		if (row_of(&w.r) != OWN_STATE || w.r.args[0] != (uintptr_t)qp->v)
			continue;
		*step = (struct qp_step){ .when = record_realtime(w.r.begin),
					  .state = (enum ibv_qp_state)w.r.args[2] };
		snprintf(step->why, sizeof step->why, "%s", (const char *)(uintptr_t)w.r.args[3]);
		made = (int)w.r.args[1] < 0;
		n++;
	}
	memmove(steps, steps + QP_STEPS - n, n * sizeof *steps);
	return n;
}

enum ibv_qp_state qp_history_state(const struct qp *qp)
{
	return qp->has_state ? qp->state : IBV_QPS_RESET;
}

/* Drivers of iWARP do not all tell the state (siw): RESET is then only what was not
 * filled in, and what the connection manager did is what is known. */
static bool untold(const struct qp *qp, enum ibv_qp_state state)
{
	return state == IBV_QPS_RESET && qp->pd->dev->iwarp &&
	       qp_history_state(qp) != IBV_QPS_RESET;
}

static enum ibv_qp_state sync(struct qp *qp, const char *why, bool meant)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err;

	record_aside(1);
	err = ibv_query_qp(qp->v, &attr, IBV_QP_STATE, &init);
	record_aside(-1);
	if (err || untold(qp, attr.qp_state))
		return qp_history_state(qp);
	if (!qp->has_state || attr.qp_state != qp->state)
		note(qp, attr.qp_state, why, meant);
	return attr.qp_state;
}

enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why)
{
	enum ibv_qp_state state = sync(qp, why, meant == IBV_QPS_ERR);

	if (qp->pd->dev->iwarp && state != meant) {
		note(qp, meant, why, true);
		state = meant;
	}
	return state;
}

enum ibv_qp_state qp_history_asked(struct qp *qp, const char *why)
{
	return sync(qp, why, true);
}

enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why)
{
	return sync(qp, why, false);
}
