/* SPDX-License-Identifier: MIT */
/*
 * The packets of the traced processes on uroce0: each writes them to a file of its own
 * (UROCE_PCAP), which is read while it grows, and takes no more room than what has not been read.
 */
#ifndef VTRACE_CAPTURES_H
#define VTRACE_CAPTURES_H

#include "decode.h"

struct captures;

/* For programs that are started from now on. NULL: UROCE_PCAP is set, and is the user's; or, with
 * errno, there is no place for the files. */
struct captures *captures_begin(void);
/* Tells of the packets that were written since the last time; out: sent, else received; when:
 * CLOCK_REALTIME, ns; fate: what a fault has done to it, or "". */
typedef void captures_fn(void *arg, int pid, const struct decoded *d, bool out, int64_t when,
			 const char *fate);
void captures_read(struct captures *c, captures_fn *fn, void *arg);
/* Removes the files; c may be NULL. */
void captures_end(struct captures *c);

#endif
