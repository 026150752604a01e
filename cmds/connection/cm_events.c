/* SPDX-License-Identifier: MIT */
/* Events of the connection manager: their channels, and the commands cm event and cm ack. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "object_args.h"
#include "output/print.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"
#include "why.h"

/*
 * Event channels and their events. An event is copied before it is acknowledged, because the
 * library frees its private data then.
 */

/* Are the parameters of the event in ud, not in conn? */
static bool cm_event_is_ud(const struct id *id, const struct cm_event *ev)
{
	return id_is_ud(id) || ev->type == RDMA_CM_EVENT_MULTICAST_JOIN;
}

/* Has the event connection parameters and private data? */
static bool cm_event_has_conn(const struct id *id, const struct cm_event *ev)
{
	switch (ev->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_MULTICAST_JOIN:
		return true;
	case RDMA_CM_EVENT_ESTABLISHED: /* the passive side gets an RTU: no parameters */
		return !id->passive;
	default:
		return false;
	}
}

static struct cm_event *copy_event(const struct id *id, const struct rdma_cm_event *ev)
{
	struct cm_event *copy = xcalloc(1, sizeof *copy);
	const void *data;

	copy->type = ev->event;
	copy->status = ev->status;
	if (cm_event_is_ud(id, copy)) {
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

/* Acknowledges the event, or keeps it for cm ack. A request is an event of its listener. */
static void ack_or_hold(struct id *owner, struct rdma_cm_event *ev, struct cm_event *copy)
{
	if (!owner->hold) {
		rdma_ack_cm_event(ev);
		return;
	}
	copy->held = true;
	owner->held = xgrow(owner->held, owner->unacked, sizeof(*owner->held));
	owner->held[owner->unacked++] = ev;
}

/* Acknowledges the events that the id holds; returns their number. */
static unsigned cm_ack(struct id *id)
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
	struct id *id;

	obj_foreach_of(id, s, &id_class)
		cm_ack(id);
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
		cm_share_unpack(id->data, id->data_len, &id->qp->peer);
}

#define STAYS -1

/* The state that an event moves its id to, and whether it ends an attempt. */
static const struct {
	enum rdma_cm_event_type type;
	int state;
	bool ends;
} effects[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, ID_ADDR_RESOLVED, false },
	{ RDMA_CM_EVENT_ADDR_ERROR, ID_BOUND, true }, /* may be tried again */
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, ID_ROUTE_RESOLVED, false },
	{ RDMA_CM_EVENT_ROUTE_ERROR, ID_ADDR_RESOLVED, true },
	{ RDMA_CM_EVENT_CONNECT_ERROR, ID_ERROR, true },
	{ RDMA_CM_EVENT_UNREACHABLE, ID_ERROR, true },
	{ RDMA_CM_EVENT_REJECTED, ID_ERROR, true },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, ID_ERROR, true },
	{ RDMA_CM_EVENT_ESTABLISHED, ID_ESTABLISHED, false },
	{ RDMA_CM_EVENT_DISCONNECTED, STAYS, true }, /* note_disconnected() */
	{ RDMA_CM_EVENT_MULTICAST_ERROR, STAYS, true },
};

bool cm_event_ends(enum rdma_cm_event_type type)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (effects[i].type == type)
			return effects[i].ends;
	return false;
}

static void note_state(struct session *s, struct id *id, const struct cm_event *ev)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (effects[i].type == ev->type && effects[i].state != STAYS)
			id_state(s, id, (enum id_state)effects[i].state);
	if (id->qp && ev->type == RDMA_CM_EVENT_ESTABLISHED)
		qp_history_cm(id->qp, IBV_QPS_RTS, "ESTABLISHED");
	else if (id->qp && ev->type == RDMA_CM_EVENT_DISCONNECTED)
		qp_history_asked(id->qp, word_name(cm_event_words, ev->type));
	else if (id->qp)
		qp_history_sync(id->qp, word_name(cm_event_words, ev->type));
}

