/* SPDX-License-Identifier: MIT */
/*
 * Completions that come late: base/order.h. Those of a CQ are held back for some passes, and let go
 * in lumps; of which work queue the next one is, is drawn. And what those that were polled give
 * back: places of the send queue, and memory (lent.h).
 */
#include <stdlib.h>

#include "completion_queue.h"
#include "engine.h"
#include "profile.h"
#include "queue_pair.h"
#include "transport.h"

#define LATE_PASSES  6
#define EVENT_PASSES 8
#define HELD_MOST    256 /* more than that are let go at once */

struct late {
	TAILQ_ENTRY(late) entry;
	struct ibv_wc wc;
	bool solicited;
};

/* Is it of a receive queue? The opcode is set in all completions of this device. */
static bool is_recv(const struct ibv_wc *wc)
{
	return wc->opcode & IBV_WC_RECV;
}

/* The oldest held completion of the work queue of that one. */
static struct late *first_of_queue(struct cq *cq, const struct late *one)
{
	struct late *l;

	TAILQ_FOREACH(l, &cq->late, entry)
		if (l->wc.qp_num == one->wc.qp_num && is_recv(&l->wc) == is_recv(&one->wc))
			break;
	return l;
}

static struct late *draw_next(struct cq *cq)
{
	struct late *l = TAILQ_FIRST(&cq->late);

	for (uint32_t n = order_draw(cq->held); n; n--)
		l = TAILQ_NEXT(l, entry);
	return first_of_queue(cq, l);
}

static void drop(struct cq *cq, struct late *l)
{
	TAILQ_REMOVE(&cq->late, l, entry);
	cq->held--;
	free(l);
}

/* The memory that it tells of is right from now on. */
static void deliver(struct cq *cq, struct late *l)
{
	transport_settle(l->wc.qp_num, is_recv(&l->wc));
	cq_put_now(cq, &l->wc, l->solicited);
	drop(cq, l);
}

static void let_lump_go(struct order_wait *w)
{
	struct cq *cq = (struct cq *)((char *)w - offsetof(struct cq, late_wait));
	uint32_t n = cq->held;

	if (order_on() && n && n < HELD_MOST)
		n = 1 + order_draw(n);
	for (; n; n--)
		deliver(cq, draw_next(cq));
	if (cq->held)
		order_hold(w, 1 + order_draw(LATE_PASSES));
}

void late_put(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	struct late *l = malloc(sizeof *l);

	if (!l) { /* none overtakes those before it */
		while (cq->held)
			deliver(cq, TAILQ_FIRST(&cq->late));
		transport_settle(wc->qp_num, is_recv(wc));
		cq_put_now(cq, wc, solicited);
		return;
	}
	*l = (struct late){ .wc = *wc, .solicited = solicited };
	TAILQ_INSERT_TAIL(&cq->late, l, entry);
	cq->held++;
	order_done.completions++;
	cq->late_wait.fn = let_lump_go;
	order_hold(&cq->late_wait, 1 + order_draw(LATE_PASSES));
	engine_timer_set();
}

void late_purge(struct cq *cq, uint32_t qpn)
{
	struct late *l = TAILQ_FIRST(&cq->late), *next;

	for (; l; l = next) {
		next = TAILQ_NEXT(l, entry);
		if (l->wc.qp_num == qpn)
			drop(cq, l);
	}
}

static void put_event(struct order_wait *w)
{
	cq_channel_put((struct cq *)((char *)w - offsetof(struct cq, event_wait)));
}

void late_event(struct cq *cq)
{
	if (order_waits(&cq->event_wait) || order_once_in(2)) {
		cq_channel_put(cq);
		return;
	}
	order_done.events++;
	cq->event_wait.fn = put_event;
	order_hold(&cq->event_wait, 1 + order_draw(EVENT_PASSES));
}

void late_forget(struct cq *cq)
{
	struct late *l;

	while ((l = TAILQ_FIRST(&cq->late)))
		drop(cq, l);
	order_drop(&cq->late_wait);
	order_drop(&cq->event_wait);
}

/* The place of the oldest request that had a completion, and those before it, are free. */
static void free_places(const struct ibv_wc *wc)
{
	struct qp *qp = is_recv(wc) ? NULL : qp_find(wc->qp_num);

	if (!qp)
		return;
	while (qp->order.polled != qp->sq.head)
		if (sq_at(qp, qp->order.polled++)->signaled)
			break;
}

/* The memory of the request is the program's again. */
static void lend_back(struct ibv_wc *wc)
{
	struct qp *qp = qp_find(wc->qp_num);
	const bool recv = is_recv(wc);

	if (qp && !recv)
		lent_back(&qp->sq, wc->vendor_err, true);
	else if (qp)
		lent_back(qp_recv_queue(qp), wc->vendor_err, false);
	wc->vendor_err = 0;
}

void late_polled(struct completion *c, struct ibv_wc *wc, unsigned n)
{
	SCOPED_ENGINE_LOCK();
	for (unsigned i = 0; i < n; i++) {
		struct ibv_wc *one = wc ? &wc[i] : &c[i].wc;

		if (order_on() || profile_is_strict)
			free_places(one);
		if (lent_seen)
			lend_back(one);
	}
}
