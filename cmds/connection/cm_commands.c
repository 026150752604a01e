/* SPDX-License-Identifier: MIT */
/* The connection manager step by step, one call per command: the active and the passive side. */
#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_context.h"
#include "object_args.h"
#include "session.h"

/*
 * The active side by hand: cm bind, resolve-addr, resolve-route, connect, establish.
 *
 * Each starts a call and then waits for its event. With -nowait the event is left to cm event, so
 * that both ends can be stepped in one process.
 */

#define NOWAIT(st) SWITCH("nowait", st, nowait, "return at once; 'cm event' waits for the answer")

/* ----------------------------------------------------------------- cm bind -- */

struct bind_args {
	struct id *id;
	struct num port;
	const char *address;
	bool v6;
};

static const struct arg bind_args[] = {
	POS_OPT("id", bind_args, id, kind_id, "connection id"),
	POS("port", bind_args, port, kind_port, "port; 0: any free one"),
	OPT("address", bind_args, address, kind_host, "address of this machine; else all"),
	SWITCH("ipv6", bind_args, v6, "without -address: the IPv6 wildcard"), ARGS_END
};

static int cm_bind_exec(struct session *s, const void *args, struct out *o)
{
	const struct bind_args *a = args;

	if (id_need(s, a->id, "cm bind", ID_IN(ID_IDLE)) ||
	    cm_step_bind(s, a->id, a->address, (uint16_t)a->port.v, a->v6))
		return -1;
	out_str(o, "id", a->id->o.name, "%s", a->id->o.name);
	out_str(o, "local", id_local(a->id), " bound to %s\n", id_local(a->id));
	out_int(o, "port", ntohs(rdma_get_src_port(a->id->v)), NULL);
	return 0;
}

/** An id that is bound to one address uses the device of that address; an id that is bound
 * to all addresses listens on every device. Ports belong to RDMA's port space, not to TCP:
 * a TCP server may use the same number. A port in use fails with EADDRINUSE or EADDRNOTAVAIL.
 * > cm bind 7400 => id0 bound to 0.0.0.0:7400 */
const struct cmd cmd_cm_bind = {
	.name = "cm bind",
	.family = "connection, step by step",
	.summary = "bind a connection id to an address and a port",
	.calls = "rdma_bind_addr(3)",
	.setup = "cm create",
	.args = bind_args,
	.exec = cm_bind_exec,
};

/* --------------------------------------------------------- cm resolve-addr -- */

struct resolve_args {
	struct id *id;
	const char *host, *source;
	struct num port, within;
	bool nowait;
};

static const struct arg resolve_args[] = {
	POS_OPT("id", resolve_args, id, kind_id_first, "connection id"),
	POS("host", resolve_args, host, kind_host, "address or name of the peer"),
	POS("port", resolve_args, port, kind_port, "the peer's port"),
	OPT("source", resolve_args, source, kind_host, "local address to use"),
	OPT("within", resolve_args, within, kind_ms, "time to resolve", .dflt = "2s",
	    .max = 3600000),
	NOWAIT(resolve_args),
	ARGS_END
};

static int resolve_exec(struct session *s, const void *args, struct out *o)
{
	const struct resolve_args *a = args;
	struct sockaddr_storage to;

	if (id_need(s, a->id, "cm resolve-addr", ID_IN(ID_IDLE) | ID_IN(ID_BOUND)) ||
	    cm_addr_parse(s, a->host, (uint16_t)a->port.v, AF_UNSPEC, &to) ||
	    cm_step_resolve_addr(s, a->id, a->source, &to, a->within.v, !a->nowait))
		return -1;
	return obj_out(s, a->id, o);
}

/** Uses the routing table and ARP (or neighbour discovery), and binds the id to the
 * device of that interface. Waits for ADDR_RESOLVED. ADDR_ERROR -19 means that
 * the interface has no RDMA device, -110 that there is no answer to ARP. After an error the
 * command may be repeated.
 * > cm resolve-addr 10.0.0.2 7471 => id0  ADDR_RESOLVED */
const struct cmd cmd_cm_resolve_addr = {
	.name = "cm resolve-addr",
	.family = "connection, step by step",
	.summary = "find the device and the neighbour for a peer",
	.calls = "rdma_resolve_addr(3)",
	.setup = "cm create",
	.args = resolve_args,
	.exec = resolve_exec,
};

/* -------------------------------------------------------- cm resolve-route -- */

struct route_args {
	struct id *id;
	struct num within;
	bool nowait;
};