/* Answers a disconnect, because the peer waits for it. */
static const char *note_disconnected(struct session *s, struct id *id)
{
	const char *how;
	int rc;

	id->peer_left = !id->left;
	if (id->left) { /* this end called rdma_disconnect() */
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
		qp_history_cm(id->qp, IBV_QPS_ERR,
			      id->peer_left ? "the peer has disconnected" : "DISCONNECTED");
	if (listen_forgets(s, id))
		how = " by peer (answered, and its end destroyed)";
	return how;
}

void cm_circumstances(struct session *s)
{
	const struct id *id;

	obj_foreach_of(id, s, &id_class) {
		if (id->peer_left)
			fail_row(s, "peer", "%s: %s has disconnected", id->o.name, id_peer(id));
	}
}

/* Appends ", 56 bytes of private data". */
static void append_data_len(const struct cm_event *ev, struct text *d)
{
	char text[64];

	if (!ev->len)
		return;
	if (!id_data_used(ev->data, ev->len))
		snprintf(text, sizeof text, ", no private data");
	else
		snprintf(text, sizeof text, ", %u bytes of private data", ev->len);
	text_add(d, text);
}

/* Traces the private data, without the padding. */
static void trace_data(struct session *s, const struct id *id, const struct cm_event *ev)
{
	SCOPED_TEXT(hex);
	const size_t used = id_data_used(ev->data, ev->len);

	if (!s->opt.raw || !used)
		return;
	xappend_hex(&hex, ev->data, used < 64 ? used : 64);
	trace(s, VOICE_INFO, "%s: private data, %zu of %u bytes used: %s%s", id->o.name, used,
	      ev->len, text_str(&hex), used > 64 ? "..." : "");
}

/* Posts a notice of a request, and what to type. */
static void post_request_notice(struct session *s, const struct id *id, const char *data)
{
	const struct listening *l = id->listener->listening;

	notice_post(s->notices, NOTICE_CM, "%s: CONNECT_REQUEST from %s%s -> %s%s",
		    id->listener->o.name, id_peer(id), data, id->o.name,
		    l && l->accept ? "" : "; type accept or reject");
}

static void post_event_notice(struct session *s, const struct id *id, const struct cm_event *ev,
			      const char *how)
{
	const char *name = word_name(cm_event_words, ev->type);
	SCOPED_TEXT(d);

	if (cm_awaited(id))
		return;
	append_data_len(ev, &d);
	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		post_request_notice(s, id, text_str(&d));
	else
		notice_post(s->notices, NOTICE_CM, "%s: %s%s%s%s", id->o.name, name,
			    ev->status ? temp_text(" %s", cm_status_text(ev))
			    : ev->type == RDMA_CM_EVENT_ESTABLISHED
				    ? temp_text(" with %s", id_peer(id))
				    : "",
			    how, text_str(&d));
}

static void handle_cm_event(struct session *s, struct rdma_cm_event *ev)
{
	bool request = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct id *owner = request ? ev->listen_id->context : ev->id->context;
	struct id *id = request ? id_adopt(s, owner, ev->id) : owner;
	struct cm_event *copy = copy_event(id, ev);
	const char *how = "";

	trace_data(s, id, copy);
	ack_or_hold(owner, ev, copy);
	keep_data(id, copy);
	note_state(s, id, copy);
	if (copy->type == RDMA_CM_EVENT_DISCONNECTED)
		how = note_disconnected(s, id);
	obj_ref(owner);
	obj_ref(id);
	post_event_notice(s, id, copy, how);
	if (obj_gone(id))
		free(copy);
	else
		cm_queue(s, id, copy);
	if (!obj_gone(id) && !obj_gone(owner)) {
		if (request)
			listen_answer(s, owner, id);
		listen_sweep(s, request ? owner : owner->listener);
	}
	obj_unref(id);
	obj_unref(owner);
}

static void on_channel_ready(void *arg, int fd, short revents)
{
	struct ec *ec = arg;
	struct rdma_cm_event *ev;

	(void)fd, (void)revents;
	obj_ref(ec);
	while (!obj_gone(ec) && rdma_get_cm_event(ec->v, &ev) == 0)
		handle_cm_event(ec->s, ev);
	obj_unref(ec);
}

struct ec *ec_default(struct session *s)
{
	struct ec *ec = obj_first(s, &ec_class);
	int fd;

	if (ec)
		return ec;
	ec = obj_new(s, &ec_class, NULL);
	ec->s = s;
	ec->v = rdma_create_event_channel();
	if (!ec->v) {
		call_fail(s, "%s", "");
		if (s->fail.code && strcmp(s->fail.code, "ENODEV") == 0)
			fail_row(s, "cause",
				 "no RDMA device, or the module rdma_ucm is not loaded");
		fail_next(s, "devices");
		obj_discard(s, ec);
		return NULL;
	}
	fd = ec->v->fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	obj_add(s, ec);
	loop_watch(s->loop, fd, POLLIN, on_channel_ready, ec);
	return ec;
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
				    .remedy = "cm create",
				    .size = sizeof(struct ec),
				    .kind = OBJECT_EVENT_CHANNEL,
				    .pointer = offsetof(struct ec, v),
				    .destroy = ec_destroy,
				    .describe = ec_describe };

/*
 * cm event and cm ack. Only the fields that are valid for the event are shown; the others of struct
 * rdma_cm_event are not initialized.
 */

struct event_args {
	struct id *id;
	struct num within;
};

static const struct arg event_args[] = {
	POS_OPT("id", event_args, id, kind_id_opt, "connection id; else any"),
	OPT("within", event_args, within, kind_ms, "time to wait (default: until Ctrl-C)"), ARGS_END
};

static void out_conn(const struct cm_event *ev, struct out *o)
{
	const struct rdma_conn_param *c = &ev->conn;

	out_int(o, "responder_resources", c->responder_resources, "  responder_resources %d",
		c->responder_resources);
	out_int(o, "initiator_depth", c->initiator_depth, " initiator_depth %d",
		c->initiator_depth);
	out_int(o, "flow_control", c->flow_control, " flow_control %d", c->flow_control);
	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		out_int(o, "retry_count", c->retry_count, " retry_count %d", c->retry_count);
	out_int(o, "rnr_retry_count", c->rnr_retry_count, " rnr_retry_count %d",
		c->rnr_retry_count);
	out_int(o, "srq", c->srq, " srq %d", c->srq);
	out_u64(o, "qp_num", c->qp_num, " qp_num 0x%x\n", c->qp_num);
}

static void out_ud(const struct cm_event *ev, struct out *o)
{
	const struct ibv_ah_attr *ah = &ev->ud.ah_attr;
	const char *gid = ah->is_global ? why_gid(&ah->grh.dgid) : "";

	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST) /* the peer's QP is unknown */
		return;
	out_u64(o, "qp_num", ev->ud.qp_num, "  qp_num 0x%x", ev->ud.qp_num);
	out_u64(o, "qkey", ev->ud.qkey, " qkey 0x%x", ev->ud.qkey);
	out_str(o, "dgid", gid, " dgid %s", *gid ? gid : "-");
	out_int(o, "sgid_index", ah->grh.sgid_index, " sgid_index %d", ah->grh.sgid_index);
	out_int(o, "dlid", ah->dlid, NULL);
	out_int(o, "sl", ah->sl, NULL);
	out_int(o, "port_num", ah->port_num, " port %d\n", ah->port_num);
}

