// SPDX-License-Identifier: MIT
/* CM events: rdma_get_cm_event(3), rdma_ack_cm_event(3). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "event.h"
#include "export.h"
#include "id.h"

struct cm_event *cm_event_new(struct cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct cm_event *ev = calloc(1, sizeof(*ev));

	if (!ev)
		return NULL;
	ev->owner = id;
	ev->v.id = &id->v;
	ev->v.event = type;
	ev->v.status = status;
	return ev;
}

void cm_event_post(struct cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct cm_event *ev = cm_event_new(id, type, status);

	if (ev)
		cm_channel_put(ev);
}

void cm_event_set_data(struct cm_event *ev, const struct mad *m, size_t skip)
{
	size_t n = mad_private_len(m->attr) - skip;

	memcpy(ev->data, m->data + skip, n);
	if (ev->owner->v.qp_type == IBV_QPT_UD) {
		ev->v.param.ud.private_data = ev->data;
		ev->v.param.ud.private_data_len = (uint8_t)n;
	} else {
		ev->v.param.conn.private_data = ev->data;
		ev->v.param.conn.private_data_len = (uint8_t)n;
	}
}

static void set_response(struct cm_event *ev, const struct conn *c, const struct mad *m)
{
	struct rdma_conn_param *p = &ev->v.param.conn;

	cm_event_set_data(ev, m, 0);
	p->responder_resources = c->responder_resources;
	p->initiator_depth = c->initiator_depth;
	p->flow_control = m->rep.flow_control;
	p->rnr_retry_count = m->rep.rnr_retry_count;
	p->srq = m->rep.srq;
	p->qp_num = m->rep.qpn;
}

static void set_resolved(struct cm_event *ev, const struct conn *c, const struct mad *m)
{
	struct rdma_ud_param *p = &ev->v.param.ud;

	cm_event_set_data(ev, m, 0);
	id_av(ev->owner, &c->flow.dgid, &p->ah_attr);
	p->qp_num = m->sidr_rep.qpn;
	p->qkey = m->sidr_rep.qkey;
}

static const enum rdma_cm_event_type types[] = {
	[CONN_EV_RESPONSE] = RDMA_CM_EVENT_CONNECT_RESPONSE,
	[CONN_EV_ESTABLISHED] = RDMA_CM_EVENT_ESTABLISHED,
	[CONN_EV_REJECTED] = RDMA_CM_EVENT_REJECTED,
	[CONN_EV_UNREACHABLE] = RDMA_CM_EVENT_UNREACHABLE,
	[CONN_EV_DISCONNECTED] = RDMA_CM_EVENT_DISCONNECTED,
	[CONN_EV_TIMEWAIT_EXIT] = RDMA_CM_EVENT_TIMEWAIT_EXIT,
};

void id_conn_event(struct cm_id *id, enum conn_event event, int status, const struct mad *m)
{
	struct cm_event *ev;

	if (id->quiet)
		return; /* rdma_accept(3) fails */
	if (event == CONN_EV_DISCONNECTED) {
		if (id->state != ID_CONNECT)
			return;
		id->state = ID_DISCONNECT;
	}
	ev = cm_event_new(id, types[event], status);
	if (!ev)
		return;
	if (event == CONN_EV_RESPONSE)
		set_response(ev, id->conn, m);
	else if (event == CONN_EV_ESTABLISHED && is_datagram(id))
		set_resolved(ev, id->conn, m);
	else if (m && (m->attr == MAD_REJ || m->attr == MAD_SIDR_REP))
		cm_event_set_data(ev, m, 0);
	cm_channel_put(ev);
}

/* ------------------------------------------------------------ taking them -- */

/* The peer has accepted: the QP is made ready, and the peer told so. */
static void process_response(struct cm_event *ev)
{
	struct cm_id *id = ev->owner;
	int error = 0;

	if (!id->v.qp)
		return; /* the application does it: rdma_establish(3) */
	if (id_qp_connect(id, RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH) < 0)
		error = errno;
	engine_lock();
	if (id->conn) {
		if (error)
			conn_reject(id->conn, REJ_CONSUMER, NULL, 0);
		else if (conn_establish(id->conn) < 0)
			error = errno; /* the peer has changed its mind meanwhile */
		engine_flush();
	}
	engine_unlock();
	ev->v.event = error ? RDMA_CM_EVENT_CONNECT_ERROR : RDMA_CM_EVENT_ESTABLISHED;
	ev->v.status = -error;
	if (error)
		id_qp_error(id);
}

/* The new id of a synchronous listener is synchronous too. */
static int process_request(struct cm_event *ev)
{
	if (!ev->owner->sync)
		return 0;
	if (rdma_migrate_id(ev->v.id, NULL) == 0)
		return 0;
	rdma_destroy_id(ev->v.id);
	rdma_ack_cm_event(&ev->v);
	return -1;
}

/* 0: it is for the application. */
static int process(struct cm_event *ev)
{
	switch (ev->v.event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return process_request(ev);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		process_response(ev);
		return 0;
	case RDMA_CM_EVENT_REJECTED:
		if (ev->v.id->qp)
			id_qp_error(ev->owner);
		return 0;
	case RDMA_CM_EVENT_MULTICAST_JOIN:
		membership_joined(ev);
		return 0;
	case RDMA_CM_EVENT_ADDR_ERROR:
		engine_lock();
		id_drop_source(ev->owner);
		engine_unlock();
		return 0;
	default:
		return 0;
	}
}

EXPORT int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **out)
{
	struct cm_channel *ch = (struct cm_channel *)channel;
	struct cm_event *ev;

	if (!ch || !out)
		return fail(EINVAL);
	do {
		ev = cm_channel_take(ch);
		if (!ev)
			return -1;
	} while (process(ev) < 0);
	*out = &ev->v;
	return 0;
}

EXPORT int rdma_ack_cm_event(struct rdma_cm_event *v)
{
	struct cm_event *ev = (struct cm_event *)v;

	if (!v)
		return fail(EINVAL);
	engine_lock();
	if (ev->owner->unacked)
		ev->owner->unacked--;
	if (ev->member && ev->member->unacked)
		ev->member->unacked--;
	engine_wake_all();
	engine_unlock();
	free(ev);
	return 0;
}
