/* SPDX-License-Identifier: MIT */
/* Why a call or a request of a traced program has failed, or has not returned. */
#include "views.h"

#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text.h"
#include "call_record.h"
#include "fault_rule.h"
#include "wr_faults.h"
#include "causes_out.h"
#include "facts.h"
#include "out.h"
#include "host_gid.h"
#include "refused_calls.h"
#include "qp_rules.h"
#include "recorded.h"
#include "words.h"
#include "spec_tables.h"

/* --------------------------------------------------------------------- completions -- */

void explain_traced_completion(const struct live_program *p, const struct seen_wc *wc,
			       const struct live_end *there, struct out *o)
{
	const struct posted_wr *posted = &wc->posted;
	const struct seen_object *window;
	struct failed_wr wr = {
		.is_foreign = true,
		.status = wc->wc.status,
		.wr_id = wc->wc.wr_id,
		.rule = fault_rule_of_vendor_err(wc->wc.vendor_err),
		.known = wc->known,
		.is_either = wc->is_either,
		.here = live_program_end(p, wc->qp),
		.there = *there,
	};

	if (wc->qp)
		snprintf(wr.qp, sizeof wr.qp, "%s", wc->qp->v.name);
	if (wc->known) {
		wr.op = posted->op;
		wr.recv = posted->op == &wr_ops[WR_RECV];
		wr.is_inline = posted->is_inline;
		wr.remote = posted->remote;
		wr.rkey = posted->rkey;
		wr.len = posted->len;
		wr.nsge = posted->nsge;
		memcpy(wr.sge, posted->sge, posted->nsge * sizeof *wr.sge);
		wr.bind = posted->bind;
		window = seen_object_at(p->seen, posted->bind.mw);
		wr.bind.mw_rkey = window ? window->rkey : 0;
		for (unsigned i = 0; i < p->regions.n; i++)
			if (posted->bind.mr == p->regions.at[i])
				wr.bound = &p->regions.v[i];
	}
	explain_wc(&wr, o);
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

/* A failed call, and what the search for its causes uses. */
struct failed_call {
	const struct live_program *p;
	const struct record *r;
	const struct seen_qp
		*queue; /* its first argument, a QP or an SRQ; NULL: none that is known */
	struct causes *c;
};

/* NULL: not known. */
static const struct ibv_port_attr *port_of(const struct seen_limits *seen, unsigned number)
{
	return number && number <= LIVE_PORTS && seen->port[number - 1].state
		       ? &seen->port[number - 1]
		       : NULL;
}

/* Attributes of a change that the device or its port do not allow. */
static void find_limits_passed(const struct failed_call *f, const struct ibv_qp_attr *a,
			       unsigned mask)
{
	const struct seen_limits *seen = &f->p->limits;
	const unsigned number = mask & IBV_QP_PORT ? a->port_num : f->queue->v.attr.port_num;
	struct qp_limits limits = { .name = "the device",
				    .device = &seen->device,
				    .port = port_of(seen, number) };

	if (mask & IBV_QP_AV)
		limits.source = live_program_gid(f->p, a->ah_attr.port_num,
						 a->ah_attr.grh.sgid_index);
	if (seen->device.max_qp)
		qp_check_limits(&limits, a, mask, f->c);
}

/* Mistakes of a path that only the errno shows. */
static void find_errno_of_path(const struct failed_call *f, const struct ibv_ah_attr *av)
{
	if (f->r->err == ENODATA && av->is_global)
		cause_add(f->c, IS_SO, NULL, "AV: sgid_index %u is empty in the table of port %u",
			  av->grh.sgid_index, av->port_num);
	else if (f->r->err == ENETUNREACH)
		cause_add(f->c, IS_SO, NULL, "AV: this host has no route to dgid %s",
			  why_gid(&av->grh.dgid));
	else if (f->r->err == ETIMEDOUT || f->r->err == EHOSTUNREACH)
		cause_add(f->c, MAY_BE, NULL,
			  "AV: nobody answers at dgid %s: it is down, or not on this network",
			  why_gid(&av->grh.dgid));
}

static void find_path_causes(const struct failed_call *f)
{
	const struct ibv_ah_attr *av = (const void *)(uintptr_t)f->r->args[1];
	const struct seen_limits *seen = &f->p->limits;
	struct qp_limits limits = { .name = "the device", .device = &seen->device };

	if (!av)
		return;
	limits.port = port_of(seen, av->port_num);
	limits.source = live_program_gid(f->p, av->port_num, av->grh.sgid_index);
	if (f->r->err == EINVAL && seen->device.max_qp)
		qp_check_path(&limits, av, f->c);
	find_errno_of_path(f, av);
}

static void find_modify_causes(const struct failed_call *f)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)f->r->args[1];
	const struct seen_qp *qp = f->queue;
	unsigned mask = (unsigned)f->r->args[2];
	enum ibv_qp_state from = qp->v.state, to = from;
	struct qp_verdict v;

	if (!a)
		return;
	if (mask & IBV_QP_CUR_STATE)
		from = a->cur_qp_state;
	if (mask & IBV_QP_STATE)
		to = a->qp_state;
	v = qp_judge(qp->v.type, from, to, mask);
	if (v.answer == QP_OK && f->r->err == EINVAL)
		find_limits_passed(f, a, mask);
	if (v.answer == QP_OK && mask & IBV_QP_AV)
		find_errno_of_path(f, &a->ah_attr);
	if (v.answer == QP_OK && !f->c->n)
		v.extra = v.refused; /* then the kernel has refused it */
	qp_change_reasons(&v, qp->v.type, from, to, f->c);
}

