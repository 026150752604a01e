/* SPDX-License-Identifier: MIT */
/* Regions and windows, for commands that use them. */
#ifndef CMDS_MR_H
#define CMDS_MR_H

#include <stdint.h>

struct mr;
struct mw;
struct pd;
struct qp;
struct session;

/* A region of the PD that the device may write to and no listener shares, for what a next step
 * brings here; NULL: there is none. Borrowed. */
const struct mr *mr_to_receive(struct session *s, const struct pd *pd);

/*
 * The regions to which memory windows are bound, as far as can be known here: from the post of a
 * bind on until its key is seen to be invalidated. A window of type 2 holds on to its QP, too: a
 * device may wait for the window when the QP is destroyed.
 */

/* mr NULL: to nothing. qp: of type 2, or NULL. */
void mw_bound(struct mw *mw, struct mr *mr, struct qp *qp);
/* A window of pd with this key is bound to nothing now. */
void mw_invalidated(struct session *s, const struct pd *pd, uint32_t rkey);

#endif
