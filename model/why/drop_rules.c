/* SPDX-License-Identifier: MIT */
/*
 * Failures of a program on uroce0 without an error: CQs that have overrun, and datagrams that were
 * dropped, its own and those of it that other processes have dropped, while those are still there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked_peer.h"
#include "live_program.h"
#include "processes.h"
#include "heap.h"
#include "waits.h"
#include "why.h"
#include "words.h"

struct look {
	const struct live_program *p;
	const struct uroce_inventory *own;
	struct causes *c;
};

/* ------------------------------------------------------------------------- overruns -- */

void why_overrun(const struct uroce_inventory *own, struct causes *c)
{
	inventory_foreach(own, UROCE_CQ, uroce_cq_row, cq)
		if (cq->overrun)
			cause_add(
				c, IS_SO, NULL,
				"cq%u has overrun: it has room for %u completions, and %u more "
				"came before the program polled (of QP %u the first, wr_id %llu); its "
				"QPs went to ERR",
				cq->number, cq->size, cq->lost, cq->lost_qpn,
				(unsigned long long)cq->lost_wr_id);
}

/* ------------------------------------------------------------------------ datagrams -- */

/* Why the device of that QP has dropped a datagram; NULL: it is no mistake of a program. */
static const char *drop_reason(const struct uroce_drop_row *d)
{
	static char text[160];

	switch (d->dropped) {
	case UROCE_DROP_QKEY:
		snprintf(text, sizeof text, "they had the Q_Key 0x%x, and that of the QP is 0x%x",
			 d->has, d->wants);
		break;
	case UROCE_DROP_NO_RECV:
		snprintf(text, sizeof text, "no RECV was posted");
		break;
	case UROCE_DROP_SHORT_RECV:
		snprintf(text, sizeof text, "%u bytes came%s, and the RECV has room for %u", d->has,
			 d->src_qpn ? ", with the 40 of the GRH" : "", d->wants);
		break;
	case UROCE_DROP_MTU:
		snprintf(text, sizeof text, "a message of %u bytes is more than the MTU, %u",
			 d->has, d->wants);
		break;
	case UROCE_DROP_STATE:
		if (d->has != IBV_QPS_INIT)
			return NULL;
		snprintf(text, sizeof text, "it is in INIT, and receives from RTR on");
		break;
	default:
		return NULL;
	}
	return text;
}

/* to, called name, has dropped packets of QP from. */
static void add_drop(struct causes *c, const char *name, const struct uroce_qp_row *to,
		     const struct uroce_drop_row *d, uint32_t from)
{
	const bool is_other = d->dropped == UROCE_DROP_QPN && d->src_qpn && to->type != IBV_QPT_UD;
	const char *reason = is_other ? temp_text("it is %s, which takes no datagrams",
						  word_name(qp_type_words, to->type))
			     : d->qp == UROCE_NO_OBJECT ? NULL
							: drop_reason(d);

	if (reason)
		cause_add(c, IS_SO, NULL, "%s has dropped %llu %s%s of QP %u: %s", name,
			  (unsigned long long)d->count, d->src_qpn ? "datagram" : "packet",
			  d->count == 1 ? "" : "s", from, reason);
}

bool why_dropped(const struct uroce_inventory *own, uint32_t qpn, const char *name,
		 struct causes *c)
{
	const struct uroce_qp_row *to = process_qp(own, qpn);
	const unsigned before = c->n;

	inventory_foreach(own, UROCE_DROP, uroce_drop_row, d)
		if (to && d->dest_qpn == qpn && d->dropped != UROCE_DROP_NO_RECV)
			add_drop(c, name, to, d, d->src_qpn);
	return c->n > before;
}

/* A request that a QP of type UC did not carry out: nobody is told. */
static void find_refused(const struct look *l, const struct uroce_inventory *at, const char *whose,
			 const struct uroce_qp_row *to)
{
	const struct uroce_refusal *refusal = &to->refusal;
	const bool of_access = refusal->refused == UROCE_REFUSED_ACCESS;
	const struct wr_op *op = wr_op_find(refusal->rkey ? IBV_WR_RDMA_WRITE : IBV_WR_SEND);
	const char *text = temp_text("%sqp%u has dropped a %s of QP %u, which UC tells nobody",
				     whose, to->number, refusal->rkey ? "WRITE" : "SEND",
				     to->attr.dest_qp_num);
	struct live_tracked_qp *from = live_program_numbered(l->p, to->attr.dest_qp_num, to->qpn);
	struct failed_wr wr = { .is_foreign = true,
				.status = of_access ? IBV_WC_REM_ACCESS_ERR
						    : IBV_WC_REM_INV_REQ_ERR,
				.known = true,
				.op = op,
				.remote = refusal->va,
				.rkey = refusal->rkey,
				.len = refusal->len };

	if (to->type != IBV_QPT_UC || (!of_access && refusal->refused != UROCE_REFUSED_INVALID))
		return;
	live_end_take(&wr.there, at, to->qpn);
	if (from)
		wr.here = live_program_end(l->p, from);
	if (!why_add_certain(&wr, text, l->c))
		cause_add(l->c, IS_SO, NULL, "%s", text);
	wr.there.is_asked = true; /* its values are to be freed */
	asked_peer_free(&wr.there);
}