/* Looks at the request of the chain that was refused: the first one that was not accepted. */
static void find_send_causes(const struct failed_call *f)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)f->r->args[1];
	const struct seen_qp *qp = f->queue;
	struct wr_judged j = {
		.queue = qp->v.name,
		.max_sge = qp->v.cap.max_send_sge,
		.qp_type = qp->v.type,
		.state = qp->v.state,
		.max_inline = qp->v.cap.max_inline_data,
		.room = qp->v.cap.max_send_wr,
		.used = live_program_outstanding(f->p, qp, false),
	};
	enum wr_fault fault;
	char text[160];

	for (unsigned n = record_accepted(f->r); wr && n; n--)
		wr = wr->next;
	j.op = wr ? wr_op_find(wr->opcode) : NULL;
	if (wr && !j.op)
		cause_add(f->c, IS_SO, NULL,
			  "opcode %d is none of a send request (enum ibv_wr_opcode)",
			  (int)wr->opcode);
	if (!j.op)
		return;
	j.num_sge = wr->num_sge;
	j.flags = wr->send_flags;
	j.remote_addr = wr->wr.atomic.remote_addr;
	for (int i = 0; wr->sg_list && i < wr->num_sge; i++)
		j.bytes += wr->sg_list[i].length;
	fault = wr_fault_find(&j, text, sizeof text);
	if (!fault)
		return;
	cause_add(f->c, IS_SO, NULL, "%s %s: %s", j.op->name, "is refused", text);
	if (fault == WR_QUEUE_FULL && !live_program_signaled(f->p, qp))
		cause_add(
			f->c, IS_SO, NULL,
			"none of them is signaled (IBV_SEND_SIGNALED, sq_sig_all): most cards make "
			"room only when a later one that is signaled completes; rxe0 and uroce0 "
			"when the peer has acknowledged");
}

static void find_recv_causes(const struct failed_call *f)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)f->r->args[1];
	const struct seen_qp *queue = f->queue;
	struct wr_judged j = {
		.op = &wr_ops[WR_RECV],
		.queue = queue->v.name,
		.max_sge = queue->v.cap.max_recv_sge,
		.qp_type = queue->v.number ? queue->v.type : 0,
		.state = queue->v.state,
		.srq = *queue->v.srq ? queue->v.srq : NULL,
		.room = queue->v.cap.max_recv_wr,
		.is_resized = queue->is_resized,
		.used = live_program_outstanding(f->p, queue, true),
	};
	char text[160];

	for (unsigned n = record_accepted(f->r); wr && n; n--)
		wr = wr->next;
	if (!wr)
		return;
	j.num_sge = wr->num_sge;
	if (wr_fault_find(&j, text, sizeof text))
		cause_add(f->c, IS_SO, NULL, "RECV is refused: %s", text);
}

static void find_bind_causes(const struct failed_call *f)
{
	const struct sockaddr *sa = (const void *)(uintptr_t)f->r->args[1];
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (!sa || f->r->err != EADDRNOTAVAIL)
		return;
	if (sa->sa_family == AF_INET)
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	else
		memcpy(&gid, &((const struct sockaddr_in6 *)sa)->sin6_addr, sizeof gid);
	if (!is_gid_of_host(&gid))
		cause_add(f->c, IS_SO, NULL, "%s is no address of this host", why_gid(&gid));
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

/* The rules for each call. */
static const struct {
	enum call_row row;
	bool is_of_queue; /* which has to be known */
	void (*find)(const struct failed_call *f);
} finders[] = {
	{ ROW_ibv_modify_qp, true, find_modify_causes },
	{ ROW_ibv_post_send, true, find_send_causes },
	{ ROW_ibv_post_recv, true, find_recv_causes },
	{ ROW_ibv_post_srq_recv, true, find_recv_causes },
	{ ROW_ibv_create_ah, false, find_path_causes },
	{ ROW_rdma_bind_addr, false, find_bind_causes },
};

/* Causes that the call's own objects show. */
static void find_causes(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct failed_call f = { p, r, r->nargs ? live_program_queue(p, r->args[0]) : NULL,
				       c };
	const struct refused_call refused = { p, r, c };

	if (is_no_device(r)) {
		c->no_commands = false; /* this one is of the user's shell */
		cause_add(c, IS_SO, "uroce vtrace PROGRAM: on rdmash's own device",
			  "the kernel has no RDMA device, or no support for RDMA");
	}
	why_call_refused(&refused);
	for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
		if (finders[i].row == record_call_row(r) && (f.queue || !finders[i].is_of_queue))
			finders[i].find(&f);
}

void add_fact_causes(const struct fact *fact, const char *name, struct causes *c)
{
	for (const struct fact_cause *of = fact ? fact->causes : NULL; of && of->text; of++)
		if (name ? of->of && fact_cause_is_of(of, name) : !of->of)
			cause_add(c, MAY_BE, NULL, "%s", of->text);
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
	add_fact_causes(fact_of(errnos, err), r->fn->name, &c);
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
