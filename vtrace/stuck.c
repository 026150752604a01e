/* SPDX-License-Identifier: MIT */
/*
 * The waits of a program: its threads' calls, requests without a completion, completions that
 * nobody takes, events. While it runs on uroce0 its device is asked, and that of the peer; of one
 * that has ended only the calls are known.
 */
#include "stuck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asked_peer.h"
#include "call_record.h"
#include "causes_out.h"
#include "live_program.h"
#include "out.h"
#include "processes.h"
#include "recorded.h"
#include "spec_tables.h"

#define WIDTH 16 /* columns before a text */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ------------------------------------------------------------------------- requests -- */

/* "qp0             in RTS: SEND wr_id 1, posted 5.2 s ago, is the oldest of 3 ..." */
static void tell_queue(const struct stuck *s, const struct seen_qp *qp,
		       const struct posted_queue *q, const char *what)
{
	const struct posted_wr *oldest = &q->v[q->begin];

	out_dict(s->o, NULL);
	out_str(s->o, "name", qp->v.name, "  %-*s", WIDTH - 2, qp->v.name);
	out_str(s->o, "queue", what, NULL);
	out_u64(s->o, "wr_id", oldest->wr_id, "%s wr_id %" PRIu64, oldest->op->name, oldest->wr_id);
	out_double(s->o, "s", (double)record_span(oldest->when, s->now) / 1e9,
		   ", posted %.1f s ago, ", (double)record_span(oldest->when, s->now) / 1e9);
	out_u64(s->o, "n", q->n, "is the oldest of %u %s%s whose completion was not taken\n", q->n,
		what, plural(q->n));
	out_end(s->o);
}

static void tell_repeats(const struct stuck *s, const struct seen_qp *qp,
			 const struct uroce_qp_row *row)
{
	if (row->retries)
		out_text(s->o, "%*swas repeated %u time%s for want of an answer\n", WIDTH, "",
			 row->retries, plural(row->retries));
	if (!row->rnrs)
		return;
	out_text(s->o, "%*swas repeated %u time%s, because the peer has no receive\n", WIDTH, "",
		 row->rnrs, plural(row->rnrs));
	if (qp->v.attr.rnr_retry == 7 || row->attr.rnr_retry == 7)
		cause_add(s->c, IS_SO, NULL,
			  "the peer of %s has no receive for wr_id %" PRIu64
			  ": rnr_retry 7 tries for ever",
			  qp->v.name, row->oldest_wr_id);
}

/* The certain causes for a peer that does not answer. */
static void find_silence(const struct stuck *s, struct seen_qp *qp)
{
	struct failed_wr wr = { .is_foreign = true,
				.status = IBV_WC_RETRY_EXC_ERR,
				.here = live_program_end(s->p, qp) };
	struct causes c = { 0 };

	wr.there = asked_peer(&qp->v);
	if (wr.there.qp)
		out_text(s->o, "%*s%s%s is in %s, with %" PRId64 " receive%s\n", WIDTH, "",
			 wr.there.whose, wr.there.qp->name, why_state(wr.there.qp->state),
			 wr.there.qp->recvs, plural((uint64_t)wr.there.qp->recvs));
	if (wr.there.is_asked)
		why_request_failed(&wr, &c);
	for (unsigned i = 0; i < c.n; i++)
		if (c.v[i].verdict == IS_SO)
			cause_add(s->c, IS_SO, NULL, "%s", c.v[i].text);
	if (causes_confirmed(&c) && !qp->v.attr.timeout && qp->v.known & IBV_QP_TIMEOUT)
		cause_add(s->c, IS_SO, NULL, "timeout 0 of %s waits for an answer for ever",
			  qp->v.name);
	causes_free(&c);
	asked_peer_free(&wr.there);
}

static void tell_qp(const struct stuck *s, struct seen_qp *qp)
{
	const struct uroce_qp_row *row = s->inv ? process_qp(s->inv, qp->v.number) : NULL;
	struct seen_queues *e = live_program_entry(s->p, qp->address);

	if (!e)
		return;
	if (e->sends.n)
		tell_queue(s, qp, &e->sends, "send");
	if (e->sends.n && row) {
		tell_repeats(s, qp, row);
		if (!row->rnrs && row->begun)
			find_silence(s, qp);
	}
	if (e->recvs.n)
		tell_queue(s, qp, &e->recvs, "receive");
	if (e->built.n)
		cause_add(s->c, IS_SO, NULL,
			  "%u request%s of %s %s built since ibv_wr_start, and ibv_wr_complete was "
			  "not called",
			  e->built.n, plural(e->built.n), qp->v.name,
			  e->built.n == 1 ? "was" : "were");
}

/* ------------------------------------------------------------------------ completions -- */

static void find_missed_event(const struct stuck *s, const struct uroce_cq_row *cq)
{
	if (!cq->channel || !cq->filled || cq->events)
		return;
	if (cq->armed == UROCE_ARMED)
		cause_add(s->c, IS_SO, NULL,
			  "cq%u was armed when its %u completion%s had come: poll once more after "
			  "ibv_req_notify_cq, and then wait",
			  cq->number, cq->filled, plural(cq->filled));
	else if (cq->armed == UROCE_ARMED_SOLICITED)
		cause_add(s->c, IS_SO, NULL,
			  "cq%u is armed for solicited completions only, and the %u in it make no "
			  "event: IBV_SEND_SOLICITED at the sender, or solicited_only 0",
			  cq->number, cq->filled);
}

