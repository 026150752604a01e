/* SPDX-License-Identifier: MIT */
/* The other end of a QP of this session, as far as it can be seen. */
#ifndef CMDS_PEER_END_H
#define CMDS_PEER_END_H

#include "why.h"

struct qp;
struct session;

/* Looks for the QP that is connected with this one, of which here has the attributes: in this
 * session, at its peers, and in any other process on uroce0. To be freed with peer_end_free(). */
struct live_end peer_end_find(struct session *s, const struct qp *qp, const struct live_qp *here);
void peer_end_free(struct live_end *e);

#endif
