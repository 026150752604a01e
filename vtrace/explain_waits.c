/* SPDX-License-Identifier: MIT */
/* Why a call of a traced program has not returned, and why an event says that something has failed.
 */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "causes_out.h"
#include "facts.h"
#include "out.h"
#include "recorded.h"
#include "refused_calls.h"
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

/* There is no way to the address of the id. false: the event is another one, or its address is not
 * known. */
static bool find_no_way(const struct live_program *p, const struct rdma_cm_event *e,
			struct causes *c)
{
	const struct live_object *id = live_object_at(p->seen, (uintptr_t)e->id);

	return id && e->event == RDMA_CM_EVENT_ADDR_ERROR &&
	       why_no_way((const struct sockaddr *)&id->to, -e->status, c);
}

static bool explain_cm_event(const struct live_program *p, const struct record *r,
			     const struct rdma_cm_event *e, struct out *o)
{
	const bool is_reject = e->event == RDMA_CM_EVENT_REJECTED && e->status > 0;
	const struct word *words = is_reject ? rej_words : errno_words;
	const struct fact *fact = fact_of(fact_family("cm-event"), e->event);
	struct causes c = { .no_commands = true };
	const char *event_name, *name = NULL, *means;

	const unsigned failures = 1u << RDMA_CM_EVENT_ADDR_ERROR | 1u << RDMA_CM_EVENT_ROUTE_ERROR |
				  1u << RDMA_CM_EVENT_CONNECT_ERROR |
				  1u << RDMA_CM_EVENT_UNREACHABLE | 1u << RDMA_CM_EVENT_REJECTED |
				  1u << RDMA_CM_EVENT_MULTICAST_ERROR;

	if (e->event > RDMA_CM_EVENT_TIMEWAIT_EXIT || !(failures & 1u << e->event))
		return false;
	event_name = word_name(cm_event_words, e->event);
	if (is_reject || e->status < 0)
		name = word_name(words, (uint64_t)abs(e->status));
	means = name ? word_help(words, (uint64_t)abs(e->status)) : NULL;
	out_str(o, "call", r->fn->name, "%s: ", r->fn->name);
	out_str(o, "event", event_name, "%s", event_name);
	out_int(o, "status", e->status, ", status %d", e->status);
	out_text(o, "%s%s\n", name ? " " : "", name ? name : "");
	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	if (is_reject)
		explain_traced_add_fact(fact_of(fact_family("rej"), (uint64_t)e->status), NULL, &c);
	else if (name && !find_no_way(p, e, &c))
		explain_traced_add_fact(fact, name, &c);
	if (!c.n)
		explain_traced_add_fact(fact, NULL, &c);
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
		explain_traced_add_fact(fact_of(fact_family("async"), e->event_type), NULL, &c);
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
