/* SPDX-License-Identifier: MIT */
/*
 * Connections by librdmacm: ids and their events, the library calls on them, addresses, the objects
 * of an end, listeners, multicast.
 */
#ifndef CMDS_CM_H
#define CMDS_CM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "connection/cm_id.h"
#include "object_args.h"
#include "objects.h"
#include "qp/qp.h"
#include "recorded.h"

/* rdma_create_id() on the event channel of the session. NULL with s->fail filled. */
struct id *id_make(struct session *s, const char *name, enum rdma_port_space ps);
/* The object for an id that librdmacm created for a request on listener. Takes ownership of v;
 * never fails. */
struct id *id_adopt(struct session *s, struct id *listener, struct rdma_cm_id *v);

#define ID_IN(state) (1u << (state))
/* Fails with the state of the id and the possible next step, unless the state is one of states.
 * what is the command, "cm connect". */
int id_need(struct session *s, const struct id *id, const char *what, unsigned states);
/* Fails unless the id is on a device. */
struct dev *id_dev(struct session *s, const struct id *id, const char *what);
/* Records that cq or ah was created for the id, until either is destroyed. Either may be NULL. */
void id_own_cq(struct id *id, struct cq *cq);
void id_own_ah(struct id *id, struct ah *ah);
void id_state(struct session *s, struct id *id, enum id_state state);

/* UDP and IPOIB port spaces: datagrams instead of connections. */
bool id_is_ud(const struct id *id);
/* "10.0.0.2:7471"; as temp_text(). */
const char *id_local(const struct id *id);
const char *id_peer(const struct id *id);
/* The commands to replace a connection whose QP has failed: "disconnect id1; connect 10.0.0.2
 * 7471"; as temp_text(). */
const char *id_again(struct session *s, const struct id *id);
/* The newest connected QP that was accepted on the same listener as id, or NULL. */
const struct qp *id_next_peer(struct session *s, const struct id *id);

/* An id before a host or a group: the word is an id only if it names one. Left out, it is as
 * kind_id. */
extern const struct arg_kind kind_id_first;

/* The arguments of commands that take nothing but an id. */
struct id_args {
	struct id *id;
};
extern const struct arg id_args[];

/* The length of private data without the zeros at its end, with which the CM pads it. */
size_t id_data_used(const unsigned char *data, size_t len);
/* Appends a hex dump, 16 bytes per line, indented; zeros at the end are only counted. */
void id_hexdump(const unsigned char *data, size_t len, struct text *d);

/*
 * Event channels and events of the connection manager.
 *
 * The loop reads an event, copies and acknowledges it (unless the id holds events), updates the id,
 * shows a notice, and queues the event on the id until a command takes it.
 */

/* The event channel of the session, created if there is none. NULL with s->fail filled. */
struct ec *ec_default(struct session *s);

#define CM_FOREVER UINT64_MAX

/* The command line as which the listener was made, without -accept; kept until the next call. */
const char *listen_again(const struct id *listener);
/* The request of id, which is connecting, if it waits for an answer in this session; or NULL. */
const struct id *cm_request_here(struct session *s, const struct id *id);
/* cm_await() at the prompt: what must answer is what is typed next. */
#define CM_ASKED_HERE 1
/* The time of connect where no -within is given. A person who gives a shorter one wants to wait. */
#define CM_CONNECT_MS 30000

/* Waits for the event want of the id, for up to within_ms (CM_FOREVER: no limit); other events are
 * skipped. If an event ends the attempt, it fails with the meaning, cause and remedy; call is the
 * command, for the message. *ev, unless NULL, gets a copy. */
int cm_await(struct session *s, struct id *id, const char *call, enum rdma_cm_event_type want,
	     uint64_t within_ms, struct cm_event *ev);
/* Waits for a request, on listener or (NULL) any: its id, or NULL with s->fail filled. what is the
 * command, "accept". */
struct id *cm_await_request(struct session *s, struct id *listener, const char *what,
			    uint64_t within_ms);
/* Waits for and takes the next event of id (for a listener also of its requests), or of any id
 * (NULL). *whose is set to its id. The caller frees the event. NULL with s->fail filled. */
struct cm_event *cm_next(struct session *s, struct id *id, uint64_t within_ms, struct id **whose);

/* Does such an event end the attempt to connect, to resolve or to join? */
bool cm_event_ends(enum rdma_cm_event_type type);

/* Acknowledges all events at the end of the program, so that destroying ids does not block. */
void cm_close(struct session *s);
/* Frees the queue and the private data of an id that is being destroyed. */
void id_drop_events(struct session *s, struct id *id);

/* Adds to s->fail a row for each peer that has disconnected, the reason for flushed completions. */
void cm_circumstances(struct session *s);
/* "8 INVALID_SERVICE_ID", "-110 ETIMEDOUT": the status in words; as temp_text(). */
const char *cm_status_text(const struct cm_event *ev);

/* Appends ev to the id's queue, which takes ownership. The oldest events are dropped if they are
 * not taken. */