static void out_event_data(const struct cm_event *ev, struct out *o)
{
	SCOPED_TEXT(dump);

	out_bytes(o, "private_data", ev->data, ev->len);
	if (!ev->len)
		return;
	id_hexdump(ev->data, ev->len, &dump);
	out_text(o, "  private data %u bytes:\n%s", ev->len, text_str(&dump));
}

/* Writes the valid fields of an event into the open scope, with lines of text. */
static void out_event(struct id *id, const struct cm_event *ev, struct out *o)
{
	const char *name = word_name(cm_event_words, ev->type);

	out_str(o, "event", name, "%s", name);
	out_str(o, "id", id->o.name, "  %s", id->o.name);
	if (id->listener)
		out_str(o, "listener", id->listener->o.name, NULL);
	out_int(o, "status", ev->status, "  status %s", cm_status_text(ev));
	if (ev->type == RDMA_CM_EVENT_REJECTED && ev->status > 0)
		out_str(o, "reason", word_name(rej_words, (uint64_t)ev->status), NULL);
	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		out_text(o, "  from %s", id_peer(id));
	out_bool(o, "held", ev->held, "%s\n", ev->held ? "  not acknowledged: cm ack" : "");
	if (ev->type == RDMA_CM_EVENT_MULTICAST_JOIN ||
	    (cm_event_has_conn(id, ev) && cm_event_is_ud(id, ev)))
		out_ud(ev, o);
	else if (cm_event_has_conn(id, ev))
		out_conn(ev, o);
	if (cm_event_has_conn(id, ev) || ev->len)
		out_event_data(ev, o);
}

