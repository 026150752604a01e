/* SPDX-License-Identifier: MIT */
/* The passive side: the commands listen, accept and reject, and the requests that listen -accept
 * answers. */
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_context.h"
#include "object_args.h"
#include "object_make.h"
#include "own_model.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

struct listen_args {
	struct num port, backlog, ps;
	const char *address, *name;
	bool v6;
	struct listening how;
};

static const struct arg listen_args[] = {
	POS("port", listen_args, port, kind_port, "port; 0: any free one"),
	OPT("address", listen_args, address, kind_host, "address of this machine; else all"),
	SWITCH("ipv6", listen_args, v6, "without -address: all of IPv6"),
	OPT("share", listen_args, how.share, kind_mr_opt,
	    "region whose address and key accepted peers receive"),
	SWITCH("accept", listen_args, how.accept,
	       "accept automatically, also while other commands wait"),
	SWITCH("keep", listen_args, how.keep,
	       "with -accept: keep the id and QP of a peer that disconnected"),
	OPT("backlog", listen_args, backlog, kind_u32, "requests that may wait", .dflt = "16",
	    .min = 1, .max = 1024),
	OPT("ps", listen_args, ps, kind_enum, "port space", .data = ps_words, .dflt = "TCP"),
	OPT("name", listen_args, name, kind_str, "name of the object"),
	CONN_ARGS(listen_args, how.conn),
	ENDS_ARGS(listen_args, how.ends),
	ARGS_END
};

/* The settings outlive the words of the command. */
static struct listening *keep_settings(const struct listening *how)
{
	struct listening *l = xcalloc(1, sizeof *l);

	*l = *how;
	l->ends.qp_name = NULL; /* many QPs cannot share one name */
	if (how->conn.data.len)
		memcpy(l->data, how->conn.data.data, how->conn.data.len);
	l->conn.data.data = l->data;
	return l;
}

const char *listen_again(const struct id *listener)
{
	const struct listening *l = listener->listening;
	const char *at = id_local(listener), *colon = strrchr(at, ':');
	const bool is_any = strncmp(at, "0.0.0.0:", 8) == 0 || strncmp(at, "[::]:", 5) == 0;
	const bool has_share = l && l->share;

	return temp_text("listen %s%s%.*s%s%s", colon + 1, is_any ? "" : " -address ",
			 is_any ? 0 : (int)(colon - at), at, has_share ? " -share " : "",
			 has_share ? l->share->o.name : "");
}

static int fail_other_pd(struct session *s, const char *call, const struct mr *share,
			 const struct pd *pd, const char *whose)
{
	fail(s, call, "EINVAL", "%s is in %s, %s in %s: the peers could not reach it",
	     share->o.name, share->pd->o.name, whose, pd->o.name);
	return fail_next(s, "reg %zu -pd %s", share->len, pd->o.name);
}

/* Fails unless the QPs and the shared region have the same PD. */
static int share_fits(struct session *s, const char *call, const struct mr *share,
		      const struct ends_args *ends)
{
	const struct pd *pd = ends->pd ? ends->pd : ends->srq ? ends->srq->pd : NULL;

	if (!pd || pd == share->pd)
		return 0;
	return fail_other_pd(s, call, share, pd,
			     ends->pd ? "their QPs would be" : ends->srq->o.name);
}

static int check_listen_args(struct session *s, const struct listen_args *a)
{
	if (a->how.keep && !a->how.accept)
		return fail(s, "args", "MISSING", "-keep needs -accept");
	if (a->how.share && a->how.conn.data.len)
		return fail(s, "args", "TWICE",
			    "-share and -private-data both set the private data: give one of them");
	if (a->how.share &&
	    !(own_region(a->how.share)->access &
	      (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))) {
		fail(s, "listen", "EACCES", "-share: the access flags of %s give peers no rights",
		     a->how.share->o.name);
		return fail_next(s, "reg 4096 -access local-write,remote-write,remote-read");
	}
	return a->how.share ? share_fits(s, "listen", a->how.share, &a->how.ends) : 0;
}

static int bind_and_listen(struct session *s, const struct listen_args *a, struct id *id)
{
	if (cm_data_fits(s, id, ROW_rdma_accept, a->how.conn.data.len) ||
	    cm_step_bind(s, id, a->address, (uint16_t)a->port.v, a->v6))
		return -1;
	/* an id that is bound to one address belongs to a device, and so do those it accepts */
	if (id->v->verbs && !dev_of(s, id->v->verbs))
		return -1;
	if (cm_ends_same_dev(s, "rdma_listen", id, &a->how.ends, a->how.share))
		return -1;
	return cm_step_listen(s, id, (int)a->backlog.v);
}

