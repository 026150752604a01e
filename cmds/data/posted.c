/* SPDX-License-Identifier: MIT */
#include "data/posted.h"

#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "loop.h"
#include "objects.h"
#include "own_rows.h"
#include "spec_tables.h"

/* ----------------------------------------------------------------------- requests -- */

static void add_sges(const struct record *r, const struct ibv_sge *at, int n, struct posted *p)
{
	size_t len = 0;
	const struct ibv_sge *sge = n > 0 ? record_bytes(r, (uintptr_t)at, &len) : NULL;

	for (unsigned i = 0; sge && i < len / sizeof *sge; i++) {
		p->len += sge[i].length;
		if (p->nsge < POSTED_SGES)
			p->sge[p->nsge++] = sge[i];
	}
}

static void read_send(const struct qp *qp, const struct record *r, const struct ibv_send_wr *wr,
		      struct posted *p)
{
	p->wr_id = wr->wr_id;
	p->op = wr_op_find(wr->opcode);
	p->signaled = wr->send_flags & IBV_SEND_SIGNALED || qp->sq_sig_all;
	p->is_inline = wr->send_flags & IBV_SEND_INLINE;
	add_sges(r, wr->sg_list, wr->num_sge, p);
	if (qp->type == IBV_QPT_UD) {
		p->to_qpn = wr->wr.ud.remote_qpn;
		p->to_qkey = wr->wr.ud.remote_qkey;
	}
	if (p->op && p->op->remote)
		p->remote = p->op->atomic ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr;
	if (p->op && p->op->remote)
		p->rkey = p->op->atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey;
	else if (wr->opcode == IBV_WR_LOCAL_INV)
		p->rkey = wr->invalidate_rkey;
}

static void read_recv(const struct record *r, const struct ibv_recv_wr *wr, struct posted *p)
{
	p->wr_id = wr->wr_id;
	p->op = &wr_ops[WR_RECV];
	p->recv = p->signaled = true;
	add_sges(r, wr->sg_list, wr->num_sge, p);
}

/* The request at index of a post, if it was accepted; *is_last: no other follows. */
static bool read_request(const struct qp *qp, const struct record *r, unsigned index, bool recv,
			 struct posted *p, bool *is_last)
{
	const uint64_t *bad = r->err ? record_bytes(r, r->args[2], NULL) : NULL;
	const bool is_bind = row_of(r) == ROW_ibv_bind_mw;
	const struct ibv_mw_bind *bind;
	const void *wr = NULL;
	uint64_t at;

	if (r->err && (is_bind || !bad || !*bad))
		return false;
	*p = (struct posted){ .begin = r->begin };
	if (is_bind) {
		bind = index ? NULL : record_bytes(r, r->args[2], NULL);
		if (!bind)
			return false;
		p->wr_id = bind->wr_id;
		p->op = &wr_ops[WR_BIND_MW];
		p->signaled = bind->send_flags & IBV_SEND_SIGNALED;
		*is_last = true;
		return true;
	}
	for (at = r->args[1]; at && !(bad && at == *bad); index--) {
		wr = record_bytes(r, at, NULL);
		if (!wr)
			break;
		at = (uintptr_t)(recv ? (const void *)((const struct ibv_recv_wr *)wr)->next
				      : (const void *)((const struct ibv_send_wr *)wr)->next);
		if (!index)
			break;
		wr = NULL;
	}
	*is_last = !at || (bad && at == *bad);
	if (wr && recv)
		read_recv(r, wr, p);
	else if (wr)
		read_send(qp, r, wr, p);
	return wr;
}

struct posted_place posted_place(void)
{
	return (struct posted_place){ record_place(RECORD_DATA), 0 };
}

static bool is_post(const struct call_fn *fn, bool recv)
{
	return recv ? fn == &call_table[ROW_ibv_post_recv]
		    : fn == &call_table[ROW_ibv_post_send] || fn == &call_table[ROW_ibv_bind_mw];
}

/* As posted_next(), of those before the place before; *has_lost becomes true where some were
 * overwritten. */
static bool next_before(const struct qp *qp, bool recv, struct posted_place *at, uint64_t before,
			bool *has_lost, struct posted *p)
{
	struct record_reader in = { .path = RECORD_DATA, .at = at->record };
	bool found = false, is_last = false;
	struct record r;

	while (!found && record_next(&in) && in.place < before) {
		if (in.place != at->record)
			*at = (struct posted_place){ in.place, 0 };
		if (!is_post(in.fn, recv) || in.first != (uintptr_t)qp->v)
			continue;
		record_look(&in, &r);
		found = read_request(qp, &r, at->index++, recv, p, &is_last);
	}
	if (found && is_last)
		*at = (struct posted_place){ in.at, 0 };
	*has_lost |= in.has_lost;
	return found;
}

bool posted_next(const struct qp *qp, bool recv, struct posted_place *at, struct posted *p)
{
	bool has_lost = false;

	return next_before(qp, recv, at, UINT64_MAX, &has_lost, p);
}

/* -------------------------------------------------------------------- completions -- */

/* The oldest of this id: ids may be used again. Done are it and all before it. */
static bool retire_request(struct qp *qp, bool recv, uint64_t wr_id, uint64_t before,
			   struct posted *p)
{
	struct posted_place at = qp->read.request[recv];

	if (recv && qp->srq)
		return false; /* which QP takes what an SRQ was given is not known before */
	while (next_before(qp, recv, &at, before, &qp->read.has_lost[recv], p))
		if (p->wr_id == wr_id) {
			qp->read.request[recv] = at;
			qp->read.has_lost[recv] = false;
			return true;
		}
	return false;
}

