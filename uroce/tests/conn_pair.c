// SPDX-License-Identifier: MIT
#include "conn_pair.h"

struct cm_id active, passive[4], listening;
unsigned npassive;
struct port *port;
unsigned refuse;

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

void applications(void)
{
	react(&active);
	for (unsigned i = 0; i < npassive; i++)
		react(&passive[i]);
}

unsigned count_of(const struct cm_id *id, enum conn_event event)
{
	unsigned n = 0;

	for (unsigned i = 0; i < id->n; i++)
		n += id->events[i] == event;
	return n;
}

int status_of(const struct cm_id *id, enum conn_event event)
{
	for (unsigned i = 0; i < id->n; i++)
		if (id->events[i] == event)
			return id->status[i];
	CHECK(!"event");
	return 0;
}

void begin(void)
{
	uint16_t number = PORT;

	rig_clear();
	rig_app = applications;
	memset(&active, 0, sizeof(active));
	memset(passive, 0, sizeof(passive));
	memset(&listening, 0, sizeof(listening));
	npassive = refuse = 0;
	port = conn_port_bind(SPACE, &number, &gid_any_ipv6, true, false);
	CHECK(port);
	port->listener = &listening;
}

void end(void)
{
	rig_mad_fate = NULL;
	if (active.c)
		conn_let_go(active.c);
	for (unsigned i = 0; i < npassive; i++)
		conn_let_go(passive[i].c);
	active.c = NULL;
	npassive = 0;
	rig_app = NULL;
	rig_run(100 * SECOND);
	conn_port_leave(port, &listening);
	CHECK_INT(rig_timers, 0);
	CHECK_INT(rig_names, 0);
}

static struct conn *prepare(enum ibv_qp_type type)
{
	struct conn *c = conn_new(&active);

	CHECK(c);
	c->flow = (struct flow){ .sgid = rig_gid(0), .dgid = rig_gid(1), .hops = 64 };
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
	struct mad_ip ip = { .sport = 5000, .src = rig_gid(0), .dst = rig_gid(1) };

	mad_ip_build(data, &ip);
	memcpy(data + MAD_IP_BYTES, "hello", 5);
	return MAD_IP_BYTES + 5;
}

void connect_now(void)
{
	uint8_t data[MAD_PRIVATE_MAX];

	conn_connect(prepare(IBV_QPT_RC), data, request_data(data));
}

void resolve_now(void)
{
	uint8_t data[MAD_PRIVATE_MAX];

	conn_resolve(prepare(IBV_QPT_UD), data, request_data(data));
}

unsigned disturbed[2], disturbances;
enum rig_fate disturbance;

enum rig_fate disturb(unsigned n, const struct mad *m)
{
	(void)m;
	for (unsigned i = 0; i < 2; i++)
		if (disturbed[i] == n) {
			disturbances++;
			return disturbance;
		}
	return RIG_PASS;
}
