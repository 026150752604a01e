/* SPDX-License-Identifier: MIT */
/* Why a call or a request of a traced program has failed, or has not returned. */
#include "views.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call_record.h"
#include "data/post.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "output/out.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "words.h"
#include "spec_tables.h"

/* --------------------------------------------------------------------- completions -- */

void explain_traced_completion(const struct live_program *p, const struct seen_wc *wc,
			       const struct live_end *there, struct out *o)
{
	const struct posted_wr *posted = &wc->posted;
	struct failed_wr wr = {
		.is_foreign = true,
		.status = wc->wc.status,
		.wr_id = wc->wc.wr_id,
		.known = wc->known,
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
	}
	explain_wc(&wr, o);
}

/* --------------------------------------------------------------------------- calls -- */

/* "ibv_post_send: ENOMEM  Cannot allocate memory" */
static void out_failed_call(const struct record *r, struct out *o)
{
	const char *name = strerrorname_np(r->err);

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

/* Attributes of a change that the device or its port do not allow. */
static void find_limits_passed(const struct failed_call *f, const struct ibv_qp_attr *a,
			       unsigned mask)
{
	const struct seen_limits *seen = &f->p->limits;
	const unsigned number = mask & IBV_QP_PORT ? a->port_num : f->queue->v.attr.port_num;
	struct qp_limits limits = { .name = "the device", .device = &seen->device };

	if (number && number <= LIVE_PORTS && seen->port[number - 1].state)
		limits.port = &seen->port[number - 1];
	if (seen->device.max_qp)
		qp_check_limits(&limits, a, mask, f->c);
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
	if (fault == WR_QUEUE_FULL && !live_program_has_signaled(f->p, qp))
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

/* Capabilities of a new QP that the device does not have. */
static void find_create_causes(const struct failed_call *f)
{
	const struct ibv_qp_init_attr *init = (const void *)(uintptr_t)record_arg(f->r,
										  "qp_init_attr");
	const struct ibv_device_attr *device = &f->p->limits.device;

	if (!init)
		return;
	if (device->max_qp)
		qp_check_cap(&init->cap, device, f->c);
	if (row_of(f->r) == ROW_ibv_create_qp && init->qp_type <= IBV_QPT_UD &&
	    (!init->send_cq || !init->recv_cq))
		cause_add(f->c, IS_SO, NULL, "%s is NULL", init->send_cq ? "recv_cq" : "send_cq");
	if (!f->c->n && init->cap.max_inline_data) /* without the value: programs try several */
		cause_add(f->c, MAY_BE, NULL,
			  "max_inline_data: no attribute of the device says how much is possible");
}

/* Adds a cause if the value called name is more than the limit, which is 0 where it is not known.
 */
static void compare_limit(struct causes *c, const char *name, uint32_t value, int limit,
			  const char *limit_name)
{
	if (limit > 0 && value > (uint32_t)limit)
		cause_add(c, IS_SO, NULL, "%s %u is more than the device's limit %d (%s)", name,
			  value, limit, limit_name);
}

static void find_srq_causes(const struct failed_call *f)
{
	const struct ibv_srq_init_attr *init = (const void *)(uintptr_t)f->r->args[1];
	const struct ibv_device_attr *device = &f->p->limits.device;

	if (!init)
		return;
	compare_limit(f->c, "max_wr", init->attr.max_wr, device->max_srq_wr, "max_srq_wr");
	compare_limit(f->c, "max_sge", init->attr.max_sge, device->max_srq_sge, "max_srq_sge");
	if (!init->attr.max_wr)
		cause_add(f->c, IS_SO, NULL, "max_wr is 0: an SRQ has room for at least 1 request");
}

static void find_modify_srq_causes(const struct failed_call *f)
{
	const struct ibv_srq_attr *a = (const void *)(uintptr_t)f->r->args[1];
	const unsigned mask = (unsigned)f->r->args[2];
	const struct seen_qp *srq = f->queue;

	if (!a)
		return;
	if (mask & IBV_SRQ_LIMIT && srq->v.cap.max_recv_wr && a->srq_limit > srq->v.cap.max_recv_wr)
		cause_add(f->c, IS_SO, NULL,
			  "srq_limit is %u, and %s has room for %u requests (max_wr)", a->srq_limit,
			  srq->v.name, srq->v.cap.max_recv_wr);
	if (mask & IBV_SRQ_MAX_WR)
		compare_limit(f->c, "max_wr", a->max_wr, f->p->limits.device.max_srq_wr,
			      "max_srq_wr");
}

static void find_cq_causes(const struct failed_call *f)
{
	const int cqe = (int)record_arg(f->r, "cqe");

	if (cqe <= 0)
		cause_add(f->c, IS_SO, NULL, "cqe is %d: a CQ has at least 1 entry", cqe);
	else
		compare_limit(f->c, "cqe", (uint32_t)cqe, f->p->limits.device.max_cqe, "max_cqe");
}

static void find_region_causes(const struct failed_call *f)
{
	const unsigned remote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned access = (unsigned)record_arg(f->r, "access");

	if (!record_arg(f->r, "length"))
		cause_add(f->c, IS_SO, NULL, "length is 0");
	if (access & remote && !(access & IBV_ACCESS_LOCAL_WRITE))
		cause_add(f->c, IS_SO, NULL, "access has %s without LOCAL_WRITE",
			  word_flags(mr_access_words, access & remote));
}

static void find_gid_causes(const struct failed_call *f)
{
	const unsigned number = (unsigned)record_arg(f->r, "port_num");
	const int index = (int)record_arg(f->r, "index");
	const struct seen_limits *limits = &f->p->limits;
	const struct ibv_port_attr *port;

	if (!limits->device.max_qp)
		return;
	if (!number || number > limits->device.phys_port_cnt) {
		cause_add(f->c, IS_SO, NULL,
			  "port_num is %u: the device has %u port%s, counted from 1", number,
			  limits->device.phys_port_cnt,
			  limits->device.phys_port_cnt == 1 ? "" : "s");
		return;
	}
	if (number > LIVE_PORTS)
		return;
	port = &limits->port[number - 1];
	/* a program may read the table until there is no further entry */
	if (port->gid_tbl_len && (index < 0 || index > port->gid_tbl_len))
		cause_add(
			f->c, IS_SO, NULL,
			"index is %d: the table of port %u has the entries 0 to %d (gid_tbl_len %d)",
			index, number, port->gid_tbl_len - 1, port->gid_tbl_len);
}

struct user_names {
	const struct live_program *p;
	uint64_t when;
	unsigned n;
	Tcl_DString text;
};

/* Only the first ones are named. An object whose end was within librdmacm is not there any more. */
static void add_user_name(void *arg, const struct seen_object *user)
{
	const unsigned most = 8;
	struct user_names *names = arg;
	const char *name = live_program_name(names->p, user->address, names->when);

	if (*name && names->n++ < most)
		xappendf(&names->text, "%s%s", names->n > 1 ? ", " : "", name);
	else if (*name && names->n == most + 1)
		xappendf(&names->text, " and others");
}

/* What still uses an object that the program wants to destroy. */
static void find_users(const struct failed_call *f)
{
	const uint64_t object = f->r->args[0];
	struct user_names names = { .p = f->p, .when = f->r->end };

	Tcl_DStringInit(&names.text);
	seen_objects_users(f->p->seen, object, add_user_name, &names);
	if (names.n)
		cause_add(f->c, IS_SO, NULL, "%s is still used by %s: destroy what uses it first",
			  live_program_name(f->p, object, f->r->end),
			  Tcl_DStringValue(&names.text));
	Tcl_DStringFree(&names.text);
}

/* Has the call failed because the kernel has no RDMA device? */
static bool is_no_device(const struct record *r)
{
	switch (row_of(r)) {
	case ROW_ibv_get_device_list:
		return r->err == ENOSYS;
	case ROW_rdma_create_event_channel:
	case ROW_rdma_get_devices:
		return r->err == ENODEV || r->err == ENOENT;
	default:
		return false;
	}
}

/* Who looks for the causes of a call: in its queue, where that is known, or in its arguments. */
static const struct {
	enum call_row row;
	bool is_of_queue;
	void (*find)(const struct failed_call *f);
} finders[] = {
	{ ROW_ibv_modify_qp, true, find_modify_causes },
	{ ROW_ibv_post_send, true, find_send_causes },
	{ ROW_ibv_post_recv, true, find_recv_causes },
	{ ROW_ibv_post_srq_recv, true, find_recv_causes },
	{ ROW_ibv_modify_srq, true, find_modify_srq_causes },
	{ ROW_ibv_create_qp, false, find_create_causes },
	{ ROW_rdma_create_qp, false, find_create_causes },
	{ ROW_ibv_create_cq, false, find_cq_causes },
	{ ROW_ibv_create_srq, false, find_srq_causes },
	{ ROW_ibv_reg_mr, false, find_region_causes },
	{ ROW_ibv_reg_mr_iova, false, find_region_causes },
	{ ROW_ibv_reg_mr_iova2, false, find_region_causes },
	{ ROW_ibv_query_gid, false, find_gid_causes },
};

/* Causes that the call's own objects show. */
static void find_causes(const struct live_program *p, const struct record *r, struct causes *c)
{
	const struct failed_call f = { p, r, r->nargs ? live_program_queue(p, r->args[0]) : NULL,
				       c };
	const bool is_of_arguments = r->err == EINVAL || r->fn->asks;

	if (r->err == EBUSY && r->nargs && r->fn->args[0].role == CALL_GONE)
		find_users(&f);
	if (is_no_device(r)) {
		c->no_commands = false; /* this one is of the user's shell */
		cause_add(c, IS_SO, "uroce vtrace PROGRAM: on rdmash's own device",
			  "the kernel has no RDMA device, or no support for RDMA");
	}
	for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
		if (finders[i].row == row_of(r) &&
		    (finders[i].is_of_queue ? f.queue != NULL : is_of_arguments))
			finders[i].find(&f);
}

/* Adds the causes that a fact lists for the function or errno of that name; NULL: those that are
 * not limited to one. The fact may be NULL. */
static void add_causes(const struct fact *fact, const char *name, struct causes *c)
{
	for (const struct fact_cause *of = fact ? fact->causes : NULL; of && of->text; of++)
		if (name ? of->of && fact_cause_is_of(of, name) : !of->of)
			cause_add(c, MAY_BE, NULL, "%s", of->text);
}

/* What the errno means, and its causes for the function. */
static void out_usual_causes(const struct record *r, struct out *o)
{
	const struct fact_family *errnos = fact_family("errno");
	const uint64_t err = (uint64_t)r->err;
	const char *means = word_help(errnos->words, err);
	struct causes c = { .no_commands = true };

	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	add_causes(fact_of(errnos, err), r->fn->name, &c);
	if (c.n)
		causes_out(&c, o);
}

bool explain_traced_call(const struct live_program *p, const struct record *r, struct out *o)
{
	struct causes c = { .no_commands = true };
	const bool is_unsupported = r->err == EOPNOTSUPP || r->err == ENOSYS;

	if (!r->err || r->depth || record_found_nothing(r) ||
	    (r->fn->waits && (r->err == EAGAIN || r->err == EINTR)) ||
	    (is_unsupported && !is_no_device(r)))
		return false;
	find_causes(p, r, &c);
	if (r->fn->asks && !c.n) /* that there is no answer is one */
		return false;
	out_failed_call(r, o);
	if (c.n)
		causes_out(&c, o);
	else
		out_usual_causes(r, o);
	return true;
}

/* ------------------------------------------------------------ calls that hang -- */

/* Why a call that waits for acknowledged events has not returned. */
static void find_unacknowledged(const struct live_program *p, const struct record *r,
				struct causes *c)
{
	const struct seen_object *o = seen_object_at(p->seen, r->args[0]);

	if (o && o->unacknowledged)
		cause_add(c, IS_SO, NULL, "%s waits until %u event%s of %s %s acknowledged (%s)",
			  r->fn->name, o->unacknowledged, o->unacknowledged == 1 ? "" : "s",
			  live_program_name(p, o->address, r->end),
			  o->unacknowledged == 1 ? "is" : "are", o->acknowledge);
}

/* The CQs of a completion channel. */
struct channel_cqs {
	unsigned n, armed;
	uint64_t last;
};

static void count_cq(void *arg, const struct seen_object *user)
{
	struct channel_cqs *cqs = arg;

	cqs->n++;
	cqs->armed += user->armed != 0;
	cqs->last = user->address;
}

/* Why no event of a completion channel comes. */
static void find_unarmed(const struct live_program *p, const struct record *r, struct causes *c)
{
	struct channel_cqs cqs = { 0 };

	seen_objects_users(p->seen, r->args[0], count_cq, &cqs);
	if (cqs.n && !cqs.armed)
		cause_add(c, IS_SO, NULL,
			  "%s is not armed: ibv_req_notify_cq is needed before each event",
			  cqs.n == 1 ? live_program_name(p, cqs.last, r->end)
				     : "no CQ of the channel");
}

bool explain_traced_unfinished(const struct live_program *p, const struct record *r, struct out *o)
{
	struct causes c = { .no_commands = true };

	if (r->args && r->fn->args[0].role == CALL_GONE)
		find_unacknowledged(p, r, &c);
	else if (r->args && row_of(r) == ROW_ibv_get_cq_event)
		find_unarmed(p, r, &c);
	if (!c.n)
		return false;
	out_str(o, "call", r->fn->name, "%s", r->fn->name);
	out_text(o, " has not returned\n");
	causes_out(&c, o);
	return true;
}

/* ---------------------------------------------------------------------------- events -- */

static bool explain_cm_event(const struct record *r, const struct rdma_cm_event *e, struct out *o)
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
		add_causes(fact_of(fact_family("rej"), (uint64_t)e->status), NULL, &c);
	else if (name)
		add_causes(fact, name, &c);
	if (!c.n)
		add_causes(fact, NULL, &c);
	causes_out(&c, o);
	return true;
}

/* Completions that did not fit into a CQ. */
static void find_overrun(const struct live_program *p, uint64_t cq, const char *name,
			 struct causes *c)
{
	const struct seen_object *seen = seen_object_at(p->seen, cq);
	const unsigned due = live_program_due(p, cq);

	if (seen && seen->entries)
		cause_add(c, IS_SO, NULL,
			  "%s was made with cqe %d, and %u requests that complete into it are "
			  "outstanding",
			  name, seen->entries, due);
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
	if (!c.n)
		add_causes(fact_of(fact_family("async"), e->event_type), NULL, &c);
	causes_out(&c, o);
	return true;
}

bool explain_traced_event(const struct live_program *p, const struct record *r, struct out *o)
{
	const struct ibv_async_event *async = record_async_event(r);
	const struct rdma_cm_event *cm = record_cm_event(r);

	if (r->depth)
		return false;
	return (cm && explain_cm_event(r, cm, o)) || (async && explain_async_event(p, r, async, o));
}
