// SPDX-License-Identifier: MIT
#include "views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_format.h"
#include "decode.h"
#include "live_program.h"
#include "packets.h"
#include "call_record.h"
#include "reader.h"
#include "recorded.h"
#include "heap.h"
#include "text.h"

unsigned traced_ladder_add(struct ladder *l, const struct traced *p)
{
	int len = (int)strcspn(p->name, " "), from = len;
	unsigned place;
	char *name;

	while (from && p->name[from - 1] != '/') /* without its folder and arguments */
		from--;
	name = xasprintf("%.*s [%d]", len - from, p->name + from, (int)p->pid);
	place = ladder_add_place(l, name);
	free(name);
	return place;
}

/* A long program keeps its last rows, not its first. */
static void add_row(struct ladder *l, const struct ladder_row *row)
{
	if (l->n >= 2 * LADDER_MAX)
		ladder_keep_last(l, LADDER_MAX);
	ladder_add(l, row);
}

/* --------------------------------------------------------------------- completions -- */

static void add_completion(struct ladder *l, const struct ladder_row *of, const struct live_wc *wc)
{
	struct ladder_row row = *of;

	row.heads = true;
	if (wc->qp)
		snprintf(row.name, sizeof row.name, "%s", wc->qp->v.name);
	ladder_tell_completion(&row, &wc->wc,
			       wc->known && wc->posted.op ? wc->posted.op->name : NULL);
	add_row(l, &row);
}

/* -------------------------------------------------------------------------- states -- */

struct state_change {
	struct ladder *l;
	const struct ladder_row *of;
	const char *call;
};

static void add_state(void *arg, const struct live_tracked_qp *qp, int from)
{
	const struct state_change *c = arg;
	struct ladder_row row = *c->of;
	int64_t polled;
	char *why;

	row.when = row.until;
	row.bad = qp->v.state == IBV_QPS_ERR || qp->v.state == IBV_QPS_SQE;
	snprintf(row.name, sizeof row.name, "%s", qp->v.name);
	polled = ladder_seen_at_poll(c->l, row.name, qp->v.state);
	if (polled)
		row.when = polled;
	why = xasprintf("%s%s", row.bad && *qp->v.why ? qp->v.why : c->call,
			polled ? ", seen at poll" : "");
	ladder_tell_state(&row, from, qp->v.state, why);
	free(why);
	add_row(c->l, &row);
}

/* --------------------------------------------------------------------------- calls -- */

static char *text_of(const struct reader_news *call,
		     void (*write)(FILE *to, const struct reader_news *call))
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	write(f, call);
	fclose(f);
	return text;
}

static void add_call(struct ladder *l, const struct ladder_row *of, const struct reader_news *call)
{
	const struct record *r = call->r;
	struct ladder_row row = *of;
	char *said = text_of(call, line_write_args), *result = text_of(call, line_write_result);
	char *whole;

	row.kind = record_call_row(r) == ROW_rdma_get_cm_event && !r->err ? LADDER_EVENT
									  : LADDER_CALL;
	row.by_cm = r->fn->is_cm;
	row.bad = r->err;
	if (row.kind == LADDER_EVENT) {
		row.when = row.until;
		row.until = 0;
		row.text = ladder_line(result);
	} else {
		whole = xasprintf("%s%s%s", r->fn->name, *said ? " " : "", said);
		row.text = ladder_line(whole);
		row.result = ladder_line(result);
		free(whole);
	}
	if (l->has_fields) {
		const struct call_names names = line_names(call);

		row.fields = ladder_call_fields(&names, r);
	}
	add_row(l, &row);
	free(said);
	free(result);
}

void traced_ladder_take(struct ladder *l, unsigned place, const struct reader_news *call,
			struct live_program *live)
{
	const struct record *r = call->r;
	struct ladder_row of = { .when = record_realtime(r->begin),
				 .until = record_realtime(r->end),
				 .state = -1,
				 .to = -1,
				 .place = place };
	struct state_change c = { l, &of, r->fn->name };
	const struct live_wc *wc;
	unsigned n;

	wc = live_program_completions(live, &n);
	for (unsigned i = 0; i < n; i++)
		add_completion(l, &of, &wc[i]);
	if (record_call_row(r) != ROW_ibv_poll_cq && ladder_is_row(r))
		add_call(l, &of, call);
	live_program_changes(live, add_state, &c);
}

void traced_ladder_packets(struct ladder *l, unsigned place, const struct packets *packets)
{
	const struct kept_packet *k;

	l->lost_packets += packets_lost(packets);
	for (unsigned i = 0; (k = packets_at(packets, i)); i++) {
		struct ladder_row row = { .when = k->first,
					  .state = -1,
					  .to = -1,
					  .place = place,
					  .out = k->out,
					  .key = k->key };
		uint8_t *ip = xcalloc(1, k->len + 1);
		struct decoded d;

		if (packets_decode(k, ip, &d) == 0) {
			ladder_tell_packet(&row, &d, k->fate);
			ladder_count(&row, k->times, k->last);
			ladder_add(l, &row);
		}
		free(ip);
	}
}

void traced_ladder_end(struct ladder *l)
{
	if (l->left_out) /* they are not kept, so no option shows them */
		l->remarks = xasprintf("The first %u rows are left out.\n", l->left_out);
	l->lost[RECORD_CONTROL] += l->left_out;
	l->left_out = 0;
	ladder_arrange(l);
	ladder_fold(l);
}
