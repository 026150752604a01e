/* SPDX-License-Identifier: MIT */
/*
 * Event channels, and what becomes of an event. It is copied before it is acknowledged:
 * its private data belongs to the library, and dies with the acknowledgement.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm_events.h"
#include "call_trace.h"
#include "cm_id.h"
#include "cm_listen.h"
#include "cm_queue.h"
#include "qp_history.h"
#include "session.h"
#include "share.h"
#include "trace.h"
#include "words.h"
#include "xmem.h"

/* The loop hands the channel back: with the session it belongs to. */
struct watched_ec {
	struct ec ec;
	struct session *s;
};

bool cm_event_is_ud(const struct id *id, const struct cm_event *ev)
{
	return id_is_ud(id) || ev->type == RDMA_CM_EVENT_MULTICAST_JOIN;
}

bool cm_event_has_conn(const struct id *id, const struct cm_event *ev)
{
	switch (ev->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_MULTICAST_JOIN:
		return true;
	case RDMA_CM_EVENT_ESTABLISHED: /* the passive side gets an RTU: no parameters */
		return !id_is_passive(id);
	default:
		return false;
	}
}

static struct cm_event *copy_event(const struct id *id, const struct rdma_cm_event *ev)
{
	static uint64_t seq;
	struct cm_event *copy = xcalloc(1, sizeof *copy);
	const void *data;

	copy->type = ev->event;
	copy->status = ev->status;
	copy->seq = ++seq;
	if (id_is_ud(id) || ev->event == RDMA_CM_EVENT_MULTICAST_JOIN) {
		copy->ud = ev->param.ud;
		data = ev->event == RDMA_CM_EVENT_MULTICAST_JOIN ? NULL : ev->param.ud.private_data;
		copy->len = data ? ev->param.ud.private_data_len : 0;
	} else {
		copy->conn = ev->param.conn;
		data = ev->param.conn.private_data;
		copy->len = data ? ev->param.conn.private_data_len : 0;
	}
	if (copy->len)
		memcpy(copy->data, data, copy->len);
	copy->conn.private_data = copy->ud.private_data = NULL;
	return copy;
}

/* Acknowledged, or kept for cm ack. A request counts on its listener. */
static void settle(struct id *owner, struct rdma_cm_event *ev, struct cm_event *copy)
{
	if (!owner->hold) {
		rdma_ack_cm_event(ev);
		return;
	}
	copy->held = true;
	owner->held = xgrow(owner->held, owner->unacked, sizeof(*owner->held));
	owner->held[owner->unacked++] = ev;
}

unsigned cm_ack(struct id *id)
{
	unsigned n = id->unacked;
	struct cm_event *ev;

	for (unsigned i = 0; i < n; i++)
		rdma_ack_cm_event(id->held[i]);
	free(id->held);
	id->held = NULL;
	id->unacked = 0;
	TAILQ_FOREACH(ev, &id->events, link)
		ev->held = false;
	return n;
}

void cm_close(struct session *s)
{
	struct obj *o;

	obj_foreach_of(o, s, &id_class)
		cm_ack((struct id *)o);
}

static void keep_data(struct id *id, const struct cm_event *ev)
{
	if (!cm_event_has_conn(id, ev) && !ev->len)
		return;
	id->last = *ev;
	free(id->data);
	id->data = xcalloc(1, ev->len + 1u);
	memcpy(id->data, ev->data, ev->len);
	id->data_len = ev->len;
	if (id->qp && ev->type == RDMA_CM_EVENT_ESTABLISHED && !id_is_ud(id))
		share_unpack(id->data, id->data_len, &id->qp->peer);
}

static void note_state(struct session *s, struct id *id, const struct cm_event *ev)
{
	switch (ev->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		id_state(s, id, ID_ADDR_RESOLVED);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR: /* may be tried again */
		id_state(s, id, ID_BOUND);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		id_state(s, id, ID_ROUTE_RESOLVED);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		id_state(s, id, ID_ADDR_RESOLVED);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		id_state(s, id, ID_ERROR);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		id_state(s, id, ID_ESTABLISHED);
		break;
	default:
		break;
	}
	if (id->qp && ev->type == RDMA_CM_EVENT_ESTABLISHED)
		qp_history_cm(id->qp, IBV_QPS_RTS, "ESTABLISHED");
	else if (id->qp)
		qp_history_sync(id->qp, word_name(cm_event_words, ev->type));
}

/* A peer that disconnects waits until we do too. */
static const char *note_disconnected(struct session *s, struct id *id)
{
	const char *how;
	int rc;

	id->peer_left = !id->left;
	if (id->left) { /* we asked for it */
		how = "";
	} else if (id->stepping) {
		how = " by peer; it waits for your 'cm disconnect'";
	} else {
		rc = rdma_disconnect(id->v);
		how = rc ? " by peer" : " by peer (answered)";
		id->left = true;
	}
	id_state(s, id, ID_DISCONNECTED);
	if (id->qp)
		qp_history_cm(id->qp, IBV_QPS_ERR, "DISCONNECTED");
	if (listening_forgets(s, id))
		how = " by peer (answered, and its end destroyed)";
	return how;
}

void cm_circumstances(struct session *s)
{
	struct obj *o;

	obj_foreach_of(o, s, &id_class) {
		const struct id *id = (struct id *)o;

		if (id->peer_left)
			fail_row(s, "peer", "%s: %s has disconnected", o->name, id_peer(id));
	}
}

static bool all_zero(const unsigned char *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return n == 0;
}

