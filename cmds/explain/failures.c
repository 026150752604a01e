/* SPDX-License-Identifier: MIT */
/*
 * Which failed completion explains the others: several requests of a connection fail, one after the
 * other, and are seen in the order in which somebody polls.
 */
#include <string.h>

#include "data/bad_wc.h"
#include "explain/explain.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

/* The QP of the failure, which may be gone: NULL. */
static struct qp *qp_of(struct session *s, const struct bad_wc *bad)
{
	struct qp *qp = obj_find(s, &qp_class, bad->qp);

	return qp && qp->o.serial == bad->serial ? qp : NULL;
}

/* Has the QP begun anew since? */
static bool is_past(const struct qp *qp, const struct bad_wc *bad)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);

	for (unsigned i = 0; i < n; i++)
		if (steps[i].when > bad->seen && steps[i].state <= IBV_QPS_INIT)
			return true;
	return false;
}

/* Are both of one connection, and of one life of its QPs? */
static bool are_of_one(struct session *s, const struct bad_wc *last, const struct bad_wc *other)
{
	const struct qp *qp = qp_of(s, last), *with = qp_of(s, other);

	if (with && is_past(with, other))
		return false;
	if (last->serial == other->serial)
		return true;
	return qp && with && (qp_peer_here(s, qp) == with || qp_peer_here(s, with) == qp);
}

/* An error of this end needs no other one. */
static bool is_local(enum ibv_wc_status status)
{
	return status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_QP_OP_ERR ||
	       status == IBV_WC_LOC_PROT_ERR || status == IBV_WC_LOC_ACCESS_ERR ||
	       status == IBV_WC_MW_BIND_ERR;
}

/* Does a explain b, which was seen later? */
static bool explains(const struct bad_wc *a, const struct bad_wc *b)
{
	const bool flushed = a->status == IBV_WC_WR_FLUSH_ERR;

	if (is_local(a->status) != is_local(b->status))
		return is_local(a->status);
	return flushed == (b->status == IBV_WC_WR_FLUSH_ERR) ? true : !flushed;
}

unsigned failures_chain(struct session *s, const struct bad_wc *all, unsigned n, unsigned at,
			struct bad_wc *chain)
{
	unsigned members = 0, first = 0;
	struct bad_wc held;

	for (unsigned i = at; i < n; i++)
		if (are_of_one(s, &all[at], &all[i]))
			chain[members++] = all[i];
	for (unsigned i = 1; i < members; i++)
		if (explains(&chain[i], &chain[first]))
			first = i;
	held = chain[first];
	memmove(chain + 1, chain, first * sizeof *chain);
	chain[0] = held;
	return members;
}

void failures_out(const struct bad_wc *chain, unsigned n, struct out *o)
{
	if (n < 2)
		return;
	out_list(o, "then");
	for (unsigned i = n; i-- > 1;) {
		const struct bad_wc *b = &chain[i];
		const char *status = word_name(wc_status_words, b->status);

		out_dict(o, NULL);
		out_str(o, "status", status, "  its consequence %s", status);
		if (b->known)
			out_u64(o, "wr_id", b->posted.wr_id, " of wr_id %llu",
				(unsigned long long)b->posted.wr_id);
		out_str(o, "qp", b->qp, " on %s\n", b->qp);
		out_end(o);
	}
	out_end(o);
}
