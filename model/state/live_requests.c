/* SPDX-License-Identifier: MIT */
/* The requests that a program has posted, and the completions that it has taken. */
#include "live_program.h"

#include <string.h>

#include "heap.h"
#include "recorded.h"

void posted_queue_empty(struct posted_queue *q)
{
	q->begin = q->n = q->had = q->messages = q->solicited = 0;
}

/* Grows a queue that is half full, so that a full one is not moved with each request. */
static void make_queue_room(struct posted_queue *q)
{
	const unsigned kept = q->begin < q->keeps ? q->begin : q->keeps;

	if (q->begin + q->n < q->room)
		return;
	if (kept + q->n >= q->room / 2) {
		q->room = q->room ? 2 * q->room : 16;
		q->v = xrealloc(q->v, q->room, sizeof *q->v);
	}
	memmove(q->v, q->v + q->begin - kept, (kept + q->n) * sizeof *q->v);
	q->begin = kept;
}

const struct posted_wr *posted_queue_next(const struct posted_queue *q, uint64_t *at)
{
	const uint64_t first = q->put - q->n - q->begin;

	if (*at < first)
		*at = first;
	return *at < q->put ? &q->v[(*at)++ - first] : NULL;
}

static void posted_queue_put(struct posted_queue *q, const struct posted_wr *wr)
{
	make_queue_room(q);
	q->v[q->begin + q->n++] = *wr;
	q->had++;
	q->put++;
	q->signaled += wr->is_signaled;
	q->messages += wr->op && wr->op->solicits;
	q->solicited += wr->op && wr->op->solicits && wr->is_solicited;
	if (wr->op && wr->op->has_response)
		q->answered = q->put;
}

/* Takes out the request at that place, and in_order all before it. */
static void posted_queue_retire(struct posted_queue *q, unsigned at, bool in_order, uint64_t when)
{
	struct posted_wr *v = q->v + q->begin, done;

	for (unsigned i = in_order ? 0 : at; i <= at; i++)
		v[i].done = when;
	done = v[at];
	if (!in_order) {
		memmove(v + 1, v, at * sizeof *v); /* those before it stay; usually there are few */
		v[0] = done;
	}
	q->begin += in_order ? at + 1 : 1;
	q->n -= in_order ? at + 1 : 1;
}

static unsigned posted_queue_count(const struct posted_queue *q, uint64_t wr_id)
{
	unsigned n = 0;

	for (unsigned i = 0; i < q->n; i++)
		n += q->v[q->begin + i].wr_id == wr_id;
	return n;
}

/* ------------------------------------------------------------------- from records -- */

static void add_sges(struct posted_wr *p, const struct ibv_sge *sge, int n)
{
	for (int i = 0; sge && i < n; i++) {
		p->len += sge[i].length;
		if (p->nsge < LIVE_SGES)
			p->sge[p->nsge++] = sge[i];
	}
}

static struct live_bind posted_bind(uint64_t mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	return (struct live_bind){ .known = true,
				   .mw = mw,
				   .rkey = rkey,
				   .mr = (uintptr_t)info->mr,
				   .addr = info->addr,
				   .len = info->length,
				   .access = info->mw_access_flags };
}

static struct posted_wr posted_send(const struct record *r, const struct ibv_send_wr *wr,
				    enum ibv_qp_type type)
{
	struct posted_wr p = { .wr_id = wr->wr_id,
			       .when = r->begin,
			       .from = r->from,
			       .thread = r->thread,
			       .op = wr_op_find(wr->opcode),
			       .is_fenced = wr->send_flags & IBV_SEND_FENCE,
			       .is_solicited = wr->send_flags & IBV_SEND_SOLICITED,
			       .is_inline = wr->send_flags & IBV_SEND_INLINE,
			       .is_signaled = wr->send_flags & IBV_SEND_SIGNALED };

	if (type == IBV_QPT_UD) {
		p.to_qpn = wr->wr.ud.remote_qpn;
		p.ah = (uintptr_t)wr->wr.ud.ah;
	} else if (p.op && p.op->atomic) {
		p.remote = wr->wr.atomic.remote_addr;
		p.rkey = wr->wr.atomic.rkey;
	} else if (p.op && p.op->remote) {
		p.remote = wr->wr.rdma.remote_addr;
		p.rkey = wr->wr.rdma.rkey;
	} else if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_SEND_WITH_INV) {
		p.rkey = wr->invalidate_rkey;
	}
	if (wr->opcode == IBV_WR_BIND_MW)
		p.bind = posted_bind((uintptr_t)wr->bind_mw.mw, wr->bind_mw.rkey,
				     &wr->bind_mw.bind_info);
	add_sges(&p, wr->sg_list, wr->num_sge);
	return p;
}