static void out_listening(const struct listen_args *a, const struct id *id, struct out *o)
{
	out_str(o, "id", id->o.name, "%s", id->o.name);
	out_str(o, "local", id_local(id), " listening on %s", id_local(id));
	out_int(o, "port", ntohs(rdma_get_src_port(id->v)), NULL);
	out_text(o, a->how.accept ? "; clients are accepted" : "; a client waits until you accept");
	if (a->how.share)
		out_text(o, "%s told where %s is", a->how.accept ? ", and" : ", and is then",
			 a->how.share->o.name);
	out_text(o, "\n");
}

static int listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct listen_args *a = args;
	uint64_t mark = obj_made_mark(s);
	struct made made = { 0 };
	struct id *id;

	if (check_listen_args(s, a))
		return -1;
	id = id_make(s, a->name, (enum rdma_port_space)a->ps.v);
	obj_made_since(s, &made, mark);
	if (!id || bind_and_listen(s, a, id))
		return obj_made_undo(s, &made);
	id->listening = keep_settings(&a->how);
	obj_use(id, a->how.share);
	obj_use(id, a->how.ends.pd);
	obj_use(id, a->how.ends.cq);
	obj_use(id, a->how.ends.srq);
	s->ctx->id = id;
	out_listening(a, id, o);
	return 0;
}

/** Makes an id, binds it and listens. A request appears as a notice and waits for accept
 * or reject; with -accept it is accepted as soon as it arrives, also while other commands
 * wait, so that both ends can run in one process. -share announces a region to each peer,
 * in the private data of the answer: its address (8 bytes), its rkey (4 bytes) and its
 * length (8 bytes), all big-endian. The bytes that follow are for rdmash, where post write then
 * needs no address. The other options apply to the connections that are accepted. In steps: cm
 * create, cm bind, cm listen.
 *
 * The objects that -accept made for a peer are destroyed when the peer disconnects, so that
 * they do not accumulate in a server. The current QP is destroyed only when the next peer is
 * accepted, whose QP then becomes the current one. Objects that a command has used are
 * kept, and with -keep all objects are. Datagram peers never disconnect.
 * > reg 4096 -name window => window
 * > listen 7471 -share window -accept => id0 listening on 0.0.0.0:7471
 * > listen 7471 => port 7471 is in use: id0 has it
 * > listen 7472 -address 10.0.0.1 => a client waits until you accept
 * > listen 7473 -share [reg 4096 -name own] -accept => told where own is */
const struct cmd cmd_listen = {
	.name = "listen",
	.family = "connection, in one go",
	.summary = "wait for peers on a port",
	.calls = "rdma_create_id(3), rdma_bind_addr(3), rdma_listen(3)",
	.args = listen_args,
	.exec = listen_exec,
};

/*
 * Answering requests. For a listener with -accept the event loop answers while some command waits.
 * The current QP and the failure of that command are saved, and restored afterwards.
 */

/* Uses the listener's settings where the arguments give none. share: a buffer of SHARE_BYTES. */
static int inherit_listen_args(struct session *s, struct id *id, struct ends_args *ends,
			       struct conn_args *conn, unsigned char *share)
{
	const struct listening *l = id->listener ? id->listener->listening : NULL;
	struct dev *dev;

	if (!l || !l->share)
		return 0;
	dev = id_dev(s, id, "rdma_accept");
	if (!dev)
		return -1;
	if (l->share->pd->dev != dev) {
		fail(s, "rdma_accept", "EINVAL",
		     "%s is registered on %s, but the request came in on %s", l->share->o.name,
		     l->share->pd->dev->o.name, dev->o.name);
		return fail_row(s, "remedy",
				"listen with -address on an address of %s, or register "
				"a region on %s",
				l->share->pd->dev->o.name, dev->o.name);
	}
	if (id->qp && id->qp->pd != l->share->pd && !conn->data.len)
		return fail_other_pd(s, "rdma_accept", l->share, id->qp->pd, id->qp->o.name);
	if (!id->qp && !conn->data.len && share_fits(s, "rdma_accept", l->share, ends))
		return -1;
	if (!ends->pd && !ends->srq)
		ends->pd = l->share->pd; /* a QP reaches regions of its own PD only */
	if (!conn->data.len) {
		cm_share_pack(own_region(l->share), share);
		conn->data.data = share;
		conn->data.len = SHARE_BYTES;
	}
	return 0;
}

