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

/* Are they kept in this process? All but sums_ask_flags() does nothing otherwise. */
extern bool sums_are_kept;
/* Does sums_ask_flags() do anything? */
extern bool sums_flags_are_asked;

/* The call may have moved a QP to RESET, which has no requests; made: it has made that one. */
void sums_learn(const struct call_fn *fn, const uint64_t *args, const struct ibv_qp *made);

/* Before and after ibv_post_send(). After a post that was refused, or not as a whole, nothing of
 * the queue is compared any more. */
void sums_post(struct ibv_qp *qp, const struct ibv_send_wr *wr);
void sums_posted(struct ibv_qp *qp, int err);
/* The same of a request that is built: ibv_wr_start() or ibv_wr_abort(), a request, which sends
 * memory or does not, its SGEs, and ibv_wr_complete(). */
void sums_build(struct ibv_qp_ex *qp);
void sums_build_request(struct ibv_qp_ex *qp, bool sends);
void sums_build_sges(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *sge);
void sums_built(struct ibv_qp_ex *qp);
/* A poll made at that place has found n completions; ibv_start_poll() or ibv_next_poll() one. */
void sums_polled(struct ibv_context *context, int n, const struct ibv_wc *wc,
		 struct record_from from);
void sums_polled_ex(struct ibv_cq_ex *cq, int err, struct record_from from);
/* ibv_wc_read_imm_data() is called there: notes that the completion has none. */
void sums_ask_flags(struct ibv_cq_ex *cq, struct record_from from);

#endif
