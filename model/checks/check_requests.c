/* SPDX-License-Identifier: MIT */
/* The memory of requests: changed, taken away, used twice, or not there yet. */
#include "check_impl.h"

#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------- the requests of a call -- */

/* The queue to which the call posts; NULL: it posts nothing. */
static const struct posted_queue *queue_of(const struct live_program *p, const struct record *r)
{
	const struct live_queues *e;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		e = live_program_entry(p, r->args[0]);
		return e ? &e->sends : NULL;
	case ROW_ibv_post_recv:
	case ROW_ibv_post_srq_recv:
		e = live_program_entry(p, r->args[0]);
		return e ? &e->recvs : NULL;
	default:
		return NULL;
	}
}

static bool overlaps(uint64_t a, uint64_t alen, uint64_t b, uint64_t blen)
{
	return alen && blen && a < b + blen && b < a + alen;
}

/* The first SGE of a that has bytes in common with one of b; NULL: none has. */
static const struct ibv_sge *common_sge(const struct posted_wr *a, const struct posted_wr *b)
{
	for (unsigned i = 0; i < a->nsge; i++)
		for (unsigned k = 0; k < b->nsge; k++)
			if (overlaps(a->sge[i].addr, a->sge[i].length, b->sge[k].addr,
				     b->sge[k].length))
				return &a->sge[i];
	return NULL;
}

static bool sends_bytes(const struct posted_wr *wr)
{
	return wr->op && !wr->op->sink && !wr->op->local;
}

static bool sends_memory(const struct posted_wr *wr)
{
	return sends_bytes(wr) && !wr->is_inline;
}

/* Does the device write to its SGEs? */
static bool fills_memory(const struct posted_wr *wr)
{
	return wr->op == &wr_ops[WR_RECV] || (wr->op && wr->op->sink);
}

static const char *post_name(const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	if (wr->op != &wr_ops[WR_RECV])
		return wr->built_by ? wr->built_by->name : "ibv_post_send";
	return qp->v.type ? "ibv_post_recv" : "ibv_post_srq_recv";
}

/* Where it was posted; qp: the QP or SRQ to whose queue. */
static void step_posted(struct check_finding *f, const struct live_tracked_qp *qp,
			const struct posted_wr *wr)
{
	check_step(f, (struct check_place){ post_name(qp, wr), wr->from }, "%s was posted",
		   check_request(wr));
}

/* ------------------------------------------------------------------ read-then-send -- */

/* Does the request of qp send bytes that an earlier one of e, or one of its first ones, will bring?
 */
static bool find_unread(struct checks *c, const struct record *r, const struct live_tracked_qp *qp,
			const struct posted_wr *wr, const struct live_queues *e, unsigned n)
{
	struct check_finding f;
	const struct ibv_sge *sge;

	for (unsigned i = 0; i < n; i++) {
		const struct posted_wr *first = &e->sends.v[e->sends.begin + i];

		sge = first->op && first->op->has_response && first->op->sink
			      ? common_sge(wr, first)
			      : NULL;
		if (!sge)
			continue;
		f = check_new(
			CHECK_READ_THEN_SEND, e->qp.v.name, r,
			"%s of %s sends the bytes from 0x%llx, which %s%s%s has not brought yet",
			check_request(wr), qp->v.name, (unsigned long long)sge->addr,
			check_request(first), qp == &e->qp ? "" : " of ",
			qp == &e->qp ? "" : e->qp.v.name);
		step_posted(&f, &e->qp, first);
		check_add(c, &f);
		return true;
	}
	return false;
}

/* Does the request change the bytes at the peer that an earlier READ of the queue is to bring? */
static void find_overwritten(struct checks *c, const struct record *r, const struct live_queues *e,
			     const struct posted_wr *wr, unsigned n)
{
	struct check_finding f;

	for (unsigned i = 0; i < n; i++) {
		const struct posted_wr *read = &e->sends.v[e->sends.begin + i];

		if (!read->op || read->op->code != IBV_WR_RDMA_READ || read->rkey != wr->rkey ||
		    !overlaps(read->remote, read->len, wr->remote, wr->len))
			continue;
		f = check_new(
			CHECK_READ_THEN_SEND, e->qp.v.name, r,
			"%s of %s changes bytes at the peer that %s has not brought yet, and has no fence",
			check_request(wr), e->qp.v.name, check_request(read));
		check_doubt(&f, "certain if the READ has to bring what was there before");
		step_posted(&f, &e->qp, read);
		check_add(c, &f);
		return;
	}
}

