/* SPDX-License-Identifier: MIT */
/* Receives that are posted too late, or too few for what the peer sends. */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_impl.h"

#define RETRIES_FOR_EVER 7 /* of rnr_retry */

/* ----------------------------------------------------------------------- recv-late -- */

static struct late_qp *find_late(const struct checks *c, uint64_t address)
{
	for (unsigned i = 0; i < c->nlate; i++)
		if (c->late[i].address == address)
			return &c->late[i];
	return NULL;
}

static void forget_late(struct checks *c, uint64_t address)
{
	struct late_qp *late = find_late(c, address);

	if (late)
		*late = c->late[--c->nlate];
}

/* librdmacm destroys QPs, too. */
static void forget_gone(struct checks *c, const struct live_program *p)
{
	for (unsigned i = c->nlate; i--;)
		if (!live_program_qp(p, c->late[i].address))
			c->late[i] = c->late[--c->nlate];
}

static struct live_tracked_qp *qp_of_id(const struct live_program *p, uint64_t id)
{
	struct live_tracked_qp *qp = p->newest;

	while (qp && qp->cm_id != id)
		qp = qp->older;
	return qp;
}

/* Can the peer send from now on? */
static void note_up(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t id)
{
	const struct live_tracked_qp *qp = qp_of_id(p, id);
	struct late_qp *late = qp ? find_late(c, qp->address) : NULL;

	if (!late || late->is_up || qp->v.state < IBV_QPS_RTR)
		return;
	if (live_program_entry(p, qp->address)->recvs.had || late->retries >= RETRIES_FOR_EVER) {
		forget_late(c, qp->address);
		return;
	}
	late->is_up = true;
	late->up = check_place_of(r);
}

/* Both ends of the connection pass on their rnr_retry_count, 7 by default, to each other. */
static void note_connecting(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct rdma_conn_param *param = (const void *)(uintptr_t)r->args[1];
	const struct live_tracked_qp *qp = qp_of_id(p, r->args[0]);

	if (!qp || qp->srq || (qp->v.type != IBV_QPT_RC && qp->v.type != IBV_QPT_UC))
		return;
	forget_late(c, qp->address);
	c->late = xgrow(c->late, c->nlate, sizeof *c->late);
	c->late[c->nlate++] = (struct late_qp){
		.address = qp->address,
		.retries = param ? param->rnr_retry_count : RETRIES_FOR_EVER,
	};
	note_up(c, p, r, r->args[0]);
}

static void note_recv(struct checks *c, const struct record *r)
{
	struct late_qp *late = find_late(c, r->args[0]);

	if (late && late->is_up && !late->posted.call)
		late->posted = check_place_of(r);
}

static void tell_late(struct checks *c, const struct live_program *p, const struct late_qp *late,
		      const char *name)
{
	struct check_finding f = check_new(CHECK_RECV_LATE, NULL);

	f.at = late->posted;
	snprintf(f.object, sizeof f.object, "%s", name);
	snprintf(
		f.says, sizeof f.says,
		"%s had no receive when its connection was up, and the peer has sent to it before it was "
		"asked for anything: with a message that comes earlier, the peer gives up after %u tr%s",
		name, late->retries + 1, late->retries ? "ies" : "y");
	snprintf(f.sure, sizeof f.sure,
		 "certain unless the peer learns in another way when the receive is there");
	check_step(&f, late->up, "%s was connected", name);
	check_step_made(&f, p, late->address, name);
	check_add(c, &f);
}

/* A message has come that nothing of this end has asked for. */
static void look_at_arrivals(struct checks *c, const struct live_program *p)
{
	const struct live_wc *wc;
	unsigned n;

	wc = live_program_completions(p, &n);
	for (unsigned i = 0; i < n; i++) {
		struct late_qp *late = wc[i].qp ? find_late(c, wc[i].qp->address) : NULL;

		if (!late || !(wc[i].wc.opcode & IBV_WC_RECV) || wc[i].wc.status != IBV_WC_SUCCESS)
			continue;
		if (late->posted.call)
			tell_late(c, p, late, wc[i].qp->v.name);
		forget_late(c, late->address);
	}
}

/* -------------------------------------------------------------------------- rq-dry -- */

