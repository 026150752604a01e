/* SPDX-License-Identifier: MIT */
/*
 * The protocol of connections: what is sent, repeated, and given up; then the tables of what a
 * message of the peer does. InfiniBand specification volume 1, 12.9.7 and 12.9.8.
 */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <string.h>

#include "conn.h"
#include "counters.h"

/*
 * Our messages announce what the kernel's announce: an answer within 2^20 * 4.096 us (4.3 s), 15
 * repetitions. But the first repetitions come sooner, since a lost packet should not cost seconds.
 * Giving up takes about as long as announced: 16 * 4.1 s.
 */
#define MSEC	      1000000ull
#define RESEND_FIRST  (50 * MSEC)
#define QUICK	      4 /* repetitions before the pauses grow */
#define RESEND_MAX    (4096 * MSEC)
#define GIVE_UP	      (16 * RESEND_MAX)
#define GIVE_UP_ALONE (2 * RESEND_MAX) /* nobody waits for the result */
#define RESPONSE_TIME 20
#define MAX_RETRIES   15
#define MRA_TIME      24 /* 69 s: as long as an application of the kernel's may take */
#define ACK_DELAY     15 /* as rdma_rxe says: 134 ms */

/* --------------------------------------------------------------- sending -- */

void conn_message(const struct conn *c, struct mad *m, enum mad_attr attr)
{
	memset(m, 0, sizeof(*m));
	m->attr = attr;
	m->tid = c->tid;
	m->local_id = c->local_id;
	m->remote_id = c->remote_id;
}

void conn_send_once(struct conn *c, const struct mad *m)
{
	mad_build(c->sent, m);
	tx_send_mad(&c->flow, c->sent);
}

void conn_send_again(struct conn *c)
{
	tx_send_mad(&c->flow, c->sent);
}

void conn_send(struct conn *c, const struct mad *m)
{
	conn_send_once(c, m);
	c->wait = RESEND_FIRST;
	c->repeated = 0;
	c->give_up = engine_now() + (c->user ? GIVE_UP : GIVE_UP_ALONE);
	timer_set(&c->timer, engine_now() + c->wait);
}

/* The peer asks for patience (12.6.6): in units of 4.096 us * 2^n. */
static void conn_be_patient(struct conn *c, unsigned timeout)
{
	uint64_t t = engine_now() + iba_time(timeout < MRA_TIME ? timeout : MRA_TIME);

	/* repeats it, though rarely: if the peer has ended, another process answers in its place */
	c->wait = RESEND_MAX;
	c->repeated = 0;
	c->give_up = t + GIVE_UP;
	timer_set(&c->timer, engine_now() + c->wait);
}

/* RTU, DREP */
static void conn_send_ids(struct conn *c, enum mad_attr attr)
{
	struct mad m;

	conn_message(c, &m, attr);
	conn_send_once(c, &m);
}

static void conn_send_mra(struct conn *c, enum mad_about about)
{
	struct mad m;
	uint8_t buf[MAD_BYTES];

	conn_message(c, &m, MAD_MRA);
	m.mra.about = about;
	m.mra.timeout = MRA_TIME;
	mad_build(buf, &m);
	tx_send_mad(&c->flow, buf);
}

void conn_send_rej(struct conn *c, enum mad_about about, enum rej_reason reason, const void *data,
		   size_t len)
{
	struct mad m;

	conn_message(c, &m, MAD_REJ);
	m.rej.about = about;
	m.rej.reason = reason;
	if (reason == REJ_TIMEOUT) {
		/* 12.6.7.2: a peer that never had our answer knows us by our GUID */
		uint64_t guid = htobe64(conn_guid());

		memcpy(m.rej.info, &guid, sizeof(guid));
		m.rej.info_len = sizeof(guid);
	}
	mad_set_data(&m, data, len);
	conn_send_once(c, &m);
}

/* ---------------------------------------------------- what the user does -- */

