/* SPDX-License-Identifier: MIT */
/*
 * Queue pairs: what verbs/ (which creates, modifies and posts) and transport/ (which works
 * the queues off) share. InfiniBand specification volume 1, 10.3 and 10.8.
 */
#ifndef UROCE_VERBS_QP_H
#define UROCE_VERBS_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "cq.h"
#include "region.h"
#include "timer.h"
#include "tx.h"

struct srq;

/* A list of memory: as posted, or bytes that were copied when it was (IBV_SEND_INLINE). */
struct send_wqe {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned flags; /* IBV_SEND_... */
	bool signaled;	/* its success makes a completion too */
	uint32_t len;	/* of all SGEs, bytes */
	__be32 imm;
	uint32_t inv_rkey;
	uint64_t remote; /* RDMA and atomics */
	uint32_t rkey;
	uint64_t compare_add, swap;
	struct flow flow; /* UD: of the address handle, as it was when it was posted */
	uint32_t dest_qpn, dest_qkey;
	struct window_bind bind; /* BIND_MW: window_bind_of() when it was posted */

	/* the requester's */
	bool started; /* has PSNs */
	uint32_t first_psn, last_psn;
	enum ibv_wc_status status;
	uint32_t received; /* bytes of a READ that have come */

	int nsge; /* -1: data holds the bytes */
	union {
		struct ibv_sge *sge;
		uint8_t *data;
	};
};

/* Three positions that run freely; the slot is position & mask:
 * [head, next): on their way; [next, tail): posted, not yet begun. */
struct send_queue {
	struct send_wqe *ring;
	uint8_t *room;	     /* of the SGEs and inline data of all slots */
	uint32_t mask, size; /* size: what was asked for; the ring may have more */
	uint32_t head, next, tail;
};

struct recv_wqe {
	uint64_t wr_id;
	uint32_t len;
	int nsge;
	struct ibv_sge *sge;
};

struct recv_queue {
	struct recv_wqe *ring;
	struct ibv_sge *room;
	uint32_t mask, size, max_sge;
	uint32_t head, tail;
};

/* A READ or an atomic that was answered, or is being answered: duplicates get the same
 * answer. 9.7.5.1.2 */
struct answer {
	enum { ANSWER_NONE, ANSWER_READ, ANSWER_ATOMIC } kind;
	uint32_t first_psn, last_psn;
	uint64_t va; /* READ */
	uint32_t rkey, len;
	uint32_t next_psn; /* READ: next response to send; beyond last_psn: done */
	uint64_t original; /* atomic */
	uint32_t msn;
};

/* Of RC and UC. */
struct requester {
	uint32_t psn;	   /* the next new one */
	uint32_t next_psn; /* the next to send: less than psn while retransmitting */
	uint32_t una_psn;  /* the oldest that is not acknowledged */
	uint32_t window;   /* packets in flight at most; shrinks on loss, grows on success */
	unsigned retries, rnr_retries; /* left */
	unsigned reads;		       /* READs and atomics that wait for an answer */
	unsigned since_ack;	       /* packets sent since AckReq was last set */
	bool rnr_wait;		       /* nothing is sent until timer runs out */
	bool recovering;	       /* a go-back was made for una_psn: one per loss */
	struct timer timer;	       /* of the oldest packet, or of an RNR wait */
};

struct responder {
	uint32_t psn; /* expected */
	uint32_t msn;
	bool nak_sent; /* sequence error, once until the expected packet comes */
	/* the message that is coming in */
	const struct opcode *last_op; /* NULL: between messages */
	struct recv_wqe recv;	      /* taken for it, when has_recv; sge points to recv_sge */
	bool has_recv;
	struct ibv_sge *recv_sge;
	uint64_t va;		   /* of a WRITE: where the next packet goes */
	uint32_t rkey, left, done; /* bytes to come, bytes that have come */
	struct answer *answers;	   /* a ring of max_dest_rd_atomic */
	unsigned nanswers, answer_next, answer_send;
	bool ack_due;	/* at the end of the pass: one ACK for many packets */
	bool drop_rest; /* UC: until the next FIRST or ONLY */
};

struct qp {
	union {
		struct ibv_qp v;
		struct ibv_qp_ex ex;
		char room[sizeof(struct ibv_qp_ex) + 256]; /* newer headers have more at its end */
	};
	struct context *ctx;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	enum ibv_qp_type type;
	bool sq_sig_all;
	struct ibv_qp_cap cap;
	/* What ibv_query_qp() returns: its qp_state is the state of the QP (v.state is a copy
	 * for the application, which may be old). */
	struct ibv_qp_attr attr;
	struct flow flow; /* RC, UC: from attr.ah_attr */
	uint32_t mtu;	  /* bytes, from attr.path_mtu */
	struct send_queue sq;
	struct recv_queue rq;
	struct requester req;
	struct responder resp;
	bool draining;	      /* SQD was asked for: not all that is on its way has ended */
	bool comm_est;	      /* COMM_EST was raised */
	bool last_wqe;	      /* LAST_WQE_REACHED was raised */
	unsigned mcast;	      /* groups it is attached to */
	TAILQ_ENTRY(qp) busy; /* on the list of those with ack_due or responses to send */
	bool is_busy;
};

static inline struct qp *to_qp(struct ibv_qp *qp)
{
	return (struct qp *)qp;
}

static inline enum ibv_qp_state qp_state(const struct qp *qp)
{
	return qp->attr.qp_state;
}

/* The QP with that number, or NULL. */
struct qp *qp_find(uint32_t qpn);
/* Calls fn for every QP attached to the multicast group. */
void qp_each_in_group(const union ibv_gid *mgid, void (*fn)(struct qp *qp, void *arg), void *arg);
/* Calls fn for every QP. */
void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg);

static inline struct send_wqe *sq_at(struct qp *qp, uint32_t position)
{
	return &qp->sq.ring[position & qp->sq.mask];
}

/* Takes the next receive of the QP's own or shared queue into qp->resp.recv (which sets
 * has_recv); false: there is none. Raises SRQ_LIMIT_REACHED. */
bool qp_take_recv(struct qp *qp);
/* Receives that a QP in ERR still has: hands each over as flushed (not those of an SRQ). */
void qp_flush_recvs(struct qp *qp);

#endif
