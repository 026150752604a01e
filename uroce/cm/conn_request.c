/* SPDX-License-Identifier: MIT */
/* Requests that come in: 12.9.7.2 (passive), 12.9.8.3 (stale connections), 12.11 (service id
 * resolution). */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "counters.h"
#include "gid.h"
#include "group.h"

static struct flow flow_back(const struct mad_from *from)
{
	return (struct flow){
		.sgid = from->dst,
		.dgid = from->src,
		.scope = from->scope,
		.hops = 64,
	};
}

/* Is the sender one host, and is the destination an address of ours? */
static bool can_answer(const struct mad_from *from)
{
	static const union ibv_gid none;

	if (gid_equal(&from->src, &none) || gid_is_multicast(&from->src))
		return false;
	return gid_find(&from->dst, from->scope) >= 0;
}

static void send_answer(const struct mad_from *from, const struct mad *m)
{
	struct flow flow = flow_back(from);
	uint8_t buf[MAD_BYTES];

	if (!can_answer(from)) {
		count(CNT_BAD_SOURCE);
		return;
	}
	mad_build(buf, m);
	tx_send_mad(&flow, buf);
}

void conn_answer_rej(const struct mad_from *from, const struct mad *m, enum rej_reason reason)
{
	struct mad rej = {
		.attr = MAD_REJ,
		.tid = m->tid,
		.local_id = m->remote_id, /* our id, if the message names one */
		.remote_id = m->local_id,
		.rej = { .about = m->attr == MAD_REP ? ABOUT_REP : ABOUT_REQ, .reason = reason },
	};

	send_answer(from, &rej);
}

void conn_answer_drep(const struct mad_from *from, const struct mad *m)
{
	struct mad drep = {
		.attr = MAD_DREP,
		.tid = m->tid,
		.local_id = m->remote_id,
		.remote_id = m->local_id,
	};

	send_answer(from, &drep);
}

static void answer_sidr(const struct mad_from *from, const struct mad *m, enum sidr_status status)
{
	struct mad rep = {
		.attr = MAD_SIDR_REP,
		.tid = m->tid,
		.remote_id = m->local_id,
		.sidr_rep = { .status = status, .service = m->sidr_req.service },
	};

	send_answer(from, &rep);
}

/* The addresses in the private data must be those of the IP header: applications are told them, and
 * should not have to rely on the word of the peer. */
static bool addresses_true(const struct mad_from *from, const struct mad *m, struct mad_ip *ip)
{
	return mad_ip_parse(ip, m->data) == 0 && gid_equal(&ip->src, &from->src) &&
	       gid_equal(&ip->dst, &from->dst);
}

/* 0, or the reason why the request cannot be met whoever listens. */
static int check_req(const struct mad_from *from, const struct mad *m, struct mad_ip *ip)
{
	const struct mad_req *req = &m->req;
	const int position = gid_find(&from->dst, from->scope);
	const struct gid_entry *e = position >= 0 ? gid_at((unsigned)position) : NULL;

	if (!gid_equal(&req->sgid, &from->src) || !gid_equal(&req->dgid, &from->dst) || !e)
		return REJ_GID;
	if (req->transport != MAD_RC && req->transport != MAD_UC)
		return REJ_TRANSPORT;
	if ((req->pkey | 0x8000) != PKEY_DEFAULT)
		return REJ_UNSUPPORTED;
	if (req->mtu < IBV_MTU_256 || req->mtu > gid_path_mtu(e->mtu))
		return REJ_MTU;
	if (!addresses_true(from, m, ip))
		return REJ_CONSUMER;
	return 0;
}

/* -------------------------------------------- requests that are deferred -- */

/*
 * A request that finds no listener waits a moment (STEPS * STEP_NS) for one before it is refused.
 * Programs close a listener and open it anew, as perftest does between its two connections, while
 * their peer connects already. The kernel is slow enough that they get away with it.
 */

#define HELD	32
#define STEP_NS 10000000ull
#define STEPS	10

static struct held {
	unsigned steps; /* left; 0: a free entry */
	bool again;	/* it has found nobody this time either */
	struct mad_from from;
	struct mad m;
} held[HELD];

static bool is_last_try; /* the request being routed has waited long enough */