void posted_queue_take_sends(struct live_queues *e, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];

	for (unsigned n = record_accepted(r); n--; wr = wr->next) {
		const struct posted_wr p = posted_send(r, wr, e->qp.v.type);

		posted_queue_put(&e->sends, &p);
	}
}

void posted_queue_take_bind(struct posted_queue *q, const struct record *r)
{
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)r->args[2];
	struct posted_wr p = {
		.when = r->begin, .from = r->from, .thread = r->thread, .op = &wr_ops[WR_BIND_MW]
	};

	if (r->err || !bind)
		return;
	p.wr_id = bind->wr_id;
	p.is_signaled = bind->send_flags & IBV_SEND_SIGNALED;
	p.bind = posted_bind(r->args[1], 0, &bind->bind_info);
	posted_queue_put(q, &p);
}

void posted_queue_take_recvs(struct posted_queue *q, const struct record *r)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)r->args[1];

	for (unsigned n = record_accepted(r); n--; wr = wr->next) {
		struct posted_wr v = { .wr_id = wr->wr_id,
				       .when = r->begin,
				       .from = r->from,
				       .thread = r->thread,
				       .op = &wr_ops[WR_RECV] };

		add_sges(&v, wr->sg_list, wr->num_sge);
		posted_queue_put(q, &v);
	}
}

/* This call posts all requests that were built. */
static void post_built_requests(struct live_queues *e, const struct record *r)
{
	for (unsigned i = 0; i < e->built.n; i++) {
		struct posted_wr *p = &e->built.v[e->built.begin + i];

		p->when = r->begin;
		posted_queue_put(&e->sends, p);
	}
	posted_queue_empty(&e->built);
}

/* Adds what ibv_wr_flush(), or a call after ibv_wr_send() or the like, says of its data. */
static void add_request_data(struct posted_wr *last, const struct record *r)
{
	const struct ibv_data_buf *buf = (const void *)(uintptr_t)r->args[2];

	switch (record_call_row(r)) {
	case ROW_ibv_wr_set_sge:
		add_sges(
			last,
			&(struct ibv_sge){ r->args[2], (uint32_t)r->args[3], (uint32_t)r->args[1] },
			1);
		break;
	case ROW_ibv_wr_set_sge_list:
		add_sges(last, (const void *)(uintptr_t)r->args[2], (int)r->args[1]);
		break;
	case ROW_ibv_wr_set_ud_addr:
		last->ah = r->args[1];
		last->to_qpn = (uint32_t)r->args[2];
		break;
	case ROW_ibv_wr_set_inline_data:
		add_sges(last, &(struct ibv_sge){ r->args[1], (uint32_t)r->args[2], 0 }, 1);
		last->is_inline = true;
		break;
	case ROW_ibv_wr_flush: /* which has no data */
		last->len = (uint32_t)r->args[3];
		last->flush_type = (uint8_t)r->args[4];
		last->flush_level = (uint8_t)r->args[5];
		break;
	case ROW_ibv_wr_set_inline_data_list:
		last->is_inline = true;
		for (uint64_t i = 0; buf && i < r->args[1]; i++)
			last->len += (uint32_t)buf[i].length;
		break;
	}
}

static void posted_queue_take_step(struct live_queues *e, const struct record *r)
{
	struct posted_queue *built = &e->built;
	struct ibv_send_wr wr;
	struct posted_wr p;

	if (r->fn->step == CALL_FIRST || r->fn->step == CALL_LAST)
		e->is_building = r->fn->step == CALL_FIRST;
	if (record_request(r, &wr)) {
		p = posted_send(r, &wr, e->qp.v.type);
		p.built_by = r->fn;
		add_request_data(&p, r);
		posted_queue_put(built, &p);
	} else if (record_call_row(r) == ROW_ibv_wr_complete && !r->err && r->ended) {
		post_built_requests(e, r);
	} else if (r->fn->step != CALL_ALONE) { /* started again, refused or aborted */
		posted_queue_empty(built);
	} else if (built->n) {
		add_request_data(&built->v[built->begin + built->n - 1], r);
	}
}

/* A request of an extended QP, and the calls that build it. */
bool live_program_take_request(struct live_program *p, const struct record *r)
{
	struct live_queues *e;

	if (r->fn->path != CALL_DATAPATH || !r->nargs || r->fn->args[0].object != OBJECT_QP_EX)
		return false;
	e = live_program_entry(p, r->args[0]);
	if (e) {
		if (record_call_row(r) == ROW_ibv_wr_complete)
			e->refused = e->built.n;
		posted_queue_take_step(e, r);
	}
	return e;
}

