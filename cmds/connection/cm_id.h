/* SPDX-License-Identifier: MIT */
/* Connection ids: made, adopted from a request, the library calls on them, and their events. */
#ifndef CMDS_CM_ID_H
#define CMDS_CM_ID_H

#include <sys/socket.h>

#include "objects.h"

/* rdma_create_id() on ec (NULL: the default channel). NULL with s->fail filled. */
struct id *id_make(struct session *s, const char *name, struct ec *ec, enum rdma_port_space ps);
/* The id that librdmacm made for a request on listener. Takes v over; never fails. */
struct id *id_adopt(struct session *s, struct id *listener, struct rdma_cm_id *v);

#define ID_IN(state) (1u << (state))
/* Fails with the state of the id and the next legal step unless the state is one of
 * states; what: the command, "cm connect". */
int id_need(struct session *s, const struct id *id, const char *what, unsigned states);
/* Fails unless the id is on a device. */
struct dev *id_dev(struct session *s, const struct id *id, const char *what);
/* The id knows what was made for it until either of them is destroyed. Of cq and ah each may be
 * NULL. */
void id_own_cq(struct id *id, struct cq *cq);
void id_own_ah(struct id *id, struct ah *ah);
void id_state(struct session *s, struct id *id, enum id_state state);

/* UDP and IPOIB port spaces: datagrams instead of connections. */
bool id_is_ud(const struct id *id);
/* The side that was asked. */
bool id_is_passive(const struct id *id);
/* "10.0.0.2:7471"; kept until the fourth call after. */
const char *id_local(const struct id *id);
const char *id_peer(const struct id *id);
/* What to type for a connection in place of that of id, whose QP is of no more use: "disconnect
 * id1; connect 10.0.0.2 7471"; to be freed. */
char *id_again(const struct id *id);

/* A positional before a host or a group: taken only when the word names an id; left out
 * as kind_id. */
extern const struct arg_kind kind_id_first;

/* Hex and text of bytes, 16 a line, indented; zeros at the end are counted, not shown. */
void id_hexdump(const unsigned char *data, size_t len, Tcl_DString *d);

/* librdmacm returns -1 and sets errno; old versions returned -errno. */
int cm_errno(int rc);

/*
 * Event channels and events of the connection manager.
 *
 * Events are read by the loop, copied, acknowledged at once (unless the id holds them),
 * noted on the id, told, and queued on the id until a command takes them.
 */

/* name NULL: the next number. NULL with s->fail filled. */
struct ec *ec_make(struct session *s, const char *name);
/* The first channel; made if there is none. */
struct ec *ec_default(struct session *s);

#define CM_FOREVER UINT64_MAX

/* Waits until the id gets the event want; events before it are passed over. Any other
 * event that ends the attempt fails with its meaning, cause and remedy; call names what
 * was tried. *ev (or NULL) gets a copy. */
int cm_await(struct session *s, struct id *id, const char *call, enum rdma_cm_event_type want,
	     uint64_t within_ms, struct cm_event *ev);
/* Waits for a request, on listener or (NULL) any: its id, or NULL with s->fail filled. */
struct id *cm_await_request(struct session *s, struct id *listener, uint64_t within_ms);
/* Waits for and takes the next event of id (a listener: of its requests too), or of any
 * id (NULL). Returns it, to be freed, and whose it is; NULL with s->fail filled. */
struct cm_event *cm_next(struct session *s, struct id *id, uint64_t within_ms, struct id **whose);

/* The same without waiting, for a handler. NULL: there is none, or a command waits for it. */
struct cm_event *cm_take(struct session *s, struct id *id, struct id **whose);
bool cm_pending(struct session *s, struct id *id);
/* Into the scope that is open: the valid fields, and lines of text. */
void cm_event_out(struct id *id, const struct cm_event *ev, struct out *o);

/* Acknowledges everything: the program ends, and nothing may wait for ever. */
void cm_close(struct session *s);
/* Drops the queue and the private data: the id goes. */
void cm_forget(struct session *s, struct id *id);

/* Fails with what the event means: cm_explain.c. Returns -1. */
int cm_explain(struct session *s, struct id *id, const char *call, const struct cm_event *ev);
/* Adds to s->fail a row for each peer that has left: why completions are flushed. */
void cm_circumstances(struct session *s);
/* "8 INVALID_SERVICE_ID", "-110 ETIMEDOUT": the status in words; kept until the fourth
 * call after. */
const char *cm_status_text(const struct id *id, const struct cm_event *ev);

/* The queue of events of an id, between the channel that fills it and who waits. */

/* Appends ev, which the queue then owns. The oldest go when no one takes them. */
void cm_queue(struct session *s, struct id *id, struct cm_event *ev);
/* Is a command waiting for events of this id? Then it is told by the command. */
bool cm_awaited(const struct id *id);

/* A request came in that is not answered by itself: says so at once if the command that waits
 * is the one that asked, in this very process. */
void cm_note_own(struct session *s, const struct id *request);

/*
 * One library call each, traced, with its failure explained: what both the step commands
 * and the commands in one go are made of. Those of the active side only start: the answer
 * is an event, see cm_await(). 0, or -1 with s->fail filled.
 */

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
