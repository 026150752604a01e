/* SPDX-License-Identifier: MIT */
/* The passive side by hand: cm listen, accept, reject; and cm disconnect of both. */
#include "cm_events.h"
#include "cm_id.h"
#include "cm_step.h"
#include "cmd.h"
#include "session.h"
#include "words.h"

/* --------------------------------------------------------------- cm listen -- */

struct listen_args {
	struct id *id;
	struct num backlog;
};

static const struct arg listen_args[] = { POS_OPT("id", listen_args, id, kind_id, "connection id"),
					  OPT("backlog", listen_args, backlog, kind_u32,
					      "requests that may wait", .dflt = "16", .min = 1,
					      .max = 1024),
					  ARGS_END };

static int listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct listen_args *a = args;

	if (id_need(s, a->id, "cm listen", ID_IN(ID_BOUND) | ID_IN(ID_IDLE)) ||
	    step_listen(s, a->id, (int)a->backlog.v))
		return -1;
	out_str(o, "id", a->id->o.name, "%s", a->id->o.name);
	out_str(o, "local", id_local(a->id), " LISTENING on %s\n", id_local(a->id));
	out_int(o, "port", ntohs(rdma_get_src_port(a->id->v)), NULL);
	return 0;
}

static const struct cmd_eg listen_egs[] = { { "cm listen", "id0 LISTENING on 0.0.0.0:7401" },
					    { NULL, NULL } };

const struct cmd cmd_cm_listen = {
	.name = "cm listen",
	.family = "connection, step by step",
	.summary = "let a bound connection id take requests",
	.text = "Each request makes a new id in state REQUEST, which waits to be accepted or\n"
		"rejected; the notice CONNECT_REQUEST names it. Beyond the backlog requests\n"
		"are dropped; the peer repeats its own every few seconds, and it comes in when\n"
		"there is room.",
	.calls = "rdma_listen(3)",
	.setup = "cm create; cm bind 7401",
	.examples = listen_egs,
	.args = listen_args,
	.size = sizeof(struct listen_args),
	.exec = listen_exec,
};

/* --------------------------------------------------------------- cm accept -- */

struct accept_args {
	struct id *id;
	struct conn_args conn;
	struct num within;
	bool nowait;
};

static const struct arg accept_args[] = {
	POS_OPT("id", accept_args, id, kind_id, "id of the request"),
	CONN_ARGS(accept_args, conn),
	CONN_QP_ARGS(accept_args, conn),
	OPT("within", accept_args, within, kind_ms, "time for the peer to establish",
	    .dflt = "30s"),
	SWITCH("nowait", accept_args, nowait, "return at once; 'cm event' brings the answer"),
	ARGS_END
};

static int accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct accept_args *a = args;
	struct rdma_conn_param p;
	struct id *id = a->id;

	if (id_need(s, id, "cm accept", ID_IN(ID_REQUEST)))
		return -1;
	if (!id->qp && !a->conn.qpn.set) {
		fail(s, "cm accept", "ENOENT", "cm accept not called: %s has no QP", id->o.name);
		fail_row(s, "note",
			 "post its receives before accepting, too: the peer may send at once");
		return fail_next(s, "qp create -id %s", id->o.name);
	}
	if (conn_param(s, id, DATA_ACCEPT, &a->conn, &p) || step_accept(s, id, &p))
		return -1;
	if (!a->nowait && finish_accept(s, id, a->within.v))
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp ? id->qp : s->ctx->qp;
	out_id(s, id, o);
	return 0;
}

static const struct cmd_eg accept_egs[] = { { "qp create -id id2", "INIT" },
					    { "cm accept id2 -private-data welcome",
					      "id2 ESTABLISHED" },
					    { "private-data id1", "welcome" },
					    { NULL, NULL } };