void conn_connect(struct conn *c, const void *data, size_t len)
{
	struct mad m;

	conn_message(c, &m, MAD_REQ);
	m.req = (struct mad_req){
		.service = c->service,
		.guid = conn_guid(),
		.qpn = c->local_qpn,
		.psn = c->rq_psn,
		.responder_resources = c->responder_resources,
		.initiator_depth = c->initiator_depth,
		.remote_timeout = RESPONSE_TIME,
		.local_timeout = RESPONSE_TIME,
		.transport = c->qp_type == IBV_QPT_UC ? MAD_UC : MAD_RC,
		.flow_control = c->flow_control,
		.retry_count = c->retry_count,
		.rnr_retry_count = c->rnr_retry_count,
		.max_retries = MAX_RETRIES,
		.mtu = c->mtu,
		.srq = c->srq,
		.pkey = PKEY_DEFAULT,
		.slid = 0xffff,
		.dlid = 0xffff,
		.sgid = c->flow.sgid,
		.dgid = c->flow.dgid,
		.tclass = c->flow.tclass,
		.hops = c->flow.hops,
		.ack_timeout = c->ack_timeout,
	};
	mad_set_data(&m, data, len);
	conn_enter(c, CONN_REQ_SENT);
	if (!conn_fails_on_purpose(c, CONN_EVENT(REJECTED) | CONN_EVENT(UNREACHABLE)))
		conn_send(c, &m);
}

int conn_accept(struct conn *c, const void *data, size_t len)
{
	struct mad m;

	if (c->state != CONN_REQ_RCVD)
		return fail(EINVAL);
	conn_message(c, &m, MAD_REP);
	m.rep = (struct mad_rep){
		.guid = conn_guid(),
		.qpn = c->local_qpn,
		.psn = c->rq_psn,
		.responder_resources = c->responder_resources,
		.initiator_depth = c->initiator_depth,
		.ack_delay = ACK_DELAY,
		.flow_control = c->flow_control,
		.rnr_retry_count = c->rnr_retry_offer,
		.srq = c->srq,
	};
	mad_set_data(&m, data, len);
	conn_enter(c, CONN_REP_SENT);
	conn_send(c, &m);
	return 0;
}

int conn_establish(struct conn *c)
{
	if (c->state != CONN_REP_RCVD)
		return fail(EINVAL);
	conn_enter(c, CONN_ESTABLISHED);
	conn_send_ids(c, MAD_RTU);
	return 0;
}

int conn_communicating(struct conn *c)
{
	if (c->state == CONN_REP_SENT) {
		conn_enter(c, CONN_ESTABLISHED);
		conn_tell(c, CONN_EV_ESTABLISHED, 0, NULL);
		return 0;
	}
	return fail(c->state == CONN_ESTABLISHED ? EISCONN : EINVAL);
}

int conn_reject(struct conn *c, enum rej_reason reason, const void *data, size_t len)
{
	enum mad_about about = ABOUT_REQ;

	switch (c->state) {
	case CONN_REP_RCVD:
		about = ABOUT_REP;
		break;
	case CONN_REP_SENT:
		about = ABOUT_OTHER;
		break;
	case CONN_REQ_RCVD:
		break;
	default:
		return fail(EINVAL);
	}
	conn_send_rej(c, about, reason, data, len);
	conn_linger(c, CONN_REJ_SENT);
	return 0;
}

static void send_dreq(struct conn *c)
{
	struct mad m;

	c->tid = conn_tid(c);
	conn_message(c, &m, MAD_DREQ);
	m.dreq.remote_qpn = c->remote_qpn;
	conn_enter(c, CONN_DREQ_SENT);
	conn_send(c, &m);
}

void conn_disconnect(struct conn *c)
{
	if (c->state == CONN_ESTABLISHED) {
		send_dreq(c);
	} else if (c->state == CONN_DREQ_RCVD) {
		conn_send_ids(c, MAD_DREP);
		conn_enter_timewait(c);
	}
}

