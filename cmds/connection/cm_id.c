/* SPDX-License-Identifier: MIT */
/*
 * Connection ids. rdma_destroy_id(3) blocks until every event of the id is acknowledged, so an id
 * that holds events is not destroyed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_context.h"
#include "live_program.h"
#include "object_args.h"
#include "object_make.h"
#include "out.h"
#include "output/print.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

const struct word id_state_words[] = { { "IDLE", ID_IDLE, NULL },
				       { "BOUND", ID_BOUND, NULL },
				       { "LISTENING", ID_LISTENING, NULL },
				       { "ADDR_RESOLVED", ID_ADDR_RESOLVED, NULL },
				       { "ROUTE_RESOLVED", ID_ROUTE_RESOLVED, NULL },
				       { "CONNECTING", ID_CONNECTING, NULL },
				       { "REQUEST", ID_REQUEST,
					 "a peer's request waits for accept or reject" },
				       { "ACCEPTING", ID_ACCEPTING, NULL },
				       { "ESTABLISHED", ID_ESTABLISHED, NULL },
				       { "DISCONNECTED", ID_DISCONNECTED, NULL },
				       { "ERROR", ID_ERROR, NULL },
				       { 0 } };

bool id_is_ud(const struct id *id)
{
	return id->ps == RDMA_PS_UDP || id->ps == RDMA_PS_IPOIB;
}

const char *id_local(const struct id *id)
{
	return cm_addr_text(rdma_get_local_addr(id->v));
}

const char *id_peer(const struct id *id)
{
	return cm_addr_text(rdma_get_peer_addr(id->v));
}

const struct qp *id_next_peer(struct session *s, const struct id *id)
{
	const struct qp *newest = NULL;
	const struct id *other;

	obj_foreach_of(other, s, &id_class) {
		if (other != id && id->listener && other->listener == id->listener &&
		    other->state == ID_ESTABLISHED && other->qp &&
		    qp_history_state(other->qp) != IBV_QPS_ERR)
			newest = other->qp;
	}
	return newest;
}

/* At the server: only the client can connect again. */
static const char *server_again(struct session *s, const struct id *id, const char *end)
{
	const struct qp *next = id_next_peer(s, id);
	const struct listening *l = id->listener ? id->listener->listening : NULL;

	if (next)
		return temp_text("-qp %s, which is connected; or destroy %s -cascade: then %s is "
				 "taken without -qp",
				 next->o.name, id->qp ? id->qp->o.name : id->o.name, next->o.name);
	return temp_text("%sthe client connects again%s", end,
			 l && l->accept ? ", and its QP becomes the current one" : "; accept");
}

const char *id_again(struct session *s, const struct id *id)
{
	const struct sockaddr *peer = rdma_get_peer_addr(id->v);
	bool reset = id->qp && id->qp->state == IBV_QPS_RESET; /* rdma_disconnect refuses it */
	const char *end = reset ? temp_text("destroy %s -cascade; ", id->o.name)
			  : id->state == ID_ESTABLISHED ? temp_text("disconnect %s; ", id->o.name)
							: "";

	return id->passive
		       ? server_again(s, id, end)
		       : temp_text("%sconnect %s %u", end, cm_addr_host(peer), live_port_of(peer));
}

static struct id_list *list_of_state(struct context *c, enum id_state state)
{
	return state == ID_REQUEST			       ? &c->requests
	       : state == ID_DISCONNECTED || state == ID_ERROR ? &c->over
							       : NULL;
}

/* Removes the id from the lists and counters of its state. */
static void leave_state(struct session *s, struct id *id)
{
	struct id_list *list = list_of_state(s->ctx, id->state);

	if (list)
		TAILQ_REMOVE(list, id, in_state);
	if (id->state == ID_REQUEST && id->listener)
		id->listener->requests--;
	if (id->state == ID_LISTENING)
		s->ctx->listening--;
}

