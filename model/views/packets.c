/* SPDX-License-Identifier: MIT */
#include "packets.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "decode.h"
#include "heap.h"
#include "ladder.h"
#include "uroce.h"

#define KEPT_OF_CM 344 /* bytes: the headers and a MAD */
#define KEPT	   120 /* the headers */

/* The same packet has the same one. */
struct identity {
	uint64_t key;
	uint32_t qpn;
	bool out;
	char fate[19];
};

struct place {
	struct kept_packet k;
	struct identity id;
	bool is_known;	/* in the table: the last place of this packet */
	bool is_second; /* it counts */
	UT_hash_handle hh;
};

struct packets {
	struct place *places[PACKETS_KEPT]; /* ring */
	unsigned first, n;
	uint64_t lost;
	struct place *known; /* by identity */
};

struct packets *packets_new(void)
{
	return xcalloc(1, sizeof(struct packets));
}

static void forget(struct packets *p, struct place *place)
{
	if (place->is_known)
		HASH_DELETE(hh, p->known, place);
	free(place->k.fate);
	free(place->k.ip);
	free(place);
}

void packets_free(struct packets *p)
{
	for (unsigned i = 0; p && i < p->n; i++)
		forget(p, p->places[(p->first + i) % PACKETS_KEPT]);
	free(p);
}

static struct place *new_place(struct packets *p)
{
	struct place **at = &p->places[(p->first + p->n) % PACKETS_KEPT];

	if (p->n == PACKETS_KEPT) {
		forget(p, *at);
		p->first = (p->first + 1) % PACKETS_KEPT;
		p->lost++;
	} else {
		p->n++;
	}
	*at = xcalloc(1, sizeof **at);
	return *at;
}

static void fill(struct kept_packet *k, const struct uroce_packet *packet, const struct decoded *d)
{
	const size_t kept = d->is_cm ? KEPT_OF_CM : KEPT;

	k->first = k->last = (int64_t)packet->time;
	k->times = 1;
	k->key = ladder_packet_key(d);
	k->out = packet->out;
	k->qpn = packet->qpn;
	k->fate = packet->fate && *packet->fate ? xstrdup(packet->fate) : NULL;
	k->len = packet->len;
	k->kept = kept < packet->len ? kept : packet->len;
	k->ip = xcalloc(1, k->kept);
	memcpy(k->ip, packet->ip, k->kept);
}

void packets_add(struct packets *p, const struct uroce_packet *packet)
{
	struct identity id;
	struct place *before = NULL, *place;
	struct decoded d;

	if (decode_ip(&d, packet->ip, packet->len))
		return;
	memset(&id, 0, sizeof id);
	id.key = ladder_packet_key(&d);
	id.qpn = packet->qpn;
	id.out = packet->out;
	strncpy(id.fate, packet->fate ? packet->fate : "", sizeof id.fate - 1);
	HASH_FIND(hh, p->known, &id, sizeof id, before);
	if (before && before->is_second) {
		before->k.times++;
		before->k.last = (int64_t)packet->time;
		return;
	}
	if (before) {
		HASH_DELETE(hh, p->known, before);
		before->is_known = false;
	}
	place = new_place(p);
	fill(&place->k, packet, &d);
	place->id = id;
	place->is_second = before != NULL;
	place->is_known = true;
	HASH_ADD(hh, p->known, id, sizeof place->id, place);
}

const struct kept_packet *packets_at(const struct packets *p, unsigned i)
{
	return p && i < p->n ? &p->places[(p->first + i) % PACKETS_KEPT]->k : NULL;
}

unsigned packets_count(const struct packets *p)
{
	return p ? p->n : 0;
}

uint64_t packets_lost(const struct packets *p)
{
	return p ? p->lost : 0;
}

int packets_decode(const struct kept_packet *k, uint8_t *ip, struct decoded *d)
{
	memset(ip, 0, k->len);
	memcpy(ip, k->ip, k->kept);
	return decode_ip(d, ip, k->len);
}
