/* SPDX-License-Identifier: MIT */
/*
 * The waits of a program: its threads' calls, requests without a completion, completions that
 * nobody takes, events. While it runs on uroce0 its device is asked, and that of the peer; of one
 * that has ended only the calls are known.
 */
#include "stuck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "asked_peer.h"
#include "call_record.h"
#include "causes_out.h"
#include "live_inventory.h"
#include "live_program.h"
#include "heap.h"
#include "out.h"
#include "processes.h"
#include "reader.h"
#include "recorded.h"
#include "waits.h"
#include "why.h"

#define WIDTH	16	   /* columns before a text */
#define IDLE_NS 1000000000 /* a program that polls does so more often */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The sends or the receives of QPs, which wait alike. */
struct waiting {
	const struct wr_op *op; /* of the oldest request */
	bool is_recv, is_repeated, is_refused;
	const struct live_tracked_qp *qp; /* that has the oldest of all */
	uint64_t wr_id, when;		  /* of that */
	unsigned nqps;
	uint64_t n, retries, rnrs; /* of all together */
	char *peer;		   /* the state of its peer; NULL: not known */
};

struct stuck {
	const struct live_program *p;
	const struct uroce_inventory *inv; /* NULL: the device cannot be asked */
	pid_t pid;			   /* 0: the process has ended */
	uint64_t now, since;		   /* ticks; since: of the last progress */
	uint64_t inside[64]; /* the first arguments of the calls in which threads are: */
	unsigned ninside;    /* so many */
	bool polls;	     /* a thread is in ibv_start_poll() */
	struct waiting *waiting;
	unsigned nwaiting;
	struct out *o;
	struct causes *c;
};

/* ------------------------------------------------------------------------- requests -- */

static struct waiting *waiting_of(struct stuck *s, const struct waiting *like)
{
	struct waiting *w;

	for (w = s->waiting; w < s->waiting + s->nwaiting; w++)
		if (w->op == like->op && w->is_recv == like->is_recv &&
		    w->is_repeated == like->is_repeated && w->is_refused == like->is_refused)
			return w;
	s->waiting = xgrow(s->waiting, s->nwaiting, sizeof *s->waiting);
	w = &s->waiting[s->nwaiting++];
	*w = *like;
	w->when = UINT64_MAX;
	return w;
}

/* row: NULL of receives, or if the device cannot be asked. peer: taken over. */
static void add_queue(struct stuck *s, const struct live_tracked_qp *qp,
		      const struct posted_queue *q, const struct uroce_qp_row *row, bool is_recv,
		      char *peer)
{
	const struct posted_wr *oldest = &q->v[q->begin];
	struct waiting *w = waiting_of(s, &(struct waiting){ .op = oldest->op,
							     .is_recv = is_recv,
							     .is_repeated = row && row->retries,
							     .is_refused = row && row->rnrs });

	w->nqps++;
	w->n += q->n;
	w->retries += row ? row->retries : 0;
	w->rnrs += row ? row->rnrs : 0;
	if (oldest->when >= w->when) {
		free(peer);
		return;
	}
	w->qp = qp;
	w->wr_id = oldest->wr_id;
	w->when = oldest->when;
	free(w->peer);
	w->peer = peer;
}

/* "qp0             SEND wr_id 1, posted 5.2 s ago, is the oldest of 3 sends ..." */
static void tell_waiting(const struct stuck *s, struct waiting *w)
{
	const char *what = w->is_recv ? "receive" : "send";
	const double age = (double)record_span(w->when, s->now) / 1e9;

	out_dict(s->o, NULL);
	out_str(s->o, "name", w->qp->v.name, "  %-*s", WIDTH - 2, w->qp->v.name);
	out_str(s->o, "queue", what, NULL);
	out_u64(s->o, "wr_id", w->wr_id, "%s wr_id %" PRIu64, w->op->name, w->wr_id);
	out_double(s->o, "s", age, ", posted %.1f s ago, ", age);
	out_u64(s->o, "n", w->n, "is the oldest of %" PRIu64 " %s%s", w->n, what, plural(w->n));
	if (w->nqps > 1)
		out_u64(s->o, "qps", w->nqps, " of %u QPs", w->nqps);
	out_text(s->o, " whose completion was not taken\n");
	if (w->retries)
		out_u64(s->o, "retries", w->retries,
			"%*swas repeated %" PRIu64 " time%s for want of an answer\n", WIDTH, "",
			w->retries, plural(w->retries));
	if (w->rnrs)
		out_u64(s->o, "rnrs", w->rnrs,
			"%*swas repeated %" PRIu64 " time%s, because the peer has no receive\n",
			WIDTH, "", w->rnrs, plural(w->rnrs));
	if (w->peer)
		out_text(s->o, "%*s%s\n", WIDTH, "", w->peer);
	out_end(s->o);
	free(w->peer);
}