const struct cmd cmd_cm_accept = {
	.name = "cm accept",
	.family = "connection, step by step",
	.summary = "accept a request that has a QP",
	.text = "Moves the QP of the id to RTR and RTS, answers with the private data and waits for\n"
		"ESTABLISHED. Make the QP first (qp create -id) and post its receives: the peer may\n"
		"send as soon as it has the answer. The example steps both ends in one process.",
	.calls = "rdma_accept(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait\n"
		 "cm event id0 -within 5s",
	.examples = accept_egs,
	.args = accept_args,
	.size = sizeof(struct accept_args),
	.exec = accept_exec,
};

/* --------------------------------------------------------------- cm reject -- */

struct reject_args {
	struct id *id;
	struct bytes data;
};

static const struct arg reject_args[] = {
	POS_OPT("id", reject_args, id, kind_id, "id of the request"),
	OPT("private-data", reject_args, data, kind_bytes, "why, for the peer to read"), ARGS_END
};

static int reject_exec(struct session *s, const void *args, struct out *o)
{
	const struct reject_args *a = args;

	if (id_need(s, a->id, "cm reject", ID_IN(ID_REQUEST)) ||
	    step_reject(s, a->id, a->data.data, a->data.len))
		return -1;
	out_str(o, NULL, a->id->o.name, "%s rejected, %s is told reason 28 CONSUMER_DEFINED\n",
		a->id->o.name, id_peer(a->id));
	return 0;
}

static const struct cmd_eg reject_egs[] = { { "cm reject id2 -private-data \"no room\"",
					      "id2 rejected" },
					    { "cm event id1 -within 5s", "CONSUMER_DEFINED" },
					    { NULL, NULL } };

const struct cmd cmd_cm_reject = {
	.name = "cm reject",
	.family = "connection, step by step",
	.summary = "reject a request",
	.text = "The peer gets REJECTED with reason 28 (CONSUMER_DEFINED) and up to 148 bytes of\n"
		"private data. The id stays until it is destroyed.",
	.calls = "rdma_reject(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait\n"
		 "cm event id0 -within 5s",
	.examples = reject_egs,
	.args = reject_args,
	.size = sizeof(struct reject_args),
	.exec = reject_exec,
};

/* ----------------------------------------------------------- cm disconnect -- */

struct disconnect_args {
	struct id *id;
};

static const struct arg disconnect_args[] = {
	POS_OPT("id", disconnect_args, id, kind_id, "connection id"), ARGS_END
};

static int disconnect_exec(struct session *s, const void *args, struct out *o)
{
	const struct disconnect_args *a = args;
	struct id *id = a->id;
	unsigned states = ID_IN(ID_ESTABLISHED) | ID_IN(ID_ACCEPTING) | ID_IN(ID_CONNECTING);

	if (!id->left)
		states |= ID_IN(ID_DISCONNECTED); /* the answer to the peer's */
	if (id_need(s, id, "cm disconnect", states) || step_disconnect(s, id))
		return -1;
	out_str(o, NULL, id->o.name, "%s DISCONNECTED%s%s\n", id->o.name, id->qp ? ", ERR: " : "",
		id->qp ? id->qp->o.name : "");
	return 0;
}

static const struct cmd_eg disconnect_egs[] = { { "cm disconnect", "DISCONNECTED" },
						{ "cm event id1 -within 5s", "DISCONNECTED" },
						{ NULL, NULL } };

const struct cmd cmd_cm_disconnect = {
	.name = "cm disconnect",
	.family = "connection, step by step",
	.summary = "disconnect, or answer the peer that disconnected",
	.text = "Moves the QP to ERR (what is posted completes with WR_FLUSH_ERR) and tells the peer,\n"
		"which must call it too. Does not wait: the event DISCONNECTED comes when the peer has\n"
		"answered.",
	.calls = "rdma_disconnect(3)",
	.setup = "listen 7471 -accept\nconnect 10.0.0.2 7471",
	.examples = disconnect_egs,
	.args = disconnect_args,
	.size = sizeof(struct disconnect_args),
	.exec = disconnect_exec,
};
