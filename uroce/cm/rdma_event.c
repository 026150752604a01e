/* SPDX-License-Identifier: MIT */
/* Events: rdma_get_cm_event(3); ids that wait for their own events: rdma_create_ep(3),
 * rdma_get_request(3). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "engine.h"
#include "export.h"
#include "fault_rule.h"
#include "gid.h"
#include "rdma_id.h"

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

static void post_device_news(struct cm_id *id, void *failed_device)
{
	const bool failed = failed_device && id->v.verbs && id->v.verbs->device == failed_device;
	const bool gone = id->v.verbs && (failed || gid_find(&id->sgid, id->scope) < 0);

	if (!id->quiet && gone && (failed || !id->told))
		cm_event_post(id, failed ? RDMA_CM_EVENT_DEVICE_REMOVAL : RDMA_CM_EVENT_ADDR_CHANGE,
			      0);
	id->told = gone;
}

void cm_device_news(struct ibv_device *failed)
{
	cm_id_each(post_device_news, failed);
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
	if (id->conn && id->conn->rule && !id->conn->on_purpose && !is_datagram(id) &&
	    event != CONN_EV_ESTABLISHED && event != CONN_EV_RESPONSE)
		ev->v.param.conn.qp_num = FAULT_VENDOR_ERR | id->conn->rule;
	cm_channel_put(ev);
}

/* ---------------------------------------------------------- taking events -- */

/* The peer has accepted: makes the QP ready, and tells the peer so. */
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
static int process_event(struct cm_event *ev)
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
	} while (process_event(ev) < 0);
	*out = &ev->v;
	return 0;
}

EXPORT int rdma_write_cm_event(struct rdma_cm_id *v, enum rdma_cm_event_type event, int status,
			       uint64_t arg)
{
	struct cm_event *ev;

	if (!v || event != CM_EVENT_USER)
		return fail(EINVAL);
	SCOPED_ENGINE_LOCK();
	if (!to_cm_id(v)->channel)
		return fail(EINVAL);
	ev = cm_event_new(to_cm_id(v), event, status);
	if (!ev)
		return -1;
	memcpy(&ev->v.param, &arg, sizeof(arg)); /* param.arg */
	cm_channel_put(ev);
	return 0;
}

EXPORT int rdma_ack_cm_event(struct rdma_cm_event *v)
{
	struct cm_event *ev = (struct cm_event *)v;

	if (!v)
		return fail(EINVAL);
	SCOPED_ENGINE_LOCK();
	if (ev->owner->unacked)
		ev->owner->unacked--;
	if (ev->member && ev->member->unacked)
		ev->member->unacked--;
	engine_wake_all();
	free(ev);
	return 0;
}

/* ------------------------------------ synchronous ids: rdma_create_ep(3) -- */

#define RESOLVE_MS 2000

void id_ack_kept(struct rdma_cm_id *v)
{
	if (v->event)
		rdma_ack_cm_event(v->event);
	v->event = NULL;
}

int id_complete(struct cm_id *id)
{
	struct rdma_cm_id *v = &id->v;

	id_ack_kept(v);
	if (rdma_get_cm_event(v->channel, &v->event) < 0)
		return -1;
	if (!v->event->status)
		return 0;
	if (v->event->event == RDMA_CM_EVENT_REJECTED)
		return fail(ECONNREFUSED);
	return fail(v->event->status < 0 ? -v->event->status : v->event->status);
}

/* Keeps what each request of the listener will get: rdma_get_request(3). */
static int keep_attr(struct cm_id *id, struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	if (!attr)
		return 0;
	id->ep_attr = malloc(sizeof(*attr));
	if (!id->ep_attr)
		return -1;
	*id->ep_attr = *attr;
	id->ep_attr->qp_type = id->v.qp_type;
	id->ep_pd = pd;
	return 0;
}

static int keep_connect_data(struct cm_id *id, const struct rdma_addrinfo *res)
{
	if (!res->ai_connect_len)
		return 0;
	id->connect_data = malloc(res->ai_connect_len);
	if (!id->connect_data)
		return -1;
	memcpy(id->connect_data, res->ai_connect, res->ai_connect_len);
	id->connect_len = res->ai_connect_len;
	return 0;
}

static int active_ep(struct rdma_cm_id *v, struct rdma_addrinfo *res, struct ibv_pd *pd,
		     struct ibv_qp_init_attr *attr)
{
	if (rdma_resolve_addr(v, res->ai_src_addr, res->ai_dst_addr, RESOLVE_MS) < 0 ||
	    rdma_resolve_route(v, RESOLVE_MS) < 0)
		return -1;
	if (attr) {
		attr->qp_type = v->qp_type;
		if (rdma_create_qp(v, pd, attr) < 0)
			return -1;
	}
	return keep_connect_data(to_cm_id(v), res);
}

EXPORT int rdma_create_ep(struct rdma_cm_id **out, struct rdma_addrinfo *res, struct ibv_pd *pd,
			  struct ibv_qp_init_attr *attr)
{
	struct rdma_cm_id *v;
	int r;

	if (id_create(NULL, &v, NULL, res->ai_port_space, res->ai_qp_type) < 0)
		return -1;
	if (res->ai_flags & RAI_PASSIVE) {
		r = rdma_bind_addr(v, res->ai_src_addr);
		if (r == 0)
			r = keep_attr(to_cm_id(v), pd, attr);
	} else {
		r = active_ep(v, res, pd, attr);
	}
	if (r < 0) {
		int error = errno;

		rdma_destroy_ep(v);
		return fail(error);
	}
	*out = v;
	return 0;
}

EXPORT void rdma_destroy_ep(struct rdma_cm_id *v)
{
	if (v->qp)
		rdma_destroy_qp(v);
	if (v->srq)
		rdma_destroy_srq(v);
	rdma_destroy_id(v);
}

EXPORT int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **out)
{
	struct cm_id *id = to_cm_id(listen);
	struct rdma_cm_event *ev;

	if (!id->sync)
		return fail(EINVAL);
	id_ack_kept(listen);
	if (rdma_get_cm_event(listen->channel, &ev) < 0)
		return -1;
	if (ev->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
		listen->event = ev;
		return fail(ev->status < 0 ? -ev->status : EINVAL);
	}
	ev->id->event = ev;
	if (id->ep_attr) {
		struct ibv_qp_init_attr attr = *id->ep_attr;

		if (rdma_create_qp(ev->id, id->ep_pd, &attr) < 0) {
			int error = errno;

			rdma_destroy_id(ev->id);
			return fail(error);
		}
	}
	*out = ev->id;
	return 0;
}
