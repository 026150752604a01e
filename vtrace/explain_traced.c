/* SPDX-License-Identifier: MIT */
/* Why a call or a request of a traced program has failed; what the peer's process says to that. */
#include "views.h"

#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "call_record.h"
#include "data/post.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "output/out.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "resources/show_process.h"
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

/* Attributes of a change that the device or its port do not allow. */
static void find_limits_passed(const struct seen_limits *seen, const struct seen_qp *qp,
			       const struct ibv_qp_attr *a, unsigned mask, struct causes *c)
{
	const unsigned number = mask & IBV_QP_PORT ? a->port_num : qp->v.attr.port_num;
	struct qp_limits limits = { .name = "the device", .device = &seen->device };

	if (number && number <= SHARED_PORTS && seen->port[number - 1].state)
		limits.port = &seen->port[number - 1];
	if (seen->device.max_qp)
		qp_check_limits(&limits, a, mask, c);
}

static void find_modify_causes(const struct seen_limits *limits, const struct seen_qp *qp,
			       const struct record *r, struct causes *c)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	unsigned mask = (unsigned)r->args[2];
	enum ibv_qp_state from = qp->v.state, to = from;
	struct qp_verdict v;

	if (!a)
		return;
	if (mask & IBV_QP_CUR_STATE)
		from = a->cur_qp_state;
	if (mask & IBV_QP_STATE)
		to = a->qp_state;
	v = qp_judge(qp->v.type, from, to, mask);
	if (v.answer == QP_OK && r->err == EINVAL)
		find_limits_passed(limits, qp, a, mask, c);
	if (v.answer == QP_OK && !c->n)
		v.extra = v.refused; /* then the kernel has refused it */
	qp_change_reasons(&v, qp->v.type, from, to, c);
}

/* Looks at the request of the chain that was refused: the first one that was not accepted. */
static void find_send_causes(const struct live_program *p, const struct seen_qp *qp,
			     const struct record *r, struct causes *c)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct wr_judged j = {
		.queue = qp->v.name,
		.max_sge = qp->v.cap.max_send_sge,
		.qp_type = qp->v.type,
		.state = qp->v.state,
		.max_inline = qp->v.cap.max_inline_data,
		.room = qp->v.cap.max_send_wr,
		.used = live_program_outstanding(p, qp, false),
	};
	enum wr_fault fault;
	char text[160];

	for (unsigned n = record_accepted(r); wr && n; n--)
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
	cause_add(c, IS_SO, NULL, "%s %s: %s", j.op->name, "is refused", text);
	if (fault == WR_QUEUE_FULL && !live_program_has_signaled(p, qp))
		cause_add(c, IS_SO, NULL,
			  "none of them is signaled (IBV_SEND_SIGNALED, sq_sig_all): only the "
			  "completion of a later one would make room");
}

static void find_recv_causes(const struct live_program *p, const struct seen_qp *qp,
			     const struct record *r, struct causes *c)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct wr_judged j = {
		.op = &wr_ops[WR_RECV],
		.queue = qp->v.name,
		.max_sge = qp->v.cap.max_recv_sge,
		.qp_type = qp->v.type,
		.state = qp->v.state,
		.srq = *qp->v.srq ? qp->v.srq : NULL,
		.room = qp->v.cap.max_recv_wr,
		.used = live_program_outstanding(p, qp, true),
	};
	char text[160];

	for (unsigned n = record_accepted(r); wr && n; n--)
		wr = wr->next;
	if (!wr)
		return;
	j.num_sge = wr->num_sge;
	if (wr_fault_find(&j, text, sizeof text))
		cause_add(c, IS_SO, NULL, "RECV is refused: %s", text);
}

/* Capabilities of a new QP that the device does not have. */
static void find_create_causes(const struct seen_limits *limits, const struct record *r,
			       struct causes *c)
{
	const struct ibv_qp_init_attr *init = (const void *)(uintptr_t)record_arg(r,
										  "qp_init_attr");

	if (init && limits->device.max_qp)
		qp_check_cap(&init->cap, &limits->device, c);
}

static void find_cq_causes(const struct seen_limits *limits, const struct record *r,
			   struct causes *c)
{
	const int cqe = (int)record_arg(r, "cqe");

