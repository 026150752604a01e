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
/* The call may have made, moved or destroyed a QP; made: the QP that it has made, or NULL. */
void failing_learn(const struct call_fn *fn, const uint64_t *args, struct ibv_qp *made);
void failing_note_post(const struct ibv_qp *qp, const struct ibv_send_wr *wr);
void failing_change(const struct ibv_context *context, int n, struct ibv_wc *wc);
/* Completions are read in place, and cannot be changed. */
void failing_refuse(enum fault_refusal why);

static inline void failing_posted(const struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	if (failing_is_on)
		failing_note_post(qp, wr);
}

static inline void failing_polled(const struct ibv_context *context, int n, struct ibv_wc *wc)
{
	if (failing_is_on && n > 0)
		failing_change(context, n, wc);
}

static inline void failing_polled_ex(void)
{
	if (failing_is_on)
		failing_refuse(FAULT_REFUSED_EX);
}

#endif
