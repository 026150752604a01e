/* SPDX-License-Identifier: MIT */
/* The client's end: a server that calls are made to. */
#ifndef CMDS_RPC_PEER_H
#define CMDS_RPC_PEER_H

#include "rpc_conn.h"
#include "rpc_ledger.h"
#include "rpc_message.h"

/* A call under way, or one whose reply nobody has taken yet. */
struct rpc_call {
	TAILQ_ENTRY(rpc_call) link;
	uint64_t id;
	char *method;
	uint8_t *request; /* as sent: to be sent again */
	size_t len;
	unsigned tries;
	bool background; /* rpc result takes it */
	Rpc__Message *reply;
};
TAILQ_HEAD(rpc_call_list, rpc_call);

struct rpc_peer {
	struct obj o;
	struct session *s;
	struct rpc_link link;
	struct rpc_conn conn;
	char *where; /* "10.0.0.2:7100" */
	bool has_link;
	bool ready; /* the server has said that it takes us */
	struct rpc_call_list calls;
	unsigned n_calls;
	uint64_t last;		       /* id given out */
	uint64_t made, answered, late; /* late: replies that nobody waited for any more */
};

struct rpc_peer_spec {
	const char *name, *host;
	uint16_t port;
	const struct rpc_link_kind *kind;
	bool qkey_set;
	uint32_t qkey; /* to send with, instead of what the server tells */
	size_t max;
};
/* Begins to connect; NULL with s->fail filled. */
struct rpc_peer *rpc_peer_make(struct session *s, const struct rpc_peer_spec *spec);
/* Sends the request. NULL with s->fail filled. */
struct rpc_call *rpc_call_make(struct rpc_peer *p, const char *method, Tcl_Obj *const args[],
			       size_t n);
void rpc_call_again(struct rpc_peer *p, struct rpc_call *call);
/* Nobody waits for it any more. */
void rpc_call_drop(struct rpc_peer *p, struct rpc_call *call);

#endif