	if (cqe <= 0)
		cause_add(c, IS_SO, NULL, "cqe is %d: a CQ has at least 1 entry", cqe);
	else if (limits->device.max_qp && cqe > limits->device.max_cqe)
		cause_add(c, IS_SO, NULL, "cqe %d is more than the device's limit %d (max_cqe)",
			  cqe, limits->device.max_cqe);
}

static void find_region_causes(const struct record *r, struct causes *c)
{
	const unsigned remote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned access = (unsigned)record_arg(r, "access");

	if (!record_arg(r, "length"))
		cause_add(c, IS_SO, NULL, "length is 0");
	if (access & remote && !(access & IBV_ACCESS_LOCAL_WRITE))
		cause_add(c, IS_SO, NULL, "access has %s without LOCAL_WRITE",
			  word_flags(mr_access_words, access & remote));
}

static void find_gid_causes(const struct seen_limits *limits, const struct record *r,
			    struct causes *c)
{
	const unsigned number = (unsigned)record_arg(r, "port_num");
	const int index = (int)record_arg(r, "index");
	const struct ibv_port_attr *port;

	if (!limits->device.max_qp)
		return;
	if (!number || number > limits->device.phys_port_cnt) {
		cause_add(c, IS_SO, NULL,
			  "port_num is %u: the device has %u port%s, counted from 1", number,
			  limits->device.phys_port_cnt,
			  limits->device.phys_port_cnt == 1 ? "" : "s");
		return;
	}
	if (number > SHARED_PORTS)
		return;
	port = &limits->port[number - 1];
	/* a program may read the table until there is no further entry */
	if (port->gid_tbl_len && (index < 0 || index > port->gid_tbl_len))
		cause_add(
			c, IS_SO, NULL,
			"index is %d: the table of port %u has the entries 0 to %d (gid_tbl_len %d)",
			index, number, port->gid_tbl_len - 1, port->gid_tbl_len);
}

/* Causes that the arguments of a call that makes or asks something show. */
static void find_argument_causes(const struct seen_limits *limits, const struct record *r,
				 struct causes *c)
{
	switch (row_of(r)) {
	case ROW_ibv_create_qp:
	case ROW_rdma_create_qp:
		find_create_causes(limits, r, c);
		break;
	case ROW_ibv_create_cq:
		find_cq_causes(limits, r, c);
		break;
	case ROW_ibv_reg_mr:
	case ROW_ibv_reg_mr_iova:
	case ROW_ibv_reg_mr_iova2:
		find_region_causes(r, c);
		break;
	case ROW_ibv_query_gid:
		find_gid_causes(limits, r, c);
		break;
	}
}

/* Causes that the call's own objects show. */
static void find_causes(const struct live_program *p, const struct seen_limits *limits,
			const struct record *r, struct causes *c)
{
	const struct seen_qp *qp = r->nargs ? live_program_qp(p, r->args[0]) : NULL;

	if (r->err == EINVAL || r->fn->asks)
		find_argument_causes(limits, r, c);
	if (!qp)
		return;
	switch (row_of(r)) {
	case ROW_ibv_modify_qp:
		find_modify_causes(limits, qp, r, c);
		break;
	case ROW_ibv_post_send:
		find_send_causes(p, qp, r, c);
		break;
	case ROW_ibv_post_recv:
		find_recv_causes(p, qp, r, c);
		break;
	}
}

/* Adds the causes that a fact has for the function or errno of that name. */
static void add_causes_of(const struct fact_family *family, uint64_t value, const char *name,
			  struct causes *c)
{
	for (const struct fact_cause *cause = family->causes; cause->text; cause++)
		if (cause->value == value && fact_cause_is_of(cause, name))
			cause_add(c, MAY_BE, NULL, "%s", cause->text);
}

/* Adds the causes that a fact always has, a line each; it may be NULL. */
static void add_causes(const struct fact *fact, struct causes *c)
{
	const char *line = fact ? fact->causes : NULL;

	while (line && *line) {
		int len = (int)strcspn(line, "\n");

		cause_add(c, MAY_BE, NULL, "%.*s", len, line);
		line += len + (line[len] != '\0');
	}
}

/* What the errno means, and its causes for the function. */
static void out_usual_causes(const struct record *r, struct out *o)
{
	const struct fact_family *errnos = fact_family("errno");
	const uint64_t err = (uint64_t)r->err;
	const char *means = fact_of(errnos, err) ? word_help(errnos->words, err) : NULL;
	struct causes c = { .no_commands = true };

	if (means)
		out_str(o, "means", means, "  means           %s\n", means);
	add_causes_of(errnos, err, r->fn->name, &c);
	if (c.n)
		causes_out(&c, o);
}

