/* SPDX-License-Identifier: MIT */
/*
 * Queue pairs: what verbs/ (which creates, modifies and posts) and transport/ (which works
 * the queues off) share. InfiniBand specification volume 1, 10.3 and 10.8.
 */
#ifndef UROCE_QUEUE_PAIR_H
#define UROCE_QUEUE_PAIR_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "completion_queue.h"
#include "context.h"
#include "history.h"
#include "inventory.h"
#include "lent.h"
#include "link.h"
#include "order.h"
#include "region.h"
#include "engine.h"

struct srq;
struct xrcd;
struct wr_op;

/* Two cache lines, and in the same page what they point to: with many QPs, each request finds its
 * slot in none of the caches, nor its page in the TLB. */
struct send_wqe {
	uint64_t wr_id;
	const struct wr_op *op;
	unsigned flags; /* IBV_SEND_... */
	uint32_t len;	/* of all SGEs, bytes */
	union {
		__be32 imm;
		uint32_t inv_rkey;
	};
	int nsge;      /* -1: data holds the bytes, which were copied when it was posted */
	bool signaled; /* its success makes a completion too */
	/* the requester's: not set when it is posted, but started is false */
	bool started;		      /* it has PSNs, or was done here: BIND_MW, LOCAL_INV */
	uint8_t rule;		      /* that makes it fail (rules_hit()); 0: none */
	enum ibv_wc_status status;    /* of what was done here; else why it cannot be sent */
	uint32_t first_psn, last_psn; /* READ: of the responses */
	union {
		struct ibv_sge *sge;
		uint8_t *data;
	};
	union {
		struct { /* RDMA and atomics */
			uint64_t remote;
			union {
				uint64_t compare_add;
				uint32_t flush_len;
			};
			union {
				uint64_t swap;
				uint32_t feth;
			};
			uint32_t rkey;
			uint32_t remote_srqn; /* XRC, SENDs too */
		};
		struct { /* UD: of the address handle, as it was when it was posted */
			struct flow flow;
			uint32_t dest_qpn, dest_qkey; /* bit 31 of the key: that of the QP */
		};
		struct window_bind bind; /* BIND_MW: region_window_bind_of() when it was posted */
	};
};

/* Three positions that run freely; the slot is position & mask:
 * [head, next): on their way; [next, tail): posted, not yet begun. Only posting moves the
 * tail: a reset drops requests by moving head and next to it. */
struct send_queue {
	uint8_t *ring;	     /* slots of stride bytes: a struct send_wqe, its SGEs or inline data */
	uint32_t stride;     /* whole cache lines */
	uint32_t mask, size; /* size: how many may be posted; the ring has at least one slot */
	uint32_t head, next, tail;
};

/* Posting: requests are written beyond the tail without the engine's lock; under that lock the tail
 * moves over all of them at once. stage_commit() */
struct poster {
	pthread_mutex_t lock; /* ibv_post_send(), or from wr_start() to wr_complete() */
	uint32_t head;	      /* of the queue, when it was last looked at */
	uint32_t n;	      /* requests beyond the tail, without the one being written */
	struct send_wqe *wqe; /* being written, or NULL */
	bool needs_peer;      /* UD: there is no address yet; XRC: no SRQ */
	bool open;	      /* wr_start() was called */
	int err;	      /* of wr_...(): the first */
	uint64_t send_ops;    /* IBV_QP_EX_WITH_...: of ibv_create_qp_ex(); 0: no wr_...() */
};

struct recv_wqe {
	uint64_t wr_id;
	uint32_t len;
	uint32_t position; /* in its queue */
	int nsge;
	struct ibv_sge *sge;
};

struct recv_queue {
	struct recv_wqe *ring;
	struct ibv_sge *room;
	uint32_t mask, size, max_sge;
	uint32_t head, tail;
};

/* Of a READ or an atomic, sent or to be sent: duplicates get the same one. 9.7.5.1.2 */
struct response {
	enum {
		RESPONSE_NONE,
		RESPONSE_READ,
		RESPONSE_ATOMIC,
		RESPONSE_ATOMIC_WRITE,
		RESPONSE_FLUSH
	} kind;
	bool again; /* it was asked for again: to be sent, and may be dropped */
	uint32_t first_psn, last_psn;
	uint32_t next_psn; /* next response to send; beyond last_psn: none */
	uint32_t msn;
	uint32_t rkey, len; /* READ */
	uint64_t va;
	uint32_t srqn;	   /* XRC: whose PD it is of */
	uint64_t original; /* atomic */
};

