/* SPDX-License-Identifier: MIT */
/* The ladder of this program and its peers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "packets.h"
#include "peer/peer.h"
#include "session.h"
#include "timeline/timeline.h"

#define ROWS_MAX (LADDER_MAX + PACKETS_KEPT)
#define PEER_MS	 5000		      /* time for a peer to send its rows */
#define SOON_MS	 500		      /* the same where nobody asks for them */
#define AGAIN	 INT64_C(200000000)   /* ns until it is asked again */
#define SHARE	 10		      /* at most one part of so many of the time is spent on it */
#define SILENT	 INT64_C(10000000000) /* the same of one that has not answered */

static void add_values(struct ladder *l, unsigned place, Tcl_Obj *list)
{
	Tcl_Obj **values;
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, list, &n, &values) != TCL_OK)
		return;
	for (int i = n > ROWS_MAX ? n - ROWS_MAX : 0; i < n; i++) {
		struct ladder_row r;

		if (ladder_row_read(values[i], &r))
			continue;
		r.place = place;
		ladder_add(l, &r);
	}
}

static void add_remark(struct ladder *l, const char *name, const char *why)
{
	char *more = xasprintf("%s%s: %s\n", l->remarks ? l->remarks : "", name, why);

	free(l->remarks);
	l->remarks = more;
}

static unsigned add_peer(struct ladder *l, const struct peer *p)
{
	char *name = xasprintf("@%s", p->o.name);
	unsigned place = ladder_add_place(l, name);

	free(name);
	return place;
}

/* Asks a peer for its rows, which are kept. */
static void ask_peer(struct peer *p, int64_t within_ms)
{
	const int64_t begin = loop_now();
	Tcl_Obj *list = peer_ask(p, "timeline -raw", within_ms);
	const int64_t took = loop_now() - begin;

	p->rows_next = begin + took +
		       (!list		       ? SILENT
			: took * SHARE > AGAIN ? took * SHARE
					       : AGAIN);
	if (!list)
		return;
	Tcl_IncrRefCount(list);
	if (p->rows)
		Tcl_DecrRefCount(p->rows);
	p->rows = list;
}

bool ladder_ask_peers(struct session *s)
{
	bool any = false;
	struct peer *p;

	obj_foreach_of(p, s, &peer_class) {
		if (p->state != PEER_READY || peer_busy(p) || loop_now() < p->rows_next)
			continue;
		ask_peer(p, SOON_MS);
		any = true;
	}
	return any;
}

static void add_peers(struct session *s, struct ladder *l, bool asks)
{
	struct peer *p;

	obj_foreach_of(p, s, &peer_class) {
		unsigned place = add_peer(l, p);

		if (p->state == PEER_READY && !peer_busy(p) && asks)
			ask_peer(p, PEER_MS);
		if (p->state != PEER_READY)
			add_remark(l, p->o.name, "it has ended");
		else if (peer_busy(p))
			add_remark(l, p->o.name, "it is busy: its lane is as it was");
		if (p->rows && p->state == PEER_READY)
			add_values(l, place, p->rows);
	}
}

static bool row_names(const struct ladder_row *r, const char *name)
{
	char word[40];

	snprintf(word, sizeof word, " %s ", name);
	return strcmp(r->name, name) == 0 || (r->names && strstr(r->names, word));
}

static void keep_rows_of(struct ladder *l, const char *qp)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];
		bool cm = r->kind == LADDER_PACKET && !*r->name && !*r->also;

		if (cm || row_names(r, qp) || strcmp(r->also, qp) == 0)
			l->rows[to++] = *r;
		else
			ladder_free_row(r);
	}
	l->n = to;
}

static void drop_gone_rows(struct ladder *l)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++)
		if (l->rows[i].age == AGE_GONE)
			ladder_free_row(&l->rows[i]);
		else
			l->rows[to++] = l->rows[i];
	l->left_out = l->n - to;
	l->n = to;
}

void ladder_make(struct session *s, const struct ladder_how *how, struct ladder *l)
{
	*l = (struct ladder){ 0 };
	ladder_add_place(l, NULL);
	timeline_drain(s);
	l->has_fields = how->has_fields;
	ladder_add_own(s, how->most ? how->most : LADDER_MAX, l);
	add_peers(s, l, !how->is_alone);
	if (how->all || how->qp)
		for (unsigned i = 0; i < l->n; i++)
			l->rows[i].age = AGE_CURRENT;
	drop_gone_rows(l);
	ladder_arrange(l);
	if (how->qp)
		keep_rows_of(l, how->qp);
	ladder_fold(l);
	ladder_keep_last(l, how->last);
}
