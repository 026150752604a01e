/* SPDX-License-Identifier: MIT */
/* Receives that are posted too late, or too few for what the peer sends. */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "check_impl.h"

#define RETRIES_FOR_EVER 7 /* of rnr_retry */
#define GRH_LEN		 40
#define NEW_POSTS	 8 /* of a QP, with which its attributes are compared with those of its peer */

/* ------------------------------------------------------------ grh-room, recv-range -- */

const struct live_region *check_region_of_key(const struct live_program *p, uint32_t lkey)
{
	for (unsigned i = p->regions.n; i-- > 0;)
		if (p->regions.v[i].lkey == lkey && !p->regions.v[i].gone)
			return &p->regions.v[i];
	return NULL;
}

/* Does the queue pair take datagrams, or a queue pair of the SRQ, perhaps besides others? */
static bool takes_datagrams(const struct live_program *p, const struct live_tracked_qp *qp,
			    bool *takes_others)
{
	bool found = qp->v.type == IBV_QPT_UD;

	*takes_others = false;
	for (const struct live_tracked_qp *of = qp->v.type ? NULL : p->newest; of; of = of->older) {
		found |= of->srq == qp->address && of->v.type == IBV_QPT_UD;
		*takes_others |= of->srq == qp->address && of->v.type != IBV_QPT_UD;
	}
	return found;
}

static void find_no_room(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	struct check_finding f;
	bool takes_others;

	if (wr->len >= GRH_LEN || !takes_datagrams(p, qp, &takes_others))
		return;
	f = check_new(
		CHECK_GRH_ROOM, qp->v.name, r,
		"%s of %s is shorter than the GRH, which the device puts in front of each datagram",
		check_request(wr), qp->v.name);
	if (takes_others)
		check_doubt(&f, "certain if a UD queue pair of the SRQ takes it");
	check_add(c, &f);
}

/* Only a message that is long enough fails for it. */
static void find_outside(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	for (unsigned i = 0; i < wr->nsge; i++) {
		const struct ibv_sge *sge = &wr->sge[i];
		const struct live_region *region = check_region_of_key(p, sge->lkey);
		const uint64_t at = region ? sge->addr - region->begin : 0;
		struct check_finding f;

		/* that of ibv_alloc_null_mr() has no bytes, and takes any */
		if (!region || !region->len || !sge->length ||
		    (at <= region->len && sge->length <= region->len - at))
			continue;
		f = check_new(
			CHECK_RECV_RANGE, qp->v.name, r,
			"%s of %s does not lie within %s, which has the %llu bytes from 0x%llx",
			check_request(wr), qp->v.name, region->name,
			(unsigned long long)region->len, (unsigned long long)region->begin);
		check_doubt(&f, "certain if a message comes that is long enough");
		check_add(c, &f);
		return;
	}
}

void check_recv_posted(struct checks *c, const struct live_program *p, const struct record *r,
		       const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	find_no_room(c, p, r, qp, wr);
	find_outside(c, p, r, qp, wr);
}

/* ----------------------------------------------------------------------- recv-late -- */

/* The QP of that address, until it is clear; else NULL. */
static struct check_note *find_late(const struct checks *c, const struct live_program *p,
				    uint64_t address)
{
	struct check_note *late = c->followed ? check_note(p, address) : NULL;

	return late && late->is_followed ? late : NULL;
}

static void forget_late(struct checks *c, struct check_note *late)
{
	if (!late)
		return;
	late->is_followed = false;
	c->followed--;
}

/* Can the peer send from now on? */
static void note_up(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t id)
{
	const struct live_tracked_qp *qp = live_program_qp_of_id(p, id);
	struct check_note *late = qp ? find_late(c, p, qp->address) : NULL;

	if (!late || late->is_up || qp->v.state < IBV_QPS_RTR)
		return;
	late->is_up = true;
	late->up = check_place_of(r);
	if (live_program_entry(p, qp->address)->recvs.had || late->retries >= RETRIES_FOR_EVER)
		forget_late(c, late);
}

/* Both ends of the connection pass on their rnr_retry_count, 7 by default, to each other. */
static void note_connecting(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct rdma_conn_param *param = (const void *)(uintptr_t)r->args[1];
	const struct live_tracked_qp *qp = live_program_qp_of_id(p, r->args[0]);
	struct check_note *late = qp ? check_note(p, qp->address) : NULL;

	if (!late || qp->srq || (qp->v.type != IBV_QPT_RC && qp->v.type != IBV_QPT_UC))
		return;
	c->followed += !late->is_followed;
	late->is_followed = true;
	late->is_up = false;
	late->retries = param ? param->rnr_retry_count : RETRIES_FOR_EVER;
	late->posted = (struct check_place){ 0 };
	note_up(c, p, r, r->args[0]);
}

