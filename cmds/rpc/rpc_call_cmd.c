/* SPDX-License-Identifier: MIT */
/* The client's commands: rpc connect, rpc call, rpc result. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "out.h"
#include "rpc_cmd.h"
#include "rpc_peer.h"
#include "rpc_server.h"
#include "script.h"
#include "session.h"
#include "xmem.h"

/* A body may close the connection meanwhile. */
struct waiting {
	struct session *s;
	struct rpc_peer *p;
	struct rpc_call *call;
};

/* ----------------------------------------------------------------- connect -- */

struct connect_args {
	struct num port, type, qkey, max, within;
	const char *host, *name;
};

static const struct arg connect_args[] = {
	POS("host", connect_args, host, kind_str, "name or address of the server"),
	POS("port", connect_args, port, kind_port, "TCP port it listens on"),
	OPT("type", connect_args, type, kind_enum, "service: that of the server",
	    .data = rpc_type_words, .dflt = "UD"),
	OPT("qkey", connect_args, qkey, kind_u32, "send with this Q_Key, not the one it tells"),
	OPT("max", connect_args, max, kind_size, "bytes of the largest reply", .dflt = "1M",
	    .min = RPC_MAX_LEAST, .max = RPC_MAX_MOST),
	OPT("within", connect_args, within, kind_ms, "time to wait", .dflt = "10s"),
	OPT("name", connect_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int closed(struct session *s)
{
	return fail(s, "rpc", "ENOTCONN", "the connection was closed meanwhile");
}

static bool met(void *arg)
{
	const struct waiting *w = arg;

	return obj_gone(w->p) || w->p->ready || w->p->conn.state == RPC_OVER;
}

static int not_met(struct session *s, struct rpc_peer *p, enum loop_end end)
{
	struct fail why;

	if (end == LOOP_INTERRUPTED)
		fail(s, "rpc connect", "EINTR", "interrupted: no answer from %s", p->where);
	else if (end == LOOP_TIMEOUT)
		fail(s, "rpc connect", "ETIMEDOUT",
		     "%s has not answered in time: is it an rpc server?", p->where);
	else
		fail(s, "rpc connect", p->conn.code, "%s (%s)", p->conn.gone, p->where);
	if (end == LOOP_DONE && strcmp(p->conn.code, "ECONNREFUSED") == 0)
		fail_row(s, "likely", "nobody listens there yet: rpc listen PORT at the server");
	if (end == LOOP_DONE && strcmp(p->conn.code, "ECONNRESET") == 0)
		fail_row(s, "likely", "the server is of another program, or has just ended");
	why = fail_aside(s);
	obj_destroy(s, p, true);
	fail_back(s, why);
	return -1;
}

static int connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct connect_args *a = args;
	const struct rpc_peer_spec spec = { .name = a->name,
					    .host = a->host,
					    .port = (uint16_t)a->port.v,
					    .kind = rpc_kind_of(&a->type),
					    .qkey_set = a->qkey.set,
					    .qkey = (uint32_t)a->qkey.v,
					    .max = (size_t)a->max.v };
	struct rpc_peer *p = rpc_peer_make(s, &spec);
	struct waiting w = { .s = s, .p = p };
	enum loop_end end;

	if (!p)
		return -1;
	obj_hold_arg(s, p);
	end = loop_wait(s->loop, met, &w, (int64_t)a->within.v);
	if (obj_gone(p))
		return closed(s);
	if (!p->ready || p->conn.state == RPC_OVER)
		return not_met(s, p, end);
	rpc_peer_class.describe(s, &p->o, o);
	return 0;
}

static const struct cmd_eg connect_egs[] = {
	{ "rpc connect 127.0.0.1 $port -name again", "again  UD  up" },
	{ "rpc call again add 1 2", "3" },
	{ "rpc connect 127.0.0.1 $port -type RC", "this one is" },
	{ NULL, NULL }
};

const struct cmd cmd_rpc_connect = {
	.name = "rpc connect",
	.family = "remote calls",
	.summary = "connect to an rpc server",
	.text = "Tells the server lid, gid, qpn and qkey over TCP and learns its own; the TCP\n"
		"connection stays, so that each learns at once when the other has ended. Every\n"
		"connection is a session of its own: what an earlier one has called is not repeated.\n"
		"The result is what show tells: rtt_us, resent, twice ...",
	.calls = "ibv_create_qp(3), ibv_create_ah(3)",
	.setup = RPC_SETUP,
	.examples = connect_egs,
	.args = connect_args,
	.size = sizeof(struct connect_args),
	.exec = connect_exec,
};

/* ----------------------------------------------------------------- waiting -- */

static bool call_over(void *arg)
{
	const struct waiting *w = arg;

	return obj_gone(w->p) || w->s->quit || w->call->reply || w->p->conn.state == RPC_OVER;
}

/* How far has the call come? */
static void diagnose(struct session *s, const struct rpc_peer *p)
{
	const struct rpc_sender *tx = &p->conn.session.tx;

	fail_row(s, "state", "%u packets are not acknowledged, %llu were sent again",
		 tx->next - tx->oldest, (unsigned long long)tx->resent);
	if (!p->conn.heard)
		fail_row(s, "likely",
			 "not one packet has come from the server, but its TCP connection is open: "
			 "a wrong Q_Key, or UDP port 4791 is blocked");
	else if (rpc_sender_idle(tx))
		fail_row(s, "likely",
			 "the server has the call: its body takes longer, or the server "
			 "runs another command that does not wait");
	else
		fail_row(s, "likely", "packets get lost, or the server is busy");
}

static int no_answer(struct waiting *w, uint64_t within, enum loop_end end)
{
	const char *method = w->call->method;
	struct session *s = w->s;

	if (end == LOOP_INTERRUPTED)
		return fail(s, "rpc", "EINTR", "%s: interrupted", method);
	if (w->p->conn.state == RPC_OVER) {
		fail(s, "rpc", w->p->conn.code, "%s: the server is gone: %s", method,
		     w->p->conn.gone);
		return fail_row(s, "note", "whether the call was executed is not known");
	}
	fail(s, "rpc", "ETIMEDOUT", "%s: no reply within %llu ms%s", method,
	     (unsigned long long)within, w->call->tries > 1 ? ", after all retries" : "");
	diagnose(s, w->p);
	return -1;
}

/* The error of the body becomes the one here, with its -errorcode. */
static int remote_error(struct waiting *w, const Rpc__Failure *f)
{
	Tcl_Obj *text = rpc_text_read(f->text), *code = Tcl_NewListObj(0, NULL);
	struct session *s = w->s;
	Tcl_DString where;

	Tcl_IncrRefCount(text);
	for (size_t i = 0; i < f->n_errorcode; i++)
		Tcl_ListObjAppendElement(NULL, code, rpc_text_read(f->errorcode[i]));
	fail(s, "rpc", "REMOTE", "%s", Tcl_GetString(text));
	fail_row(s, "from", "the method %s at %s", w->call->method, w->p->where);
	Tcl_DStringInit(&where);
	script_where(s, &where);
	s->fail.where = xstrdup(Tcl_DStringValue(&where));
	Tcl_DStringFree(&where);
	Tcl_SetObjResult(s->tcl, text);
	Tcl_SetObjErrorCode(s->tcl, code);
	Tcl_DecrRefCount(text);
	return -1;
}

static int take_reply(struct waiting *w, struct out *o)
{
	const Rpc__Reply *r = w->call->reply->reply;
	Tcl_Obj *value;

	if (r->result_case == RPC__REPLY__RESULT_FAILURE)
		return remote_error(w, r->failure);
	value = rpc_value_read(r->value);
	Tcl_IncrRefCount(value);
	out_obj(o, value);
	if (*Tcl_GetString(value))
		out_text(o, "%s\n", Tcl_GetString(value));
	Tcl_DecrRefCount(value);
	return 0;
}

/* Waits for the reply, asking again so often; the call is over then. */
static int await(struct waiting *w, uint64_t within, uint64_t retries, struct out *o)
{
	enum loop_end end;
	int rc;

	for (;;) {
		end = loop_wait(w->s->loop, call_over, w, (int64_t)within);
		if (obj_gone(w->p))
			return closed(w->s);
		if (end != LOOP_TIMEOUT || !retries--)
			break;
		rpc_call_again(w->p, w->call);
	}
	rc = w->call->reply ? take_reply(w, o) : w->s->quit ? 0 : no_answer(w, within, end);
	rpc_call_drop(w->p, w->call);
	return rc;
}

static int waits_for_itself(struct session *s, const struct rpc_peer *p)
{
	if (!rpc_is_executing(s, p->conn.id))
		return 0;
	return fail(s, "rpc", "EDEADLK",
		    "a body cannot call a method of its own server: it would wait for itself");
}

#define WAIT_ARGS(st)                                                                         \
	OPT("within", st, within, kind_ms, "how long to wait for the reply", .dflt = "5000"), \
		OPT("retries", st, retries, kind_u32, "ask again so often after that",        \
		    .dflt = "0", .max = 1000)

/* -------------------------------------------------------------------- call -- */

struct call_args {
	struct rpc_peer *peer;
	const char *method;
	struct many words;
	struct num within, retries;
	bool background;
};

static const struct arg call_args[] = {
	POS("rpc", call_args, peer, kind_rpc_peer, "connection to the server"),
	POS("method", call_args, method, kind_str, "its name"),
	{ .name = "args",
	  .flags = ARG_POS | ARG_MANY | ARG_MIXED,
	  .kind = &kind_obj,
	  AT(call_args, words),
	  .help = "its arguments; behind -- if they look like options" },
	WAIT_ARGS(call_args),
	SWITCH("background", call_args, background, "do not wait: rpc result does"),
	ARGS_END
};

static int call_exec(struct session *s, const void *args, struct out *o)
{
	const struct call_args *a = args;
	struct rpc_peer *p = a->peer;
	struct waiting w = { .s = s, .p = p };

	if (p->conn.state == RPC_OVER) {
		fail(s, "rpc", p->conn.code, "%s: the server is gone: %s", p->o.name, p->conn.gone);
		return fail_next(s, "rpc close %s; rpc connect HOST PORT", p->o.name);
	}
	if (a->words.n > RPC_ARGS_MAX || strlen(a->method) > RPC_NAME_MAX || !*a->method)
		return fail(s, "rpc", "EINVAL",
			    "a call has a name of 1 to %d characters and at most %d arguments",
			    RPC_NAME_MAX, RPC_ARGS_MAX);
	if (!a->background && waits_for_itself(s, p))
		return -1;
	w.call = rpc_call_make(p, a->method, a->words.v, a->words.n);
	if (!w.call)
		return -1;
	w.call->background = a->background;
	if (!a->background)
		return await(&w, a->within.v, a->retries.v, o);
	out_u64(o, NULL, w.call->id, "call %llu\n", (unsigned long long)w.call->id);
	return 0;
}

static const struct cmd_eg call_egs[] = { { "rpc call rpc0 add 1 2", "3" },
					  { "rpc call rpc0 add -5 0x10 -within 2s -retries 3",
					    "11" },
					  { "rpc call rpc0 addd 1 2", "did you mean add?" },
					  { "rpc call rpc0 add 1", "it takes {a:int b:int}" },
					  { "rpc call rpc0 add 1 x", "'x' is not an int" },
					  { NULL, NULL } };

const struct cmd cmd_rpc_call = {
	.name = "rpc call",
	.family = "remote calls",
	.summary = "call a method of an rpc server",
	.text = "Sends the call, waits for the reply and returns it. Packets that are lost are\n"
		"repeated all the time; -retries is for a reply that does not come within -within:\n"
		"the call is sent again under its number, and the server, which keeps its reply,\n"
		"executes it once at most. An error of the body is the error here, with its\n"
		"-errorcode; others are RDMASH rpc ETIMEDOUT, ENOENT (no such method), E2BIG (wrong\n"
		"number of arguments), EINVAL (one that does not parse), EMSGSIZE (call or reply too\n"
		"large), ENOTCONN (server gone). With -background the result is the call's number.",
	.setup = RPC_SETUP,
	.examples = call_egs,
	.args = call_args,
	.size = sizeof(struct call_args),
	.flags = CMD_EVALS,
	.exec = call_exec,
};

/* ------------------------------------------------------------------ result -- */

struct result_args {
	struct rpc_peer *peer;
	struct num id, within, retries;
};

static const struct arg result_args[] = {
	POS_OPT("rpc", result_args, peer, kind_rpc_peer, "connection, if there are several"),
	POS_OPT("number", result_args, id, kind_u64, "of the call; else the oldest in background"),
	WAIT_ARGS(result_args), ARGS_END
};

static struct rpc_call *pick(struct rpc_peer *p, const struct num *id)
{
	struct rpc_call *call;

	TAILQ_FOREACH(call, &p->calls, link)
		if (call->background && (!id->set || call->id == id->v))
			return call;
	return NULL;
}

static int result_exec(struct session *s, const void *args, struct out *o)
{
	const struct result_args *a = args;
	struct waiting w = { .s = s, .p = a->peer };

	w.call = pick(a->peer, &a->id);
	if (!w.call) {
		fail(s, "rpc", "ENOENT", "%s has no call in background%s", a->peer->o.name,
		     a->id.set ? " of that number" : "");
		return fail_next(s, "rpc call %s METHOD -background", a->peer->o.name);
	}
	if (waits_for_itself(s, a->peer))
		return -1;
	w.call->background = false;
	return await(&w, a->within.v, a->retries.v, o);
}

static const struct cmd_eg result_egs[] = { { "rpc call rpc0 add 1 2 -background", "call 1" },
					    { "rpc call rpc0 add 3 4 -background", "call 2" },
					    { "rpc result rpc0 2", "7" },
					    { "rpc result", "3" },
					    { "rpc result", "no call in background" },
					    { NULL, NULL } };

const struct cmd cmd_rpc_result = {
	.name = "rpc result",
	.family = "remote calls",
	.summary = "the reply of a call made with -background",
	.text = "Waits for it, if it is not there yet, and fails as rpc call does. Calls are\n"
		"executed in the order in which they were made; up to 256 may wait.",
	.setup = RPC_SETUP,
	.examples = result_egs,
	.args = result_args,
	.size = sizeof(struct result_args),
	.flags = CMD_EVALS,
	.exec = result_exec,
};
