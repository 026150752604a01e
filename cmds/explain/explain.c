/* SPDX-License-Identifier: MIT */
/*
 * explain: what a thing means, what each end sees, causes and cures; or why it failed. A fact is
 * found by what a person types.
 */
#include <ctype.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/edit.h"
#include "explain/explain.h"
#include "facts.h"
#include "out.h"
#include "qp/qp.h"
#include "spec_tables.h"
#include "session.h"
#include "words.h"

/* The libraries' own words for it, or a term in full; or NULL. */
static const char *text_of(const struct fact_family *f, const struct fact *fact)
{
	return f->text ? f->text(fact->value) : fact->text;
}

/* Appends all names to a Tcl list. */
static void facts_names(Tcl_Obj *names)
{
	for (const struct fact_family *f = fact_families; f->name; f++)
		for (const struct word *w = f->words; w->name; w++)
			value_append(names, w->name);
}

#define MARGIN 10

static void out_row(struct out *o, const char *key, const char *text)
{
	if (text)
		out_str(o, key, text, "  %-*s%s\n", MARGIN - 2, key, text);
}

/* A list whose lines stand one below the other, the first one behind its key. */
struct lines {
	struct out *o;
	const char *key;
	unsigned n;
};

static void add_line(struct lines *l, const char *line)
{
	if (!l->n)
		out_list(l->o, l->key);
	out_str(l->o, NULL, line, "  %-*s- %s\n", MARGIN - 2, l->n++ ? "" : l->key, line);
}

static void end_lines(struct lines *l)
{
	if (l->n)
		out_end(l->o);
}

/* Those for the function called name; NULL: for all. */
static void out_causes_and_cures(struct out *o, const struct fact *fact, const char *name)
{
	struct lines causes = { o, "causes", 0 }, cures = { o, "cures", 0 };
	bool others = false;

	for (const struct fact_cause *c = fact->causes; c && c->text; c++)
		if (name && c->of && !fact_cause_is_of(c, name))
			others = true;
		else
			add_line(&causes, c->of ? temp_text("%s: %s", c->of, c->text) : c->text);
	end_lines(&causes);
	if (others && !causes.n) /* the cures are for those, too */
		return;
	if (!causes.n)
		cures.key = "more";
	for (const char *const *cure = fact->cures; cure && *cure; cure++)
		add_line(&cures, *cure);
	end_lines(&cures);
}

void explain_fact(const struct found *f, const char *call, struct out *o)
{
	const struct fact *fact = f->fact;
	const char *name = word_name(f->family->words, fact->value);
	const char *own = text_of(f->family, fact);

	out_str(o, "family", f->family->name, "%s ", f->family->title);
	if (!f->family->is_named)
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
	out_causes_and_cures(o, fact, call);
	out_str(o, "see", fact->source, "  %-*s%s%s\n", MARGIN - 2, "see",
		strncmp(fact->source, "volume ", 7) == 0 ? "InfiniBand specification, " : "",
		fact->source);
	if (fact->script)
		out_str(o, "script", fact->script, NULL); /* for tests: it is of the source */
}

/* A change of a QP's state, as the table of transitions has it. */

static const struct word *find_state(const char *text, size_t len)
{
	char name[32];

	if (len >= sizeof name)
		return NULL;
	memcpy(name, text, len);
	name[len] = 0;
	if (strncasecmp(name, "IBV_QPS_", 8) == 0)
		return word_find(qp_state_words, name + 8);
	return word_find(qp_state_words, name);
}

/* Splits "RESET->INIT", "RESET -> INIT", "RESET INIT"; false: text is no such thing. */
static bool explain_is_transition(const char *text, enum ibv_qp_state *from, enum ibv_qp_state *to)
{
	const size_t first = strcspn(text, " -");
	const char *second = text + first + strspn(text + first, " ");
	const struct word *a, *b;

	if (strncmp(second, "->", 2) == 0)
		second += 2 + strspn(second + 2, " ");
	a = find_state(text, first);
	b = *second ? find_state(second, strcspn(second, " ")) : NULL;
	if (!a || !b || second[strcspn(second, " ")])
		return false;
	*from = (enum ibv_qp_state)a->value;
	*to = (enum ibv_qp_state)b->value;
	return true;
}

static void tell_names(struct out *o, const char *key, unsigned mask)
{
	SCOPED_TEXT(names);

	word_flag_names(qp_attr_words, mask, ", ", &names);
	if (mask)
		out_str(o, key, text_str(&names), "  %-9s %s\n", key, text_str(&names));
	else
		out_str(o, key, "", NULL);
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

/* The attributes of a transition of a QP, by type: a dict. */
static void explain_transition(enum ibv_qp_state from, enum ibv_qp_state to, struct out *o)
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
		value_append(words, f->name);
	complete_sort(words);
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
	bool first;
};

