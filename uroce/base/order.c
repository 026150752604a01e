// SPDX-License-Identifier: MIT
#include "order.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"
#include "random.h"
#include "timer.h"

#define PASS_NS 40000 /* a pass is made at least so often while something is held back */

_Atomic unsigned order_level;
struct uroce_order order_done;

static uint64_t state;
static TAILQ_HEAD(, order_wait) waits = TAILQ_HEAD_INITIALIZER(waits);

static void pass_again(struct timer *t)
{
	timer_set(t, engine_now() + PASS_NS);
}

/* Only so that somebody makes a pass. */
static struct timer passes = { .fn = pass_again };

/* Its own sequence, so that faults do not change it. */
uint32_t order_draw(uint32_t n)
{
	return (uint32_t)(random_next(&state) % n);
}

bool order_waiting(void)
{
	return !TAILQ_EMPTY(&waits);
}

void order_hold(struct order_wait *w, uint32_t n)
{
	if (order_waits(w))
		return;
	w->passes = n;
	TAILQ_INSERT_TAIL(&waits, w, entry);
	if (!timer_running(&passes))
		pass_again(&passes);
}

void order_drop(struct order_wait *w)
{
	if (!order_waits(w))
		return;
	w->passes = 0;
	TAILQ_REMOVE(&waits, w, entry);
	if (!order_waiting())
		timer_stop(&passes);
}

#define DUE UINT32_MAX /* passes of one whose time has come */

static struct order_wait *find_due(void)
{
	struct order_wait *w;

	TAILQ_FOREACH(w, &waits, entry)
		if (w->passes == DUE)
			break;
	return w;
}

/* Lets go what is due; it may hold others, or itself again, for later passes. */
static void let_go(void)
{
	struct order_wait *w;

	while ((w = find_due())) {
		order_drop(w);
		w->fn(w);
	}
}

void order_step(void)
{
	struct order_wait *w;

	TAILQ_FOREACH(w, &waits, entry)
		if (--w->passes == 0)
			w->passes = DUE;
	let_go();
}

/* ------------------------------------------------------------------ on and off -- */

int order_read(const char *text, uint64_t *seed, unsigned *level, char *why, size_t size)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 0);
	*level = strcmp(end, ",far") == 0 ? ORDER_FAR : ORDER_NEAR;
	if (isdigit((unsigned char)*text) && !errno && *seed && (!*end || *level == ORDER_FAR))
		return 0;
	snprintf(why, size, "'%.40s' is not a seed from 1 to 2^64-1, with or without \",far\"",
		 text);
	errno = EINVAL;
	return -1;
}

int order_set(uint64_t seed, unsigned level)
{
	struct order_wait *w;

	if (level > ORDER_FAR) {
		errno = EINVAL;
		return -1;
	}
	order_level = order_done.level = level;
	if (level) {
		order_done = (struct uroce_order){ .seed = seed, .level = level };
		state = seed;
		return 0;
	}
	while (order_waiting()) { /* what is let go holds nothing any more */
		TAILQ_FOREACH(w, &waits, entry)
			w->passes = DUE;
		let_go();
	}
	return 0;
}

void order_forget(void)
{
	struct order_wait *w;

	while ((w = TAILQ_FIRST(&waits))) {
		TAILQ_REMOVE(&waits, w, entry);
		w->passes = 0;
	}
	order_level = ORDER_OFF;
}
