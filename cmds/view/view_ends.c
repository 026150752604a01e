/* SPDX-License-Identifier: MIT */
#include "view/view_ends.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "heap.h"
#include "inventory.h"
#include "objects.h"
#include "out.h"
#include "own_model.h"
#include "page_ends.h"
#include "peer/peer.h"
#include "qp/qp.h"
#include "recorded.h"
#include "resources/show_process.h"
#include "session.h"
#include "text.h"
#include "words.h"

#define TAKEN	     12	  /* completions of a CQ are shown, the newest */
#define POLLS	     4096 /* calls in which they are looked for */
#define MEMORY_SHOWN 4096 /* bytes of a region, its first */

/* This session at a moment. */
struct view_moment {
	struct session *s;
	int64_t at; /* CLOCK_REALTIME, ns; INT64_MAX: now */
	const struct live_program *live;
	struct live_program *replayed; /* live, where it is not that of now */
	struct record_list *list;      /* in the order in which the calls ended */
	unsigned done;		       /* of them, so many are taken */
};

static bool is_now(const struct view_moment *m)
{
	return m->at == INT64_MAX;
}

/* ------------------------------------------------------------------- the record -- */

static int by_end(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end;
}

/* Learns from the record up to that moment what there was then; of now the model knows more than
 * the record still has. */
static void replay(struct view_moment *m)
{
	for (; m->done < m->list->n; m->done++) {
		const struct record *r = &m->list->v[m->done];

		if (record_realtime(r->end) > m->at)
			return;
		if (m->replayed && r->ended && record_call_row(r) != call_count)
			live_program_take(m->replayed, r, &record_own_objects);
	}
}

struct view_moment *view_moment_new(struct session *s, bool now)
{
	struct view_moment *m = xcalloc(1, sizeof *m);

	m->s = s;
	m->replayed = now ? NULL : live_program_new();
	m->live = now ? own_model() : m->replayed;
	m->at = now ? INT64_MAX : 0;
	m->list = record_list(now ? 1u << RECORD_DATA : ~0u, 0);
	if (m->list->n)
		qsort(m->list->v, m->list->n, sizeof *m->list->v, by_end);
	return m;
}

void view_moment_free(struct view_moment *m)
{
	if (m->replayed)
		live_program_free(m->replayed);
	record_list_free(m->list);
	free(m);
}

/* -------------------------------------------------------------------------- QPs -- */

/* The name that the object has, or had then. */
static const char *name_at(const struct view_moment *m, uint64_t address)
{
	const uint64_t when = is_now(m) ? record_time() : record_ticks(m->at);

	return temp_text("%s", live_program_name(m->live, address, when));
}

/* The other end: a QP of this session by its name, or a number. */
static const char *peer_text(const struct view_moment *m, uint32_t dest, uint32_t number)
{
	const struct live_tracked_qp *peer = live_program_numbered(m->live, dest, number);

	return !dest ? "" : peer ? name_at(m, peer->address) : temp_text("qpn %u", dest);
}

/* Facts about a living QP that only the device knows. */
static void ask_device(const struct view_moment *m, const struct qp *there, struct page_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };

	if (qp_query(there, &a, &init) != 0)
		return;
	qp->peer = peer_text(m, a.dest_qp_num, qp->number);
	if (a.qp_state == IBV_QPS_SQD)
		qp->drain = a.sq_draining ? DRAIN_RUNNING : DRAIN_DONE;
}

static void out_qp(const struct view_moment *m, const struct live_tracked_qp *seen, struct out *o)
{
	struct live_queues *e = live_program_entry(m->live, seen->address);
	const struct qp *there = is_now(m) ? obj_by_pointer(m->s, &qp_class,
							    (void *)(uintptr_t)seen->address)
					   : NULL;
	struct qp_step steps[QP_STEPS];
	const unsigned n = qp_history_at(seen->address, m->at, steps);
	struct page_queue sends = { .posted = &e->sends, .room = seen->v.cap.max_send_wr };
	struct page_queue recvs = { .posted = live_program_recvs(m->live, e),
				    .room = seen->srq ? 0 : seen->v.cap.max_recv_wr };
	struct page_qp qp = { .name = name_at(m, seen->address),
			      .peer = "",
			      .number = seen->v.number,
			      .type = seen->v.type,
			      .now = n ? steps[n - 1].state : seen->v.state,
			      .steps = qp_steps_taken(steps, n),
			      .why = n ? steps[n - 1].why : NULL,
			      .failed = n && steps[n - 1].failed,
			      .sends = &sends,
			      .recvs = recvs.posted ? &recvs : NULL };

	if (there)
		ask_device(m, there, &qp);
	else if (seen->v.known & IBV_QP_DEST_QPN)
		qp.peer = peer_text(m, seen->v.attr.dest_qp_num, seen->v.number);
	page_qp_out(o, NULL, &qp);
}

