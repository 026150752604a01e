/* SPDX-License-Identifier: MIT */
/* The server's commands: rpc serve, rpc listen, rpc run. */
#include "cmd.h"
#include "out.h"
#include "rpc_cmd.h"
#include "rpc_method.h"
#include "rpc_server.h"
#include "session.h"

const struct word rpc_type_words[] = { { "UD", IBV_QPT_UD, "datagrams, one QP for all clients" },
				       { "RC", IBV_QPT_RC, "a connection for each client" },
				       { 0 } };

/* ------------------------------------------------------------------- serve -- */

struct serve_args {
	const char *name;
	Tcl_Obj *params, *body;
};

static const struct arg serve_args[] = {
	POS("name", serve_args, name, kind_str, "of the method"),
	POS("args", serve_args, params, kind_obj, "its arguments: {name name:type {name default}}"),
	POS("body", serve_args, body, kind_script, "what it does; the result is the reply"),
	ARGS_END
};

static int serve_exec(struct session *s, const void *args, struct out *o)
{
	const struct serve_args *a = args;
	const struct rpc_method *m = rpc_method_set(s, a->name, a->params, a->body);

	if (!m)
		return -1;
	out_str(o, "method", m->name, "%s", m->name);
	out_str(o, "args", Tcl_GetString(m->params_text), " {%s}\n", Tcl_GetString(m->params_text));
	return 0;
}

static const struct cmd_eg serve_egs[] = {
	{ "rpc serve add {a:int b:int} {expr {$a + $b}}", "add {a:int b:int}" },
	{ "rpc serve greet {{name world}} {return \"hello, $name\"}", NULL },
	{ "rpc serve sum args:int {set sum 0; foreach x $args {incr sum $x}; set sum}", NULL },
	{ "rpc serve bad {n:number} {}", "no type 'number'" },
	{ NULL, NULL }
};

const struct cmd cmd_rpc_serve = {
	.name = "rpc serve",
	.family = "remote calls",
	.summary = "define a method that clients can call",
	.text = "The body is Tcl, run with the arguments as variables of its own; ::name is a variable\n"
		"of the session. Its result is the reply, and its error, with -errorcode, is the\n"
		"caller's. An argument may have a type, which is checked before the body runs: int,\n"
		"double, bool, list, dict; and a default. The last may be args. A name that is there\n"
		"already is replaced. All servers of the session offer all methods. Bodies run one at\n"
		"a time, whenever the session waits: at the prompt, in rpc run, in any other command\n"
		"that waits. What that command works with cannot be destroyed by a body.\n"
		"\n"
		"An argument is data, and nothing evaluates it but a body that says so. Nothing asks\n"
		"clients who they are: keep expr in braces, expr {$a + $b}, give types, and leave eval\n"
		"and expr [join $args +] alone. Bodies are always confined: one of a script has the\n"
		"procs and files of the script; one that is typed has no files at all and no procs of\n"
		"the prompt, because what clients send must not reach what is yours. Only --unsafe\n"
		"lifts that.",
	.examples = serve_egs,
	.args = serve_args,
	.size = sizeof(struct serve_args),
	.exec = serve_exec,
};

/* ------------------------------------------------------------------ listen -- */

struct listen_args {
	struct num port, type, qkey, depth, max, within;
	const char *addr, *name;
};

