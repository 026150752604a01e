// SPDX-License-Identifier: MIT
/*
 * Connections: the objects, how they are found, and how they come to their end. InfiniBand
 * specification volume 1, 12.9.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "conn.h"
#include "engine.h"
#include "group.h"
#include "listen.h"

#define LINGER_NS    8192000000ull /* longer than who repeats a request waits in between */
#define TIMEWAIT_MAX 20		   /* 4.3 s */

#define BUCKETS 1024
LIST_HEAD(conn_list, conn);
static struct conn_list by_id[BUCKETS], by_peer[BUCKETS], by_qpn[BUCKETS];

/* ---------------------------------------------------------------- finding them -- */

static unsigned bucket(uint64_t guid, uint32_t n)
{
	uint64_t h = (guid ^ (uint64_t)n << 20 ^ n) * 0x9e3779b97f4a7c15ull;

	return (unsigned)(h >> 54);
}

uint64_t guid_of_gid(const union ibv_gid *gid)
{
	uint64_t a, b;

	memcpy(&a, gid->raw, 8);
	memcpy(&b, gid->raw + 8, 8);
	return a * 31 ^ b;
}

struct conn *conn_find(uint32_t local_id)
{
	struct conn *c;

	LIST_FOREACH(c, &by_id[bucket(0, local_id)], by_id)
		if (c->local_id == local_id)
			return c;
	return NULL;
}

struct conn *conn_find_peer(uint64_t guid, uint32_t remote_id)
{
	struct conn *c;

	LIST_FOREACH(c, &by_peer[bucket(guid, remote_id)], by_peer)
		if (c->guid == guid && c->remote_id == remote_id && c->qp_type != IBV_QPT_UD)
			return c;
	return NULL;
}

struct conn *conn_find_request(const union ibv_gid *src, uint32_t request_id)
{
	struct conn *c;

	LIST_FOREACH(c, &by_peer[bucket(guid_of_gid(src), request_id)], by_peer)
		if (c->remote_id == request_id && c->qp_type == IBV_QPT_UD &&
		    memcmp(&c->flow.dgid, src, sizeof(*src)) == 0)
			return c;
	return NULL;
}

struct conn *conn_find_qpn(uint64_t guid, uint32_t remote_qpn)
{
	struct conn *c;

	LIST_FOREACH(c, &by_qpn[bucket(guid, remote_qpn)], by_qpn)
		if (c->guid == guid && c->remote_qpn == remote_qpn && c->state >= CONN_REP_SENT &&
		    c->state <= CONN_TIMEWAIT)
			return c;
	return NULL;
}

static void conn_unindex(struct conn *c)
{
	if (c->by_peer.le_prev) {
		LIST_REMOVE(c, by_peer);
		LIST_REMOVE(c, by_qpn);
		c->by_peer.le_prev = NULL;
	}
}

void conn_index(struct conn *c)
{
	conn_unindex(c);
	LIST_INSERT_HEAD(&by_peer[bucket(c->guid, c->remote_id)], c, by_peer);
	LIST_INSERT_HEAD(&by_qpn[bucket(c->guid, c->remote_qpn)], c, by_qpn);
}

/* --------------------------------------------------------------- their making -- */

static void random_bytes(void *p, size_t n)
{
	/* up to 256 bytes always come, once the system has seeded its generator */
	while (getrandom(p, n, 0) != (ssize_t)n)
		;
}

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

	if (!c || timer_reserve(1) < 0) {
		free(c);
		errno = ENOMEM;
		return NULL;
	}
	do {
		random_bytes(&c->local_id, sizeof(c->local_id));
		c->local_id = group_slot() << (32 - SLOT_BITS) | c->local_id >> SLOT_BITS;
	} while (conn_find(c->local_id));
	random_bytes(&c->rq_psn, sizeof(c->rq_psn));
	c->rq_psn &= PSN_MASK;
	c->tid = conn_tid(c);
	c->user = user;
	c->timer.fn = conn_expired;
	LIST_INSERT_HEAD(&by_id[bucket(0, c->local_id)], c, by_id);
	return c;
}

void conn_free(struct conn *c)
{
	timer_stop(&c->timer);
	timer_reserve(-1);
	if (c->port)
		port_put(c->port);
	conn_unindex(c);
	LIST_REMOVE(c, by_id);
	free(c);
}

void conn_forget(void)
{
	struct conn *c;

	for (unsigned i = 0; i < BUCKETS; i++) {
		while ((c = LIST_FIRST(&by_id[i]))) {
			LIST_REMOVE(c, by_id);
			free(c);
		}
	}
	memset(by_peer, 0, sizeof(by_peer));
	memset(by_qpn, 0, sizeof(by_qpn));
	the_guid = 0;
}

/* --------------------------------------------------------------------- states -- */

/* A listener may be gone before those that it has accepted know it: its name must not be
 * given away while a repeated REQ would be told that nobody listens. */
static bool holds_port(enum conn_state state)
{
	return state == CONN_REQ_RCVD || state == CONN_REP_SENT || state == CONN_SIDR_RCVD;
}

void conn_enter(struct conn *c, enum conn_state state)
{
	timer_stop(&c->timer);
	c->state = state;
	if (c->port && !holds_port(state)) {
		port_put(c->port);
		c->port = NULL;
	}
}

void conn_over(struct conn *c)
{
	conn_enter(c, CONN_IDLE);
	conn_unindex(c);
	if (!c->user)
		conn_free(c);
}

void conn_tell(struct conn *c, enum conn_event event, int status, const struct mad *m)
{
	if (c->user)
		id_conn_event(c->user, event, status, m);
}

/* 12.9.8.4: as long as packets of the connection may be on their way. What the peer has
 * announced may be hours: 4.3 s are enough for any network that this device sees. */
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

	for (unsigned i = 0; i < BUCKETS; i++) {
		LIST_FOREACH(c, &by_id[i], by_id) {
			if (c->state == CONN_REQ_SENT)
				conn_send_rej(c, ABOUT_REQ, REJ_TIMEOUT, NULL, 0);
			else if (c->state == CONN_DREQ_SENT)
				conn_send_again(c); /* nobody will later */
			else if (conn_reject(c, REJ_CONSUMER, NULL, 0) < 0)
				conn_disconnect(c);
		}
	}
}
