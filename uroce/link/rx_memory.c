// SPDX-License-Identifier: MIT
/*
 * Frames from memory that other processes of this host write to (pair.h). Headers are copied before
 * they are looked at; a payload is copied once, to its destination.
 */
#include <string.h>

#include "bytes.h"
#include "counters.h"
#include "fault.h"
#include "gid.h"
#include "packet.h"
#include "pair.h"
#include "path.h"
#include "link.h"
#include "tap.h"

/* Handles a frame as if it had come by UDP, if it has an ICRC, or faults or a tap want one. */
static void input_whole_frame(const struct packet *addresses, const struct frame *f)
{
	static uint8_t data[PACKET_MAX];
	uint32_t n = f->header.len, rest = n - ICRC_BYTES, icrc;

	memcpy(data, f->data, n);
	if (!(f->header.flags & FRAME_HAS_ICRC)) {
		icrc = htole32(
			icrc_of(&addresses->src, &addresses->dst, addresses->sport, data, rest, 0));
		memcpy(data + rest, &icrc, ICRC_BYTES);
	}
	rx_input(addresses, data, n);
}

static void input_frame(const struct frame *f)
{
	uint32_t n = f->header.len;
	uint8_t headers[HEADERS_MAX];
	struct packet p = {
		.src = f->header.src,
		.dst = f->header.dst,
		.scope = f->header.scope,
		.sport = f->header.sport,
		.tclass = f->header.tclass,
		.hops = f->header.hops,
	};

	/* the kernel does the same for UDP */
	if (!path_is_here(&p.src, &p.dst, p.scope)) {
		count(CNT_BAD_SOURCE);
		return;
	}
	if (fault_directions & UROCE_IN || tap_on || f->header.flags & FRAME_HAS_ICRC) {
		input_whole_frame(&p, f);
		return;
	}
	if (gid_may_be_down && !gid_is_up(&p.dst, p.scope)) {
		count(CNT_PORT_DOWN);
		return;
	}
	frame_copy_headers(headers, f);
	if (packet_parse(&p, headers, n) != 0 || p.qpn == GSI_QPN) {
		count(CNT_BAD_PACKET);
		return;
	}
	p.payload = f->data + (p.payload - headers);
	count(CNT_RCVD_PKTS);
	link_upper.packet(&p);
}

/* Handles at most max frames of one pair. */
static unsigned input_frames(struct pair *pair, unsigned max)
{
	unsigned n = 0;
	struct frame f;

	while (n < max && frame_next(&pair->in, &f)) {
		if (f.header.flags & FRAME_AFTER_UDP)
			rx_datagrams();
		input_frame(&f);
		frame_free(&pair->in, &f);
		n++;
		if (frame_give_room(&pair->in))
			pair_ring(pair);
	}
	return n;
}

unsigned rx_memory(unsigned max)
{
	unsigned n = 0;

	for (unsigned i = pairs_open; i-- > 0;) {
		struct pair *pair = pair_open[i];

		if (frame_waits(&pair->in) && !pair->in.broken)
			n += input_frames(pair, max);
		else if (pair->gone || pair_is_broken(pair))
			pair_close(pair);
	}
	return n;
}
