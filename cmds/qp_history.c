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

enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp->v, &attr, IBV_QP_STATE, &init))
		return qp_history_state(qp);
	if (!qp->nsteps || attr.qp_state != qp_history_state(qp))
		qp_history_add(qp, attr.qp_state, why);
	return attr.qp_state;
}