static struct held *find_held(const struct mad_from *from, const struct mad *m)
{
	for (unsigned i = 0; i < HELD; i++) {
		struct held *h = &held[i];

		if (h->steps && h->m.attr == m->attr && h->m.local_id == m->local_id &&
		    gid_equal(&h->from.src, &from->src))
			return h;
	}
	return NULL;
}

static struct held *free_entry(void)
{
	for (unsigned i = 0; i < HELD; i++)
		if (!held[i].steps)
			return &held[i];
	return NULL;
}

static void retry_held(struct timer *t);
static struct timer retry_timer = { .fn = retry_held };

/* Routes each of them again: another process may hold the name by now, or this one listen. */
static void retry_held(struct timer *t)
{
	bool more = false;

	for (unsigned i = 0; i < HELD; i++) {
		struct held *h = &held[i];
		struct mad_from from = h->from;
		struct mad m = h->m;

		if (!h->steps)
			continue;
		h->again = false;
		is_last_try = --h->steps == 0;
		conn_request_route(&from, &m);
		is_last_try = false;
		if (!h->again)
			h->steps = 0;
		more = more || h->steps;
	}
	if (more)
		timer_set(t, engine_now() + STEP_NS);
}

/* Nobody takes a request: true when it is tried again later, or is already. False: it has waited,
 * and is to be refused. */
static bool request_defer(const struct mad_from *from, const struct mad *m)
{
	struct held *h;

	if (is_last_try)
		return false;
	h = find_held(from, m);
	if (h) {
		h->again = true;
		return true;
	}
	h = free_entry();
	if (!h)
		return false;
	*h = (struct held){ .steps = STEPS, .from = *from, .m = *m };
	if (!timer_running(&retry_timer))
		timer_set(&retry_timer, engine_now() + STEP_NS);
	return true;
}

void conn_request_forget_deferred(void)
{
	memset(held, 0, sizeof(held));
}

/* ------------------------------------------------------ connections and SIDR -- */

static struct port *find_port(uint64_t service, const union ibv_gid *dst)
{
	if (service >> 32)
		return NULL;
	return conn_port_find((uint16_t)(service >> 16), (uint16_t)service, dst);
}

/* Does a process of this host have the port of the service, but on another address or of the other
 * family? The kernel's CM, whose listeners have no addresses, passes such a request to its rdma_cm,
 * which rejects it as a consumer does. */
static bool is_heard_elsewhere(uint64_t service)
{
	const uint16_t space = (uint16_t)(service >> 16), number = (uint16_t)service;

	return !(service >> 32) &&
	       (conn_port_has_listener(space, number) || group_has_port(space, number));
}

static struct conn *new_conn(const struct mad_from *from, const struct mad *m, struct port *port)
{
	struct conn *c = conn_new(NULL);

	if (!c)
		return NULL;
	c->tid = m->tid;
	c->remote_id = m->local_id;
	c->flow = flow_back(from);
	c->port = port;
	conn_port_hold(port);
	return c;
}

/* Makes the connection; 0, or the reason why not. */
static int take_req(const struct mad_from *from, const struct mad *m)
{
	const struct mad_req *req = &m->req;
	struct port *port = find_port(req->service, &from->dst);
	struct mad_ip ip;
	struct conn *c;
	int reason;

	if (!port && is_heard_elsewhere(req->service))
		return REJ_CONSUMER;
	if (!port || !port->listener)
		return REJ_SERVICE;
	reason = check_req(from, m, &ip);
	if (reason)
		return reason;
	c = new_conn(from, m, port);
	if (!c)
		return REJ_NO_RESOURCES;
	c->service = req->service;
	c->guid = req->guid;
	c->flow.tclass = req->tclass;
	c->qp_type = req->transport == MAD_UC ? IBV_QPT_UC : IBV_QPT_RC;
	c->remote_qpn = req->qpn;
	c->sq_psn = req->psn;
	/* what one side can answer is what the other may ask */
	c->initiator_depth = limit_rd_atom(req->responder_resources);
	c->responder_resources = limit_rd_atom(req->initiator_depth);
	c->retry_count = req->retry_count;
	c->rnr_retry_count = req->rnr_retry_count;
	c->ack_timeout = req->ack_timeout;
	c->mtu = req->mtu;
	reason = id_conn_request(port->listener, c, m, &ip);
	if (reason) {
		conn_free(c);
		return reason;
	}
	conn_enter(c, CONN_REQ_RCVD);
	conn_meets_peer(c);
	return 0;
}

