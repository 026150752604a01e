/* SPDX-License-Identifier: MIT */
/* What a device has counted: the port's and the driver's counters under one roof. */
#ifndef CMDS_TALLY_H
#define CMDS_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct dev;
struct session;

struct tally {
	size_t n;
	struct tally_row {
		char name[64];
		uint64_t value;
	} rows[128];
};

/* Reads all counters of a port into t, the first of them those of the driver
 * (ports/N/hw_counters in sysfs; on the embedded device its own), then those of the port
 * (ports/N/counters), each sorted by name. -1 with s->fail filled. */
int tally_read(struct session *s, const struct dev *dev, unsigned port, struct tally *t);
/* The value of a name in t, or 0. */
uint64_t tally_value(const struct tally *t, const char *name);

#endif
