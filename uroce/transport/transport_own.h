/* SPDX-License-Identifier: MIT */
/* Functions of transport/ for its own files. All of them run with the engine's lock. */
#ifndef UROCE_TRANSPORT_OWN_H
#define UROCE_TRANSPORT_OWN_H

#include "engine.h"
#include "order.h"
#include "packet.h"
#include "path.h"
#include "gid.h"
#include "queue_pair.h"
#include "transport.h"
#include "spec_tables.h"

TAILQ_HEAD(qp_list, qp);

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The code of an operation (OP_...) in the transport of the QP. */
static inline const struct opcode *qp_opcode(const struct qp *qp, unsigned op)
{
	return opcode_find((uint8_t)(op | (qp->type == IBV_QPT_RC   ? OPCODE_RC
					   : qp->type == IBV_QPT_UC ? OPCODE_UC
								    : OPCODE_XRC)));
}

/* The way of what goes to the other end of a connection. */
static inline struct pair *qp_path(const struct qp *qp)
{
	return path_to(&qp->flow, qp->attr.dest_qp_num);
}

/* How many packets a message has: an empty one has one. */
static inline uint32_t packets_of(const struct qp *qp, uint32_t len)
{
	return len ? (len - 1) / qp->mtu + 1 : 1;
}

/* Has a datagram come to an address, or an interface, of the QP's device? */
static inline bool comes_to_device(const struct qp *qp, const struct packet *p)
{
	return device_has_all() ||
	       gid_is_of(&p->dst, p->scope, context_device(&qp->ctx->v.context));
}

/* ------------------------------------------------------------- transport.c -- */

/* Puts the QP on a list of transport_finish(): DUE_NOW; DUE_ACK: an ACK may wait for the end of a
 * pass; DUE_HELD: an ACK may wait until qp->resp.hold_until. */
void transport_due(struct qp *qp, enum qp_due due);
/* An ACK was sent: it is not due for one any more. */
void transport_acknowledged(struct qp *qp);

/* ------------------------------------------------------------------ room.c -- */

/* Room in the socket's buffer for n packets by UDP with len bytes of payload each; false: the QP
 * waits for it, and requester_run() is called when there may be some. */
bool room_socket_take(struct qp *qp, uint32_t n, uint32_t len);
/* Would there be room for one more packet? */
bool room_socket_has(uint32_t len);
/* n of so many packets in flight have ended. */
void room_socket_return(struct qp *qp, uint32_t n, uint32_t in_flight);
void room_socket_return_all(struct qp *qp);
/* Whatever is still thought to be on its way, of any QP, has ended. */
void room_socket_reset(void);
/* The ring that is shared with the peer's process is full (tx_has_room()): the QP goes on, as
 * requester and as responder, when there is room. */
void room_wait_for_ring(struct qp *qp);
/* The QP waits no longer. */
void room_stop_waiting(struct qp *qp);
/* Lets those continue that wait, as long as there is room. */
void room_wake_waiters(void);

/* ------------------------------------------------------------------ sges.c -- */

/* Of what is written to memory: what has to wait until it is there. base/order.h */
enum placing {
	PLACING_OWN,  /* a READ or an atomic of this QP: its completion, a fence */
	PLACING_NEAR, /* a SEND or WRITE of the peer: the ACK */
	PLACING_FAR,  /* a WRITE of level 2: the completion of a later receive */
};

/* Copies between a list of memory and buf, from offset bytes into the list on. IBV_WC_SUCCESS, or
 * the status of the failure: LOC_PROT_ERR (an SGE's key, range or rights, or its memory is not
 * there), LOC_LEN_ERR (the list ends before). */
enum ibv_wc_status sges_gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			       void *buf, uint32_t len);
enum ibv_wc_status sges_scatter(struct qp *qp, enum placing placing, const struct pd *pd,
				const struct ibv_sge *sge, int n, uint32_t offset, const void *buf,
				uint32_t len);

/* --------------------------------------------------------------- placing.c -- */

