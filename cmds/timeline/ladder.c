/* SPDX-License-Identifier: MIT */
#include "ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "peer.h"
#include "session.h"
#include "timeline.h"
#include "xmem.h"

#define PEER_MS 5000 /* how long a peer may take to tell what it has noted */

/* ------------------------------------------------------------------ what there is -- */

static struct ladder_row *add(struct ladder *l, const struct ladder_row *r)
{
	if ((l->n & (l->n - 1)) == 0) /* 0, 1, 2, 4 ... */
		l->rows = xrealloc(l->rows, l->n ? 2 * (size_t)l->n : 1, sizeof *l->rows);
	l->rows[l->n] = *r;
	l->rows[l->n].e.seq = l->n;
	return &l->rows[l->n++];
}

static char *clean(const char *text)
{
	char *copy = text ? peer_clean(text) : NULL;

	for (char *p = copy; p && *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return copy;
}

static void add_ours(struct ladder *l)
{
	const struct chronicle_entry *e;

	for (unsigned i = 0; (e = chronicle_at(i)); i++) {
		struct ladder_row *r = add(l, &(struct ladder_row){ .e = *e, .to = -1 });

		r->e.text = clean(e->text);
		r->e.result = clean(e->result);
		r->e.fate = clean(e->fate);
	}
}

static void add_values(struct ladder *l, unsigned place, Tcl_Obj *list)
{
	Tcl_Obj **values;
	int n;

	if (Tcl_ListObjGetElements(NULL, list, &n, &values) != TCL_OK)
		return;
	for (int i = n > CHRONICLE_MAX ? n - CHRONICLE_MAX : 0; i < n; i++) {
		struct ladder_row r;

		if (ladder_row_read(values[i], &r))
			continue;
		r.place = place;
		add(l, &r);
	}
}

static void remark(struct ladder *l, const char *name, const char *why)
{
	char *more = xasprintf("%s%s: %s\n", l->remarks ? l->remarks : "", name, why);

	free(l->remarks);
	l->remarks = more;
}

/* What a peer has noted; NULL: it cannot be had. */
static Tcl_Obj *ask(struct session *s, struct peer *p)
{
	Tcl_Obj *script = Tcl_NewStringObj("timeline -raw", -1);
	bool printing = s->printing;
	struct call *c;

	Tcl_IncrRefCount(script);
	s->printing = false;
	c = peer_call(p, script, true, json_object_new_array(), false);
	s->printing = printing;
	Tcl_DecrRefCount(script);
	return c && peer_await(p, c, PEER_MS, true) == 0 ? peer_take(p, c) : NULL;
}

static void add_peers(struct session *s, struct ladder *l)
{
	unsigned place = 0;
	struct obj *o;

	obj_foreach(o, s) {
		struct peer *p = (struct peer *)o;
		Tcl_Obj *list = NULL;

		if (o->class != &peer_class)
			continue;
		place++;
		if (p->state != PEER_READY)
			remark(l, o->name, "it has ended");
		else if (peer_busy(p))
			remark(l, o->name, "it is busy: its lane is left out");
		else
			list = ask(s, p);
		if (!list)
			continue;
		Tcl_IncrRefCount(list);
		add_values(l, place, list);
		Tcl_DecrRefCount(list);
	}
	fail_clear(&s->fail); /* a peer that has nothing to tell is no failure */
}

/* --------------------------------------------------------------------------- sides -- */

static const char word_bytes[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

static bool has_word(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (text += strcspn(text, word_bytes); *text; text += strcspn(text, word_bytes)) {
		size_t n = strspn(text, word_bytes);

		if (n == len && memcmp(text, name, n) == 0)
			return true;
		text += n;
	}
	return false;
}

/* Is it about the object? */
static bool names(const struct ladder_row *r, const char *name)
{
	return strcmp(r->e.name, name) == 0 || has_word(r->e.text, name) ||
	       (r->e.result && has_word(r->e.result, name));
}

/* What is told of an object before and after it is known which end it is of. */
static void spread(struct ladder *l, const struct ladder_row *known, const char *name)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (!r->e.side && r->place == known->place && r->e.kind != CHRONICLE_PACKET &&
		    names(r, name))
			r->e.side = known->e.side;
	}
}

/* The word behind a key in the text of a call: "cq0" of "send_cq cq0, ...". */
static void spread_word(struct ladder *l, const struct ladder_row *r, const char *text,
			const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;
	char word[32];
	size_t len;

	if (!at)
		return;
	at += strlen(key);
	len = strspn(at, word_bytes);
	if (!len || len >= sizeof word)
		return;
	snprintf(word, sizeof word, "%.*s", (int)len, at);
	spread(l, r, word);
}

