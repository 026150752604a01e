/* SPDX-License-Identifier: MIT */
/*
 * The transport: packets in, packets out. InfiniBand specification volume 1, chapter 9.
 *
 *   transport.c   all QPs: which one a packet is for: 9.6; whose turn it is at the end of a pass;
 *                 what their states mean: 10.3.1
 *   requester.c   from work requests to packets: 9.7.3, 9.8.2, 9.8.3
 *   completer.c   acknowledgements, retries, timers, completions: 9.7.6, 9.7.7
 *   responder.c   requests of the peer: RC 9.7.4, UC 9.8.2, UD 9.8.3, multicast 10.5
 *   responses.c   responses to READs and atomics, and to their duplicates, ACKs, NAKs: 9.7.5.1
 *   room.c        how much all QPs together may have on its way; who waits for room
 *   sges.c        scatter and gather: 10.6.6
 *   placing.c     bytes that come to memory late: base/order.h
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
 * responses and requests of those whose turn had ended. Returns true while a QP has more to send.
 */
bool transport_finish(void);
/* The process is about to end: ACKs that are held for an answer are due now. */
void transport_release_acks(void);
/* When to call transport_finish() for the first of the ACKs that are held for an answer;
 * UINT64_MAX: there is none. */
uint64_t transport_held_until(void);

/* The QP goes to a state (attr has the new values already): RESET forgets all requests and
 * completions, ERR flushes, RTS (from SQD) goes on, SQD begins to drain. Called by
 * ibv_modify_qp(), and to fail a QP. why: for history_changed(). */
void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to,
		     const struct uroce_change *why);
/* The QP goes to ERR, and raises the asynchronous event (an enum ibv_event_type; -1: none).
 * A QP in RESET or ERR stays as it is. */
void transport_fail(struct qp *qp, int event, const struct uroce_change *why);
/* The completion of a QP is about to be seen: what it tells of is in memory. recv: of its receive
 * queue. Or all of that is, since memory goes. */
void transport_settle(uint32_t qpn, bool recv);
void transport_settle_all(void);
/* Room to remember n (max_dest_rd_atomic) responses to READs and atomics in qp->resp.responses,
 * which keeps those that are there and is the owner's to free. 0, or ENOMEM. */
int responses_resize(struct qp *qp, unsigned n);
/* The QP is about to be freed or reset: its timers stop, and nothing is due for it any more. An
 * acknowledgement that was put off is queued (engine_flush()). */
void transport_forget(struct qp *qp);

#endif