static const struct arg listen_args[] = {
	POS("port", listen_args, port, kind_port, "TCP port; 0: any free one"),
	OPT("addr", listen_args, addr, kind_str, "address to listen on; ::, all of this host",
	    .dflt = "127.0.0.1"),
	OPT("type", listen_args, type, kind_enum, "service", .data = rpc_type_words, .dflt = "UD"),
	OPT("qkey", listen_args, qkey, kind_u32, "Q_Key of the QP (UD)", .dflt = "0x11111111",
	    .max = 0x7fffffff),
	OPT("depth", listen_args, depth, kind_u32, "receives of a QP", .dflt = "256", .min = 32,
	    .max = 8192),
	OPT("max", listen_args, max, kind_size, "bytes of the largest call or reply", .dflt = "1M",
	    .min = RPC_MAX_LEAST, .max = RPC_MAX_MOST),
	OPT("within", listen_args, within, kind_ms, "time for a client to say who it is",
	    .dflt = "15s"),
	OPT("name", listen_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct listen_args *a = args;
	const struct rpc_server_spec spec = { .name = a->name,
					      .addr = a->addr,
					      .port = (uint16_t)a->port.v,
					      .kind = rpc_kind_of(&a->type),
					      .depth = (unsigned)a->depth.v,
					      .qkey = (uint32_t)a->qkey.v,
					      .max = (size_t)a->max.v,
					      .hello_ms = (int64_t)a->within.v };
	struct rpc_server *sv = rpc_server_make(s, &spec);

	if (!sv)
		return -1;
	rpc_server_class.describe(s, &sv->o, o);
	return 0;
}

static const struct cmd_eg listen_egs[] = { { "rpc listen 0", "rpc server server0  UD" },
					    { "rpc listen 0 -type RC -name other", "other  RC" },
					    { "rpc listen 0 -addr :: -name open", "::" },
					    { "rpc listen 0 -max 100", "is not between 1024" },
					    { "show server0", "uses" },
					    { NULL, NULL } };

const struct cmd cmd_rpc_listen = {
	.name = "rpc listen",
	.family = "remote calls",
	.summary = "let clients call the methods",
	.text = "Makes a QP with its memory and CQs and listens on a TCP port, where clients and the\n"
		"server tell each other lid, gid, qpn and qkey; calls and replies go over the QP.\n"
		"Clients of other hosts reach it only at an address that -addr names.\n"
		"The session on it has numbers, a window, acknowledgements, a checksum (CRC-32C) and\n"
		"repeats what is lost; messages larger than a packet are cut. Each call is executed\n"
		"at most once. The server works while the session waits; rpc close ends it. With\n"
		"-type RC each client has a QP of its own, and the device repeats, too: it gives up\n"
		"where the session on UD would go on.",
	.calls = "ibv_create_qp(3), ibv_create_ah(3), ibv_post_send(3), ibv_post_recv(3)",
	.examples = listen_egs,
	.args = listen_args,
	.size = sizeof(struct listen_args),
	.exec = listen_exec,
};

/* --------------------------------------------------------------------- run -- */

struct run_args {
	struct rpc_server *server;
	struct num calls, within;
	bool gone;
};

static const struct arg run_args[] = {
	POS_OPT("server", run_args, server, kind_rpc_server, "which, if there are several"),
	OPT("calls", run_args, calls, kind_u64, "until so many have been answered", .min = 1),
	SWITCH("gone", run_args, gone, "until a client has come and all have left"),
	OPT("within", run_args, within, kind_ms, "time for that; else for ever"), ARGS_END
};

struct run {
	struct session *s;
	const struct run_args *a;
	uint64_t answered, clients;
};

static bool run_over(void *arg)
{
	const struct run *r = arg;
	const struct rpc_server *sv = r->a->server;

	if (obj_gone(sv) || r->s->quit)
		return true;
	if (r->a->calls.set && sv->answered - r->answered >= r->a->calls.v)
		return true;
	return r->a->gone && sv->clients > 0 && sv->clients == sv->left;
}

static int run_exec(struct session *s, const void *args, struct out *o)
{
	const struct run_args *a = args;
	struct rpc_server *sv = a->server;
	struct run r = { s, a, sv->answered, sv->clients };
	enum loop_end end = loop_wait(s->loop, run_over, &r,
				      a->within.set ? (int64_t)a->within.v : LOOP_FOREVER);

	if (s->quit)
		return 0;
	if (obj_gone(sv))
		return fail(s, "rpc run", "ENOTCONN", "the server was closed meanwhile");
	if (end == LOOP_INTERRUPTED)
		return fail(s, "rpc run", "EINTR", "interrupted");
	if (end == LOOP_TIMEOUT && (a->calls.set || a->gone))
		return fail(s, "rpc run", "ETIMEDOUT",
			    "%s: %llu calls answered within %llu ms, %llu clients here", sv->o.name,
			    (unsigned long long)(sv->answered - r.answered),
			    (unsigned long long)a->within.v,
			    (unsigned long long)(sv->clients - sv->left));
	out_u64(o, NULL, sv->answered - r.answered, "%llu calls answered\n",
		(unsigned long long)(sv->answered - r.answered));
	return 0;
}

static const struct cmd_eg run_egs[] = { { "rpc run -calls 1 -within 100", "0 calls answered" },
					 { "rpc run -within 20", "0 calls answered" },
					 { "rpc call rpc0 add 1 2 -background", NULL },
					 { "rpc run -calls 1", "1 calls answered" },
					 { NULL, NULL } };

const struct cmd cmd_rpc_run = {
	.name = "rpc run",
	.family = "remote calls",
	.summary = "serve calls until enough have been made",
	.text = "A server works in every command that waits; this one does nothing else. Without\n"
		"-calls and -gone it ends with -within or Ctrl-C. The result is how many calls were\n"
		"answered meanwhile.",
	.setup = RPC_SETUP,
	.examples = run_egs,
	.args = run_args,
	.size = sizeof(struct run_args),
	.exec = run_exec,
};