/* Makes what the id lacks (PD, CQ, QP) and, unless prepare, calls rdma_accept. The
 * listener's settings apply where the arguments say nothing. */
static int accept_id(struct session *s, struct id *id, const struct ends_args *ends,
		     const struct conn_args *conn, bool prepare, struct made *made)
{
	struct ends_args e = *ends;
	struct conn_args c = *conn;
	unsigned char share[SHARE_BYTES];
	uint64_t mark;

	if (inherit_listen_args(s, id, &e, &c, share) ||
	    cm_data_fits(s, id, ROW_rdma_accept, c.data.len))
		return -1;
	mark = obj_made_mark(s);
	if (!id->qp && cm_ends_make(s, id, &e))
		return -1;
	obj_made_since(s, made, mark);
	if (prepare)
		return 0;
	return cm_step_accept(s, id, &c) ? obj_made_undo(s, made) : 0;
}

static void refuse_request(struct session *s, struct id *id, const char *why)
{
	notice_post(s->notices, NOTICE_CM, "%s: rejected: %s", id->o.name, why);
	if (cm_step_reject(s, id, NULL, 0))
		fail_clear(&s->fail);
	if (obj_destroy(s, id, true))
		fail_clear(&s->fail);
}

static void answer_request(struct session *s, struct id *listener, struct id *id)
{
	const struct listening *l = listener->listening;
	struct made made = { 0 };

	if (listener->requests > (unsigned)listener->backlog) {
		refuse_request(s, id, "more requests than the backlog wait to be accepted");
		return;
	}
	if (!l || !l->accept)
		return;
	if (accept_id(s, id, &l->ends, &l->conn, false, &made) == 0) {
		id->transient = !l->keep;
		return;
	}
	refuse_request(s, id, s->fail.text);
}

/* The user's current QP stays current, unless it is in ERR: then the new one takes its place. */
static void restore_current_qp(struct session *s, struct qp *before)
{
	bool is_dead = before && !obj_gone(before) && qp_history_state(before) == IBV_QPS_ERR;

	if (is_dead && s->ctx->qp)
		obj_unref(before);
	else if (before)
		qp_current_back(s, before);
}

void listen_answer(struct session *s, struct id *listener, struct id *id)
{
	struct fail before = fail_aside(s);
	struct qp *qp = qp_current_aside(s);

	answer_request(s, listener, id);
	fail_back(s, before);
	restore_current_qp(s, qp);
}

/* An awaited id is kept, because a waiting command is about to take its event, and so is a QP that
 * a command holds. */
bool listen_forgets(struct session *s, const struct id *id)
{
	bool over = id->state == ID_DISCONNECTED || id->state == ID_ERROR;

	return id->transient && over && !id->unacked && !cm_awaited(id) && !cm_ends_named(id) &&
	       id != s->ctx->id && (!id->qp || (id->qp != s->ctx->qp && !id->qp->o.refs));
}

static struct id *find_forgotten(struct session *s, const struct id *listener)
{
	struct id *id;

	TAILQ_FOREACH(id, &s->ctx->over, in_state)
		if (id->listener == listener && listen_forgets(s, id))
			return id;
	return NULL;
}

void listen_sweep(struct session *s, struct id *listener)
{
	struct fail before = fail_aside(s);
	struct id *id;

	while (listener && (id = find_forgotten(s, listener))) {
		id->transient = false; /* tried once */
		cm_ends_destroy(s, id);
	}
	fail_back(s, before);
}

/* -------------------------------------------------------- accept, reject -- */

/* Has the peer given up the request? The kernel drops that event, but a call that needs the request
 * fails then. */
static bool given_up(const struct id *id)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;
	bool is;

	record_aside(1);
	is = !id_is_ud(id) && rdma_init_qp_attr(id->v, &attr, &mask) != 0;
	record_aside(-1);
	return is;
}

static struct id *named_request(struct session *s, struct id *id, const char *what)
{
	if (id_need(s, id, what, ID_IN(ID_REQUEST)))
		return NULL;
	if (!given_up(id))
		return id;
	id_state(s, id, ID_ERROR);
	fail(s, what, "ECONNABORTED", "%s: %s at %s gave up before it was answered", what,
	     id->o.name, id_peer(id));
	fail_next(s, "destroy %s -cascade", id->o.name);
	return NULL;
}

/* Finds the request: the id itself, the oldest of a listener, or the oldest of all. Requests that
 * the peer has given up are skipped and destroyed. */
