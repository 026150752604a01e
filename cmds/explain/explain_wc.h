/* SPDX-License-Identifier: MIT */
#ifndef CMDS_EXPLAIN_EXPLAIN_WC_H
#define CMDS_EXPLAIN_EXPLAIN_WC_H

#include "candidates.h"
#include "objects.h"

/* Replays a work request that completed with an error against the regions and QPs there are
 * now: what could be checked of its causes. */
void explain_wc(struct session *s, const struct bad_wc *bad, struct candidates *c);

#endif
