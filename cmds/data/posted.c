/* SPDX-License-Identifier: MIT */
/*
 * The ledger of posted work requests, a ring: entries older than QP_POSTED are forgotten.
 *
 * A queue completes in order, so a completion retires everything posted before it.
 */
#include "objects.h"
#include "posted.h"

static unsigned ring_begin(const struct qp *qp)
{
	return qp->nposted > QP_POSTED ? qp->nposted - QP_POSTED : 0;
}

void posted_note(struct qp *qp, const struct posted *p)
{
	qp->posted[qp->nposted++ % QP_POSTED] = *p;
}

void posted_clear(struct qp *qp)
{
	for (unsigned i = ring_begin(qp); i < qp->nposted; i++)
		qp->posted[i % QP_POSTED].done = true;
}

const struct posted *posted_done(struct qp *qp, uint64_t wr_id, bool recv)
{
	const struct posted *found = NULL;
	unsigned begin = ring_begin(qp), from, i;

	/* the oldest of this id: ids may be used again */
	for (i = qp->nposted; i > begin; i--)
		if (qp->posted[(i - 1) % QP_POSTED].recv == recv &&
		    qp->posted[(i - 1) % QP_POSTED].done)
			break;
	for (from = i; i < qp->nposted && !found; i++) {
		struct posted *p = &qp->posted[i % QP_POSTED];

		if (p->recv == recv && p->wr_id == wr_id)
			found = p;
	}
	for (unsigned j = from; found && j < i; j++)
		if (qp->posted[j % QP_POSTED].recv == recv)
			qp->posted[j % QP_POSTED].done = true;
	return found;
}

unsigned posted_left(const struct qp *qp, bool recv, unsigned *silent)
{
	unsigned n = 0, quiet = 0;

	for (unsigned i = ring_begin(qp); i < qp->nposted; i++) {
		const struct posted *p = &qp->posted[i % QP_POSTED];

		if (p->recv != recv || p->done)
			continue;
		n++;
		quiet += !p->signaled;
	}
	if (silent)
		*silent = quiet;
	return n;
}

const struct posted *posted_oldest(const struct qp *qp, bool recv)
{
	for (unsigned i = ring_begin(qp); i < qp->nposted; i++) {
		const struct posted *p = &qp->posted[i % QP_POSTED];

		if (p->recv == recv && !p->done)
			return p;
	}
	return NULL;
}
