/* SPDX-License-Identifier: MIT */
/* Both ends: rpc close, rpc show. */
#include "cmd.h"
#include "out.h"
#include "rpc_cmd.h"
#include "rpc_method.h"
#include "rpc_peer.h"
#include "rpc_server.h"
#include "session.h"

static bool is_rpc(const struct obj *o)
{
	return o->class == &rpc_server_class || o->class == &rpc_client_class ||
	       o->class == &rpc_peer_class;
}

/* ------------------------------------------------------------------- close -- */

struct close_args {
	struct many objs; /* struct obj * */
	struct num within;
};

static const struct arg close_args[] = {
	POS_MANY("object", close_args, objs, kind_any, "servers and connections; else all"),
	OPT("within", close_args, within, kind_ms, "time for replies to arrive", .dflt = "2s"),
	ARGS_END
};

struct closing {
	struct session *s;
	const struct obj *o;
};

/* What clients of the server are to get has arrived. */
static bool arrived(void *arg)
{
	const struct closing *c = arg;
	struct obj_use *u;

	if (obj_gone(c->o))
		return true;
	obj_foreach_user(u, c->o)
		if (u->user->class == &rpc_client_class &&
		    !rpc_conn_idle(&((struct rpc_client *)u->user)->conn))
			return false;
	return true;
}

static void say_bye(const struct obj *server)
{
	struct obj_use *u;

	obj_foreach_user(u, server)
		if (u->user->class == &rpc_client_class)
			rpc_tcp_say(&((struct rpc_client *)u->user)->conn.tcp,
				    "the server was closed");
}

static int close_one(struct session *s, struct obj *o, int64_t within)
{
	struct closing c = { s, o };

	if (o->class == &rpc_server_class) {
		if (loop_wait(s->loop, arrived, &c, within) == LOOP_INTERRUPTED)
			return fail(s, "rpc close", "EINTR", "interrupted");
		if (obj_gone(o))
			return 0;
		say_bye(o);
	}
	return obj_destroy(s, o, true);
}

static struct obj *first(struct session *s)
{
	/* connections before servers: a server tells of those that go */
	struct obj *o = obj_first(s, &rpc_peer_class);

	return o ? o : obj_first(s, &rpc_server_class);
}

static int close_exec(struct session *s, const void *args, struct out *o)
{
	const struct close_args *a = args;
	struct obj **v = a->objs.v, *one;

	(void)o;
	for (size_t i = 0; i < a->objs.n; i++)
		if (!is_rpc(v[i])) {
			fail(s, "rpc close", "EINVAL", "%s is a %s", v[i]->name,
			     v[i]->class->title);
			return fail_next(s, "destroy %s", v[i]->name);
		}
	for (size_t i = 0; i < a->objs.n; i++) /* one may go with, or during, the one before */
		if (!obj_gone(v[i]) && close_one(s, v[i], (int64_t)a->within.v))
			return -1;
	while (!a->objs.n && (one = first(s))) {
		obj_hold_arg(s, one);
		if (close_one(s, one, (int64_t)a->within.v))
			return -1;
	}
	return 0;
}

static const struct cmd_eg close_egs[] = { { "rpc call rpc0 add 1 2", "3" },
					   { "rpc close rpc0", NULL },
					   { "rpc close", NULL },
					   { "rpc call rpc0 add 1 2",
					     "no rpc connection named rpc0" },
					   { NULL, NULL } };

const struct cmd cmd_rpc_close = {
	.name = "rpc close",
	.family = "remote calls",
	.summary = "end rpc connections and servers",
	.text = "Destroys them with their QPs, CQs, memory and address handles; the other end learns\n"
		"of it at once. A server waits first until its replies have arrived.",
	.setup = RPC_SETUP,
	.examples = close_egs,
	.args = close_args,
	.size = sizeof(struct close_args),
	.exec = close_exec,
};

/* -------------------------------------------------------------------- show -- */

static void show_methods(struct session *s, struct out *o)
{
	struct rpc_method *m;

	out_dict(o, "methods");
	LIST_FOREACH(m, &s->ctx->methods, link) {
		out_dict(o, m->name);
		out_str(o, "args", Tcl_GetString(m->params_text), "method %s {%s}", m->name,
			Tcl_GetString(m->params_text));
		out_u64(o, "calls", m->calls, "  calls %llu", (unsigned long long)m->calls);
		out_u64(o, "errors", m->errors, "  errors %llu\n", (unsigned long long)m->errors);
		out_end(o);
	}
	out_end(o);
}

static int show_exec(struct session *s, const void *args, struct out *o)
{
	struct obj *one;

	(void)args;
	out_dict(o, NULL);
	show_methods(s, o);
	obj_foreach(one, s)
		if (is_rpc(one)) {
			out_dict(o, one->name);
			one->class->describe(s, one, o);
			out_end(o);
		}
	return 0;
}

static const struct cmd_eg show_egs[] = { { "rpc show", "method add {a:int b:int}  calls 0" },
					  { "rpc call rpc0 add 1 2", "3" },
					  { "rpc show", "calls 1  answered 1" },
					  { "dict get [rpc show] server0 answered", "1" },
					  { NULL, NULL } };

const struct cmd cmd_rpc_show = {
	.name = "rpc show",
	.family = "remote calls",
	.summary = "methods, servers, clients and connections",
	.text = "What has been called and executed, and what the session on the QP had to do for it:\n"
		"packets sent again, received twice, dropped because of a wrong checksum; the round\n"
		"trip as measured. show tells of the same objects with what they use.",
	.setup = RPC_SETUP,
	.examples = show_egs,
	.flags = CMD_NO_RECORD,
	.exec = show_exec,
};
