/* SPDX-License-Identifier: MIT */
/* Why a change of a QP, a path or a request was refused. */
#include <errno.h>

#include "qp_rules.h"
#include "refused_calls.h"
#include "why.h"
#include "wr_faults.h"

/* The QP or SRQ of its first argument; the rules that use it are for calls where it is known. */
static const struct live_tracked_qp *queue_of(const struct refused_call *f)
{
	return live_program_queue(f->p, f->r->args[0]);
}

/* NULL: not known. */
static const struct ibv_port_attr *port_of(const struct live_limits *seen, unsigned number)
{
	return number && number <= LIVE_PORTS && seen->port[number - 1].state
		       ? &seen->port[number - 1]
		       : NULL;
}

/* Attributes of a change that the device or its port do not allow. */
static void find_limits_passed(const struct refused_call *f, const struct ibv_qp_attr *a,
			       unsigned mask)
{
	const struct live_limits *seen = &f->p->limits;
	const unsigned number = mask & IBV_QP_PORT ? a->port_num : queue_of(f)->v.attr.port_num;
	struct qp_limits limits = { .name = "the device",
				    .device = &seen->device,
				    .port = port_of(seen, number) };

	if (mask & IBV_QP_AV)
		limits.source = live_program_gid(f->p, a->ah_attr.port_num,
						 a->ah_attr.grh.sgid_index);
	if (seen->device.max_qp)
		why_qp_check_limits(&limits, a, mask, f->c);
}

/* Mistakes of a path that only the errno shows. */
static void find_errno_of_path(const struct refused_call *f, const struct ibv_ah_attr *av)
{
	if (f->r->err == ENODATA && av->is_global)
		cause_add(f->c, IS_SO, NULL, "AV: sgid_index %u is empty in the table of port %u",
			  av->grh.sgid_index, av->port_num);
	else if ((f->r->err == ENODEV || f->r->err == ENXIO) && av->is_global)
		cause_add(f->c, MAY_BE, NULL,
			  "AV: the GID at sgid_index %u has no network interface",
			  av->grh.sgid_index);
	else if (f->r->err == ENETUNREACH)
		cause_add(f->c, IS_SO, NULL, "AV: this host has no route to dgid %s",
			  why_gid(&av->grh.dgid));
	else if (f->r->err == ETIMEDOUT || f->r->err == EHOSTUNREACH)
		cause_add(f->c, MAY_BE, NULL,
			  "AV: nobody answers at dgid %s: it is down, or not on this network",
			  why_gid(&av->grh.dgid));
}

void why_path_refused(const struct refused_call *f)
{
	const struct ibv_ah_attr *av = (const void *)(uintptr_t)f->r->args[1];
	const struct live_limits *seen = &f->p->limits;
	struct qp_limits limits = { .name = "the device", .device = &seen->device };

	if (!av)
		return;
	limits.port = port_of(seen, av->port_num);
	limits.source = live_program_gid(f->p, av->port_num, av->grh.sgid_index);
	if (f->r->err == EINVAL && seen->device.max_qp)
		why_qp_check_path(&limits, av, f->c);
	find_errno_of_path(f, av);
}

void why_change_refused(const struct refused_call *f)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)f->r->args[1];
	const struct live_tracked_qp *qp = queue_of(f);
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
	if (v.answer == QP_OK && f->r->err == EINVAL && from == IBV_QPS_SQD &&
	    live_program_outstanding(f->p, qp, false))
		cause_add(f->c, MAY_BE, NULL,
			  "the send queue is not drained yet: SQ_DRAINED or sq_draining tell when");
	if (v.answer == QP_OK && mask & IBV_QP_AV)
		find_errno_of_path(f, &a->ah_attr);
	if (f->r->err == EPERM && mask & IBV_QP_QKEY && a->qkey >> 31)
		cause_add(
			f->c, IS_SO, NULL,
			"QKEY 0x%x: one with the highest bit set needs CAP_NET_RAW, or rdma system "
			"set privileged-qkey on",
			a->qkey);
	if (v.answer == QP_OK && !f->c->n)
		v.extra = v.refused; /* then the kernel has refused it */
	why_qp_change_reasons(&v, qp->v.type, from, to, f->c);
}

/* A datagram goes by an address handle of the PD of its QP. */
static void check_address_handle(const struct refused_call *f, const struct ibv_send_wr *wr)
{
	const uint64_t own = live_objects_pd(f->p->seen, f->r->args[0]);
	const uint64_t ah = (uintptr_t)wr->wr.ud.ah, pd = live_objects_pd(f->p->seen, ah);

	if (own && pd && own != pd) {
		const char *of_ah = live_program_name(f->p, pd, f->r->end);

		cause_add(f->c, IS_SO, NULL, "%s is of %s, %s of %s",
			  live_program_name(f->p, ah, f->r->end), of_ah, queue_of(f)->v.name,
			  queue_of(f)->v.pd);
	}
}

/* Looks at the request of the chain that was refused: the first one that was not accepted. */
void why_sends_refused(const struct refused_call *f)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)f->r->args[1];
	const struct live_tracked_qp *qp = queue_of(f);
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
	if (wr && wr->opcode == FLUSH_WR)
		cause_add(
			f->c, IS_SO, NULL,
			"a FLUSH is posted by ibv_wr_flush: struct ibv_send_wr has no type and level of it");
	if (!j.op)
		return;
	j.num_sge = wr->num_sge;
	j.flags = wr->send_flags;
	j.remote_addr = wr->wr.atomic.remote_addr;
	for (int i = 0; wr->sg_list && i < wr->num_sge; i++)
		j.bytes += wr->sg_list[i].length;
	fault = wr_fault_find(&j, text, sizeof text);
	if (!fault && qp->v.type == IBV_QPT_UD)
		check_address_handle(f, wr);
	if (!fault)
		return;
	cause_add(f->c, IS_SO, NULL, "%s is refused: %s", j.op->name, text);
	if (fault == WR_QUEUE_FULL && !live_program_signaled(f->p, qp))
		cause_add(
			f->c, IS_SO, NULL,
			"none of them is signaled (IBV_SEND_SIGNALED, sq_sig_all): most cards make "
			"room only when a later one that is signaled completes; rxe0 and uroce0 "
			"when the peer has acknowledged");
}

void why_receives_refused(const struct refused_call *f)
{
	const struct ibv_recv_wr *wr = (const void *)(uintptr_t)f->r->args[1];
	const struct live_tracked_qp *queue = queue_of(f);
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
