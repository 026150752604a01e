/* SPDX-License-Identifier: MIT */
/* The wire of the rig: packets and MADs as bytes, on a heap by the time of their arrival. */
#include <stddef.h>
#include <string.h>

#include "checks.h"
#include "engine.h"
#include "gid.h"
#include "packet.h"
#include "link.h"
#include "mad.h"
#include "rig.h"

#define FLYING_MAX 8192
#define PASS	   16 /* packets in one pass */
#define MAD_DELAY  1000000ull
#define MAD_LATE   200000000ull /* less than the time wait of the tests */

/* The floor that is there takes all that comes: cm/ or transport/. */
#pragma weak cm_route
#pragma weak transport_input

struct flying {
	uint64_t when, number; /* number: keeps those of one time in order */
	union ibv_gid src, dst;
	uint32_t scope;
	bool is_mad;
	uint32_t n;
	uint8_t data[PACKET_MAX];
};

struct rig_wire rig_wire = { .delay = 5000 };
struct packet rig_log[RIG_LOG];
unsigned rig_logged, rig_mads_sent;
enum rig_fate (*rig_mad_fate)(unsigned n, const struct mad *m);

static struct flying *heap[FLYING_MAX + 1]; /* from 1 */
static unsigned nflying;
static uint64_t numbers;
static struct flying now_sent; /* between tx_begin() and tx_commit() */
static uint32_t payload_at, payload_len;

static uint64_t random_state = 88172645463325252u;

void rig_seed(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15u + 1;
}

uint32_t rig_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

static bool before(const struct flying *a, const struct flying *b)
{
	return a->when != b->when ? a->when < b->when : a->number < b->number;
}

static void push(struct flying *f)
{
	unsigned i = ++nflying;

	CHECK(nflying <= FLYING_MAX);
	for (; i > 1 && before(f, heap[i / 2]); i /= 2)
		heap[i] = heap[i / 2];
	heap[i] = f;
}

static struct flying *pop(void)
{
	struct flying *top = heap[1], *f = heap[nflying--];
	unsigned i = 1, child;

	for (; (child = 2 * i) <= nflying; i = child) {
		if (child < nflying && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], f))
			break;
		heap[i] = heap[child];
	}
	heap[i] = f;
	return top;
}

/* -------------------------------------------------------------------- link.h -- */

bool rig_full, rig_blocked;

bool tx_has_room(struct pair *pair, bool answer)
{
	(void)pair;
	(void)answer;
	return !rig_full;
}

bool tx_is_blocked(const struct pair *pair)
{
	(void)pair;
	return rig_blocked;
}

uint8_t *tx_begin(struct pair *pair, const struct flow *flow, const struct packet *p)
{
	(void)pair;
	now_sent.src = flow->sgid;
	now_sent.dst = flow->dgid;
	payload_at = (uint32_t)packet_build(p, now_sent.data);
	payload_len = p->len;
	CHECK(p->op && p->len <= MTU_MAX);
	return now_sent.data + payload_at;
}

static void fly(const struct flying *sent, uint64_t delay)
{
	struct flying *f = malloc(sizeof(*f));

	CHECK(f);
	memcpy(f, sent, offsetof(struct flying, data) + sent->n);
	f->when = rig_now + delay;
	f->number = numbers++;
	push(f);
}

static uint64_t delay(void)
{
	return rig_wire.delay + (rig_chance(rig_wire.reorder) ? rig_random() % 50000 : 0);
}

void tx_commit(void)
{
	struct packet p = { .src = now_sent.src, .dst = now_sent.dst };

	CHECK(payload_at);
	now_sent.n = payload_at + payload_len + packet_pad(payload_len) + ICRC_BYTES;
	memset(now_sent.data + payload_at + payload_len, 0, packet_pad(payload_len) + ICRC_BYTES);
	CHECK_INT(packet_parse(&p, now_sent.data, now_sent.n), 0);
	payload_at = 0;
	if (rig_wire.watch)
		rig_wire.watch(&p);
	p.payload = NULL;
	if (rig_logged < RIG_LOG)
		rig_log[rig_logged++] = p;
	if ((rig_wire.lose && rig_wire.lose(&p)) || rig_chance(rig_wire.drop))
		return;
	fly(&now_sent, delay());
	if (rig_chance(rig_wire.dup))
		fly(&now_sent, delay());
}

/* ----------------------------------------------------------------------- MADs -- */