void conn_let_go(struct conn *c)
{
	c->user = NULL;
	switch (c->state) {
	case CONN_REQ_SENT:
		conn_send_rej(c, ABOUT_REQ, REJ_TIMEOUT, NULL, 0);
		conn_over(c);
		return;
	case CONN_REQ_RCVD:
	case CONN_REP_SENT:
	case CONN_REP_RCVD:
		conn_reject(c, REJ_CONSUMER, NULL, 0);
		return;
	case CONN_SIDR_RCVD:
		conn_answer(c, SIDR_REJECT, 0, NULL, 0);
		return;
	case CONN_ESTABLISHED:
	case CONN_DREQ_RCVD:
		conn_disconnect(c);
		return;
	case CONN_DREQ_SENT:
		if (c->give_up > engine_now() + GIVE_UP_ALONE)
			c->give_up = engine_now() + GIVE_UP_ALONE;
		return;
	case CONN_SIDR_REP_SENT:
		conn_linger(c, CONN_SIDR_REP_SENT);
		return;
	case CONN_TIMEWAIT:
	case CONN_REJ_SENT:
		return;
	default:
		conn_over(c);
	}
}

/* ---------------------------------------------------- no answer has come -- */

/* A REQ, a REP or a SIDR_REQ. */
static void request_unanswered(struct conn *c)
{
	if (c->state != CONN_SIDR_SENT)
		conn_send_rej(c, c->state == CONN_REQ_SENT ? ABOUT_REQ : ABOUT_OTHER, REJ_TIMEOUT,
			      NULL, 0);
	conn_tell(c, CONN_EV_UNREACHABLE, -ETIMEDOUT, NULL);
	conn_over(c);
}

static void dreq_unanswered(struct conn *c)
{
	conn_tell(c, CONN_EV_DISCONNECTED, -ETIMEDOUT, NULL);
	conn_enter_timewait(c);
}

static void timewait_ended(struct conn *c)
{
	conn_tell(c, CONN_EV_TIMEWAIT_EXIT, 0, NULL);
	conn_over(c);
}

static const struct expiry {
	bool again; /* what was sent is repeated until it is time to give up */
	void (*end)(struct conn *c);
} expiries[CONN_STATES] = {
	[CONN_REQ_SENT] = { true, request_unanswered },
	[CONN_REP_SENT] = { true, request_unanswered },
	[CONN_SIDR_SENT] = { true, request_unanswered },
	[CONN_DREQ_SENT] = { true, dreq_unanswered },
	[CONN_TIMEWAIT] = { false, timewait_ended },
	[CONN_REJ_SENT] = { false, conn_over },
	[CONN_SIDR_REP_SENT] = { false, conn_over },
};

/* The failure that a rule has asked for: a rejection as if the peer had sent it, no answer, or an
 * end that each side believes to be the other's. */
static void fail_on_purpose(struct conn *c)
{
	const struct mad rejection = { .attr = MAD_REJ,
				       .remote_id = c->local_id,
				       .tid = c->tid,
				       .rej = { .about = ABOUT_REQ, .reason = c->reason } };
	const unsigned event = c->on_purpose;

	c->on_purpose = 0;
	switch (event) {
	case RDMA_CM_EVENT_REJECTED:
		conn_rule(c, &rejection);
		return;
	case RDMA_CM_EVENT_UNREACHABLE:
		conn_tell(c, CONN_EV_UNREACHABLE, -ETIMEDOUT, NULL);
		conn_over(c);
		return;
	default:
		conn_tell(c, CONN_EV_DISCONNECTED, 0, NULL);
		send_dreq(c);
	}
}

void conn_expired(struct timer *t)
{
	struct conn *c = (struct conn *)((char *)t - offsetof(struct conn, timer));
	const struct expiry *e = &expiries[c->state];
	uint64_t now = engine_now();

	if (c->on_purpose) {
		fail_on_purpose(c);
		return;
	}
	if (!e->again || now >= c->give_up) {
		e->end(c);
		return;
	}
	conn_send_again(c);
	if (++c->repeated >= QUICK)
		c->wait = c->wait * 2 < RESEND_MAX ? c->wait * 2 : RESEND_MAX;
	timer_set(t, now + c->wait < c->give_up ? now + c->wait : c->give_up);
}