static void enter_state(struct session *s, struct id *id, enum id_state state)
{
	struct id_list *list = list_of_state(s->ctx, state);

	id->state = state;
	if (list)
		TAILQ_INSERT_TAIL(list, id, in_state);
	if (state == ID_REQUEST && id->listener)
		id->listener->requests++;
	if (state == ID_LISTENING)
		s->ctx->listening++;
}

void id_state(struct session *s, struct id *id, enum id_state state)
{
	leave_state(s, id);
	enter_state(s, id, state);
}

void id_own_cq(struct id *id, struct cq *cq)
{
	if (id->cq)
		id->cq->id = NULL;
	id->cq = cq;
	if (cq)
		cq->id = id;
}

void id_own_ah(struct id *id, struct ah *ah)
{
	if (id->ah)
		id->ah->id = NULL;
	id->ah = ah;
	if (ah)
		ah->id = id;
}

static struct id *new_id(struct session *s, const char *name, struct ec *ec,
			 enum rdma_port_space ps)
{
	struct id *id = obj_new(s, &id_class, name);

	if (!id)
		return NULL;
	TAILQ_INIT(&id->events);
	id->ec = ec;
	id->ps = ps;
	obj_use(id, ec);
	return id;
}

struct id *id_make(struct session *s, const char *name, enum rdma_port_space ps)
{
	struct ec *ec = ec_default(s);
	struct id *id = ec ? new_id(s, name, ec, ps) : NULL;

	if (!id)
		return NULL;
	if (rdma_create_id(ec->v, &id->v, id, ps)) {
		call_fail(s, "%s", ec->o.name);
		obj_discard(s, id);
		return NULL;
	}
	obj_add(s, id);
	return id;
}

struct id *id_adopt(struct session *s, struct id *listener, struct rdma_cm_id *v)
{
	struct id *id = new_id(s, NULL, listener->ec, listener->ps);

	id->v = v;
	id->passive = true;
	id->listener = listener;
	id->stepping = listener->stepping;
	id->hold = listener->hold;
	listener->adopted++;
	enter_state(s, id, ID_REQUEST);
	v->context = id;
	obj_add(s, id);
	return id;
}

/* The commands that are possible in the id's state. */
static const char *next_step(const struct id *id)
{
	switch (id->state) {
	case ID_IDLE:
		return "cm resolve-addr %s HOST PORT, or cm bind %s PORT";
	case ID_BOUND:
		return "cm listen %s, or cm resolve-addr %s HOST PORT";
	case ID_LISTENING:
		return obj_used(id)
			       ? "accept (a peer's request makes a new id), or destroy %s -cascade"
			       : "accept (a peer's request makes a new id), or destroy %s";
	case ID_ADDR_RESOLVED:
		return id->qp ? "cm resolve-route %s"
			      : "cm resolve-route %s; qp create -id %s comes before cm connect";
	case ID_ROUTE_RESOLVED:
		return id->qp ? "cm connect %s" : "qp create -id %s, then cm connect %s";
	case ID_CONNECTING:
		return "cm event %s: the answer has not arrived yet";
	case ID_REQUEST:
		return id->qp ? "cm accept %s, or reject %s" : "accept %s, or reject %s";
	case ID_ACCEPTING:
		return "cm event %s: ESTABLISHED has not arrived yet";
	case ID_ESTABLISHED:
		return "post ..., or disconnect %s";
	case ID_DISCONNECTED:
	case ID_ERROR:
		break;
	}
	return "destroy %s -cascade; an id is used once: make another one";
}

/* Adds the row "next"; its pattern has one or two %s for the name. */
static void fail_next_step(struct session *s, const struct id *id)
{
	const char *p = next_step(id), *name;
	SCOPED_TEXT(d);

	for (; (name = strstr(p, "%s")); p = name + 2) {
		text_add_bytes(&d, p, (name - p));
		text_add(&d, id->o.name);
	}
	text_add(&d, p);
	fail_next(s, "%s", text_str(&d));
}

