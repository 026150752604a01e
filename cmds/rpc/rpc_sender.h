/* SPDX-License-Identifier: MIT */
/*
 * The sending half of a session: messages are cut into packets, a window of them is under way,
 * each is sent again until it is acknowledged. Times are nanoseconds of any clock that only
 * goes forward; nothing here waits or reads one.
 */
#ifndef CMDS_RPC_SENDER_H
#define CMDS_RPC_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "rpc_packet.h"

#define RPC_WINDOW 32 /* packets under way; as many bits has a sack, and one */

/* A packet under way. */
struct rpc_slot {
	uint8_t *data;
	uint16_t len;
	unsigned flags;
	unsigned tries, timeouts;
	bool here; /* at the peer: told so by an acknowledgement */
	bool lost; /* one that was sent later has come */
	int64_t sent, due;
};

struct rpc_outgoing {
	STAILQ_ENTRY(rpc_outgoing) link;
	size_t len, cut; /* cut: so much of it is in packets */
	uint8_t data[];
};
STAILQ_HEAD(rpc_outgoing_list, rpc_outgoing);

struct rpc_sender {
	size_t fragment;       /* bytes of a message in a packet, at most */
	uint32_t oldest, next; /* [oldest, next) are under way */
	struct rpc_slot slots[RPC_WINDOW];
	struct rpc_outgoing_list queue; /* not yet, or not wholly, in packets */
	size_t queued;			/* bytes of it that are not */
	int64_t srtt, rttvar, rto;	/* RFC 6298; srtt 0: not measured yet */
	uint64_t sent, resent, hurried;
};

/* Sends packet seq of the window. */
typedef void rpc_send_fn(void *arg, uint32_t seq, const struct rpc_slot *slot);

void rpc_sender_init(struct rpc_sender *t, size_t fragment, uint32_t first);
void rpc_sender_free(struct rpc_sender *t);
/* Takes a message of 1 byte or more, which is copied. */
void rpc_sender_post(struct rpc_sender *t, const void *data, size_t n);
/* The peer has acknowledged. False: it acknowledges what was never sent. */
bool rpc_sender_acked(struct rpc_sender *t, uint32_t ack, uint32_t sack);
/* A packet that was sent at that time has been answered: how long it took, and that those sent
 * well before it are lost, if nothing is known of them. */
void rpc_sender_echoed(struct rpc_sender *t, int64_t sent, int64_t now);
/* Sends what is due: new packets as far as the window goes, and old ones again. */
void rpc_sender_run(struct rpc_sender *t, int64_t now, rpc_send_fn *fn, void *arg);
/* When rpc_sender_run() has something to do; INT64_MAX: when something changes. */
int64_t rpc_sender_due(const struct rpc_sender *t);
/* Everything has arrived. */
bool rpc_sender_idle(const struct rpc_sender *t);

#endif
