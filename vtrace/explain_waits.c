/* SPDX-License-Identifier: MIT */
/* Why a call of a traced program has not returned, and why an event says that something has failed.
 */
#include "call_record.h"
#include "causes_out.h"
#include "event_rules.h"
#include "facts.h"
#include "out.h"
#include "recorded.h"
#include "views.h"
#include "waits.h"
#include "words.h"

/* ------------------------------------------------------------ calls that hang -- */

bool explain_traced_unfinished(const struct live_program *p, const struct record *r, struct out *o)
{
	struct causes c = { .no_commands = true };

	why_call_waits(p, r, &c);
	if (!c.n)
		return false;
	out_str(o, "call", r->fn->name, "%s", r->fn->name);
	out_text(o, " has not returned\n");
	causes_out(&c, o);
	return true;
}

/* ---------------------------------------------------------------------------- events -- */

static bool explain_cm_event(const struct live_program *p, const struct record *r,
			     const struct rdma_cm_event *e, struct out *o)
{
	const struct live_object *id = live_object_at(p->seen, (uintptr_t)e->id);
	const struct failed_event event = { .event = e->event,
					    .status = e->status,
					    .to = id ? (const struct sockaddr *)&id->to : NULL };
	const char *name = word_name(cm_event_words, e->event);
	const char *means = why_event_meaning(&event);
	struct causes c = { .no_commands = true };

	if (!why_event_fails(&event))
		return false;
	out_str(o, "call", r->fn->name, "%s: ", r->fn->name);
	out_str(o, "event", name, "%s", name);
	out_int(o, "status", e->status, ", status %s\n", why_event_status(&event));
	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	why_event_failed(&event, &c);
	causes_out(&c, o);
	return true;
}

/* Completions that did not fit into a CQ. */
static void find_overrun(const struct live_program *p, uint64_t cq, const char *name,
			 struct causes *c)
{
	const struct live_object *seen = live_object_at(p->seen, cq);
	const unsigned due = live_program_due(p, cq);

	if (seen && seen->entries)
		cause_add(c, IS_SO, NULL,
			  "%s was %s cqe %d, and %u requests that complete into it are "
			  "outstanding",
			  name, seen->is_resized ? "resized to" : "made with", seen->entries, due);
}

static void find_fatal(const struct live_tracked_qp *qp, struct causes *c)
{
	if (qp && *qp->v.overrun)
		cause_add(c, IS_SO, NULL, "%s of %s has overrun", qp->v.overrun, qp->v.name);
}

static bool explain_async_event(const struct live_program *p, const struct record *r,
				const struct ibv_async_event *e, struct out *o)
{
	const unsigned failures = 1u << IBV_EVENT_CQ_ERR | 1u << IBV_EVENT_QP_FATAL |
				  1u << IBV_EVENT_QP_REQ_ERR | 1u << IBV_EVENT_QP_ACCESS_ERR |
				  1u << IBV_EVENT_DEVICE_FATAL | 1u << IBV_EVENT_SRQ_ERR |
				  1u << IBV_EVENT_PATH_MIG_ERR;
	const char *event_name = word_name(async_words, e->event_type), *name, *means;
	struct causes c = { .no_commands = true };

	if (e->event_type > IBV_EVENT_WQ_FATAL || !(failures & 1u << e->event_type))
		return false;
	name = e->event_type == IBV_EVENT_DEVICE_FATAL
		       ? ""
		       : live_program_name(p, (uintptr_t)e->element.qp, r->end);
	means = word_help(async_words, e->event_type);
	out_str(o, "call", r->fn->name, "%s: ", r->fn->name);
	out_str(o, "event", event_name, "%s", event_name);
	out_str(o, "object", name, "%s%s\n", *name ? " of " : "", name);
	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	if (e->event_type == IBV_EVENT_CQ_ERR)
		find_overrun(p, (uintptr_t)e->element.cq, name, &c);
	if (e->event_type == IBV_EVENT_QP_FATAL)
		find_fatal(live_program_qp(p, (uintptr_t)e->element.qp), &c);
	if (!c.n)
		causes_add_fact(&c, fact_of(fact_family("async"), e->event_type), NULL, NULL);
	causes_out(&c, o);
	return true;
}

bool explain_traced_event(const struct live_program *p, const struct record *r, struct out *o)
{
	const struct ibv_async_event *async = record_async_event(r);
	const struct rdma_cm_event *cm = record_cm_event(r);

	if (r->depth)
		return false;
	return (cm && explain_cm_event(p, r, cm, o)) ||
	       (async && explain_async_event(p, r, async, o));
}
