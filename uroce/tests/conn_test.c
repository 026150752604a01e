// SPDX-License-Identifier: MIT
/* The protocol of connections under virtual time: both ends are in this process. */
#include "conn.h"

#include <errno.h>

#include "bytes.h"
#include "check.h"
#include "counters.h"
#include "fake_host.h"
#include "listen.h"

#define SECOND 1000000000ull
#define SPACE  0x0106
#define PORT   7174
#define LOG    16

/* An application at one end: what it was told, and what it does about it. */
struct cm_id {
	struct conn *c;
	enum conn_event events[LOG];
	int status[LOG];
	unsigned n, done; /* told, and dealt with */
	bool wants_accept, slow;
	enum { POLITE, SILENT, REJECTS } manner;
	uint8_t private[MAD_PRIVATE_MAX];
};

static struct cm_id active, passive[4], listening;
static unsigned npassive;
static struct port *port;
static unsigned refuse; /* reason that id_conn_request() gives */

void id_conn_event(struct cm_id *id, enum conn_event event, int status, const struct mad *m)
{
	CHECK(id->n < LOG);
	id->events[id->n] = event;
	id->status[id->n++] = status;
	if (m)
		memcpy(id->private, m->data, sizeof(m->data));
}

int id_conn_request(struct cm_id *listener, struct conn *c, const struct mad *m,
		    const struct mad_ip *ip)
{
	struct cm_id *id = &passive[npassive];

	CHECK(listener == &listening);
	if (refuse)
		return (int)refuse;
	CHECK(npassive < 4);
	npassive++;
	CHECK_INT(ip->sport, 5000);
	memcpy(id->private, m->data, sizeof(m->data));
	id->c = c;
	c->user = id;
	id->manner = listening.manner;
	id->wants_accept = !listening.slow;
	return 0;
}

static void answer_request(struct cm_id *id)
{
	id->wants_accept = false;
	if (id->manner == REJECTS) {
		CHECK_INT(conn_reject(id->c, REJ_CONSUMER, "no", 2), 0);
	} else {
		id->c->local_qpn = 0x222;
		CHECK_INT(conn_accept(id->c, "yes", 3), 0);
	}
}

static void react(struct cm_id *id)
{
	if (id->wants_accept)
		answer_request(id);
	for (; id->done < id->n; id->done++) {
		if (id->manner == SILENT)
			continue;
		if (id->events[id->done] == CONN_EV_RESPONSE)
			conn_establish(id->c);
		else if (id->events[id->done] == CONN_EV_DISCONNECTED)
			conn_disconnect(id->c);
	}
}

static void applications(void)
{
	react(&active);
	for (unsigned i = 0; i < npassive; i++)
		react(&passive[i]);
}

static unsigned count_of(const struct cm_id *id, enum conn_event event)
{
	unsigned n = 0;

	for (unsigned i = 0; i < id->n; i++)
		n += id->events[i] == event;
	return n;
}

static int status_of(const struct cm_id *id, enum conn_event event)
{
	for (unsigned i = 0; i < id->n; i++)
		if (id->events[i] == event)
			return id->status[i];
	CHECK(!"event");
	return 0;
}

static void begin(void)
{
	uint16_t number = PORT;

	fake_reset();
	fake_app = applications;
	memset(&active, 0, sizeof(active));
	memset(passive, 0, sizeof(passive));
	memset(&listening, 0, sizeof(listening));
	npassive = refuse = 0;
	port = port_bind(SPACE, &number, &any_ipv6, true, false);
	CHECK(port);
	port->listener = &listening;
}

/* Everything comes to its end, and nothing is left. */
static void end(void)
{
	fake_fate = NULL;
	if (active.c)
		conn_let_go(active.c);
	for (unsigned i = 0; i < npassive; i++)
		conn_let_go(passive[i].c);
	active.c = NULL;
	npassive = 0;
	fake_app = NULL;
	fake_run(100 * SECOND);
	port_leave(port, &listening);
	CHECK_INT(fake_reserved, 0);
	CHECK_INT(fake_names, 0);
}

