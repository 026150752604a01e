/* SPDX-License-Identifier: MIT */
/* Why a call, a request or a thread waits: what has not come, and will not. */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include "live_program.h"

struct causes;
struct failed_wr;

/* Adds why the call r, which has not returned, waits for what the program has not done. */
void why_call_waits(const struct live_program *p, const struct record *r, struct causes *c);
/* Adds why a send has no completion: wr has both ends, and what was posted. true: it waits for a
 * receive of the peer, and that was seen. */
bool why_send_waits(const struct failed_wr *wr, struct causes *c);
/* Adds that the state of the QP keeps its sends, which it has not begun, or its receives waiting.
 */
void why_state_waits(const struct live_qp *qp, bool sends, bool recvs, struct causes *c);
/* Adds why a receive of the QP at that address has no completion. own: what the device of the
 * process tells, or NULL. */
void why_recv_waits(const struct live_program *p, uint64_t qp, const struct uroce_inventory *own,
		    struct causes *c);
/* Adds the datagrams to the QP of that number and name that its device has dropped although it has
 * a receive. false: none. */
bool why_dropped(const struct uroce_inventory *own, uint32_t qpn, const char *name,
		 struct causes *c);
/* Adds that neither end sends, or that the peer's QP cannot, of a QP that waits for messages. */
void why_both_wait(const struct live_qp *qp, const struct live_end *there, struct causes *c);
/* Adds that messages of the peer, which it repeats now, find no receive of this QP of that name. */
void why_peer_waits(const struct uroce_inventory *inv, const struct uroce_qp_row *qp,
		    const char *name, struct causes *c);
/* Adds that a connection request was not answered. */
void why_request_waits(const struct live_program *p, const struct live_object *id, uint64_t now,
		       struct causes *c);
/* Adds the requests of a QP that were built, and that nothing has posted. */
void why_built_wait(const struct live_program *p, const struct live_tracked_qp *qp,
		    struct causes *c);
/* Adds why threads have polled a CQ in vain from since until now, in ticks. */
void why_polled_in_vain(const struct live_program *p, const struct live_object *cq, uint64_t since,
			uint64_t now, struct causes *c);
/* Adds that a CQ was armed that has no channel. */
void why_armed_in_vain(const struct live_program *p, const struct live_object *cq, uint64_t now,
		       struct causes *c);
/* Adds that a poll of the CQ is open, which has its lock: a thread waits in ibv_start_poll(). */
void why_open_poll(const struct live_program *p, const struct live_object *cq, uint64_t now,
		   struct causes *c);
/* Adds why the completions in a CQ have made no event. */
void why_no_event(const struct uroce_cq_row *cq, struct causes *c);
/* Adds that n events wait in a channel, and that no thread waits for them. */
void why_events_wait(const struct live_program *p, const struct live_object *channel, uint64_t n,
		     uint64_t now, struct causes *c);
/* Adds what went wrong without an error in a process on uroce0, and in others with its datagrams.
 */
void why_unsaid(const struct live_program *p, const struct uroce_inventory *own, struct causes *c);
/* Of that, the CQs that have overrun. */
void why_overrun(const struct uroce_inventory *own, struct causes *c);

#endif
