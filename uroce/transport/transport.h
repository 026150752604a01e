/* SPDX-License-Identifier: MIT */
/*
 * The transport: packets in, packets out. InfiniBand specification volume 1, chapter 9.
 *
 *   transport.c   where a packet goes: checks of 9.6, then requester's or responder's side;
 *                 what is due at the end of a pass; states of a QP: 10.3.1;
 *                 UD: 9.8.3, multicast: 10.5; gather and scatter
 *   requester.c   from work requests to packets: 9.7.3; how much may be on its way
 *   completer.c   acknowledgements, retries, timers, completions: 9.7.6, 9.7.7
 *   responder.c   RC and UC requests: 9.7.4, 9.8.2
 *   answers.c	   READ responses, atomics and their duplicates: 9.7.5.1
 */
#ifndef UROCE_TRANSPORT_TRANSPORT_H
#define UROCE_TRANSPORT_TRANSPORT_H

#include "packet.h"
#include "queue_pair.h"

/* A packet whose ICRC is right. Whatever it says, nothing but counters change unless it
 * passes the checks of the QP that it names. */
void transport_input(const struct packet *p);

/* Work was posted, or the QP may send again: sends what window, state and fences allow. */
void requester_run(struct qp *qp);
/* Sends what QPs owe at the end of a pass: one ACK for all packets of the pass, and the next
 * responses and requests of those whose turn had ended. urgent false: ACKs may wait
 * (engine_defer()). Returns true while a QP has more to send. */
bool transport_finish(bool urgent);

/* The QP goes to a state (attr has the new values already): RESET forgets all requests and
 * completions, ERR flushes, RTS (from SQD) goes on, SQD begins to drain. Called by
 * ibv_modify_qp(), and to fail a QP. */
void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to);
/* The QP goes to ERR, and raises the asynchronous event (an enum ibv_event_type; -1: none).
 * A QP in RESET or ERR stays as it is. */
void transport_fail(struct qp *qp, int event);
/* Room to remember n (max_dest_rd_atomic) answers to READs and atomics in qp->resp.answers,
 * which keeps those that are there and is the owner's to free. 0, or ENOMEM. */
int answers_resize(struct qp *qp, unsigned n);
/* The QP is about to be freed: its timers stop, and nothing is due for it any more. An
 * acknowledgement that was put off is queued (engine_flush()). */
void transport_forget(struct qp *qp);

/* Copies between a list of memory and buf, from offset bytes into the list on; the length
 * was checked. IBV_WC_SUCCESS, or the status of the failure. */
enum ibv_wc_status gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			  void *buf, uint32_t len);
enum ibv_wc_status scatter(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			   const void *buf, uint32_t len);

#endif