static struct id *find_request(struct session *s, struct id *id, const char *what,
			       uint64_t within_ms)
{
	struct id *found;

	if (id && id->state != ID_LISTENING)
		return named_request(s, id, what);
	while ((found = cm_await_request(s, id, what, within_ms)) && given_up(found)) {
		notice_post(s->notices, NOTICE_CM, "%s: %s gave up before it was answered",
			    found->o.name, id_peer(found));
		id_state(s, found, ID_ERROR);
		if (obj_destroy(s, found, true))
			return NULL;
	}
	return found;
}

/* ------------------------------------------------------------------ accept -- */

struct accept_args {
	struct id *id;
	struct num within;
	bool prepare;
	struct conn_args conn;
	struct ends_args ends;
};

static const struct arg accept_args[] = {
	POS_OPT("id", accept_args, id, kind_id_opt, "request or listener; else the oldest request"),
	OPT("within", accept_args, within, kind_ms, "time to wait for the request and the peer",
	    .dflt = "60s"),
	SWITCH("prepare", accept_args, prepare,
	       "stop before rdma_accept, to post receives; a second accept continues"),
	CONN_ARGS(accept_args, conn),
	ENDS_ARGS(accept_args, ends),
	ARGS_END
};

/* If the peer has gone meanwhile, destroys the objects that were made for it, but not the id. */
static int finish_or_undo(struct session *s, struct id *id, uint64_t within_ms, struct made *made)
{
	if (cm_finish_accept(s, id, within_ms) == 0)
		return 0;
	if (id->state == ID_ERROR || id->state == ID_DISCONNECTED)
		return obj_made_undo(s, made);
	return fail_row(s, "left",
			"%s is %s: 'cm event %s' waits again, 'destroy %s -cascade' ends it",
			id->o.name, word_name(id_state_words, id->state), id->o.name, id->o.name);
}

static int accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct accept_args *a = args;
	struct id *id = find_request(s, a->id, "accept", a->within.v);
	struct made made = { 0 };

	if (!id)
		return -1;
	obj_hold_arg(s, id);
	if (accept_id(s, id, &a->ends, &a->conn, a->prepare, &made))
		return -1;
	obj_made_hold(s, &made);
	if (!a->prepare && finish_or_undo(s, id, a->within.v, &made))
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp ? id->qp : s->ctx->qp;
	id_out(s, id, o);
	return 0;
}

/** Takes the oldest request, or waits for one, makes what is missing (PD, CQ, QP),
 * calls rdma_accept and waits for ESTABLISHED. The new id and its QP become the
 * current ones. The peer may send at once: where it does, use -prepare, post
 * receives, and accept again. In steps: cm event, qp create -id, cm accept. The
 * example has both ends in one process; its last line shows what happens when there is
 * no request.
 * > accept -prepare => id2 REQUEST
 * > accept => id2 ESTABLISHED
 * > accept -within 100 => no request within 100 ms */
const struct cmd cmd_accept = {
	.name = "accept",
	.family = "connection, in one go",
	.summary = "accept a peer that asks to connect",
	.calls = "rdma_create_qp(3), rdma_accept(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait",
	.args = accept_args,
	.exec = accept_exec,
};

/* ------------------------------------------------------------------ reject -- */

struct reject_args {
	struct id *id;
	struct num within;
	struct bytes data;
};

static const struct arg reject_args[] = {
	POS_OPT("id", reject_args, id, kind_id_opt, "request or listener; else the oldest request"),
	OPT("within", reject_args, within, kind_ms, "time to wait for the request", .dflt = "60s"),
	OPT("private-data", reject_args, data, kind_bytes, "why, for the peer to read"), ARGS_END
};

static int reject_exec(struct session *s, const void *args, struct out *o)
{
	const struct reject_args *a = args;
	struct id *id = find_request(s, a->id, "reject", a->within.v);

	if (!id || cm_step_reject(s, id, a->data.data, a->data.len))
		return -1;
	out_str(o, "id", id->o.name, "%s", id->o.name);
	out_str(o, "peer", id_peer(id), " rejected, and %s told so\n", id_peer(id));
	return obj_destroy(s, id, true);
}

/** Takes the oldest request, or waits for one. The peer gets REJECTED with reason 28
 * (CONSUMER_DEFINED) and up to 148 bytes of private data. The id of the request is
 * destroyed.
 * > reject -private-data "no room" => id2 rejected
 * > cm event id1 -within 5s => CONSUMER_DEFINED
 * > private-data id1 => no room */
const struct cmd cmd_reject = {
	.name = "reject",
	.family = "connection, in one go",
	.summary = "reject a peer that asks to connect",
	.calls = "rdma_reject(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait",
	.args = reject_args,
	.exec = reject_exec,
};