static void req_input(const struct mad_from *from, const struct mad *m)
{
	struct conn *c = conn_find_peer(m->req.guid, m->local_id);
	int reason;

	if (c && gid_equal(&c->flow.dgid, &from->src)) {
		conn_rule(c, m);
		return;
	}
	c = conn_find_qpn(m->req.guid, m->req.qpn);
	if (c && gid_equal(&c->flow.dgid, &from->src)) {
		/* a QP has one connection: the peer has forgotten the one that we know */
		conn_disconnect(c);
		reason = REJ_STALE;
	} else {
		reason = take_req(from, m);
	}
	if (reason > 0 && (reason != REJ_SERVICE || !request_defer(from, m)))
		conn_answer_rej(from, m, (unsigned)reason);
}

static unsigned take_sidr(const struct mad_from *from, const struct mad *m)
{
	struct port *port = find_port(m->sidr_req.service, &from->dst);
	struct mad_ip ip;
	struct conn *c;
	int status;

	if (!port && is_heard_elsewhere(m->sidr_req.service))
		return SIDR_REJECT;
	if (!port || !port->listener)
		return SIDR_UNSUPPORTED;
	if (!can_answer(from) || !addresses_true(from, m, &ip))
		return SIDR_REJECT;
	c = new_conn(from, m, port);
	if (!c)
		return SIDR_NO_QP;
	c->service = m->sidr_req.service;
	c->qp_type = IBV_QPT_UD;
	status = id_conn_request(port->listener, c, m, &ip);
	if (status) {
		conn_free(c);
		return (unsigned)status;
	}
	conn_enter(c, CONN_SIDR_RCVD);
	conn_meets_peer(c);
	return 0;
}

static void sidr_input(const struct mad_from *from, const struct mad *m)
{
	struct conn *c = conn_find_request(&from->src, m->local_id);
	unsigned status;

	if (c) {
		conn_rule(c, m);
		return;
	}
	status = take_sidr(from, m);
	if (status && (status != SIDR_UNSUPPORTED || !request_defer(from, m)))
		answer_sidr(from, m, status);
}

void conn_request_input(const struct mad_from *from, const struct mad *m)
{
	if (m->attr == MAD_REQ)
		req_input(from, m);
	else
		sidr_input(from, m);
}

/* ------------------------------------------------- service id resolution -- */

/* Which QP a datagram service has: 12.11. */

void conn_resolve(struct conn *c, const void *data, size_t len)
{
	struct mad m;

	conn_message(c, &m, MAD_SIDR_REQ);
	m.sidr_req.pkey = PKEY_DEFAULT;
	m.sidr_req.service = c->service;
	mad_set_data(&m, data, len);
	conn_enter(c, CONN_SIDR_SENT);
	conn_send(c, &m);
}

int conn_answer(struct conn *c, enum sidr_status status, uint32_t qkey, const void *data,
		size_t len)
{
	struct mad m;

	if (c->state != CONN_SIDR_RCVD)
		return fail(EINVAL);
	conn_message(c, &m, MAD_SIDR_REP);
	m.sidr_rep.status = status;
	m.sidr_rep.service = c->service;
	if (status == SIDR_OK) {
		m.sidr_rep.qpn = c->local_qpn;
		m.sidr_rep.qkey = qkey;
	}
	mad_set_data(&m, data, len);
	conn_send_once(c, &m);
	if (c->user)
		conn_enter(c, CONN_SIDR_REP_SENT); /* as long as its id lives */
	else
		conn_linger(c, CONN_SIDR_REP_SENT);
	return 0;
}

void conn_sidr_reply(struct conn *c, const struct mad *m)
{
	if (m->sidr_rep.status == SIDR_OK) {
		c->remote_qpn = m->sidr_rep.qpn;
		conn_tell(c, CONN_EV_ESTABLISHED, 0, m);
	} else {
		conn_tell(c, CONN_EV_UNREACHABLE, m->sidr_rep.status, m);
	}
	conn_over(c);
}
