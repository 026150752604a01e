// SPDX-License-Identifier: MIT
/* A change of a QP's state: what the table of transitions says of it. */
#include <string.h>

#include "explain/explain.h"
#include "output/out.h"
#include "qp/modify_qp.h"
#include "qp_table.h"
#include "words.h"

static const struct word *state_of(const char *text, size_t len)
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
	a = state_of(text, (size_t)(arrow - text));
	b = state_of(arrow + 2, strlen(arrow + 2));
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