/* The opcode of a failed completion is not valid: the queue of the CQ is taken that has the id. */
static bool find_completed(struct qp *qp, uint64_t cq, uint64_t place, const struct ibv_wc *wc,
			   struct posted *p)
{
	bool sends = cq == (uintptr_t)qp->send_cq->v, recvs = cq == (uintptr_t)qp->recv_cq->v;

	if (wc->status == IBV_WC_SUCCESS)
		return retire_request(qp, wc->opcode & IBV_WC_RECV, wc->wr_id, place, p);
	return (sends && retire_request(qp, false, wc->wr_id, place, p)) ||
	       (recvs && retire_request(qp, true, wc->wr_id, place, p));
}

/* Retires the request whose completion r, ibv_start_poll() or ibv_next_poll(), has found. The
 * record of that call has only its id; its opcode and QP are in the calls that have asked for them
 * since. */
static void retire_extended(struct qp *qp, struct record_reader in, const struct record *r)
{
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR }; /* its opcode is not valid */
	const uint64_t cq = in.first, place = in.place;
	enum ibv_wc_status status;
	struct record asked;
	struct posted p;

	if (!record_completion(r, &status, &wc.wr_id))
		return;
	while (record_next(&in)) {
		if (in.first != cq)
			continue;
		if (in.fn->step)
			break;
		record_look(&in, &asked);
		if (in.fn == &call_table[ROW_ibv_wc_read_qp_num] && asked.result != qp->v->qp_num)
			return;
		if (in.fn == &call_table[ROW_ibv_wc_read_opcode]) {
			wc.opcode = (enum ibv_wc_opcode)asked.result;
			wc.status = status;
		}
	}
	find_completed(qp, cq, place, &wc, &p);
}

/* Reads on to the completion at that index of the first poll since before that found something;
 * before UINT64_MAX: to the last one. */
static bool read_completions(struct qp *qp, uint64_t before, unsigned index, struct posted *p)
{
	struct posted_place *at = &qp->read.completion;
	struct record_reader in = { .path = RECORD_DATA, .at = at->record };
	const struct ibv_wc *wc;
	struct record r;
	bool known;

	while (record_next(&in)) {
		if (in.place != at->record)
			*at = (struct posted_place){ in.place, 0 };
		if (in.first != (uintptr_t)qp->send_cq->v && in.first != (uintptr_t)qp->recv_cq->v)
			continue;
		record_look(&in, &r);
		retire_extended(qp, in, &r);
		if (in.fn != &call_table[ROW_ibv_poll_cq])
			continue;
		wc = r.err ? NULL : record_bytes(&r, r.args[2], NULL);
		while (wc && at->index < r.result) {
			const struct ibv_wc *one = &wc[at->index++];

			known = one->qp_num == qp->v->qp_num &&
				find_completed(qp, in.first, in.place, one, p);
			if (known)
				p->end = r.end;
			if (in.place < before || at->index != index + 1)
				continue;
			if (at->index == r.result)
				*at = (struct posted_place){ in.at, 0 };
			return known;
		}
	}
	*at = posted_place();
	return false;
}

void posted_clear(struct qp *qp)
{
	const struct posted_place now = posted_place();

	qp->read = (struct qp_read){ .completion = now, .request = { now, now } };
}

bool posted_done(struct qp *qp, uint64_t before, unsigned index, struct posted *p)
{
	return read_completions(qp, before, index, p);
}

struct outstanding posted_outstanding(struct qp *qp, bool recv)
{
	struct outstanding all = { 0 };
	struct posted_place at;
	struct posted p;

	read_completions(qp, UINT64_MAX, 0, &p);
	at = qp->read.request[recv];
	while (next_before(qp, recv, &at, UINT64_MAX, &qp->read.has_lost[recv], &p)) {
		if (!all.n++)
			all.oldest = p;
		all.silent += !p.signaled;
	}
	all.has_more = qp->read.has_lost[recv];
	return all;
}

/* ------------------------------------------------------------------------ failures -- */

static bool last_failed(struct record_walk *w)
{
	while (record_back(w))
		if (row_of(&w->r) == OWN_BAD_WC)
			return true;
	return false;
}

void posted_failed(const struct qp *qp, const struct ibv_wc *wc, const struct posted *p,
		   unsigned long command)
{
	struct record_walk w = { .path = RECORD_CONTROL };

	if (wc->status != IBV_WC_WR_FLUSH_ERR || !last_failed(&w) || w.r.args[1] != qp->o.serial)
		own_bad_wc(qp, wc->status, command, p);
}

bool posted_last_failed(struct bad_wc *bad)
{
	struct record_walk w = { .path = RECORD_CONTROL };
	const struct record_object *o;
	const void *posted;

	if (!last_failed(&w))
		return false;
	o = record_object_at(w.r.args[0], w.r.begin);
	posted = (const void *)(uintptr_t)w.r.args[4];
	*bad = (struct bad_wc){ .status = (enum ibv_wc_status)w.r.args[2],
				.when = loop_now() - record_span(w.r.begin, record_time()),
				.serial = w.r.args[1],
				.command = w.r.args[3],
				.known = posted };
	if (o)
		snprintf(bad->qp, sizeof bad->qp, "%s", o->name);
	if (posted)
		memcpy(&bad->posted, posted, sizeof bad->posted);
	return true;
}