static void tell_late(struct checks *c, const struct live_program *p, const struct check_note *late,
		      const struct live_tracked_qp *qp)
{
	struct check_finding f = check_new(
		CHECK_RECV_LATE, qp->v.name, NULL,
		"%s had no receive when its connection was up, and the peer has sent to it before it was "
		"asked for anything: with a message that comes earlier, the peer gives up after %u tr%s",
		qp->v.name, late->retries + 1, late->retries ? "ies" : "y");

	f.at = late->posted;
	check_doubt(&f, "certain unless the peer learns in another way when the receive is there");
	check_step(&f, late->up, "%s was connected", qp->v.name);
	check_add_made(c, p, &f, qp->address);
}

/* The status alone says it, so the peer's calls need not be seen. */
static void tell_refused(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_qp *qp, uint64_t address)
{
	struct check_finding f = check_new(
		CHECK_RQ_DRY, qp->name, r,
		"a message of %s was given up: it ended with RNR_RETRY_EXC_ERR", qp->name);

	f.grade = CHECK_MISTAKE;
	check_add_made(c, p, &f, address);
}

/* A message has come that nothing of this end has asked for, or one was refused. */
static void look_at_completions(struct checks *c, const struct live_program *p,
				const struct record *r)
{
	const struct live_wc *wc;
	unsigned n;

	wc = live_program_completions(p, &n);
	for (unsigned i = 0; i < n; i++) {
		struct check_note *late = wc[i].qp ? find_late(c, p, wc[i].qp->address) : NULL;

		if (wc[i].qp && wc[i].wc.status == IBV_WC_RNR_RETRY_EXC_ERR)
			tell_refused(c, p, r, &wc[i].qp->v, wc[i].qp->address);
		if (!late || !(wc[i].wc.opcode & IBV_WC_RECV) || wc[i].wc.status != IBV_WC_SUCCESS)
			continue;
		if (late->posted.call)
			tell_late(c, p, late, wc[i].qp);
		forget_late(c, late);
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

struct check_peer check_peer_of(const struct live_program *p, const struct live_tracked_qp *qp)
{
	return (struct check_peer){
		.queues = live_program_entry(p, qp->address),
		.receives = live_program_entry(p, qp->srq ? qp->srq : qp->address),
	};
}

struct check_peer check_find_peer(const struct checks *c, const struct live_program *p,
				  const struct live_tracked_qp *qp)
{
	struct live_tracked_qp *own;

	if (!(qp->v.known & IBV_QP_DEST_QPN))
		return (struct check_peer){ 0 };
	own = live_program_numbered(p, qp->v.attr.dest_qp_num, qp->v.number);
	if (own && check_sends_to(&qp->v, p, &own->v))
		return check_peer_of(p, own);
	return c->peer ? c->peer(c->arg, qp) : (struct check_peer){ 0 };
}

static bool waits_for_ever(const struct live_tracked_qp *qp)
{
	return qp->v.type == IBV_QPT_RC &&
	       (!(qp->v.known & IBV_QP_RNR_RETRY) || qp->v.attr.rnr_retry >= RETRIES_FOR_EVER);
}

/* The messages of all QPs of the program whose peers take these receives. */
static unsigned long long count_messages(const struct checks *c, const struct live_program *p,
					 const struct live_queues *e, const struct check_peer *peer)
{
	unsigned long long n = 0, most = 0;

	if (!peer->queues->qp.srq)
		return e->sends.messages;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		most += live_program_entry(p, qp->address)->sends.messages;
	for (const struct live_tracked_qp *qp = p->newest; qp && most > peer->receives->recvs.had;
	     qp = qp->older)
		if (check_find_peer(c, p, qp).receives == peer->receives)
			n += live_program_entry(p, qp->address)->sends.messages;
	return n;
}

static void look_for_receives(struct checks *c, const struct live_program *p,
			      const struct record *r, const struct live_queues *e,
			      const struct check_peer *peer)
{
	const struct live_tracked_qp *qp = &e->qp, *to = &peer->queues->qp;
	const unsigned long long had = peer->receives ? peer->receives->recvs.had : 0,
				 messages = peer->receives ? count_messages(c, p, e, peer) : 0;
	struct check_finding f;

	if (messages <= had)
		return;
	f = check_new(
		CHECK_RQ_DRY, qp->v.name, r,
		"%s%s has been given %llu message%s to send, and %s%s%s, to which it is connected, "
		"%llu receive%s so far",
		qp->v.name, to->srq ? " with others" : "", messages, check_s(messages),
		to->srq ? "the SRQ of " : "", to->v.name, peer->whose, had, check_s(had));
	if (qp->v.type == IBV_QPT_UC)
		check_doubt(&f,
			    "certain if the message arrives before the receive is posted: it is "
			    "lost");
	else
		check_doubt(
			&f,
			"certain if the message arrives before the receive is posted, and that takes "
			"longer than %u tr%s",
			qp->v.attr.rnr_retry + 1u, qp->v.attr.rnr_retry ? "ies" : "y");
	check_add_made(c, p, &f, qp->address);
}

/* Some devices send one all the same. */
static void tell_no_resources(struct checks *c, const struct live_program *p,
			      const struct record *r, const struct live_tracked_qp *qp)
{
	struct check_finding f = check_new(
		CHECK_READ_DEPTH, qp->v.name, r,
		"a READ or an atomic was posted to %s, and its max_rd_atomic is 0: it may "
		"send none",
		qp->v.name);

	check_add_made(c, p, &f, qp->address);
}

/* More READs and atomics than the peer answers at a time. */
static void look_for_resources(struct checks *c, const struct live_program *p,
			       const struct record *r, const struct live_queues *e,
			       const struct check_peer *peer)
{
	const struct live_tracked_qp *qp = &e->qp, *to = &peer->queues->qp;
	const unsigned asked = qp->v.attr.max_rd_atomic, given = to->v.attr.max_dest_rd_atomic;
	struct check_finding f;
	unsigned n = 0;

	if (!(qp->v.known & IBV_QP_MAX_QP_RD_ATOMIC) ||
	    !(to->v.known & IBV_QP_MAX_DEST_RD_ATOMIC) || asked <= given)
		return;
	for (unsigned i = 0; i < e->sends.n; i++)
		n += e->sends.v[e->sends.begin + i].op &&
		     e->sends.v[e->sends.begin + i].op->has_response;
	if (n <= given)
		return;
	f = check_new(CHECK_READ_DEPTH, qp->v.name, r,
		      "%u READs and atomics of %s are outstanding, of which it sends %u at a time "
		      "(max_rd_atomic), and %s%s, its peer, answers %u (max_dest_rd_atomic)",
		      n, qp->v.name, asked, to->v.name, peer->whose, given);
	check_add_made(c, p, &f, qp->address);
}

/* Messages of one packet go through all the same. */
static void look_for_mtu(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_queues *e, const struct check_peer *peer)
{
	const struct live_tracked_qp *qp = &e->qp, *to = &peer->queues->qp;
	struct check_finding f;

	if (!(qp->v.known & to->v.known & IBV_QP_PATH_MTU) ||
	    qp->v.attr.path_mtu == to->v.attr.path_mtu || qp->v.attr.path_mtu > IBV_MTU_4096 ||
	    to->v.attr.path_mtu > IBV_MTU_4096)
		return;
	f = check_new(
		CHECK_MTU_PAIR, qp->v.name, r,
		"the path MTU of %s is %u bytes, and that of %s%s, its peer, %u: messages of more "
		"than one packet fail",
		qp->v.name, 128u << qp->v.attr.path_mtu, to->v.name, peer->whose,
		128u << to->v.attr.path_mtu);
	check_add_made(c, p, &f, qp->address);
}

/* Compares what the QP sends with what its peer has for it. */
static void look_at_peer(struct checks *c, const struct live_program *p, const struct record *r,
			 const struct live_queues *e)
{
	const struct live_tracked_qp *qp = &e->qp;
	const bool has_messages = e->sends.messages && !waits_for_ever(qp) && !c->has_lost;
	const bool reads = e->sends.answered == e->sends.put; /* with the last request */
	const bool is_new = e->sends.had <= NEW_POSTS;
	struct check_peer peer;

	if ((qp->v.type != IBV_QPT_RC && qp->v.type != IBV_QPT_UC) || qp->v.state == IBV_QPS_ERR ||
	    (!has_messages && !reads && !is_new))
		return;
	if (reads && qp->v.known & IBV_QP_MAX_QP_RD_ATOMIC && !qp->v.attr.max_rd_atomic)
		tell_no_resources(c, p, r, qp);
	peer = check_find_peer(c, p, qp);
	if (!peer.queues || !(peer.queues->qp.v.known & IBV_QP_DEST_QPN) ||
	    peer.queues->qp.v.attr.dest_qp_num != qp->v.number)
		return;
	if (has_messages)
		look_for_receives(c, p, r, e, &peer);
	if (reads)
		look_for_resources(c, p, r, e, &peer);
	if (is_new)
		look_for_mtu(c, p, r, e, &peer);
}

/* --------------------------------------------------------------------------- calls -- */

void check_recvs_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	/* the peer may have waited for this message */
	if (record_call_row(r) == ROW_ibv_post_send || record_call_row(r) == ROW_ibv_wr_complete)
		forget_late(c, find_late(c, p, r->args[0]));
}

void check_recvs_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct rdma_cm_event *event;
	const struct live_queues *e;
	struct check_note *late;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
	case ROW_ibv_wr_complete:
		e = live_program_entry(p, r->args[0]);
		if (e)
			look_at_peer(c, p, r, e);
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
		late = find_late(c, p, r->args[0]);
		if (late && late->is_up && !late->posted.call)
			late->posted = check_place_of(r);
		break;
	default:
		if (r->fn->path == CALL_DATAPATH)
			look_at_completions(c, p, r);
	}
}
