// SPDX-License-Identifier: MIT
/*
 * What a message of the peer does to a connection: the tables of 12.9.7 (active, passive)
 * and 12.9.8 (release). Everything not in the table is ignored, as 12.9.5 wants it.
 */
#include <string.h>

#include "conn.h"
#include "context.h"
#include "counters.h"

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

static void patience(struct conn *c, const struct mad *m)
{
	conn_be_patient(c, m->mra.timeout);
}

static void rejected(struct conn *c, const struct mad *m)
{
	conn_enter(c, CONN_IDLE);
	conn_tell(c, CONN_EV_REJECTED, m->rej.reason, m);
	conn_over(c);
}

/* The peer takes back what it has said: packets may be on their way. */
static void rejected_late(struct conn *c, const struct mad *m)
{
	conn_tell(c, CONN_EV_REJECTED, m->rej.reason, m);
	conn_enter_timewait(c);
}

static void responded(struct conn *c, const struct mad *m)
{
	const struct mad_rep *rep = &m->rep;

	c->remote_id = m->local_id;
	c->guid = rep->guid;
	c->remote_qpn = rep->qpn;
	c->sq_psn = rep->psn;
	c->rnr_retry_count = rep->rnr_retry_count;
	/* what one side can answer is what the other may ask */
	c->initiator_depth = rep->responder_resources;
	c->responder_resources = rep->initiator_depth;
	if (c->initiator_depth > MAX_RD_ATOM)
		c->initiator_depth = MAX_RD_ATOM;
	if (c->responder_resources > MAX_RD_ATOM)
		c->responder_resources = MAX_RD_ATOM;
	conn_index(c);
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

static void ready(struct conn *c, const struct mad *m)
{
	conn_enter(c, CONN_ESTABLISHED);
	conn_tell(c, CONN_EV_ESTABLISHED, 0, m);
}

static void disconnecting(struct conn *c, const struct mad *m)
{
	if (m->dreq.remote_qpn != c->local_qpn)
		return;
	c->tid = m->tid;
	conn_enter(c, CONN_DREQ_RCVD);
	if (c->user) {
		conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
		return;
	}
	conn_disconnect(c);
}

/* The RTU is lost, or comes later: messages for a process may come in through two others. Who
 * disconnects was connected, and its last sends may be here already. */
static void disconnecting_early(struct conn *c, const struct mad *m)
{
	if (m->dreq.remote_qpn != c->local_qpn)
		return;
	conn_enter(c, CONN_ESTABLISHED);
	conn_tell(c, CONN_EV_ESTABLISHED, 0, NULL);
	disconnecting(c, m);
}

/* Both have begun: each answers the other, and that is all. */
static void disconnecting_both(struct conn *c, const struct mad *m)
{
	if (m->dreq.remote_qpn != c->local_qpn)
		return;
	c->tid = m->tid;
	conn_send_ids(c, MAD_DREP);
	conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
	conn_enter_timewait(c);
}

static void disconnected(struct conn *c, const struct mad *m)
{
	conn_tell(c, CONN_EV_DISCONNECTED, 0, m);
	conn_enter_timewait(c);
}

static void drep_lost(struct conn *c, const struct mad *m)
{
	if (m->dreq.remote_qpn != c->local_qpn)
		return;
	c->tid = m->tid;
	conn_send_ids(c, MAD_DREP);
}

#define ON(attr) [(attr)-MAD_REQ]
static void (*const rules[CONN_STATES][MAD_END - MAD_REQ])(struct conn *, const struct mad *) = {
	[CONN_REQ_SENT] = {
		ON(MAD_MRA) = patience,
		ON(MAD_REJ) = rejected,
		ON(MAD_REP) = responded,
	},
	[CONN_REQ_RCVD] = {
		ON(MAD_REQ) = req_again,
		ON(MAD_REJ) = rejected,
	},
	[CONN_REP_SENT] = {
		ON(MAD_REQ) = answer_again,
		ON(MAD_MRA) = patience,
		ON(MAD_REJ) = rejected,
		ON(MAD_RTU) = ready,
		ON(MAD_DREQ) = disconnecting_early,
	},
	[CONN_REP_RCVD] = {
		ON(MAD_REP) = rep_before_rtu,
		ON(MAD_REJ) = rejected_late,
	},
	[CONN_ESTABLISHED] = {
		ON(MAD_REP) = rtu_lost,
		ON(MAD_REJ) = rejected_late,
		ON(MAD_DREQ) = disconnecting,
	},
	[CONN_DREQ_SENT] = {
		ON(MAD_REJ) = disconnected,
		ON(MAD_DREQ) = disconnecting_both,
		ON(MAD_DREP) = disconnected,
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
		ON(MAD_SIDR_REP) = sidr_reply,
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

/* Does the message come from the connection's peer? Its communication id is not known
 * before its first answer, and a REJ of a request that it took no notice of has none. */
static bool from_peer(const struct conn *c, const struct mad_from *from, const struct mad *m)
{
	if (memcmp(&from->src, &c->flow.dgid, sizeof(from->src)) != 0 ||
	    memcmp(&from->dst, &c->flow.sgid, sizeof(from->dst)) != 0)
		return false;
	if (c->state == CONN_REQ_SENT || m->attr == MAD_SIDR_REP)
		return true;
	return m->local_id == c->remote_id || (m->attr == MAD_REJ && m->local_id == 0);
}

/* Who has not had our REP does not know our id: its own and its GUID say who it is. */
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
		request_input(from, m);
		return;
	}
	c = m->remote_id ? conn_find(m->remote_id) : find_timed_out(m);
	if (!c || c->state == CONN_IDLE) {
		if (m->attr == MAD_DREQ)
			answer_drep(from, m); /* 12.9.8.3: so that the peer comes to its end */
		else if (m->attr == MAD_REP)
			answer_rej(from, m, REJ_COMM_ID);
		return;
	}
	if (!from_peer(c, from, m)) {
		count(CNT_BAD_SOURCE);
		return;
	}
	conn_rule(c, m);
}
