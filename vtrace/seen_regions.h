/* SPDX-License-Identifier: MIT */
/* The memory regions that a traced program has had. */
#ifndef VTRACE_SEEN_REGIONS_H
#define VTRACE_SEEN_REGIONS_H

#include "explain/live_end.h"

struct record;
struct record_objects;

/* All zero: none. v and at are to be freed. */
struct seen_regions {
	struct live_region *v; /* all that there were, but for some that are long gone */
	uint64_t *at;	       /* the address of each */
	unsigned n;
};

/* The call r has made the one at that address. */
void seen_regions_add(struct seen_regions *s, const struct record *r, uint64_t address,
		      struct record_objects *objects);
void seen_regions_gone(struct seen_regions *s, uint64_t address);

/* What the program calls the object that was at address then; "" if that is not known. */
void seen_name(struct record_objects *objects, uint64_t address, uint64_t when,
	       char name[LIVE_NAME]);

#endif
