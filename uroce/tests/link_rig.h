/* SPDX-License-Identifier: MIT */
/*
 * For tests of packets out and in: the sockets of one process, in a network of its own that has
 * nothing but lo; and what is above the link, which remembers what it was given.
 */
#ifndef UROCE_TESTS_LINK_RIG_H
#define UROCE_TESTS_LINK_RIG_H

#include <infiniband/verbs.h>

#include "mad.h"
#include "packet.h"

/* Enters the network and opens the sockets; ends the test (77) where that is not allowed. */
void link_open(void);
/* Waits until something has arrived; ends the test after some seconds without. */
void await_readable(int fd);
/* The MTU of lo. */
void set_lo_mtu(int mtu);
/* An IPv4 address (mapped) or IPv6 address. */
union ibv_gid gid_of_text(const char *text);

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
