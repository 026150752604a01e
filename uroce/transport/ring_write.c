/* SPDX-License-Identifier: MIT */
/*
 * Short WRITEs to another process of this host. They are carried out without packets (direct/), or
 * go through a ring (link/pair.h) when that is faster.
 *
 * It is faster between programs that answer WRITEs by WRITEs, as ib_write_lat does: they post one
 * and poll until it is complete. Suppose that a WRITE has come through the ring. Its ACK is held
 * until the program here answers (responder.c), and both leave together, through the ring. The
 * peer's program polls at that time, so one look at its memory takes in both, and neither side
 * makes a system call. The peer's next WRITE is such an answer, too: this continues by itself.
 *
 * A WRITE that is carried out without packets completes at once. Its program does not poll, so it
 * cannot begin this. A trial can: the WRITE is carried out without packets, but its completion is
 * withheld for a while, and the peer is shown that the program polls. If the peer's WRITE comes
 * meanwhile, it comes through the ring. If none comes, nothing is lost but that time.
 *
 * A WRITE in the ring needs a thread of the other process that reads it. That may take long: a
 * program under SCHED_FIFO that looks at its memory does not let the thread of its device run. So a
 * WRITE that has not been read for a while is taken out of the ring again, and carried out without
 * that process.
 */
#include "context.h"
#include "counters.h"
#include "direct.h"
#include "engine.h"
#include "link.h"
#include "transport_own.h"

#define UNREAD_NS	200000u /* a WRITE that is still in a ring then is taken back */
#define TRIAL_GAP	64    /* WRITEs before the first trial; each further gap is twice as long */
#define TRIAL_GAP_MOST	32768 /* the longest gap */
#define TRIAL_GAP_KNOWN 16    /* the gap after the peer has answered */
#define TRIAL_LEN	1024u /* the longest WRITE of a trial */
#define TRIAL_NS	30000u /* how long its completion is withheld */
#define ANSWER_SKIP	64     /* so many WRITEs after one that was taken back are not answers */

static struct qp_list unread = TAILQ_HEAD_INITIALIZER(unread);
static struct qp_list withheld = TAILQ_HEAD_INITIALIZER(withheld);

void ring_write_start(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->withdrawn = false;
	r->answer_skip = 0;
	r->since_trial = 0;
	r->trial_gap = TRIAL_GAP;
}

void ring_write_stop_awaiting(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (r->awaits == AWAITS_READER)
		TAILQ_REMOVE(&unread, qp, req.awaits_next);
	if (r->awaits == AWAITS_ANSWER) {
		TAILQ_REMOVE(&withheld, qp, req.awaits_next);
		direct_await_answer(r->awaits_in, qp->v.qp_num, false);
	}
	r->awaits = AWAITS_NOTHING;
}

static void begin_awaiting(struct qp *qp, enum awaits what, struct pair *pair)
{
	struct requester *r = &qp->req;

	ring_write_stop_awaiting(qp);
	r->awaits = what;
	r->awaits_in = pair;
	r->awaits_until = engine_now() + (what == AWAITS_READER ? UNREAD_NS : TRIAL_NS);
	TAILQ_INSERT_TAIL(what == AWAITS_READER ? &unread : &withheld, qp, req.awaits_next);
}

void ring_write_sent(struct qp *qp, struct pair *pair, const struct send_wqe *w)
{
	struct requester *r = &qp->req;

	if (!pair || w->op->code != IBV_WR_RDMA_WRITE || qp->type != IBV_QPT_RC || r->withdrawn ||
	    w->first_psn != w->last_psn || r->una_psn != w->first_psn || r->psn != r->next_psn ||
	    r->recovering || !direct_is_open(pair))
		return;
	begin_awaiting(qp, AWAITS_READER, pair);
	r->unread_frame = tx_frames(pair);
}

/* The WRITE at the head was never sent. Requests behind it that are local may have been carried
 * out; the one that waits behind it begins again, since it may get another PSN. */
static void unsend_head(struct qp *qp)
{
	struct requester *r = &qp->req;
	struct send_wqe *last = sq_at(qp, qp->sq.next - 1);

	r->next_psn = r->psn = r->una_psn;
	r->at = qp->sq.head;
	r->broken = false;
	if (qp->sq.next - 1 != r->at && !last->op->local) {
		last->started = false;
		last->status = IBV_WC_SUCCESS;
		qp->sq.next--;
	}
}

/* Only the last frame of a ring can be taken back. So a frame of another QP to the same process
 * prevents it. */
bool ring_write_withdraw(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (r->awaits != AWAITS_READER)
		return false;
	ring_write_stop_awaiting(qp);
	if (psn_diff(r->next_psn, r->una_psn) != 1 || r->psn != r->next_psn ||
	    !tx_withdraw(r->awaits_in, r->unread_frame))
		return false;
	count(CNT_WITHDRAWN);
	unsend_head(qp);
	r->withdrawn = true;
	r->answer_skip = ANSWER_SKIP;
	return true;
}

void transport_withdraw_unread(void)
{
	struct qp *qp;

	while ((qp = TAILQ_FIRST(&unread)) && engine_now() >= qp->req.awaits_until)
		if (ring_write_withdraw(qp))
			requester_run(qp);
}

static bool is_short_alone(const struct qp *qp, const struct send_wqe *w)
{
	return w->op->code == IBV_WR_RDMA_WRITE && w->len <= TRIAL_LEN && w->len <= qp->mtu &&
	       qp->req.at + 1 == qp->sq.tail;
}

/* The peer must know of a trial before it sees what is written: reach_copy() has the fence. */
void ring_write_try_for_answer(struct qp *qp, struct pair *pair, const struct send_wqe *w)
{
	struct requester *r = &qp->req;

	if (!direct_is_open(pair) || !w->signaled || !is_short_alone(qp, w) ||
	    cq_is_armed(qp->send_cq) || ++r->since_trial < r->trial_gap)
		return;
	r->since_trial = 0;
	r->trial_gap = (uint16_t)min_u32(2 * r->trial_gap, TRIAL_GAP_MOST);
	begin_awaiting(qp, AWAITS_ANSWER, pair);
	direct_await_answer(pair, qp->v.qp_num, true);
}

/* If the peer has not read the last one, the next ones go without packets. */
bool ring_write_is_answer(struct qp *qp, struct pair *pair, const struct send_wqe *w)
{
	struct requester *r = &qp->req;

	r->answer_skip -= r->answer_skip > 0;
	return !r->answer_skip && is_short_alone(qp, w) &&
	       direct_is_awaited(pair, qp->attr.dest_qp_num);
}

void ring_write_note_answer(struct qp *qp)
{
	if (!qp->resp.ack_due || !qp->resp.write_came || !is_short_alone(qp, sq_at(qp, qp->req.at)))
		return;
	qp->req.since_trial = 0;
	qp->req.trial_gap = TRIAL_GAP_KNOWN;
}

void ring_write_answered(struct qp *qp)
{
	if (qp->req.awaits == AWAITS_ANSWER) {
		ring_write_stop_awaiting(qp);
		send_retire(qp);
	}
}

void ring_write_release(void)
{
	struct qp *qp;

	while ((qp = TAILQ_FIRST(&withheld)) && engine_now() >= qp->req.awaits_until)
		ring_write_answered(qp);
}

uint64_t ring_write_deadline(void)
{
	const struct qp *reader = TAILQ_FIRST(&unread), *answer = TAILQ_FIRST(&withheld);
	uint64_t a = reader ? reader->req.awaits_until : UINT64_MAX;
	uint64_t b = answer ? answer->req.awaits_until : UINT64_MAX;

	return a < b ? a : b;
}
