/* SPDX-License-Identifier: MIT */
#ifndef CMDS_EXPLAIN_EXPLAIN_WC_H
#define CMDS_EXPLAIN_EXPLAIN_WC_H

#include "explain/live_end.h"

struct out;

/* Into the dict that is open: what failed, and the candidates for why, each checked against the
 * regions and QPs that are known, as far as that can be. */
void explain_wc(const struct failed_wr *wr, struct out *o);

#endif
