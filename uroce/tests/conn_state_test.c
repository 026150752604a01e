// SPDX-License-Identifier: MIT
/* The protocol of connections: strange messages, states, datagrams, listeners that go. */
#include "conn_pair.h"

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
			 .dgid = rig_gid(0) },
	};
	struct mad_ip ip = { .sport = 5000, .dst = rig_gid(0) };

	ip.src = m.req.sgid = rig_gid(0);
	m.req.sgid.raw[15] = ip.src.raw[15] = 99; /* 10.0.0.99 */
	mad_ip_build(m.data, &ip);
	return m;
}

static void arrive(struct mad *m)
{
	union ibv_gid src = rig_gid(0), dst = rig_gid(0);

	src.raw[15] = 99;
	rig_inject_mad(&src, &dst, m);
}

static void check_stale(void)
{
	struct mad req, m;

	begin();
	req = foreign_req(500, 0x42);
	arrive(&req);
	CHECK(rig_mad_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REP);
	CHECK_INT(m.remote_id, 500);
	CHECK_INT(m.tid, 77);
	/* the other host has lost its memory, but not its address */
	passive[0].manner = SILENT;
	m = (struct mad){ .attr = MAD_RTU, .local_id = 500, .remote_id = m.local_id };
	arrive(&m);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	req = foreign_req(501, 0x42);
	rig_mads_sent = 0;
	arrive(&req);
	CHECK(rig_mad_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REJ);
	CHECK_INT(m.rej.reason, REJ_STALE);
	CHECK_INT(m.remote_id, 501);
	CHECK_INT(rig_mads_sent, 2); /* and a DREQ for the old one */
	CHECK_INT(passive[0].c->state, CONN_DREQ_SENT);
	/* from another address the same means nothing */
	CHECK_INT(npassive, 1);
	m = (struct mad){ .attr = MAD_DREP, .local_id = 500, .remote_id = passive[0].c->local_id };
	arrive(&m);
	CHECK_INT(passive[0].c->state, CONN_TIMEWAIT);
	arrive(&req);
	CHECK(rig_mad_outgoing(&m, NULL));
	CHECK_INT(m.rej.reason, REJ_STALE);
	rig_run(5 * SECOND); /* however long the peer has said */
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	arrive(&req);
	CHECK(rig_mad_outgoing(&m, NULL));
	CHECK_INT(m.attr, MAD_REP);
	CHECK_INT(npassive, 2);
	end();
}

static void expect_refused(const struct mad *m, unsigned reason)
{
	struct mad answer, copy = *m;

	arrive(&copy);
	rig_run(SECOND);
	CHECK(rig_mad_outgoing(&answer, NULL));
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
	union ibv_gid none = { 0 }, group = { .raw = { 0xff, 0x02 } }, own = rig_gid(0);

	begin();
	m = (struct mad){
		.attr = MAD_DREQ, .tid = 5, .local_id = 9, .remote_id = rig_slot << 26 | 77
	};
	arrive(&m);
	CHECK(rig_mad_outgoing(&answer, &flow));
	CHECK_INT(answer.attr, MAD_DREP);
	CHECK_INT(answer.tid, 5);
	CHECK_INT(answer.local_id, m.remote_id);
	CHECK_INT(answer.remote_id, 9);
	CHECK_INT(flow.dgid.raw[15], 99);
	/* of a process that has gone: the same */
	m.remote_id = 6u << 26 | 77;
	arrive(&m);
	CHECK(rig_mad_outgoing(&answer, NULL));
	CHECK_INT(answer.attr, MAD_DREP);
	CHECK_INT(rig_forwards, 1);
	m.attr = MAD_REP;
	arrive(&m);
	CHECK(rig_mad_outgoing(&answer, NULL));
	CHECK_INT(answer.attr, MAD_REJ);
	CHECK_INT(answer.rej.reason, REJ_COMM_ID);
	CHECK_INT(answer.rej.about, ABOUT_REP);
	for (unsigned attr = MAD_REQ; attr < MAD_END; attr++) {
		if (attr == MAD_DREQ || attr == MAD_REP || attr == MAD_REQ || attr == MAD_SIDR_REQ)
			continue;
		m.attr = attr;
		m.remote_id = rig_slot << 26 | 77;
		arrive(&m);
		CHECK(!rig_mad_outgoing(NULL, NULL));
	}
	/* nothing is sent to who cannot be answered */
	m.attr = MAD_DREQ;
	rig_mads_sent = 0;
	rig_inject_mad(&none, &own, &m);
	rig_inject_mad(&group, &own, &m);
	rig_inject_mad(&own, &group, &m);
	rig_run(SECOND);
	CHECK_INT(rig_mads_sent, 0);
	end();
}

