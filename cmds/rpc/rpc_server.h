/* SPDX-License-Identifier: MIT */
/* A server and its clients, as objects: they live in the event loop while commands go on. */
#ifndef CMDS_RPC_SERVER_H
#define CMDS_RPC_SERVER_H

#include "rpc_conn.h"
#include "rpc_ledger.h"
#include "rpc_message.h"

#define RPC_CLIENTS 64 /* of a server, at most */

struct rpc_job;
STAILQ_HEAD(rpc_job_list, rpc_job);

struct rpc_server {
	struct obj o;
	struct session *s;
	const struct rpc_link_kind *kind;
	struct rpc_link link; /* UD: of all clients */
	bool has_link;
	int fd; /* TCP */
	char *where;
	uint16_t port;
	size_t max;
	unsigned depth;
	int64_t hello_ms;	  /* for a client to say who it is */
	struct rpc_job_list jobs; /* requests to be executed */
	size_t waiting;		  /* bytes of them */
	struct loop_timer *pump;
	bool running; /* a body is being executed */
	uint64_t answered, failed, clients, left;
};

/* What the server knows of one client. */
struct rpc_client {
	struct obj o;
	struct rpc_server *server;
	struct rpc_conn conn;
	struct rpc_link link; /* RC: its own */
	bool has_link;
	struct rpc_ledger ledger;
	struct loop_timer *late, *reap;
	uint64_t answered;
};

extern const struct obj_class rpc_client_class;

struct rpc_server_spec {
	const char *name, *addr;
	uint16_t port;
	const struct rpc_link_kind *kind;
	unsigned depth;
	uint32_t qkey;
	size_t max;
	int64_t hello_ms;
};
struct rpc_server *rpc_server_make(struct session *s, const struct rpc_server_spec *spec);
/* rpc_client.c: a client has come to the TCP port. The socket is taken over. */
void rpc_client_accept(struct rpc_server *sv, int fd);
/* The client of that session, or NULL. */
struct rpc_client *rpc_client_find(struct rpc_server *sv, uint64_t session);
/* rpc_execute.c: a request of the client has come, of so many bytes; m is taken over. */
void rpc_request_take(struct rpc_client *c, Rpc__Message *m, size_t len);
void rpc_jobs_free(struct rpc_server *sv);
/* Is one of the servers of this process executing a body? */
bool rpc_is_executing(struct session *s, uint64_t session);

#endif
