/* SPDX-License-Identifier: MIT */
/*
 * How much may be on its way from all QPs of this process together. The specification has
 * no such limit, because a link has credits; a UDP socket has a buffer that overflows. The
 * windows of single QPs (completer.c) do not know of each other.
 *
 * What a packet takes of a socket buffer is the kernel's size of it: a power of two and a
 * header. READ responses are counted when they are asked for: they fill our own buffer.
 */
#include "engine.h"
#include "parts.h"
#include "path.h"
#include "context.h"

/* 212992 bytes, the usual net.core.rmem_max, which the kernel doubles. A QP that has nothing
 * in flight may go beyond by what the others leave: short messages do not queue behind long
 * ones. */
#define AIR_BYTES (320u * 1024)
#define AIR_MOST  (400u * 1024)
/* After that long, what was sent has left the buffer, or did not get into it. */
#define AIR_WAIT_NS 5000000u

static struct {
	uint32_t bytes; /* taken by QPs whose air_epoch is this */
	uint32_t epoch;
	struct qp_list waiting; /* in the order in which they came */
	bool waking;		/* the first of them has its turn */
} air = { .waiting = TAILQ_HEAD_INITIALIZER(air.waiting) };

static struct qp_list blocked = TAILQ_HEAD_INITIALIZER(blocked); /* by full memory */

static uint32_t cost(uint32_t len)
{
	return 256 + ring_slots(len + 512);
}

static uint32_t *taken(struct qp *qp)
{
	if (qp->req.air_epoch != air.epoch) {
		qp->req.air_epoch = air.epoch;
		qp->req.air = 0;
	}
	return &qp->req.air;
}

static bool fits(uint32_t bytes)
{
	return (air.waking || TAILQ_EMPTY(&air.waiting)) && air.bytes + bytes <= AIR_BYTES;
}

bool air_has_room(uint32_t len)
{
	return fits(cost(len));
}

/* Who waits is not put off by asking again. */
static void patience(struct timer *t)
{
	uint64_t when = engine_now() + AIR_WAIT_NS;

	if (!timer_running(t) || t->when > when)
		timer_set(t, when);
}

bool air_take(struct qp *qp, uint32_t n, uint32_t len)
{
	if (path_is_memory(&qp->flow, qp->attr.dest_qp_num))
		return true;

	bool idle = qp->req.next_psn == qp->req.una_psn;
	uint32_t bytes = n * cost(len);

	if (air.bytes && !fits(bytes) && !(idle && air.bytes + bytes <= AIR_MOST)) {
		if (!qp->req.air_wait) {
			TAILQ_INSERT_TAIL(&air.waiting, qp, req.air_next);
			qp->req.air_wait = true;
		}
		if (idle) /* else the timer of the packets in flight runs */
			patience(&qp->req.timer);
		return false;
	}
	air.bytes += bytes;
	*taken(qp) += bytes;
	return true;
}

void air_give(struct qp *qp, uint32_t n, uint32_t in_flight)
{
	uint32_t *t = taken(qp), bytes;

	if (n >= in_flight)
		bytes = *t;
	else
		bytes = (uint32_t)((uint64_t)*t * n / in_flight);
	*t -= bytes;
	air.bytes -= bytes;
}

void air_give_all(struct qp *qp)
{
	air_give(qp, 1, 1);
}

void air_clear(void)
{
	air.epoch++;
	air.bytes = 0;
}

void air_leave(struct qp *qp)
{
	if (qp->req.room_wait)
		TAILQ_REMOVE(&blocked, qp, req.room_next);
	qp->req.room_wait = false;
	if (qp->req.air_wait)
		TAILQ_REMOVE(&air.waiting, qp, req.air_next);
	qp->req.air_wait = false;
}

void air_wake(void)
{
	struct qp *last = TAILQ_LAST(&air.waiting, qp_list), *qp;

	air.waking = true;
	while ((qp = TAILQ_FIRST(&air.waiting)) && air_has_room(qp->mtu)) {
		air_leave(qp);
		requester_run(qp);
		if (qp == last)
			break;
	}
	air.waking = false;
}

void room_wait(struct qp *qp)
{
	if (qp->req.room_wait)
		return;
	TAILQ_INSERT_TAIL(&blocked, qp, req.room_next);
	qp->req.room_wait = true;
	if (qp->req.timeout && !qp->req.blocked && qp->req.next_psn == qp->req.una_psn) {
		qp->req.blocked = engine_now() + qp->req.timeout;
		timer_set(&qp->req.timer, qp->req.blocked);
	}
}

void room_wake(void)
{
	struct qp *last = TAILQ_LAST(&blocked, qp_list), *qp;

	while ((qp = TAILQ_FIRST(&blocked))) {
		TAILQ_REMOVE(&blocked, qp, req.room_next);
		qp->req.room_wait = false;
		transport_due(qp, DUE_NOW);
		requester_run(qp);
		if (qp == last)
			break;
	}
}
