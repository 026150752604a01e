/* SPDX-License-Identifier: MIT */
/*
 * Connections: creating, finding and ending them, and what happens when the peer is killed.
 * InfiniBand specification volume 1, 12.9.
 */
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdlib.h>

#include "conn.h"
#include "gid.h"
#include "group.h"
#include "random.h"
#include "rules.h"

#define LINGER_NS    8192000000ull /* longer than the longest pause before a request is repeated */
#define TIMEWAIT_MAX 20		   /* 4.3 s */

static LIST_HEAD(, conn) conns = LIST_HEAD_INITIALIZER(conns);

/* ---------------------------------------------------------- finding them -- */

struct conn *conn_find(uint32_t local_id)
{
	struct conn *c;

	LIST_FOREACH(c, &conns, entry)
		if (c->local_id == local_id)
			break;
	return c;
}

struct conn *conn_find_peer(uint64_t guid, uint32_t remote_id)
{
	struct conn *c;

	LIST_FOREACH(c, &conns, entry)
		if (c->knows_peer && c->guid == guid && c->remote_id == remote_id &&
		    c->qp_type != IBV_QPT_UD)
			break;
	return c;
}

struct conn *conn_find_request(const union ibv_gid *src, uint32_t request_id)
{
	struct conn *c;

	LIST_FOREACH(c, &conns, entry)
		if (c->knows_peer && c->remote_id == request_id && c->qp_type == IBV_QPT_UD &&
		    gid_equal(&c->flow.dgid, src))
			break;
	return c;
}

struct conn *conn_find_qpn(uint64_t guid, uint32_t remote_qpn)
{
	struct conn *c;

	LIST_FOREACH(c, &conns, entry)
		if (c->knows_peer && c->guid == guid && c->remote_qpn == remote_qpn &&
		    c->state >= CONN_REP_SENT && c->state <= CONN_TIMEWAIT)
			break;
	return c;
}

void conn_meets_peer(struct conn *c)
{
	c->peer = group_slot_pid(c->remote_id >> (32 - SLOT_BITS));
	c->knows_peer = true;
}

/* ------------------------------------------------ peers that were killed -- */

/*
 * When a process is killed, the kernel disconnects the connections of its own devices. For this
 * device nobody can. But the process had a slot, which others may have after it. Its peers on this
 * host look once a second who has that slot; if another process or none has it, they go on as if a
 * message had told them.
 */

#define PEER_PERIOD 1000000000ull /* ns */

static bool peer_is_near;

/* Has the connection a peer whose GUID is known, on this host? */
static bool is_near(const struct conn *c)
{
	return c->state >= CONN_REQ_RCVD && c->state <= CONN_ESTABLISHED &&
	       c->qp_type != IBV_QPT_UD && gid_is_here(&c->flow.dgid, c->flow.scope);
}

/* The message that the kernel would send for it: 12.9.8.1 when there was a connection,
 * else 12.9.7.1. */
static void say_goodbye(struct conn *c)
{
	struct mad m = { .remote_id = c->local_id, .local_id = c->remote_id, .tid = c->tid };

	if (c->state == CONN_ESTABLISHED) {
		m.attr = MAD_DREQ;
		m.dreq.remote_qpn = c->local_qpn;
	} else {
		m.attr = MAD_REJ;
		m.rej.about = ABOUT_OTHER;
		m.rej.reason = REJ_TIMEOUT;
	}
	conn_rule(c, &m);
}

/* The owner of each slot, of those that were asked about in one look. */
struct slot_owners {
	uint64_t asked; /* a bit each */
	pid_t pid[SLOTS];
};

/* In doubt the peer lives. */
static bool peer_is_gone(const struct conn *c, struct slot_owners *o)
{
	const unsigned slot = c->remote_id >> (32 - SLOT_BITS);
	const uint64_t bit = UINT64_C(1) << slot;

	if (!(o->asked & bit))
		o->pid[slot] = group_slot_pid(slot);
	o->asked |= bit;
	return o->pid[slot] >= 0 && (!c->peer || o->pid[slot] != c->peer);
}

static void check_peer(struct conn *c, struct slot_owners *o)
{
	if (!is_near(c))
		return;
	peer_is_near = true;
	if (peer_is_gone(c, o))
		say_goodbye(c);
}

static void check_peers(struct timer *t)
{
	struct slot_owners owners = { 0 };
	struct conn *next;

	peer_is_near = false;
	for (struct conn *c = LIST_FIRST(&conns); c; c = next) {
		next = LIST_NEXT(c, entry); /* it may be freed */
		check_peer(c, &owners);
	}
	if (peer_is_near)
		timer_set(t, engine_now() + PEER_PERIOD);
}

static struct timer peer_timer = { .fn = check_peers };

