/* SPDX-License-Identifier: MIT */
/* Why a call, a request or a thread waits. */
#include "waits.h"

#include <inttypes.h>
#include <string.h>

#include "diagnosis.h"
#include "heap.h"
#include "live_inventory.h"
#include "recorded.h"
#include "spec_tables.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --------------------------------------------------------------------------- calls -- */

/* It waits until events are acknowledged. */
static void find_unacknowledged(const struct live_program *p, const struct record *r,
				struct causes *c)
{
	const struct live_object *o = live_object_at(p->seen, r->args[0]);

	if (o && o->unacknowledged)
		cause_add(c, IS_SO, NULL, "%s waits until %u event%s of %s %s acknowledged (%s)",
			  r->fn->name, o->unacknowledged, plural(o->unacknowledged),
			  live_program_name(p, o->address, r->end),
			  o->unacknowledged == 1 ? "is" : "are", o->acknowledge);
	else if (o && o->overacknowledged && o->acknowledge)
		cause_add(
			c, IS_SO, NULL,
			"%s waits for ever: %s of %s was told of %u event%s more than the program "
			"has got",
			r->fn->name, o->acknowledge, live_program_name(p, o->address, r->end),
			o->overacknowledged, plural(o->overacknowledged));
}

/* rdma_leave_multicast waits for the events of one group. The model knows only how many events of
 * the id are left. */
static void find_group_events(const struct live_program *p, const struct record *r,
			      struct causes *c)
{
	const struct live_object *id = live_object_at(p->seen, r->args[0]);

	if (id && id->unacknowledged)
		cause_add(
			c, IS_SO, NULL,
			"rdma_leave_multicast waits until the events of the group are acknowledged "
			"(rdma_ack_cm_event), and %u of %s %s not",
			id->unacknowledged, live_program_name(p, id->address, r->end),
			id->unacknowledged == 1 ? "is" : "are");
}

/* The CQs of a completion channel. */
struct channel_cqs {
	const struct live_program *p;
	unsigned n, armed, due;
	uint64_t last;
};

static void count_cq(void *arg, const struct live_object *user)
{
	struct channel_cqs *cqs = arg;

	cqs->n++;
	cqs->armed += user->armed != 0;
	cqs->due += live_program_due(cqs->p, user->address);
	cqs->last = user->address;
}

/* No event of a completion channel can come. */
static void find_unarmed(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct live_object *channel = live_object_at(p->seen, r->args[0]);
	struct channel_cqs cqs = { .p = p };

	live_objects_users(p->seen, r->args[0], count_cq, &cqs);
	if (!cqs.n && channel && channel->made.is_own)
		cause_add(c, IS_SO, NULL, "%s is the channel of no CQ: no event comes there",
			  live_program_name(p, r->args[0], r->end));
	else if (cqs.n && !cqs.armed)
		cause_add(c, IS_SO, NULL,
			  "%s is not armed: ibv_req_notify_cq is needed before each event",
			  cqs.n == 1 ? live_program_name(p, cqs.last, r->end)
				     : "no CQ of the channel");
	else if (cqs.n && !cqs.due)
		cause_add(c, MAY_BE, NULL,
			  "no request that completes into %s is outstanding: no event comes",
			  cqs.n == 1 ? live_program_name(p, cqs.last, r->end)
				     : "a CQ of the channel");
}

/* The peer's omission that keeps the event of this call away; NULL: the event is not up to the
 * peer. */
static const char *peer_omitted(const struct call_fn *asked)
{
	if (asked == &call_table[ROW_rdma_connect])
		return "the peer has called neither rdma_accept nor rdma_reject, or is not reached";
	if (asked == &call_table[ROW_rdma_disconnect])
		return "the peer has not called rdma_disconnect, or is not reached";
	return NULL;
}

