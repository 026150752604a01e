/* SPDX-License-Identifier: MIT */
/* Decoded packets as values and lines, and joined to their work requests. */
#ifndef CMDS_PACKETS_H
#define CMDS_PACKETS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/posted.h"
#include "decode.h"

struct out;

/* The IP packet in a frame of a capture; *n: its length there, and what is left of it. NULL: no
 * IP, or a link type (pcap_datalink(3)) that is not known. */
const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n);
/* "10.0.0.1 > 10.0.0.2" of a packet, kept until the next call. */
const char *packet_ends(const struct decoded *d);
/* States addresses and fields as values; with text also each field as a line. */
void packet_out(struct out *o, const struct decoded *d, bool text);

/*
 * Which work request a packet belongs to. A request of the embedded device says so itself; that
 * of another is found among what was posted. Responses are joined to requests by their PSN.
 */

struct decoded;
struct session;

#define JOIN_REQUESTS 4096 /* as far back as a response is looked for */
#define JOIN_QPS      64   /* of which the work request found last is known */

struct packet_join {
	struct posted_place begun; /* what was posted before is not looked for */
	struct join_request {
		union ibv_gid src, dst;
		uint32_t qpn, dest_qpn, psn;
		uint64_t qp; /* serial of the object; 0: the only one with that number */
		bool known;  /* false: no wr_id, as of what bench posts */
		uint64_t wr_id;
	} requests[JOIN_REQUESTS]; /* a ring */
	unsigned n;
	struct join_qp {
		uint64_t serial;	  /* of the object; 0: free */
		struct posted_place next; /* the first that may be found */
	} qps[JOIN_QPS];
};

/* A request of a work request has been sent by a QP of ours. */
void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id);
/* The request that a packet is, at its receiver in the same process, or goes on with, or
 * answers. NULL: not seen. Valid until the next one is noted. */
const struct join_request *join_find(const struct packet_join *j, const struct decoded *d);
/* The work request that a packet begins which was taken from a network interface: one that was
 * posted to the QP which leads there, and is alike. It is noted. NULL: of none of our QPs. */
const struct join_request *join_posted(struct session *s, struct packet_join *j,
				       const struct decoded *d);

#endif
