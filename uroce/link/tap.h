/* SPDX-License-Identifier: MIT */
/* The tap shows packets to the program, and writes them to a file: uroce_tap(), uroce_capture(). */
#ifndef UROCE_TAP_H
#define UROCE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet.h"
#include "uroce.h"

extern bool tap_on; /* false: tap() need not be called */

/* Shows the UDP payload data[0..n) with the IP and UDP headers that it has on the wire.
 * addresses: those headers, and for a packet that is sent its work request; fate: as in struct
 * uroce_packet. */
void tap(enum uroce_direction dir, const char *fate, const struct packet *addresses,
	 const uint8_t *data, uint32_t n, uint16_t ip_id);

/* Does what uroce_capture() does, with the lock held. append: continues a capture that exists
 * (EEXIST: the file is no capture); %p in the name is replaced by the process id. */
int tap_capture(const char *file, bool append);
/* After fork(). */
void tap_forget(void);

/* -------------------------------------------------------------- pcapng.c -- */

/*
 * Capture files of the format pcapng (draft-ietf-opsawg-pcapng): raw IP packets with
 * nanoseconds and directions.
 */

/* Opens the file, which only this user may read, and begins a section. append: adds the section to
 * a pcapng file that exists: several processes may write to one file. interface: its name in the
 * file. Returns a descriptor, or -1 with errno; EEXIST: the file has another format. */
int pcapng_open(const char *path, const char *interface, bool append);
/* Writes a packet in one system call: all of it is in the file, or nothing. 0, or -1 with errno. */
int pcapng_write(int fd, const struct uroce_packet *p);

#endif
