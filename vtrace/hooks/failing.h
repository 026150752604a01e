/* SPDX-License-Identifier: MIT */
/* vtrace --inject wc:status=RETRY_EXC_ERR on devices that know no such rules: a request that has
 * succeeded is said to have got no answer. Its QP goes to ERR, and later requests, which may have
 * succeeded as well, are flushed until it is in RESET. The peer has received what was sent, as it
 * does when the answer is lost. */
#ifndef VTRACE_FAILING_H
#define VTRACE_FAILING_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "fault_rule.h"

struct call_fn;

/* Are there such rules? Everything below does nothing otherwise. */
extern bool failing_is_on;

/* The rules of this process from now on, which must stay. */
void failing_set(struct fault_rule *rules, unsigned n);
/* In the child of fork(). */
void failing_forget(void);
/* The call may have made, moved or destroyed a QP; made: the QP that it has made, or NULL. */
void failing_learn(const struct call_fn *fn, const uint64_t *args, struct ibv_qp *made);
void failing_note_request(const struct ibv_qp *qp, unsigned flags);
void failing_change(const struct ibv_context *context, int n, struct ibv_wc *wc);
/* Completions are read in place, and cannot be changed. */
void failing_refuse_ex(void);

static inline void failing_posted(const struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	for (; failing_is_on && wr; wr = wr->next)
		failing_note_request(qp, wr->send_flags);
}

static inline void failing_built(const struct ibv_qp_ex *qp)
{
	if (failing_is_on)
		failing_note_request(&qp->qp_base, qp->wr_flags);
}

static inline void failing_polled(const struct ibv_context *context, int n, struct ibv_wc *wc)
{
	if (failing_is_on && n > 0)
		failing_change(context, n, wc);
}

static inline void failing_polled_ex(int err)
{
	if (failing_is_on && !err)
		failing_refuse_ex();
}

#endif
