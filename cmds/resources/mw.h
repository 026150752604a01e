/* SPDX-License-Identifier: MIT */
/*
 * What memory windows are bound to, as far as can be known here: from the post of a bind on
 * until its key is seen to be invalidated. A window of type 2 holds on to its QP, too: a
 * device may wait for the window when the QP is destroyed.
 */
#ifndef CMDS_MW_H
#define CMDS_MW_H

#include "objects.h"

/* mr NULL: to nothing. qp: of type 2, or NULL. */
void mw_bound(struct session *s, struct mw *mw, struct mr *mr, struct qp *qp);
/* A window of pd with this key is bound to nothing now. */
void mw_invalidated(struct session *s, const struct pd *pd, uint32_t rkey);

#endif