static struct conn *prepare(enum ibv_qp_type type)
{
	struct conn *c = conn_new(&active);

	CHECK(c);
	c->flow = (struct flow){ .sgid = fake_gid(0), .dgid = fake_gid(1), .hops = 64 };
	c->service = service_id(SPACE, PORT);
	c->qp_type = type;
	c->local_qpn = 0x111;
	c->mtu = IBV_MTU_1024;
	c->ack_timeout = 16;
	c->retry_count = 6;
	c->rnr_retry_count = 5;
	c->responder_resources = 3;
	c->initiator_depth = 4;
	active.c = c;
	return c;
}

static size_t request_data(uint8_t *data)
{
	struct mad_ip ip = { .sport = 5000, .src = fake_gid(0), .dst = fake_gid(1) };

	mad_ip_build(data, &ip);
	memcpy(data + MAD_IP_BYTES, "hello", 5);
	return MAD_IP_BYTES + 5;
}

static void connect_now(void)
{
	uint8_t data[MAD_PRIVATE_MAX];

	conn_connect(prepare(IBV_QPT_RC), data, request_data(data));
}

static void resolve_now(void)
{
	uint8_t data[MAD_PRIVATE_MAX];

	conn_resolve(prepare(IBV_QPT_UD), data, request_data(data));
}

/* ------------------------------------------------------------- a quiet network -- */

static void check_plain(void)
{
	struct conn *a, *p;

	begin();
	connect_now();
	fake_run(SECOND);
	CHECK_INT(npassive, 1);
	a = active.c;
	p = passive[0].c;
	CHECK_INT(a->state, CONN_ESTABLISHED);
	CHECK_INT(p->state, CONN_ESTABLISHED);
	CHECK_INT(fake_sent, 3);
	CHECK_INT(active.n, 1);
	CHECK_INT(active.events[0], CONN_EV_RESPONSE);
	CHECK_STR((char *)active.private, "yes");
	CHECK_INT(passive[0].n, 1);
	CHECK_INT(passive[0].events[0], CONN_EV_ESTABLISHED);
	CHECK(a->local_id >> 26 == FAKE_SLOT && p->local_id >> 26 == FAKE_SLOT);
	/* the PSN of a message is the one with which its receiver begins */
	CHECK_INT(a->rq_psn, p->sq_psn);
	CHECK_INT(p->rq_psn, a->sq_psn);
	CHECK(a->rq_psn != p->rq_psn);
	CHECK_INT(a->remote_qpn, 0x222);
	CHECK_INT(p->remote_qpn, 0x111);
	CHECK_INT(p->responder_resources, 4);
	CHECK_INT(p->initiator_depth, 3);
	CHECK_INT(p->retry_count, 6);
	CHECK_INT(p->rnr_retry_count, 5);
	CHECK_INT(p->ack_timeout, 16);
	CHECK_INT(p->mtu, IBV_MTU_1024);

	conn_disconnect(a);
	fake_run(10 * SECOND);
	CHECK_INT(fake_sent, 5);
	CHECK_INT(active.n, 3);
	CHECK_INT(status_of(&active, CONN_EV_DISCONNECTED), 0);
	CHECK_INT(count_of(&active, CONN_EV_TIMEWAIT_EXIT), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_TIMEWAIT_EXIT), 1);
	CHECK_INT(a->state, CONN_IDLE);
	end();
}

static void check_both_disconnect(void)
{
	begin();
	connect_now();
	fake_run(SECOND);
	conn_disconnect(passive[0].c);
	conn_disconnect(active.c);
	fake_run(10 * SECOND);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	CHECK_INT(active.c->state, CONN_IDLE);
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	CHECK(fake_sent <= 7);
	end();
}

/* ------------------------------------------------------------ a bad network -- */

static unsigned hit[2], hits;
static enum fate blow;

