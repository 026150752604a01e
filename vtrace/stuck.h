/* SPDX-License-Identifier: MIT */
#ifndef VTRACE_STUCK_H
#define VTRACE_STUCK_H

#include <stdint.h>

struct causes;
struct live_program;
struct out;
struct record;
struct uroce_inventory;

struct stuck {
	const struct live_program *p;
	const struct uroce_inventory *inv; /* NULL: the device cannot be asked */
	uint64_t now;			   /* ticks */
	struct out *o;
	struct causes *c;
};

/* Writes a dict into the open list: the call in which a thread is, and for how long. */
void stuck_thread(struct out *o, const struct live_program *p, const struct record *r,
		  uint64_t now);
/* Writes what is not completed, not taken or not acknowledged into the open dict: "objects"; and
 * the causes of which all was observed. */
void stuck_objects(const struct live_program *p, const struct uroce_inventory *inv, uint64_t now,
		   struct out *o);

#endif
