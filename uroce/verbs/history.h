/* SPDX-License-Identifier: MIT */
/* When and why QPs and CQs came to be as they are, and which packets were dropped: what inventory.h
 * tells beside the objects. All of it runs with the engine's lock. */
#ifndef UROCE_HISTORY_H
#define UROCE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "inventory.h"

struct cq;
struct packet;
struct qp;

/* Of a QP, since it was made. */
struct qp_history {
	struct uroce_change
		changes[UROCE_CHANGES]; /* a ring: n % UROCE_CHANGES is the next place */
	uint32_t n;			/* ever */
	uint32_t retries, rnrs;		/* of the oldest request */
	uint64_t retry_first, retry_last;
	uint32_t rnrs_sent;
	uint64_t rnr_sent_last;
	struct uroce_refusal refusal;
};

/* The QP has gone from a state to another, which attr has already; why: its cause, value, wr_id,
 * psn and opcode. */
void history_changed(struct qp *qp, enum ibv_qp_state from, const struct uroce_change *why);
/* The oldest request is about to be repeated, or waits because of an RNR NAK. */
void history_retried(struct qp *qp, bool rnr);
/* Another request is the oldest one. */
void history_advanced(struct qp *qp);
/* The QP refuses the packet, a request of the peer. */
void history_refused(struct qp *qp, const struct packet *p, enum uroce_refused refused);
void history_rnr_sent(struct qp *qp);
/* A completion has not fitted. */
void history_lost(struct cq *cq, const struct ibv_wc *wc);
void history_destroyed(const struct qp *qp);

/* Counts a packet that is dropped (link/counters.h), and keeps its row. qp NULL: it is for none.
 * has and wants: see enum uroce_dropped. */
void history_dropped(struct qp *qp, const struct packet *p, enum uroce_dropped dropped,
		     uint32_t has, uint32_t wants);

/* Writes the newest changes to row, the oldest of them first, and what else of the history it has.
 */
void history_tell_qp(const struct qp *qp, struct uroce_qp_row *row);
/* Calls fn for each row, the oldest first. */
void history_each_gone(void (*fn)(const struct uroce_gone_row *row, void *arg), void *arg);
void history_each_drop(void (*fn)(const struct uroce_drop_row *row, void *arg), void *arg);
/* After fork(), in the child: what there was is the parent's. */
void history_forget(void);

#endif
