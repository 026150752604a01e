/* SPDX-License-Identifier: MIT */
/* What became of a QP: the last states, in a ring. */
#include <time.h>

#include "objects.h"
#include "posted.h"
#include "qp_history.h"

void qp_history_add(struct qp *qp, enum ibv_qp_state state, const char *why)
{
	struct qp_step *step = &qp->steps[qp->nsteps++ % QP_STEPS];
	struct timespec now;

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

	if (ibv_query_qp(qp->v, &attr, IBV_QP_STATE, &init) || untold(qp, attr.qp_state))
		return qp_history_state(qp);
	if (!qp->nsteps || attr.qp_state != qp_history_state(qp))
		qp_history_add(qp, attr.qp_state, why);
	return attr.qp_state;
}
