/* SPDX-License-Identifier: MIT */
/*
 * What the environment asks of the link: UROCE_FAULT, UROCE_FAULT_SEED, UROCE_PCAP,
 * UROCE_GSO and UROCE_PATH.
 */
#ifndef UROCE_LINK_SETUP_H
#define UROCE_LINK_SETUP_H

#include <stddef.h>

/* Called by engine_get(), with the lock, when it brings the device up, after group_join().
 * Faults and capture of the environment are looked at the first time, and do not undo what
 * the program has set since. 0, or -1 with errno and a reason (of size bytes): a word of
 * UROCE_FAULT that is none, a file that cannot be written. */
int link_setup(char *reason, size_t size);
/* After fork(): the child has none of the packets that wait, no faults and no capture, but
 * those of the environment with the next link_setup(). */
void link_forget(void);

#endif