/* Ids that have asked for something, and whose event comes in another channel of the program. */
static void find_elsewhere(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct live_object *channel;

	for (const struct live_object *id = p->seen; id; id = id->hh.next) {
		channel = id->asked ? live_object_at(p->seen, id->channel) : NULL;
		if (channel && channel->address == r->args[0] && peer_omitted(id->asked))
			cause_add(c, MAY_BE, NULL, "%s of %s has no answer: %s", id->asked->name,
				  live_program_name(p, id->address, r->end),
				  peer_omitted(id->asked));
		else if (channel && channel->address != r->args[0])
			cause_add(c, MAY_BE, NULL,
				  "the event after %s of %s comes in %s, not in %s",
				  id->asked->name, live_program_name(p, id->address, r->end),
				  live_program_name(p, channel->address, r->end),
				  live_program_name(p, r->args[0], r->end));
	}
}

/* The call was given an object that the program had destroyed, as one that crashes in it. */
static bool find_gone(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct call_value *first = r->fn->args;
	const struct record_object *o = first->kind == CALL_OBJECT && p->objects
						? record_objects_gone(p->objects, r->args[0],
								      r->begin)
						: NULL;
	const bool is_event = o && o->kind == OBJECT_CM_EVENT;

	if (o && is_event != (first->object == OBJECT_CM_EVENT))
		return false; /* something unknown is where that was */
	if (is_event)
		cause_add(c, IS_SO, NULL, "%s was given an event that was acknowledged before",
			  r->fn->name);
	else if (o)
		cause_add(c, IS_SO, NULL, "%s was given %s, which was destroyed before",
			  r->fn->name,
			  *o->name ? o->name : temp_text("the %s", call_objects[o->kind].word));
	return o;
}

/* SRQ_LIMIT_REACHED may be what is waited for. */
static void find_idle_limit(const struct live_program *p, const struct record *r, struct causes *c)
{
	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (o->has_idle_limit)
			cause_add(
				c, MAY_BE, NULL,
				"the srq_limit that %s was made with has no effect: ibv_modify_srq "
				"with IBV_SRQ_LIMIT arms it",
				live_program_name(p, o->address, r->end));
}

/* rdma_destroy_qp() and rdma_destroy_ep() destroy the QP of the id, which crashes the second time.
 */
static bool find_gone_qp(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct live_object *id = live_object_at(p->seen, r->args[0]);

	if (!live_id_ends_qp_again(id, r))
		return false;
	cause_add(c, IS_SO, NULL,
		  "%s destroys the QP of %s, which ibv_destroy_qp has destroyed before",
		  r->fn->name, live_program_name(p, id->address, r->end));
	return true;
}

/* librdmacm crashes in rdma_resolve_route() of an id that has no device yet. */
static bool find_early(const struct live_program *p, const struct record *r, struct causes *c)
{
	if (!live_id_is_early(p->seen, r))
		return false;
	cause_add(c, IS_SO, NULL, "%s of %s came before the event that answers %s", r->fn->name,
		  live_program_name(p, r->args[0], r->end),
		  live_object_at(p->seen, r->args[0])->asked->name);
	return true;
}

void why_call_waits(const struct live_program *p, const struct record *r, struct causes *c)
{
	if (!r->args || !r->nargs || find_gone(p, r, c) || find_gone_qp(p, r, c) ||
	    find_early(p, r, c))
		return;
	if (r->fn->args[0].role == CALL_GONE || record_call_row(r) == ROW_rdma_migrate_id)
		find_unacknowledged(p, r, c);
	else if (record_call_row(r) == ROW_rdma_leave_multicast)
		find_group_events(p, r, c);
	else if (record_call_row(r) == ROW_ibv_get_cq_event)
		find_unarmed(p, r, c);
	else if (record_call_row(r) == ROW_rdma_get_cm_event)
		find_elsewhere(p, r, c);
	else if (record_call_row(r) == ROW_ibv_get_async_event)
		find_idle_limit(p, r, c);
}

/* --------------------------------------------------------------------------- sends -- */