/* --------------------------------------------------------------------- completions -- */

enum { IN_SENDS = 1, IN_RECVS = 2 };

/* Statuses that only requests of a send queue have. */
static bool is_status_of_sends(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_MW_BIND_ERR:
	case IBV_WC_BAD_RESP_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_REM_OP_ERR:
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return true;
	default:
		return false;
	}
}

/* In which queues of the QP the request may be: its opcode tells, if it is valid, else the CQ. */
static unsigned queues_of(const struct live_tracked_qp *qp, uint64_t cq, const struct ibv_wc *wc,
			  bool has_opcode)
{
	unsigned in = IN_SENDS | IN_RECVS;

	if (has_opcode)
		return wc->opcode & IBV_WC_RECV ? IN_RECVS : IN_SENDS;
	if (is_status_of_sends(wc->status))
		return IN_SENDS;
	if (qp->send_cq && qp->send_cq != cq)
		in &= ~(unsigned)IN_SENDS;
	if (qp->recv_cq && qp->recv_cq != cq)
		in &= ~(unsigned)IN_RECVS;
	return in;
}

/* Requests of which a completion may be. */
struct candidates {
	unsigned n, first; /* the place of the first of them */
	bool differ;
};

static bool are_alike(const struct posted_wr *a, const struct posted_wr *b)
{
	return a->op == b->op && a->remote == b->remote && a->rkey == b->rkey && a->len == b->len &&
	       a->is_inline == b->is_inline && a->nsge == b->nsge &&
	       a->flush_type == b->flush_type && a->flush_level == b->flush_level &&
	       memcmp(a->sge, b->sge, a->nsge * sizeof *a->sge) == 0;
}

/* Those with that wr_id. Of sends one that is not signaled completes only if it fails, and none
 * behind a signaled one that has not completed. */
static struct candidates find_candidates(const struct posted_queue *q, const struct ibv_wc *wc,
					 bool signals_all)
{
	const struct posted_wr *v = q->n ? q->v + q->begin : NULL;
	const bool is_ok = wc->status == IBV_WC_SUCCESS;
	struct candidates c = { 0 };

	for (unsigned i = 0; i < q->n; i++) {
		const bool is_signaled = signals_all || v[i].is_signaled;

		if (v[i].wr_id == wc->wr_id && (is_signaled || !is_ok)) {
			c.differ |= c.n && !are_alike(&v[c.first], &v[i]);
			c.first = c.n ? c.first : i;
			c.n++;
		}
		if (c.n && is_signaled)
			break;
	}
	return c;
}

static struct undecided *undecided_of(struct live_queues *e, uint64_t wr_id)
{
	for (unsigned i = 0; i < e->nundecided; i++)
		if (e->undecided[i].wr_id == wr_id)
			return &e->undecided[i];
	e->undecided = xgrow(e->undecided, e->nundecided, sizeof *e->undecided);
	e->undecided[e->nundecided] = (struct undecided){ .wr_id = wr_id };
	return &e->undecided[e->nundecided++];
}

/* Takes out all with that wr_id. */
static void retire_all(struct posted_queue *q, uint64_t wr_id, bool in_order, uint64_t when)
{
	for (unsigned i = 0; i < q->n;)
		if (q->v[q->begin + i].wr_id != wr_id) {
			i++;
		} else {
			posted_queue_retire(q, i, in_order, when);
			i = in_order ? 0 : i;
		}
}

/* The completion is of a request of either queue. Both stay until as many completions have come as
 * there are requests with the wr_id. */
static void take_undecided(struct live_queues *e, struct posted_queue *recvs, uint64_t wr_id,
			   uint64_t when)
{
	struct undecided *u = undecided_of(e, wr_id);

	if (++u->n < posted_queue_count(&e->sends, wr_id) + posted_queue_count(recvs, wr_id))
		return;
	retire_all(&e->sends, wr_id, true, when);
	retire_all(recvs, wr_id, !e->qp.srq, when);
	*u = e->undecided[--e->nundecided];
}

/* The attributes of a QP of rdma_get_request() are not seen. A completion of a request that did not
 * ask for one shows that all have one. */
static bool shows_signals_all(const struct live_queues *e, const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_SUCCESS && !e->qp.v.cap.max_send_wr && !e->qp.signals_all;
}

