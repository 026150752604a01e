// SPDX-License-Identifier: MIT
/* The protocol of connections under virtual time, on a good and on a bad network. */
#include "conn_pair.h"

/* ------------------------------------------------------------- a quiet network -- */

static void check_plain(void)
{
	struct conn *a, *p;

	begin();
	connect_now();
	rig_run(SECOND);
	CHECK_INT(npassive, 1);
	a = active.c;
	p = passive[0].c;
	CHECK_INT(a->state, CONN_ESTABLISHED);
	CHECK_INT(p->state, CONN_ESTABLISHED);
	CHECK_INT(rig_mads_sent, 3);
	CHECK_INT(active.n, 1);
	CHECK_INT(active.events[0], CONN_EV_RESPONSE);
	CHECK_STR((char *)active.private, "yes");
	CHECK_INT(passive[0].n, 1);
	CHECK_INT(passive[0].events[0], CONN_EV_ESTABLISHED);
	CHECK(a->local_id >> 26 == rig_slot && p->local_id >> 26 == rig_slot);
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
	rig_run(10 * SECOND);
	CHECK_INT(rig_mads_sent, 5);
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
	rig_run(SECOND);
	conn_disconnect(passive[0].c);
	conn_disconnect(active.c);
	rig_run(10 * SECOND);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	CHECK_INT(active.c->state, CONN_IDLE);
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	CHECK(rig_mads_sent <= 7);
	end();
}

/* ------------------------------------------------------------ a bad network -- */

/* A connection from its beginning to its end while packets suffer: both ends are told the
 * same as ever, and it takes no longer than some repetitions. */
static void live(void)
{
	uint64_t start;

	begin();
	rig_mad_fate = disturb;
	start = rig_now;
	connect_now();
	while (!(active.c->state == CONN_ESTABLISHED && npassive &&
		 passive[0].c->state == CONN_ESTABLISHED))
		CHECK(rig_step(rig_now + 10 * SECOND));
	CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 1);
	CHECK(rig_now - start < SECOND / 2);
	start = rig_now;
	conn_disconnect(active.c);
	while (!count_of(&active, CONN_EV_DISCONNECTED))
		CHECK(rig_step(rig_now + 10 * SECOND));
	CHECK(rig_now - start < SECOND / 2);
	rig_run(10 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(active.n, 3);
	CHECK_INT(passive[0].n, 3);
	CHECK_INT(status_of(&active, CONN_EV_DISCONNECTED), 0);
	CHECK_INT(status_of(&passive[0], CONN_EV_DISCONNECTED), 0);
	CHECK_INT(active.c->state, CONN_IDLE);
	CHECK_INT(passive[0].c->state, CONN_IDLE);
	end();
}

static void check_loss(enum rig_fate what)
{
	disturbance = what;
	disturbances = 0;
	for (disturbed[0] = 0; disturbed[0] < 8; disturbed[0]++)
		for (disturbed[1] = disturbed[0]; disturbed[1] < 8; disturbed[1]++)
			live();
	CHECK(disturbances >= 36);
}

static uint32_t seed;
static unsigned percent;

static enum rig_fate weather(unsigned n, const struct mad *m)
{
	unsigned die;

	(void)n;
	(void)m;
	seed = seed * 1103515245 + 12345;
	die = (seed >> 16) % 100;
	return die < percent	    ? RIG_DROP
	       : die < percent + 10 ? RIG_TWICE
	       : die < percent + 20 ? RIG_AGAIN_LATE
				    : RIG_PASS;
}

/* Whatever is lost: both ends come to an end, told once, and agree unless the last word of
 * one was lost 18 times. */
static void check_weather(void)
{
	for (seed = 1; seed < 300 * 7919; seed += 7919) {
		uint32_t from = seed;

		begin();
		percent = 40;
		rig_mad_fate = weather;
		connect_now();
		rig_run(70 * SECOND);
		CHECK_INT(npassive, 1);
		CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 1);
		CHECK_INT(count_of(&passive[0], CONN_EV_ESTABLISHED), 1);
		conn_disconnect(passive[0].c);
		rig_run(90 * SECOND);
		CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
		CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
		CHECK_INT(active.n, 3);
		CHECK_INT(passive[0].n, 3);
		end();
		seed = from;
	}
}

static enum mad_attr lost;

static enum rig_fate drop_kind(unsigned n, const struct mad *m)
{
	(void)n;
	return m->attr == lost ? RIG_DROP : RIG_PASS;
}

