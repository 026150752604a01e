/* SPDX-License-Identifier: MIT */
/* The receiving half of a session: packets in any order become messages in order, once each. */
#ifndef CMDS_RPC_RECEIVER_H
#define CMDS_RPC_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc_sender.h"

struct rpc_piece {
	uint8_t *data; /* NULL: not here */
	uint16_t len;
	unsigned flags;
};

struct rpc_receiver {
	uint32_t next; /* all before it have come */
	struct rpc_piece pieces[RPC_WINDOW];
	size_t limit;	  /* bytes of a message, at most */
	uint8_t *message; /* what there is of the message that has begun */
	size_t len, room;
	bool begun;
	uint64_t received, twice, too_far;
};

enum rpc_arrival {
	RPC_IN_ORDER,
	RPC_AHEAD,   /* others before it are missing */
	RPC_TWICE,   /* it was here already */
	RPC_TOO_FAR, /* beyond the window: dropped */
	RPC_BROKEN,  /* the peer does not keep to the protocol: *why says how */
};

/* A message is whole. It may post others, and must not free the session. */
typedef void rpc_message_fn(void *arg, const uint8_t *data, size_t n);

void rpc_receiver_init(struct rpc_receiver *r, size_t limit, uint32_t first);
void rpc_receiver_free(struct rpc_receiver *r);
enum rpc_arrival rpc_receiver_take(struct rpc_receiver *r, const struct rpc_packet *p,
				   rpc_message_fn *fn, void *arg, const char **why);
/* Bit n: packet next + 1 + n is here. */
uint32_t rpc_receiver_sack(const struct rpc_receiver *r);

#endif
