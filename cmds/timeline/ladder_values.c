/* SPDX-License-Identifier: MIT */
/* Rows of the ladder as values, which peers send to each other. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "out.h"
#include "timeline/timeline.h"

static const char *const age_words[LADDER_AGES] = {
	[AGE_CURRENT] = "current",
	[AGE_EARLIER] = "earlier",
	[AGE_GONE] = "gone",
};

static const char *side_word(enum ladder_side side)
{
	return side == SIDE_ACTIVE ? "active" : side == SIDE_PASSIVE ? "passive" : "";
}

void ladder_rows_out(const struct ladder *l, struct out *o)
{
	out_list(o, NULL);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		out_dict(o, NULL);
		out_int(o, "wall", r->when, "%lld", (long long)r->when);
		out_int(o, "until", r->until, NULL);
		out_str(o, "kind", ladder_words[r->kind], " %-10s", ladder_words[r->kind]);
		out_str(o, "age", age_words[r->age], NULL);
		out_str(o, "side", side_word(r->side), " %-7s", side_word(r->side));
		out_str(o, "name", r->name, " %-5s", r->name);
		out_str(o, "names", r->names ? r->names : "", NULL);
		out_bool(o, "heads", r->heads, NULL);
		out_bool(o, "bad", r->bad, NULL);
		out_bool(o, "out", r->out, NULL);
		out_bool(o, "lost", r->lost, NULL);
		out_bool(o, "within", r->within, NULL);
		out_u64(o, "key", r->key, NULL);
		out_u64(o, "sender", r->sender[0], NULL);
		out_u64(o, "cm_sender", r->sender[1], NULL);
		out_u64(o, "receiver", r->receiver, NULL);
		out_int(o, "state", r->state, NULL);
		out_str(o, "text", r->text, " %s", r->text);
		out_str(o, "result", r->result ? r->result : "", "  %s\n",
			r->result ? r->result : "");
		out_str(o, "fate", r->fate ? r->fate : "", NULL);
		out_u64(o, "again", r->more, NULL);
		out_int(o, "again_until", r->more_until, NULL);
		out_end(o);
	}
	out_end(o);
}

/* ------------------------------------------------------------------ from a peer -- */

/* A text of a peer as one line, which the caller frees; NULL: it is missing or empty. */
static char *text_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);

	return value && *Tcl_GetString(value) ? ladder_line(Tcl_GetString(value)) : NULL;
}

static int64_t number_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);
	Tcl_WideInt n;

	return value && Tcl_GetWideIntFromObj(NULL, value, &n) == TCL_OK ? n : 0;
}

static int state_of(Tcl_Obj *dict)
{
	int64_t state = dict_get(dict, "state") ? number_of(dict, "state") : -1;

	return state >= 0 && state <= IBV_QPS_ERR ? (int)state : -1;
}

static bool truth_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);
	int yes;

	return value && Tcl_GetBooleanFromObj(NULL, value, &yes) == TCL_OK && yes;
}

static uint64_t key_of(Tcl_Obj *dict, const char *name)
{
	Tcl_Obj *value = dict_get(dict, name);
	uint64_t key = 0;
	bool fits;

	return value && args_number(Tcl_GetString(value), &key, &fits) && fits ? key : 0;
}

/* The age of a row; an older rdmash does not send it. */
static enum ladder_age age_of(Tcl_Obj *dict)
{
	Tcl_Obj *word = dict_get(dict, "age");
	enum ladder_age age = AGE_CURRENT;

	for (unsigned a = 0; word && a < LADDER_AGES; a++)
		if (strcmp(Tcl_GetString(word), age_words[a]) == 0)
			age = a;
	return age;
}

static int kind_of(Tcl_Obj *dict, enum ladder_kind *kind)
{
	Tcl_Obj *word = dict_get(dict, "kind");

	for (unsigned k = 0; word && k < LADDER_KINDS; k++)
		if (strcmp(Tcl_GetString(word), ladder_words[k]) == 0) {
			*kind = k;
			return 0;
		}
	return -1;
}

int ladder_row_read(Tcl_Obj *value, struct ladder_row *r)
{
	Tcl_Obj *side = dict_get(value, "side");
	int64_t again, until;
	char *name;

	*r = (struct ladder_row){ .to = -1, .state = -1 };
	r->when = number_of(value, "wall");
	/* the difference of two such times does not overflow */
	if (kind_of(value, &r->kind) || r->when <= 0 || r->when > INT64_MAX / 2)
		return -1;
	r->age = age_of(value);
	r->until = number_of(value, "until");
	if (r->until < r->when || r->until > INT64_MAX / 2)
		r->until = 0;
	if (side && strcmp(Tcl_GetString(side), "active") == 0)
		r->side = SIDE_ACTIVE;
	else if (side && strcmp(Tcl_GetString(side), "passive") == 0)
		r->side = SIDE_PASSIVE;
	r->bad = truth_of(value, "bad");
	r->out = truth_of(value, "out");
	r->lost = truth_of(value, "lost");
	r->heads = truth_of(value, "heads");
	r->state = state_of(value);
	r->within = truth_of(value, "within");
	r->key = key_of(value, "key");
	r->sender[0] = key_of(value, "sender");
	r->sender[1] = key_of(value, "cm_sender");
	r->receiver = key_of(value, "receiver");
	name = text_of(value, "name");
	snprintf(r->name, sizeof r->name, "%s", name ? name : "");
	free(name);
	r->names = text_of(value, "names");
	r->text = text_of(value, "text");
	if (!r->text)
		r->text = xstrdup("");
	r->result = text_of(value, "result");
	r->fate = text_of(value, "fate");
	again = number_of(value, "again");
	until = number_of(value, "again_until");
	if (again > 0 && until >= r->when && until <= INT64_MAX / 2)
		ladder_count(r, (uint64_t)again + 1, until);
	return 0;
}
