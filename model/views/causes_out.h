/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CAUSES_OUT_H
#define MODEL_CAUSES_OUT_H

#include "why.h"

struct out;

/* Writes the list "causes" into the dict that is open; frees. */
void causes_out(struct causes *c, struct out *o);

/* Writes into the open dict: what failed, and the possible causes, each checked against the regions
 * and QPs that are known, as far as that can be. */
void causes_out_wc(const struct failed_wr *wr, struct out *o);

#endif
