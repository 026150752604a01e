// SPDX-License-Identifier: MIT
/* explain: what a thing means, what each end sees, causes and cures; or why it failed. */
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "edit/complete.h"
#include "explain/explain.h"
#include "session.h"
#include "words.h"
#include "alloc.h"

static void complete_thing(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	facts_names(words);
	for (const struct fact_family *f = fact_families; f->name; f++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(f->name, -1));
}

static int parse_thing(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	(void)s, (void)a;
	*(const char **)dst = Tcl_GetString(word);
	return 0;
}

static const struct arg_kind kind_thing = {
	.word = "thing",
	.size = sizeof(const char *),
	.parse = parse_thing,
	.is_static = true,
	.complete = complete_thing,
};

struct explain_args {
	struct many things;
};

static const struct arg explain_args[] = {
	POS_MANY("thing", explain_args, things, kind_thing,
		 "a name, number or message; after a family: rej 8, errno EINVAL"),
	ARGS_END
};

static char *join(const struct many *things, size_t from)
{
	const char *const *words = things->v;
	char *text = xstrdup(from < things->n ? words[from] : "");

	for (size_t i = from + 1; i < things->n; i++) {
		char *longer = xasprintf("%s %s", text, words[i]);

		free(text);
		text = longer;
	}
	return text;
}

static int unknown(struct session *s, const char *text)
{
	Tcl_Obj *names = Tcl_NewListObj(0, NULL);
	const char *near;

	Tcl_IncrRefCount(names);
	facts_names(names);
	near = suggest(text, names);
	fail(s, "explain", "UNKNOWN", "nothing is known about '%s'%s%s%s", text,
	     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	Tcl_DecrRefCount(names);
	return fail_next(s, "explain errno, explain wc-status ... list what there is; help WORD "
			    "finds commands");
}

static void tell_line(const struct found *f, struct out *o)
{
	const char *name = word_name(f->family->words, f->fact->value);

	out_dict(o, NULL);
	out_str(o, "family", f->family->name, "%-10s ", f->family->name);
	out_u64(o, "value", f->fact->value, "%6llu  ", (unsigned long long)f->fact->value);
	out_str(o, "name", name, "%-22s ", name);
	out_str(o, "means", word_help(f->family->words, f->fact->value), "%s\n",
		word_help(f->family->words, f->fact->value));
	out_end(o);
}

static void tell_family(const struct fact_family *f, struct out *o)
{
	out_list(o, NULL);
	for (const struct fact *fact = f->facts; fact->source; fact++)
		tell_line(&(struct found){ f, fact }, o);
	out_end(o);
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct explain_args *a = args;
	const char *const *words = a->things.v;
	const struct fact_family *family;
	struct found found[FOUND_MAX];
	enum ibv_qp_state from, to;
	unsigned n = 0;
	char *text;
	int rc = 0;

	if (!a->things.n)
		return explain_now(s, o);
	if (a->things.n == 1 && explain_qp(s, words[0], o))
		return 0;
	family = fact_family(words[0]);
	if (family && a->things.n == 1 && strcasecmp(family->name, words[0]) == 0) {
		tell_family(family, o);
		return 0;
	}
	text = join(&a->things, family && a->things.n > 1);
	if (explain_is_transition(text, &from, &to)) {
		explain_transition(from, to, o);
		free(text);
		return 0;
	}
	n = facts_find(family && a->things.n > 1 ? family : NULL, text, found);
	if (n == 0)
		rc = unknown(s, text);
	else if (n == 1)
		explain_fact(&found[0], o);
	else {
		out_list(o, NULL);
		for (unsigned i = 0; i < n; i++)
			tell_line(&found[i], o);
		out_end(o);
	}
	free(text);
	return rc;
}

static const struct cmd_eg explain_egs[] = {
	{ "explain RETRY_EXC_ERR", "retry_cnt" },
	{ "explain rej 8", "nobody listens" },
	{ "explain {transport retry counter exceeded}", "RETRY_EXC_ERR" },
	{ "explain RESET->RTS", "not a transition" },
	{ "explain INIT->RTR", "DEST_QPN" },
	{ "explain keepalive", "DEAD_PEER" },
	{ "dict get [explain errno EBUSY] causes", "uses the object" },
	{ NULL, NULL },
};

const struct cmd cmd_explain = {
	.name = "explain",
	.family = "understanding",
	.summary = "what a status or event means, or why the last thing failed",
	.text = "Takes a name with or without its prefix, a number, or the text of an error\n"
		"message: completion statuses and opcodes, connection events, reasons of a\n"
		"reject, asynchronous events, errnos, access flags, opcodes and flags of work\n"
		"requests, QP types, states, attributes, transitions (INIT->RTR), and rules that no\n"
		"constant stands for (explain rule lists them). Several that fit are listed; the\n"
		"family in front chooses: explain rej 8.\n"
		"\n"
		"Alone it looks at the last failure of the session: what could be checked of it,\n"
		"the likely causes first, each with a command to type.",
	.calls = "ibv_poll_cq(3), rdma_get_cm_event(3), ibv_get_async_event(3), ibv_modify_qp(3)",
	.examples = explain_egs,
	.args = explain_args,
	.size = sizeof(struct explain_args),
	.flags = CMD_NO_RECORD,
	.exec = exec,
};
