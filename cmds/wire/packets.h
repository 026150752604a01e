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

/* The IP packet in a captured frame; *n is the length of the frame, and on return that of the IP
 * packet. NULL: not IP, or an unknown link type (pcap_datalink(3)). */
const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n);
/* "10.0.0.1 > 10.0.0.2" of a packet; valid until the next call. */
const char *packet_ends(const struct decoded *d);
/* Writes addresses and fields as values; text: also each field as a line. */
void packet_out(struct out *o, const struct decoded *d, bool text);

/*
 * Finds the work request of a packet. The embedded device reports it for each request packet; for
 * other devices it is searched among the posted work requests. Responses are matched to requests by
 * PSN.
 */

struct decoded;
struct session;

#define JOIN_REQUESTS 4096 /* how many requests are searched for a response */
#define JOIN_QPS      64   /* QPs whose last found work request is remembered */

struct packet_join {
	struct posted_place begun; /* earlier work requests are not searched */
	struct join_request {
		union ibv_gid src, dst;
		uint32_t qpn, dest_qpn, psn;
		uint64_t qp; /* serial of the QP; 0: the only QP with that number */
		bool known;  /* false: wr_id unknown, for instance of bench */
		uint64_t wr_id;
	} requests[JOIN_REQUESTS]; /* ring */
	unsigned n;
	struct join_qp {
		uint64_t serial;	  /* of the QP; 0: free entry */
		struct posted_place next; /* where the search continues */
	} qps[JOIN_QPS];
};

/* Records that a QP of this process sent a request packet of a work request. */
void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id);
/* The request that a packet is (received in the same process), continues, or answers. NULL:
 * unknown. Valid until the next join_note(). */
const struct join_request *join_find(const struct packet_join *j, const struct decoded *d);
/* Finds the work request for the first packet of a message captured on a network interface: a
 * matching one posted to the QP that sends there. Records it like join_note(). NULL: not sent by a
 * QP of this process. */
const struct join_request *join_posted(struct session *s, struct packet_join *j,
				       const struct decoded *d);

#endif
