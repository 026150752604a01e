/* SPDX-License-Identifier: MIT */
/* The port and the device fail on purpose, by rules of the form event:PORT_ERR:after=1s
 * (common/fault_rule.h), whose time begins when the device is opened; addresses go or move at once.
 * The events are true: a port that is down carries nothing. */
#include <errno.h>
#include <string.h>

#include "context.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "rules.h"
#include "uroce.h"

/* Returns whether anything has changed: only then there is an event. */
static bool make_event_true(struct device *d, int event)
{
	const bool had_failed = d->failed, was_up = gid_port_is_up(d->number);

	if (event == IBV_EVENT_DEVICE_FATAL)
		device_fail(d);
	else
		gid_port_put_down(d->number, event == IBV_EVENT_PORT_ERR);
	return had_failed != d->failed || was_up != gid_port_is_up(d->number);
}

static bool is_open(const struct device *d)
{
	const struct context *c;

	TAILQ_FOREACH(c, &contexts, open)
		if (c->v.context.device == &d->v)
			return true;
	return false;
}

/* Of the device that the rule names, or of each. */
static void make_events_true(struct fault_rule *r)
{
	for (struct device *d = devices; d < devices + device_count(); d++)
		if ((!*r->device || strcmp(r->device, d->v.name) == 0) &&
		    make_event_true(d, r->event) && is_open(d))
			atomic_store(&r->untold[d->number], &d->v);
}

static void do_due(struct timer *t);
static struct timer due_timer = { .fn = do_due };

/* The event that comes first, of those that have not happened; NULL: there is none. */
static struct fault_rule *next_event(uint64_t now)
{
	unsigned n;
	struct fault_rule *rules = rules_all(&n), *next = NULL;

	for (struct fault_rule *r = rules; r < rules + n; r++) {
		if (r->what != FAULT_EVENT || r->matched)
			continue;
		if (!r->due)
			r->due = now + r->delay_ns;
		if (!next || r->due < next->due)
			next = r;
	}
	return next;
}

/* Does what is due, and sets the timer to what is next. */
static void do_due(struct timer *t)
{
	const uint64_t now = engine_now();
	struct fault_rule *r;

	while ((r = next_event(now)) && r->due <= now) {
		fault_rule_hits(r);
		make_events_true(r);
	}
	if (r)
		timer_set(t, r->due);
}

void on_purpose_begin(void)
{
	if (!rules_are_there(FAULT_EVENT) || TAILQ_EMPTY(&contexts))
		return;
	do_due(&due_timer);
	engine_flush();
}

EXPORT void uroce_rules_set(struct fault_rule *given, unsigned n)
{
	SCOPED_ENGINE_LOCK();
	rules_set(given, n);
	on_purpose_begin();
}

EXPORT int uroce_gid_hide(struct ibv_context *context, unsigned index)
{
	SCOPED_ENGINE_LOCK();
	return index < GID_ENTRIES && gid_hide(gid_position(context_device(context), index))
		       ? 0
		       : fail(ENODATA);
}

EXPORT int uroce_gid_move(struct ibv_context *context, unsigned from, unsigned to)
{
	const unsigned device = context_device(context);

	SCOPED_ENGINE_LOCK();
	return from < GID_ENTRIES && to < GID_ENTRIES &&
			       gid_move(gid_position(device, from), gid_position(device, to))
		       ? 0
		       : fail(ENODATA);
}

EXPORT void uroce_gid_restore(void)
{
	SCOPED_ENGINE_LOCK();
	gid_restore();
}