/* -------------------------------------------------- messages of the peer -- */

/* The effect of a message on a connection: the tables of 12.9.7 (active, passive) and 12.9.8
 * (release). Messages that are not in the table are ignored: 12.9.5. */

static void req_again(struct conn *c, const struct mad *m)
{
	(void)m;
	/* 12.6.6: the application thinks it over, do not send it again and again */
	conn_send_mra(c, ABOUT_REQ);
}

static void answer_again(struct conn *c, const struct mad *m)
{
	(void)m;
	conn_send_again(c);
}

static void req_in_timewait(struct conn *c, const struct mad *m)
{
	c->tid = m->tid;
	conn_send_rej(c, ABOUT_REQ, REJ_STALE, NULL, 0);
}

static void mra_received(struct conn *c, const struct mad *m)
{
	conn_be_patient(c, m->mra.timeout);
}

static void rej_received(struct conn *c, const struct mad *m)
{
	conn_enter(c, CONN_IDLE);
	conn_tell(c, CONN_EV_REJECTED, m->rej.reason, m);
	conn_over(c);
}

/* The peer withdraws what it has accepted. Packets of the connection may be on their way. */
static void rej_received_late(struct conn *c, const struct mad *m)
{
	conn_tell(c, CONN_EV_REJECTED, m->rej.reason, m);
	conn_enter_timewait(c);
}

static void rep_received(struct conn *c, const struct mad *m)
{
	const struct mad_rep *rep = &m->rep;

	c->remote_id = m->local_id;
	c->guid = rep->guid;
	c->remote_qpn = rep->qpn;
	c->sq_psn = rep->psn;
	c->rnr_retry_count = rep->rnr_retry_count;
	/* what one side can answer is what the other may ask */
	c->initiator_depth = limit_rd_atom(rep->responder_resources);
	c->responder_resources = limit_rd_atom(rep->initiator_depth);
	conn_meets_peer(c);
	conn_enter(c, CONN_REP_RCVD);
	conn_tell(c, CONN_EV_RESPONSE, 0, m);
}

static void rep_before_rtu(struct conn *c, const struct mad *m)
{
	(void)m;
	conn_send_mra(c, ABOUT_REP);
}

static void rtu_lost(struct conn *c, const struct mad *m)
{
	(void)m;
	conn_send_ids(c, MAD_RTU);
}

static void rtu_received(struct conn *c, const struct mad *m)
{
	conn_enter(c, CONN_ESTABLISHED);
	conn_tell(c, CONN_EV_ESTABLISHED, 0, m);
}

static void dreq_received(struct conn *c, const struct mad *m)
{
	c->tid = m->tid;
	conn_enter(c, CONN_DREQ_RCVD);
	if (c->user) {
		conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
		return;
	}
	conn_disconnect(c);
}

/* The RTU is lost, or comes later: two messages may reach this process through two others. A peer
 * that disconnects was connected, and its last sends may be here already. */
static void dreq_before_rtu(struct conn *c, const struct mad *m)
{
	conn_enter(c, CONN_ESTABLISHED);
	conn_tell(c, CONN_EV_ESTABLISHED, 0, NULL);
	dreq_received(c, m);
}

/* Both sides disconnect at once: each answers the other. */
static void dreq_crossed(struct conn *c, const struct mad *m)
{
	c->tid = m->tid;
	conn_send_ids(c, MAD_DREP);
	conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
	conn_enter_timewait(c);
}

static void drep_received(struct conn *c, const struct mad *m)
{
	conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
	conn_enter_timewait(c);
}

static void drep_lost(struct conn *c, const struct mad *m)
{
	c->tid = m->tid;
	conn_send_ids(c, MAD_DREP);
}

