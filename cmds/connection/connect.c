/* SPDX-License-Identifier: MIT */
/* connect, disconnect and private-data: the active side in one command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "output/print.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

/* ----------------------------------------------------------------- connect -- */

struct connect_args {
	const char *host, *source, *name;
	struct num port, within, ps;
	bool prepare;
	struct conn_args conn;
	struct ends_args ends;
};

static const struct arg connect_args[] = {
	POS_OPT("host", connect_args, host, kind_host,
		"address or name of the peer; left out: the id of connect -prepare goes on"),
	POS_OPT("port", connect_args, port, kind_port, "the peer's port, unless host is HOST:PORT"),
	OPT("source", connect_args, source, kind_host, "local address to use"),
	OPT("within", connect_args, within, kind_ms, "time for each step", .dflt = "30s",
	    .max = 3600000),
	SWITCH("prepare", connect_args, prepare,
	       "stop before rdma_connect, to post receives; a second connect continues"),
	OPT("ps", connect_args, ps, kind_enum, "port space", .data = ps_words, .dflt = "TCP"),
	OPT("name", connect_args, name, kind_str, "name of the id"),
	CONN_ARGS(connect_args, conn),
	ENDS_ARGS(connect_args, ends),
	ARGS_END
};

#define RESOLVE_MS 5000 /* a neighbour answers within this time or not at all */

extern const struct cmd cmd_connect;

/* Reads the host and the port, which are two words or one. */
static int read_peer(struct session *s, const struct connect_args *a, struct sockaddr_storage *dst)
{
	const char *colon = strchr(a->host, ':');
	unsigned port;
	char *host, rest;
	int rc;

	if (a->port.set)
		return cm_addr_parse(s, a->host, (uint16_t)a->port.v, AF_UNSPEC, dst);
	if (!colon || sscanf(colon, ":%5u%c", &port, &rest) != 1 || port > 65535) {
		fail(s, "args", "MISSING", "connect: missing <port>: the peer's port");
		return args_fail_usage(s, &cmd_connect);
	}
	host = xasprintf("%.*s", (int)(colon - a->host), a->host);
	rc = cm_addr_parse(s, host, (uint16_t)port, AF_UNSPEC, dst);
	free(host);
	return rc;
}

static int resolve_peer(struct session *s, const struct connect_args *a, struct id *id)
{
	const uint64_t ms = a->within.v < RESOLVE_MS ? a->within.v : RESOLVE_MS;
	struct sockaddr_storage to;

	if (read_peer(s, a, &to))
		return -1;
	trace(s, VOICE_INFO, "step: resolve %s", cm_addr_text((struct sockaddr *)&to));
	if (cm_step_resolve_addr(s, id, a->source, &to, ms, true))
		return -1;
	return cm_step_resolve_route(s, id, ms, true);
}

static int make_ends(struct session *s, const struct connect_args *a, struct id *id,
		     struct made *made)
{
	uint64_t mark = obj_made_mark(s);
	int rc;

	trace(s, VOICE_INFO, "step: PD, CQ and QP for %s", id->o.name);
	rc = cm_ends_make(s, id, &a->ends);
	obj_made_since(s, made, mark);
	obj_made_hold(s, made);
	return rc;
}

/* A second connect to the peer of an id that connect -prepare has made is another connection. */
static void tell_prepared(struct session *s, const struct id *made)
{
	const struct id *id = s->ctx->id;

	if (id && id->state == ID_ROUTE_RESOLVED && id->qp &&
	    strcmp(id_peer(id), id_peer(made)) == 0)
		print_error("note: this is another connection; 'connect %s' goes on with %s\n",
			    id->o.name, id->o.name);
}

static int resolve_and_connect(struct session *s, const struct connect_args *a, struct id *id,
			       struct made *made)
{
	if (cm_data_fits(s, id, ROW_rdma_connect, a->conn.data.len) || resolve_peer(s, a, id) ||
	    make_ends(s, a, id, made))
		return -1;
	if (a->prepare)
		return 0;
	tell_prepared(s, id);
	trace(s, VOICE_INFO, "step: connect to %s", id_peer(id));
	if (cm_step_connect(s, id, &a->conn))
		return -1;
	return cm_finish_connect(s, id, a->within.v);
}