/* true: the send waits for a receive, and that was seen. */
static bool find_no_receive(const struct diagnosis *q)
{
	const struct live_qp *qp = q->qp, *peer = q->peer;
	const bool is_endless = qp->attr.rnr_retry == 7 && qp->known & IBV_QP_RNR_RETRY;
	const char *how_long = is_endless ? " for ever (rnr_retry 7)" : "";

	if (peer && !*peer->srq && !peer->recvs) {
		cause_add(q->c, IS_SO, NULL,
			  "%s%s, the peer's QP, has no receive posted%s: %s tries again%s",
			  q->wr->there.whose, peer->name,
			  peer->is_unpolled ? " any more (used, and not polled yet)"
			  : peer->had	    ? " any more (those that it had are used)"
					    : "",
			  qp->name, how_long);
		return true;
	}
	if (qp->rnrs && (!peer || *peer->srq)) {
		cause_add(q->c, IS_SO, NULL,
			  "the peer of %s has no receive for wr_id %" PRIu64 ": %s tries again%s",
			  qp->name, q->wr->wr_id, qp->name, how_long);
		return true;
	}
	if (peer && !*peer->srq && peer->recvs < 0)
		cause_add(q->c, MAY_BE, NULL,
			  "the receives of %s are used, and their completions not polled: poll -qp "
			  "%s",
			  peer->name, peer->name);
	if (!peer && is_endless)
		cause_add(q->c, MAY_BE, NULL,
			  "the peer posted no receive: rnr_retry 7 of %s tries for ever; at the "
			  "peer: post recv REGION",
			  qp->name);
	return false;
}

/* The reasons for silence that were seen. */
static bool find_silence(const struct diagnosis *q)
{
	struct causes c = { .no_commands = true };
	struct diagnosis silent = *q;
	unsigned confirmed;

	silent.c = &c;
	if (q->peer || q->wr->there.is_asked || *q->wr->there.gone)
		why_check_peer_answers(&silent);
	confirmed = causes_confirmed(&c);
	causes_take_certain(q->c, &c);
	return confirmed;
}

#define SLACK 4 /* a device may take up to that many timeouts to detect a loss */

bool why_send_waits(const struct failed_wr *wr, struct causes *c)
{
	const struct diagnosis q = { .wr = wr, .qp = wr->here.qp, .peer = wr->there.qp, .c = c };
	const struct ibv_qp_attr *a = &q.qp->attr;
	const double silence = (double)spec_ack_timeout_ns(a->timeout) / 1e9 * (a->retry_cnt + 1);
	bool is_seen;

	if ((!wr->op || wr->op->solicits) && find_no_receive(&q))
		return true;
	is_seen = find_silence(&q);
	if (!(q.qp->known & IBV_QP_TIMEOUT))
		return false;
	if (!a->timeout)
		cause_add(c, is_seen ? IS_SO : MAY_BE, NULL,
			  "timeout 0 of %s waits for an answer for ever", q.qp->name);
	else if (!is_seen)
		cause_add(c, MAY_BE, NULL,
			  "the peer does not answer: RETRY_EXC_ERR comes after %.1f to %.1f s "
			  "(timeout %u, retry_cnt %u)",
			  silence, SLACK * silence, a->timeout, a->retry_cnt);
	return false;
}

void why_state_waits(const struct live_qp *qp, bool sends, bool recvs, struct causes *c)
{
	if (sends && qp->state == IBV_QPS_SQD)
		cause_add(c, IS_SO, NULL, "%s", why_in_state(qp->name, qp->state));
	if (recvs && qp->state == IBV_QPS_INIT) /* as it should be, until the program connects it */
		cause_add(c, MAY_BE, NULL, "%s", why_in_state(qp->name, qp->state));
}

/* ------------------------------------------------------------------------ receives -- */

void why_recv_waits(const struct live_program *p, uint64_t qp, const struct uroce_inventory *own,
		    struct causes *c)
{
	const struct live_queues *e = live_program_entry(p, qp);
	const char *name = live_program_name(p, qp, UINT64_MAX);

