/* SPDX-License-Identifier: MIT */
/* The transport of the rig: it remembers what it was asked, and sends nothing. */
#include "checks.h"
#include "rig.h"

struct rig_transport rig_transport;

void requester_run(struct qp *qp)
{
	CHECK(rig_locked);
	rig_transport.runs++;
	if (rig_transport.works)
		qp->sq.head = qp->sq.next = qp->sq.tail;
}

void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to,
		     const struct uroce_change *why)
{
	CHECK(rig_locked);
	CHECK_INT(qp_state(qp), to);
	rig_transport.entered++;
	rig_transport.why = *why;
	rig_transport.from = from;
	rig_transport.to = to;
}

void transport_fail(struct qp *qp, int event, const struct uroce_change *why)
{
	CHECK(rig_locked);
	rig_transport.failures++;
	rig_transport.event = event;
	rig_transport.why = *why;
	qp->attr.qp_state = IBV_QPS_ERR;
}

int responses_resize(struct qp *qp, unsigned n)
{
	(void)qp;
	if (rig_transport.resize_error)
		return rig_transport.resize_error;
	rig_transport.responses = n;
	return 0;
}

void transport_forget(struct qp *qp)
{
	rig_transport.forgotten++;
	rig_transport.forgotten_peer = qp->attr.dest_qp_num;
}

void transport_settle(uint32_t qpn, bool recv)
{
	(void)qpn;
	(void)recv;
}

void transport_settle_all(void)
{
}