/* guard_copy() to memory of the program, for order_on(): a part of it later. */
int placing_copy(struct qp *qp, enum placing placing, void *to, const void *from, uint32_t n);
static inline int place_bytes(struct qp *qp, enum placing placing, void *to, const void *from,
			      uint32_t n)
{
	return order_on() ? placing_copy(qp, placing, to, from, n) : guard_copy(to, from, n);
}
/* These bytes are about to be looked at: they are all there, whichever QP they came by. */
void placing_before(const void *at, size_t n);
/* All of a QP is in its place; or all that its own requests have brought. */
void placing_settle(struct qp *qp);
void placing_settle_own(struct qp *qp);

/* ------------------------------------------------- requester.c, completer.c -- */

#define TIMEOUT_DOUBLES 2 /* times in a row: requester_arm() */

/* Takes PSN and settings over from the attributes. */
void requester_start(struct qp *qp);
void requester_settings(struct qp *qp);
/* Sets the time by which the oldest packet must be acknowledged. */
void requester_arm(struct qp *qp);
/* Goes back to the oldest packet that is not acknowledged. */
void requester_go_back(struct qp *qp);
/* Of a READ: the last PSN of the READ request that psn belongs to. */
uint32_t requester_end_read(const struct qp *qp, const struct send_wqe *w, uint32_t psn);

void completer_input(struct qp *qp, const struct packet *p);
void completer_timeout(struct timer *t);
/* Completes what has ended at the head of the send queue; the QP may fail. */
void completer_retire_send(struct qp *qp);
/* Completes all requests of the send queue with WR_FLUSH_ERR. */
void completer_flush_sends(struct qp *qp);

/* ------------------------------------------------------------- responder.c -- */

/* Why a request is not carried out: 9.7.4, 9.9.3. */
enum request_error {
	REQ_OK = UROCE_REFUSED_NOTHING,
	REQ_INVALID = UROCE_REFUSED_INVALID,
	REQ_TOO_LONG = UROCE_REFUSED_TOO_LONG,
	REQ_ACCESS = UROCE_REFUSED_ACCESS,
	REQ_RECV_MEMORY = UROCE_REFUSED_RECV_MEMORY,
	REQ_MEMORY = UROCE_REFUSED_MEMORY,
	REQ_NO_SRQ = UROCE_REFUSED_NO_SRQ,
	REQ_NO_RECV, /* an RNR NAK */
};

void responder_start(struct qp *qp);
/* RC, UC, XRC; UD; UD to a multicast group. */
void responder_input(struct qp *qp, const struct packet *p);
void responder_datagram(struct qp *qp, const struct packet *p);
void responder_multicast(const struct packet *p);
/* Something is about to be sent to that pair (NULL: by UDP): what the peer has sent is acknowledged
 * before it leaves. */
void responder_before_send(struct qp *qp, struct pair *pair);
/* An ACK was held for what the application would send, in vain. */
void responder_hold_expired(struct qp *qp);
/* Sends a NAK in its turn, and ends the QP with an event (or -1: none). */
void responder_refuse(struct qp *qp, uint8_t syndrome, uint32_t psn, int event);

/* The receive that was taken fails with that status. */
void responder_fail_recv(struct qp *qp, enum ibv_wc_status status);

/* ------------------------------------------------------------- responses.c -- */

enum request_error responses_reply_read(struct qp *qp, const struct packet *p);
/* The rights that a FLUSH needs: IBV_ACCESS_... bits. */
unsigned responses_flush_access(const struct packet *p);
enum request_error responses_reply_flush(struct qp *qp, const struct packet *p);
/* An atomic or an ATOMIC_WRITE: carries it out. */
enum request_error responses_reply_atomic(struct qp *qp, const struct packet *p);
/* A duplicate of a READ or an atomic. */
void responses_repeat(struct qp *qp, const struct packet *p);
void responses_forget(struct qp *qp);
/* Sends what is due, at most *budget responses; is due again when there are more. */
void responder_serve(struct qp *qp, unsigned *budget);
/* Sends the ACK that is due, if one is and no response has to go before it. False: there is no room
 * for it. */
bool responder_acknowledge(struct qp *qp, struct pair *pair);
/* The QP takes in nothing more. The peer is told what was taken in: its application may have
 * seen the reply to it already. */
void responder_leave(struct qp *qp);

#endif
