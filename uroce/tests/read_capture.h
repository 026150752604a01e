/* SPDX-License-Identifier: MIT */
/* The RoCEv2 packets of a capture on Ethernet (classic pcap), for tests. */
#ifndef UROCE_TESTS_READ_CAPTURE_H
#define UROCE_TESTS_READ_CAPTURE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct captured {
	const uint8_t *ip; /* the IP header */
	size_t ip_len;	   /* of the whole IP packet */
	union ibv_gid src, dst;
	uint16_t sport, dport, ip_id;
	uint8_t tclass, hops;
	const uint8_t *data; /* the UDP payload */
	size_t len;
};

/* Reads the file; ends the program when it is none. */
void capture_open(const char *dir, const char *name);
/* The next packet to port 4791; false: that was the last. */
bool capture_next(struct captured *c);

#endif