/* Of RC; UC and UD use psn only. PSNs from una_psn to next_psn are in flight. */
struct requester {
	uint32_t psn;	       /* the first that was never sent */
	uint32_t next_psn;     /* the next to send: before psn while going back */
	uint32_t una_psn;      /* the oldest that is not acknowledged */
	uint32_t at;	       /* position in the SQ of what next_psn belongs to */
	uint16_t window;       /* packets in flight at most; shrinks on loss, grows on success */
	uint16_t grown;	       /* packets acknowledged since it grew */
	uint16_t since_ackreq; /* packets sent since AckReq was last set */
	uint8_t retries, rnr_retries; /* left */
	uint8_t timeouts;	      /* in a row, up to TIMEOUT_DOUBLES */
	uint8_t reads;		      /* READ requests and atomics in flight */
	bool rnr_wait;		      /* nothing is sent until timer runs out */
	bool stalled;		      /* nothing is sent until qp->order.sending is over */
	bool recovering;	      /* a go-back was made for una_psn: one per loss */
	bool broken;		      /* the request at "at" cannot be sent: it fails in its turn */
	bool socket_wait;	      /* on the list of those that wait for socket_room: room.c */
	bool ring_wait;		      /* on the list of those that wait for a ring that is full */
	uint32_t socket_bytes;	      /* of socket_room, in socket_epoch */
	uint32_t socket_epoch;
	uint64_t ring_deadline; /* when a wait for the ring ends in vain; 0: there is none */
	uint64_t timeout;	/* ns; 0: none */
	uint64_t deadline;  /* for the oldest packet; timer may run out before, and is set again */
	struct timer timer; /* of the oldest packet, of an RNR wait, of a wait for room */
	TAILQ_ENTRY(qp) socket_next, ring_next;
};

struct responder {
	uint32_t psn; /* expected */
	uint32_t msn;
	/* the message that is coming in */
	const struct opcode *last_op; /* NULL: between messages */
	uint64_t va;		      /* of a WRITE: where the next packet goes */
	uint32_t rkey, left, done;    /* bytes to come, bytes that have come */
	bool has_recv;
	bool drop_rest;	  /* UC: until the next FIRST or ONLY */
	bool ack_due;	  /* at the end of the pass: one ACK for many packets */
	bool lacks_recv;  /* the expected packet was refused for want of a receive */
	bool nak_sent;	  /* sequence error, or RNR: once until the expected packet comes */
	bool failing;	  /* nak ends the QP: nothing is taken in any more */
	uint8_t nak;	  /* syndrome to send when all responses have been; 0: none */
	uint32_t nak_psn; /* not of a sequence error */
	int nak_event;	  /* to raise when it has been sent, or -1 */
	struct response *responses; /* a ring: responses_resize() */
	uint32_t responses_mask;    /* its size is a power of two */
	uint32_t responses_limit;   /* max_dest_rd_atomic */
	uint32_t response_tail;	    /* position of the next one; runs freely */
	uint32_t response_first;    /* before it, all are forgotten */
	uint32_t response_send;	    /* before it, nothing is left to send */
	/* does the application answer WRITEs? responder.c */
	uint64_t write_came;	  /* when the last one came that was not answered; 0: none */
	uint64_t hold_until;	  /* its ACK waits for the answer until then */
	unsigned writes_answered; /* so many in a row were */
	unsigned hold_after;	  /* so many must have been before an ACK is held */
	struct recv_wqe recv;	  /* taken for the message, when has_recv */
	struct ibv_sge *recv_sge; /* of recv */
};

/* Data and completions of a QP that are held back on purpose: base/order.h. */
struct qp_order {
	unsigned soon;	   /* pieces that come to memory before their completion or ACK */
	unsigned unplaced; /* those that the ACK waits for */
	unsigned far;	   /* pieces that wait for one who has to look */
	bool resumed;	   /* the next packet was held back before */
	uint32_t
		polled; /* places of the send queue before it are free, not those before the head */
	struct order_wait place_soon, place_far, sending;
};