	if (!e)
		return;
	if (e->qp.v.type != IBV_QPT_UD) {
		cause_add(c, MAY_BE, NULL,
			  "the peer has sent nothing to %s (a plain RDMA WRITE or READ takes no "
			  "receive)",
			  name);
		return;
	}
	if (own && why_dropped(own, e->qp.v.number, name, c))
		return;
	cause_add(c, MAY_BE, NULL,
		  "nobody has sent to %s with its Q_Key%s (a datagram with another is dropped in "
		  "silence)",
		  name, e->qp.v.known & IBV_QP_QKEY ? temp_text(" 0x%x", e->qp.v.attr.qkey) : "");
}

/* Receives that the QP can take, of its own or of its SRQ. */
static uint32_t count_recvs(const struct uroce_inventory *inv, const struct uroce_qp_row *qp)
{
	inventory_foreach(inv, UROCE_SRQ, uroce_srq_row, srq)
		if (srq->number == qp->srq)
			return srq->posted;
	return qp->recvs;
}

void why_both_wait(const struct live_qp *qp, const struct live_end *there, struct causes *c)
{
	const struct live_qp *peer = there->qp;

	if (peer && peer->state == IBV_QPS_ERR)
		cause_add(c, IS_SO, NULL, "nothing comes to %s any more: %s%s is in ERR%s%s%s",
			  qp->name, there->whose, peer->name, *peer->why ? " (" : "", peer->why,
			  *peer->why ? ")" : "");
	else if (there->is_asked && peer && peer->unpolled)
		cause_add(c, MAY_BE, NULL, "%s%s has %u completion%s that it has not taken",
			  there->whose, peer->name, peer->unpolled, plural(peer->unpolled));
	else if (there->is_asked && peer && !peer->sends && peer->recvs > 0)
		cause_add(c, MAY_BE, NULL,
			  "%s and %s%s wait for each other: each has receives posted, and no send",
			  qp->name, there->whose, peer->name);
}

void why_peer_waits(const struct uroce_inventory *inv, const struct uroce_qp_row *qp,
		    const char *name, struct causes *c)
{
	if (count_recvs(inv, qp) || !qp->lacks_recv)
		return;
	if (qp->srq == UROCE_NO_OBJECT)
		cause_add(c, IS_SO, NULL,
			  "%s has no receive posted for a message of its peer: it has refused "
			  "requests %u time%s",
			  name, qp->rnrs_sent, plural(qp->rnrs_sent));
	else
		cause_add(c, IS_SO, NULL,
			  "the SRQ of %s has no receive posted for a message of its peer: %s has "
			  "refused requests %u time%s",
			  name, name, qp->rnrs_sent, plural(qp->rnrs_sent));
}

void why_request_waits(const struct live_program *p, const struct live_object *id, uint64_t now,
		       struct causes *c)
{
	const struct call_fn *made = id->kind == OBJECT_CM_ID ? id->made.fn : NULL;
	const bool is_request = made == &call_table[ROW_rdma_get_cm_event] ||
				made == &call_table[ROW_rdma_get_request];

	if (is_request && !(id->id_calls & (LIVE_ID_ACCEPTED | LIVE_ID_REJECTED)))
		cause_add(
			c, MAY_BE, NULL,
			"%s, a connection request, was neither accepted nor rejected (rdma_accept, "
			"rdma_reject)",
			live_program_name(p, id->address, now));
}

void why_built_wait(const struct live_program *p, const struct live_tracked_qp *qp,
		    struct causes *c)
{
	const struct live_queues *e = live_program_entry(p, qp->address);

	if (e && e->is_building && !e->built.n)
		cause_add(c, IS_SO, NULL,
			  "ibv_wr_start of %s was not followed by ibv_wr_complete or ibv_wr_abort",
			  qp->v.name);
	else if (e && e->is_building)
		cause_add(
			c, IS_SO, NULL,
			"%u request%s of %s %s built since ibv_wr_start, and neither ibv_wr_complete "
			"nor ibv_wr_abort was called",
			e->built.n, plural(e->built.n), qp->v.name,
			e->built.n == 1 ? "was" : "were");
}