/* The state of a connection has changed: its peer is looked at if need be. */
static void peer_watch(const struct conn *c)
{
	if (!timer_running(&peer_timer) && is_near(c))
		timer_set(&peer_timer, engine_now() + PEER_PERIOD);
}

void conn_check_peer(struct conn *c)
{
	if (c->state == CONN_REQ_RCVD)
		check_peer(c, &(struct slot_owners){ 0 });
}

/* -------------------------------------------------------------- creating -- */

static uint64_t the_guid;
static uint32_t tid_high;

uint64_t conn_guid(void)
{
	if (!the_guid) {
		random_bytes(&the_guid, sizeof(the_guid));
		random_bytes(&tid_high, sizeof(tid_high));
		/* locally administered */
		the_guid = (the_guid & 0x00ffffffffffffffull) | 0x0200000000000000ull;
	}
	return the_guid;
}

uint64_t conn_tid(const struct conn *c)
{
	conn_guid();
	return (uint64_t)tid_high << 32 | c->local_id;
}

struct conn *conn_new(struct cm_id *user)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	do {
		random_bytes(&c->local_id, sizeof(c->local_id));
		c->local_id = group_slot() << (32 - SLOT_BITS) | c->local_id >> SLOT_BITS;
	} while (conn_find(c->local_id));
	random_bytes(&c->rq_psn, sizeof(c->rq_psn));
	c->rq_psn &= PSN_MASK;
	c->tid = conn_tid(c);
	c->user = user;
	c->timer.fn = conn_expired;
	LIST_INSERT_HEAD(&conns, c, entry);
	return c;
}

void conn_free(struct conn *c)
{
	timer_stop(&c->timer);
	if (c->port)
		conn_port_put(c->port);
	LIST_REMOVE(c, entry);
	free(c);
}

void conn_forget(void)
{
	struct conn *c;

	while ((c = LIST_FIRST(&conns))) {
		LIST_REMOVE(c, entry);
		free(c);
	}
	the_guid = 0;
}

/* ---------------------------------------------------------------- states -- */

/* A listener may go before the peers that it has accepted know that they are. Its name must stay
 * taken meanwhile, or a repeated REQ would be answered that nobody listens. */
static bool holds_port(enum conn_state state)
{
	return state == CONN_REQ_RCVD || state == CONN_REP_SENT || state == CONN_SIDR_RCVD;
}

static bool is_one_of(const struct fault_rule *r, const void *events)
{
	return *(const unsigned *)events >> r->event & 1;
}

bool conn_fails_on_purpose(struct conn *c, unsigned events)
{
	const struct fault_rule *r;
	unsigned number;

	if (!rules_are_there(FAULT_CM))
		return false;
	r = rules_hit(FAULT_CM, is_one_of, &events, &number);
	if (!r)
		return false;
	c->on_purpose = (uint8_t)r->event;
	c->reason = (uint16_t)r->reason;
	c->rule = (uint8_t)number;
	timer_set(&c->timer, engine_now() + r->delay_ns);
	return true;
}

void conn_enter(struct conn *c, enum conn_state state)
{
	timer_stop(&c->timer);
	if (c->on_purpose) /* the time of the rule has not come */
		c->rule = 0;
	c->on_purpose = 0;
	c->state = state;
	peer_watch(c);
	if (state == CONN_ESTABLISHED)
		conn_fails_on_purpose(c, CONN_EVENT(DISCONNECTED));
	if (c->port && !holds_port(state)) {
		conn_port_put(c->port);
		c->port = NULL;
	}
}

void conn_over(struct conn *c)
{
	conn_enter(c, CONN_IDLE);
	c->knows_peer = false;
	if (!c->user)
		conn_free(c);
}

void conn_tell(struct conn *c, enum conn_event event, int status, const struct mad *m)
{
	if (c->user)
		id_conn_event(c->user, event, status, m);
}

/* 12.9.8.4: waits as long as packets of the connection may be on their way. The peer may have
 * announced hours; 4.3 s are enough for any network that this device sees. */
void conn_enter_timewait(struct conn *c)
{
	unsigned t = c->ack_timeout < TIMEWAIT_MAX ? c->ack_timeout : TIMEWAIT_MAX;

	conn_enter(c, CONN_TIMEWAIT);
	timer_set(&c->timer, engine_now() + iba_time(t));
}

void conn_linger(struct conn *c, enum conn_state state)
{
	conn_enter(c, state);
	timer_set(&c->timer, engine_now() + LINGER_NS);
}

void conn_farewell(void)
{
	struct conn *c;

	LIST_FOREACH(c, &conns, entry) {
		if (c->state == CONN_REQ_SENT)
			conn_send_rej(c, ABOUT_REQ, REJ_TIMEOUT, NULL, 0);
		else if (c->state == CONN_DREQ_SENT)
			conn_send_again(c); /* nobody will later */
		else if (conn_reject(c, REJ_CONSUMER, NULL, 0) < 0)
			conn_disconnect(c);
	}
}
