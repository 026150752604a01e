// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: a UDP payload through all of link/rx.c, with checks in place of what is
 * behind it. An input is a byte of modes, two of the IPv4 identification, and the payload; its
 * ICRC is computed unless a mode says that it is given, for nothing would pass otherwise.
 */
#include <stdlib.h>

#include "bytes.h"
#include "mad.h"
#include "engine.h"
#include "fault.h"
#include "packet.h"
#include "link.h"
#include "rig.h"

#define MODE_IPV6      0x01
#define MODE_GIVEN     0x02 /* the input has an ICRC, wrong mostly */
#define MODE_TAP       0x04
#define MODE_FAULTS    0x08
#define MODE_OUT_FAULT 0x20 /* what passes is sent on, with faults */

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static volatile unsigned sum;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void touch(const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += data[i];
}

static void run_timers(void)
{
	rig_now += 1000000000;
	timer_run(rig_now);
}

/* Headers that were taken build the same bytes again, but for bits that say nothing. */
static void check_headers(const struct packet *p)
{
	const uint8_t *data = p->payload - p->op->header;
	uint8_t built[HEADERS_MAX], wire[HEADERS_MAX];

	must(packet_build(p, built) == p->op->header);
	memcpy(wire, data, p->op->header);
	wire[4] = built[4];
	wire[8] = (wire[8] & 0x80) | (built[8] & 0x7f);
	if (p->op->flags & WIRE_DETH)
		wire[16] = built[16];
	if (p->op->flags & WIRE_XRCETH)
		wire[BTH_BYTES] = built[BTH_BYTES];
	must(memcmp(built, wire, p->op->header) == 0);
}

/* It is sent back, but nothing leaves: there are no sockets, and the batch is counted as lost. */
static void take_packet(const struct packet *p)
{
	struct flow flow = { .sgid = p->dst, .dgid = p->src, .hops = p->hops };

	must(p->len <= MTU_MAX && p->qpn != GSI_QPN);
	must(!(p->psn & ~PSN_MASK) && !(p->qpn & ~PSN_MASK));
	touch(p->payload, p->len);
	check_headers(p);
	memcpy(tx_begin(NULL, &flow, p), p->payload, p->len);
	tx_commit();
}

static void take_mad(const uint8_t *mad)
{
	must(rig_mads.from.src_qpn == GSI_QPN);
	touch(mad, MAD_BYTES);
}

static void look(void *arg, const struct uroce_packet *p)
{
	(void)arg;
	touch(p->ip, p->len);
}

static void choose_faults(unsigned mode)
{
	static const char *const texts[] = {
		"",
		"dup=50%,reorder=50%,corrupt=10%,dir=in;delay=1ms,dir=in,op=UD_SEND_ONLY",
		"dup=50%,reorder=50%,drop=10%,dir=out",
		"reorder=50%,delay=1us;corrupt=100%,op=ACK",
	};

	must(fault_set(texts[mode / MODE_FAULTS % 2 + mode / MODE_OUT_FAULT % 2 * 2], false, 1,
		       NULL, 0) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct packet a = { .sport = 49152, .hops = 64 };
	uint32_t icrc;
	uint8_t *data;
	unsigned mode;

	rig_on_packet = take_packet;
	rig_on_mad = take_mad;
	if (n < 3 || n > 3 + PACKET_MAX - ICRC_BYTES)
		return 0;
	mode = input[0];
	if (!(mode & MODE_IPV6))
		a.src.raw[10] = a.src.raw[11] = a.dst.raw[10] = a.dst.raw[11] = 0xff;
	a.src.raw[15] = 1;
	a.dst.raw[15] = 2;
	n -= 3;
	data = malloc(n + ICRC_BYTES); /* exact, so that reads beyond the end are seen */
	must(data != NULL);
	memcpy(data, input + 3, n);
	if (!(mode & MODE_GIVEN) && n >= BTH_BYTES) {
		icrc = htole32(icrc_of(&a.src, &a.dst, a.sport, data, n,
				       mode & MODE_IPV6 ? 0 : get_be16(input + 1)));
		memcpy(data + n, &icrc, ICRC_BYTES);
		n += ICRC_BYTES;
	}
	uroce_tap(mode & MODE_TAP ? look : NULL, NULL);
	choose_faults(mode);
	rx_input(&a, data, (uint32_t)n);
	free(data); /* what is held back has a copy */
	run_timers();
	run_timers(); /* what they let out may have been held back again */
	tx_flush();
	return 0;
}