/* The QP that has dropped a packet, which has another number than the packet if that is for a
 * multicast group; or NULL.
 */
static const struct uroce_qp_row *dropped_by(const struct uroce_inventory *at,
					     const struct uroce_drop_row *d)
{
	inventory_foreach(at, UROCE_QP, uroce_qp_row, qp)
		if (d->qp != UROCE_NO_OBJECT ? qp->number == d->qp : qp->qpn == d->dest_qpn)
			return qp;
	return NULL;
}

/* UC tells nobody that the peer has no QP of the number that a QP is connected with. */
static void find_misdirected(const struct look *l, const struct uroce_inventory *at,
			     const char *whose, const struct uroce_drop_row *d)
{
	for (const struct live_tracked_qp *qp = l->p->newest; qp; qp = qp->older) {
		if (qp->v.type != IBV_QPT_UC || !(qp->v.known & IBV_QP_DEST_QPN) ||
		    qp->v.attr.dest_qp_num != d->dest_qpn)
			continue;
		inventory_foreach(at, UROCE_QP, uroce_qp_row, there)
			if (there->attr.dest_qp_num == qp->v.number)
				cause_add(
					l->c, IS_SO, NULL,
					"%s%" PRIu64 " packet%s to QP %u, with which %s is "
					"connected, %s dropped: qp%u, which is connected with %s, "
					"is QP %u",
					whose, d->count, d->count == 1 ? "" : "s", d->dest_qpn,
					qp->v.name, d->count == 1 ? "was" : "were", there->number,
					qp->v.name, there->qpn);
	}
}

/* Datagrams that the process has dropped of others, or others of it; its own ones once. */
static void find_drops(const struct look *l, const struct uroce_inventory *at)
{
	struct live_end end = { .qp = NULL };

	if (at->pid != l->own->pid)
		asked_peer_name(&end, at->pid);
	inventory_foreach(at, UROCE_DROP, uroce_drop_row, d) {
		const struct uroce_qp_row *to = dropped_by(at, d);
		const bool is_uc = to && to->type == IBV_QPT_UC;
		const uint32_t from = is_uc ? to->attr.dest_qp_num : d->src_qpn;

		if (to && from && (at->pid == l->own->pid || process_qp(l->own, from)))
			add_drop(l->c, temp_text("%sqp%u", end.whose, to->number), to, d, from);
		if (d->dropped == UROCE_DROP_QPN)
			find_misdirected(l, at, end.whose, d);
	}
	inventory_foreach(at, UROCE_QP, uroce_qp_row, to)
		if (at->pid == l->own->pid || process_qp(l->own, to->attr.dest_qp_num))
			find_refused(l, at, end.whose, to);
}

/* ---------------------------------------- datagrams that no device has counted -- */

static void find_too_long(const struct look *l)
{
	const unsigned most = 4096; /* of all MTUs */

	for (const struct live_tracked_qp *qp = l->p->newest; qp; qp = qp->older)
		if (qp->longest > most)
			cause_add(
				l->c, IS_SO, NULL,
				"%s has sent a datagram of %u bytes: one has to fit into a packet, "
				"and the largest MTU is %u; it is dropped in silence",
				qp->v.name, qp->longest, most);
}

/* A number that nobody has, but whose bytes in the other order are the number of a QP for
 * datagrams: the program has not called ntohl(). */
static void find_swapped(const struct look *l, const struct uroce_inventory *at)
{
	for (const struct live_tracked_qp *qp = l->p->newest; qp; qp = qp->older) {
		if (qp->v.type != IBV_QPT_UD || !qp->sent_to)
			continue;
		inventory_foreach(at, UROCE_QP, uroce_qp_row, there)
			if (there->type == IBV_QPT_UD && there->qpn != qp->sent_to &&
			    ((__builtin_bswap32(there->qpn) & 0xffffff) == qp->sent_to ||
			     __builtin_bswap32(there->qpn) == qp->sent_to))
				cause_add(
					l->c, IS_SO, NULL,
					"%s has sent datagrams to QP %u, which nobody has: it is QP "
					"%u of process %d, byte-swapped (htonl, ntohl)",
					qp->v.name, qp->sent_to, there->qpn, (int)at->pid);
	}
}

void why_unsaid(const struct live_program *p, const struct uroce_inventory *own, struct causes *c)
{
	const struct look l = { p, own, c };
	struct uroce_inventory *other;
	pid_t pids[64];
	unsigned n;

	why_overrun(own, c);
	find_too_long(&l);
	find_drops(&l, own);
	n = process_inventories(pids, sizeof pids / sizeof *pids);
	for (unsigned i = 0; i < n && i < sizeof pids / sizeof *pids; i++) {
		other = pids[i] == own->pid ? NULL : process_inventory(pids[i]);
		if (!other)
			continue;
		find_drops(&l, other);
		find_swapped(&l, other);
		free(other);
	}
}