#define ON(attr) [(attr)-MAD_REQ]
static void (*const rules[CONN_STATES][MAD_END - MAD_REQ])(struct conn *, const struct mad *) = {
	[CONN_REQ_SENT] = {
		ON(MAD_MRA) = mra_received,
		ON(MAD_REJ) = rej_received,
		ON(MAD_REP) = rep_received,
	},
	[CONN_REQ_RCVD] = {
		ON(MAD_REQ) = req_again,
		ON(MAD_REJ) = rej_received,
	},
	[CONN_REP_SENT] = {
		ON(MAD_REQ) = answer_again,
		ON(MAD_MRA) = mra_received,
		ON(MAD_REJ) = rej_received,
		ON(MAD_RTU) = rtu_received,
		ON(MAD_DREQ) = dreq_before_rtu,
	},
	[CONN_REP_RCVD] = {
		ON(MAD_REP) = rep_before_rtu,
		ON(MAD_REJ) = rej_received_late,
	},
	[CONN_ESTABLISHED] = {
		ON(MAD_REP) = rtu_lost,
		ON(MAD_REJ) = rej_received_late,
		ON(MAD_DREQ) = dreq_received,
	},
	[CONN_DREQ_SENT] = {
		ON(MAD_REJ) = drep_received, /* it knows nothing of the connection any more */
		ON(MAD_DREQ) = dreq_crossed,
		ON(MAD_DREP) = drep_received,
	},
	[CONN_TIMEWAIT] = {
		ON(MAD_REQ) = req_in_timewait,
		ON(MAD_DREQ) = drep_lost,
	},
	[CONN_REJ_SENT] = {
		ON(MAD_REQ) = answer_again,
		ON(MAD_REP) = answer_again,
	},
	[CONN_SIDR_SENT] = {
		ON(MAD_SIDR_REP) = conn_sidr_reply,
	},
	[CONN_SIDR_REP_SENT] = {
		ON(MAD_SIDR_REQ) = answer_again,
	},
};

void conn_rule(struct conn *c, const struct mad *m)
{
	if (rules[c->state][m->attr - MAD_REQ])
		rules[c->state][m->attr - MAD_REQ](c, m);
	else
		count(CNT_BAD_STATE);
}

/* Does the message come from the connection's peer? Before its first answer, the communication id
 * of the peer is not known. A REJ has none if the peer never made a connection. A DREQ names our
 * QP, too. */
static bool from_peer(const struct conn *c, const struct mad_from *from, const struct mad *m)
{
	if (!gid_equal(&from->src, &c->flow.dgid) || !gid_equal(&from->dst, &c->flow.sgid))
		return false;
	if (m->attr == MAD_DREQ && m->dreq.remote_qpn != c->local_qpn)
		return false;
	if (c->state == CONN_REQ_SENT || m->attr == MAD_SIDR_REP)
		return true;
	return m->local_id == c->remote_id || (m->attr == MAD_REJ && m->local_id == 0);
}

/* A peer that never had our REP does not know our id. Its own id and GUID find the connection. */
static struct conn *find_timed_out(const struct mad *m)
{
	uint64_t guid;

	if (m->attr != MAD_REJ || m->rej.reason != REJ_TIMEOUT)
		return NULL;
	memcpy(&guid, m->rej.info, sizeof(guid));
	return conn_find_peer(be64toh(guid), m->local_id);
}

void conn_input(const struct mad_from *from, const struct mad *m)
{
	struct conn *c;

	if (m->attr == MAD_REQ || m->attr == MAD_SIDR_REQ) {
		conn_request_input(from, m);
		return;
	}
	c = m->remote_id ? conn_find(m->remote_id) : find_timed_out(m);
	if (!c || c->state == CONN_IDLE) {
		if (m->attr == MAD_DREQ)
			conn_answer_drep(from, m); /* 12.9.8.3: so that the peer comes to its end */
		else if (m->attr == MAD_REP)
			conn_answer_rej(from, m, REJ_COMM_ID);
		return;
	}
	if (!from_peer(c, from, m)) {
		count(CNT_BAD_SOURCE);
		return;
	}
	conn_rule(c, m);
}
