/* SPDX-License-Identifier: MIT */
/* The ladder: matches the packets of all ends, assigns lanes, folds repetitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "heap.h"
#include "ladder.h"
#include "text.h"

/* ---------------------------------------------------------------------------- rows -- */

struct ladder_row *ladder_add(struct ladder *l, const struct ladder_row *r)
{
	l->rows = xgrow(l->rows, l->n, sizeof *l->rows);
	l->rows[l->n] = *r;
	l->rows[l->n].seq = l->n ? l->rows[l->n - 1].seq + 1 : 0;
	return &l->rows[l->n++];
}

unsigned ladder_add_place(struct ladder *l, const char *name)
{
	l->places = xgrow(l->places, l->nplaces, sizeof *l->places);
	l->places[l->nplaces] = name ? xstrdup(name) : NULL;
	return l->nplaces++;
}

/* Is the receiver, of which a message of the connection manager that place has both sent and
 * received is, another program? Its own message came in there. When a program has ended, the device
 * hands what still comes for it to another one on this host. */
static bool is_for_another(const struct ladder *l, const struct ladder_row *out)
{
	bool another = false;

	for (unsigned i = 0; out->receiver && i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (r->kind != LADDER_PACKET || r->sender[1] != out->receiver)
			continue;
		if (r->out)
			return false;
		another = true;
	}
	return another;
}

static struct ladder_row *find_sent_row(struct ladder *l, const struct ladder_row *in)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->kind == LADDER_PACKET && r->out && !r->matched && r->key == in->key &&
		    !(r->lost && r->place != in->place))
			return r;
	}
	return NULL;
}

/* Merges the two rows of a packet that was sent and received into that of its sender. */
static void match_packets(struct ladder *l)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *in = &l->rows[i], *out;

		if (in->kind != LADDER_PACKET || in->out)
			continue;
		out = find_sent_row(l, in);
		if (!out)
			continue;
		in->matched = true;
		out->matched = in->place != out->place || !is_for_another(l, out);
		if (!out->matched)
			continue;
		out->arrived = !in->lost;
		out->to = (int)in->place; /* place_packet() replaces it with the lane */
		if (!out->side)
			out->side = in->side;
		memcpy(out->also, in->name, sizeof out->also);
		if (in->fate && !out->fate) {
			out->fate = in->fate;
			in->fate = NULL;
		}
	}
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->kind == LADDER_PACKET && !r->out && r->matched) {
			ladder_free_row(r);
			continue;
		}
		l->rows[to++] = *r;
	}
	l->n = to;
}

/* --------------------------------------------------------------------------- lanes -- */

static int lane_of(const struct ladder *l, unsigned place, enum ladder_side side)
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

static void add_lane(struct ladder *l, unsigned place, enum ladder_side side)
{
	if (l->nlanes < LANES_MAX - (place < l->nplaces))
		l->lanes[l->nlanes++] = (struct ladder_lane){ .place = place, .side = side };
}

/* Is it a packet from one end of a connection to the other, with both in one place? */
static bool is_of_both_sides(const struct ladder_row *r)
{
	return r->kind == LADDER_PACKET && r->matched && r->side && r->to == (int)r->place;
}

static void make_lanes(struct ladder *l)
{
	for (unsigned place = 0; place < l->nplaces; place++) {
		bool a = false, b = false, any = false, only_notices = true;

		for (unsigned i = 0; i < l->n; i++) {
			const struct ladder_row *r = &l->rows[i];

			if (r->place != place)
				continue;
			any = true;
			only_notices &= r->kind == LADDER_NOTICE;
			if (is_of_both_sides(r)) {
				a = b = true;
			} else if (r->kind != LADDER_PACKET) {
				a |= r->side == SIDE_ACTIVE;
				b |= r->side == SIDE_PASSIVE;
			}
		}
		if (!any || (only_notices && l->nplaces > 1))
			continue;
		add_lane(l, place, a && b ? SIDE_ACTIVE : SIDE_NONE);
		if (a && b)
			add_lane(l, place, SIDE_PASSIVE);
	}
}

