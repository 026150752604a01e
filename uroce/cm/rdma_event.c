/* SPDX-License-Identifier: MIT */
/* Event channels and events: rdma_create_event_channel(3), rdma_get_cm_event(3); ids that wait for
 * their own events: rdma_create_ep(3), rdma_get_request(3). */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "engine.h"
#include "export.h"
#include "fault_rule.h"
#include "gid.h"
#include "order.h"
#include "rdma_id.h"

static LIST_HEAD(, cm_channel) channels;

struct cm_channel *cm_channel_new(void)
{
	struct cm_channel *ch = calloc(1, sizeof(*ch));

	if (!ch)
		return NULL;
	ch->queue = event_queue_new();
	if (!ch->queue) {
		free(ch);
		return NULL;
	}
	ch->v.fd = ch->queue->fd;
	LIST_INIT(&ch->ids);
	TAILQ_INIT(&ch->events);
	SCOPED_ENGINE_LOCK();
	LIST_INSERT_HEAD(&channels, ch, entry);
	return ch;
}

EXPORT struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct cm_channel *ch;

	if (cm_device_open() < 0)
		return NULL;
	ch = cm_channel_new();
	return ch ? &ch->v : NULL;
}

/* The program is told of those that were held back. */
static void tell(struct order_wait *wait)
{
	struct cm_channel *ch =
		(struct cm_channel *)((char *)wait - offsetof(struct cm_channel, late));
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry) {
		if (!ev->held)
			continue;
		ev->held = false;
		event_added(ch->queue);
	}
}

#define LATE_PASSES 24

/* Other signs that the QP is connected, or is not any more, may come before. */
static bool tells_of_qp(const struct cm_event *ev)
{
	return ev->v.event == RDMA_CM_EVENT_CONNECT_RESPONSE ||
	       ev->v.event == RDMA_CM_EVENT_ESTABLISHED ||
	       ev->v.event == RDMA_CM_EVENT_DISCONNECTED;
}

void cm_channel_put(struct cm_event *ev)
{
	struct cm_channel *ch = ev->owner->channel;

	TAILQ_INSERT_TAIL(&ch->events, ev, entry);
	if (!order_on() || !(order_waits(&ch->late) || tells_of_qp(ev))) {
		event_added(ch->queue);
		return;
	}
	ev->held = true;
	order_done.events++;
	ch->late.fn = tell;
	order_hold(&ch->late, 1 + order_draw(LATE_PASSES));
	engine_timer_set();
}

/* An event leaves the list. */
static void leave(struct cm_channel *ch, struct cm_event *ev)
{
	TAILQ_REMOVE(&ch->events, ev, entry);
	if (!ev->held)
		event_removed(ch->queue);
}

/* Programs such as rping destroy a channel while another thread of theirs is about to ask it for
 * the next event. So the memory of a channel is looked at only while the channel is in the list. */
static bool is_open(const struct cm_channel *ch)
{
	const struct cm_channel *c;

	LIST_FOREACH(c, &channels, entry)
		if (c == ch)
			return true;
	return false;
}

static void *take_first(void *channel)
{
	struct cm_channel *ch = channel;
	struct cm_event *ev = TAILQ_FIRST(&ch->events);

	if (!ev || ev->held)
		return NULL;
	TAILQ_REMOVE(&ch->events, ev, entry);
	ev->owner->unacked++;
	if (ev->member)
		ev->member->unacked++;
	if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
		ev->owner->backlog++;
	return ev;
}

/* Waits for the next event, and takes it, which is to be acknowledged; without the lock. NULL with
 * errno: EBADF when the channel had been destroyed before, or is that of the process that forked;
 * EAGAIN when its descriptor does not wait. */
static struct cm_event *cm_channel_take(struct cm_channel *ch)
{
	struct cm_event *ev;

	engine_lock();
	ev = is_open(ch) ? event_take(ch->queue, take_first, ch) : fail_null(EBADF);
	engine_unlock();
	return ev;
}