void cm_queue(struct session *s, struct id *id, struct cm_event *ev);
/* Is a command waiting for events of this id? Then no notice is shown. */
bool cm_awaited(const struct id *id);

/*
 * One library call each, with trace and explained failure, for the step-by-step commands and for
 * connect and listen. Calls of the active side only start an operation: the answer is an event, see
 * cm_await(). 0, or -1 with s->fail filled.
 */

/* -private-data and the other connection parameters: rows of an argument table. */
struct conn_args {
	struct bytes data;
	struct num responder, initiator, flow, retry, rnr;
	struct num srq, qpn; /* only for a QP that was not created with the id */
};
#define CONN_ARGS(st, f)                                                                           \
	OPT("private-data", st, f.data, kind_bytes, "bytes for the peer, text or binary"),         \
		OPT("responder-resources", st, f.responder, kind_u8,                               \
		    "READs and atomics of the peer at a time (default 16 or the most "             \
		    "possible)"),                                                                  \
		OPT("initiator-depth", st, f.initiator, kind_u8,                                   \
		    "own READs and atomics at a time (default 16 or the most "                     \
		    "possible)"),                                                                  \
		OPT("flow-control", st, f.flow, kind_u8, "hardware flow control", .max = 1),       \
		OPT("retry-cnt", st, f.retry, kind_u8,                                             \
		    "retries of both ends without an answer; that of connect counts (default: 7)", \
		    .max = 7),                                                                     \
		OPT("rnr-retry", st, f.rnr, kind_u8,                                               \
		    "how often the peer repeats a send when no receive is posted here; 7: "        \
		    "without limit (the default)",                                                 \
		    .max = 7)
#define CONN_QP_ARGS(st, f)                                                                    \
	OPT("srq", st, f.srq, kind_u8, "1: the QP uses an SRQ (with -qpn)", .max = 1),         \
		OPT("qpn", st, f.qpn, kind_u32, "number of a QP that was made without the id", \
		    .max = 0xffffff)

/* Fails if len bytes do not fit into the private data of rdma_connect(), rdma_accept() or
 * rdma_reject(). */
int cm_data_fits(struct session *s, const struct id *id, enum call_row row, size_t len);

/* address NULL: all of IPv4, or (v6) of IPv6. */
int cm_step_bind(struct session *s, struct id *id, const char *address, uint16_t port, bool v6);
int cm_step_listen(struct session *s, struct id *id, int backlog);
/* source: a local address, or NULL. These two wait for the event only if wait is true. within_ms is
 * the library's time limit. */
int cm_step_resolve_addr(struct session *s, struct id *id, const char *source,
			 const struct sockaddr_storage *to, uint64_t within_ms, bool wait);
int cm_step_resolve_route(struct session *s, struct id *id, uint64_t within_ms, bool wait);
/* Arguments that are not given have defaults within the limits of the device and of the peer's
 * request. */
int cm_step_connect(struct session *s, struct id *id, const struct conn_args *a);
int cm_step_accept(struct session *s, struct id *id, const struct conn_args *a);
int cm_step_reject(struct session *s, struct id *id, const void *data, size_t len);
int cm_step_disconnect(struct session *s, struct id *id);

/* Creates an address handle from an event (ESTABLISHED of a UD id, MULTICAST_JOIN), in the PD of
 * the id's QP, if it has one. */
int cm_step_make_ah(struct session *s, struct id *id, const struct cm_event *ev);

/* Waits for ESTABLISHED, or CONNECT_RESPONSE for an id without a QP. For UD it creates the address
 * handle. */
int cm_finish_connect(struct session *s, struct id *id, uint64_t within_ms);
/* Waits for ESTABLISHED on the passive side; UD needs no wait. */
int cm_finish_accept(struct session *s, struct id *id, uint64_t within_ms);

/* Writes a connected, prepared or disconnected id as the result of a command. */
void id_out(struct session *s, struct id *id, struct out *o);

/* Addresses for the connection manager. */

/* Reads a host (IPv4, IPv6 bare or with a scope, a name) and a port into *sa. host NULL:
 * the wildcard of family. family: AF_UNSPEC, or that of the other end. -1: fails. */
int cm_addr_parse(struct session *s, const char *host, uint16_t port, int family,
		  struct sockaddr_storage *sa);
/* "10.0.0.1:7471", "[fe80::1%eth0]:7471"; as temp_text(). */
const char *cm_addr_text(const struct sockaddr *sa);
/* The same without the port. */
const char *cm_addr_host(const struct sockaddr *sa);
bool cm_addr_any(const struct sockaddr *sa);

/* These two add rows to s->fail: the cause, from the current state of the system, and the remedy.
 */

/* Resolving src (or NULL) -> dst failed with errno err. */
void cm_explain_resolve(struct session *s, const struct sockaddr *src, const struct sockaddr *dst,
			int err);
/* Binding to sa, or listening there, has failed: fails with the last call. Returns -1. */
int cm_fail_bind(struct session *s, const struct sockaddr *sa);