static enum fate strike(unsigned n, const struct mad *m)
{
	(void)m;
	for (unsigned i = 0; i < 2; i++)
		if (hit[i] == n) {
			hits++;
			return blow;
		}
	return FATE_PASS;
}

/* A connection from its beginning to its end while packets suffer: both ends are told the
 * same as ever, and it takes no longer than some repetitions. */
static void live(void)
{
	uint64_t start;

	begin();
	fake_fate = strike;
	start = fake_now;
	connect_now();
	while (!(active.c->state == CONN_ESTABLISHED && npassive &&
		 passive[0].c->state == CONN_ESTABLISHED))
		CHECK(fake_step(10 * SECOND));
	CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 1);
	CHECK(fake_now - start < SECOND / 2);
	start = fake_now;
	conn_disconnect(active.c);
	while (!count_of(&active, CONN_EV_DISCONNECTED))
		CHECK(fake_step(10 * SECOND));
	CHECK(fake_now - start < SECOND / 2);
	fake_run(10 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(active.n, 3);
	CHECK_INT(passive[0].n, 3);
	CHECK_INT(status_of(&active, CONN_EV_DISCONNECTED), 0);
	CHECK_INT(status_of(&passive[0], CONN_EV_DISCONNECTED), 0);
	CHECK_INT(active.c->state, CONN_IDLE);
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	end();
}

static void check_loss(enum fate what)
{
	blow = what;
	hits = 0;
	for (hit[0] = 0; hit[0] < 8; hit[0]++)
		for (hit[1] = hit[0]; hit[1] < 8; hit[1]++)
			live();
	CHECK(hits >= 36);
}

static uint32_t seed;
static unsigned percent;

static enum fate weather(unsigned n, const struct mad *m)
{
	unsigned die;

	(void)n;
	(void)m;
	seed = seed * 1103515245 + 12345;
	die = (seed >> 16) % 100;
	return die < percent	    ? FATE_DROP
	       : die < percent + 10 ? FATE_TWICE
	       : die < percent + 20 ? FATE_AGAIN_LATE
				    : FATE_PASS;
}

/* Whatever is lost: both ends come to an end, told once, and agree unless the last word of
 * one was lost 18 times. */
static void check_weather(void)
{
	for (seed = 1; seed < 300 * 7919; seed += 7919) {
		uint32_t from = seed;

		begin();
		percent = 40;
		fake_fate = weather;
		connect_now();
		fake_run(70 * SECOND);
		CHECK_INT(npassive, 1);
		CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 1);
		CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 1);
		conn_disconnect(passive[0].c);
		fake_run(90 * SECOND);
		CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
		CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
		CHECK_INT(active.n, 3);
		CHECK_INT(passive[0].n, 3);
		end();
		seed = from;
	}
}

static enum fate drop_all(unsigned n, const struct mad *m)
{
	(void)n;
	(void)m;
	return FATE_DROP;
}

static enum mad_attr lost;

static enum fate drop_kind(unsigned n, const struct mad *m)
{
	(void)n;
	return m->attr == lost ? FATE_DROP : FATE_PASS;
}

static void check_unreachable(void)
{
	uint64_t start;

	begin();
	fake_fate = drop_all;
	start = fake_now;
	connect_now();
	while (!active.n)
		CHECK(fake_step(10 * SECOND));
	CHECK_INT(active.events[0], CONN_EV_UNREACHABLE);
	CHECK_INT(active.status[0], -ETIMEDOUT);
	CHECK((fake_now - start) / SECOND == 65);
	CHECK(fake_sent > 16 && fake_sent < 30);
	end();

	/* the passive side's answer never arrives, and it tells so */
	begin();
	lost = MAD_REP;
	fake_fate = drop_kind;
	connect_now();
	while (!count_of(&active, CONN_EV_UNREACHABLE) && !count_of(&active, CONN_EV_REJECTED))
		CHECK(fake_step(70 * SECOND));
	fake_run(10 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 0);
	CHECK_INT(passive[0].n, 1);
	CHECK(passive[0].events[0] == CONN_EV_UNREACHABLE ||
	      passive[0].events[0] == CONN_EV_REJECTED);
	end();

	/* its peer has gone without a word */
	begin();
	connect_now();
	fake_run(SECOND);
	fake_fate = drop_all;
	start = fake_now;
	conn_disconnect(active.c);
	while (!count_of(&active, CONN_EV_DISCONNECTED))
		CHECK(fake_step(10 * SECOND));
	CHECK_INT(status_of(&active, CONN_EV_DISCONNECTED), -ETIMEDOUT);
	CHECK((fake_now - start) / SECOND == 65);
	end();
}