/* Lists of transport.c. */
enum qp_due { DUE_NONE, DUE_NOW, DUE_ACK, DUE_HELD };

struct qp {
	union {
		struct ibv_qp v;
		struct ibv_qp_ex ex;
		char room[sizeof(struct ibv_qp_ex) + 256]; /* newer headers have more at its end */
	};
	/* what each request and packet looks at, close together */
	_Alignas(CACHE_LINE) struct pd *pd;
	struct cq *send_cq, *recv_cq; /* NULL where the type of QP has none */
	struct srq *srq;	      /* or NULL; XRC_RECV: below */
	struct xrcd *xrcd;	      /* of XRC_RECV */
	enum ibv_qp_type type;
	uint32_t mtu;	 /* bytes, from attr.path_mtu */
	enum qp_due due; /* which list of transport_finish() it is on */
	bool sq_sig_all;
	bool draining;	  /* SQD was asked for: not all that is on its way has ended */
	bool comm_est;	  /* COMM_EST was raised */
	bool last_wqe;	  /* LAST_WQE_REACHED was raised */
	struct flow flow; /* RC, UC: from attr.ah_attr */
	TAILQ_ENTRY(qp) due_next;
	struct requester req;
	struct send_queue sq;
	struct poster post;
	struct responder resp;
	struct recv_queue rq;
	/* The attributes that ibv_query_qp() returns: its qp_state is the state of the QP (v.state
	 * is a copy for the application, which may be old). */
	struct ibv_qp_attr attr;
	struct ibv_qp_cap cap;
	struct context *ctx;
	unsigned mcast;	 /* groups it is attached to */
	uint32_t number; /* of all that were made, from 0 */
	uint64_t steps;	 /* from one state to another: inventory.h */
	struct qp_order order;
	struct qp_history history;
};

static inline struct qp *to_qp(struct ibv_qp *qp)
{
	return (struct qp *)qp;
}

/* Are the packets that such a QP sends, or those that it takes in, acknowledged? */
static inline bool qp_reliable(const struct qp *qp)
{
	return qp->type == IBV_QPT_RC || qp->type == IBV_QPT_XRC_SEND ||
	       qp->type == IBV_QPT_XRC_RECV;
}

static inline enum ibv_qp_state qp_state(const struct qp *qp)
{
	return qp->attr.qp_state;
}

/* ibv_modify_qp(3), by the program or for it. 0, or an errno. */
int qp_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, enum uroce_cause cause);
/* Fills in the attributes of ibv_query_qp(3). */
void qp_attr_now(const struct qp *qp, struct ibv_qp_attr *attr);

/* The QP with that number, or NULL. */
struct qp *qp_find(uint32_t qpn);
/* Is the other end of a connection a QP of this process? */
static inline bool qp_peer_is_here(const struct qp *qp)
{
	return memcmp(&qp->flow.sgid, &qp->flow.dgid, sizeof(qp->flow.sgid)) == 0 &&
	       qp_find(qp->attr.dest_qp_num);
}
/* Calls fn for every QP attached to the multicast group. */
void qp_each_in_group(const union ibv_gid *mgid, void (*fn)(struct qp *qp, void *arg), void *arg);
/* Calls fn for every QP. */
void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg);
/* After fork(), in the child, when the timers are forgotten: the QPs are the parent's.
 * They stay to be destroyed, in RESET; no packet finds them. */
void qp_forget_all(void);

static inline struct send_wqe *sq_at(struct qp *qp, uint32_t position)
{
	return (struct send_wqe *)(qp->sq.ring + (position & qp->sq.mask) * (size_t)qp->sq.stride);
}

/* Takes the next receive of the QP's own or shared queue into qp->resp.recv (which sets
 * has_recv); false: there is none. Raises SRQ_LIMIT_REACHED. */
bool qp_take_recv(struct qp *qp);
/* Receives that a QP in ERR still has: hands each over as flushed (not those of an SRQ). */
void qp_flush_recvs(struct qp *qp);

/* ---------------------------------------------------------- recv_queue.c -- */