/* The lane of an end that is none of the places. */
static int outside_lane(struct ladder *l)
{
	int lane = lane_of(l, l->nplaces, SIDE_NONE);

	if (lane < 0)
		add_lane(l, l->nplaces, SIDE_NONE);
	return lane < 0 ? (int)l->nlanes - 1 : lane;
}

/* The place of an end by its key. */
struct end_place {
	uint64_t key;
	int place;
	UT_hash_handle hh;
};

/* The table has the place of an end by its key, and that of its partner by this one. */
static uint64_t partner_key(uint64_t key)
{
	return key ? ~key : 0;
}

static struct end_place *find_end(struct end_place *places, uint64_t key)
{
	struct end_place *end = NULL;

	HASH_FIND(hh, places, &key, sizeof key, end);
	return end;
}

static void note_place(struct end_place **places, uint64_t key, int place)
{
	struct end_place *end = key && place >= 0 ? find_end(*places, key) : NULL;

	if (!key || place < 0)
		return;
	if (!end) {
		end = xcalloc(1, sizeof *end);
		end->key = key;
		HASH_ADD(hh, *places, key, sizeof end->key, end);
	}
	end->place = place;
}

static int find_place(struct end_place *places, uint64_t key)
{
	const struct end_place *end = key ? find_end(places, key) : NULL;

	return end ? end->place : -1;
}

static void learn_places(struct end_place **places, const struct ladder_row *r)
{
	const int from = r->out ? (int)r->place : -1;
	const int to = r->matched ? r->to : r->out ? -1 : (int)r->place;

	for (unsigned i = 0; i < 2; i++) {
		note_place(places, r->sender[i], from);
		note_place(places, partner_key(r->sender[i]), to);
	}
	note_place(places, r->receiver, to);
	note_place(places, partner_key(r->receiver), from);
}

/* The place of the end that has no row of this packet; -1: it is none of them. */
static int place_of_other_end(struct end_place *places, const struct ladder_row *r)
{
	const uint64_t known_by[2][3] = {
		{ r->sender[0], r->sender[1], partner_key(r->receiver) },
		{ r->receiver, partner_key(r->sender[0]), partner_key(r->sender[1]) },
	};
	int place = r->within ? (int)r->place : -1;

	for (unsigned i = 0; i < 3 && place < 0; i++)
		place = find_place(places, known_by[r->out][i]);
	return place;
}

static void place_packet(struct ladder *l, struct end_place *places, struct ladder_row *r)
{
	enum ladder_side other = r->side == SIDE_PASSIVE ? SIDE_ACTIVE : SIDE_PASSIVE;
	int here = lane_of(l, r->place, r->out ? r->side : other);
	int place = r->matched ? r->to : place_of_other_end(places, r);
	int there = place < 0 ? -1 : lane_of(l, (unsigned)place, r->out ? other : r->side);

	here = here < 0 ? outside_lane(l) : here;
	there = there < 0 || there == here ? outside_lane(l) : there;
	r->from = r->out ? here : there;
	r->to = r->out ? there : here;
	if (!r->matched)
		r->arrived = !r->lost;
}

static void place_packets(struct ladder *l)
{
	struct end_place *places = NULL, *end, *next;

	for (unsigned i = 0; i < l->n; i++)
		if (l->rows[i].kind == LADDER_PACKET)
			learn_places(&places, &l->rows[i]);
	for (unsigned i = 0; i < l->n; i++)
		if (l->rows[i].kind == LADDER_PACKET)
			place_packet(l, places, &l->rows[i]);
	HASH_ITER(hh, places, end, next)
	{
		HASH_DEL(places, end);
		free(end);
	}
}

static const char *end_word(const struct ladder *l, enum ladder_side side)
{
	bool by_hand = true;

	for (unsigned i = 0; i < l->n; i++)
		by_hand &= l->rows[i].place || !l->rows[i].by_cm;
	if (!side)
		return "this end";
	if (side == SIDE_ACTIVE)
		return by_hand ? "one end" : "client";
	return by_hand ? "the other end" : "server";
}