static const struct arg route_args[] = { POS_OPT("id", route_args, id, kind_id, "connection id"),
					 OPT("within", route_args, within, kind_ms,
					     "time to resolve", .dflt = "2s", .max = 3600000),
					 NOWAIT(route_args), ARGS_END };

static int route_exec(struct session *s, const void *args, struct out *o)
{
	const struct route_args *a = args;

	if (id_need(s, a->id, "cm resolve-route", ID_IN(ID_ADDR_RESOLVED)) ||
	    cm_step_resolve_route(s, a->id, a->within.v, !a->nowait))
		return -1;
	return obj_out(s, a->id, o);
}

/** On InfiniBand this asks the subnet manager; on RoCE and iWARP no query is necessary.
 * Waits for ROUTE_RESOLVED.
 * > cm resolve-route => id0  ROUTE_RESOLVED */
const struct cmd cmd_cm_resolve_route = {
	.name = "cm resolve-route",
	.family = "connection, step by step",
	.summary = "find the path to the resolved address",
	.calls = "rdma_resolve_route(3)",
	.setup = "cm create; cm resolve-addr 10.0.0.2 7471",
	.args = route_args,
	.exec = route_exec,
};

/* -------------------------------------------------------------- cm connect -- */

struct connect_args {
	struct id *id;
	struct conn_args conn;
	struct num within;
	bool nowait;
};

static const struct arg connect_args[] = {
	POS_OPT("id", connect_args, id, kind_id, "connection id"),
	CONN_ARGS(connect_args, conn),
	CONN_QP_ARGS(connect_args, conn),
	OPT("within", connect_args, within, kind_ms, "time for the peer to accept", .dflt = "30s"),
	NOWAIT(connect_args),
	ARGS_END
};

static int need_qp(struct session *s, const struct connect_args *a, const char *what,
		   const char *note)
{
	if (a->id->qp || a->conn.qpn.set)
		return 0;
	fail(s, what, "ENOENT", "%s not called: %s has no QP", what, a->id->o.name);
	fail_row(s, "note", "%s", note);
	return fail_next(s, "qp create -id %s", a->id->o.name);
}

static int cm_connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct connect_args *a = args;
	struct id *id = a->id;

	if (id_need(s, id, "cm connect", ID_IN(ID_ROUTE_RESOLVED)) ||
	    need_qp(s, a, "cm connect",
		    "create the QP first, because its number is sent; -qpn n connects one made "
		    "without the id") ||
	    cm_step_connect(s, id, &a->conn))
		return -1;
	if (!a->nowait && cm_finish_connect(s, id, a->within.v))
		return -1;
	s->ctx->id = id;
	id_out(s, id, o);
	return 0;
}

/** Sends the request with the private data and waits for ESTABLISHED; meanwhile
 * librdmacm moves the QP from INIT through RTR to RTS. An id without a QP of its own
 * (-qpn) gets CONNECT_RESPONSE instead: move your QP by modify-qp, then cm
 * establish. REJECTED shows the reason and the peer's private data. Post receives
 * before this: the peer may send at once.
 * > cm connect -private-data hello => ESTABLISHED with 10.0.0.2:7471 */
const struct cmd cmd_cm_connect = {
	.name = "cm connect",
	.family = "connection, step by step",
	.summary = "ask the peer to connect",
	.calls = "rdma_connect(3)",
	.setup = "listen 7471 -accept\ncm create -name c\ncm resolve-addr c 10.0.0.2 7471\n"
		 "cm resolve-route c\nqp create -id c",
	.args = connect_args,
	.exec = cm_connect_exec,
};

/* ------------------------------------------------------------ cm establish -- */

static int establish_exec(struct session *s, const void *args, struct out *o)
{
	const struct id_args *a = args;
	struct id *id = a->id;

	if (id_need(s, id, "cm establish", ID_IN(ID_CONNECTING)))
		return -1;
	if (id->qp) {
		fail(s, "cm establish", "BADSTATE",
		     "cm establish not called: %s has %s, for which librdmacm does it", id->o.name,
		     id->qp->o.name);
		return fail_next(s, "cm event %s", id->o.name);
	}
	if (rdma_establish(id->v))
		return call_fail(s, "%s", id->o.name);
	id_state(s, id, ID_ESTABLISHED);
	id_out(s, id, o);
	return 0;
}

/** After CONNECT_RESPONSE on an id without a QP of its own, and after the QP was moved
 * to RTR and RTS: sends the last message of the handshake. The example shows the
 * error for an id that is not CONNECTING.
 * > cm establish => must be CONNECTING */
