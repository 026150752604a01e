/* SPDX-License-Identifier: MIT */
/* Both ends of a QP of this session, as far as they can be seen. */
#ifndef CMDS_PEER_END_H
#define CMDS_PEER_END_H

#include "why.h"

struct qp;
struct session;

/* Fills in both ends of the request: the QP (NULL: it is gone) becomes here; the other one is
 * looked for in this session, at its peers, and in any other process on uroce0. To be freed with
 * peer_end_forget(). */
void peer_end_look(struct session *s, struct qp *qp, struct live_qp *here, struct failed_wr *wr);
void peer_end_forget(struct failed_wr *wr);

#endif