int id_need(struct session *s, const struct id *id, const char *what, unsigned states)
{
	SCOPED_TEXT(want);

	if (states & ID_IN(id->state))
		return 0;
	for (const struct word *w = id_state_words; w->name; w++) {
		if (!(states & ID_IN(w->value)))
			continue;
		text_add(&want, text_len(&want) ? " or " : "");
		text_add(&want, w->name);
	}
	fail(s, what, "BADSTATE", "%s not called: %s is %s, and must be %s", what, id->o.name,
	     word_name(id_state_words, id->state), text_str(&want));
	fail_next_step(s, id);
	return -1;
}

struct dev *id_dev(struct session *s, const struct id *id, const char *what)
{
	if (id->v->verbs)
		return dev_of(s, id->v->verbs);
	fail(s, what, "ENODEV", "%s not called: %s is on no device yet", what, id->o.name);
	fail_row(s, "note",
		 "a device is known after its address is resolved, or bound to one "
		 "address of this machine");
	fail_next_step(s, id);
	return NULL;
}

const struct arg id_args[] = { POS_OPT("id", id_args, id, kind_id, "connection id"), ARGS_END };

size_t id_data_used(const unsigned char *data, size_t len)
{
	while (len && !data[len - 1])
		len--;
	return len;
}

void id_hexdump(const unsigned char *data, size_t len, struct text *d)
{
	size_t used = (id_data_used(data, len) + 15) / 16 * 16;
	char rest[64];

	if (used > len)
		used = len;
	visible_hexdump(d, data, used, 0);
	if (used == len)
		return;
	snprintf(rest, sizeof rest, "  %s%zu zero bytes\n", used ? "and " : "", len - used);
	text_add(d, rest);
}

static void leave_all(struct session *s, struct id *id)
{
	struct id *other;

	leave_state(s, id);
	id->state = ID_IDLE;
	id_own_cq(id, NULL);
	id_own_ah(id, NULL);
	if (id->listener)
		id->listener->adopted--;
	if (id->adopted)
		obj_foreach_of(other, s, &id_class)
			if (other->listener == id)
				other->listener = NULL;
	id_drop_events(s, id);
}

static int id_destroy(struct session *s, struct obj *o)
{
	struct id *id = (struct id *)o;

	if (id->unacked) {
		fail(s, "rdma_destroy_id", "EBUSY",
		     "%s has %u event%s not acknowledged: rdma_destroy_id would wait for "
		     "%s for ever",
		     o->name, id->unacked, id->unacked == 1 ? "" : "s",
		     id->unacked == 1 ? "it" : "them");
		return fail_next(s, "cm ack %s", o->name);
	}
	if (rdma_destroy_id(id->v))
		return call_fail(s, "%s", o->name);
	leave_all(s, id);
	free(id->listening);
	return 0;
}

static void describe_events(struct id *id, struct out *out)
{
	struct cm_event *ev;
	unsigned n = 0;

	TAILQ_FOREACH(ev, &id->events, link)
		n++;
	out_u64(out, "events", n, NULL);
	out_u64(out, "unacked", id->unacked, NULL);
	if (id->unacked)
		out_text(out, "  %u event%s not acknowledged", id->unacked,
			 id->unacked == 1 ? "" : "s");
}

static void id_describe(struct session *s, struct obj *o, struct out *out)
{
	struct id *id = (struct id *)o;
	const char *state = word_name(id_state_words, id->state);

	(void)s;
	out_str(out, "name", o->name, "id %s", o->name);
	out_str(out, "state", state, "  %s", state);
	out_str(out, "port_space", word_name(ps_words, id->ps), "  PS_%s",
		word_name(ps_words, id->ps));
	out_str(out, "local", id_local(id), "  %s", id_local(id));
	if (id->state != ID_LISTENING)
		out_str(out, "peer", id_peer(id), " -> %s", id_peer(id));
	out_str(out, "role",
		id->passive		    ? "passive"
		: id->state == ID_LISTENING ? "listener"
					    : "active",
		NULL);
	out_str(out, "device", id->v->verbs ? ibv_get_device_name(id->v->verbs->device) : "", NULL);
	if (id->v->verbs)
		out_text(out, "  %s", ibv_get_device_name(id->v->verbs->device));
	out_u64(out, "port_num", id->v->port_num, NULL);
	out_str(out, "channel", id->ec->o.name, "  %s", id->ec->o.name);
	out_str(out, "listener", id->listener ? id->listener->o.name : "", NULL);
	out_str(out, "pd", id->qp ? id->qp->pd->o.name : "", NULL);
	out_str(out, "qp", id->qp ? id->qp->o.name : "", NULL);
	if (id->qp)
		out_text(out, "  %s", id->qp->o.name);
	out_str(out, "ah", id->ah ? id->ah->o.name : "", NULL);
	out_bool(out, "stepping", id->stepping, NULL);
	out_bool(out, "hold", id->hold, NULL);
	out_u64(out, "private_data_len", id->data_len, NULL);
	if (id->listening) {
		const struct mr *share = id->listening->share;

		out_bool(out, "accepts", id->listening->accept, NULL);
		out_str(out, "share", share ? share->o.name : "", NULL);
	}
	describe_events(id, out);
	out_text(out, "\n");
}

