/* SPDX-License-Identifier: MIT */
/* vtrace --stop-on: the thread whose call has failed waits, so that somebody can look at it. */
#ifndef VTRACE_HOLD_H
#define VTRACE_HOLD_H

#include "shared_area.h"

/* From now on calls are judged, if shared says so. Both stay mapped. */
void hold_begin(struct shared_area *shared, struct shared_process *process);

#endif