static int cm_event_exec(struct session *s, const void *args, struct out *o)
{
	const struct event_args *a = args;
	struct id *id;
	struct cm_event *ev;
	unsigned n = 0;

	if (!a->id && !obj_only(s, &id_class, &n) && n == 0) {
		fail(s, "cm event", "ENOENT", "there is no connection id that could get an event");
		return fail_next(s, "%s", id_class.remedy);
	}
	ev = cm_next(s, a->id, a->within.set ? a->within.v : CM_FOREVER, &id);
	if (!ev)
		return -1;
	out_event(id, ev, o);
	free(ev);
	return 0;
}

/** Events are read as they arrive and queued on their id. This command takes the oldest event
 * of the id, or of any id. A CONNECT_REQUEST is an event of its listener, too. The value
 * has event, id, status, and the members that are valid for the event: connection
 * parameters and private_data; for datagrams qp_num, qkey and the address. The commands
 * that wait (cm connect ...) take their events themselves.
 * > cm event => ADDR_RESOLVED  id0  status 0
 * > cm event -within 100 => no event */
const struct cmd cmd_cm_event = {
	.name = "cm event",
	.family = "connection, step by step",
	.summary = "wait for the next connection event and take it",
	.calls = "rdma_get_cm_event(3)",
	.setup = "cm create; cm resolve-addr 10.0.0.2 7471 -nowait",
	.args = event_args,
	.exec = cm_event_exec,
};

/* ------------------------------------------------------------------ cm ack -- */

static int ack_exec(struct session *s, const void *args, struct out *o)
{
	const struct id_args *a = args;
	unsigned n;

	if (!a->id->unacked) {
		fail(s, "cm ack", "ENOENT", "%s has no event to acknowledge", a->id->o.name);
		return fail_row(s, "note", "%s",
				a->id->hold ? "an event is acknowledged exactly once"
					    : "only ids of 'cm create -hold' leave it to you");
	}
	n = cm_ack(a->id);
	out_u64(o, NULL, n, "%s: %u event%s acknowledged\n", a->id->o.name, n, n == 1 ? "" : "s");
	return 0;
}

/** Every event must be acknowledged exactly once, which frees its private data. An id made
 * with cm create -hold leaves this to you, to show what happens if it is forgotten:
 * destroying or migrating the id would wait for ever, so the shell refuses. A request is
 * an event of its listener.
 * > destroy id0 => 1 event not acknowledged: rdma_destroy_id would wait
 * > cm ack id0 => id0: 1 event acknowledged
 * > destroy id0 */
const struct cmd cmd_cm_ack = {
	.name = "cm ack",
	.family = "connection, step by step",
	.summary = "acknowledge the events that an id holds",
	.calls = "rdma_ack_cm_event(3)",
	.setup = "cm create -hold; cm resolve-addr 10.0.0.2 7471",
	.args = id_args,
	.exec = ack_exec,
};