/* The id that connect -prepare has made, and that connect, or connect ID, goes on with: the current
 * one. NULL with s->fail filled. */
static struct id *find_prepared(struct session *s, const struct connect_args *a)
{
	struct id *id = a->host ? obj_find(s, &id_class, a->host) : s->ctx->id;

	if (!id || (!a->host && id->state != ID_ROUTE_RESOLVED)) {
		fail(s, "args", "MISSING",
		     "connect: missing <host>: no id of connect -prepare is current");
		args_fail_usage(s, &cmd_connect);
		return NULL;
	}
	return id_need(s, id, "connect", ID_IN(ID_ROUTE_RESOLVED)) ? NULL : id;
}

static int connect_prepared(struct session *s, const struct connect_args *a, struct out *o)
{
	struct id *id = find_prepared(s, a);

	if (!id)
		return -1;
	obj_hold_arg(s, id);
	if (cm_step_connect(s, id, &a->conn) || cm_finish_connect(s, id, a->within.v))
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp ? id->qp : s->ctx->qp;
	id_out(s, id, o);
	return 0;
}

static int connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct connect_args *a = args;
	uint64_t mark = obj_made_mark(s);
	struct made made = { 0 };
	struct qp *qp;
	struct id *id;
	bool failed;

	if (!a->host || (!a->port.set && obj_find(s, &id_class, a->host)))
		return connect_prepared(s, a, o);
	qp = qp_current_aside(s);
	id = id_make(s, a->name, (enum rdma_port_space)a->ps.v);
	obj_made_since(s, &made, mark);
	obj_made_hold(s, &made);
	failed = !id || resolve_and_connect(s, a, id, &made);
	if (failed)
		obj_made_undo(s, &made);
	qp_current_back(s, qp);
	if (failed)
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp;
	id_out(s, id, o);
	return 0;
}

/** Creates an id, resolves address and route, creates what is missing (PD, CQ, QP) and
 * sends the request. The id and its QP become the current ones; private-data shows the
 * peer's data. If the peer sent a region (listen -share), post write, read and the
 * atomics use it; by hand: binary scan [private-data] WuIu addr rkey, then post write ...
 * -remote $addr -rkey $rkey. If it fails, everything is undone. Where the peer sends
 * first, use -prepare, post receives, and connect again, without the host. With -ps UDP the QP is
 * UD, and an address handle to the peer is made. In steps: cm create, cm resolve-addr, cm
 * resolve-route, qp create -id, cm connect; 'trace all' shows them.
 * > connect 10.0.0.2 7471 => ESTABLISHED with 10.0.0.2:7471, qp0 RTS
 * > connect 10.0.0.2:7471 => ESTABLISHED
 * > connect 10.0.0.2 7471 -prepare => ROUTE_RESOLVED
 * > connect => ESTABLISHED
 * > connect 10.0.0.2 7999 => INVALID_SERVICE_ID: nobody listens
 * > connect 10.0.0.2 7471 -private-data [string repeat x 57] => room for 56 */
const struct cmd cmd_connect = {
	.name = "connect",
	.family = "connection, in one go",
	.summary = "connect to a peer",
	.calls = "rdma_resolve_addr(3), rdma_resolve_route(3), rdma_create_qp(3), rdma_connect(3)",
	.setup = "listen 7471 -accept",
	.args = connect_args,
	.exec = connect_exec,
};

/* -------------------------------------------------------------- disconnect -- */

struct disconnect_args {
	struct id *id;
	struct num within;
	bool destroy;
};

static const struct arg disconnect_args[] = {
	POS_OPT("id", disconnect_args, id, kind_id, "connection id"),
	OPT("within", disconnect_args, within, kind_ms, "time for the peer to answer",
	    .dflt = "10s"),
	SWITCH("destroy", disconnect_args, destroy,
	       "destroy the id, its QP and the CQ made for it"),
	ARGS_END
};

