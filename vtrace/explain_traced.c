/* SPDX-License-Identifier: MIT */
/* Why a call or a request of a traced program has failed, or has not returned. */
#include "views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "fault_rule.h"
#include "causes_out.h"
#include "facts.h"
#include "injections.h"
#include "out.h"
#include "refused_calls.h"
#include "recorded.h"
#include "words.h"

/* --------------------------------------------------------------------- completions -- */

void explain_traced_completion(const struct live_program *p, const struct live_wc *wc,
			       const struct live_end *there, struct out *o)
{
	const char *down = injections_port_down();
	struct failed_wr wr = {
		.is_foreign = true,
		.status = wc->wc.status,
		.wr_id = wc->wc.wr_id,
		.rule = fault_rule_of_vendor_err(wc->wc.vendor_err),
		.is_either = wc->is_either,
		.here = live_program_end(p, wc->qp),
		.there = *there,
	};

	wr.port_is_down = down;
	if (down)
		snprintf(wr.faults, sizeof wr.faults, "--inject %s", down);
	if (wc->qp)
		snprintf(wr.qp, sizeof wr.qp, "%s", wc->qp->v.name);
	if (wc->known)
		why_take_posted(&wr, &wc->posted, p);
	causes_out_wc(&wr, o);
}

/* --------------------------------------------------------------------------- calls -- */

/* "ibv_post_send: ENOMEM  Cannot allocate memory" */
static void out_failed_call(const struct record *r, struct out *o)
{
	const char *name = strerrorname_np(r->err);

	if (record_call_row(r) == ROW_rdma_getaddrinfo) { /* its result is no errno */
		name = why_lookup_error((int)r->result);
		out_str(o, "call", r->fn->name, "%s: ", r->fn->name);
		out_str(o, "error", name, "%s\n", name);
		return;
	}

	out_str(o, "call", r->fn->name, "%s: ", r->fn->name);
	out_str(o, "errno", name ? name : "?", "%s", name ? name : "?");
	out_text(o, "  %s\n", strerror(r->err));
}

/* Has the call failed because the kernel has no RDMA device? */
static bool is_no_device(const struct record *r)
{
	switch (record_call_row(r)) {
	case ROW_ibv_get_device_list:
		return r->err == ENOSYS;
	case ROW_rdma_create_event_channel:
	case ROW_rdma_get_devices:
		return r->err == ENODEV || r->err == ENOENT;
	default:
		return false;
	}
}

/* Causes that the call's own objects show. */
static void find_causes(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct refused_call refused = { p, r, c };

	if (is_no_device(r)) {
		c->no_commands = false; /* this one is of the user's shell */
		cause_add(c, IS_SO, "uroce vtrace PROGRAM: on rdmash's own device",
			  "the kernel has no RDMA device, or no support for RDMA");
		c->no_commands = true;
	}
	why_call_refused(&refused);
}

/* The meaning of the errno, and its causes for the function. */
static void out_usual_causes(const struct record *r, struct out *o)
{
	const struct fact_family *errnos = fact_family("errno");
	const uint64_t err = (uint64_t)r->err;
	const char *means = word_help(errnos->words, err);
	struct causes c = { .no_commands = true };

	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	causes_add_fact(&c, fact_of(errnos, err), r->fn->name, NULL);
	if (c.n)
		causes_out(&c, o);
}

bool explain_traced_call(const struct live_program *p, const struct record *r, struct out *o)
{
	struct causes c = { .no_commands = true };
	const bool is_unsupported = r->err == EOPNOTSUPP || r->err == ENOSYS;

	if (!r->err || r->depth || record_found_nothing(r) ||
	    (r->fn->waits && (r->err == EAGAIN || r->err == EINTR)) || record_is_empty_poll(r))
		return false;
	find_causes(p, r, &c);
	if ((r->fn->asks || is_unsupported) && !c.n) /* that there is no answer is one */
		return false;
	out_failed_call(r, o);
	if (c.n)
		causes_out(&c, o);
	else
		out_usual_causes(r, o);
	return true;
}
