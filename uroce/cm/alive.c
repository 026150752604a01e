// SPDX-License-Identifier: MIT
/*
 * Processes that are killed. The kernel says goodbye in the name of a process that has ended,
 * which nobody can do for this device. But what a process of this host holds is gone when it
 * is: its peers on this host look at that, once a second, and go on as if they had been told.
 */
#include "alive.h"

#include <string.h>

#include "conn.h"
#include "engine.h"
#include "gid.h"
#include "group.h"

#define PERIOD 1000000000ull /* ns */

static unsigned connections;
static bool any_left;

/* A peer of this host, which we know. */
static bool is_near(const struct conn *c)
{
	return c->state >= CONN_REQ_RCVD && c->state <= CONN_ESTABLISHED &&
	       c->qp_type != IBV_QPT_UD && gid_index(&c->flow.dgid, c->flow.scope) >= 0;
}

/* What the kernel would say for it: 12.9.8.1 when there was a connection, else 12.9.7.1. */
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

static void look_at(struct conn *c)
{
	static uint64_t last; /* most are of one peer */
	static bool lives;

	if (!is_near(c))
		return;
	if (!any_left || c->guid != last) {
		last = c->guid;
		lives = group_announced(last);
	}
	any_left = true;
	if (!lives)
		say_goodbye(c);
}

static void look(struct timer *t)
{
	any_left = false;
	conn_each(look_at);
	if (any_left)
		timer_set(t, engine_now() + PERIOD);
}

static struct timer timer = { .fn = look };

int alive_add(uint64_t guid)
{
	if (!connections && (group_announce(guid) < 0 || timer_reserve(1) < 0))
		return -1;
	connections++;
	return 0;
}

void alive_remove(void)
{
	if (--connections)
		return;
	timer_stop(&timer);
	timer_reserve(-1);
}

void alive_watch(const struct conn *c)
{
	if (!timer_running(&timer) && is_near(c))
		timer_set(&timer, engine_now() + PERIOD);
}

void alive_look(struct conn *c)
{
	if (c->state == CONN_REQ_RCVD && is_near(c) && !group_announced(c->guid))
		say_goodbye(c);
}

void alive_forget(void)
{
	connections = 0;
}
