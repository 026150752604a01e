/* SPDX-License-Identifier: MIT */
/* The commands peer (starts another rdmash), @NAME (runs a command there) and barrier. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "live_context.h"
#include "output/print.h"
#include "peer/peer.h"
#include "serve/serve.h"
#include "session.h"
#include "timeline/timeline.h"

#define PEERS_MAX 64

/* ---------------------------------------------------------------------- object -- */

static const char *const
	states[] = { [PEER_STARTING] = "starting", [PEER_READY] = "idle", [PEER_ENDED] = "ended" };

static int peer_destroy(struct session *s, struct obj *o)
{
	(void)s;
	peer_stop((struct peer *)o);
	return 0;
}

static void peer_describe(struct session *s, struct obj *o, struct out *out)
{
	struct peer *p = (struct peer *)o;
	const struct call *busy = peer_busy(p), *c;
	int waiting = 0;

	(void)s;
	STAILQ_FOREACH(c, &p->calls, link)
		waiting += c->background && !c->unwanted;
	out_text(out, "%s  ", o->name);
	out_str(out, "state", busy ? "busy" : states[p->state], "%s",
		busy ? "busy" : states[p->state]);
	if (p->state == PEER_ENDED)
		out_str(out, "ended", p->why ? p->why : p->how, ": %s", p->why ? p->why : p->how);
	if (busy) {
		out_str(out, "running", busy->what, " with '%s'", busy->what);
		out_int(out, "ms", (loop_now() - busy->since) / 1000000, " for %lld ms",
			(long long)((loop_now() - busy->since) / 1000000));
	}
	out_int(out, "results", waiting, NULL);
	out_int(out, "pid", p->its_pid, "  process %lld", (long long)p->its_pid);
	out_str(out, "host", p->host ? p->host : "", " on %s", p->host ? p->host : "?");
	out_str(out, "version", p->version ? p->version : "", NULL);
	out_str(out, "command", p->command, "\n");
}

const struct obj_class peer_class = {
	.prefix = "peer",
	.title = "peer",
	.remedy = "peer b",
	.size = sizeof(struct peer),
	.destroy = peer_destroy,
	.describe = peer_describe,
};

void peer_end_all(struct session *s)
{
	const struct obj_list *peers = &obj_group(&s->ctx->store, &peer_class)->objs;

	notices_show(s->notices, 0);
	while (!TAILQ_EMPTY(peers))
		obj_destroy(s, TAILQ_LAST(peers, obj_list), true);
}

void peer_names(struct session *s, const char *at, const struct obj_class *class, Tcl_Obj *names)
{
	const struct peer *p = obj_find(s, &peer_class, at + (*at == '@'));
	size_t n = p && p->objects ? json_object_array_length(p->objects) : 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		struct json_object *name = json_object_array_get_idx(p->objects, i);
		const char *kind =
			json_object_get_string(json_object_array_get_idx(p->objects, i + 1));

		if (!json_object_is_type(name, json_type_string) || !kind ||
		    (class && strcmp(kind, class->prefix) != 0))
			continue;
		value_append(names, json_object_get_string(name));
	}
}

static const char *without_at(const char *word)
{
	return *word == '@' ? word + 1 : word;
}

static int parse_peer(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const char *name = without_at(Tcl_GetString(word));
	struct peer *p = obj_find(s, &peer_class, name);
	struct obj *o;

	(void)a;
	if (p) {
		obj_hold_arg(s, p);
		*(struct peer **)dst = p;
		return 0;
	}
	fail(s, "peer", "ENOENT", "there is no peer named %s", name);
	obj_foreach_of(o, s, &peer_class)
		fail_row(s, "there is", "%s", o->name);
	return fail_next(s, "peer %s", *name ? name : "b");
}

static void complete_peer(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	const char *at = s->typed && *s->typed == '@' ? "@" : "";
	struct obj *o;

	(void)a;
	obj_foreach_of(o, s, &peer_class)
		Tcl_ListObjAppendElement(NULL, words, Tcl_ObjPrintf("%s%s", at, o->name));
}

const struct arg_kind kind_peer = { .word = "peer",
				    .size = sizeof(struct peer *),
				    .parse = parse_peer,
				    .complete = complete_peer };

/* --------------------------------------------------------------------- command -- */

struct peer_args {
	const char *name;
	struct peer_how how;
	struct num within;
};

static const struct arg peer_args[] = {
	POS_OPT("name", peer_args, name, kind_str, "name of the peer (default: list all)"),
	OPT("host", peer_args, how.host, kind_str, "[USER@]HOST: there, over ssh"),
	OPT("command", peer_args, how.command, kind_str,
	    "words to put before rdmash: {ip netns exec b}, {srun -N1}"),
	OPT("rdmash", peer_args, how.program, kind_path,
	    "the program (default: this one; with -host: rdmash)"),
	OPT("device", peer_args, how.device, kind_str,
	    "its --device (default: as here; with -host: its own choice)"),
	OPT("within", peer_args, within, kind_ms, "how long it may take to start", .dflt = "30s"),
	ARGS_END,
};