static int disconnect_and_wait(struct session *s, struct id *id, uint64_t within_ms)
{
	if (id_is_ud(id)) {
		fail(s, "disconnect", "EINVAL", "%s is for datagrams: there is no connection",
		     id->o.name);
		return fail_next(s, "destroy %s -cascade", id->o.name);
	}
	if (id->state == ID_DISCONNECTED && id->left)
		return 0;
	if (id_need(s, id, "disconnect", ID_IN(ID_ESTABLISHED) | ID_IN(ID_DISCONNECTED)))
		return -1;
	if (id->state == ID_DISCONNECTED) /* by the peer; an id of 'cm create' has not answered */
		return cm_step_disconnect(s, id);
	if (cm_step_disconnect(s, id))
		return fail_next(s, "%s", id_again(s, id));
	if (cm_await(s, id, "rdma_disconnect", RDMA_CM_EVENT_DISCONNECTED, within_ms, NULL) == 0)
		return 0;
	return fail_row(s, "note",
			"this end is disconnected; the peer has not called rdma_disconnect");
}

static int disconnect_exec(struct session *s, const void *args, struct out *o)
{
	const struct disconnect_args *a = args;
	struct id *id = a->id;
	bool before = id->state == ID_DISCONNECTED, left = id->left;

	if (disconnect_and_wait(s, id, a->within.v))
		return -1;
	out_str(o, NULL, id->o.name, "%s DISCONNECTED%s", id->o.name,
		!before ? ""
		: left	? " (as before)"
			: " (the peer did so before)");
	if (id->qp && !a->destroy && !left)
		out_text(o, ", %s ERR: what was posted completes with WR_FLUSH_ERR",
			 id->qp->o.name);
	out_text(o, "\n");
	return a->destroy ? cm_ends_destroy(s, id) : 0;
}

/** Calls rdma_disconnect, which moves the QP to ERR, and waits until the peer has
 * answered. The id and the QP stay, so that flushed completions can be polled; they
 * cannot be connected again. A peer's disconnect is answered automatically.
 * > disconnect => DISCONNECTED, qp0 ERR
 * > disconnect -destroy => as before */
const struct cmd cmd_disconnect = {
	.name = "disconnect",
	.family = "connection, in one go",
	.summary = "end a connection",
	.calls = "rdma_disconnect(3)",
	.setup = "listen 7471 -accept\nconnect 10.0.0.2 7471",
	.args = disconnect_args,
	.exec = disconnect_exec,
};

/* ------------------------------------------------------------ private-data -- */

static int data_exec(struct session *s, const void *args, struct out *o)
{
	const struct id_args *a = args;
	SCOPED_TEXT(dump);

	if (!a->id->data) {
		fail(s, "private-data", "ENOENT", "%s has received no private data", a->id->o.name);
		return fail_row(s, "note",
				"it comes with CONNECT_REQUEST (56 bytes), with ESTABLISHED on "
				"the side that connected (196) and with REJECTED (148)");
	}
	id_hexdump(a->id->data, a->id->data_len, &dump);
	out_bytes(o, NULL, a->id->data, a->id->data_len);
	out_text(o, "%s", text_str(&dump));
	return 0;
}

/** A byte string, for binary scan. The CM carries a field of fixed size, zero-padded: 56
 * bytes in a request, 196 in the answer, 148 in a rejection (datagrams 180 and 136). All
 * zeros mean that nothing was sent; include a length if you need one.
 * > private-data => hello
 * > string length [private-data] */
const struct cmd cmd_private_data = {
	.name = "private-data",
	.family = "connection, in one go",
	.summary = "show the private data that the peer sent when connecting",
	.setup = "listen 7471 -accept -private-data hello\nconnect 10.0.0.2 7471",
	.args = id_args,
	.flags = CMD_LOOKS,
	.exec = data_exec,
};
