/* SPDX-License-Identifier: MIT */
/*
 * XRC: any QP of a peer reaches any SRQ of a domain. ibv_open_xrcd(3); volume 1, annex A14.
 *
 * A QP of type XRC_RECV has no PD, no CQ and no SRQ of its own: each request names a SRQ, and
 * the QP takes on that one, with its CQ and PD, before the request is carried out.
 */
#ifndef UROCE_VERBS_XRC_H
#define UROCE_VERBS_XRC_H

#include "qp.h"

struct xrc_domain;

/* A handle of a domain: those opened with one file share the domain. */
struct xrcd {
	struct ibv_xrcd v;
	struct xrc_domain *domain;
	unsigned users; /* SRQs and QPs */
};

static inline struct xrcd *to_xrcd(struct ibv_xrcd *x)
{
	return (struct xrcd *)x;
}

/* Gives an SRQ of type XRC its number; the lock is held. srq->xrcd is set. */
void xrc_srq_enter(struct srq *srq);
/* The SRQ goes: no QP has it any more. */
void xrc_srq_leave(struct srq *srq);

/* The QP, of type XRC_RECV, takes on the SRQ with that number; same: it has to be the one that
 * it has. False: there is none in its domain, or it is another one. */
bool xrc_take_on(struct qp *qp, uint32_t srqn, bool same);
/* Takes on no more than its PD, to look up a key. False: there is no such SRQ any more. */
bool xrc_take_pd(struct qp *qp, uint32_t srqn);

#endif
