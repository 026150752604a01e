/* SPDX-License-Identifier: MIT */
/*
 * A session: messages both ways over packets that may be lost, doubled, reordered or damaged;
 * each arrives once, in order. Knows no verbs and no clock: it is fed with packets and times.
 */
#ifndef CMDS_RPC_SESSION_H
#define CMDS_RPC_SESSION_H

#include "rpc_receiver.h"
#include "rpc_sender.h"

struct rpc_session_ops {
	void (*send)(void *arg, const struct rpc_packet *p); /* may fail: that is a loss */
	rpc_message_fn *message;
};

struct rpc_session {
	uint64_t id;
	struct rpc_sender tx;
	struct rpc_receiver rx;
	const struct rpc_session_ops *ops;
	void *arg;
	int64_t now;
	uint32_t echo;	    /* stamp to be given back; 0: none */
	unsigned owed;	    /* packets in order not acknowledged yet */
	int64_t ack_due;    /* when they are to be; INT64_MAX: none */
	const char *broken; /* the peer broke the protocol, and how; else NULL: for good */
	uint64_t acks;
};

/* fragment: data of a packet; limit: bytes of a message received; first: number of the first
 * packet each way. */
void rpc_session_init(struct rpc_session *s, uint64_t id, size_t fragment, size_t limit,
		      uint32_t first, const struct rpc_session_ops *ops, void *arg);
void rpc_session_free(struct rpc_session *s);
/* Sends a message of 1 byte or more; it is copied. */
void rpc_session_post(struct rpc_session *s, const void *data, size_t n, int64_t now);
/* A packet of this session has come; it was read by rpc_packet_read(). */
void rpc_session_take(struct rpc_session *s, const struct rpc_packet *p, int64_t now);
/* Does what is due. */
void rpc_session_run(struct rpc_session *s, int64_t now);
/* When that is next; INT64_MAX: not before a packet comes or a message is posted. */
int64_t rpc_session_due(const struct rpc_session *s);

#endif