/* An application that thinks for minutes: its peer is told to wait, and asks only now and
 * then whether there still is one. */
static void check_slow(void)
{
	begin();
	listening.slow = true;
	connect_now();
	fake_run(300 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(active.n, 0);
	CHECK(fake_sent < 2 * 300 / 4 + 20);
	passive[0].wants_accept = true;
	applications();
	fake_run(SECOND);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	end();

	/* and one that takes its time before it says that it is ready */
	begin();
	active.manner = SILENT;
	connect_now();
	fake_run(200 * SECOND);
	CHECK_INT(active.c->state, CONN_REP_RCVD);
	CHECK_INT(passive[0].c->state, CONN_REP_SENT);
	CHECK(fake_sent < 2 * 200 / 4 + 20);
	CHECK_INT(conn_establish(active.c), 0);
	fake_run(SECOND);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	end();
}

/* ------------------------------------------------------------------ refusals -- */

static void check_reject(void)
{
	lost = MAD_END;
	for (unsigned drops = 0; drops < 2; drops++) {
		begin();
		listening.manner = REJECTS;
		hit[0] = hit[1] = drops ? 1 : 99; /* the REJ, or nothing */
		blow = FATE_DROP;
		fake_fate = strike;
		connect_now();
		fake_run(SECOND);
		CHECK_INT(npassive, 1);
		CHECK_INT(active.n, 1);
		CHECK_INT(status_of(&active, CONN_EV_REJECTED), REJ_CONSUMER);
		CHECK_STR((char *)active.private, "no");
		CHECK_INT(active.c->state, CONN_IDLE);
		end();
	}
	/* nobody listens; the queue of who does is full; every reason there is */
	begin();
	port->listener = NULL;
	connect_now();
	fake_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_REJECTED), REJ_SERVICE);
	end();
	for (unsigned reason = 1; reason < 40; reason++) {
		begin();
		refuse = reason;
		connect_now();
		fake_run(SECOND);
		CHECK_INT(status_of(&active, CONN_EV_REJECTED), (int)reason);
		CHECK_INT(npassive, 0);
		end();
	}
}

/* The active side goes away at each step: the passive one is told. */
static void check_abandoned(void)
{
	begin();
	listening.slow = true;
	connect_now();
	fake_run(SECOND / 100);
	CHECK_INT(npassive, 1);
	conn_let_go(active.c);
	active.c = NULL;
	fake_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_REJECTED), REJ_TIMEOUT);
	CHECK(fake_forwards > 0); /* the others of the host were asked too */
	CHECK_INT(conn_accept(passive[0].c, NULL, 0), -1);
	CHECK_INT(errno, EINVAL);
	end();

	begin();
	active.manner = SILENT;
	connect_now();
	fake_run(SECOND / 100);
	CHECK_INT(active.c->state, CONN_REP_RCVD);
	conn_let_go(active.c);
	active.c = NULL;
	fake_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_REJECTED), REJ_CONSUMER);
	end();

	begin();
	connect_now();
	fake_run(SECOND);
	conn_let_go(active.c);
	active.c = NULL;
	fake_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_DISCONNECTED), 0);
	end();
}

/* --------------------------------------------------------- who has forgotten -- */