/* ", 56 bytes of private data" */
static void say_data(const struct cm_event *ev, Tcl_DString *d)
{
	char text[64];

	if (!ev->len)
		return;
	if (all_zero(ev->data, ev->len))
		snprintf(text, sizeof text, ", no private data");
	else
		snprintf(text, sizeof text, ", %u bytes of private data", ev->len);
	Tcl_DStringAppend(d, text, -1);
}

/* What the ends tell each other, without the padding. */
static void trace_data(struct session *s, const struct id *id, const struct cm_event *ev)
{
	char hex[2 * 64 + 1];
	size_t used = ev->len;

	while (used && !ev->data[used - 1])
		used--;
	if (!s->opt.raw || !used)
		return;
	for (size_t i = 0; i < used && i < 64; i++)
		snprintf(hex + 2 * i, 3, "%02x", ev->data[i]);
	trace(s, VOICE_INFO, "%s: private data, %zu of %u bytes used: %s%s", id->o.name, used,
	      ev->len, hex, used > 64 ? "..." : "");
}

/* A request tells what can be typed. */
static void tell_request(struct session *s, const struct id *id, const char *data)
{
	const struct listening *l = id->listener->listening;

	notice_post(s->notices, NOTICE_CM, "%s: CONNECT_REQUEST from %s%s -> %s%s",
		    id->listener->o.name, id_peer(id), data, id->o.name,
		    l && l->accept ? "" : "; type accept or reject");
	if (!l || !l->accept)
		cm_note_own(s, id);
}

static void tell(struct session *s, const struct id *id, const struct cm_event *ev, const char *how)
{
	const char *name = word_name(cm_event_words, ev->type);
	Tcl_DString d;

	if (cm_awaited(id))
		return;
	Tcl_DStringInit(&d);
	say_data(ev, &d);
	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		tell_request(s, id, Tcl_DStringValue(&d));
	else if (ev->status)
		notice_post(s->notices, NOTICE_CM, "%s: %s %s%s%s", id->o.name, name,
			    cm_status_text(id, ev), how, Tcl_DStringValue(&d));
	else if (ev->type == RDMA_CM_EVENT_ESTABLISHED)
		notice_post(s->notices, NOTICE_CM, "%s: ESTABLISHED with %s%s", id->o.name,
			    id_peer(id), Tcl_DStringValue(&d));
	else
		notice_post(s->notices, NOTICE_CM, "%s: %s%s%s", id->o.name, name, how,
			    Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
}

static void got(struct session *s, struct rdma_cm_event *ev)
{
	bool request = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct id *owner = request ? ev->listen_id->context : ev->id->context;
	struct id *id = request ? id_adopt(s, owner, ev->id) : owner;
	struct cm_event *copy = copy_event(id, ev);
	const char *how = "";

	trace_data(s, id, copy);
	settle(owner, ev, copy);
	keep_data(id, copy);
	note_state(s, id, copy);
	if (copy->type == RDMA_CM_EVENT_DISCONNECTED)
		how = note_disconnected(s, id);
	obj_ref(owner);
	obj_ref(id);
	tell(s, id, copy, how);
	if (obj_gone(id))
		free(copy);
	else
		cm_queue(s, id, copy);
	if (!obj_gone(id) && !obj_gone(owner)) {
		if (request)
			listening_request(s, owner, id);
		listening_sweep(s, request ? owner : owner->listener);
	}
	obj_unref(id);
	obj_unref(owner);
}

static void ready(void *arg, int fd, short revents)
{
	struct watched_ec *w = arg;
	struct rdma_cm_event *ev;

	(void)fd, (void)revents;
	obj_ref(w);
	while (!obj_gone(w) && rdma_get_cm_event(w->ec.v, &ev) == 0)
		got(w->s, ev);
	obj_unref(w);
}

struct ec *ec_make(struct session *s, const char *name)
{
	struct watched_ec *w = obj_new(s, &ec_class, name);
	int fd;

	if (!w)
		return NULL;
	w->s = s;
	w->ec.v = rdma_create_event_channel();
	if (!w->ec.v) {
		call_fail(s, errno, "%s", "");
		if (s->fail.code && strcmp(s->fail.code, "ENODEV") == 0)
			fail_row(s, "cause",
				 "no RDMA device, or the module rdma_ucm is not loaded");
		fail_next(s, "devices");
		obj_discard(s, w);
		return NULL;
	}
	fd = w->ec.v->fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	obj_add(s, w);
	loop_watch(s->loop, fd, POLLIN, ready, w);
	return &w->ec;
}

struct ec *ec_default(struct session *s)
{
	struct obj *first = obj_first(s, &ec_class);

	return first ? (struct ec *)first : ec_make(s, NULL);
}

static int ec_destroy(struct session *s, struct obj *o)
{
	struct ec *ec = (struct ec *)o;

	loop_unwatch(s->loop, ec->v->fd);
	rdma_destroy_event_channel(ec->v);
	return 0;
}

static void ec_describe(struct session *s, struct obj *o, struct out *out)
{
	struct ec *ec = (struct ec *)o;
	struct obj_use *u;

	(void)s;
	out_str(out, "name", o->name, "ec %s", o->name);
	out_int(out, "fd", ec->v->fd, "  event channel, fd %d, ids:", ec->v->fd);
	out_list(out, "ids");
	obj_foreach_user(u, ec)
		out_str(out, NULL, u->user->name, " %s", u->user->name);
	out_end(out);
	out_text(out, "\n");
}

const struct obj_class ec_class = { .prefix = "ec",
				    .title = "event channel",
				    .remedy = "cm channel",
				    .size = sizeof(struct watched_ec),
				    .pointer = offsetof(struct watched_ec, ec.v),
				    .destroy = ec_destroy,
				    .describe = ec_describe };