static void list_all(struct session *s, struct out *o)
{
	struct obj *p;

	out_dict(o, NULL);
	obj_foreach_of(p, s, &peer_class) {
		out_dict(o, p->name);
		peer_describe(s, p, o);
		out_end(o);
	}
	if (!obj_first(s, &peer_class))
		out_text(
			o,
			"there are no peers: 'peer b' starts one, '@b COMMAND' runs a command there\n");
}

/* A script may not choose the program of a peer, because that program could do anything. It may
 * start rdmash, which is as confined as this one, but not from within a peer: each peer could start
 * more peers. */
static int may_start(struct session *s, const struct peer_args *a)
{
	const char *what = a->how.host ? "host" : a->how.command ? "command" : "rdmash";
	unsigned n = obj_group(&s->ctx->store, &peer_class)->n;

	if (file_gate(s) && (a->how.host || a->how.command || a->how.program)) {
		fail(s, "peer", "UNSAFE", "-%s starts a program, which a script may not do", what);
		return fail_next(s,
				 "rdmash -c 'peer %s -%s ...' -f FILE: you choose what is started; "
				 "or rdmash --unsafe",
				 a->name, what);
	}
	if (file_gate(s) && s->opt.peer)
		return fail(s, "peer", "UNSAFE", "a script may not start peers from a peer");
	if (n >= PEERS_MAX)
		return fail(s, "peer", "EAGAIN", "there are %u peers already", n);
	return 0;
}

static bool has_started(void *arg)
{
	return ((struct peer *)arg)->state != PEER_STARTING;
}

static int await_hello(struct session *s, struct peer *p, int64_t within_ms)
{
	enum loop_end end = loop_wait(s->loop, has_started, p, within_ms);

	if (end == LOOP_INTERRUPTED)
		return fail(s, "peer", "EINTR", "interrupted");
	if (end == LOOP_DONE && p->state == PEER_READY)
		return 0;
	if (end == LOOP_TIMEOUT) {
		peer_give_up(p, "no rdmash answered within %lld ms", (long long)within_ms);
		loop_wait(s->loop, has_started, p, 1000);
	}
	if (p->state == PEER_ENDED)
		peer_dead(s, p);
	else
		fail(s, "peer", "ETIMEDOUT", "%s", p->why ? p->why : "the process does not end");
	if (p->remote)
		fail_row(s, "note",
			 "ssh must work without a password, and find rdmash "
			 "(-rdmash PATH)");
	return -1;
}

/* Destroys a peer that has ended, so that its name can be used again. */
static void destroy_ended(struct session *s, const char *name)
{
	struct peer *p = obj_find(s, &peer_class, name);

	if (p && p->state == PEER_ENDED)
		obj_destroy(s, p, false);
}

static int peer_exec(struct session *s, const void *args, struct out *o)
{
	const struct peer_args *a = args;
	struct peer *p;

	if (!a->name) {
		list_all(s, o);
		return 0;
	}
	if (may_start(s, a))
		return -1;
	destroy_ended(s, a->name);
	p = obj_new(s, &peer_class, a->name);
	if (!p)
		return -1;
	p->s = s;
	p->pidfd = p->in = p->out = p->err = -1;
	p->unsent = (struct text){ 0 };
	STAILQ_INIT(&p->calls);
	if (peer_spawn(s, p, &a->how) || await_hello(s, p, (int64_t)a->within.v)) {
		peer_stop(p);
		obj_discard(s, p);
		return -1;
	}
	p->o.named = true;
	obj_add(s, p);
	if (timeline_is_on(p->s))
		timeline_peer(p, "on");
	peer_describe(s, &p->o, o);
	return 0;
}

