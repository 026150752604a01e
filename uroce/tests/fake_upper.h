/* SPDX-License-Identifier: MIT */
/* What is above the link: remembers what it was given. */
#ifndef UROCE_TESTS_FAKE_UPPER_H
#define UROCE_TESTS_FAKE_UPPER_H

#include "mad.h"
#include "packet.h"

#define UPPER_MAX 512

struct upper {
	unsigned n;
	struct packet p[UPPER_MAX];		   /* payload is NULL */
	uint8_t first[UPPER_MAX], last[UPPER_MAX]; /* bytes of the payload */
};

extern struct upper upper_packets; /* transport_input() */

extern struct upper_mads {
	unsigned routed, input, lost;
	struct mad_from from; /* of the last */
	uint8_t mad[MAD_BYTES];
} upper_mads;

void upper_reset(void);

#endif
