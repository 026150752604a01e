/* SPDX-License-Identifier: MIT */
/*
 * What comes in order is acknowledged a little later, so that the answer can do it; what does
 * not, and every second packet, at once.
 */
#include "rpc_session.h"

#define ACK_DELAY INT64_C(3000000) /* ns */

void rpc_session_init(struct rpc_session *s, uint64_t id, size_t fragment, size_t limit,
		      uint32_t first, const struct rpc_session_ops *ops, void *arg)
{
	*s = (struct rpc_session){ .id = id, .ops = ops, .arg = arg, .ack_due = INT64_MAX };
	rpc_sender_init(&s->tx, fragment, first);
	rpc_receiver_init(&s->rx, limit, first);
}

void rpc_session_free(struct rpc_session *s)
{
	rpc_sender_free(&s->tx);
	rpc_receiver_free(&s->rx);
}

/* Microseconds that wrap around, but never 0. */
static uint32_t stamp_of(int64_t now)
{
	return (uint32_t)(now / 1000) | 1;
}

static void send(struct rpc_session *s, struct rpc_packet *p)
{
	p->stamp = stamp_of(s->now);
	p->echo = s->echo;
	s->echo = 0;
	p->session = s->id;
	p->ack = s->rx.next;
	p->sack = rpc_receiver_sack(&s->rx);
	s->owed = 0;
	s->ack_due = INT64_MAX;
	s->ops->send(s->arg, p);
}

static void send_data(void *arg, uint32_t seq, const struct rpc_slot *slot)
{
	struct rpc_packet p = { .kind = RPC_DATA,
				.flags = slot->flags,
				.seq = seq,
				.data = slot->data,
				.len = slot->len };

	send(arg, &p);
}

void rpc_session_run(struct rpc_session *s, int64_t now)
{
	struct rpc_packet ack = { .kind = RPC_ACK };

	if (s->broken)
		return;
	s->now = now;
	rpc_sender_run(&s->tx, now, send_data, s);
	if (s->ack_due > now)
		return;
	s->acks++;
	send(s, &ack);
}

void rpc_session_post(struct rpc_session *s, const void *data, size_t n, int64_t now)
{
	if (s->broken)
		return;
	rpc_sender_post(&s->tx, data, n);
	rpc_session_run(s, now);
}

static void take_data(struct rpc_session *s, const struct rpc_packet *p, int64_t now)
{
	s->owed++;
	if (!s->echo)
		s->echo = p->stamp;
	switch (rpc_receiver_take(&s->rx, p, s->ops->message, s->arg, &s->broken)) {
	case RPC_IN_ORDER:
		/* what was delivered may have been answered, and acknowledged so */
		if (s->owed > 1 || rpc_receiver_sack(&s->rx))
			s->ack_due = now;
		else if (s->owed && s->ack_due == INT64_MAX)
			s->ack_due = now + ACK_DELAY;
		break;
	case RPC_AHEAD:
	case RPC_TWICE:
	case RPC_TOO_FAR:
		s->ack_due = now;
		break;
	case RPC_BROKEN:
		break;
	}
}

void rpc_session_take(struct rpc_session *s, const struct rpc_packet *p, int64_t now)
{
	if (s->broken)
		return;
	if (!rpc_sender_acked(&s->tx, p->ack, p->sack)) {
		s->broken = "it acknowledges what was never sent";
		return;
	}
	if (p->echo)
		rpc_sender_echoed(&s->tx, now - (int64_t)(stamp_of(now) - p->echo) * 1000, now);
	if (p->kind == RPC_DATA)
		take_data(s, p, now);
	rpc_session_run(s, now);
}

int64_t rpc_session_due(const struct rpc_session *s)
{
	int64_t due = rpc_sender_due(&s->tx);

	if (s->broken)
		return INT64_MAX;
	return due < s->ack_due ? due : s->ack_due;
}