static bool changes_peer(const struct posted_wr *wr)
{
	return wr->op && wr->op->remote && wr->op->code != FLUSH_WR &&
	       (!wr->op->sink || wr->op->atomic);
}

static bool has_unread(const struct posted_queue *q)
{
	return q->answered > q->put - q->n;
}

/* A fence waits for requests of its own queue alone. Inline data is copied at once. */
static void look_at_sends(struct checks *c, const struct record *r, const struct live_queues *e,
			  const struct live_queues *brings)
{
	const struct posted_queue *q = &e->sends;
	const unsigned posted = q->put - c->put < q->n ? (unsigned)(q->put - c->put) : q->n;
	const bool is_own = brings == e;

	for (unsigned i = q->n - posted; i < q->n; i++) {
		const struct posted_wr *wr = &q->v[q->begin + i];

		if (sends_bytes(wr) && !(is_own && wr->is_fenced && !wr->is_inline))
			find_unread(c, r, &e->qp, wr, brings, is_own ? i : brings->sends.n);
		if (changes_peer(wr) && is_own && !wr->is_fenced)
			find_overwritten(c, r, e, wr, i);
	}
}

/* ------------------------------------------------------------------------ receives -- */

static void find_overlap(struct checks *c, const struct record *r, const struct live_tracked_qp *qp,
			 const struct posted_wr *wr, const struct posted_queue *with)
{
	struct check_finding f;

	for (unsigned i = 0; i < with->n; i++) {
		const struct posted_wr *other = &with->v[with->begin + i];

		if (other == wr || other->is_inline || !common_sge(wr, other))
			continue;
		f = check_new(CHECK_RECV_OVERLAP, qp->v.name, r,
			      "%s of %s and %s have bytes in common", check_request(wr), qp->v.name,
			      check_request(other));
		step_posted(&f, qp, other);
		check_add(c, &f);
		return;
	}
}

/* Sends from, or into, memory of a receive; or into that of another send. */
static void find_shared(struct checks *c, const struct live_program *p, const struct record *r,
			struct live_queues *e)
{
	const struct posted_wr *wr;
	uint64_t at = c->put;

	while ((wr = posted_queue_next(&e->sends, &at))) {
		for (const struct live_object *o = p->seen; o; o = o->hh.next)
			if (o->queues && (sends_memory(wr) || fills_memory(wr)))
				find_overlap(c, r, &e->qp, wr, &o->queues->recvs);
		if (fills_memory(wr))
			find_overlap(c, r, &e->qp, wr, &e->sends);
	}
}

static void look_at_recvs(struct checks *c, const struct live_program *p, const struct record *r,
			  const struct live_queues *e)
{
	const struct posted_queue *q = &e->recvs;
	const struct posted_wr *wr;
	uint64_t at = c->put;

	while ((wr = posted_queue_next(q, &at))) {
		check_recv_posted(c, p, r, &e->qp, wr);
		if (!c->wanted[CHECK_RECV_OVERLAP])
			continue;
		find_overlap(c, r, &e->qp, wr, q);
		find_overlap(c, r, &e->qp, wr, &e->sends);
	}
}

/* ---------------------------------------------------------- dereg-posted, ah-posted -- */

/* Can its requests still be carried out? */
static bool is_working(const struct live_tracked_qp *qp)
{
	return qp->v.state != IBV_QPS_RESET && qp->v.state != IBV_QPS_INIT &&
	       qp->v.state != IBV_QPS_ERR && !qp->ended_by_program;
}

static bool has_working_qp(const struct live_program *p, uint64_t srq)
{
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (qp->srq == srq && is_working(qp))
			return true;
	return false;
}

/* Has something come to the QP since then: perhaps the answer that tells that the message came? It
 * is not sent again on UD and UC. */
static bool has_received(const struct live_program *p, struct live_queues *e, uint64_t since)
{
	const struct posted_queue *q = live_program_recvs(p, e);
	const struct posted_wr *wr;
	uint64_t at = 0;

	while ((wr = posted_queue_next(q, &at)))
		if (wr->done > since)
			return true;
	return false;
}