/* Finds what the completion was posted as, and retires it with all that completed before. */
static void find_posted(struct live_program *p, struct live_queues *e, const struct record *r,
			bool has_opcode, struct live_wc *seen)
{
	struct posted_queue *recvs = live_program_recvs(p, e);
	const unsigned in = queues_of(&e->qp, r->args[0], &seen->wc, has_opcode);
	struct candidates sends = { 0 }, receives = { 0 };

	if (in & IN_SENDS)
		sends = find_candidates(&e->sends, &seen->wc, e->qp.signals_all);
	if (in == IN_SENDS && !sends.n && shows_signals_all(e, &seen->wc)) {
		sends = find_candidates(&e->sends, &seen->wc, true);
		e->qp.signals_all = sends.n;
	}
	if (in & IN_RECVS)
		receives = find_candidates(recvs, &seen->wc, true);
	seen->is_either = sends.n && receives.n;
	seen->known = receives.n || (sends.n && !sends.differ);
	if (sends.n)
		seen->posted = e->sends.v[e->sends.begin + sends.first];
	else if (receives.n)
		seen->posted = recvs->v[recvs->begin + receives.first];
	if (seen->is_either)
		take_undecided(e, recvs, seen->wc.wr_id, r->end);
	else if (sends.n)
		posted_queue_retire(&e->sends, sends.first, true, r->end);
	else if (receives.n)
		posted_queue_retire(recvs, receives.first, !e->qp.srq, r->end);
}

/* has_opcode: that of wc is valid. */
static void take_completion(struct live_program *p, const struct record *r, const struct ibv_wc *wc,
			    bool has_opcode, struct live_wc *seen)
{
	struct live_tracked_qp *qp = live_program_numbered(p, wc->qp_num, 0);
	struct live_queues *e = qp ? live_program_entry(p, qp->address) : NULL;
	const struct wr_op *op;
	struct live_object *cq;

	*seen = (struct live_wc){ .wc = *wc, .qp = qp, .after = -1 };
	if (!e)
		return;
	find_posted(p, e, r, has_opcode, seen);
	op = seen->known ? seen->posted.op : NULL;
	cq = live_object_at(p->seen, r->args[0]);
	if (cq) {
		cq->in_vain = 0;
		cq->crossed += seen->known && seen->posted.thread != r->thread;
	}
	/* rxe says LOC_QP_OP_ERR */
	if (op == &wr_ops[WR_RECV] &&
	    (wc->status == IBV_WC_LOC_LEN_ERR || wc->status == IBV_WC_LOC_QP_OP_ERR))
		qp->failed_recv = seen->posted.len;
	if (seen->known)
		seen->after = record_span(seen->posted.when, r->end);
	if (wc->status == IBV_WC_SUCCESS) {
		if (!(wc->opcode & IBV_WC_RECV) && !(op && (op->local || op == &wr_ops[WR_RECV]))) {
			qp->v.unanswered = false;
			qp->v.answered = r->end;
		}
		return;
	}
	/* that the peer disconnects or cannot be reached is said by an event, perhaps later */
	seen->follows = wc->status == IBV_WC_WR_FLUSH_ERR &&
			(qp->ended_by_program || (qp->cm_id && qp->v.state <= IBV_QPS_RTS));
	if (wc->status != IBV_WC_WR_FLUSH_ERR && qp->v.type != IBV_QPT_UD)
		live_qp_set_state(e, IBV_QPS_ERR, temp_text("WC %s", live_status(wc->status)));
	if (wc->status == IBV_WC_WR_FLUSH_ERR || qp->v.type != IBV_QPT_UD)
		qp->ended_by_program = true; /* the program was told */
}

void live_program_take_poll(struct live_program *p, const struct record *r)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)r->after[2];

	for (int64_t i = 0; wc && i < (int64_t)r->result; i++) {
		p->completions = xgrow(p->completions, p->ncompletions, sizeof *p->completions);
		take_completion(p, r, &wc[i], wc[i].status == IBV_WC_SUCCESS,
				&p->completions[p->ncompletions++]);
	}
}

/* ---------------------------------------------------------- of extended CQs -- */

struct open_wc *live_program_open_wc(const struct live_program *p, uint64_t cq)
{
	for (unsigned i = 0; i < p->nopen; i++)
		if (p->open[i].cq == cq)
			return &p->open[i];
	return NULL;
}

/* The QP of a completion without a QP number: one that uses the CQ and has posted that wr_id. */
static struct live_queues *poster_of(const struct live_program *p, const struct open_wc *o)
{
	struct live_queues *e;

