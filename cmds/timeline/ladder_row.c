/* SPDX-License-Identifier: MIT */
/* Entries of the chronicle as values, and back. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "dict.h"
#include "ladder.h"
#include "out.h"
#include "xmem.h"

static const char *side_word(enum chronicle_side side)
{
	return side == SIDE_ACTIVE ? "active" : side == SIDE_PASSIVE ? "passive" : "";
}

void ladder_rows_out(struct out *o)
{
	const struct chronicle_entry *e;

	out_list(o, NULL);
	for (unsigned i = 0; (e = chronicle_at(i)); i++) {
		out_dict(o, NULL);
		out_int(o, "wall", e->when, "%lld", (long long)e->when);
		out_int(o, "until", e->until, NULL);
		out_str(o, "kind", chronicle_words[e->kind], " %-10s", chronicle_words[e->kind]);
		out_str(o, "side", side_word(e->side), " %-7s", side_word(e->side));
		out_str(o, "name", e->name, " %-5s", e->name);
		out_bool(o, "bad", e->bad, NULL);
		out_bool(o, "out", e->out, NULL);
		out_u64(o, "key", e->key, NULL);
		out_str(o, "text", e->text, " %s", e->text);
		out_str(o, "result", e->result ? e->result : "", "  %s\n",
			e->result ? e->result : "");
		out_str(o, "fate", e->fate ? e->fate : "", NULL);
		out_end(o);
	}
	out_end(o);
}

/* ------------------------------------------------------------------ from a peer -- */

/* To be freed; NULL where there is nothing. */
static char *text_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);
	char *cut, *text;

	if (!value || !*Tcl_GetString(value))
		return NULL;
	cut = xasprintf("%.*s", CHRONICLE_TEXT, Tcl_GetString(value));
	text = ladder_text(cut);
	free(cut);
	return text;
}

static int64_t number_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);
	Tcl_WideInt n;

	return value && Tcl_GetWideIntFromObj(NULL, value, &n) == TCL_OK ? n : 0;
}

static bool truth_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *value = dict_get(dict, key);
	int yes;

	return value && Tcl_GetBooleanFromObj(NULL, value, &yes) == TCL_OK && yes;
}

static uint64_t key_of(Tcl_Obj *dict)
{
	Tcl_Obj *value = dict_get(dict, "key");
	uint64_t key = 0;
	bool fits;

	return value && args_number(value, &key, &fits) && fits ? key : 0;
}

static int kind_of(Tcl_Obj *dict, enum chronicle_kind *kind)
{
	Tcl_Obj *word = dict_get(dict, "kind");

	for (unsigned k = 0; word && k < CHRONICLE_KINDS; k++)
		if (strcmp(Tcl_GetString(word), chronicle_words[k]) == 0) {
			*kind = k;
			return 0;
		}
	return -1;
}

int ladder_row_read(Tcl_Obj *value, struct ladder_row *r)
{
	Tcl_Obj *side = dict_get(value, "side");
	char *name;

	*r = (struct ladder_row){ .to = -1 };
	r->e.when = number_of(value, "wall");
	/* times that can be subtracted from each other */
	if (kind_of(value, &r->e.kind) || r->e.when <= 0 || r->e.when > INT64_MAX / 2)
		return -1;
	r->e.until = number_of(value, "until");
	if (r->e.until < r->e.when || r->e.until > INT64_MAX / 2)
		r->e.until = 0;
	if (side && strcmp(Tcl_GetString(side), "active") == 0)
		r->e.side = SIDE_ACTIVE;
	else if (side && strcmp(Tcl_GetString(side), "passive") == 0)
		r->e.side = SIDE_PASSIVE;
	r->e.bad = truth_of(value, "bad");
	r->e.out = truth_of(value, "out");
	r->e.key = key_of(value);
	name = text_of(value, "name");
	snprintf(r->e.name, sizeof r->e.name, "%s", name ? name : "");
	free(name);
	r->e.text = text_of(value, "text");
	if (!r->e.text)
		r->e.text = xstrdup("");
	r->e.result = text_of(value, "result");
	r->e.fate = text_of(value, "fate");
	return 0;
}