/* Finds why the oldest send has no answer. Returns the state of the peer's QP, to be freed; NULL:
 * it is not known. */
static char *find_silence(const struct stuck *s, struct live_tracked_qp *qp,
			  const struct posted_wr *oldest)
{
	struct failed_wr wr = { .is_foreign = true,
				.status = IBV_WC_RETRY_EXC_ERR,
				.op = oldest->op,
				.wr_id = oldest->wr_id,
				.here = live_program_end(s->p, qp),
				.there = asked_peer(&qp->v) };
	struct causes c = { .no_commands = true };
	const struct live_qp *peer = wr.there.qp;
	char *state = NULL;

	if (peer)
		state = xasprintf("%s%s is in %s, with %" PRId64 " receive%s", wr.there.whose,
				  peer->name, why_state(peer->state), peer->recvs,
				  plural((uint64_t)peer->recvs));
	why_send_waits(&wr, &c);
	causes_take_certain(s->c, &c);
	asked_peer_free(&wr.there);
	return state;
}

/* Of QPs whose receives wait one is enough: for each a process is asked. */
static void look_at_receivers(const struct stuck *s)
{
	struct live_end there;

	for (const struct waiting *w = s->waiting; w < s->waiting + s->nwaiting; w++) {
		if (!w->is_recv || w->qp->v.state != IBV_QPS_RTS ||
		    live_program_entry(s->p, w->qp->address)->sends.n)
			continue;
		there = asked_peer(&w->qp->v);
		why_both_wait(&w->qp->v, &there, s->c);
		asked_peer_free(&there);
	}
}

static void look_at_qp(struct stuck *s, struct live_tracked_qp *qp)
{
	const struct uroce_qp_row *row = s->inv ? process_qp(s->inv, qp->v.number) : NULL;
	struct live_queues *e = live_program_entry(s->p, qp->address);
	char *peer = NULL;

	if (!e)
		return;
	if (e->sends.n && row) {
		qp->v.rnrs = row->rnrs;
		if (row->rnrs || row->begun)
			peer = find_silence(s, qp, &e->sends.v[e->sends.begin]);
	}
	if (e->sends.n)
		add_queue(s, qp, &e->sends, row, false, peer);
	if (e->recvs.n)
		add_queue(s, qp, &e->recvs, NULL, true, NULL);
	else if (row)
		why_peer_waits(s->inv, row, qp->v.name, s->c);
	why_state_waits(&qp->v, e->sends.n && row && !row->begun, e->recvs.n, s->c);
	why_built_wait(s->p, qp, s->c);
}

/* ------------------------------------------------------------------------ completions -- */

static void tell_cq(const struct stuck *s, const struct uroce_cq_row *cq)
{
	static const char *const armed[] = { "not armed", "armed for solicited ones", "armed" };

	why_no_event(cq, s->c);
	if (cq->filled && !cq->armed && !cq->events && record_span(s->since, s->now) > IDLE_NS)
		cause_add(s->c, MAY_BE, NULL,
			  "%u completion%s wait%s in cq%u, which no thread polls", cq->filled,
			  plural(cq->filled), cq->filled == 1 ? "s" : "", cq->number);
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
}

static void tell_drop(const struct stuck *s, const struct uroce_drop_row *d)
{
	if (d->dropped >= UROCE_DROPS)
		return;
	out_dict(s->o, NULL);
	out_str(s->o, "reason", live_dropped_for[d->dropped], "  %-*s", WIDTH - 2, "dropped");
	out_u64(s->o, "n", d->count, "%" PRIu64 " packet%s to QP %u: %s\n", d->count,
		plural(d->count), d->dest_qpn, live_dropped_for[d->dropped]);
	out_end(s->o);
}

/* ----------------------------------------------------------------------------- events -- */

