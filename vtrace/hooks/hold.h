/* SPDX-License-Identifier: MIT */
/*
 * The thread whose call has failed waits: with vtrace --stop-on until somebody has looked at it;
 * and on uroce0 a moment, until vtrace has asked the peer of a completion that is an error, before
 * either end has gone on.
 */
#ifndef VTRACE_HOLD_H
#define VTRACE_HOLD_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "shared_area.h"

/* From now on calls are judged, if shared says so. Both stay mapped. */
void hold_begin(struct shared_area *shared, struct shared_process *process);
/* After fork(): the child is another process. */
void hold_forget(void);

/* Is the peer asked? */
extern bool hold_looks;
void hold_until_looked_at(void);

static inline bool hold_is_worth(enum ibv_wc_status status)
{
	return status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR;
}

/* A poll has found n. */
static inline void hold_to_look(int n, const struct ibv_wc *wc)
{
	for (int i = 0; hold_looks && i < n; i++)
		if (hold_is_worth(wc[i].status)) {
			hold_until_looked_at();
			break;
		}
}

/* A poll of an extended CQ has found one, if err is 0. */
static inline void hold_to_look_ex(int err, const struct ibv_cq_ex *cq)
{
	if (hold_looks && !err && hold_is_worth(cq->status))
		hold_until_looked_at();
}

#endif
