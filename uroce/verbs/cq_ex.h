/* SPDX-License-Identifier: MIT */
/* What the two ways to create and poll a completion queue share. */
#ifndef UROCE_VERBS_CQ_EX_H
#define UROCE_VERBS_CQ_EX_H

#include "cq.h"

/* NULL with errno: EINVAL for numbers that are out of range, ENOMEM. Takes the lock. */
struct cq *cq_new(struct ibv_context *context, uint32_t cqe, void *cq_context,
		  struct ibv_comp_channel *channel, uint32_t comp_vector, struct pd *pd);
/* Takes up to n completions off, without the engine's lock: into wc, or whole into c when
 * wc is NULL. Returns how many. */
unsigned cq_take(struct cq *cq, struct completion *c, struct ibv_wc *wc, unsigned n);

/* ibv_create_cq_ex(3): an op of verbs_context. */
struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);

#endif