bool check_moves_region(const struct record *r)
{
	return record_call_row(r) == ROW_ibv_rereg_mr && !r->err &&
	       r->args[1] & (IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD);
}

bool check_ends_region(const struct record *r)
{
	return r->nargs && !r->err && r->fn->args[0].role == CALL_GONE &&
	       r->fn->args[0].object == OBJECT_MR;
}

/* Of a QP or an SRQ. */
static bool can_complete(const struct live_program *p, const struct live_object *queue)
{
	return queue->kind == OBJECT_SRQ ? has_working_qp(p, queue->address)
					 : is_working(&queue->queues->qp);
}

static bool uses_bytes(const struct posted_wr *wr, const struct check_taken *t)
{
	for (unsigned i = 0; !wr->is_inline && !(wr->op && wr->op->local) && i < wr->nsge; i++)
		if (wr->sge[i].lkey == t->lkey &&
		    overlaps(wr->sge[i].addr, wr->sge[i].length, t->at, t->len))
			return true;
	return false;
}

bool check_uses(const struct posted_wr *wr, const struct check_taken *t)
{
	return t->id == CHECK_AH_POSTED ? wr->ah == t->address : uses_bytes(wr, t);
}

/* May a completion that was taken be of this request, or of another one with its wr_id? */
static bool is_undecided(const struct live_queues *e, const struct posted_wr *wr)
{
	for (unsigned i = 0; i < e->nundecided; i++)
		if (e->undecided[i].wr_id == wr->wr_id)
			return true;
	return false;
}

static bool find_posted_of(struct checks *c, const struct live_program *p,
			   const struct check_taken *t, const struct live_queues *e,
			   const struct posted_queue *q)
{
	const struct live_tracked_qp *qp = &e->qp;
	const struct posted_wr *first = NULL;
	struct check_finding f;
	unsigned n = 0;

	for (unsigned i = q->n; i-- > 0;)
		if (check_uses(&q->v[q->begin + i], t) && !is_undecided(e, &q->v[q->begin + i])) {
			first = &q->v[q->begin + i];
			n++;
		}
	if (!n)
		return false;
	f = check_new(
		t->id, t->object, NULL,
		"%s%s was %s while %u request%s of %s with it %s outstanding: no completion of "
		"%s was taken",
		t->part, t->object, t->how, n, check_s(n), qp->v.name, n == 1 ? "was" : "were",
		check_request(first));
	f.at = t->place;
	step_posted(&f, qp, first);
	check_add_made(c, p, &f, t->address);
	return true;
}

bool check_find_posted(struct checks *c, const struct live_program *p, const struct check_taken *t)
{
	bool found = false;

	for (const struct live_object *o = p->seen; o; o = o->hh.next) {
		const struct live_queues *e = o->queues;

		if (!e || !can_complete(p, o) || (*e->qp.v.pd && strcmp(e->qp.v.pd, t->pd) != 0))
			continue;
		found |= find_posted_of(c, p, t, e, &e->sends);
		found |= find_posted_of(c, p, t, e, &e->recvs);
	}
	return found;
}

/* A region is deregistered, or gets other memory. */
static void find_registered(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_region *region = live_region_at(&p->regions, r->args[0]);

	if (region)
		check_find_posted(c, p,
				  &(struct check_taken){ .id = CHECK_DEREG_POSTED,
							 .object = region->name,
							 .part = "",
							 .how = check_moves_region(r)
									? "registered anew"
									: "deregistered",
							 .address = r->args[0],
							 .pd = region->pd,
							 .lkey = region->lkey,
							 .len = UINT64_MAX,
							 .place = check_place_of(r) });
}

/* Of an address handle. The queue pair may have got an answer since: the datagram has left then. */
static void find_addressed(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct check_taken t = { .id = CHECK_AH_POSTED,
				       .object = live_program_name(p, r->args[0], r->begin),
				       .part = "",
				       .how = "destroyed",
				       .address = r->args[0],
				       .place = check_place_of(r) };

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		struct live_queues *e = live_program_entry(p, qp->address);

		if (is_working(qp) && e->sends.n &&
		    !has_received(p, e, e->sends.v[e->sends.begin + e->sends.n - 1].when))
			find_posted_of(c, p, &t, e, &e->sends);
	}
}