/* Frees an event that nobody has seen. The id of a request goes with it, since nobody knows it. */
static void drop_event(struct cm_channel *ch, struct cm_event *ev)
{
	leave(ch, ev);
	if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		struct cm_id *unseen = to_cm_id(ev->v.id);

		id_shut(unseen);
		id_free(unseen);
	}
	free(ev);
}

static struct cm_event *first_of(struct cm_channel *ch, const struct cm_id *id)
{
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry)
		if (ev->owner == id)
			return ev;
	return NULL;
}

void cm_channel_drop(struct cm_channel *ch, struct cm_id *id)
{
	struct cm_event *ev;

	while ((ev = first_of(ch, id)))
		drop_event(ch, ev);
}

void cm_channel_free(struct cm_channel *ch)
{
	struct cm_event *ev;
	struct cm_id *id;

	engine_lock();
	if (!ch->dead) {
		while ((ev = TAILQ_FIRST(&ch->events)))
			drop_event(ch, ev);
		while ((id = LIST_FIRST(&ch->ids)))
			id_shut(id);
		LIST_REMOVE(ch, entry);
		engine_flush();
	}
	order_drop(&ch->late);
	event_queue_close(ch->queue);
	free(ch);
	engine_unlock();
}

/* Remaining ids lose their connections, as they do when a file of the kernel's device is closed. */
EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	cm_channel_free((struct cm_channel *)channel);
}

void cm_channel_drop_member(struct cm_channel *ch, const struct membership *mc)
{
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry)
		if (ev->member == mc)
			break;
	if (ev)
		drop_event(ch, ev);
}

bool cm_channel_has(struct cm_channel *ch, const struct cm_id *owner)
{
	return ch && first_of(ch, owner);
}

void cm_channel_move(struct cm_channel *from, struct cm_channel *to, struct cm_id *id)
{
	struct cm_event *ev;

	tell(&to->late); /* what goes over does not wait behind those */
	LIST_REMOVE(id, entry);
	LIST_INSERT_HEAD(&to->ids, id, entry);
	id->channel = to;
	id->v.channel = &to->v;
	while ((ev = first_of(from, id))) {
		leave(from, ev);
		ev->held = false;
		TAILQ_INSERT_TAIL(&to->events, ev, entry);
		event_added(to->queue);
		/* nobody else knows the id yet, and its later events go to the new channel */
		if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			cm_channel_move(from, to, to_cm_id(ev->v.id));
	}
}

void cm_await_acks(const struct cm_id *id, const unsigned *unacked)
{
	while (*unacked && id->forks == event_forks)
		engine_sleep();
}

void cm_channel_forget(void)
{
	struct cm_channel *ch;
	struct cm_id *id;

	while ((ch = LIST_FIRST(&channels))) {
		LIST_REMOVE(ch, entry);
		ch->dead = true;
		TAILQ_INIT(&ch->events);
		while ((id = LIST_FIRST(&ch->ids))) {
			LIST_REMOVE(id, entry);
			id->channel = NULL;
			id->conn = NULL;
			id->port = NULL;
			id->query = (struct timer){ 0 };
		}
	}
}

/* ------------------------------------------ events: rdma_get_cm_event(3) -- */

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

static void tell_of_device(struct cm_id *id, bool failed)
{
	const bool gone = id->v.verbs && (failed || gid_index(&id->sgid, id->scope) < 0);

	if (!id->quiet && gone && !id->told)
		cm_event_post(id, failed ? RDMA_CM_EVENT_DEVICE_REMOVAL : RDMA_CM_EVENT_ADDR_CHANGE,
			      0);
	id->told = gone;
}

void cm_device_news(enum ibv_event_type type)
{
	struct cm_channel *ch;
	struct cm_id *id;

	LIST_FOREACH(ch, &channels, entry)
		LIST_FOREACH(id, &ch->ids, entry) {
			if (type == IBV_EVENT_DEVICE_FATAL)
				id->told = false;
			tell_of_device(id, type == IBV_EVENT_DEVICE_FATAL);
		}
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
	if (id->conn && id->conn->rule && !is_datagram(id) && event != CONN_EV_ESTABLISHED &&
	    event != CONN_EV_RESPONSE)
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

	if (event != CM_EVENT_USER)
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