/* Is the name of row i that of an object of the other end later? Names of destroyed objects are
 * used again. */
static bool is_renamed(const struct ladder *l, unsigned i)
{
	const struct ladder_row *r = &l->rows[i];

	for (unsigned k = i + 1; k < l->n; k++) {
		const struct ladder_row *later = &l->rows[k];

		if (later->heads && later->place == r->place && later->side &&
		    later->side != r->side && strcmp(later->name, r->name) == 0)
			return true;
	}
	return false;
}

static bool is_in(const char *name, const char *const *names, unsigned n)
{
	while (n && strcmp(name, names[n - 1]) != 0)
		n--;
	return n;
}

/* Makes the label of a lane, "@b: id0 qp0": its end, and the first objects that its rows name. */
static void label_lane(struct ladder *l, unsigned lane)
{
	struct ladder_lane *it = &l->lanes[lane];
	const char *names[4];
	SCOPED_TEXT(label);
	unsigned n = 0;

	it->end = it->place >= l->nplaces ? "the other end"
		  : l->places[it->place]  ? l->places[it->place]
					  : end_word(l, it->side);
	text_add(&label, it->end);
	for (unsigned i = 0; i < l->n && n < sizeof names / sizeof *names; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (r->from != (int)lane || r->kind == LADDER_PACKET || !*r->name || !r->heads ||
		    (it->side && (r->side != it->side || is_renamed(l, i))) ||
		    is_in(r->name, names, n))
			continue;
		xappendf(&label, "%s%s", n ? " " : ": ", r->name);
		names[n++] = r->name;
	}
	it->label = xstrdup(text_str(&label));
}

/* --------------------------------------------------------------------------- whole -- */

