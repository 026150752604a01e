/* SPDX-License-Identifier: MIT */
/* explain: what a thing means, what each end sees, causes and cures; or why it failed. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/complete.h"
#include "explain/explain.h"
#include "output/out.h"
#include "qp/modify_qp.h"
#include "qp_table.h"
#include "session.h"
#include "words.h"

#define MARGIN 10

static void out_row(struct out *o, const char *key, const char *text)
{
	if (text)
		out_str(o, key, text, "  %-*s%s\n", MARGIN - 2, key, text);
}

/* A list of lines. */
static void say_lines(struct out *o, const char *key, const char *lines)
{
	const char *label = key;

	if (!lines)
		return;
	out_list(o, key);
	while (*lines) {
		size_t len = strcspn(lines, "\n");
		char line[256];

		snprintf(line, sizeof line, "%.*s", (int)len, lines);
		out_str(o, NULL, line, "  %-*s- %s\n", MARGIN - 2, label, line);
		label = "";
		lines += len + (lines[len] != 0);
	}
	out_end(o);
}

void explain_fact(const struct found *f, struct out *o)
{
	const struct fact *fact = f->fact;
	const char *name = word_name(f->family->words, fact->value);
	const char *own = f->family->text ? f->family->text(fact->value) : NULL;

	out_str(o, "family", f->family->name, "%s ", f->family->title);
	out_u64(o, "value", fact->value, "%llu  ", (unsigned long long)fact->value);
	out_paint(o, PAINT_STRONG);
	out_str(o, "name", name, "%s%s", f->family->prefix, name);
	out_paint(o, PAINT_NONE);
	if (own)
		out_str(o, "text", own, "  \"%s\"", own);
	out_text(o, "\n");
	out_row(o, "means", word_help(f->family->words, fact->value));
	out_row(o, "here", fact->here);
	out_row(o, "peer", fact->there);
	say_lines(o, "causes", fact->causes);
	say_lines(o, "cures", fact->cures);
	out_row(o, "see", fact->source);
	if (fact->script)
		out_str(o, "script", fact->script, NULL); /* for tests: it is of the source */
}

/* A change of a QP's state: what the table of transitions says of it. */

static const struct word *find_state(const char *text, size_t len)
{
	char name[32];

	if (len >= sizeof name)
		return NULL;
	memcpy(name, text, len);
	name[len] = 0;
	if (strncasecmp(name, "IBV_QPS_", 8) == 0)
		return args_word(qp_state_words, name + 8);
	return args_word(qp_state_words, name);
}

bool explain_is_transition(const char *text, enum ibv_qp_state *from, enum ibv_qp_state *to)
{
	const char *arrow = strstr(text, "->");
	const struct word *a, *b;

	if (!arrow)
		return false;
	a = find_state(text, (size_t)(arrow - text));
	b = find_state(arrow + 2, strlen(arrow + 2));
	if (!a || !b)
		return false;
	*from = (enum ibv_qp_state)a->value;
	*to = (enum ibv_qp_state)b->value;
	return true;
}

static void tell_names(struct out *o, const char *key, unsigned mask)
{
	Tcl_DString names;

	Tcl_DStringInit(&names);
	qp_attr_names(mask, ", ", &names);
	if (mask)
		out_str(o, key, Tcl_DStringValue(&names), "  %-9s %s\n", key,
			Tcl_DStringValue(&names));
	else
		out_str(o, key, "", NULL);
	Tcl_DStringFree(&names);
}

static bool tell_type(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to,
		      struct out *o)
{
	const struct qp_row *row = qp_row(type, from, to);

	if (!row)
		return false;
	out_dict(o, word_name(qp_type_words, type));
	out_text(o, " %s\n", word_name(qp_type_words, type));
	tell_names(o, "required", row->required);
	tell_names(o, "optional", row->optional & ~row->refused);
	if (row->note)
		out_str(o, "note", row->note, "  %-9s %s\n", "note", row->note);
	out_end(o);
	return true;
}

void explain_transition(enum ibv_qp_state from, enum ibv_qp_state to, struct out *o)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	bool legal = false;

	out_str(o, "from", word_name(qp_state_words, from), "%s -> ",
		word_name(qp_state_words, from));
	out_str(o, "to", word_name(qp_state_words, to), "%s  %s\n", word_name(qp_state_words, to),
		word_help(qp_state_words, to));
	out_dict(o, "types");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		legal |= tell_type(types[i], from, to, o);
	out_end(o);
	out_bool(o, "legal", legal, "%s",
		 legal ? "" : " not a transition: ibv_modify_qp says EINVAL\n");
	if (legal)
		return;
	out_list(o, "next");
	out_text(o, " from %s a QP goes to", word_name(qp_state_words, from));
	for (const struct word *w = qp_state_words; w->name; w++)
		if (qp_row(IBV_QPT_RC, from, (enum ibv_qp_state)w->value))
			out_str(o, NULL, w->name, " %s", w->name);
	out_end(o);
	out_text(o, "\n");
}

static void complete_thing(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	facts_names(words);
	explain_provider_names(words);
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

static char *join_words(const struct many *things, size_t from)
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

static int fail_unknown(struct session *s, const char *text)
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

static int explain_exec(struct session *s, const void *args, struct out *o)
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
	if (a->things.n == 1 && (explain_qp(s, words[0], o) || explain_provider(words[0], o)))
		return 0;
	family = fact_family(words[0]);
	if (family && a->things.n == 1 && strcasecmp(family->name, words[0]) == 0) {
		tell_family(family, o);
		return 0;
	}
	text = join_words(&a->things, family && a->things.n > 1);
	if (explain_is_transition(text, &from, &to)) {
		explain_transition(from, to, o);
		free(text);
		return 0;
	}
	n = facts_find(family && a->things.n > 1 ? family : NULL, text, found);
	if (n == 0)
		rc = fail_unknown(s, text);
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
	{ "explain irdma", "a new QP is needed" },
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
		"family in front chooses: explain rej 8. explain providers tells in what rxe, siw,\n"
		"mlx5, irdma, efa, hns and bnxt_re differ, and where their sources say so.\n"
		"\n"
		"Alone it looks at the last failure of the session: what could be checked of it,\n"
		"the likely causes first, each with a command to type; and what the device in use\n"
		"does otherwise than others in that function.",
	.examples = explain_egs,
	.args = explain_args,
	.size = sizeof(struct explain_args),
	.flags = CMD_NO_RECORD,
	.exec = explain_exec,
};