static void tell_cq(const struct stuck *s, const struct uroce_cq_row *cq)
{
	static const char *const armed[] = { "not armed", "armed for solicited ones", "armed" };

	if (!cq->filled && !cq->events && !cq->unacknowledged && !cq->overrun)
		return;
	out_dict(s->o, NULL);
	out_str(s->o, "name", temp_text("cq%u", cq->number), "  %-*s", WIDTH - 2,
		temp_text("cq%u", cq->number));
	out_u64(s->o, "filled", cq->filled, "%u completion%s wait%s in it, of %u at most",
		cq->filled, plural(cq->filled), cq->filled == 1 ? "s" : "", cq->size);
	if (cq->channel)
		out_str(s->o, "armed", armed[cq->armed % 3], "; %s", armed[cq->armed % 3]);
	if (cq->events)
		out_u64(s->o, "events", cq->events, "; %u event%s in its channel that nobody got",
			cq->events, plural(cq->events));
	if (cq->unacknowledged)
		out_u64(s->o, "unacknowledged", cq->unacknowledged, "; %u event%s not acknowledged",
			cq->unacknowledged, plural(cq->unacknowledged));
	out_bool(s->o, "overrun", cq->overrun, "%s\n", cq->overrun ? "; it has overrun" : "");
	out_end(s->o);
	find_missed_event(s, cq);
}

static void tell_drop(const struct stuck *s, const struct uroce_drop_row *d)
{
	static const char *const reasons[UROCE_DROPS] = {
		[UROCE_DROP_QPN] = "no QP of that number",
		[UROCE_DROP_STATE] = "the QP does not receive in its state",
		[UROCE_DROP_PKEY] = "the P_Key",
		[UROCE_DROP_QKEY] = "the Q_Key",
		[UROCE_DROP_SOURCE] = "not from the address of the peer to its own",
		[UROCE_DROP_NO_RECV] = "no receive",
		[UROCE_DROP_SHORT_RECV] = "the receive is too small",
		[UROCE_DROP_MTU] = "more than the MTU",
		[UROCE_DROP_SEQUENCE] = "the PSN",
		[UROCE_DROP_UNASKED] = "an answer to nothing",
	};

	if (d->dropped >= UROCE_DROPS)
		return;
	out_dict(s->o, NULL);
	out_str(s->o, "reason", reasons[d->dropped], "  %-*s", WIDTH - 2, "dropped");
	out_u64(s->o, "n", d->count, "%" PRIu64 " packet%s to QP %u: %s\n", d->count,
		plural(d->count), d->dest_qpn, reasons[d->dropped]);
	out_end(s->o);
}

/* ----------------------------------------------------------------------------- events -- */

static void tell_unacknowledged(const struct stuck *s)
{
	const struct seen_object *o, *next;

	for (o = s->p->seen; o; o = next) {
		next = o->hh.next;
		if (!o->unacknowledged || o->kind == OBJECT_CQ)
			continue;
		out_dict(s->o, NULL);
		out_str(s->o, "name", live_program_name(s->p, o->address, s->now), "  %-*s",
			WIDTH - 2, live_program_name(s->p, o->address, s->now));
		out_u64(s->o, "unacknowledged", o->unacknowledged,
			"%u event%s not acknowledged (%s)\n", o->unacknowledged,
			plural(o->unacknowledged), o->acknowledge);
		out_end(s->o);
	}
}

/* ------------------------------------------------------------------------------- all -- */

void stuck_thread(struct out *o, const struct live_program *p, const struct record *r, uint64_t now)
{
	const char *name = r->args && r->nargs ? live_program_name(p, r->args[0], now) : "";
	const double s = (double)record_span(r->begin, now) / 1e9;

	out_dict(o, NULL);
	out_u64(o, "thread", r->thread, "  thread %-*u", WIDTH - 9, r->thread);
	out_str(o, "call", r->fn->name, "%s%s%s", r->fn->name, *name ? " " : "", name);
	out_double(o, "s", s, ", for %.1f s\n", s);
	out_end(o);
}

void stuck_objects(const struct live_program *p, const struct uroce_inventory *inv, uint64_t now,
		   struct out *o)
{
	struct causes c = { .no_commands = true };
	const struct stuck s = { p, inv, now, o, &c };

	out_list(o, "objects");
	for (struct seen_qp *qp = p->newest; qp; qp = qp->older)
		tell_qp(&s, qp);
	if (inv) {
		inventory_foreach(inv, UROCE_CQ, uroce_cq_row, cq)
			tell_cq(&s, cq);
		inventory_foreach(inv, UROCE_DROP, uroce_drop_row, drop)
			tell_drop(&s, drop);
	}
	tell_unacknowledged(&s);
	out_end(o);
	causes_out(&c, o);
}
