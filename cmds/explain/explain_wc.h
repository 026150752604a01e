/* SPDX-License-Identifier: MIT */
#ifndef CMDS_EXPLAIN_EXPLAIN_WC_H
#define CMDS_EXPLAIN_EXPLAIN_WC_H

#include "live.h"

struct candidates;

/* Adds what may have made a work request fail: each checked against the regions and QPs that are
 * known, as far as that can be. */
void explain_wc(const struct failed_wr *wr, struct candidates *c);

#endif