/** Starts another rdmash; '@NAME COMMAND' runs a command there. Without an option it is a
 * process on this machine; -host starts it on another machine by ssh, -command with any
 * other launcher:
 *
 *   peer b -host node2
 *   peer b -command {ip netns exec b}
 *   peer b -command {srun -N1 -w node2}
 *
 * The two processes communicate over standard input and output, so any launcher that
 * passes these on works; a banner that it prints is shown and does no harm. -command
 * takes a Tcl list, not a line for a shell. ssh must log in without a prompt (with keys),
 * and both ends must run the same version of rdmash.
 *
 * Each line that a peer prints (trace lines, notices, results) is shown after its name, in
 * the order of arrival. A setting (trace, color, format, -x) that changes here changes at
 * the peer, too. '@NAME trace off' changes it there alone, until it changes here again.
 *
 * 'peer' lists the peers, 'show NAME' describes one, 'destroy NAME' ends it. All peers end
 * with this session. If a peer ends on its own, a notice shows its exit status, and each
 * command for it fails and shows its last lines, until 'peer NAME' starts it again.
 *
 * A script may start peers on this machine, as confined as the script itself, but no other
 * programs. You start a peer on another host yourself, before the script:
 * rdmash -c 'peer b -host node2' -f both.rdma, where the script has
 * 'if {![dict exists [peer] b]} {peer b}'.
 * > peer b => b  idle
 * > @b reg 4096 -name there => b| mr there
 * > set k [@b get there rkey]
 * > peer => process
 * > destroy b */
const struct cmd cmd_peer = {
	.name = "peer",
	.family = "both ends",
	.summary = "start another rdmash to control both ends from here",
	.args = peer_args,
	.exec = peer_exec,
};

/* -------------------------------------------------------------------------- @ -- */

struct at_args {
	struct peer *peer;
	bool background, result;
	struct num within;
	struct many words; /* Tcl_Obj * */
};

static const struct arg at_args[] = {
	POS("peer", at_args, peer, kind_peer, "where"),
	SWITCH("background", at_args, background, "do not wait for the end of the command"),
	SWITCH("result", at_args, result, "get the value of the first command in the background"),
	OPT("within", at_args, within, kind_ms, "how long it may take (default: no limit)"),
	{ .name = "command",
	  .option = "",
	  AT(at_args, words),
	  .kind = &kind_command,
	  .help = "a command, or a block in braces",
	  .flags = ARG_POS | ARG_MANY | ARG_REST },
	ARGS_END,
};

static int out_result(struct peer *p, struct call *c, struct out *o)
{
	Tcl_Obj *value = peer_take(p, c);

	if (!value)
		return -1;
	out_obj(o, value);
	return 0;
}

/* Makes a script of the words. Words with bytes, or with characters that are special when Tcl reads
 * a script from a file (Ctrl-Z, carriage return), are passed separately in values. */
static Tcl_Obj *script_of(Tcl_Obj *const *v, size_t n, struct json_object *values)
{
	Tcl_Obj *script = Tcl_NewObj(), *word;

	for (size_t i = 0; i < n; i++) {
		if (i)
			Tcl_AppendToObj(script, " ", 1);
		if (frames_typed(v[i])) {
			Tcl_AppendPrintfToObj(script, "[" FRAMES_VALUE " %d]",
					      (int)json_object_array_length(values));
			json_object_array_add(values, frames_value(v[i]));
			continue;
		}
		word = Tcl_NewListObj(1, &v[i]);
		Tcl_AppendObjToObj(script, word);
		Tcl_DecrRefCount(word);
	}
	return script;
}

/* Sends the words to the peer: several words are one command, a single word is a script. */
static struct call *begin_call(const struct at_args *a)
{
	Tcl_Obj *const *v = a->words.v;
	struct json_object *values = json_object_new_array();
	bool is_block = a->words.n == 1;
	Tcl_Obj *script = is_block ? v[0] : script_of(v, a->words.n, values);
	struct call *c;

	Tcl_IncrRefCount(script);
	c = peer_call(a->peer, script, is_block, values, a->background);
	Tcl_DecrRefCount(script);
	return c;
}

static int at_exec(struct session *s, const void *args, struct out *o)
{
	const struct at_args *a = args;
	int64_t within = a->within.set ? (int64_t)a->within.v : LOOP_FOREVER;
	struct call *c;

	if (a->result ? a->words.n || a->background : a->background && !a->words.n)
		return fail(s, "args", "TWICE", "@%s: %s", a->peer->o.name,
			    a->result ? "-result takes no command" : "-background needs a command");
	if (!a->result && !a->words.n) {
		a->peer->o.class->describe(s, &a->peer->o, o);
		return 0;
	}
	c = a->result ? peer_first(a->peer) : begin_call(a);
	if (!c && a->result) {
		fail(s, "peer", "ENOENT", "%s has no command in the background", a->peer->o.name);
		return fail_next(s, "@%s -background COMMAND", a->peer->o.name);
	}
	if (!c)
		return -1;
	if (a->background)
		return 0;
	if (peer_await(a->peer, c, within, !a->result))
		return -1;
	return out_result(a->peer, c, o);
}