/* Sends of the QP of librdmacm that make no completion, while nothing has come since them, nor the
 * peer has disconnected: what moves the QP to ERR flushes them. */
static unsigned count_left(const struct live_program *p, const struct live_tracked_qp *qp)
{
	const struct live_object *id = live_object_at(p->seen, qp->cm_id);
	struct live_queues *e = live_program_entry(p, qp->address);
	const struct posted_queue *q = e ? &e->sends : NULL;

	if (!q || !q->n || qp->v.state != IBV_QPS_RTS || live_program_signaled(p, qp) ||
	    has_received(p, e, q->v[q->begin + q->n - 1].when) ||
	    (id && id->id_calls & LIVE_ID_DISCONNECTED))
		return 0;
	return q->n;
}

/* librdmacm calls ibv_modify_qp() within rdma_disconnect(), and so before that is known. */
static void note_left(const struct live_program *p, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	const struct live_tracked_qp *qp = live_program_qp(p, r->args[0]);
	struct check_note *n = qp && qp->cm_id ? check_note(p, qp->cm_id) : NULL;

	if (n && a && r->args[2] & IBV_QP_STATE && a->qp_state == IBV_QPS_ERR)
		n->left = count_left(p, qp);
}

static void find_left(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct live_tracked_qp *qp = live_program_qp_of_id(p, r->args[0]);
	const struct check_note *note = qp ? check_note(p, r->args[0]) : NULL;
	const unsigned now = qp ? count_left(p, qp) : 0, n = now ? now : note ? note->left : 0;
	struct check_finding f;

	if (!n)
		return;
	f = check_new(
		CHECK_LEFT_UNSIGNALED, qp->v.name, r,
		"%s was disconnected with %u send%s outstanding, without a completion to come",
		qp->v.name, n, check_s(n));
	check_doubt(&f, "certain if the peer needs what they bring");
	check_add_made(c, p, &f, qp->address);
}

/* -------------------------------------------------------------------- send-changed -- */

static const struct posted_wr *find_sent(const struct live_queues *e, uint64_t address)
{
	for (unsigned i = 0; i < e->sends.n; i++) {
		const struct posted_wr *wr = &e->sends.v[e->sends.begin + i];

		for (unsigned k = 0; sends_memory(wr) && k < wr->nsge; k++)
			if (wr->sge[k].addr == address)
				return wr;
	}
	return NULL;
}

/* The first request at the same time whose bytes the device writes to this one's; else first. */
static const struct posted_wr *earlier_fill(const struct posted_queue *q,
					    const struct posted_wr *sent,
					    const struct posted_wr *first)
{
	const struct posted_wr *wr;
	uint64_t at = 0;

	while ((wr = posted_queue_next(q, &at)))
		if (fills_memory(wr) && (!wr->done || wr->done > sent->when) &&
		    (!first || wr->when < first->when) && common_sge(sent, wr))
			first = wr;
	return first;
}

static const struct posted_wr *first_fill(const struct live_program *p,
					  const struct posted_wr *sent)
{
	const struct posted_wr *first = NULL;

	for (const struct live_object *o = p->seen; o; o = o->hh.next)
		if (o->queues)
			first = earlier_fill(&o->queues->sends, sent,
					     earlier_fill(&o->queues->recvs, sent, first));
	return first;
}

bool check_is_open(const struct live_program *p, const struct live_region *region, unsigned rights,
		   bool to_strangers)
{
	if (!region || !(region->access & rights))
		return false;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		const bool is_known = qp->v.known & IBV_QP_DEST_QPN;

		if (qp->v.type == IBV_QPT_UD || strcmp(qp->v.pd, region->pd) != 0 ||
		    !is_working(qp) ||
		    (qp->v.known & IBV_QP_ACCESS_FLAGS && !(qp->v.attr.qp_access_flags & rights)))
			continue;
		if (!to_strangers || !is_known ||
		    !live_program_numbered(p, qp->v.attr.dest_qp_num, qp->v.number))
			return true;
	}
	return false;
}

/* The call by which the completions of the sends are taken. */
static const char *poll_of(const struct live_program *p, const struct live_queues *e)
{
	const struct live_object *cq = live_object_at(p->seen, e->qp.send_cq);

	return cq && cq->made.fn == &call_table[ROW_ibv_create_cq_ex] ? "a poll" : "ibv_poll_cq";
}

