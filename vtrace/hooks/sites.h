/* SPDX-License-Identifier: MIT */
/* vtrace --inject-each: from where functions are called, and which instruction has ended the
 * process. */
#ifndef VTRACE_SITES_H
#define VTRACE_SITES_H

#include "shared_area.h"

/* From now on both are noted in *shared, which stays mapped. */
void sites_begin(struct shared_area *shared);

#endif
