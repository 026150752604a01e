/* SPDX-License-Identifier: MIT */
/* The model of this session (model/state): what its own calls have posted, and what is done of it.
 * It learns from each call when that returns, so nothing is lost when a ring of the record is full.
 */
#ifndef CMDS_OWN_MODEL_H
#define CMDS_OWN_MODEL_H

#include "live_program.h"

struct mr;
struct qp;

/* To be called once, before the first call. commands: the number of the command that calls, which
 * the model keeps as the place of the call. */
void own_model_begin(const unsigned long *commands);

struct checks;
/* Applies the rules to each call from now on; NULL: no longer. */
void own_model_check(struct checks *c);

/* The whole model; valid until the next call. */
const struct live_program *own_model(void);

struct causes;

/* Why the last call that has failed was refused, as far as its arguments, the objects and the
 * device's limits tell. Valid until the next call. */
const struct causes *own_refusal(void);

/* The region as it is registered now, under the name that the model has for it. Valid until the
 * next call. */
const struct live_region *own_region(const struct mr *mr);

struct outstanding {
	unsigned n;			/* requests that are not done */
	unsigned unsignaled;		/* of them */
	uint64_t had;			/* all that were posted since the queue was last emptied */
	const struct posted_wr *oldest; /* NULL: n is 0; valid until the next call */
};
/* Of an SRQ none: which QP takes what it was given is not known before. */
struct outstanding own_outstanding(const struct qp *qp, bool recv);
/* The completion i of the last ibv_poll_cq() that has found any, with its request; NULL: that poll
 * has not found this completion. Valid until the next such poll. */
const struct live_wc *own_completion(unsigned i, const struct ibv_wc *wc);

#endif