bool check_sends_to(const struct live_qp *qp, const struct live_program *p,
		    const struct live_qp *other)
{
	const struct ibv_ah_attr *there = &qp->attr.ah_attr, *back = &other->attr.ah_attr;
	const union ibv_gid *gid = live_program_gid(p, back->port_num, back->grh.sgid_index);

	return qp->known & other->known & IBV_QP_AV && there->is_global && back->is_global && gid &&
	       memcmp(gid, &there->grh.dgid, sizeof *gid) == 0;
}

/* The other end of the QP, if its calls are seen, too. */
static struct check_peer find_peer(const struct checks *c, const struct live_program *p,
				   const struct live_tracked_qp *qp)
{
	struct live_tracked_qp *own;

	if (!(qp->v.known & IBV_QP_DEST_QPN))
		return (struct check_peer){ 0 };
	own = live_program_numbered(p, qp->v.attr.dest_qp_num, qp->v.number);
	if (own && check_sends_to(&qp->v, p, &own->v))
		return (struct check_peer){ live_program_entry(p, own->address), "" };
	return c->peer ? c->peer(c->arg, qp) : (struct check_peer){ 0 };
}

static bool waits_for_ever(const struct live_tracked_qp *qp)
{
	return qp->v.type == IBV_QPT_RC &&
	       (!(qp->v.known & IBV_QP_RNR_RETRY) || qp->v.attr.rnr_retry >= RETRIES_FOR_EVER);
}

static void look_at_peer(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_queues *e)
{
	struct check_finding f = check_new(CHECK_RQ_DRY, r);
	const struct live_tracked_qp *qp = &e->qp;
	struct check_peer peer;
	const struct live_tracked_qp *to;

	if ((qp->v.type != IBV_QPT_RC && qp->v.type != IBV_QPT_UC) || waits_for_ever(qp) ||
	    qp->v.state == IBV_QPS_ERR || !e->sends.messages)
		return;
	peer = find_peer(c, p, qp);
	to = peer.queues ? &peer.queues->qp : NULL;
	if (!to || to->srq || !(to->v.known & IBV_QP_DEST_QPN) ||
	    to->v.attr.dest_qp_num != qp->v.number || e->sends.messages <= peer.queues->recvs.had)
		return;
	snprintf(f.object, sizeof f.object, "%s", qp->v.name);
	snprintf(f.says, sizeof f.says,
		 "%s has been given %llu message%s to send, and %s%s, to which it is connected, "
		 "%llu receive%s so far",
		 qp->v.name, (unsigned long long)e->sends.messages,
		 e->sends.messages == 1 ? "" : "s", to->v.name, peer.whose,
		 (unsigned long long)peer.queues->recvs.had,
		 peer.queues->recvs.had == 1 ? "" : "s");
	if (qp->v.type == IBV_QPT_UC)
		snprintf(f.sure, sizeof f.sure,
			 "certain if the message arrives before the receive is posted: it is lost");
	else
		snprintf(
			f.sure, sizeof f.sure,
			"certain if the message arrives before the receive is posted, and that takes "
			"longer than %u tr%s",
			qp->v.attr.rnr_retry + 1u, qp->v.attr.rnr_retry ? "ies" : "y");
	check_step_made(&f, p, qp->address, qp->v.name);
	check_add(c, &f);
}

/* --------------------------------------------------------------------------- calls -- */

void check_recvs_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	(void)p;
	/* the peer may have waited for this message */
	if (c->nlate &&
	    (record_call_row(r) == ROW_ibv_post_send || record_call_row(r) == ROW_ibv_wr_complete))
		forget_late(c, r->args[0]);
}

void check_recvs_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct rdma_cm_event *event;
	const struct live_queues *e;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		e = c->wanted[CHECK_RQ_DRY] ? live_program_entry(p, r->args[0]) : NULL;
		if (e)
			look_at_peer(c, p, r, e);
		break;
	case ROW_ibv_destroy_qp:
	case ROW_rdma_destroy_qp:
	case ROW_rdma_destroy_ep:
		forget_gone(c, p);
		break;
	case ROW_rdma_connect:
	case ROW_rdma_accept:
		if (!r->err)
			note_connecting(c, p, r);
		break;
	case ROW_rdma_get_cm_event:
		event = record_cm_event(r);
		if (event && event->event == RDMA_CM_EVENT_ESTABLISHED)
			note_up(c, p, r, (uintptr_t)event->id);
		break;
	case ROW_ibv_post_recv:
		if (c->nlate)
			note_recv(c, r);
		break;
	default:
		if (c->nlate && r->fn->path == CALL_DATAPATH)
			look_at_arrivals(c, p);
	}
}