static const struct arg explain_args[] = {
	POS_MANY("thing", explain_args, things, kind_thing,
		 "a name, number, wr_id or message; after a family: rej 8, errno EINVAL"),
	SWITCH("first", explain_args, first, "the first failed request of the session"), ARGS_END
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
	SCOPED_LIST(names);

	facts_names(names);
	fail(s, "explain", "UNKNOWN", "nothing is known about '%s'%s", text,
	     mistake_did_you_mean(cmd_suggest(text, names)));
	return fail_next(s, "explain errno, explain wc-status ... list what there is; help WORD "
			    "finds commands");
}

static void tell_line(const struct found *f, struct out *o)
{
	const char *name = word_name(f->family->words, f->fact->value);

	out_dict(o, NULL);
	out_str(o, "family", f->family->name, "%-10s ", f->family->name);
	if (!f->family->is_named)
		out_u64(o, "value", f->fact->value, "%6llu  ", (unsigned long long)f->fact->value);
	out_str(o, "name", name, "%-22s ", name);
	out_str(o, "means", word_help(f->family->words, f->fact->value), "%s\n",
		word_help(f->family->words, f->fact->value));
	out_end(o);
}

static void tell_several(const struct found *found, unsigned n, struct out *o)
{
	out_list(o, NULL);
	for (unsigned i = 0; i < n; i++)
		tell_line(&found[i], o);
	out_end(o);
	out_text(o, "to choose: explain %s %s\n", found[n - 1].family->name,
		 word_name(found[n - 1].family->words, found[n - 1].fact->value));
}

static void tell_family(const struct fact_family *f, struct out *o)
{
	out_list(o, NULL);
	for (const struct fact *fact = f->facts; fact->source; fact++)
		tell_line(&(struct found){ f, fact }, o);
	out_end(o);
}

/* Says what an object of the session is: its class is a term. false: no object has that name. */
static bool explain_object(struct session *s, const char *name, struct out *o)
{
	const struct obj *obj = obj_find(s, NULL, name);
	struct found found[FOUND_MAX];

	if (!obj)
		return false;
	out_str(o, "object", obj->name, "%s", obj->name);
	out_str(o, "is", obj->class->title, " is a %s of this session: get %s\n", obj->class->title,
		obj->name);
	if (facts_find(fact_family("term"), obj->class->title, found))
		explain_fact(&found[0], NULL, o);
	return true;
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
		return a->first ? explain_first(s, o) : explain_now(s, o);
	if (a->things.n == 1 && (explain_qp(s, words[0], o) || explain_wr_id(s, words[0], o) ||
				 explain_object(s, words[0], o) || explain_provider(words[0], o)))
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
		explain_fact(&found[0], NULL, o);
	else
		tell_several(found, n, o);
	free(text);
	return rc;
}

/** Takes a name with or without its prefix, a number, or the text of an error
 * message. It knows completion statuses and opcodes, connection events, reasons of a
 * reject, asynchronous events, errnos, access flags, opcodes and flags of work
 * requests, QP types, states, attributes, transitions (INIT->RTR), objects of the
 * session, and rules and terms (explain rule, explain term list them). If several
 * entries fit, it lists them; put the family in front to choose one: explain rej 8.
 * explain providers says how the drivers rxe, siw, mlx5, irdma, efa, hns and bnxt_re
 * differ, and where their sources say so; explain ibv_post_recv says in which of them
 * that function differs.
 *
 * Alone it looks at the last failure of the session: what could be checked, the
 * likely causes first, each with a command to type, and how the device in use differs
 * from others there. If several requests of a connection have failed, it explains the
 * one that the others follow from, and names these. A wr_id or a QP chooses another
 * failure; -first the first one.
 * > explain RETRY_EXC_ERR => retry_cnt
 * > explain rej 8 => nobody listens
 * > explain {transport retry counter exceeded} => RETRY_EXC_ERR
 * > explain RESET->RTS => not a transition
 * > explain INIT->RTR => DEST_QPN
 * > explain INIT -> RTR => DEST_QPN
 * > explain {INIT -> RTR} => DEST_QPN
 * > explain INIT RTR => DEST_QPN
 * > explain TIMEOUT => to choose: explain attribute TIMEOUT
 * > explain keepalive => DEAD_PEER
 * > explain rkey => REM_ACCESS_ERR
 * > explain arm => completion channel
 * > explain irdma => a new QP is needed
 * > explain ibv_post_recv => EINVAL in RESET
 * > dict get [explain errno EBUSY] causes => uses the object */
const struct cmd cmd_explain = {
	.name = "explain",
	.family = "understanding",
	.summary = "what a status or event means, or why the last thing failed",
	.args = explain_args,
	.flags = CMD_NO_RECORD,
	.exec = explain_exec,
};