/* From another address, or with another id, a message means nothing. */
static void check_impostors(void)
{
	union ibv_gid other = rig_gid(0), own = rig_gid(0), peer = rig_gid(1);
	struct mad m;

	other.raw[15] = 99;
	begin();
	connect_now();
	rig_run(SECOND);
	m = (struct mad){ .attr = MAD_DREQ,
			  .local_id = active.c->remote_id,
			  .remote_id = active.c->local_id,
			  .dreq = { .remote_qpn = 0x111 } };
	rig_inject_mad(&other, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.local_id++;
	rig_inject_mad(&peer, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.local_id--;
	m.dreq.remote_qpn++;
	rig_inject_mad(&peer, &own, &m);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	m.dreq.remote_qpn--;
	active.manner = SILENT;
	rig_inject_mad(&peer, &own, &m);
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
		rig_run(SECOND / 100);
		return;
	}
	connect_now();
	rig_run(SECOND / 100);
	if (state == CONN_DREQ_RCVD)
		CHECK_INT(conn_establish(active.c), 0);
	rig_run(SECOND / 100);
	if (state == CONN_DREQ_SENT) {
		passive[0].manner = SILENT;
		conn_disconnect(active.c);
	} else if (state == CONN_DREQ_RCVD) {
		conn_disconnect(passive[0].c);
	} else if (state == CONN_TIMEWAIT) {
		conn_disconnect(active.c);
	}
	rig_run(SECOND / 100);
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
	union ibv_gid own = rig_gid(0), peer = rig_gid(1);

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
			rig_inject_mad(&peer, &own, &m);
			if (!want)
				want = states[i];
			CHECK_INT(active.c->state, want == CONN_STATES ? CONN_IDLE : want);
			end();
		}
	}
}

/* A disconnect that comes before the RTU: the passive end was connected. */
static void check_early_disconnect(void)
{
	union ibv_gid own = rig_gid(0), peer = rig_gid(1);
	struct mad m = { .attr = MAD_DREQ };

	begin();
	active.manner = SILENT; /* no RTU */
	connect_now();
	rig_run(SECOND / 100);
	CHECK_INT(passive[0].c->state, CONN_REP_SENT);
	CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 0);
	m.local_id = passive[0].c->remote_id;
	m.remote_id = passive[0].c->local_id;
	m.dreq.remote_qpn = passive[0].c->local_qpn;
	rig_inject_mad(&own, &peer, &m);
	CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	end();
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
	for (disturbed[0] = 0; disturbed[0] < 4; disturbed[0]++) {
		for (unsigned twice = 0; twice < 2; twice++) {
			begin();
			rig_app = sidr_app;
			disturbed[1] = 99;
			disturbance = twice ? RIG_TWICE : RIG_DROP;
			rig_mad_fate = disturb;
			resolve_now();
			rig_run(SECOND);
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
	rig_app = sidr_app;
	listening.manner = REJECTS;
	resolve_now();
	rig_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), SIDR_REJECT);
	end();
	begin();
	port->listener = NULL;
	resolve_now();
	rig_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), SIDR_UNSUPPORTED);
	end();
	begin();
	rig_mad_fate = rig_drop_mads;
	resolve_now();
	rig_run(70 * SECOND);
	CHECK_INT(status_of(&active, CONN_EV_UNREACHABLE), -ETIMEDOUT);
	end();
}

/* A listener that has gone: those that it has accepted still come up. */
static void check_listener_gone(void)
{
	uint16_t number = PORT;

	begin();
	disturbed[0] = disturbed[1] = 1; /* the first REP */
	disturbance = RIG_DROP;
	rig_mad_fate = disturb;
	connect_now();
	rig_run(SECOND / 100);
	CHECK_INT(passive[0].c->state, CONN_REP_SENT);
	conn_port_leave(port, &listening);
	CHECK_INT(rig_names, 2); /* the name is kept until the connection needs it no more */
	rig_run(SECOND);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	CHECK_INT(rig_names, 0);
	port = conn_port_bind(SPACE, &number, &gid_any_ipv6, true, false); /* for end() */
	end();
}

/* One that is opened anew while its peer is on its way. */
static void check_listener_late(void)
{
	for (unsigned datagram = 0; datagram < 2; datagram++) {
		begin();
		port->listener = NULL;
		rig_app = datagram ? sidr_app : applications;
		if (datagram)
			resolve_now();
		else
			connect_now();
		rig_run(SECOND / 20);
		CHECK_INT(active.n, 0);
		port->listener = &listening;
		rig_run(SECOND / 50);
		CHECK_INT(npassive, 1);
		rig_run(SECOND);
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
	CHECK_INT(rig_mads_sent, 68);
	rig_run(SECOND);
	CHECK_INT(rig_mads_sent, 100);
	end();
}

static void check_farewell(void)
{
	begin();
	connect_now();
	rig_run(SECOND);
	passive[0].manner = SILENT;
	conn_farewell();
	rig_run(SECOND);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	end();
}

int main(void)
{
	check_stale();
	check_bad_requests();
	check_strangers();
	check_impostors();
	check_states();
	check_early_disconnect();
	check_sidr();
	check_listener_gone();
	check_listener_late();
	check_farewell();
	return checks_end();
}
