/* SPDX-License-Identifier: MIT */
/* The wire of the rig: packets as bytes, on a heap by the time of their arrival. */
#include <string.h>

#include "checks.h"
#include "icrc.h"
#include "rig.h"
#include "timer.h"
#include "link.h"

#define FLYING_MAX 8192
#define PASS	   16 /* packets in one pass */

struct flying {
	uint64_t when, number; /* number: keeps those of one time in order */
	union ibv_gid src, dst;
	uint32_t n;
	uint8_t data[PACKET_MAX];
};

struct rig_wire rig_wire = { .delay = 5000 };
struct packet rig_log[RIG_LOG];
unsigned rig_logged;

static struct flying *heap[FLYING_MAX + 1]; /* from 1 */
static unsigned nflying;
static uint64_t numbers;
static struct flying now_sent; /* between tx_begin() and tx_commit() */
static uint32_t payload_at, payload_len;

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

bool tx_has_room(const struct flow *flow, uint32_t qpn, bool answer)
{
	(void)flow;
	(void)qpn;
	(void)answer;
	return true;
}

uint8_t *tx_begin(const struct flow *flow, const struct packet *p)
{
	now_sent.src = flow->sgid;
	now_sent.dst = flow->dgid;
	payload_at = (uint32_t)packet_build(p, now_sent.data);
	payload_len = p->len;
	CHECK(p->op && p->len <= MTU_MAX);
	return now_sent.data + payload_at;
}

static void fly(uint64_t delay)
{
	struct flying *f = malloc(sizeof(*f));

	CHECK(f);
	f->when = rig_now + delay;
	f->number = numbers++;
	f->src = now_sent.src;
	f->dst = now_sent.dst;
	f->n = now_sent.n;
	memcpy(f->data, now_sent.data, f->n);
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
	fly(delay());
	if (rig_chance(rig_wire.dup))
		fly(delay());
}

void tx_abort(void)
{
	payload_at = 0;
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

	CHECK_INT(packet_parse(&p, f->data, f->n), 0);
	transport_input(&p);
}

bool rig_pass(void)
{
	unsigned n = 0;

	for (; nflying && heap[1]->when <= rig_now && n < PASS; n++) {
		struct flying *f = pop();

		arrive(f);
		free(f);
	}
	timer_run(rig_now);
	return transport_finish(true) || n;
}

void rig_run(uint64_t ns)
{
	uint64_t end = ns ? rig_now + ns : UINT64_MAX;

	for (;;) {
		uint64_t next = timer_next();

		if (rig_pass())
			continue;
		if (nflying && heap[1]->when < next)
			next = heap[1]->when;
		if (next == UINT64_MAX || next > end)
			break;
		if (next > rig_now)
			rig_now = next;
	}
	if (ns && rig_now < end)
		rig_now = end;
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
	if (packet_parse(&in, exact, n) == 0)
		transport_input(&in);
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
	rig_logged = 0;
}