static int compare_times(const void *a, const void *b)
{
	const struct ladder_row *x = a, *y = b;

	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void set_start(struct ladder *l)
{
	unsigned i = 0;

	while (i + 1 < l->n && l->rows[i].age == AGE_EARLIER)
		i++;
	l->start = l->n ? l->rows[i].when : 0;
}

#define FOLD_ROWS  4 /* most rows of a group that is repeated */
#define FOLD_TIMES 2 /* fewest repetitions of a group that are folded */

static bool is_same_row(const struct ladder_row *a, const struct ladder_row *b)
{
	char *x, *y;
	bool same;

	if (a->kind != b->kind || a->from != b->from || a->to != b->to || a->bad != b->bad ||
	    a->arrived != b->arrived || strcmp(a->name, b->name) != 0)
		return false;
	x = ladder_says(a);
	y = ladder_says(b);
	same = strcmp(x, y) == 0;
	free(x);
	free(y);
	return same;
}

/* How many rows, from row at on, are each the same as the row len before them. */
static unsigned repeated_rows(const struct ladder *l, unsigned at, unsigned len)
{
	unsigned n = 0;

	while (at + n < l->n && is_same_row(&l->rows[at + n], &l->rows[at + n - len]))
		n++;
	return n;
}

/* How often the group of len rows that begins with row at stands there, since its rows may stand
 * for several; *until: the time of the last one. */
static uint64_t times_of_group(const struct ladder *l, unsigned at, unsigned len, int64_t *until)
{
	uint64_t more = 0;

	for (unsigned i = at; i < at + len; i++) {
		const struct ladder_row *r = &l->rows[i];

		more = r->more > more ? r->more : more;
		*until = r->when > *until ? r->when : *until;
		*until = r->more_until > *until ? r->more_until : *until;
	}
	return 1 + more;
}

/* Says of the len rows that begin with row at that they come again. */
static void tell_again(struct ladder *l, unsigned at, unsigned len, uint64_t times, int64_t until)
{
	struct ladder_row *last = &l->rows[at + len - 1];

	last->again = times < UINT32_MAX ? (unsigned)times : UINT32_MAX;
	last->again_rows = len;
	last->again_until = until;
}

/* The rows from row at on that stand for several, and came in turns: a request and its answer. */
static unsigned rows_in_turns(const struct ladder *l, unsigned at)
{
	unsigned n = 0;

	while (n < FOLD_ROWS && at + n < l->n && l->rows[at + n].more &&
	       (!n || l->rows[at + n].when < l->rows[at].more_until))
		n++;
	return n;
}

/* Folds the rows from row at on that repeat the len rows before it. Returns how many those are. */
static unsigned fold_group(struct ladder *l, unsigned at, unsigned len)
{
	const unsigned groups = repeated_rows(l, at, len) / len;
	uint64_t times = 0;
	int64_t until = 0;

	if (l->rows[at - len].folded)
		return 0;
	for (unsigned i = at - len; i < at; i++)
		if (l->rows[i].more)
			return 0;
	for (unsigned i = 0; i < groups; i++)
		times += times_of_group(l, at + i * len, len, &until);
	if (times < FOLD_TIMES)
		return 0;
	tell_again(l, at - len, len, times, until);
	for (unsigned i = 0; i < groups * len; i++)
		l->rows[at + i].folded = true;
	return groups * len;
}

void ladder_fold(struct ladder *l)
{
	for (unsigned i = 1; i < l->n; i++) {
		unsigned folded = 0;

		for (unsigned len = 1; len <= FOLD_ROWS && len <= i && !folded; len++)
			folded = fold_group(l, i, len);
		i += folded ? folded - 1 : 0;
	}
	for (unsigned i = 0, n; i < l->n; i += n ? n : 1) {
		int64_t until = 0;
		uint64_t times;

		n = l->rows[i].folded ? 0 : rows_in_turns(l, i);
		times = times_of_group(l, i, n, &until);
		if (n)
			tell_again(l, i, n, times - 1, until);
	}
}

/* The number of rows before the last ones, of which `last` are not folded. */
static unsigned rows_before_last(const struct ladder *l, unsigned last)
{
	unsigned i = l->n;

	while (i && last)
		last -= !l->rows[--i].folded;
	return i;
}

void ladder_keep_last(struct ladder *l, unsigned last)
{
	unsigned drop = last ? rows_before_last(l, last) : 0;

	if (!l->n)
		return; /* l->rows may be NULL */
	l->left_out += drop;
	for (unsigned i = 0; i < drop; i++)
		ladder_free_row(&l->rows[i]);
	memmove(l->rows, l->rows + drop, (l->n - drop) * sizeof *l->rows);
	l->n -= drop;
	set_start(l);
}

void ladder_arrange(struct ladder *l)
{
	if (!l->n)
		return;
	qsort(l->rows, l->n, sizeof *l->rows, compare_times);
	match_packets(l);
	make_lanes(l);
	if (!l->nlanes)
		add_lane(l, 0, SIDE_NONE);
	place_packets(l);
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->kind == LADDER_PACKET)
			continue;
		r->from = lane_of(l, r->place, r->side);
		r->from = r->from < 0 ? 0 : r->from;
	}
	for (unsigned i = 0; i < l->nlanes; i++)
		label_lane(l, i);
	set_start(l);
}

void ladder_free(struct ladder *l)
{
	for (unsigned i = 0; i < l->n; i++)
		ladder_free_row(&l->rows[i]);
	for (unsigned i = 0; i < l->nlanes; i++)
		free(l->lanes[i].label);
	for (unsigned i = 0; i < l->nplaces; i++)
		free(l->places[i]);
	free(l->places);
	free(l->rows);
	free(l->remarks);
}

const char *ladder_end(const struct ladder *l, int lane)
{
	return lane < 0 ? "" : l->lanes[lane].end;
}

double ladder_ms(const struct ladder *l, const struct ladder_row *r)
{
	return (double)(r->when - l->start) / 1e6;
}

bool ladder_time(const struct ladder *l, const struct ladder_row *r, struct text *d)
{
	const double ms = ladder_ms(l, r);

	if (r->age == AGE_EARLIER) {
		text_add(d, "earlier");
		return false;
	}
	if (ms < 100000)
		xappendf(d, "%.3f", ms);
	else
		xappendf(d, "%.2f s", ms / 1000);
	return ms < 100000;
}