static void tell_unacknowledged(const struct stuck *s, const struct live_object *o)
{
	if (!o->unacknowledged || o->kind == OBJECT_CQ)
		return;
	out_dict(s->o, NULL);
	out_str(s->o, "name", live_program_name(s->p, o->address, s->now), "  %-*s", WIDTH - 2,
		live_program_name(s->p, o->address, s->now));
	out_u64(s->o, "unacknowledged", o->unacknowledged, "%u event%s not acknowledged (%s)\n",
		o->unacknowledged, plural(o->unacknowledged), o->acknowledge);
	out_end(s->o);
}

/* How many events a file of the process counts, an eventfd(2), which those of uroce0 are; 0: none,
 * or it is another file. */
static uint64_t events_in(pid_t pid, int fd)
{
	FILE *f = fopen(temp_text("/proc/%d/fdinfo/%d", (int)pid, fd), "re");
	uint64_t n = 0;
	char line[128];

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "eventfd-count: %" SCNx64, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* A channel whose events nobody takes. */
static void find_unread(const struct stuck *s, const struct live_object *channel)
{
	uint64_t n;

	for (unsigned i = 0; i < s->ninside; i++)
		if (s->inside[i] == channel->address)
			return;
	n = events_in(s->pid, channel->fd);
	if (n)
		why_events_wait(s->p, channel, n, s->now, s->c);
}

/* ------------------------------------------------------------------------------- all -- */

static void tell_thread(struct stuck *s, const struct record *r)
{
	const char *name = r->args && r->nargs ? live_program_name(s->p, r->args[0], s->now) : "";
	const uint64_t begin = r->begin < s->now ? r->begin : s->now; /* it may have begun since */
	const double seconds = (double)record_span(begin, s->now) / 1e9;

	out_dict(s->o, NULL);
	out_u64(s->o, "thread", r->thread, "  thread %-*u", WIDTH - 9, r->thread);
	out_str(s->o, "call", r->fn->name, "%s%s%s", r->fn->name, *name ? " " : "", name);
	out_double(s->o, "s", seconds, ", for %.1f s\n", seconds);
	out_end(s->o);
	if (r->args && r->nargs && s->ninside < sizeof s->inside / sizeof *s->inside)
		s->inside[s->ninside++] = r->args[0];
	s->polls |= record_call_row(r) == ROW_ibv_start_poll;
	why_call_waits(s->p, r, s->c);
}

static void tell_threads(struct stuck *s, struct reader *reader, struct traced *process)
{
	struct reader_news news;
	unsigned thread = 0;

	out_list(s->o, "threads");
	while (reader_inside(reader, process, &thread, &news))
		tell_thread(s, news.r);
	out_end(s->o);
}

static void tell_objects(struct stuck *s)
{
	for (struct live_tracked_qp *qp = s->p->newest; qp; qp = qp->older)
		look_at_qp(s, qp);
	if (s->inv)
		look_at_receivers(s);
	out_list(s->o, "objects");
	for (struct waiting *w = s->waiting; w < s->waiting + s->nwaiting; w++)
		tell_waiting(s, w);
	free(s->waiting);
	if (s->inv) {
		inventory_foreach(s->inv, UROCE_CQ, uroce_cq_row, cq)
			tell_cq(s, cq);
		inventory_foreach(s->inv, UROCE_DROP, uroce_drop_row, drop)
			tell_drop(s, drop);
	}
	for (const struct live_object *o = s->p->seen; o; o = o->hh.next) {
		tell_unacknowledged(s, o);
		why_polled_in_vain(s->p, o, s->since, s->now, s->c);
		why_request_waits(s->p, o, s->now, s->c);
		if (s->polls)
			why_open_poll(s->p, o, s->now, s->c);
		why_armed_in_vain(s->p, o, s->now, s->c);
		if (o->fd && s->pid)
			find_unread(s, o);
	}
	out_end(s->o);
}

void stuck_out(struct reader *reader, struct traced *process, const struct uroce_inventory *inv,
	       uint64_t since, struct out *o)
{
	struct causes c = { .no_commands = true };
	struct stuck s = { .p = process->live,
			   .inv = inv,
			   .now = record_time(),
			   .since = since,
			   .o = o,
			   .c = &c };

	if (!process->ended) {
		s.pid = process->pid;
		tell_threads(&s, reader, process);
	}
	tell_objects(&s);
	if (inv)
		why_unsaid(process->live, inv, &c);
	causes_settle(&c);
	causes_out(&c, o);
}
