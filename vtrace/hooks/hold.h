/* SPDX-License-Identifier: MIT */
/* Holds the thread whose call has failed: with vtrace --stop-on until the user lets it go on; on
 * uroce0, after a completion that is an error, until vtrace has asked the peer's process, so that
 * both ends are still as they were. */
#ifndef VTRACE_HOLD_H
#define VTRACE_HOLD_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "shared_area.h"

/* From now on failed calls hold their thread, if shared says so. Both stay mapped. */
void hold_begin(struct shared_area *shared, struct shared_process *process);
/* In the child of fork(), which is not traced yet. */
void hold_forget(void);

/* Does a completion that is an error hold its thread? */
extern bool hold_looks;
void hold_until_looked_at(void);

static inline bool hold_is_worth(enum ibv_wc_status status)
{
	return status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR;
}

/* After a poll that has found n completions. */
static inline void hold_to_look(int n, const struct ibv_wc *wc)
{
	for (int i = 0; hold_looks && i < n; i++)
		if (hold_is_worth(wc[i].status)) {
			hold_until_looked_at();
			break;
		}
}

/* After a poll of an extended CQ, which has found a completion if err is 0. */
static inline void hold_to_look_ex(int err, const struct ibv_cq_ex *cq)
{
	if (hold_looks && !err && hold_is_worth(cq->status))
		hold_until_looked_at();
}

#endif