/* --------------------------------------------------------------------- completions -- */

/* A QP with sends that would complete into the CQ, if any had ever been signaled; or NULL. */
static const struct live_tracked_qp *find_unsignaled(const struct live_program *p, uint64_t cq)
{
	const struct live_tracked_qp *qp = p->newest;

	while (qp &&
	       (qp->send_cq != cq || qp->signals_all || !live_program_outstanding(p, qp, false) ||
		live_program_entry(p, qp->address)->sends.signaled))
		qp = qp->older;
	return qp;
}

void why_polled_in_vain(const struct live_program *p, const struct live_object *cq, uint64_t since,
			uint64_t now, struct causes *c)
{
	/* once is not in vain */
	const bool is_polled = cq->in_vain > since + (now - since) / 2;
	const struct live_tracked_qp *unsignaled = is_polled ? find_unsignaled(p, cq->address)
							     : NULL;

	if (unsignaled) {
		cause_add(c, MAY_BE, NULL,
			  "no send of %s makes a completion: none had IBV_SEND_SIGNALED, and its "
			  "sq_sig_all is 0; %s is polled in vain if it is polled for one",
			  unsignaled->v.name, live_program_name(p, cq->address, now));
		return;
	}
	if (is_polled && !live_program_due(p, cq->address))
		cause_add(
			c, MAY_BE, NULL,
			"%s is polled in vain: no request that completes into it is outstanding%s",
			live_program_name(p, cq->address, now),
			!cq->crossed ? " (a send that is not signaled makes no completion)"
				     : temp_text(". %u of its completions %s taken by another "
						 "thread than the one that had posted the request: "
						 "one that is dropped is lost for the other",
						 cq->crossed, cq->crossed == 1 ? "was" : "were"));
}

void why_no_event(const struct uroce_cq_row *cq, struct causes *c)
{
	if (!cq->channel || !cq->filled || cq->events)
		return;
	if (cq->armed == UROCE_ARMED)
		cause_add(c, IS_SO, NULL,
			  "cq%u was armed when its %u completion%s had come: poll once more after "
			  "ibv_req_notify_cq, and then wait",
			  cq->number, cq->filled, plural(cq->filled));
	else if (cq->armed == UROCE_ARMED_SOLICITED)
		cause_add(c, IS_SO, NULL,
			  "cq%u is armed for solicited completions only, and the %u in it make no "
			  "event: IBV_SEND_SOLICITED at the sender, or solicited_only 0",
			  cq->number, cq->filled);
}

void why_armed_in_vain(const struct live_program *p, const struct live_object *cq, uint64_t now,
		       struct causes *c)
{
	if (cq->armed && live_objects_lacks_channel(p->seen, cq))
		cause_add(c, IS_SO, NULL,
			  "%s was armed, and was made without a completion channel: no event comes",
			  live_program_name(p, cq->address, now));
}

void why_open_poll(const struct live_program *p, const struct live_object *cq, uint64_t now,
		   struct causes *c)
{
	if (live_program_open_wc(p, cq->address))
		cause_add(c, IS_SO, NULL,
			  "the poll of %s that was begun was not ended (ibv_end_poll)",
			  live_program_name(p, cq->address, now));
}

void why_events_wait(const struct live_program *p, const struct live_object *channel, uint64_t n,
		     uint64_t now, struct causes *c)
{
	const char *reader = channel->kind == OBJECT_EVENT_CHANNEL ? "rdma_get_cm_event"
								   : "ibv_get_cq_event";
	const char *whose = "";

	for (const struct live_object *id = p->seen; id; id = id->hh.next)
		if (id->asked && id->channel == channel->address)
			whose = live_program_name(p, id->address, now);
	cause_add(c, *whose ? IS_SO : MAY_BE, NULL,
		  "%" PRIu64 " event%s%s%s wait%s in %s, and no thread is in %s", n, plural(n),
		  *whose ? " of " : "", whose, n == 1 ? "s" : "",
		  live_program_name(p, channel->address, now), reader);
}
