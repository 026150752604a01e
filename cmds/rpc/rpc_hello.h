/* SPDX-License-Identifier: MIT */
/*
 * What the two ends tell each other over TCP before the first packet: qp-info as JSON, as oob
 * does (lid, gid, qpn, qkey ...), with three words more: "rpc", "max", and the client's "session".
 */
#ifndef CMDS_RPC_HELLO_H
#define CMDS_RPC_HELLO_H

#include "objects.h"

#define RPC_VERSION   1
#define RPC_MAX_LEAST 1024
#define RPC_MAX_MOST  (64u << 20)

struct rpc_hello {
	struct qp_peer qp;
	uint64_t session; /* 0: a server's */
	size_t max;	  /* bytes of the largest message that it takes */
};

/* To be freed. */
char *rpc_hello_text(const struct rpc_hello *h);
/* In place of a hello: why there is none. To be freed. */
char *rpc_hello_refusal(const char *why);
/* Everything is checked, as it comes from someone else. -1 with s->fail filled. */
int rpc_hello_read(struct session *s, const char *text, size_t len, struct rpc_hello *h);

#endif