static void fill_in_sides(struct ladder *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (!r->e.side || r->e.kind == CHRONICLE_PACKET)
			continue;
		if (*r->e.name)
			spread(l, r, r->e.name);
		if (strstr(r->e.text, "_create_qp(")) {
			spread_word(l, r, r->e.result, "");
			spread_word(l, r, r->e.text, "send_cq ");
			spread_word(l, r, r->e.text, "recv_cq ");
		}
	}
}

/* ------------------------------------------------------------------------- packets -- */

static bool is_lost(const struct ladder_row *r)
{
	return r->e.fate && (strstr(r->e.fate, "drop") || strstr(r->e.fate, "corrupt") ||
			     strstr(r->e.fate, "icrc"));
}

static struct ladder_row *sent(struct ladder *l, const struct ladder_row *in)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->e.kind == CHRONICLE_PACKET && r->e.out && !r->matched &&
		    r->e.key == in->e.key && !(is_lost(r) && r->place != in->place))
			return r;
	}
	return NULL;
}

/* What was sent and received is one row; the other is dropped. */
static void match_packets(struct ladder *l)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *in = &l->rows[i], *out;

		if (in->e.kind != CHRONICLE_PACKET || in->e.out)
			continue;
		out = sent(l, in);
		if (!out)
			continue;
		out->matched = in->matched = true;
		out->arrived = !is_lost(in);
		out->to = (int)in->place; /* for now: its place */
		memcpy(out->also, in->e.name, sizeof out->also);
		if (in->e.fate && !out->e.fate) {
			out->e.fate = in->e.fate;
			in->e.fate = NULL;
		}
	}
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->e.kind == CHRONICLE_PACKET && !r->e.out && r->matched) {
			free(r->e.text);
			free(r->e.result);
			free(r->e.fate);
			continue;
		}
		l->rows[to++] = *r;
	}
	l->n = to;
}

/* --------------------------------------------------------------------------- lanes -- */

static int lane_of(const struct ladder *l, unsigned place, enum chronicle_side side)
{
	int first = -1;

	for (unsigned i = 0; i < l->nlanes; i++) {
		if (l->lanes[i].place != place)
			continue;
		if (!l->lanes[i].side || l->lanes[i].side == side)
			return (int)i;
		if (first < 0)
			first = (int)i;
	}
	return first;
}

static void add_lane(struct ladder *l, unsigned place, enum chronicle_side side)
{
	if (l->nlanes < LANES_MAX)
		l->lanes[l->nlanes++] = (struct ladder_lane){ .place = place, .side = side };
}

static void make_lanes(struct ladder *l, unsigned npeers)
{
	for (unsigned place = 0; place <= npeers; place++) {
		bool a = false, b = false, any = false, only_notices = true;

		for (unsigned i = 0; i < l->n; i++) {
			const struct ladder_row *r = &l->rows[i];

			if (r->place != place)
				continue;
			any = true;
			only_notices &= r->e.kind == CHRONICLE_NOTICE;
			if (r->e.kind != CHRONICLE_PACKET) {
				a |= r->e.side == SIDE_ACTIVE;
				b |= r->e.side == SIDE_PASSIVE;
			}
		}
		if (!any || (only_notices && npeers))
			continue;
		add_lane(l, place, a && b ? SIDE_ACTIVE : SIDE_NONE);
		if (a && b)
			add_lane(l, place, SIDE_PASSIVE);
	}
}

static int other_lane(const struct ladder *l, int lane)
{
	for (unsigned i = 0; i < l->nlanes; i++)
		if ((int)i != lane)
			return (int)i;
	return -1;
}

static void place_packet(struct ladder *l, struct ladder_row *r)
{
	enum chronicle_side there = r->e.side == SIDE_ACTIVE ? SIDE_PASSIVE : SIDE_ACTIVE;
	int here = lane_of(l, r->place, r->e.out ? r->e.side : there);

	if (!r->e.out) {
		r->to = here;
		r->from = other_lane(l, here);
		r->arrived = !is_lost(r);
		return;
	}
	r->from = here;
	if (r->matched)
		r->to = lane_of(l, (unsigned)r->to, there);
	else
		r->arrived = !is_lost(r);
	if (!r->matched || r->to == r->from || r->to < 0)
		r->to = other_lane(l, here);
}

static bool has_packets(const struct ladder *l)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->rows[i].e.kind == CHRONICLE_PACKET)
			return true;
	return false;
}

