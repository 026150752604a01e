/* SPDX-License-Identifier: MIT */
/* What became of a QP: the last states, in a ring. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "call_record.h"
#include "chronicle.h"
#include "objects.h"
#include "posted.h"
#include "qp_history.h"
#include "words.h"

/* To ERR without a failure: at the end of a connection, or because it was asked for. */
static bool is_meant(const char *why)
{
	return strcasestr(why, "disconnect") || strcmp(why, "modify-qp") == 0;
}

static void note(const struct qp *qp, enum ibv_qp_state state, const char *why)
{
	struct chronicle_entry e = {
		.kind = CHRONICLE_STATE,
		.bad = (state == IBV_QPS_ERR || state == IBV_QPS_SQE) && !is_meant(why),
		.result = (char *)why,
	};
	char text[96];

	if (!chronicle_is_on)
		return;
	snprintf(e.name, sizeof e.name, "%s", qp->o.name);
	if (qp->nsteps)
		snprintf(text, sizeof text, "%s %s -> %s", qp->o.name,
			 word_name(qp_state_words, qp_history_state(qp)),
			 word_name(qp_state_words, state));
	else
		snprintf(text, sizeof text, "%s %s", qp->o.name, word_name(qp_state_words, state));
	e.text = text;
	chronicle_note(&e);
}

void qp_history_add(struct qp *qp, enum ibv_qp_state state, const char *why)
{
	struct qp_step *step;
	struct timespec now;

	note(qp, state, why);
	step = &qp->steps[qp->nsteps++ % QP_STEPS];
	clock_gettime(CLOCK_REALTIME, &now);
	step->when = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	step->state = state;
	step->why = why;
	if (state == IBV_QPS_RESET)
		posted_clear(qp); /* the queues are empty */
}

enum ibv_qp_state qp_history_state(const struct qp *qp)
{
	return qp->nsteps ? qp->steps[(qp->nsteps - 1) % QP_STEPS].state : IBV_QPS_RESET;
}

/* Drivers of iWARP do not all tell the state (siw): RESET is then only what was not
 * filled in, and what the connection manager did is what is known. */
static bool untold(const struct qp *qp, enum ibv_qp_state state)
{
	return state == IBV_QPS_RESET && qp->pd->dev->iwarp &&
	       qp_history_state(qp) != IBV_QPS_RESET;
}

enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why)
{
	enum ibv_qp_state state = qp_history_sync(qp, why);

	if (qp->pd->dev->iwarp && state != meant) {
		qp_history_add(qp, meant, why);
		state = meant;
	}
	return state;
}

enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	int err;

	record_aside(1);
	err = ibv_query_qp(qp->v, &attr, IBV_QP_STATE, &init);
	record_aside(-1);
	if (err || untold(qp, attr.qp_state))
		return qp_history_state(qp);
	if (!qp->nsteps || attr.qp_state != qp_history_state(qp))
		qp_history_add(qp, attr.qp_state, why);
	return attr.qp_state;
}