static struct mad foreign_req(uint32_t local_id, uint32_t qpn)
{
	struct mad m = {
		.attr = MAD_REQ,
		.tid = 77,
		.local_id = local_id,
		.req = { .service = service_id(SPACE, PORT),
			 .guid = 0x1234,
			 .qpn = qpn,
			 .psn = 9,
			 .mtu = IBV_MTU_1024,
			 .pkey = 0xffff,
			 .ack_timeout = 31,
			 .dgid = fake_gid(0) },
	};
	struct mad_ip ip = { .sport = 5000, .dst = fake_gid(0) };

	ip.src = m.req.sgid = fake_gid(0);
	m.req.sgid.raw[15] = ip.src.raw[15] = 99; /* 10.0.0.99 */
	mad_ip_build(m.data, &ip);
	return m;
}

static void arrive(struct mad *m)
{
	union ibv_gid src = fake_gid(0), dst = fake_gid(0);

	src.raw[15] = 99;
	fake_arrive(&src, &dst, m);
}

static void check_stale(void)
{
	struct mad req, m;

	begin();
	req = foreign_req(500, 0x42);
	arrive(&req);
	CHECK(fake_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REP);
	CHECK_INT(m.remote_id, 500);
	CHECK_INT(m.tid, 77);
	/* the other host has lost its memory, but not its address */
	passive[0].manner = SILENT;
	m = (struct mad){ .attr = MAD_RTU, .local_id = 500, .remote_id = m.local_id };
	arrive(&m);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	req = foreign_req(501, 0x42);
	fake_sent = 0;
	arrive(&req);
	CHECK(fake_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REJ);
	CHECK_INT(m.rej.reason, REJ_STALE);
	CHECK_INT(m.remote_id, 501);
	CHECK_INT(fake_sent, 2); /* and a DREQ for the old one */
	CHECK_INT(passive[0].c->state, CONN_DREQ_SENT);
	/* from another address the same means nothing */
	CHECK_INT(npassive, 1);
	m = (struct mad){ .attr = MAD_DREP, .local_id = 500, .remote_id = passive[0].c->local_id };
	arrive(&m);
	CHECK_INT(passive[0].c->state, CONN_TIMEWAIT);
	arrive(&req);
	CHECK(fake_outgoing(&m, NULL));
	CHECK_INT(m.rej.reason, REJ_STALE);
	fake_run(5 * SECOND); /* however long the peer has said */
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	arrive(&req);
	CHECK(fake_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REP);
	CHECK_INT(npassive, 2);
	end();
}

static void expect_refused(const struct mad *m, unsigned reason)
{
	struct mad answer, copy = *m;

	arrive(&copy);
	fake_run(SECOND);
	CHECK(fake_outgoing(&answer, NULL));
	CHECK_INT(answer.attr, MAD_REJ);
	CHECK_INT(answer.rej.reason, (int)reason);
	CHECK_INT(answer.rej.about, ABOUT_REQ);
	CHECK_INT(answer.remote_id, m->local_id);
	CHECK_INT(npassive, 0);
}

static void check_bad_requests(void)
{
	struct mad m;

	begin();
	m = foreign_req(500, 0x42);
	m.req.mtu = IBV_MTU_2048; /* more than our interface has */
	expect_refused(&m, REJ_MTU);
	m.req.mtu = 0;
	expect_refused(&m, REJ_MTU);
	m.req.mtu = 15;
	expect_refused(&m, REJ_MTU);
	m = foreign_req(500, 0x42);
	m.req.transport = MAD_RD;
	expect_refused(&m, REJ_TRANSPORT);
	m = foreign_req(500, 0x42);
	m.req.pkey = 0x8001;
	expect_refused(&m, REJ_UNSUPPORTED);
	m = foreign_req(500, 0x42);
	m.req.sgid.raw[15]++;
	expect_refused(&m, REJ_GID);
	m = foreign_req(500, 0x42);
	m.req.dgid.raw[15]++;
	expect_refused(&m, REJ_GID);
	m = foreign_req(500, 0x42);
	m.data[4 + 15]++; /* the IP address that it claims to have */
	expect_refused(&m, REJ_CONSUMER);
	m = foreign_req(500, 0x42);
	m.data[1] = 0x50;
	expect_refused(&m, REJ_CONSUMER);
	m = foreign_req(500, 0x42);
	m.req.service ^= 1;
	expect_refused(&m, REJ_SERVICE);
	m.req.service = service_id(SPACE, PORT) | 1ull << 40;
	expect_refused(&m, REJ_SERVICE);
	end();
}

