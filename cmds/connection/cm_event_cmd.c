/* SPDX-License-Identifier: MIT */
/*
 * cm event and cm ack. Only the fields that are valid for the event are shown: the others
 * of struct rdma_cm_event hold whatever was in memory.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "cm_events.h"
#include "cm_id.h"
#include "cmd.h"
#include "session.h"
#include "words.h"

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
	char gid[INET6_ADDRSTRLEN];

	if (ev->type == RDMA_CM_EVENT_CONNECT_REQUEST) /* nothing is known of the peer's QP */
		return;
	inet_ntop(AF_INET6, ah->grh.dgid.raw, gid, sizeof gid);
	out_u64(o, "qp_num", ev->ud.qp_num, "  qp_num 0x%x", ev->ud.qp_num);
	out_u64(o, "qkey", ev->ud.qkey, " qkey 0x%x", ev->ud.qkey);
	out_str(o, "dgid", ah->is_global ? gid : "", " dgid %s", ah->is_global ? gid : "-");
	out_int(o, "sgid_index", ah->grh.sgid_index, " sgid_index %d", ah->grh.sgid_index);
	out_int(o, "dlid", ah->dlid, NULL);
	out_int(o, "sl", ah->sl, NULL);
	out_int(o, "port_num", ah->port_num, " port %d\n", ah->port_num);
}

static void out_data(const struct cm_event *ev, struct out *o)
{
	Tcl_DString dump;

	out_bytes(o, "private_data", ev->data, ev->len);
	if (!ev->len)
		return;
	Tcl_DStringInit(&dump);
	id_hexdump(ev->data, ev->len, &dump);
	out_text(o, "  private data %u bytes:\n%s", ev->len, Tcl_DStringValue(&dump));
	Tcl_DStringFree(&dump);
}

static int event_exec(struct session *s, const void *args, struct out *o)
{
	const struct event_args *a = args;
	struct id *id;
	struct cm_event *ev;
	const char *name;
	unsigned n = 0;

	if (!a->id && !obj_only(s, &id_class, &n) && n == 0) {
		fail(s, "cm event", "ENOENT", "there is no connection id that could get an event");
		return fail_next(s, "%s", id_class.remedy);
	}
	ev = cm_next(s, a->id, a->within.set ? a->within.v : CM_FOREVER, &id);
	if (!ev)
		return -1;
	name = word_name(cm_event_words, ev->type);
	out_str(o, "event", name, "%s", name);
	out_str(o, "id", id->o.name, "  %s", id->o.name);
	if (id->listener)
		out_str(o, "listener", id->listener->o.name, NULL);
	out_int(o, "status", ev->status, "  status %s", cm_status_text(id, ev));
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
		out_data(ev, o);
	free(ev);
	return 0;
}

static const struct cmd_eg event_egs[] = { { "cm event", "ADDR_RESOLVED  id0  status 0" },
					   { "cm event -within 100", "no event" },
					   { NULL, NULL } };

const struct cmd cmd_cm_event = {
	.name = "cm event",
	.family = "connection, step by step",
	.summary = "wait for the next connection event and take it",
	.text = "Events are read as they come and queued on their id; this takes the oldest, of the\n"
		"id or (without one) of any. An event of a listener's request counts for the listener\n"
		"too. The value has event, id, status, and what is valid for the event: connection\n"
		"parameters and private_data, for datagrams qp_num, qkey and the address. The\n"
		"commands that wait (cm connect ...) take their events themselves.",
	.calls = "rdma_get_cm_event(3)",
	.setup = "cm create; cm resolve-addr 10.0.0.2 7471 -nowait",
	.examples = event_egs,
	.args = event_args,
	.size = sizeof(struct event_args),
	.exec = event_exec,
};

/* ------------------------------------------------------------------ cm ack -- */

struct ack_args {
	struct id *id;
};

static const struct arg ack_args[] = { POS_OPT("id", ack_args, id, kind_id, "connection id"),
				       ARGS_END };

static int ack_exec(struct session *s, const void *args, struct out *o)
{
	const struct ack_args *a = args;
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

static const struct cmd_eg ack_egs[] = { { "destroy id0",
					   "1 event not acknowledged: rdma_destroy_id would wait" },
					 { "cm ack id0", "id0: 1 event acknowledged" },
					 { "destroy id0", NULL },
					 { NULL, NULL } };

const struct cmd cmd_cm_ack = {
	.name = "cm ack",
	.family = "connection, step by step",
	.summary = "acknowledge the events that an id holds",
	.text = "Every event must be acknowledged once, and its private data is gone then. An id made\n"
		"with cm create -hold leaves this to you, to see what happens when it is forgotten:\n"
		"destroying or migrating the id would wait for ever, so the shell refuses. A request\n"
		"counts on its listener.",
	.calls = "rdma_ack_cm_event(3)",
	.setup = "cm create -hold; cm resolve-addr 10.0.0.2 7471",
	.examples = ack_egs,
	.args = ack_args,
	.size = sizeof(struct ack_args),
	.exec = ack_exec,
};