/** '@b poll' runs poll at the peer b, which 'peer b' has started, and returns its value:
 * set k [@b get mr0 rkey]. Its output is shown after the name of the peer. An error there
 * is an error here, with the same -errorcode. Words are substituted here, and sent as
 * values: @b post write mr0 -remote $addr -rkey $k -len 64. A block in braces is sent
 * unchanged, and uses the variables of the peer.
 *
 * -background does not wait, so that both ends can wait for each other:
 *
 *   @b listen 7471
 *   @b -background accept
 *   connect 10.0.0.2 7471
 *   barrier
 *
 * A peer runs its commands one after the other, also those in the background.
 * '@b -result' waits for the first command in the background and returns its value. If
 * that command fails, a notice is shown at once, and -result or barrier fails, too. Ctrl-C
 * and -within of '@b COMMAND' end the command there. '@b' alone shows the state of the
 * peer.
 * > @b reg 4096 -name window => b| mr window
 * > set rkey [@b get window rkey]
 * > @b {set n 3; expr {$n + 1}}
 * > @b -background expr {6 * 7}
 * > echo [@b -result] => 42
 * > @b => b  idle */
const struct cmd cmd_at = {
	.name = "@",
	.family = "both ends",
	.summary = "run a command at a peer",
	.setup = "peer b",
	.args = at_args,
	.flags = CMD_EVALS,
	.exec = at_exec,
};

/* -------------------------------------------------------------------- barrier -- */

struct barrier_args {
	struct many peers; /* struct peer * */
	struct num within;
};

static const struct arg barrier_args[] = {
	POS_MANY("peer", barrier_args, peers, kind_peer, "which ones (default: all)"),
	OPT("within", barrier_args, within, kind_ms, "how long it may take (default: no limit)"),
	ARGS_END,
};

static bool is_in_barrier(const struct barrier_args *a, const struct obj *o)
{
	struct peer *const *v = a->peers.v;

	for (size_t i = 0; i < a->peers.n; i++)
		if (&v[i]->o == o)
			return true;
	return !a->peers.n;
}

static int await_calls(struct peer *p, const struct barrier_args *a, int64_t until)
{
	struct call *c;

	STAILQ_FOREACH(c, &p->calls, link) {
		int64_t left = (until - loop_now()) / 1000000;

		if (c->unwanted)
			continue;
		left = a->within.set ? (left > 0 ? left : 0) : LOOP_FOREVER;
		if (peer_await(p, c, left, false))
			return -1;
	}
	return 0;
}

/* Waits for all peers before any failed command is reported, so that no output follows the error.
 * -1 with s->fail filled: time-out or Ctrl-C. */
static int await_all(struct session *s, const struct barrier_args *a)
{
	int64_t until = loop_now() + (int64_t)a->within.v * 1000000;
	struct held *before = s->held;
	struct obj *o;
	int rc = 0;

	obj_foreach_of(o, s, &peer_class) {
		struct held held;

		if (rc || !is_in_barrier(a, o))
			continue;
		obj_hold(s, &held, o);
		rc = await_calls((struct peer *)o, a, until);
		obj_release(s, before);
	}
	return rc;
}

static int barrier_exec(struct session *s, const void *args, struct out *out)
{
	const struct barrier_args *a = args;
	Tcl_Obj *values, *value;
	struct call *c;
	struct obj *o;
	int rc = await_all(s, a);

	obj_foreach_of(o, s, &peer_class)
		if (rc && is_in_barrier(a, o) && loop_interrupted(s->loop))
			peer_interrupt((struct peer *)o);
	if (rc)
		return -1;
	values = Tcl_NewDictObj();
	Tcl_IncrRefCount(values);
	obj_foreach_of(o, s, &peer_class)
		while (is_in_barrier(a, o) && (c = peer_first((struct peer *)o))) {
			if (rc) { /* a failure of this one was reported by a notice */
				peer_call_free((struct peer *)o, c);
				continue;
			}
			value = peer_take((struct peer *)o, c);
			rc = value ? 0 : -1;
			if (value)
				Tcl_DictObjPut(NULL, values, Tcl_NewStringObj(o->name, -1), value);
		}
	if (rc == 0)
		out_obj(out, values);
	Tcl_DecrRefCount(values);
	return rc;
}

/** Waits until the peers (all, or those named) have finished their commands in the
 * background. The value is a dict: the name of each peer that ran one, and the value of
 * its last command. If a command fails or a peer ends, barrier fails after all others
 * have finished. Ctrl-C interrupts them all; after -within they continue, and you can
 * wait for them again.
 * > @b -background sleep 20
 * > @c -background expr 1+2
 * > dict get [barrier -within 10s] c => 3 */
const struct cmd cmd_barrier = {
	.name = "barrier",
	.family = "both ends",
	.summary = "wait until the peers have finished their commands",
	.setup = "peer b; peer c",
	.args = barrier_args,
	.flags = CMD_EVALS,
	.exec = barrier_exec,
};
