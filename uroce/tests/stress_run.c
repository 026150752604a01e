// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

#define SPINS	  200			/* empty polls before it sleeps */
#define STUCK_MS  60000			/* no completion for so long */
#define RECV_ID	  UINT64_C(0x100000000) /* in wr_id: of a receive */
#define CHAIN_MAX 8			/* work requests posted in one call */

/* ------------------------------------------------------------------------ posting -- */

static const enum ibv_wr_opcode opcodes[KINDS] = {
	[SEND] = IBV_WR_SEND,
	[SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[SEND_INV] = IBV_WR_SEND_WITH_INV,
	[WRITE] = IBV_WR_RDMA_WRITE,
	[WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[READ] = IBV_WR_RDMA_READ,
	[CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static void fill_atomic(const struct end *e, const struct lane *l, const struct op *op,
			struct ibv_send_wr *wr)
{
	wr->wr.atomic.remote_addr = l->peer_open + offsetof(struct open_area, counter) +
				    op->remote * sizeof(uint64_t);
	wr->wr.atomic.rkey = l->peer_rkey;
	if (op->shared) {
		wr->wr.atomic.remote_addr = e->peer_shared;
		wr->wr.atomic.rkey = e->peer_shared_rkey;
	}
	wr->wr.atomic.compare_add = op->kind == CMP_SWAP ? op->compare : op->swap_add;
	wr->wr.atomic.swap = op->swap_add;
}

/* Kernel rxe 6.1 now and then never goes on after a fence, also with itself as the peer. */
static bool is_rxe(const struct ibv_context *ctx)
{
	return strncmp(ctx->device->name, "rxe", 3) == 0;
}

static void fill_wr(const struct end *e, const struct lane *l, unsigned i, struct ibv_send_wr *wr,
		    struct ibv_sge *sge)
{
	const struct op *op = &l->out.op[i];
	uint64_t area = l->peer_open + (op->from_source ? offsetof(struct open_area, source)
							: offsetof(struct open_area, target));

	*wr = (struct ibv_send_wr){
		.wr_id = i,
		.opcode = opcodes[op->kind],
		.sg_list = sge,
		.num_sge = op_sges(sge, (uintptr_t)l->own->local + op->local, op->len, op->cut,
				   op->nsge, l->own_mr->lkey),
		.send_flags = (op->signaled ? IBV_SEND_SIGNALED : 0) |
			      (op->fence && !is_rxe(l->qp->context) ? IBV_SEND_FENCE : 0) |
			      (op->solicited && op_takes_recv(op) ? IBV_SEND_SOLICITED : 0) |
			      (op->in_line ? IBV_SEND_INLINE : 0),
	};
	if (op->kind == SEND_INV)
		wr->invalidate_rkey = l->peer_window;
	else
		wr->imm_data = op->imm;
	if (op_is_atomic(op)) {
		fill_atomic(e, l, op, wr);
	} else {
		wr->wr.rdma.remote_addr = area + op->remote;
		wr->wr.rdma.rkey = op->by_window ? l->peer_window : l->peer_rkey;
	}
}

/* The bytes that it sends; what reads overwrites. */
static void fill_local(struct lane *l, const struct op *op)
{
	if (!op_is_atomic(op) && op->kind != READ)
		memcpy(l->own->local + op->local, content_bytes(op->content, op->len), op->len);
}

/* Up to a chain of operations, as the send queue has room. */
static void post_sends(struct end *e, struct lane *l)
{
	struct ibv_send_wr wr[CHAIN_MAX], *bad;
	struct ibv_sge sge[CHAIN_MAX][SGES];
	unsigned n = 0, room = SEND_DEPTH - l->sq_used;
	int error;

	while (n < CHAIN_MAX && n < room && l->posted + n < l->out.n) {
		fill_local(l, &l->out.op[l->posted + n]);
		fill_wr(e, l, l->posted + n, &wr[n], sge[n]);
		if (n)
			wr[n - 1].next = &wr[n];
		n++;
	}
	if (!n)
		return;
	error = ibv_post_send(l->qp, wr, &bad);
	if (error)
		die("ibv_post_send: %s", strerror(error));
	for (unsigned i = l->posted; i < l->posted + n; i++) /* it was copied */
		if (l->out.op[i].in_line)
			memset(l->own->local + l->out.op[i].local, ~FILLER & 0xff,
			       l->out.op[i].len);
	l->posted += n;
	l->sq_used += n;
}

static void post_recvs(struct lane *l)
{
	while (l->recv_posted < l->in.nrecv && l->recv_posted - l->recv_ended < RECV_DEPTH) {
		const struct op *op = &l->in.op[l->in.recv[l->recv_posted]];
		uint32_t len = (op->kind == WRITE_IMM ? 0 : op->len) + op->slack;
		struct ibv_sge sge[SGES];
		struct ibv_recv_wr wr = {
			.wr_id = l->recv_posted | RECV_ID,
			.sg_list = sge,
			.num_sge = op_sges(sge, (uintptr_t)l->own->recv + op->recv, len,
					   op->recv_cut, op->recv_nsge, l->own_mr->lkey),
		};
		struct ibv_recv_wr *bad;
		int error = ibv_post_recv(l->qp, &wr, &bad);

		if (error)
			die("ibv_post_recv: %s", strerror(error));
		l->recv_posted++;
	}
}

/* ---------------------------------------------------------------------- failures -- */

static void to_error(struct lane *l)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	int error = ibv_modify_qp(l->qp, &attr, IBV_QP_STATE);

	if (error)
		die("ERR: %s", strerror(error));
	l->failed = true;
}

/* The other end has said that its QP failed: so ours is of no use, unless it is done too. */
static void hear_failure(struct end *e, const struct message *m)
{
	struct lane *l = &e->lane[m->qp];

	if (!e->s.may_fail)
		die("the other end's QP %u has failed", m->qp);
	if (!l->failed)
		to_error(l);
}

static void say_failure(const struct end *e, struct lane *l)
{
	struct message m = { .say = SAY_FAILED, .qp = (uint32_t)(l - e->lane) };

	if (!l->said)
		say(e, &m);
	l->said = true;
}

/* 10.7.3.1 and 9.9.2: the only way in which an operation may fail here, and those after it. */
static void send_failed(struct end *e, struct lane *l, const struct ibv_wc *wc)
{
	bool flushed = wc->status == IBV_WC_WR_FLUSH_ERR;

	if (!e->s.may_fail || !(flushed ? l->failed : wc->status == IBV_WC_RETRY_EXC_ERR))
		die("round %llu: operation %llu, %s of %u bytes: %s (vendor 0x%x)",
		    (unsigned long long)e->round, (unsigned long long)wc->wr_id,
		    kind_names[l->out.op[wc->wr_id].kind], l->out.op[wc->wr_id].len,
		    ibv_wc_status_str(wc->status), wc->vendor_err);
	if (!flushed) {
		e->failures++;
		l->failed = true;
		say_failure(e, l);
	}
}

/* -------------------------------------------------------------------- completions -- */

/* Those before it that were not signaled have ended as well. */
static void send_ended(struct end *e, struct lane *l, const struct ibv_wc *wc)
{
	unsigned next = l->posted - l->sq_used;

	if (wc->wr_id < next || wc->wr_id >= l->posted)
		die("completion of operation %llu, not of %u to %u", (unsigned long long)wc->wr_id,
		    next, l->posted - 1);
	for (unsigned i = next; i < wc->wr_id; i++)
		if (l->out.op[i].signaled || l->sq_drained)
			die("operation %llu was completed before %u", (unsigned long long)wc->wr_id,
			    i);
	l->sq_used = l->posted - (unsigned)wc->wr_id - 1;
	if (wc->status == IBV_WC_SUCCESS) {
		const struct op *op = &l->out.op[wc->wr_id];

		if (l->sq_drained)
			die("operation %llu has succeeded after a failure",
			    (unsigned long long)wc->wr_id);
		if (!op->signaled)
			die("completion of an operation that was not signaled");
		l->done = (unsigned)wc->wr_id + 1;
		if (op->kind == READ || op_is_atomic(op))
			check_sink(l, op);
		return;
	}
	if (!l->sq_drained)
		l->done = (unsigned)wc->wr_id;
	l->sq_drained = true;
	send_failed(e, l, wc);
}

static void recv_ended(struct end *e, struct lane *l, const struct ibv_wc *wc)
{
	if (wc->wr_id != l->recv_ended)
		die("completion of receive %llu, not %u", (unsigned long long)wc->wr_id,
		    l->recv_ended);
	l->recv_ended++;
	if (wc->status == IBV_WC_SUCCESS) {
		if (l->recv_done != wc->wr_id)
			die("a receive has succeeded after a failure");
		l->recv_done++;
		check_recv(l, wc, &l->in.op[l->in.recv[wc->wr_id]]);
	} else if (wc->status != IBV_WC_WR_FLUSH_ERR || !e->s.may_fail) {
		die("receive: %s", ibv_wc_status_str(wc->status));
	}
}

static int poll_cq(struct end *e)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(e->cq, 16, wc);

	if (n < 0)
		die("ibv_poll_cq: %d", n);
	for (int i = 0; i < n; i++) {
		struct lane *l = end_lane(e, wc[i].qp_num);

		if (wc[i].wr_id & RECV_ID) {
			wc[i].wr_id &= ~RECV_ID;
			recv_ended(e, l, &wc[i]);
		} else {
			send_ended(e, l, &wc[i]);
		}
	}
	return n;
}

/* --------------------------------------------------------------------------- round -- */

static bool lane_is_done(const struct lane *l)
{
	if (l->failed) /* all that was posted has come back */
		return !l->sq_used && l->recv_ended == l->recv_posted;
	return l->posted == l->out.n && !l->sq_used && l->recv_ended == l->in.nrecv;
}

/* Posts what there is room for; true: nothing is left to do. */
static bool go_on(struct end *e)
{
	bool all = true;

	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		if (!l->failed) {
			post_recvs(l);
			post_sends(e, l);
		}
		all &= lane_is_done(l);
	}
	return all;
}

static void stuck(const struct end *e)
{
	for (unsigned q = 0; q < e->s.qps; q++) {
		const struct lane *l = &e->lane[q];
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };

		ibv_query_qp(l->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN, &init);
		fprintf(stderr,
			"QP %u (0x%x) state %d, PSN to send 0x%x, to receive 0x%x: %u of %u operations "
			"posted, %u of them not completed; %u of %u receives completed\n",
			q, l->qp->qp_num, (int)attr.qp_state, attr.sq_psn, attr.rq_psn, l->posted,
			l->out.n, l->sq_used, l->recv_ended, l->in.nrecv);
	}
	die("round %llu: no completion for %d s", (unsigned long long)e->round, STUCK_MS / 1000);
}

