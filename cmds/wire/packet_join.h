/* SPDX-License-Identifier: MIT */
/* Which work request a packet belongs to: requests say so themselves, responses by their PSN. */
#ifndef CMDS_PACKET_JOIN_H
#define CMDS_PACKET_JOIN_H

#include <stdbool.h>
#include <stdint.h>

struct decoded;

#define JOIN_REQUESTS 4096 /* as far back as a response is looked for */

struct packet_join {
	struct join_request {
		uint32_t qpn, dest_qpn, psn;
		uint64_t wr_id;
	} requests[JOIN_REQUESTS]; /* a ring */
	unsigned n;
};

/* A request of a work request has been sent by a QP of ours. */
void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id);
/* The request that a packet is, at its receiver in the same process, or that it answers. False:
 * not known. */
bool join_find(const struct packet_join *j, const struct decoded *d, uint32_t *qpn,
	       uint64_t *wr_id);

#endif
