/* SPDX-License-Identifier: MIT */
/* What queue pairs stand on, for tests of them alone: CQs, events, regions and transport. Each fake
 * remembers what it was asked. The addresses: 192.0.2.1 and fe80::1 (GID indices 0 and 3) on eth0,
 * 127.0.0.1 (1) on lo. */
#ifndef UROCE_TESTS_FAKE_BELOW_QP_H
#define UROCE_TESTS_FAKE_BELOW_QP_H

#include "completion_queue.h"
#include "gid.h"
#include "queue_pair.h"
#include "region.h"
#include "rig.h"

#define WCS 64

extern struct fake {
	unsigned runs;		     /* requester_run() */
	bool working;		     /* requester_run() takes what was posted off the queue */
	int lifetime;		     /* rx_want_lifetime() */
	bool no_answers;	     /* ENOMEM */
	unsigned entered, forgotten; /* transport_enter(), transport_forget() */
	uint32_t forgotten_peer;     /* dest_qp_num at the last transport_forget() */
	enum ibv_qp_state from, to;  /* the last transport_enter() */
	unsigned answers;	     /* the last responses_resize() */
	struct ibv_wc wc[WCS];	     /* cq_put() */
	struct cq *wc_cq[WCS];
	unsigned wcs, purged; /* cq_purge() */
	uint32_t purged_qpn;
	const struct srq *limit; /* event_srq(IBV_EVENT_SRQ_LIMIT_REACHED) */
	unsigned limits;
	const void *drained; /* event_drain() */
	unsigned purged_when_drained;
	struct qp *unbound; /* region_forget_qp() */
} fake;

extern struct context fake_context;
extern struct pd fake_pd;
extern struct cq fake_cq[2];

/* As it is at the beginning of a test. */
void fake_reset(void);
/* With room for four requests of two SGEs each; send_ops 0: plain. */
struct qp *fake_qp(enum ibv_qp_type type, struct srq *srq, uint64_t send_ops);
/* Puts it there without asking. */
void fake_state(struct qp *qp, enum ibv_qp_state state);
/* An address vector for that GID index, to itself. */
struct ibv_ah_attr fake_av(uint8_t index);

#endif