bool explain_traced_call(const struct live_program *p, const struct seen_limits *limits,
			 const struct record *r, struct out *o)
{
	struct causes c = { .no_commands = true };

	if (!r->err || r->depth || record_found_nothing(r) ||
	    (r->fn->waits && (r->err == EAGAIN || r->err == EINTR)) || r->err == EOPNOTSUPP ||
	    r->err == ENOSYS)
		return false;
	find_causes(p, limits, r, &c);
	if (r->fn->asks && !c.n) /* that there is no answer is one */
		return false;
	out_failed_call(r, o);
	if (c.n)
		causes_out(&c, o);
	else
		out_usual_causes(r, o);
	return true;
}

/* ---------------------------------------------------------------------------- events -- */

bool explain_traced_event(const struct record *r, struct out *o)
{
	const struct rdma_cm_event *e = row_of(r) == ROW_rdma_get_cm_event ? seen_cm_event(r)
									   : NULL;
	const bool is_reject = e && e->event == RDMA_CM_EVENT_REJECTED && e->status > 0;
	const struct word *words = is_reject ? rej_words : errno_words;
	const struct fact_family *events = fact_family("cm-event");
	struct causes c = { .no_commands = true };
	const char *event_name, *name = NULL, *means;

	if (!e || r->depth ||
	    (e->event != RDMA_CM_EVENT_REJECTED && e->event != RDMA_CM_EVENT_UNREACHABLE &&
	     e->event != RDMA_CM_EVENT_ADDR_ERROR && e->event != RDMA_CM_EVENT_ROUTE_ERROR))
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
		add_causes(fact_of(fact_family("rej"), (uint64_t)e->status), &c);
	else if (name)
		add_causes_of(events, e->event, name, &c);
	if (!c.n)
		add_causes(fact_of(events, e->event), &c);
	causes_out(&c, o);
	return true;
}

/* ------------------------------------------------------------ the peer, on uroce0 -- */

void asked_peer_learn(pid_t pid, struct live_qp *qp)
{
	struct uroce_inventory *inv;
	const struct uroce_qp_row *row;

	if (qp->known & IBV_QP_DEST_QPN)
		return;
	inv = process_inventory(pid);
	row = inv ? process_qp(inv, qp->number) : NULL;
	if (row && row->attr.dest_qp_num) {
		qp->attr = row->attr;
		qp->cap = row->attr.cap;
		qp->known |= IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS |
			     IBV_QP_RNR_RETRY | IBV_QP_RETRY_CNT | IBV_QP_TIMEOUT |
			     IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC;
	}
	free(inv);
}

/* A socket can be bound to an address of this host only. */
static bool is_own_address(const union ibv_gid *gid)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool here;

	memcpy(&a.sin6_addr, gid, sizeof a.sin6_addr);
	here = fd >= 0 && bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
	if (fd >= 0)
		close(fd);
	return here;
}

static void write_gone(struct live_end *end, const struct uroce_inventory *inv, uint32_t qpn)
{
	char program[32];

	if (inv)
		snprintf(end->gone, sizeof end->gone,
			 "process %d (%s), the peer, has destroyed QP %u", (int)inv->pid,
			 process_program(inv->pid, program, sizeof program), qpn);
	else
		snprintf(end->gone, sizeof end->gone, "the process of the peer's QP has ended");
}

struct live_end asked_peer_find(const struct live_qp *qp)
{
	const uint32_t qpn = qp->attr.dest_qp_num;
	struct live_end end = { .qp = NULL };
	struct uroce_inventory *inv;
	struct out *told;

	if ((qp->known & (IBV_QP_DEST_QPN | IBV_QP_AV)) != (IBV_QP_DEST_QPN | IBV_QP_AV) ||
	    !is_own_address(&qp->attr.ah_attr.grh.dgid))
		return end;
	inv = process_inventory_of_qpn(qpn);
	if (!inv && errno != ENOENT)
		return end;
	told = out_new(false);
	if (inv)
		process_tell(inv, NULL, false, told);
	if (!inv || !live_end_look(&end, out_value(told), qpn, qp->number))
		write_gone(&end, inv, qpn);
	if (inv)
		snprintf(end.whose, sizeof end.whose, "[%d]: ", (int)inv->pid);
	out_free(told);
	free(inv);
	return end;
}
