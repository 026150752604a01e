/* SPDX-License-Identifier: MIT */
/* The ledger of posted work requests of a QP: for latency, and to say what is
 * outstanding. */
#ifndef CMDS_POSTED_H
#define CMDS_POSTED_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct posted;
struct qp;

void posted_note(struct qp *qp, const struct posted *p);
/* The QP was reset: its queues are empty. */
void posted_clear(struct qp *qp);
/* The entry a completion belongs to, marked as done with all that it retires; NULL when
 * it is not known (any more). */
const struct posted *posted_done(struct qp *qp, uint64_t wr_id, bool recv);
/* How many of a queue are not done, as far as the ledger reaches; unsignaled ones counted
 * in *silent (may be NULL). */
unsigned posted_left(const struct qp *qp, bool recv, unsigned *silent);
/* The oldest entry that is not done, or NULL. */
const struct posted *posted_oldest(const struct qp *qp, bool recv);

#endif
