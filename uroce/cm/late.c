// SPDX-License-Identifier: MIT
/*
 * Requests that find nobody wait a moment for a listener before they are refused. Programs
 * close a listener and open it anew (perftest between its two connections) while their peer
 * is on its way to it; the kernel is slow enough for that not to be seen.
 */
#include <string.h>

#include "conn.h"
#include "engine.h"

#define HELD	32
#define STEP_NS 10000000ull
#define STEPS	10

static struct held {
	unsigned steps; /* left; 0: a free entry */
	bool again;	/* it found nobody once more */
	struct mad_from from;
	struct mad m;
} held[HELD];

static struct timer timer;
static bool prepared; /* it has its place on the heap */
static bool last;     /* who finds nobody now has waited long enough */

static struct held *find(const struct mad_from *from, const struct mad *m)
{
	for (unsigned i = 0; i < HELD; i++) {
		struct held *h = &held[i];

		if (h->steps && h->m.attr == m->attr && h->m.local_id == m->local_id &&
		    memcmp(&h->from.src, &from->src, sizeof(from->src)) == 0)
			return h;
	}
	return NULL;
}

static struct held *free_entry(void)
{
	for (unsigned i = 0; i < HELD; i++)
		if (!held[i].steps)
			return &held[i];
	return NULL;
}

/* Another try: a process may hold the name by now, or this one listen. */
static void step(struct timer *t)
{
	bool more = false;

	for (unsigned i = 0; i < HELD; i++) {
		struct held *h = &held[i];
		struct mad_from from = h->from;
		struct mad m = h->m;

		if (!h->steps)
			continue;
		h->again = false;
		last = --h->steps == 0;
		request_route(&from, &m);
		last = false;
		if (!h->again)
			h->steps = 0;
		more = more || h->steps;
	}
	if (more) {
		timer_set(t, engine_now() + STEP_NS);
	} else {
		timer_reserve(-1);
		prepared = false;
	}
}

bool late_hold(const struct mad_from *from, const struct mad *m)
{
	struct held *h;

	if (last)
		return false;
	h = find(from, m);
	if (h) {
		h->again = true;
		return true;
	}
	h = free_entry();
	if (!h)
		return false;
	if (!prepared) {
		if (timer_reserve(1) < 0)
			return false;
		timer.fn = step;
		prepared = true;
	}
	*h = (struct held){ .steps = STEPS, .from = *from, .m = *m };
	if (!timer_running(&timer))
		timer_set(&timer, engine_now() + STEP_NS);
	return true;
}

void late_forget(void)
{
	memset(held, 0, sizeof(held));
	memset(&timer, 0, sizeof(timer));
	prepared = false;
}