const struct cmd cmd_cm_establish = {
	.name = "cm establish",
	.family = "connection, step by step",
	.summary = "complete a connection whose QP is moved by hand",
	.calls = "rdma_establish(3)",
	.setup = "cm create",
	.args = id_args,
	.exec = establish_exec,
};

/* The passive side by hand: cm listen, accept; and cm disconnect of both. */

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

static int cm_listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct listen_args *a = args;

	if (id_need(s, a->id, "cm listen", ID_IN(ID_BOUND) | ID_IN(ID_IDLE)) ||
	    cm_step_listen(s, a->id, (int)a->backlog.v))
		return -1;
	out_str(o, "id", a->id->o.name, "%s", a->id->o.name);
	out_str(o, "local", id_local(a->id), " LISTENING on %s\n", id_local(a->id));
	out_int(o, "port", ntohs(rdma_get_src_port(a->id->v)), NULL);
	return 0;
}

/** Each request creates a new id in state REQUEST, which waits for accept or reject; the
 * notice CONNECT_REQUEST names it. Requests beyond the backlog are dropped; the peer
 * repeats its request every few seconds, until there is room.
 * > cm listen => id0 LISTENING on 0.0.0.0:7401 */
const struct cmd cmd_cm_listen = {
	.name = "cm listen",
	.family = "connection, step by step",
	.summary = "let a bound connection id accept requests",
	.calls = "rdma_listen(3)",
	.setup = "cm create; cm bind 7401",
	.args = listen_args,
	.exec = cm_listen_exec,
};

/* --------------------------------------------------------------- cm accept -- */

static const struct arg accept_args[] = { POS_OPT("id", connect_args, id, kind_id,
						  "id of the request"),
					  CONN_ARGS(connect_args, conn),
					  CONN_QP_ARGS(connect_args, conn),
					  OPT("within", connect_args, within, kind_ms,
					      "time for the peer to establish", .dflt = "30s"),
					  NOWAIT(connect_args),
					  ARGS_END };

static int cm_accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct connect_args *a = args;
	struct id *id = a->id;

	if (id_need(s, id, "cm accept", ID_IN(ID_REQUEST)) ||
	    need_qp(s, a, "cm accept",
		    "post its receives before accepting, too: the peer may send at once") ||
	    cm_step_accept(s, id, &a->conn))
		return -1;
	if (!a->nowait && cm_finish_accept(s, id, a->within.v))
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp ? id->qp : s->ctx->qp;
	id_out(s, id, o);
	return 0;
}

/** Moves the QP of the id to RTR and RTS, answers with the private data and waits for
 * ESTABLISHED. Make the QP first (qp create -id) and post its receives: the peer may
 * send as soon as it has the answer. The example steps both ends in one process.
 * > qp create -id id2 => INIT
 * > cm accept id2 -private-data welcome => id2 ESTABLISHED
 * > private-data id1 => welcome */
const struct cmd cmd_cm_accept = {
	.name = "cm accept",
	.family = "connection, step by step",
	.summary = "accept a request that has a QP",
	.calls = "rdma_accept(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait\n"
		 "cm event id0 -within 5s",
	.args = accept_args,
	.exec = cm_accept_exec,
};

/* ----------------------------------------------------------- cm disconnect -- */

static int cm_disconnect_exec(struct session *s, const void *args, struct out *o)
{
	const struct id_args *a = args;
	struct id *id = a->id;
	unsigned states = ID_IN(ID_ESTABLISHED) | ID_IN(ID_ACCEPTING) | ID_IN(ID_CONNECTING);

	if (!id->left)
		states |= ID_IN(ID_DISCONNECTED); /* answers the peer's disconnect */
	if (id_need(s, id, "cm disconnect", states) || cm_step_disconnect(s, id))
		return -1;
	out_str(o, NULL, id->o.name, "%s DISCONNECTED%s%s\n", id->o.name, id->qp ? ", ERR: " : "",
		id->qp ? id->qp->o.name : "");
	return 0;
}

/** Moves the QP to ERR (what is posted completes with WR_FLUSH_ERR) and tells the peer,
 * which must call it too. It does not wait: the event DISCONNECTED arrives when the peer has
 * answered.
 * > cm disconnect => DISCONNECTED
 * > cm event id1 -within 5s => DISCONNECTED */
const struct cmd cmd_cm_disconnect = {
	.name = "cm disconnect",
	.family = "connection, step by step",
	.summary = "disconnect, or answer the peer that disconnected",
	.calls = "rdma_disconnect(3)",
	.setup = "listen 7471 -accept\nconnect 10.0.0.2 7471",
	.args = id_args,
	.exec = cm_disconnect_exec,
};
