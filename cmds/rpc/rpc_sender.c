/* SPDX-License-Identifier: MIT */
/*
 * Each packet has its own timer, so that several losses in one window cost one timeout, and
 * doubles it each time it runs out. The estimate of the round trip is RFC 6298's, from the stamps
 * that come back (RFC 7323): so packets that were sent twice measure, too. By the same stamps
 * most losses are found before the timer runs out, also of what was sent again (RFC 8985).
 */
#include <stdlib.h>
#include <string.h>

#include "rpc_sender.h"
#include "xmem.h"

#define MSEC	  INT64_C(1000000)
#define RTO_FIRST (100 * MSEC)
#define RTO_LEAST (10 * MSEC) /* more than an acknowledgement may be put off */
#define RTO_MOST  (500 * MSEC)
#define CLOCK	  MSEC /* what the timers of the loop can tell apart */

void rpc_sender_init(struct rpc_sender *t, size_t fragment, uint32_t first)
{
	*t = (struct rpc_sender){
		.fragment = fragment, .oldest = first, .next = first, .rto = RTO_FIRST
	};
	STAILQ_INIT(&t->queue);
}

static struct rpc_slot *slot_of(struct rpc_sender *t, uint32_t seq)
{
	return &t->slots[seq % RPC_WINDOW];
}

static void drop_first(struct rpc_sender *t)
{
	struct rpc_outgoing *m = STAILQ_FIRST(&t->queue);

	STAILQ_REMOVE_HEAD(&t->queue, link);
	free(m);
}

void rpc_sender_free(struct rpc_sender *t)
{
	while (!STAILQ_EMPTY(&t->queue))
		drop_first(t);
	for (unsigned i = 0; i < RPC_WINDOW; i++) {
		free(t->slots[i].data);
		t->slots[i].data = NULL;
	}
}

void rpc_sender_post(struct rpc_sender *t, const void *data, size_t n)
{
	struct rpc_outgoing *m = xcalloc(1, sizeof *m + n);

	m->len = n;
	memcpy(m->data, data, n);
	STAILQ_INSERT_TAIL(&t->queue, m, link);
	t->queued += n;
}

static void measured(struct rpc_sender *t, int64_t rtt)
{
	int64_t spread;

	if (rtt > RTO_MOST) /* the peer says so: no reason to wait longer */
		rtt = RTO_MOST;
	if (!t->srtt) {
		t->srtt = rtt ? rtt : 1;
		t->rttvar = rtt / 2;
	} else {
		int64_t off = t->srtt > rtt ? t->srtt - rtt : rtt - t->srtt;

		t->rttvar += (off - t->rttvar) / 4;
		t->srtt += (rtt - t->srtt) / 8;
	}
	spread = 4 * t->rttvar;
	t->rto = t->srtt + (spread > CLOCK ? spread : CLOCK);
	if (t->rto < RTO_LEAST)
		t->rto = RTO_LEAST;
	if (t->rto > RTO_MOST)
		t->rto = RTO_MOST;
}

static void arrived(struct rpc_sender *t, uint32_t seq)
{
	struct rpc_slot *slot = slot_of(t, seq);

	if (slot->here)
		return;
	slot->here = true;
	free(slot->data);
	slot->data = NULL;
}

bool rpc_sender_acked(struct rpc_sender *t, uint32_t ack, uint32_t sack)
{
	uint32_t under_way = t->next - t->oldest;

	if (ack - t->oldest > under_way)
		return t->oldest - ack <= UINT32_MAX / 2; /* an old one that comes late */
	while (t->oldest != ack)
		arrived(t, t->oldest++);
	for (uint32_t n = 0; n < 32; n++)
		if (sack & (UINT32_C(1) << n)) {
			if (ack + 1 + n - t->oldest >= t->next - t->oldest)
				return false;
			arrived(t, ack + 1 + n);
		}
	return true;
}

void rpc_sender_echoed(struct rpc_sender *t, int64_t sent, int64_t now)
{
	int64_t late;

	measured(t, now - sent);
	late = t->srtt / 4 > CLOCK ? t->srtt / 4 : CLOCK; /* later than that is not reordered */
	for (uint32_t seq = t->oldest; seq != t->next; seq++) {
		struct rpc_slot *slot = slot_of(t, seq);

		if (slot->here || !slot->tries || slot->lost || slot->sent + late > sent)
			continue;
		slot->lost = true;
		slot->due = now;
		t->hurried++;
	}
}

/* The next piece of the first message becomes a packet. */
static void cut(struct rpc_sender *t)
{
	struct rpc_outgoing *m = STAILQ_FIRST(&t->queue);
	size_t left = m->len - m->cut, n = left < t->fragment ? left : t->fragment;
	struct rpc_slot *slot = slot_of(t, t->next++);

	*slot = (struct rpc_slot){ .len = (uint16_t)n,
				   .flags = (m->cut ? 0 : RPC_FIRST) | (n == left ? RPC_LAST : 0) };
	slot->data = xcalloc(1, n);
	memcpy(slot->data, m->data + m->cut, n);
	m->cut += n;
	t->queued -= n;
	if (m->cut == m->len)
		drop_first(t);
}

static int64_t patience(const struct rpc_sender *t, unsigned timeouts)
{
	int64_t rto = t->rto;

	while (timeouts-- && rto < RTO_MOST)
		rto *= 2;
	return rto < RTO_MOST ? rto : RTO_MOST;
}

void rpc_sender_run(struct rpc_sender *t, int64_t now, rpc_send_fn *fn, void *arg)
{
	while (!STAILQ_EMPTY(&t->queue) && t->next - t->oldest < RPC_WINDOW)
		cut(t);
	for (uint32_t seq = t->oldest; seq != t->next; seq++) {
		struct rpc_slot *slot = slot_of(t, seq);

		if (slot->here || (slot->tries && slot->due > now))
			continue;
		if (slot->tries++) {
			t->resent++;
			slot->timeouts += !slot->lost;
		}
		t->sent++;
		slot->lost = false;
		slot->sent = now;
		slot->due = now + patience(t, slot->timeouts);
		fn(arg, seq, slot);
	}
}

int64_t rpc_sender_due(const struct rpc_sender *t)
{
	int64_t due = INT64_MAX;

	if (!STAILQ_EMPTY(&t->queue) && t->next - t->oldest < RPC_WINDOW)
		return 0;
	for (uint32_t seq = t->oldest; seq != t->next; seq++) {
		const struct rpc_slot *slot = &t->slots[seq % RPC_WINDOW];

		if (!slot->here && slot->due < due)
			due = slot->due;
	}
	return due;
}

bool rpc_sender_idle(const struct rpc_sender *t)
{
	return t->oldest == t->next && STAILQ_EMPTY(&t->queue);
}