static void check_unreachable(void)
{
	uint64_t start;

	begin();
	rig_mad_fate = rig_drop_mads;
	start = rig_now;
	connect_now();
	while (!active.n)
		CHECK(rig_step(rig_now + 10 * SECOND));
	CHECK_INT(active.events[0], CONN_EV_UNREACHABLE);
	CHECK_INT(active.status[0], -ETIMEDOUT);
	CHECK((rig_now - start) / SECOND == 65);
	CHECK(rig_mads_sent > 16 && rig_mads_sent < 30);
	end();

	/* the passive side's answer never arrives, and it tells so */
	begin();
	lost = MAD_REP;
	rig_mad_fate = drop_kind;
	connect_now();
	while (!count_of(&active, CONN_EV_UNREACHABLE) && !count_of(&active, CONN_EV_REJECTED))
		CHECK(rig_step(rig_now + 70 * SECOND));
	rig_run(10 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(count_of(&active, CONN_EV_RESPONSE), 0);
	CHECK_INT(passive[0].n, 1);
	CHECK(passive[0].events[0] == CONN_EV_UNREACHABLE ||
	      passive[0].events[0] == CONN_EV_REJECTED);
	end();

	/* its peer has gone without a word */
	begin();
	connect_now();
	rig_run(SECOND);
	rig_mad_fate = rig_drop_mads;
	start = rig_now;
	conn_disconnect(active.c);
	while (!count_of(&active, CONN_EV_DISCONNECTED))
		CHECK(rig_step(rig_now + 10 * SECOND));
	CHECK_INT(status_of(&active, CONN_EV_DISCONNECTED), -ETIMEDOUT);
	CHECK((rig_now - start) / SECOND == 65);
	end();
}

/* An application that thinks for minutes: its peer is told to wait, and asks only now and
 * then whether there still is one. */
static void check_slow(void)
{
	begin();
	listening.slow = true;
	connect_now();
	rig_run(300 * SECOND);
	CHECK_INT(npassive, 1);
	CHECK_INT(active.n, 0);
	CHECK(rig_mads_sent < 2 * 300 / 4 + 20);
	passive[0].wants_accept = true;
	applications();
	rig_run(SECOND);
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	CHECK_INT(passive[0].c->state, CONN_ESTABLISHED);
	end();

	/* and one that takes its time before it says that it is ready */
	begin();
	active.manner = SILENT;
	connect_now();
	rig_run(200 * SECOND);
	CHECK_INT(active.c->state, CONN_REP_RCVD);
	CHECK_INT(passive[0].c->state, CONN_REP_SENT);
	CHECK(rig_mads_sent < 2 * 200 / 4 + 20);
	CHECK_INT(conn_establish(active.c), 0);
	rig_run(SECOND);
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
		disturbed[0] = disturbed[1] = drops ? 1 : 99; /* the REJ, or nothing */
		disturbance = RIG_DROP;
		rig_mad_fate = disturb;
		connect_now();
		rig_run(SECOND);
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
	rig_run(SECOND);
	CHECK_INT(status_of(&active, CONN_EV_REJECTED), REJ_SERVICE);
	end();
	for (unsigned reason = 1; reason < 40; reason++) {
		begin();
		refuse = reason;
		connect_now();
		rig_run(SECOND);
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
	rig_run(SECOND / 100);
	CHECK_INT(npassive, 1);
	conn_let_go(active.c);
	active.c = NULL;
	rig_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_REJECTED), REJ_TIMEOUT);
	CHECK(rig_forwards > 0); /* the others of the host were asked too */
	CHECK_INT(conn_accept(passive[0].c, NULL, 0), -1);
	CHECK_INT(errno, EINVAL);
	end();

	begin();
	active.manner = SILENT;
	connect_now();
	rig_run(SECOND / 100);
	CHECK_INT(active.c->state, CONN_REP_RCVD);
	conn_let_go(active.c);
	active.c = NULL;
	rig_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_REJECTED), REJ_CONSUMER);
	end();

	begin();
	connect_now();
	rig_run(SECOND);
	conn_let_go(active.c);
	active.c = NULL;
	rig_run(SECOND);
	CHECK_INT(status_of(&passive[0], CONN_EV_DISCONNECTED), 0);
	end();
}

/* The peer is on this host and is killed: in the end, and before it has answered. */
static void check_killed(void)
{
	unsigned before;

	begin();
	connect_now();
	rig_run(3 * SECOND);
	before = rig_slots_asked;
	rig_run(2 * SECOND);
	CHECK_INT(rig_slots_asked - before, 2); /* once a second, not once for each of both ends */
	CHECK_INT(active.c->state, CONN_ESTABLISHED);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 0);
	rig_all_killed = true;
	rig_run(2 * SECOND);
	CHECK_INT(count_of(&active, CONN_EV_DISCONNECTED), 1);
	CHECK_INT(count_of(&passive[0], CONN_EV_DISCONNECTED), 1);
	rig_all_killed = false;
	end();

	begin();
	rig_app = NULL; /* it takes its time */
	connect_now();
	rig_run(SECOND / 2);
	CHECK_INT(passive[0].c->state, CONN_REQ_RCVD);
	rig_all_killed = true;
	rig_run(SECOND);
	CHECK_INT(count_of(&passive[0], CONN_EV_REJECTED), 1);
	rig_all_killed = false;
	end();
}

int main(void)
{
	check_plain();
	check_both_disconnect();
	check_loss(RIG_DROP);
	check_loss(RIG_TWICE);
	check_loss(RIG_AGAIN_LATE);
	check_weather();
	check_unreachable();
	check_slow();
	check_reject();
	check_abandoned();
	check_killed();
	return checks_end();
}
