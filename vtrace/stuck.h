/* SPDX-License-Identifier: MIT */
#ifndef VTRACE_STUCK_H
#define VTRACE_STUCK_H

#include <stdint.h>

struct out;
struct reader;
struct traced;
struct uroce_inventory;

/* Writes into the open dict in what calls the threads of the process are, and what is not
 * completed, not taken or not acknowledged; and the causes of which all was observed. inv: NULL if
 * its device cannot be asked; since: ticks, the last progress. */
void stuck_out(struct reader *reader, struct traced *process, const struct uroce_inventory *inv,
	       uint64_t since, struct out *o);

#endif