	for (struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		e = live_program_entry(p, qp->address);
		if (o->wc.qp_num && o->wc.qp_num != qp->v.number)
			continue;
		if (!o->is_recv && qp->send_cq == o->cq &&
		    posted_queue_count(&e->sends, o->wc.wr_id))
			return e;
		if (!o->is_send && qp->recv_cq == o->cq &&
		    posted_queue_count(live_program_recvs(p, e), o->wc.wr_id))
			return e;
	}
	return NULL;
}

/* The program will ask for no more values of this completion. */
static void end_open_wc(struct live_program *p, const struct record *r, struct open_wc *o)
{
	struct live_queues *e = o->is_open ? poster_of(p, o) : NULL;
	struct record then = *r;
	struct live_wc *c;

	if (!o->is_open)
		return;
	o->is_open = false;
	then.end = o->when;
	if (e)
		o->wc.qp_num = e->qp.v.number;
	p->completions = xgrow(p->completions, p->ncompletions, sizeof *p->completions);
	c = &p->completions[p->ncompletions++];
	take_completion(p, &then, &o->wc, o->is_send || o->is_recv, c);
	if (c->known && c->posted.op && !o->is_send && !o->is_recv)
		c->wc.opcode = c->posted.op->done;
	if (c->known && !o->has_len)
		c->wc.byte_len = c->posted.len;
}

void live_program_end_poll(struct live_program *p, const struct record *r)
{
	struct open_wc *o = live_program_open_wc(p, r->args[0]);

	p->ncompletions = 0;
	if (o)
		end_open_wc(p, r, o);
}

static void begin_open_wc(struct live_program *p, const struct record *r, uint64_t wr_id,
			  enum ibv_wc_status status)
{
	struct open_wc *o = live_program_open_wc(p, r->args[0]);

	if (!o) {
		p->open = xgrow(p->open, p->nopen, sizeof *p->open);
		o = &p->open[p->nopen++];
	}
	*o = (struct open_wc){ .cq = r->args[0],
			       .is_open = true,
			       .when = r->end,
			       .wc = { .wr_id = wr_id, .status = status } };
	if (status != IBV_WC_SUCCESS) /* its opcode is not valid */
		end_open_wc(p, r, o);
}

/* The calls that take completions from an extended CQ. false: it is another call. */
bool live_program_take_extended_poll(struct live_program *p, const struct record *r)
{
	struct open_wc *o;
	enum ibv_wc_status status;
	uint64_t wr_id;

	if (r->fn->path != CALL_DATAPATH || !r->nargs || r->fn->args[0].object != OBJECT_CQ_EX)
		return false;
	o = live_program_open_wc(p, r->args[0]);
	if (o && record_call_row(r) == ROW_ibv_wc_read_opcode) {
		o->wc.opcode = (enum ibv_wc_opcode)r->result;
		o->is_recv = o->wc.opcode & IBV_WC_RECV;
		o->is_send = !o->is_recv;
	} else if (o && record_call_row(r) == ROW_ibv_wc_read_qp_num) {
		o->wc.qp_num = (uint32_t)r->result;
	} else if (o && record_call_row(r) == ROW_ibv_wc_read_byte_len) {
		o->wc.byte_len = (uint32_t)r->result;
		o->has_len = true;
	} else if (o && r->fn->step != CALL_ALONE) {
		end_open_wc(p, r, o);
	}
	if (record_completion(r, &status, &wr_id))
		begin_open_wc(p, r, wr_id, status);
	return true;
}

/* ------------------------------------------------------------------------ counted -- */

unsigned live_program_outstanding(const struct live_program *p, const struct live_tracked_qp *qp,
				  bool recvs)
{
	struct live_queues *e = live_program_entry(p, qp->address);

	return recvs ? live_program_recvs(p, e)->n : e->sends.n;
}

unsigned live_program_signaled(const struct live_program *p, const struct live_tracked_qp *qp)
{
	const struct posted_queue *q = &live_program_entry(p, qp->address)->sends;
	unsigned n = 0;

	for (unsigned i = 0; i < q->n; i++)
		n += qp->signals_all || q->v[q->begin + i].is_signaled;
	return n;
}

unsigned live_program_due(const struct live_program *p, uint64_t cq)
{
	unsigned n = 0;

	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older) {
		if (qp->send_cq == cq)
			n += live_program_signaled(p, qp);
		if (qp->recv_cq == cq && (!qp->srq || !n))
			n += live_program_outstanding(p, qp, true);
	}
	for (const struct live_object *o = n ? NULL : p->seen; o; o = o->hh.next)
		if (o->kind == OBJECT_SRQ && o->queues && live_object_uses(o, cq)) /* XRC */
			n += o->queues->recvs.n;
	return n;
}
