/* SPDX-License-Identifier: MIT */
/*
 * The TCP connection beside a session: both ends tell of their QPs over it, the server says
 * whether it takes the client, and then it stays, so that each learns at once when the other is
 * gone. A last line says why.
 */
#ifndef CMDS_RPC_TCP_H
#define CMDS_RPC_TCP_H

#include "oob.h"

struct rpc_tcp_ops {
	void (*hello)(void *arg, const char *text, size_t len); /* the peer's */
	void (*said)(void *arg, const char *line);		/* without newline */
	void (*gone)(void *arg, const char *code, const char *why);
};

struct rpc_tcp {
	struct loop *loop;
	const struct rpc_tcp_ops *ops;
	void *arg;
	struct exchange x;
	int fd; /* after the exchange; -1: none */
	char line[256];
	unsigned n;
};

/* Takes the socket; hello is sent to the peer, by a server at once. */
void rpc_tcp_begin(struct rpc_tcp *t, struct loop *loop, int fd, bool server, const char *hello,
		   const struct rpc_tcp_ops *ops, void *arg);
/* A short line to the peer; one that does not go at once is lost. */
void rpc_tcp_say(struct rpc_tcp *t, const char *line);
/* Closes; more than once does no harm. */
void rpc_tcp_end(struct rpc_tcp *t);

#endif
