/* SPDX-License-Identifier: MIT */
/* What the files of transport/ say to each other. All of it runs with the engine's lock. */
#ifndef UROCE_TRANSPORT_PARTS_H
#define UROCE_TRANSPORT_PARTS_H

#include "packet.h"
#include "queue_pair.h"
#include "transport.h"
#include "spec_tables.h"

/* Of one READ request, and between two AckReq: volume 1, 9.7.3 leaves it to us. Several fit
 * into a socket buffer (AIR_BYTES), so that the next one is on its way when one has come. */
#define PART_PACKETS 16
#define PART_BYTES   32768

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

/* How many packets a message has: an empty one has one. */
static inline uint32_t packets_of(const struct qp *qp, uint32_t len)
{
	return len ? (len - 1) / qp->mtu + 1 : 1;
}

/* ------------------------------------------------------------- transport.c -- */

/* transport_finish() has to come by: for anything (DUE_NOW), for an ACK that may wait for the end
 * of a pass (DUE_ACK) or until qp->resp.held (DUE_HELD). */
void transport_due(struct qp *qp, enum qp_due due);

/* ------------------------------------------------- requester.c, completer.c -- */

/* Takes PSN and settings over from the attributes. */
void requester_start(struct qp *qp);
void requester_settings(struct qp *qp);
/* Sets the time by which the oldest packet must be acknowledged. */
void requester_arm(struct qp *qp);
/* So many packets of w were sent, or will come as the answer to what was sent. */
void requester_sent(struct qp *qp, struct send_wqe *w, uint32_t packets);
/* Of a READ: the last PSN of the part that psn belongs to. */
uint32_t read_part_end(const struct qp *qp, const struct send_wqe *w, uint32_t psn);

void completer_input(struct qp *qp, const struct packet *p);
void completer_timeout(struct timer *t);
/* Completes what has ended at the head of the send queue; the QP may fail. */
void send_retire(struct qp *qp);
/* Completes all requests of the send queue with WR_FLUSH_ERR. */
void send_flush(struct qp *qp);

/* ------------------------------------------------------------- responder.c -- */

/* Why a request is not carried out: 9.7.4, 9.9.3. */
enum refusal {
	FINE,
	NO_RECV,
	INVALID,     /* not in sequence, not allowed, of a wrong length */
	TOO_LONG,    /* for the receive */
	ACCESS,	     /* R_Key, range, rights */
	RECV_MEMORY, /* the receive's */
	MEMORY,	     /* what the R_Key opens is not there any more */
};

void responder_start(struct qp *qp);
void responder_input(struct qp *qp, const struct packet *p);
/* Sends what is due, at most *budget answers; is due again when there are more. */
void responder_serve(struct qp *qp, bool urgent, unsigned *budget);
/* Sends the ACK that is due, if one is and no answer has to go before it. */
void responder_acknowledge(struct qp *qp);
/* Something is about to be sent: what the peer has sent is acknowledged before it leaves. */
void responder_answer(struct qp *qp);
/* An ACK has waited for an answer in vain. */
void responder_unanswered(struct qp *qp);
/* The QP takes in nothing more. The peer is told what was taken in: its application may have
 * seen the answer to it already. */
void responder_leave(struct qp *qp);
/* Answers with a NAK in its turn, and ends the QP with an event (or -1: none). */
void responder_refuse(struct qp *qp, uint8_t syndrome, uint32_t psn, int event);

/* The receive that was taken has been used; wc lacks its wr_id and qp_num. */
void recv_complete(struct qp *qp, struct ibv_wc *wc, bool solicited);
void recv_fail(struct qp *qp, enum ibv_wc_status status);

/* --------------------------------------------------------------- answers.c -- */

enum refusal answer_read(struct qp *qp, const struct packet *p);
enum refusal answer_atomic(struct qp *qp, const struct packet *p);
enum refusal answer_atomic_write(struct qp *qp, const struct packet *p);
/* A duplicate of a READ or an atomic. */
void answer_again(struct qp *qp, const struct packet *p);
/* Sends answers, in order. False: the budget is used up, and more are left. Without room on the
 * wire the QP waits for it: room_wait(). */
bool answers_send(struct qp *qp, unsigned *budget);
/* The PSN that an ACK may have when psn is the last that was carried out: nothing but its
 * response acknowledges a READ or an atomic. rdma_rxe believes an ACK (after a duplicate SEND)
 * that says otherwise: it completes the atomic without the response that was lost. */
uint32_t answers_before(struct qp *qp, uint32_t psn);
void answers_forget(struct qp *qp);

/* --------------------------------------------------- transport.c: datagrams -- */

/* Sends the message of w; false: w->status says why not. */
bool datagram_send(struct qp *qp, struct send_wqe *w);
void datagram_input(struct qp *qp, const struct packet *p);
void datagram_multicast(const struct packet *p);

/* ------------------------ requester.c: how much may be on its way -- */

/* Room for n packets with len bytes of payload each; false: the QP waits for it, and
 * requester_run() is called when there may be some. */
bool air_take(struct qp *qp, uint32_t n, uint32_t len);
/* Would there be room for one more packet? */
bool air_has_room(uint32_t len);
/* n of so many packets in flight have ended. */
void air_give(struct qp *qp, uint32_t n, uint32_t in_flight);
void air_give_all(struct qp *qp);
/* Whatever is still thought to be on its way has ended, one way or the other. */
void air_clear(void);
/* Lets those continue that wait, as long as there is room. */
void air_wake(void);
/* The memory that is shared with the peer is full (tx_has_room()): the QP goes on, as requester and
 * as responder, when there is room. A wait of the timeout of an acknowledgement counts as that
 * timeout, since only a peer that reads nothing makes it so long. */
void room_wait(struct qp *qp);
void room_wake(void);
/* The QP waits no longer, neither for room in the air nor for room in shared memory. */
void air_leave(struct qp *qp);

#endif