/* The memory of a request of e has changed. is_written: a record says that the program has written
 * there; otherwise the bytes were compared. */
static void add_changed(struct checks *c, const struct live_program *p, const struct record *r,
			struct live_queues *e, const struct posted_wr *wr, uint64_t address,
			bool is_written)
{
	const bool is_sent_once = e->qp.v.type == IBV_QPT_UD || e->qp.v.type == IBV_QPT_UC;
	struct check_finding f;
	const struct posted_wr *fill = first_fill(p, wr);
	const struct live_region *region;
	const char *of;

	/* many have one buffer for messages and their answers, for which they wait already */
	if ((fill && fill->when <= wr->when) || (is_sent_once && has_received(p, e, wr->when)))
		return;
	region = check_region_of_key(p, wr->sge[0].lkey);
	of = region ? region->name : "no region";
	if (is_written)
		f = check_new(
			CHECK_SEND_CHANGED, e->qp.v.name, NULL,
			"the program has written to the memory of %s of %s, in %s, which was not "
			"completed yet",
			check_request(wr), e->qp.v.name, of);
	else
		f = check_new(
			CHECK_SEND_CHANGED, e->qp.v.name, NULL,
			"the %u bytes at 0x%llx in %s differ from those that %s of %s was posted "
			"with, and it was not completed yet",
			wr->len, (unsigned long long)address, of, check_request(wr), e->qp.v.name);
	if (!is_written &&
	    check_is_open(p, region, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC, true))
		check_doubt(&f,
			    "the peer may have written there: certain without REMOTE_WRITE in that "
			    "region");
	if (fill)
		check_doubt(&f,
			    "certain unless what %s brings is the answer to this one: it was "
			    "posted later, for the same bytes",
			    check_request(fill));
	if (is_sent_once)
		check_doubt(&f,
			    "certain unless an answer has told that the message came: it is not "
			    "sent again");
	f.at = (struct check_place){ is_written ? r->fn->name : poll_of(p, e), r->from };
	step_posted(&f, &e->qp, wr);
	check_add(c, &f);
}

void checks_changed(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t qp, uint64_t address)
{
	struct live_queues *e = live_program_entry(p, qp);
	const struct posted_wr *wr = e ? find_sent(e, address) : NULL;

	if (wr)
		add_changed(c, p, r, e, wr, address, false);
}

void checks_written(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t address, uint64_t len)
{
	const struct posted_wr written = {
		.nsge = 1, .sge = { { .addr = address, .length = (uint32_t)len } }
	};

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		struct live_queues *e = live_program_entry(p, qp->address);

		for (unsigned i = 0; e && i < e->sends.n; i++) {
			const struct posted_wr *wr = &e->sends.v[e->sends.begin + i];

			if (sends_memory(wr) && common_sge(wr, &written))
				add_changed(c, p, r, e, wr, address, true);
		}
	}
}

/* --------------------------------------------------------------------------- calls -- */

void check_requests_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct posted_queue *q = queue_of(p, r);

	if (q)
		c->put = q->put;
	if (r->depth && record_call_row(r) == ROW_ibv_modify_qp)
		note_left(p, r);
	if (r->err || r->depth || !r->nargs)
		return;
	if (check_moves_region(r) || check_ends_region(r))
		find_registered(c, p, r);
	else if (r->fn->args[0].role == CALL_GONE && r->fn->args[0].object == OBJECT_AH)
		find_addressed(c, p, r);
	else if (record_call_row(r) == ROW_rdma_disconnect)
		find_left(c, p, r);
}

void check_requests_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct posted_queue *q = queue_of(p, r);
	struct live_queues *e = q ? live_program_entry(p, r->args[0]) : NULL;
	const struct posted_wr *wr;
	uint64_t at = c->put;

	if (!q)
		return;
	while (c->nfreed && (wr = posted_queue_next(q, &at)))
		check_freed_posted(c, p, r, &e->qp, wr);
	if (q == &e->recvs)
		look_at_recvs(c, p, r, e);
	else if (c->wanted[CHECK_RECV_OVERLAP])
		find_shared(c, p, r, e);
	for (const struct live_object *o = q == &e->sends ? p->seen : NULL; o; o = o->hh.next)
		if (o->queues && has_unread(&o->queues->sends))
			look_at_sends(c, r, e, o->queues);
}