static void out_qps(const struct view_moment *m, struct out *o)
{
	const struct live_tracked_qp **all = NULL;
	unsigned n = 0;

	for (const struct live_tracked_qp *qp = m->live->newest; qp; qp = qp->older) {
		all = xgrow(all, n, sizeof *all);
		all[n++] = qp;
	}
	out_list(o, "qps");
	while (n-- > 0)
		if (live_program_entry(m->live, all[n]->address))
			out_qp(m, all[n], o);
	out_end(o);
	free(all);
}

/* ------------------------------------------------------------------ CQs, regions -- */

/* Writes the completions that were taken from a CQ. */
static void out_taken(const struct view_moment *m, const struct live_object *cq, struct out *o)
{
	const unsigned first = m->done > POLLS ? m->done - POLLS : 0;
	unsigned shown = 0;

	for (unsigned i = m->done; i-- > first && shown < TAKEN;) {
		const struct record *r = &m->list->v[i];
		const bool is_its = r->ended && !r->err && record_call_row(r) == ROW_ibv_poll_cq &&
				    r->args[0] == cq->address;
		const struct ibv_wc *wc = is_its ? (const void *)(uintptr_t)r->after[2] : NULL;

		for (uint64_t k = wc ? r->result : 0; k-- > 0 && shown < TAKEN; shown++)
			page_wc_out(o, &wc[k]);
	}
}

static void out_cq(const struct view_moment *m, const struct live_object *cq, struct out *o)
{
	const struct cq *it = obj_by_pointer(m->s, &cq_class, (void *)(uintptr_t)cq->address);

	out_dict(o, NULL);
	page_str(o, "name", name_at(m, cq->address));
	out_int(o, "entries", cq->entries, NULL);
	out_u64(o, "due", live_program_due(m->live, cq->address), NULL);
	out_bool(o, "armed", cq->armed, NULL);
	out_bool(o, "bad", it && it->broken, NULL);
	out_list(o, "taken");
	out_taken(m, cq, o);
	out_end(o);
	out_end(o);
}

static void out_cqs(const struct view_moment *m, struct out *o)
{
	out_list(o, "cqs");
	for (const struct live_object *it = m->live->seen; it; it = it->hh.next)
		if (it->kind == OBJECT_CQ || it->kind == OBJECT_CQ_EX)
			out_cq(m, it, o);
	out_end(o);
}

size_t view_bytes_shown(const struct mr *mr)
{
	return mr->len < MEMORY_SHOWN ? mr->len : MEMORY_SHOWN;
}

/* Zeros at the end are left out. */
static void out_bytes_now(const struct mr *mr, struct out *o)
{
	size_t n = view_bytes_shown(mr);
	uint8_t now[MEMORY_SHOWN];
	SCOPED_TEXT(hex);

	memcpy(now, mr->buf, n); /* a copy: a peer may write meanwhile */
	out_u64(o, "shown", n, NULL);
	while (n && !now[n - 1])
		n--;
	xappend_hex(&hex, now, n);
	out_str(o, "bytes", text_str(&hex), NULL);
}

static void out_regions(const struct view_moment *m, struct out *o)
{
	const struct live_regions *all = &m->live->regions;

	out_list(o, "regions");
	for (unsigned i = 0; i < all->n; i++) {
		const struct live_region *r = &all->v[i];
		const struct mr *mr = obj_by_number(m->s, &mr_class, r->lkey);

		if (r->gone)
			continue;
		page_mr_begin(o, name_at(m, all->at[i]), r->len, r->begin, r->rkey, r->access);
		if (mr && is_now(m))
			out_bytes_now(mr, o);
		else
			out_str(o, "note", "the bytes of earlier rows are not recorded", NULL);
		out_end(o);
	}
	out_end(o);
}

static void out_own(struct view_moment *m, struct out *o)
{
	replay(m);
	out_dict(o, NULL);
	out_str(o, "name", "this session", NULL);
	out_qps(m, o);
	out_cqs(m, o);
	out_regions(m, o);
	out_end(o);
}

/* ------------------------------------------------------------------------- whole -- */

static const struct peer *own_peer(struct session *s, pid_t pid)
{
	const struct peer *p;

	obj_foreach_of(p, s, &peer_class)
		if (p->its_pid == pid)
			return p;
	return NULL;
}

/* A process that is a peer of this session is called by the name that the user gave it. */
static const char *peer_name(struct session *s, pid_t pid)
{
	const struct peer *p = own_peer(s, pid);
	char program[32];

	if (p)
		return temp_text("@%s", p->o.name);
	process_program(pid, program, sizeof program);
	return temp_text("%s%sprocess %d", program, *program ? ", " : "", (int)pid);
}

void view_moment_out(struct view_moment *m, int64_t at, const struct view_peers *p, struct out *o)
{
	if (!is_now(m) && at > m->at)
		m->at = at;
	out_own(m, o);
	for (unsigned i = 0; i < p->n; i++) {
		const struct view_peer *peer = &p->v[i];

		/* their rows tell the past of the peers of this session */
		if (peer->inv && (is_now(m) ? peer->is_met : !own_peer(m->s, peer->pid)))
			page_inventory_out(o, peer_name(m->s, peer->pid), peer->inv,
					   is_now(m) ? 0 : (uint64_t)m->at);
	}
}