struct text;
struct live_region;
struct meeting;

/* Fills m with the address of the default device, which is opened if necessary, and a free port. -1
 * with s->fail filled: there is no device or no free port. */
int cm_meet(struct session *s, struct meeting *m);

/* The resources of one end of a connection besides its id: PD, CQ, QP, and the shared region. */

struct ends_args {
	struct pd *pd;
	struct cq *cq;
	struct srq *srq;
	struct num depth;
	struct qp_sizes sizes;
	bool events;
	const char *qp_name;
};
#define ENDS_ARGS(st, f)                                                                        \
	OPT("pd", st, f.pd, kind_pd_opt, "protection domain; else the first of the device"),    \
		OPT("cq", st, f.cq, kind_cq_opt, "CQ of both queues; else one is made"),        \
		OPT("srq", st, f.srq, kind_srq_opt, "take receives from this SRQ"),             \
		OPT("depth", st, f.depth, kind_u32, "entries of the CQ that is made", .min = 1, \
		    .max = INT32_MAX),                                                          \
		SWITCH("events", st, f.events,                                                  \
		       "the CQ gets a completion channel, for arm and wait"),                   \
		QP_SIZE_ARGS(st, f.sizes),                                                      \
		OPT("qp", st, f.qp_name, kind_str, "name for the QP that is made")

/* Fails, naming call, if any of them or the region to share (NULL: none) is on another device than
 * the id. */
int cm_ends_same_dev(struct session *s, const char *call, const struct id *id,
		     const struct ends_args *a, const struct mr *share);
/* Creates the QP of the id, and PD and CQ if they are missing. */
int cm_ends_make(struct session *s, struct id *id, const struct ends_args *a);

/* Destroys the id, its QP, and the CQ and channel that were created for them. */
int cm_ends_destroy(struct session *s, struct id *id);
/* Did the user name any of them? */
bool cm_ends_named(const struct id *id);

/* How a listener answers requests: the options of listen. */

struct listening {
	bool accept;	  /* accept automatically */
	struct mr *share; /* region whose address and key are sent with accept, or NULL */
	bool keep;	  /* keep accepted connections when the peer disconnects */
	struct ends_args ends;
	struct conn_args conn; /* data points to the bytes below */
	unsigned char data[256];
};

/* Handles a request on listener: answers it if that is automatic. May destroy id. */
void listen_answer(struct session *s, struct id *listener, struct id *id);

/* Was the id accepted automatically, has its peer disconnected, and is it unused? Then it can be
 * destroyed. */
bool listen_forgets(struct session *s, const struct id *id);
/* Destroys all such ids of the listener (NULL: none), so that they do not accumulate in a server.
 * Preserves s->fail. */
void listen_sweep(struct session *s, struct id *listener);

/*
 * The memory window of a server, which listen -share sends to each client in the private data.
 */

#define SHARE_BYTES 40

/* Writes address, key and length of mr in the form that any client reads (8, 4 and 8 bytes,
 * big-endian), then what only rdmash reads. */
void cm_share_pack(const struct live_region *mr, unsigned char data[SHARE_BYTES]);
/* Parses the data of cm_share_pack() into addr, len, rkey and access of *window. False, with
 * nothing changed: the data is something else, or invalid. */
bool cm_share_unpack(const unsigned char *data, size_t len, struct qp_peer *window);

/* "its window of 4096 bytes is open to writes and reads": for a connected QP whose peer sent a
 * window; writes the value "window". */
void cm_share_out(const struct qp_peer *window, struct out *o);

/* Multicast memberships: an object each, so that they end before their QP and id do. */

struct mcast {
	struct obj o;
	struct id *id;		      /* joined through it (cm join), or NULL: attached by hand */
	struct qp *qp;		      /* may be NULL with an id */
	char group[64];		      /* as it was typed */
	union ibv_gid gid;	      /* of the group */
	struct sockaddr_storage addr; /* with an id: of the group */
	uint16_t lid;		      /* without an id: of the group */
};

/* The GID of a group that has this address. */
union ibv_gid mcast_gid(const struct sockaddr *group);
/* Creates the object for a QP that was attached by hand. */
struct mcast *mcast_attached(struct session *s, struct qp *qp, const union ibv_gid *gid,
			     uint16_t lid, const char *group);
/* Creates the object for an id that joins; qp is the QP that receives, or NULL. */
struct mcast *mcast_joined(struct session *s, struct id *id, struct qp *qp,
			   const struct sockaddr *addr, const char *group);
/* The membership of o, an id or a QP, in the group, or NULL. */
struct mcast *mcast_find(const struct obj *o, const union ibv_gid *gid);
/* Fails if the QP is in the group already: a QP is in a group once, however often it is attached,
 * and the first detach ends that. call is for the message; qp may be NULL. */
int mcast_check_once(struct session *s, const char *call, const struct qp *qp,
		     const union ibv_gid *gid);

#endif
