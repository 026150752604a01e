/* SPDX-License-Identifier: MIT */
/*
 * Connections as the communication protocol sees them: InfiniBand specification volume 1,
 * 12.9 (connections) and 12.11 (service id resolution of datagrams).
 *
 *   conn.c          the objects, and peers that were killed
 *   conn_exchange.c what is sent, repeated, and given up; what a message does in a state
 *   conn_request.c  requests that come in: duplicates, stale connections, listeners, those that
 *                   find nobody yet; service id resolution
 *   conn_ports.c    ports: who listens where; which process a MAD is for
 *
 * Everything runs with the lock held. A connection belongs to an id until that lets go of
 * it; then it ends what it has begun (answers duplicates, disconnects) and frees itself.
 */
#ifndef UROCE_CONN_H
#define UROCE_CONN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "mad.h"
#include "context.h"
#include "engine.h"
#include "gid.h"
#include "link.h"

struct cm_id;
struct port;

enum conn_state {
	CONN_IDLE, /* nothing yet, or it is over */
	CONN_REQ_SENT,
	CONN_REQ_RCVD,
	CONN_REP_SENT,
	CONN_REP_RCVD,
	CONN_ESTABLISHED,
	CONN_DREQ_SENT,
	CONN_DREQ_RCVD,
	CONN_TIMEWAIT,
	CONN_REJ_SENT, /* answers duplicates of what was rejected for a while */
	CONN_SIDR_SENT,
	CONN_SIDR_RCVD,
	CONN_SIDR_REP_SENT, /* answers duplicates */
	CONN_STATES,
};

struct conn {
	LIST_ENTRY(conn) entry;
	struct cm_id *user; /* NULL: let go */
	enum conn_state state;
	uint32_t local_id, remote_id; /* communication ids, or the request id of a datagram */
	uint64_t tid;		      /* that answers repeat */
	uint64_t guid;		      /* of the peer's channel adapter */
	bool knows_peer;	      /* guid, remote_id and remote_qpn: conn_meets_peer() */
	pid_t peer; /* the process in the peer's slot, if it is on this host; 0: none */
	struct flow flow;
	struct port *port; /* of the listener: held as long as duplicates of the REQ matter */
	uint64_t service;

	enum ibv_qp_type qp_type;
	uint32_t local_qpn, remote_qpn;
	uint32_t rq_psn; /* ours: the peer begins with it */
	uint32_t sq_psn; /* the peer's: we begin with it */
	/* as the QP of this side is to be set */
	uint8_t responder_resources, initiator_depth;
	uint8_t retry_count, rnr_retry_count;
	uint8_t ack_timeout; /* 4.096 us * 2^n */
	enum ibv_mtu mtu;
	/* what the peer is told of this side */
	bool srq, flow_control;
	uint8_t rnr_retry_offer; /* in a REP: how often the peer is to try */

	uint8_t rule;	    /* the number of the rule that fails the connection, from 1; 0: none */
	uint8_t on_purpose; /* enum rdma_cm_event_type that a rule makes when the timer runs out; 0
			     */
	uint16_t reason;    /* of a rejection on purpose */

	struct timer timer;
	uint64_t give_up; /* when no answer has come, engine_now() */
	uint64_t wait;	  /* until the next repetition, ns */
	unsigned repeated;
	uint8_t sent[MAD_BYTES];
};

/* The events that the user of a connection is told of. m: the message with the private data, or
 * NULL. */
enum conn_event {
	CONN_EV_RESPONSE,     /* active: REP */
	CONN_EV_ESTABLISHED,  /* passive: RTU; of a datagram active: SIDR_REP */
	CONN_EV_REJECTED,     /* status: the reason */
	CONN_EV_UNREACHABLE,  /* status: -ETIMEDOUT, or the status of a SIDR_REP */
	CONN_EV_DISCONNECTED, /* status: 0, or -ETIMEDOUT */
	CONN_EV_TIMEWAIT_EXIT,
};

/* Implemented by the user: queues the event, and leaves c alone. */
void id_conn_event(struct cm_id *id, enum conn_event event, int status, const struct mad *m);
/* Implemented by the user: a new request for listener, which is all checked. Sets c->user
 * and returns 0, or the reason (status of a datagram) to reject it with, or CONN_IGNORE. */
#define CONN_IGNORE -1
int id_conn_request(struct cm_id *listener, struct conn *c, const struct mad *m,
		    const struct mad_ip *ip);

/* A connection in IDLE with a communication id and its timer reserved; NULL: ENOMEM. */
struct conn *conn_new(struct cm_id *user);
/* Its id goes: ends what there is as the state demands (REJ, DREQ, DREP). */
void conn_let_go(struct conn *c);
/* Frees one that never came to be. */
void conn_free(struct conn *c);

/* The actions of its user; data: len bytes, no more than the message holds. Those that the state
 * does not allow return -1 with EINVAL. The QP numbers, PSN and the like are in c. */
void conn_connect(struct conn *c, const void *data, size_t len);
int conn_accept(struct conn *c, const void *data, size_t len);
int conn_establish(struct conn *c);	/* RTU, when the QP is ready */
int conn_communicating(struct conn *c); /* data came before the RTU; EISCONN: it was known */
int conn_reject(struct conn *c, enum rej_reason reason, const void *data, size_t len);
/* DREQ, or DREP when the peer has begun; otherwise nothing is to be done. */
void conn_disconnect(struct conn *c);

/* Datagrams: c->service asks for a QP; the answer to a question. */
void conn_resolve(struct conn *c, const void *data, size_t len);
int conn_answer(struct conn *c, enum sidr_status status, uint32_t qkey, const void *data,
		size_t len);

