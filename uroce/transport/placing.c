/* SPDX-License-Identifier: MIT */
/*
 * Bytes that come to memory late, in pieces and in any order: base/order.h. One byte of each page
 * is written at once, often the last one of a message; whether the memory is there is known by
 * that.
 */
#include <stdlib.h>

#include "engine.h"
#include "export.h"
#include "order.h"
#include "queue_pair.h"
#include "transport_own.h"

#define PAGE	   4096u
#define SOON_MOST  4   /* passes between two pieces of a QP */
#define FAR_LEAST  100 /* passes that a WRITE of level 2 waits for one who has to look */
#define FAR_MOST   1000
#define BYTES_MOST (16u << 20) /* held of all QPs: then all go to their places */

struct piece {
	TAILQ_ENTRY(piece) entry;
	struct qp *qp;
	enum placing placing;
	uint8_t *to;
	uint32_t n;
	uint8_t bytes[];
};

static TAILQ_HEAD(, piece) pieces = TAILQ_HEAD_INITIALIZER(pieces); /* the oldest first */
static size_t bytes_held;

enum {
	OWN = 1u << PLACING_OWN,
	NEAR = 1u << PLACING_NEAR,
	FAR = 1u << PLACING_FAR,
	ALL = OWN | NEAR | FAR,
};

/* That it cannot be written is not told: the byte that was written before could be, and the program
 * has unmapped it since. */
static void place(struct piece *p)
{
	struct qp_order *o = &p->qp->order;

	TAILQ_REMOVE(&pieces, p, entry);
	bytes_held -= p->n;
	guard_copy(p->to, p->bytes, p->n);
	if (p->placing == PLACING_FAR)
		o->far--;
	else
		o->soon--;
	if (p->placing == PLACING_NEAR && --o->unplaced == 0 && p->qp->resp.ack_due)
		transport_due(p->qp, DUE_ACK);
	free(p);
}

/* Those of a QP (NULL: of all) that are of the kinds. */
static void place_all(const struct qp *qp, unsigned kinds)
{
	struct piece *p = TAILQ_FIRST(&pieces), *next;

	for (; p; p = next) {
		next = TAILQ_NEXT(p, entry);
		if ((!qp || p->qp == qp) && kinds & 1u << p->placing)
			place(p);
	}
}

void placing_before(const void *at, size_t n)
{
	const uint8_t *from = at;
	struct piece *p = TAILQ_FIRST(&pieces), *next;

	for (; p; p = next) {
		next = TAILQ_NEXT(p, entry);
		if (p->to < from + n && from < p->to + p->n)
			place(p);
	}
}

/* Any one of the n pieces of the QP that are far, or are not. */
static struct piece *draw_piece(const struct qp *qp, bool far, uint32_t n)
{
	struct piece *p;

	n = order_draw(n) + 1;
	TAILQ_FOREACH(p, &pieces, entry)
		if (p->qp == qp && (p->placing == PLACING_FAR) == far && --n == 0)
			break;
	return p;
}

static void place_soon(struct order_wait *w)
{
	struct qp *qp = (struct qp *)((char *)w - offsetof(struct qp, order.place_soon));
	const unsigned *left = &qp->order.soon;

	if (!order_on())
		place_all(qp, OWN | NEAR);
	for (uint32_t n = *left ? 1 + order_draw(*left) : 0; n; n--)
		place(draw_piece(qp, false, *left));
	if (*left)
		order_hold(w, 1 + order_draw(SOON_MOST));
}

static void place_far(struct order_wait *w)
{
	struct qp *qp = (struct qp *)((char *)w - offsetof(struct qp, order.place_far));
	const unsigned *left = &qp->order.far;

	if (!order_on())
		place_all(qp, FAR);
	if (*left)
		place(draw_piece(qp, true, *left));
	if (*left)
		order_hold(w, 1 + order_draw(SOON_MOST));
}

/* Without memory for it, the piece goes to its place at once. 0, or -1. */
static int hold_piece(struct qp *qp, enum placing placing, uint8_t *to, const uint8_t *from,
		      uint32_t n)
{
	struct piece *p = n ? malloc(sizeof *p + n) : NULL;

	if (!p)
		return guard_copy(to, from, n);
	*p = (struct piece){ .qp = qp, .placing = placing, .to = to, .n = n };
	memcpy(p->bytes, from, n);
	TAILQ_INSERT_TAIL(&pieces, p, entry);
	bytes_held += n;
	order_done.pieces++;
	*(placing == PLACING_FAR ? &qp->order.far : &qp->order.soon) += 1;
	qp->order.unplaced += placing == PLACING_NEAR;
	return 0;
}

/* In pieces, of which none is empty unless n is 0. */
static int hold_pieces(struct qp *qp, enum placing placing, uint8_t *to, const uint8_t *from,
		       uint32_t n)
{
	uint32_t cut = n > 1 && order_once_in(2) ? 1 + order_draw(n - 1) : n;

	if (hold_piece(qp, placing, to, from, cut) != 0)
		return -1;
	return hold_piece(qp, placing, to + cut, from + cut, n - cut);
}

/* Of one page. */
static int begin_page(struct qp *qp, enum placing placing, uint8_t *to, const uint8_t *from,
		      uint32_t n)
{
	uint32_t at = order_once_in(2) ? order_draw(n) : n - 1;

	if (guard_copy(to + at, from + at, 1) != 0 || hold_pieces(qp, placing, to, from, at) != 0)
		return -1;
	return hold_pieces(qp, placing, to + at + 1, from + at + 1, n - at - 1);
}

int placing_copy(struct qp *qp, enum placing placing, void *to, const void *from, uint32_t n)
{
	const uint8_t *rest = from;
	uint8_t *at = to;

	placing_before(to, n);
	if (bytes_held > BYTES_MOST)
		place_all(NULL, ALL);
	while (n) {
		uint32_t part = min_u32(n, PAGE - (uint32_t)((uintptr_t)at % PAGE));

		if (begin_page(qp, placing, at, rest, part) != 0)
			return -1;
		at += part;
		rest += part;
		n -= part;
	}
	qp->order.place_soon.fn = place_soon;
	qp->order.place_far.fn = place_far;
	if (qp->order.soon)
		order_hold(&qp->order.place_soon, 1 + order_draw(SOON_MOST));
	if (qp->order.far)
		order_hold(&qp->order.place_far, FAR_LEAST + order_draw(FAR_MOST - FAR_LEAST));
	return 0;
}

void placing_settle(struct qp *qp)
{
	place_all(qp, ALL);
}

void placing_settle_own(struct qp *qp)
{
	place_all(qp, OWN);
}

void transport_settle(uint32_t qpn, bool recv)
{
	const struct qp *qp = qp_find(qpn);

	if (qp)
		place_all(qp, recv ? ALL : OWN);
}

void transport_settle_all(void)
{
	if (TAILQ_EMPTY(&pieces))
		return;
	place_all(NULL, ALL);
	engine_flush();
}

/* ------------------------------------------------------------------ on and off -- */

/* From now on a place of the send queue is free when its completion was polled. */
static void begin_polled(struct qp *qp, void *arg)
{
	(void)arg;
	qp->order.polled = qp->sq.head;
}

EXPORT int uroce_order_set(uint64_t seed, unsigned level)
{
	int rc;

	engine_lock();
	qp_each(begin_polled, NULL);
	rc = order_set(seed, level);
	engine_flush();
	engine_unlock();
	return rc;
}

EXPORT void uroce_order_get(struct uroce_order *o)
{
	SCOPED_ENGINE_LOCK();
	*o = order_done;
}
