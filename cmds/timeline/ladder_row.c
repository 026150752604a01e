/* SPDX-License-Identifier: MIT */
/* Packets of the ladder: what they say, and which one that was received is which that was sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "decode.h"
#include "fault.h"
#include "timeline/ladder.h"
#include "wire/wire.h"

static bool is_nak(const struct decoded *d)
{
	return d->p.op && d->p.op->flags & WIRE_AETH && AETH_CLASS(d->p.syndrome);
}

/* "REQ", "RC_WRITE_ONLY psn 7 13 B": what fits on an arrow. */
static char *packet_in_short(const struct decoded *d)
{
	const char *name = d->p.op ? d->p.op->name : NULL;
	char nak[64];

	if (!name)
		return xstrdup(d->malformed ? d->malformed : "malformed");
	if (d->is_cm)
		return xasprintf("CM %s", mad_name(d->mad.attr));
	if (is_nak(d)) {
		decode_syndrome(d->p.syndrome, nak, sizeof nak);
		return xasprintf("%s psn %u %s", name, d->p.psn, nak);
	}
	return d->p.len ? xasprintf("%s psn %u %u B", name, d->p.psn, d->p.len)
			: xasprintf("%s psn %u", name, d->p.psn);
}

/* FNV-1a over the UDP payload. */
uint64_t ladder_packet_key(const struct decoded *d)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < d->n; i++)
		key = (key ^ d->data[i]) * UINT64_C(0x100000001b3);
	return key;
}

bool ladder_packet_lost(const char *fate)
{
	return fault_loses(fate) || (fate && strcmp(fate, "icrc") == 0);
}

void ladder_tell_packet(struct ladder_row *row, const struct decoded *d, const char *fate)
{
	char full[512];

	decode_text(d, full, sizeof full);
	row->kind = LADDER_PACKET;
	row->until = 0;
	row->bad = !d->p.op || is_nak(d) || (d->is_cm && d->mad.attr == MAD_REJ);
	row->text = packet_in_short(d);
	row->result = xasprintf("%s  %.300s", packet_ends(d), full);
	row->fate = fate && *fate ? xstrdup(fate) : NULL;
	row->names = xasprintf(" %s ", row->name);
}

static struct ladder_row *find_sent_row(struct ladder *l, const struct ladder_row *in)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->kind == LADDER_PACKET && r->out && !r->matched && r->key == in->key &&
		    !(r->lost && r->place != in->place))
			return r;
	}
	return NULL;
}

void ladder_match_packets(struct ladder *l)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *in = &l->rows[i], *out;

		if (in->kind != LADDER_PACKET || in->out)
			continue;
		out = find_sent_row(l, in);
		if (!out)
			continue;
		out->matched = in->matched = true;
		out->arrived = !in->lost;
		out->to = (int)in->place; /* for now: its place */
		memcpy(out->also, in->name, sizeof out->also);
		if (in->fate && !out->fate) {
			out->fate = in->fate;
			in->fate = NULL;
		}
	}
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->kind == LADDER_PACKET && !r->out && r->matched) {
			ladder_free_row(r);
			continue;
		}
		l->rows[to++] = *r;
	}
	l->n = to;
}