/* -------------------------------------------------------- strangers and states -- */

static void check_strangers(void)
{
	struct mad m, answer;
	struct flow flow;
	union ibv_gid none = { 0 }, group = { .raw = { 0xff, 0x02 } }, own = fake_gid(0);

	begin();
	m = (struct mad){
		.attr = MAD_DREQ, .tid = 5, .local_id = 9, .remote_id = FAKE_SLOT << 26 | 77
	};
	arrive(&m);
	CHECK(fake_outgoing(&answer, &flow));
	CHECK_INT(answer.attr, MAD_DREP);
	CHECK_INT(answer.tid, 5);
	CHECK_INT(answer.local_id, m.remote_id);
	CHECK_INT(answer.remote_id, 9);
	CHECK_INT(flow.dgid.raw[15], 99);
	/* of a process that has gone: the same */
	m.remote_id = 6u << 26 | 77;
	arrive(&m);
	CHECK(fake_outgoing(&answer, NULL));
	CHECK_INT(answer.attr, MAD_DREP);
	CHECK_INT(fake_forwards, 1);
	m.attr = MAD_REP;
	arrive(&m);
	CHECK(fake_outgoing(&answer, NULL));
	CHECK_INT(answer.attr, MAD_REJ);
	CHECK_INT(answer.rej.reason, REJ_COMM_ID);
	CHECK_INT(answer.rej.about, ABOUT_REP);
	for (unsigned attr = MAD_REQ; attr < MAD_END; attr++) {
		if (attr == MAD_DREQ || attr == MAD_REP || attr == MAD_REQ || attr == MAD_SIDR_REQ)
			continue;
		m.attr = attr;
		m.remote_id = FAKE_SLOT << 26 | 77;
		arrive(&m);
		CHECK(!fake_outgoing(NULL, NULL));
	}
	/* nothing is sent to who cannot be answered */
	m.attr = MAD_DREQ;
	fake_sent = 0;
	fake_arrive(&none, &own, &m);
	fake_arrive(&group, &own, &m);
	fake_arrive(&own, &group, &m);
	fake_run(SECOND);
	CHECK_INT(fake_sent, 0);
	end();
}

