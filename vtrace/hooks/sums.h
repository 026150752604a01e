/* SPDX-License-Identifier: MIT */
/* vtrace --check: sums of the memory that requests send. When a request has completed, its memory
 * is looked at again, and if it has changed since it was posted, that is noted
 * (SHARED_CHANGED_ROW). */
#ifndef VTRACE_SUMS_H
#define VTRACE_SUMS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "call_record.h"

/* Are they kept in this process? Everything below does nothing otherwise. */
extern bool sums_are_kept;

/* The call may have moved a QP to RESET, which has no requests; made: it has made that one. */
void sums_learn(const struct call_fn *fn, const uint64_t *args, const struct ibv_qp *made);

/* Before and after ibv_post_send(). */
void sums_keep(struct ibv_qp *qp, const struct ibv_send_wr *wr);
void sums_drop(struct ibv_qp *qp);
/* A poll made at that place has found n completions. */
void sums_compare(struct ibv_context *context, int n, const struct ibv_wc *wc,
		  struct record_from from);

static inline void sums_post(struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	if (sums_are_kept)
		sums_keep(qp, wr);
}

/* After a post that was refused, or not as a whole, nothing of the queue is compared any more. */
/* The same of a request that is built: ibv_wr_start() or ibv_wr_abort(), a request, which sends
 * memory or does not, its SGEs, and ibv_wr_complete(). */
void sums_begin(struct ibv_qp_ex *qp);
void sums_add_request(struct ibv_qp_ex *qp, bool sends);
void sums_add_sge(struct ibv_qp_ex *qp, uint64_t addr, uint32_t length);
void sums_keep_built(struct ibv_qp_ex *qp);
/* ibv_start_poll() or ibv_next_poll() has found a completion. */
void sums_compare_ex(struct ibv_cq_ex *cq, struct record_from from);

static inline void sums_build(struct ibv_qp_ex *qp)
{
	if (sums_are_kept)
		sums_begin(qp);
}

static inline void sums_build_request(struct ibv_qp_ex *qp, bool sends)
{
	if (sums_are_kept)
		sums_add_request(qp, sends);
}

static inline void sums_build_sge(struct ibv_qp_ex *qp, uint64_t addr, uint32_t length)
{
	if (sums_are_kept)
		sums_add_sge(qp, addr, length);
}

static inline void sums_build_sges(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *sge)
{
	for (size_t i = 0; sums_are_kept && i < n; i++)
		sums_add_sge(qp, sge[i].addr, sge[i].length);
}

static inline void sums_built(struct ibv_qp_ex *qp)
{
	if (sums_are_kept)
		sums_keep_built(qp);
}

static inline void sums_polled_ex(struct ibv_cq_ex *cq, int err, struct record_from from)
{
	if (sums_are_kept && !err)
		sums_compare_ex(cq, from);
}

static inline void sums_posted(struct ibv_qp *qp, int err)
{
	if (sums_are_kept && err)
		sums_drop(qp);
}

static inline void sums_polled(struct ibv_context *context, int n, const struct ibv_wc *wc,
			       struct record_from from)
{
	if (sums_are_kept && n > 0)
		sums_compare(context, n, wc, from);
}

#endif