/* Sleeps until there is a completion, or the other end says something: true then. */
static bool doze(struct end *e)
{
	struct pollfd p[] = { { e->channel->fd, POLLIN, 0 }, { e->control, POLLIN, 0 } };
	struct ibv_cq *cq;
	void *context;

	if (ibv_req_notify_cq(e->cq, 0) != 0)
		die("ibv_req_notify_cq");
	if (poll_cq(e) > 0)
		return false;
	if (poll(p, 2, STUCK_MS) == 0)
		stuck(e);
	if (p[0].revents & POLLIN) {
		if (ibv_get_cq_event(e->channel, &cq, &context) != 0)
			die("ibv_get_cq_event: %s", strerror(errno));
		if (++e->events == 64) {
			ibv_ack_cq_events(e->cq, 64);
			e->events = 0;
		}
	}
	return p[1].revents;
}

/* Hears the other end while we work. True: it is done with the round. */
static bool listen_once(struct end *e, struct message *m)
{
	hear(e, m);
	if (m->say == SAY_FAILED && m->qp < e->s.qps) {
		hear_failure(e, m);
		return false;
	}
	if (m->say != SAY_DONE)
		die("the other end says %u", m->say);
	return true;
}

static void begin_round(struct end *e)
{
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		plan_make(&l->out, &e->s, e->me, q, e->round);
		plan_make(&l->in, &e->s, !e->me, q, e->round);
		memset(l->open->counter, 0, sizeof(l->open->counter));
		l->posted = l->done = l->sq_used = 0;
		l->recv_posted = l->recv_done = l->recv_ended = 0;
		l->failed = l->said = l->sq_drained = false;
	}
	*e->shared = 0;
}

