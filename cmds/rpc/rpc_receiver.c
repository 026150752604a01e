/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "rpc_receiver.h"
#include "xmem.h"

void rpc_receiver_init(struct rpc_receiver *r, size_t limit, uint32_t first)
{
	*r = (struct rpc_receiver){ .limit = limit, .next = first };
}

void rpc_receiver_free(struct rpc_receiver *r)
{
	for (unsigned i = 0; i < RPC_WINDOW; i++) {
		free(r->pieces[i].data);
		r->pieces[i].data = NULL;
	}
	free(r->message);
	r->message = NULL;
}

/* The memory grows with what has come, not with what is announced. */
static const char *append(struct rpc_receiver *r, const struct rpc_piece *piece)
{
	if (!(piece->flags & RPC_FIRST) != r->begun)
		return r->begun ? "a message begins before the last one has ended"
				: "a piece of a message that has not begun";
	if (piece->len > r->limit - r->len)
		return "a message is larger than was agreed";
	if (r->len + piece->len > r->room) {
		r->room = 2 * (r->len + piece->len);
		r->message = xrealloc(r->message, r->room, 1);
	}
	memcpy(r->message + r->len, piece->data, piece->len);
	r->len += piece->len;
	r->begun = !(piece->flags & RPC_LAST);
	return NULL;
}

/* Hands on all that is in order now. */
static const char *deliver(struct rpc_receiver *r, rpc_message_fn *fn, void *arg)
{
	for (;;) {
		struct rpc_piece *at = &r->pieces[r->next % RPC_WINDOW], piece = *at;
		const char *why;

		if (!piece.data)
			return NULL;
		at->data = NULL;
		r->next++;
		why = append(r, &piece);
		free(piece.data);
		if (why)
			return why;
		if (!r->begun) {
			fn(arg, r->message, r->len);
			r->len = 0;
		}
	}
}

enum rpc_arrival rpc_receiver_take(struct rpc_receiver *r, const struct rpc_packet *p,
				   rpc_message_fn *fn, void *arg, const char **why)
{
	uint32_t ahead = p->seq - r->next;
	struct rpc_piece *piece = &r->pieces[p->seq % RPC_WINDOW];

	r->received++;
	if (ahead >= RPC_WINDOW && ahead <= UINT32_MAX / 2) {
		r->too_far++;
		return RPC_TOO_FAR;
	}
	if (ahead >= RPC_WINDOW || piece->data) {
		r->twice++;
		return RPC_TWICE;
	}
	*piece = (struct rpc_piece){ .len = p->len, .flags = p->flags };
	piece->data = xcalloc(1, p->len);
	memcpy(piece->data, p->data, p->len);
	if (ahead)
		return RPC_AHEAD;
	*why = deliver(r, fn, arg);
	return *why ? RPC_BROKEN : RPC_IN_ORDER;
}

uint32_t rpc_receiver_sack(const struct rpc_receiver *r)
{
	uint32_t sack = 0;

	for (uint32_t n = 0; n < RPC_WINDOW - 1; n++)
		if (r->pieces[(r->next + 1 + n) % RPC_WINDOW].data)
			sack |= UINT32_C(1) << n;
	return sack;
}