static bool has_outgoing;
static struct flow out_flow;
static struct mad out_mad;

void tx_send_mad(const struct flow *flow, const uint8_t *buf)
{
	struct flying f = { .src = flow->sgid,
			    .dst = flow->dgid,
			    .scope = flow->scope,
			    .is_mad = true,
			    .n = MAD_BYTES };
	enum rig_fate fate = RIG_PASS;
	struct mad m;

	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), 0);
	CHECK(gid_find(&flow->sgid, flow->scope) >= 0);
	if (rig_mad_fate)
		fate = rig_mad_fate(rig_mads_sent, &m);
	rig_mads_sent++;
	rig_unflushed = true;
	if (gid_find(&flow->dgid, flow->scope) < 0) {
		has_outgoing = true;
		out_mad = m;
		out_flow = *flow;
		return;
	}
	memcpy(f.data, buf, MAD_BYTES);
	if (fate != RIG_DROP)
		fly(&f, MAD_DELAY);
	if (fate == RIG_TWICE)
		fly(&f, MAD_DELAY);
	if (fate == RIG_AGAIN_LATE)
		fly(&f, MAD_LATE);
}

enum rig_fate rig_drop_mads(unsigned n, const struct mad *m)
{
	(void)n;
	(void)m;
	return RIG_DROP;
}

bool rig_mad_outgoing(struct mad *m, struct flow *flow)
{
	bool had = has_outgoing;

	has_outgoing = false;
	if (m)
		*m = out_mad;
	if (flow)
		*flow = out_flow;
	return had;
}

static void route_mad(const struct mad_from *from, const uint8_t *mad)
{
	cm_route(from, mad, MAD_BYTES);
	rig_run_app();
}

void rig_inject_mad(const union ibv_gid *src, const union ibv_gid *dst, const struct mad *m)
{
	struct mad_from from = { .src = *src, .dst = *dst, .src_qpn = 1 };
	uint8_t buf[MAD_BYTES];

	mad_build(buf, m);
	engine_lock();
	route_mad(&from, buf);
	engine_flush();
	engine_unlock();
}

bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	(void)from;
	(void)mad;
	(void)n;
	return true;
}

/* ---------------------------------------------------------------------- rig.h -- */

unsigned rig_count(uint8_t opcode)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rig_logged; i++)
		n += rig_log[i].op->code == opcode;
	return n;
}

static void arrive(const struct flying *f)
{
	struct packet p = { .src = f->src, .dst = f->dst, .sport = 0xc000, .hops = 64 };
	struct mad_from from = { .src = f->src, .dst = f->dst, .scope = f->scope, .src_qpn = 1 };

	if (f->is_mad) {
		route_mad(&from, f->data);
		return;
	}
	CHECK_INT(packet_parse(&p, f->data, f->n), 0);
	transport_input(&p);
}

bool rig_arrive(void)
{
	unsigned n = 0;

	for (; nflying && heap[1]->when <= rig_now && n < PASS; n++) {
		struct flying *f = pop();

		arrive(f);
		free(f);
	}
	return n;
}

uint64_t rig_next_arrival(void)
{
	return nflying ? heap[1]->when : UINT64_MAX;
}

void rig_inject(const struct packet *p, const void *payload)
{
	uint8_t *buf = malloc(PACKET_MAX); /* for the sanitizer: just as long as it is */
	uint8_t *exact;
	size_t n = packet_build(p, buf);
	struct packet in = { .src = p->src, .dst = p->dst, .sport = 0xc000, .hops = 64 };

	if (payload)
		memcpy(buf + n, payload, p->len);
	n += p->len;
	memset(buf + n, 0, packet_pad(p->len) + ICRC_BYTES);
	n += packet_pad(p->len) + ICRC_BYTES;
	exact = malloc(n);
	memcpy(exact, buf, n);
	free(buf);
	engine_lock();
	if (packet_parse(&in, exact, n) == 0)
		transport_input(&in);
	engine_flush();
	engine_unlock();
	free(exact);
}

bool rig_in_packet(const void *p, size_t n)
{
	const uint8_t *b = p;

	return b >= now_sent.data && b + n <= now_sent.data + sizeof(now_sent.data);
}

void rig_clear(void)
{
	while (nflying)
		free(pop());
	rig_logged = rig_mads_sent = rig_forwards = 0;
	rig_mad_fate = NULL;
	has_outgoing = false;
}
