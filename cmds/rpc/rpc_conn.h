/* SPDX-License-Identifier: MIT */
/*
 * One end of a connection between a client and a server: the session on its link, the timer of
 * the loop that it needs, and the TCP connection that says when it is over.
 */
#ifndef CMDS_RPC_CONN_H
#define CMDS_RPC_CONN_H

#include "rpc_hello.h"
#include "rpc_link.h"
#include "rpc_session.h"
#include "rpc_tcp.h"

struct rpc_conn_ops {
	rpc_message_fn *message; /* whole, in order */
	/* The peer's hello is right, and it can be reached. Returns -1 with s->fail filled when it
	 * is not wanted. */
	int (*met)(void *arg, const struct rpc_hello *theirs);
	void (*said)(void *arg, const char *line);
	/* It is over: gone and code say why. Called once; must not free the connection. */
	void (*over)(void *arg);
};

enum rpc_conn_state { RPC_MEETING, RPC_UP, RPC_OVER };

struct rpc_conn {
	struct session *s;
	const struct rpc_conn_ops *ops;
	void *arg;
	struct rpc_link *link;
	struct rpc_dest to;
	struct rpc_tcp tcp;
	struct rpc_session session;
	struct loop_timer *timer;
	int64_t timer_due;
	enum rpc_conn_state state;
	size_t max;    /* bytes of the largest message that the peer takes */
	size_t limit;  /* that we take */
	uint64_t id;   /* the session's; a server learns it from the client */
	bool heard;    /* a packet has come */
	bool qkey_set; /* the Q_Key to send with, whatever the peer tells */
	uint32_t qkey;
	char *gone, *code; /* why it is over */
};

/* fd: a TCP socket, taken over. id 0: a server. limit: of messages that come. */
void rpc_conn_begin(struct rpc_conn *c, struct session *s, struct rpc_link *link, int fd,
		    uint64_t id, const struct rpc_hello *mine, const struct rpc_conn_ops *ops,
		    void *arg);
void rpc_conn_post(struct rpc_conn *c, const void *data, size_t n);
/* A packet that rpc_packet_read() found good; from: the QP it came from. */
void rpc_conn_take(struct rpc_conn *c, const struct rpc_packet *p, uint32_t from);
/* It is over, for this reason; once. */
void rpc_conn_lost(struct rpc_conn *c, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Everything sent has arrived, or nothing will any more. */
bool rpc_conn_idle(const struct rpc_conn *c);
/* Ends it: the peer learns of it. What is not the link's is freed, but for the ah. */
void rpc_conn_end(struct rpc_conn *c);

/* What an end tells of itself: qp_peer_of() with the GID of the address that the TCP socket has
 * here, if the device has it. */
int rpc_hello_of(struct session *s, const struct rpc_link *l, int fd, uint64_t id, size_t limit,
		 struct rpc_hello *h);

#endif
