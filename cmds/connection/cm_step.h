/* SPDX-License-Identifier: MIT */
/*
 * One library call each, traced, with its failure explained: what both the step commands
 * and the commands in one go are made of. Those of the active side only start: the answer
 * is an event, see cm_await(). 0, or -1 with s->fail filled.
 */
#ifndef CMDS_CM_STEP_H
#define CMDS_CM_STEP_H

#include <sys/socket.h>

#include "objects.h"

/* -private-data and the other connection parameters: rows of an argument table. */
struct conn_args {
	struct bytes data;
	struct num responder, initiator, flow, retry, rnr;
	struct num srq, qpn; /* only for a QP that the id does not know */
};
#define CONN_ARGS(st, f)                                                                       \
	OPT("private-data", st, f.data, kind_bytes, "bytes for the peer, text or binary"),     \
		OPT("responder-resources", st, f.responder, kind_u8,                           \
		    "READs and atomics of the peer at a time (default 16 or the most "         \
		    "possible)"),                                                              \
		OPT("initiator-depth", st, f.initiator, kind_u8,                               \
		    "own READs and atomics at a time (default 16 or the most "                 \
		    "possible)"),                                                              \
		OPT("flow-control", st, f.flow, kind_u8, "hardware flow control", .max = 1),   \
		OPT("retry-count", st, f.retry, kind_u8,                                       \
		    "tries of both ends without an answer; only connect decides (default: 7)", \
		    .max = 7),                                                                 \
		OPT("rnr-retry", st, f.rnr, kind_u8,                                           \
		    "how often the peer's sends are tried again when no receive is posted "    \
		    "here; 7: for ever (the default)",                                         \
		    .max = 7)
#define CONN_QP_ARGS(st, f)                                                                    \
	OPT("srq", st, f.srq, kind_u8, "1: the QP uses an SRQ (with -qpn)", .max = 1),         \
		OPT("qpn", st, f.qpn, kind_u32, "number of a QP that was made without the id", \
		    .max = 0xffffff)

/* How many bytes of private data fit: for "connect", "accept" and "reject" of this id. */
enum data_for { DATA_CONNECT, DATA_ACCEPT, DATA_REJECT };
unsigned data_limit(const struct id *id, enum data_for what);
/* Fails when len bytes do not fit, naming the limit. */
int data_fits(struct session *s, const struct id *id, enum data_for what, size_t len);
/* What a connected QP would take: arguments, else defaults within the device's limits and
 * what the peer asked for. */
int conn_param(struct session *s, struct id *id, enum data_for what, const struct conn_args *a,
	       struct rdma_conn_param *p);

int step_bind(struct session *s, struct id *id, const struct sockaddr *sa);
int step_listen(struct session *s, struct id *id, int backlog);
/* src may be NULL. */
int step_resolve_addr(struct session *s, struct id *id, const struct sockaddr *src,
		      const struct sockaddr *dst, uint64_t within_ms);
int step_resolve_route(struct session *s, struct id *id, uint64_t within_ms);
int step_connect(struct session *s, struct id *id, struct rdma_conn_param *p);
int step_accept(struct session *s, struct id *id, struct rdma_conn_param *p);
int step_reject(struct session *s, struct id *id, const void *data, size_t len);
int step_disconnect(struct session *s, struct id *id);

/* The event (ESTABLISHED for datagrams, MULTICAST_JOIN) tells how to reach the other end:
 * makes an address handle of it in the PD of the id's QP, if there is one. */
int step_make_ah(struct session *s, struct id *id, const struct cm_event *ev);

/* Waits for what ends connecting: ESTABLISHED, or CONNECT_RESPONSE for an id without a
 * QP. For UD it makes the address handle. */
int finish_connect(struct session *s, struct id *id, uint64_t within_ms);
/* Waits for ESTABLISHED on the passive side; UD needs no wait. */
int finish_accept(struct session *s, struct id *id, uint64_t within_ms);

/* What a connected (or prepared, or disconnected) id is, as the result of a command. */
void out_id(struct session *s, struct id *id, struct out *o);

#endif
