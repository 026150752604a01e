/* SPDX-License-Identifier: MIT */
/*
 * The packets that a ladder shows. They are kept apart from the record of calls, so that no flood
 * of them pushes out a call. A packet that comes again and again, such as a request whose peer has
 * no receive, takes two places: its second one counts.
 */
#ifndef MODEL_PACKETS_H
#define MODEL_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packets;
struct uroce_packet;

#define PACKETS_KEPT 4096 /* older ones are forgotten */

struct kept_packet {
	int64_t first, last; /* CLOCK_REALTIME, ns */
	uint64_t times;	     /* at least 1 */
	uint64_t key;	     /* ladder_packet_key() */
	bool out;	     /* sent, else received */
	uint32_t qpn;	     /* of the QP that has sent it; 0: not known */
	char *fate;	     /* what a fault has done to it, or NULL */
	uint8_t *ip;	     /* from its IP header on; of its bytes the first are kept */
	size_t kept, len;
};

struct packets *packets_new(void);
void packets_free(struct packets *p);
/* Keeps a packet, or counts it; what is no packet of RoCE is left out. */
void packets_add(struct packets *p, const struct uroce_packet *packet);
/* The one in place i, the oldest is 0; NULL: there are no more. */
const struct kept_packet *packets_at(const struct packets *p, unsigned i);

unsigned packets_count(const struct packets *p);
/* How many were forgotten. */
uint64_t packets_lost(const struct packets *p);

/* Decodes it. ip has room for its len bytes, of which d keeps parts. -1: it cannot be read. */
struct decoded;
int packets_decode(const struct kept_packet *k, uint8_t *ip, struct decoded *d);

#endif