/* From another address, or with another id, a message means nothing. */
static void check_impostors(void)
{
	union ibv_gid other = fake_gid(0), own = fake_gid(0), peer = fake_gid(1);
	struct mad m;

	other.raw[15] = 99;
	begin();
	connect_now();
	fake_run(SECOND);
	m = (struct mad){ .attr = MAD_DREQ,
			  .local_id = active.c->remote_id,
			  .remote_id = active.c->local_id,
			  .dreq = { .remote_qpn = 0x111 } };
	fake_arrive(&other, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.local_id++;
	fake_arrive(&peer, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.local_id--;
	m.dreq.remote_qpn++;
	fake_arrive(&peer, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.dreq.remote_qpn--;
	active.manner = SILENT;
	fake_arrive(&peer, &own, &m);
	CHECK_INT(active.c->state, CONN_DREQ_RCVD);
	CHECK(counters[CNT_BAD_SOURCE] > 0);
	end();
}

/* Brings the active end into a state, in the way in which it comes about. */
static void reach(enum conn_state state)
{
	begin();
	listening.slow = state == CONN_REQ_SENT;
	active.manner = state == CONN_REP_RCVD || state == CONN_DREQ_RCVD ? SILENT : POLITE;
	if (state == CONN_SIDR_SENT) {
		listening.slow = true;
		resolve_now();
		fake_run(SECOND / 100);
		return;
	}
	connect_now();
	fake_run(SECOND / 100);
	if (state == CONN_DREQ_RCVD)
		CHECK_INT(conn_establish(active.c), 0);
	fake_run(SECOND / 100);
	if (state == CONN_DREQ_SENT) {
		passive[0].manner = SILENT;
		conn_disconnect(active.c);
	} else if (state == CONN_DREQ_RCVD) {
		conn_disconnect(passive[0].c);
	} else if (state == CONN_TIMEWAIT) {
		conn_disconnect(active.c);
	}
	fake_run(SECOND / 100);
	CHECK_INT(active.c->state, state);
}

/* Where each message leads in each state of the active end; 0: it is ignored. */
static const enum conn_state after[CONN_STATES][MAD_END - MAD_REQ] = {
#define TO(attr) [(attr)-MAD_REQ]
	[CONN_REQ_SENT] = { TO(MAD_REP) = CONN_ESTABLISHED, TO(MAD_REJ) = CONN_STATES },
	[CONN_REP_RCVD] = { TO(MAD_REJ) = CONN_TIMEWAIT },
	[CONN_ESTABLISHED] = { TO(MAD_REJ) = CONN_TIMEWAIT, TO(MAD_DREQ) = CONN_TIMEWAIT },
	[CONN_DREQ_SENT] = { TO(MAD_REJ) = CONN_TIMEWAIT, TO(MAD_DREQ) = CONN_TIMEWAIT,
			     TO(MAD_DREP) = CONN_TIMEWAIT },
	[CONN_SIDR_SENT] = { TO(MAD_SIDR_REP) = CONN_STATES },
};

static void check_states(void)
{
	static const enum conn_state states[] = { CONN_REQ_SENT,  CONN_REP_RCVD,  CONN_ESTABLISHED,
						  CONN_DREQ_SENT, CONN_DREQ_RCVD, CONN_TIMEWAIT,
						  CONN_SIDR_SENT };
	union ibv_gid own = fake_gid(0), peer = fake_gid(1);

	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		for (unsigned attr = MAD_MRA; attr < MAD_END; attr++) {
			enum conn_state want = after[states[i]][attr - MAD_REQ];
			struct mad m = { .attr = attr };

			if (attr == MAD_SIDR_REQ)
				continue;
			reach(states[i]);
			m.local_id = active.c->remote_id;
			m.remote_id = active.c->local_id;
			if (attr == MAD_DREQ)
				m.dreq.remote_qpn = 0x111;
			fake_arrive(&peer, &own, &m);
			if (!want)
				want = states[i];
			CHECK_INT(active.c->state, want == CONN_STATES ? CONN_IDLE : want);
			end();
		}
	}
}

/* ----------------------------------------------------------------- datagrams -- */

static void sidr_app(void)
{
	for (unsigned i = 0; i < npassive; i++) {
		if (!passive[i].wants_accept)
			continue;
		passive[i].wants_accept = false;
		passive[i].c->local_qpn = 0x333;
		CHECK_INT(conn_answer(passive[i].c,
				      passive[i].manner == REJECTS ? SIDR_REJECT : SIDR_OK,
				      0x01234567, "ud", 2),
			  0);
	}
}

static void check_sidr(void)
{
	for (hit[0] = 0; hit[0] < 4; hit[0]++) {
		for (unsigned twice = 0; twice < 2; twice++) {
			begin();
			fake_app = sidr_app;
			hit[1] = 99;
			blow = twice ? FATE_TWICE : FATE_DROP;
			fake_fate = strike;
			resolve_now();
			fake_run(SECOND);
			CHECK_INT(npassive, 1);
			CHECK_INT(active.n, 1);
			CHECK_INT(active.events[0], CONN_EV_ESTABLISHED);
			CHECK_INT(active.c->remote_qpn, 0x333);
			CHECK_STR((char *)active.private, "ud");
			CHECK(memcmp(passive[0].private + MAD_IP_BYTES, "hello", 6) == 0);
			end();
		}
	}
	begin();
	fake_app = sidr_app;
	listening.manner = REJECTS;
	resolve_now();
	fake_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), SIDR_REJECT);
	end();
	begin();
	port->listener = NULL;
	resolve_now();
	fake_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), SIDR_UNSUPPORTED);
	end();
	begin();
	fake_fate = drop_all;
	resolve_now();
	fake_run(70 * SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), -ETIMEDOUT);
	end();
}