/* A message that has passed mad_parse(), for this process. */
void conn_input(const struct mad_from *from, const struct mad *m);
/* A REQ or SIDR_REQ. */
void conn_request_input(const struct mad_from *from, const struct mad *m);
/* The same, wherever on this host it belongs to. */
void conn_request_route(const struct mad_from *from, const struct mad *m);
void conn_request_forget_deferred(void); /* after fork() */
/* The end of service id resolution. */
void conn_sidr_reply(struct conn *c, const struct mad *m);
/* Does what the state wants with a message from the connection's peer. */
void conn_rule(struct conn *c, const struct mad *m);

/* Answers to a sender that has no connection here; from is where the message came from. Nothing is
 * sent to or from an address that cannot be one of a connection. */
void conn_answer_rej(const struct mad_from *from, const struct mad *m, enum rej_reason reason);
void conn_answer_drep(const struct mad_from *from, const struct mad *m);

/* ------------------------------------------------- among the files named above -- */

/* By the communication id that the peer was given. */
struct conn *conn_find(uint32_t local_id);
/* By the peer's: the channel adapter and its communication id, or its QP (those that are
 * connected, or have been a moment ago). */
struct conn *conn_find_peer(uint64_t guid, uint32_t remote_id);
struct conn *conn_find_qpn(uint64_t guid, uint32_t remote_qpn);
/* A datagram's: by the address of who asks, and the request id. */
struct conn *conn_find_request(const union ibv_gid *src, uint32_t request_id);
/* guid, remote_id and remote_qpn are known now. */
void conn_meets_peer(struct conn *c);

/* A rule makes one of these events of the connection happen, now or later (common/fault_rule.h). */
bool conn_fails_on_purpose(struct conn *c, unsigned events);
#define CONN_EVENT(event) (1u << RDMA_CM_EVENT_##event)

/* The timer of a connection has run out. */
void conn_expired(struct timer *t);
/* A transaction id of ours. */
uint64_t conn_tid(const struct conn *c);
/* 12.7: timeouts are 4.096 us * 2^t. */
static inline uint64_t iba_time(unsigned t)
{
	return 4096ull << t;
}

void conn_enter(struct conn *c, enum conn_state state);
void conn_enter_timewait(struct conn *c);
/* Answers duplicates for some seconds, then is over. */
void conn_linger(struct conn *c, enum conn_state state);
/* It is over: freed when nobody has it. */
void conn_over(struct conn *c);
void conn_tell(struct conn *c, enum conn_event event, int status, const struct mad *m);

/* The number of READs and atomics at once: as many as asked for, or as the device has. */
static inline uint8_t limit_rd_atom(uint8_t n)
{
	return n < MAX_RD_ATOM ? n : MAX_RD_ATOM;
}

/* Begins a message of the connection. */
void conn_message(const struct conn *c, struct mad *m, enum mad_attr attr);
/* Sends it, and again until an answer comes. once: until the same is asked again. */
void conn_send(struct conn *c, const struct mad *m);
void conn_send_once(struct conn *c, const struct mad *m);
void conn_send_again(struct conn *c);
void conn_send_rej(struct conn *c, enum mad_about about, enum rej_reason reason, const void *data,
		   size_t len);

/* GUID of the channel adapter of this process: random, so that what a process has left
 * behind is not taken for connections of its successor. */
uint64_t conn_guid(void);

/* The process ends: what the peers should know is sent once. */
void conn_farewell(void);
/* After fork(): frees all of them; their timers are forgotten already. */
void conn_forget(void);

/* ---------------------------------------------------------------- conn_ports.c -- */

/* Ports of the RDMA port spaces: who listens where. A port that is bound is a name that one
 * process of the host holds (link/group.h). As service ids: annex A11.2. */

struct group_name;

struct port {
	LIST_ENTRY(port) entry;
	uint16_t space, number;
	union ibv_gid addr; /* zero: any; ::ffff:0.0.0.0: any of IPv4 */
	bool both;	    /* any IPv6, and any IPv4 too */
	bool reuse;
	unsigned refs;
	unsigned ids; /* bound to it */
	struct group_name *names[2];
	struct cm_id *listener; /* NULL: bound only */
};

/* Binds an id: *number 0 chooses one and fills it in. The id has a reference, which
 * conn_port_leave() gives back. reuse: others of this process with reuse may have the same. NULL
 * with errno: EADDRINUSE, or EADDRNOTAVAIL when an "any" address is involved, as the kernel
 * has it; EMFILE and the like. */
struct port *conn_port_bind(uint16_t space, uint16_t *number, const union ibv_gid *addr, bool both,
			    bool reuse);
void conn_port_leave(struct port *p, struct cm_id *id);
/* Makes an id the listener; nobody else may be bound there. 0, or -1 with errno as above. */
int conn_port_listen(struct port *p, struct cm_id *id);
void conn_port_hold(struct port *p);
void conn_port_put(struct port *p);

/* The port of this process that takes requests for an address: one with a listener before
 * one without, that very address before any. NULL: none. */
struct port *conn_port_find(uint16_t space, uint16_t number, const union ibv_gid *dst);
/* Has a port of that number a listener in this process, on whatever address? */
bool conn_port_has_listener(uint16_t space, uint16_t number);

/* Calls fn for every port with a listener. */
void conn_port_each(void (*fn)(const struct port *p, void *arg), void *arg);

/* After fork(): the names are the parent's, and group_forget() has forgotten them. */
void conn_port_forget(void);

/* Of one that has asked and waits for an answer: has its peer been killed? */
void conn_check_peer(struct conn *c);

#endif
