/* SPDX-License-Identifier: MIT */
/* Rows of the ladder: their texts, and their values, which peers send to each other. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "decode.h"
#include "fault.h"
#include "language/interp.h"
#include "out.h"
#include "output/print.h"
#include "timeline/ladder.h"
#include "wire/wire.h"
#include "words.h"

static const char *const age_words[LADDER_AGES] = {
	[AGE_CURRENT] = "current",
	[AGE_EARLIER] = "earlier",
	[AGE_GONE] = "gone",
};

const char *const ladder_words[LADDER_KINDS] = {
	[LADDER_CALL] = "call",	    [LADDER_EVENT] = "event", [LADDER_PACKET] = "packet",
	[LADDER_WC] = "completion", [LADDER_STATE] = "state", [LADDER_NOTICE] = "notice",
};

char *ladder_line(const char *text)
{
	SCOPED_TEXT(d);

	visible_append(&d, text, strnlen(text, LADDER_TEXT), VISIBLE_ONE_LINE);
	return xstrdup(text_str(&d));
}

void ladder_free_row(struct ladder_row *r)
{
	free(r->names);
	free(r->text);
	free(r->result);
	free(r->fate);
}

char *ladder_says(const struct ladder_row *r)
{
	switch (r->kind) {
	case LADDER_CALL:
		return xasprintf("%s%s%s", r->text, r->result && *r->result ? " = " : "",
				 r->result ? r->result : "");
	case LADDER_STATE:
		return xasprintf("%s (%s)", r->text, r->result ? r->result : "");
	case LADDER_WC:
		return xasprintf("%s  %s", r->text, r->name);
	case LADDER_PACKET:
		return xasprintf("%s%s%s", r->text, r->fate ? "  fault: " : "",
				 r->fate ? r->fate : "");
	default:
		return xstrdup(r->text);
	}
}

/* ------------------------------------------------------------------------- packets -- */

static bool is_nak(const struct decoded *d)
{
	return d->p.op && d->p.op->flags & WIRE_AETH && AETH_CLASS(d->p.syndrome);
}

/* The text on an arrow: "CM REQ", "RC_WRITE_ONLY psn 7 13 B". The caller frees it. */
static char *short_packet_text(const struct decoded *d)
{
	const char *name = d->p.op ? d->p.op->name : NULL;
	char nak[64];

	if (!name)
		return xstrdup(d->malformed ? d->malformed : "malformed");
	if (d->is_cm)
		return xasprintf("CM %s", mad_name(d->mad.attr));
	if (is_nak(d)) {
		decode_syndrome(d->p.syndrome, nak, sizeof nak);
		return xasprintf("%s psn %u %s", name, d->p.psn, nak);
	}
	return d->p.len ? xasprintf("%s psn %u %u B", name, d->p.psn, d->p.len)
			: xasprintf("%s psn %u", name, d->p.psn);
}

/* FNV-1a: the hash of more bytes, whose first ones have the hash key. */
static uint64_t hash_bytes(uint64_t key, const void *data, size_t n)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < n; i++)
		key = (key ^ bytes[i]) * UINT64_C(0x100000001b3);
	return key;
}

#define HASH_START    UINT64_C(0xcbf29ce484222325)
#define HASH_START_CM ~HASH_START /* IDs of the connection manager are not QP numbers */

uint64_t ladder_packet_key(const struct decoded *d)
{
	return hash_bytes(HASH_START, d->data, d->n);
}

static uint64_t end_key(uint64_t start, const union ibv_gid *gid, uint32_t number)
{
	uint64_t key = hash_bytes(start, gid, sizeof *gid);

	return number ? hash_bytes(key, &number, sizeof number) : 0;
}

uint64_t ladder_end_key(const union ibv_gid *gid, uint32_t number)
{
	return end_key(HASH_START, gid, number);
}

/* The number of the QP that this message announces; 0: none. */
static uint32_t announced_qpn(const struct mad *m)
{
	return m->attr == MAD_REQ ? m->req.qpn : m->attr == MAD_REP ? m->rep.qpn : 0;
}

static void tell_ends(struct ladder_row *row, const struct decoded *d)
{
	if (d->is_cm) {
		row->sender[0] = ladder_end_key(&d->p.src, announced_qpn(&d->mad));
		row->sender[1] = end_key(HASH_START_CM, &d->p.src, d->mad.local_id);
		row->receiver = end_key(HASH_START_CM, &d->p.dst, d->mad.remote_id);
	} else if (d->p.op) {
		row->receiver = ladder_end_key(&d->p.dst, d->p.qpn);
	}
}

static bool is_lost(const char *fate)
{
	return fault_loses(fate) || (fate && strcmp(fate, "icrc") == 0);
}

void ladder_tell_packet(struct ladder_row *row, const struct decoded *d, const char *fate)
{
	char full[512];

	decode_text(d, full, sizeof full);
	row->kind = LADDER_PACKET;
	row->until = 0;
	row->lost = is_lost(fate);
	row->bad = !d->p.op || is_nak(d) || (d->is_cm && d->mad.attr == MAD_REJ);
	row->text = short_packet_text(d);
	row->result = xasprintf("%s  %.300s", packet_ends(d), full);
	tell_ends(row, d);
	row->fate = fate && *fate ? xstrdup(fate) : NULL;
}

/* ----------------------------------------------------- states and completions -- */

void ladder_tell_state(struct ladder_row *row, int from, enum ibv_qp_state to, const char *why)
{
	row->kind = LADDER_STATE;
	row->until = 0;
	row->state = (int)to;
	row->heads = true;
	row->text = xasprintf("%s %s%s%s", row->name,
			      from < 0 ? "" : word_name(qp_state_words, (uint64_t)from),
			      from < 0 ? "" : " -> ", word_name(qp_state_words, to));
	row->result = xstrdup(why ? why : "");
}

void ladder_tell_completion(struct ladder_row *row, const struct ibv_wc *wc, const char *what)
{
	row->kind = LADDER_WC;
	row->when = row->until; /* it came when the call ended */
	row->until = 0;
	row->bad = wc->status != IBV_WC_SUCCESS;
	row->text = xasprintf("WC wr_id %llu %s%s%s", (unsigned long long)wc->wr_id,
			      word_name(wc_status_words, wc->status), what ? " " : "",
			      what ? what : "");
}

/* ------------------------------------------------------------------ rows as values, and back -- */

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
	return 0;
}