/* A listener that has gone: those that it has accepted still come up. */
static void check_listener_gone(void)
{
	uint16_t number = PORT;

	begin();
	hit[0] = hit[1] = 1; /* the first REP */
	blow = FATE_DROP;
	fake_fate = strike;
	connect_now();
	fake_run(SECOND / 100);
	CHECK_INT(passive[0].c->state, CONN_REP_SENT);
	port_leave(port, &listening);
	CHECK_INT(fake_names, 2); /* the name is kept until the connection needs it no more */
	fake_run(SECOND);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	CHECK_INT(fake_names, 0);
	port = port_bind(SPACE, &number, &any_ipv6, true, false); /* for end() */
	end();
}

/* The peer is on this host and is killed: in the end, and before it has answered. */
static void check_killed(void)
{
	begin();
	connect_now();
	fake_run(3 * SECOND);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 0);
	fake_killed = true;
	fake_run(2 * SECOND);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	fake_killed = false;
	end();

	begin();
	fake_app = NULL; /* it takes its time */
	connect_now();
	fake_run(SECOND / 2);
	CHECK_INT(passive[0].c->state, CONN_REQ_RCVD);
	fake_killed = true;
	fake_run(SECOND);
	CHECK_INT(count_of(&passive[0], CONN_EV_REJECTED), 1);
	fake_killed = false;
	end();
}

/* One that is opened anew while its peer is on its way. */
static void check_listener_late(void)
{
	for (unsigned datagram = 0; datagram < 2; datagram++) {
		begin();
		port->listener = NULL;
		fake_app = datagram ? sidr_app : applications;
		if (datagram)
			resolve_now();
		else
			connect_now();
		fake_run(SECOND / 20);
		CHECK_INT(active.n, 0);
		port->listener = &listening;
		fake_run(SECOND / 50);
		CHECK_INT(npassive, 1);
		fake_run(SECOND);
		CHECK_INT(npassive, 1);
		CHECK_INT(active.n, 1);
		CHECK(active.events[0] == CONN_EV_RESPONSE ||
		      active.events[0] == CONN_EV_ESTABLISHED);
		end();
	}
	/* more than can wait: the rest is refused at once */
	begin();
	port->listener = NULL;
	for (unsigned i = 0; i < 100; i++) {
		struct mad m = foreign_req(500 + i, 0x42);

		arrive(&m);
	}
	CHECK_INT(fake_sent, 68);
	fake_run(SECOND);
	CHECK_INT(fake_sent, 100);
	end();
}

static void check_farewell(void)
{
	begin();
	connect_now();
	fake_run(SECOND);
	passive[0].manner = SILENT;
	conn_farewell();
	fake_run(SECOND);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	end();
}

int main(void)
{
	check_plain();
	check_both_disconnect();
	check_loss(FATE_DROP);
	check_loss(FATE_TWICE);
	check_loss(FATE_AGAIN_LATE);
	check_weather();
	check_unreachable();
	check_slow();
	check_reject();
	check_abandoned();
	check_stale();
	check_bad_requests();
	check_strangers();
	check_impostors();
	check_states();
	check_sidr();
	check_listener_gone();
	check_killed();
	check_listener_late();
	check_farewell();
	return checks_end();
}