/* The states of the QPs, at both ends. */
static void end_round(struct end *e, const struct message *peer)
{
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		l->peer_done = peer->lane[q].done;
		for (unsigned i = 0; i < l->done; i++) {
			e->count[l->out.op[i].kind]++;
			e->bytes += l->out.op[i].len;
		}
		e->unfinished += l->out.n - l->done;
		if (l->peer_done > l->in.n || l->done > l->out.n ||
		    (!l->failed && (l->peer_done != l->in.n || l->done != l->out.n)))
			die("%u of %u operations are done, %u of the peer's %u", l->done, l->out.n,
			    l->peer_done, l->in.n);
	}
}

static void drop_failed(struct end *e)
{
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		if (l->in.invalidates)
			l->window = 0;
		if (!l->failed)
			continue;
		if (ibv_destroy_qp(l->qp) != 0 || (l->mw && ibv_dealloc_mw(l->mw) != 0))
			die("the QP or its window cannot be destroyed");
		l->qp = NULL;
		l->mw = NULL;
	}
}

void round_run(struct end *e)
{
	struct message done = { .say = SAY_DONE }, peer;
	bool heard = false, told = false;
	unsigned empty = 0;

	begin_round(e);
	end_connect(e);
	while (!(heard && told)) {
		bool all = go_on(e);

		if (all && !told) {
			for (unsigned q = 0; q < e->s.qps; q++)
				done.lane[q].done = e->lane[q].done;
			say(e, &done);
			told = true;
		}
		if (told) {
			heard = heard || listen_once(e, &peer);
			continue;
		}
		empty = poll_cq(e) > 0 ? 0 : empty + 1;
		if (empty > SPINS && doze(e))
			heard |= listen_once(e, &peer);
	}
	end_round(e, &peer);
	check_round(e);
	drop_failed(e);
	if (e->events) {
		ibv_ack_cq_events(e->cq, e->events);
		e->events = 0;
	}
}