/* "@b  id0 qp0": the end, and what of it is spoken of. */
static void label(struct session *s, struct ladder *l, unsigned lane)
{
	struct ladder_lane *it = &l->lanes[lane];
	Tcl_DString d, seen;
	unsigned n = 0, place = 0;
	struct obj *o;

	Tcl_DStringInit(&d);
	Tcl_DStringInit(&seen);
	if (it->place) {
		obj_foreach(o, s)
			if (o->class == &peer_class && ++place == it->place)
				xappendf(&d, "@%s", o->name);
		if (place < it->place)
			Tcl_DStringAppend(&d, "the other end", -1);
	} else {
		Tcl_DStringAppend(&d,
				  it->side == SIDE_ACTIVE    ? "who connects"
				  : it->side == SIDE_PASSIVE ? "who listens"
							     : "this end",
				  -1);
	}
	for (unsigned i = 0; i < l->n && n < 4; i++) {
		const struct ladder_row *r = &l->rows[i];
		char word[40];

		if (r->from != (int)lane || r->e.kind == CHRONICLE_PACKET || !*r->e.name ||
		    (it->side && r->e.side != it->side) || strstr(r->e.text, "_cq("))
			continue;
		snprintf(word, sizeof word, " %s ", r->e.name);
		if (strstr(Tcl_DStringValue(&seen), word))
			continue;
		Tcl_DStringAppend(&seen, word, -1);
		xappendf(&d, "%s%s", n++ ? " " : ": ", r->e.name);
	}
	it->label = xstrdup(Tcl_DStringValue(&d));
	Tcl_DStringFree(&seen);
	Tcl_DStringFree(&d);
}

/* --------------------------------------------------------------------------- whole -- */

static int earlier(const void *a, const void *b)
{
	const struct ladder_row *x = a, *y = b;

	if (x->e.when != y->e.when)
		return x->e.when < y->e.when ? -1 : 1;
	return x->e.seq < y->e.seq ? -1 : x->e.seq > y->e.seq;
}

static void row_free(struct ladder_row *r)
{
	free(r->e.text);
	free(r->e.result);
	free(r->e.fate);
}

static void filter(struct ladder *l, const char *qp)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];
		bool cm = r->e.kind == CHRONICLE_PACKET && !*r->e.name && !*r->also;

		if (cm || names(r, qp) || strcmp(r->also, qp) == 0)
			l->rows[to++] = *r;
		else
			row_free(r);
	}
	l->n = to;
}

static void keep_last(struct ladder *l, unsigned last)
{
	unsigned drop = last && l->n > last ? l->n - last : 0;

	for (unsigned i = 0; i < drop; i++)
		row_free(&l->rows[i]);
	memmove(l->rows, l->rows + drop, (l->n - drop) * sizeof *l->rows);
	l->n -= drop;
}

static unsigned count_peers(struct session *s)
{
	unsigned n = 0;
	struct obj *o;

	obj_foreach(o, s)
		n += o->class == &peer_class;
	return n;
}

void ladder_make(struct session *s, const struct ladder_how *how, struct ladder *l)
{
	unsigned npeers = count_peers(s);

	*l = (struct ladder){ 0 };
	timeline_drain(s);
	add_ours(l);
	add_peers(s, l);
	if (!l->n)
		return;
	qsort(l->rows, l->n, sizeof *l->rows, earlier);
	fill_in_sides(l);
	match_packets(l);
	make_lanes(l, npeers);
	if (!l->nlanes)
		add_lane(l, 0, SIDE_NONE);
	if (l->nlanes == 1 && has_packets(l))
		add_lane(l, npeers + 1, SIDE_NONE);
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->e.kind == CHRONICLE_PACKET) {
			place_packet(l, r);
			continue;
		}
		r->from = lane_of(l, r->place, r->e.side);
		r->from = r->from < 0 ? 0 : r->from;
	}
	for (unsigned i = 0; i < l->nlanes; i++)
		label(s, l, i);
	if (how->qp)
		filter(l, how->qp);
	keep_last(l, how->last);
	l->start = l->n ? l->rows[0].e.when : 0;
}

void ladder_free(struct ladder *l)
{
	for (unsigned i = 0; i < l->n; i++)
		row_free(&l->rows[i]);
	for (unsigned i = 0; i < l->nlanes; i++)
		free(l->lanes[i].label);
	free(l->rows);
	free(l->remarks);
}

char *ladder_end(const struct ladder *l, int lane)
{
	const char *label = lane < 0 ? "" : l->lanes[lane].label;

	return xasprintf("%.*s", (int)strcspn(label, ":"), label);
}

double ladder_ms(const struct ladder *l, const struct ladder_row *r)
{
	return (double)(r->e.when - l->start) / 1e6;
}

char *ladder_says(const struct ladder_row *r)
{
	const struct chronicle_entry *e = &r->e;

	switch (e->kind) {
	case CHRONICLE_CALL:
		return xasprintf("%s = %s", e->text, e->result ? e->result : "");
	case CHRONICLE_STATE:
		return xasprintf("%s (%s)", e->text, e->result ? e->result : "");
	case CHRONICLE_WC:
		return xasprintf("%s  %s", e->text, e->name);
	case CHRONICLE_PACKET:
		return xasprintf("%s%s%s", e->text, e->fate ? "  fault: " : "",
				 e->fate ? e->fate : "");
	default:
		return xstrdup(e->text);
	}
}
