/* SPDX-License-Identifier: MIT */
/*
 * QP numbers: 24 bits, the upper six of them the slot of this process (link/group.h).
 *
 * The lower ones count up from a random start, so that a number comes again as late as can
 * be, in this process and in one that is started again: a peer may still have a connection
 * to the last one of that number. Their lowest bits are the place in the table.
 */
#include <errno.h>
#include <sys/random.h>

#include "group.h"
#include "qp.h"
#include "transport.h"

#define LOCAL_MASK ((1u << SLOT_SHIFT) - 1)
#define PLACE(qpn) (&table[(qpn) & (MAX_QP - 1)])

_Static_assert((MAX_QP & (MAX_QP - 1)) == 0, "places are the lowest bits of numbers");
_Static_assert(MAX_QP <= LOCAL_MASK, "a place has more than one number");

static struct place {
	struct qp *qp; /* NULL: free */
	uint32_t qpn;
} table[MAX_QP];

static unsigned used;
static uint32_t made; /* ever */
static uint32_t next; /* 0: not drawn yet */

int qp_enter(struct qp *qp)
{
	uint32_t qpn;

	if (used == MAX_QP) {
		errno = ENOMEM;
		return -1;
	}
	while (!next)
		if (getrandom(&next, sizeof next, GRND_NONBLOCK) < 0)
			next = (uint32_t)(uintptr_t)qp >> 4 | 1;
	do { /* QP 0 and 1 are nobody's, and the last number is that of multicasts */
		qpn = group_slot() << SLOT_SHIFT | (next++ & LOCAL_MASK);
	} while (PLACE(qpn)->qp || qpn <= 1 || qpn == QPN_MULTICAST);
	*PLACE(qpn) = (struct place){ .qp = qp, .qpn = qpn };
	qp->v.qp_num = qpn;
	qp->v.handle = qpn & (MAX_QP - 1);
	qp->number = made++;
	used++;
	return 0;
}

void qp_leave(struct qp *qp)
{
	struct place *p = PLACE(qp->v.qp_num);

	if (p->qp != qp) /* forgotten after fork() */
		return;
	p->qp = NULL;
	used--;
}

struct qp *qp_find(uint32_t qpn)
{
	const struct place *p = PLACE(qpn);

	return p->qpn == qpn ? p->qp : NULL;
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	for (unsigned i = 0, left = used; left && i < MAX_QP; i++)
		if (table[i].qp) {
			left--;
			fn(table[i].qp, arg);
		}
}

static void forget(struct qp *qp, void *arg)
{
	(void)arg;
	qp->resp.ack_due = false; /* nothing is said in the parent's name */
	transport_forget(qp);
	qp->attr.qp_state = IBV_QPS_RESET;
	pthread_mutex_init(&qp->post.lock, NULL);
	qp_leave(qp);
}

void qp_forget_all(void)
{
	qp_each(forget, NULL);
	next = 0;
}