/* Shared receive queues: ibv_create_srq(3). Volume 1, 10.2.9. */

struct srq {
	struct ibv_srq v;
	struct pd *pd;
	struct context *ctx;
	struct recv_queue rq;
	uint32_t limit;	       /* SRQ_LIMIT_REACHED when fewer are left; 0: not armed */
	unsigned users;	       /* QPs */
	LIST_ENTRY(srq) entry; /* of all that there are */
	/* of type XRC: */
	struct xrcd *xrcd; /* NULL: another type */
	struct cq *cq;	   /* where receives complete, whichever QP they are for */
	uint32_t number;
};

static inline struct srq *to_srq(struct ibv_srq *srq)
{
	return (struct srq *)srq;
}

/* The queue that the receives of a QP are of. */
static inline struct recv_queue *qp_recv_queue(struct qp *qp)
{
	return qp->srq ? &qp->srq->rq : &qp->rq;
}

/* Calls fn for every shared one. */
void srq_each(void (*fn)(struct srq *srq, void *arg), void *arg);

/* Room for at least wr requests of sge SGEs. 0, or -1 with ENOMEM. */
int recv_queue_init(struct recv_queue *rq, uint32_t wr, uint32_t sge);
void recv_queue_free(struct recv_queue *rq);

/* --------------------------------------------------- protection_domain.c: XRC -- */

/*
 * XRC: any QP of a peer reaches any SRQ of a domain. ibv_open_xrcd(3); volume 1, annex A14.
 *
 * A QP of type XRC_RECV has no PD, no CQ and no SRQ of its own: each request names a SRQ, and
 * the QP takes on that one, with its CQ and PD, before the request is carried out.
 */

struct xrc_domain;

/* A handle of a domain: those opened with one file share the domain. */
struct xrcd {
	struct ibv_xrcd v;
	struct xrc_domain *domain;
	unsigned users; /* SRQs and QPs */
};

static inline struct xrcd *to_xrcd(struct ibv_xrcd *x)
{
	return (struct xrcd *)x;
}

/* Gives an SRQ of type XRC its number; the lock is held. srq->xrcd is set. */
void xrc_srq_enter(struct srq *srq);
/* The SRQ goes: no QP has it any more. */
void xrc_srq_leave(struct srq *srq);
/* After fork(), in the child: the next number is not the one that the parent gives. */
void xrc_forget(void);

/* The QP, of type XRC_RECV, takes on the SRQ with that number; same: it has to be the one that
 * it has. False: there is none in its domain, or it is another one. */
bool xrc_take_on(struct qp *qp, uint32_t srqn, bool same);
/* Takes on no more than its PD, to look up a key. False: there is no such SRQ any more. */
bool xrc_take_pd(struct qp *qp, uint32_t srqn);

/* ---------------------------------------------------------- send_queue.c -- */

/* ibv_bind_mw(3): a window of type 1, which ibv_post_send() does not take. 0 or an errno. */
int post_bind(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind *b);
/* ibv_post_send(). */
int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

/* Sets all that ibv_qp_ex has for the operations of qp->post.send_ops: extended_post.c. */
void wr_ex_init(struct qp *qp);

/* ibv_post_recv(). */
int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* ------------------------------------------ address_handle.c: multicast -- */

/* Addresses of this host came or went (gid_changed): groups are joined on new interfaces. */
void mcast_refresh(void);
/* The QP is no member of a group any more: its device is closed. */
void mcast_leave(struct qp *qp);
/* After fork(), in the child: the memberships are the parent's. */
void mcast_forget(void);

/* --------------------------------------------- address_handle.c: ibv_create_ah(3) -- */

struct ah {
	struct ibv_ah v;
	struct pd *pd;
	struct flow flow;
};

static inline struct ah *to_ah(struct ibv_ah *ah)
{
	return (struct ah *)ah;
}

/* Where an address vector leads; A17.8. 0, or an errno: EINVAL (not global, a port other
 * than 1, an index outside of the table, IPv4 and IPv6 mixed), ENODATA (no GID at that
 * index), ENETUNREACH or EHOSTUNREACH as the host's routes have it. */
int av_flow(struct flow *flow, unsigned device, const struct ibv_ah_attr *attr);

#endif
