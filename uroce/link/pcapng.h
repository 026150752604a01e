/* SPDX-License-Identifier: MIT */
/*
 * Capture files of the format pcapng (draft-ietf-opsawg-pcapng): raw IP packets with
 * nanoseconds and directions.
 */
#ifndef UROCE_LINK_PCAPNG_H
#define UROCE_LINK_PCAPNG_H

#include <stdbool.h>

#include "uroce.h"

/* Makes the file, for this user alone, and begins a section. append: adds to a pcapng file
 * that is there, as a section more: several processes may write one file. interface: its name
 * in the file. A descriptor, or -1 with errno; EEXIST: the file is of another format. */
int pcapng_open(const char *path, const char *interface, bool append);
/* One system call: all of the packet is in the file, or nothing. 0, or -1 with errno. */
int pcapng_write(int fd, const struct uroce_packet *p);

#endif
