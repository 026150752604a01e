/* SPDX-License-Identifier: MIT */
/* The packets of the traced processes on uroce0. Each process writes them to a file of its own
 * (UROCE_PCAP). It is read while it grows, and what was read is given back to the file system. */
#ifndef VTRACE_CAPTURES_H
#define VTRACE_CAPTURES_H

#include "decode.h"

struct captures;

/* Captures the packets of programs that are started from now on. NULL: UROCE_PCAP is set already,
 * by the user; or, with errno, the files cannot be created. */
struct captures *captures_begin(void);
/* Calls fn for each packet that was written since the last time. out: sent, else received; when:
 * CLOCK_REALTIME, ns; fate: what a fault has done to the packet, or "". */
typedef void captures_fn(void *arg, int pid, const struct decoded *d, bool out, int64_t when,
			 const char *fate);
void captures_read(struct captures *c, captures_fn *fn, void *arg);
/* Removes the files; c may be NULL. */
void captures_end(struct captures *c);

#endif