static const char *id_title(const struct obj *o)
{
	return ((const struct id *)o)->state == ID_LISTENING ? "listener" : "connection id";
}

const struct obj_class id_class = { .prefix = "id",
				    .title = "connection id",
				    .title_of = id_title,
				    .remedy = "connect HOST PORT, listen PORT or cm create",
				    .size = sizeof(struct id),
				    .kind = OBJECT_CM_ID,
				    .pointer = offsetof(struct id, v),
				    .destroy = id_destroy,
				    .describe = id_describe };

static bool is_id(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)a;
	return obj_find(s, &id_class, Tcl_GetString(word)) != NULL;
}

const struct arg_kind kind_id_first = { .word = "id",
					.size = sizeof(struct id *),
					.parse = obj_arg_parse,
					.absent = obj_arg_default,
					.matches = is_id,
					.of = &id_class };

/* The state of a connection, for the trace and as the result of commands. */

static void out_private_data(const struct id *id, struct out *o)
{
	struct qp_peer window;
	SCOPED_TEXT(dump);

	out_bytes(o, "private_data", id->data ? id->data : (const unsigned char *)"", id->data_len);
	if (!id->data_len) {
		out_text(o, "\n");
	} else if (!id_data_used(id->data, id->data_len)) {
		out_text(o, ", no private data\n");
	} else if (id->qp && cm_share_unpack(id->data, id->data_len, &window)) {
		cm_share_out(&window, o);
		out_text(o, "\n");
	} else {
		id_hexdump(id->data, id->data_len, &dump);
		out_text(o, ", private data %zu bytes:\n%s", id->data_len, text_str(&dump));
	}
}

void id_out(struct session *s, struct id *id, struct out *o)
{
	const char *state = word_name(id_state_words, id->state);
	const struct id *request = cm_request_here(s, id);

	out_str(o, "id", id->o.name, "%s ", id->o.name);
	/* the peer may have disconnected before the command that waited for it returned */
	out_str(o, "state", state, "%s", id->peer_left ? "ESTABLISHED" : state);
	out_str(o, "peer", id_peer(id), " with %s", id_peer(id));
	if (id->peer_left)
		out_text(o, ", then %s by the peer", state);
	if (id->qp) {
		const char *qps = word_name(qp_state_words, qp_history_state(id->qp));

		out_str(o, "qp", id->qp->o.name, ", %s", id->qp->o.name);
		out_str(o, "qp_state", qps, " %s", qps);
		out_str(o, "pd", id->qp->pd->o.name, NULL);
		out_str(o, "cq", id->qp->send_cq->o.name, NULL);
	}
	if (id->ah) {
		out_str(o, "ah", id->ah->o.name, ", %s", id->ah->o.name);
		out_u64(o, "qpn", id->ah->qpn, " to qpn 0x%x", id->ah->qpn);
		out_u64(o, "qkey", id->ah->qkey, " qkey 0x%x", id->ah->qkey);
	}
	out_private_data(id, o);
	if (request)
		out_text(o, "   %s, its request, waits for your answer here: accept, or reject\n",
			 request->o.name);
}
