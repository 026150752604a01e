// SPDX-License-Identifier: MIT
#include "timer.h"

#include <stddef.h>

static struct timer *root;
static uint64_t last_number;

static bool is_before(const struct timer *a, const struct timer *b)
{
	return a->when < b->when || (a->when == b->when && a->number < b->number);
}

/* Puts one of two heaps below the other. Both roots have no next. */
static struct timer *meld(struct timer *a, struct timer *b)
{
	struct timer *above = is_before(a, b) ? a : b, *below = above == a ? b : a;

	below->next = above->below;
	if (below->next)
		below->next->from = &below->next;
	below->from = &above->below;
	above->below = below;
	return above;
}

static void add_heap(struct timer *t)
{
	root = root ? meld(root, t) : t;
	root->from = &root;
}

/* Makes one heap of a list of them: two and two, then one after the other. */
static void add_list(struct timer *list)
{
	struct timer *pairs = NULL, *t;

	while ((t = list)) {
		struct timer *second = t->next;

		list = second ? second->next : NULL;
		t->next = NULL;
		if (second) {
			second->next = NULL;
			t = meld(t, second);
		}
		t->next = pairs;
		pairs = t;
	}
	while ((t = pairs)) {
		pairs = t->next;
		t->next = NULL;
		add_heap(t);
	}
}

void timer_set(struct timer *t, uint64_t when)
{
	timer_stop(t);
	t->when = when;
	t->running = true;
	t->number = ++last_number;
	t->below = t->next = NULL;
	add_heap(t);
}

void timer_stop(struct timer *t)
{
	if (!t->running)
		return;
	t->running = false;
	*t->from = t->next;
	if (t->next)
		t->next->from = t->from;
	add_list(t->below);
}

uint64_t timer_next(void)
{
	return root ? root->when : UINT64_MAX;
}

void timer_run(uint64_t now)
{
	const uint64_t last = last_number;
	struct timer *t;

	while ((t = root) && t->when <= now && t->number <= last) {
		timer_stop(t);
		t->fn(t);
	}
}

void timer_forget(void)
{
	while (root)
		timer_stop(root);
}
