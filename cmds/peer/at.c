/* SPDX-License-Identifier: MIT */
/* @NAME: a command at another end; barrier: until all ends are through. */
#include "command/cmd.h"
#include "output/out.h"
#include "peer/peer.h"
#include "serve/frames.h"
#include "session.h"

/* -------------------------------------------------------------------------- @ -- */

struct at_args {
	struct peer *peer;
	bool background, result;
	struct num within;
	struct many words; /* Tcl_Obj * */
};

static const struct arg at_args[] = {
	POS("peer", at_args, peer, kind_peer, "where"),
	SWITCH("background", at_args, background, "do not wait until it is through"),
	SWITCH("result", at_args, result, "what the first one in the background has brought"),
	OPT("within", at_args, within, kind_ms, "how long it may take (default: no limit)"),
	{ .name = "command",
	  AT(at_args, words),
	  .kind = &kind_command,
	  .help = "a command, or a block in braces",
	  .flags = ARG_POS | ARG_MANY | ARG_REST },
	ARGS_END,
};

static int finish(struct peer *p, struct call *c, struct out *o)
{
	Tcl_Obj *value = peer_take(p, c);

	if (!value)
		return -1;
	out_obj(o, value);
	return 0;
}

/* The words as a script. Tcl reads scripts from files, where Ctrl-Z is the end and a carriage
 * return a newline, and bytes would be text: such words go beside it, in values. */
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

/* Several words are a command as it stands; one is a script. */
static struct call *begin(const struct at_args *a)
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
			    a->result ? "-result stands alone" : "-background needs a command");
	if (!a->result && !a->words.n) {
		a->peer->o.class->describe(s, &a->peer->o, o);
		return 0;
	}
	c = a->result ? peer_first(a->peer) : begin(a);
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
	return finish(a->peer, c, o);
}

static const struct cmd_eg at_egs[] = {
	{ "@b reg 4096 -name window", "b| mr window" },
	{ "set rkey [@b get window rkey]", NULL },
	{ "@b {set n 3; expr {$n + 1}}", NULL },
	{ "@b -background expr {6 * 7}", NULL },
	{ "echo [@b -result]", "42" },
	{ "@b", "b  idle" },
	{ NULL, NULL },
};

const struct cmd cmd_at = {
	.name = "@",
	.family = "both ends",
	.summary = "run a command at another end",
	.text = "'@b poll' runs poll at the peer b, which 'peer b' has started, and brings its value\n"
		"here: set k [@b get mr0 rkey]. What it prints stands behind the name. An error there\n"
		"is an error here, with the same -errorcode. Words are substituted here, and travel\n"
		"as values: @b post write mr0 -remote $addr -rkey $k -len 64. A block in braces is run\n"
		"there as it stands, with the variables of there.\n"
		"\n"
		"-background does not wait, so that both ends can wait for each other:\n"
		"\n"
		"  @b listen 7471\n"
		"  @b -background accept\n"
		"  connect 10.0.0.2 7471\n"
		"  barrier\n"
		"\n"
		"Commands for a peer are run one after the other, those in the background, too. The\n"
		"value of one in the background is that of '@b -result'; its error is told at once,\n"
		"and is that of -result or barrier. Ctrl-C, and -within of '@b COMMAND', end the\n"
		"command there. '@b' alone says how the peer is.",
	.setup = "peer b",
	.examples = at_egs,
	.args = at_args,
	.size = sizeof(struct at_args),
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

static bool is_meant(const struct barrier_args *a, const struct obj *o)
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

/* All are waited for before the first error counts: nothing is left to come after it. */
static int await_all(struct session *s, const struct barrier_args *a)
{
	int64_t until = loop_now() + (int64_t)a->within.v * 1000000;
	struct held *before = s->held;
	struct obj *o;
	int rc = 0;

	obj_foreach_of(o, s, &peer_class) {
		struct held held;

		if (rc || !is_meant(a, o))
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
		if (rc && is_meant(a, o) && loop_interrupted(s->loop))
			peer_interrupt((struct peer *)o);
	if (rc)
		return -1;
	values = Tcl_NewDictObj();
	Tcl_IncrRefCount(values);
	obj_foreach_of(o, s, &peer_class)
		while (is_meant(a, o) && (c = peer_first((struct peer *)o))) {
			if (rc) { /* told already, as a notice */
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

static const struct cmd_eg barrier_egs[] = {
	{ "@b -background sleep 20", NULL },
	{ "@c -background expr 1+2", NULL },
	{ "dict get [barrier -within 10s] c", "3" },
	{ NULL, NULL },
};

const struct cmd cmd_barrier = {
	.name = "barrier",
	.family = "both ends",
	.summary = "wait until the peers have finished their commands",
	.text = "Waits until the peers (all, or those named) have run all their commands in the\n"
		"background. The value is a dict: the name of each that ran one, and what the last\n"
		"of them brought. If one has failed, its error is that of barrier, once all are\n"
		"through. A peer that ends instead is an error, too. Ctrl-C interrupts them all; after\n"
		"-within they go on, and can be waited for again.",
	.setup = "peer b; peer c",
	.examples = barrier_egs,
	.args = barrier_args,
	.size = sizeof(struct barrier_args),
	.flags = CMD_EVALS,
	.exec = barrier_exec,
};
