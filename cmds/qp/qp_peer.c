/* SPDX-License-Identifier: MIT */
/*
 * The data that both ends of a connection exchange by hand, as a dict and as JSON.
 *
 * It is untrusted: every number is checked for its range, and unknown fields are ignored.
 */
#include <json-c/json.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "device/device.h"
#include "language/interp.h"
#include "objects.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"
#include "spec_tables.h"
#include "words.h"
#include "why.h"

/* json-c reads every larger number as UINT64_MAX, so UINT64_MAX cannot be told from those. */
#define NUMBER_MAX (UINT64_MAX - 1)

struct peer_field {
	const char *name;
	size_t offset, size;
	uint64_t min, max;
	bool need;
};

#define FIELD(name, min, max, need)                                                            \
	{                                                                                      \
#name, offsetof(struct qp_peer, name), sizeof(((struct qp_peer *)NULL)->name), \
			min, max, need                                                         \
	}

static const struct peer_field fields[] = {
	FIELD(qpn, 1, 0xffffff, true),	   FIELD(psn, 0, 0xffffff, true),
	FIELD(qkey, 0, UINT32_MAX, false), FIELD(lid, 0, UINT16_MAX, false),
	FIELD(gid_index, 0, 0xff, false),  FIELD(addr, 0, NUMBER_MAX, false),
	FIELD(len, 0, NUMBER_MAX, false),  FIELD(rkey, 0, UINT32_MAX, false),
};

static int fail_bad_value(struct session *s, const char *what, const char *why)
{
	return fail(s, "peer", "EPROTO", "the peer's %s %s", what, why);
}

static int take_number(struct session *s, const struct peer_field *f, const char *text,
		       struct qp_peer *p)
{
	void *at = (char *)p + f->offset;
	uint64_t v = 0;
	bool fits;

	if (!args_number(text, &v, &fits) || !fits || v < f->min || v > f->max)
		return fail(s, "peer", "EPROTO",
			    "the peer's %s '%.64s' is not a number from %llu to %llu", f->name,
			    text, (unsigned long long)f->min, (unsigned long long)f->max);
	switch (f->size) {
	case 2:
		*(uint16_t *)at = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)v;
		break;
	case 8:
		*(uint64_t *)at = v;
		break;
	}
	return 0;
}

/* The text of a value, or NULL. */
static const char *text_of(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *v = dict_get(dict, key);

	return v ? Tcl_GetString(v) : NULL;
}

static int take_numbers(struct session *s, Tcl_Obj *dict, struct qp_peer *p)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const char *text = text_of(dict, fields[i].name);

		if (text && take_number(s, &fields[i], text, p))
			return -1;
	}
	return 0;
}

/* Stores the value of the word at key; without that key *value stays. wrong: the error for a word
 * that is not in words. */
static int take_word(struct session *s, Tcl_Obj *dict, const char *key, const struct word *words,
		     const char *wrong, unsigned *value)
{
	const char *text = text_of(dict, key);
	const struct word *w = text ? word_find(words, text) : NULL;

	if (text && !w)
		return fail_bad_value(s, key, wrong);
	if (w)
		*value = (unsigned)w->value;
	return 0;
}

static int take_words(struct session *s, Tcl_Obj *dict, struct qp_peer *p)
{
	const char *gid = text_of(dict, "gid");

	if (gid && *gid && !gid_parse(gid, p->gid.raw))
		return fail_bad_value(s, "gid", "is not an address");
	if (take_word(s, dict, "type", qp_type_words, "is not RC, UC or UD", &p->type))
		return -1;
	return take_word(s, dict, "mtu", mtu_words, "is not 256, 512, 1024, 2048 or 4096", &p->mtu);
}

static int check_missing(struct session *s, Tcl_Obj *dict)
{
	const bool has_address = text_of(dict, "gid") || text_of(dict, "lid");
	SCOPED_TEXT(missing);
	unsigned n = 0;

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].need && !text_of(dict, fields[i].name))
			xappendf(&missing, "%s%s", n++ ? ", " : "", fields[i].name);
	if (!has_address)
		xappendf(&missing, "%sgid or lid", n++ ? ", " : "");
	return n ? fail_bad_value(s, text_str(&missing), n > 1 ? "are missing" : "is missing") : 0;
}

static int take_peer(struct session *s, Tcl_Obj *dict, struct qp_peer *p)
{
	static const union ibv_gid none;
	struct qp_peer new = { .known = true };

	if (take_numbers(s, dict, &new) || take_words(s, dict, &new) || check_missing(s, dict))
		return -1;
	if (!new.lid && memcmp(&new.gid, &none, sizeof none) == 0)
		return fail_bad_value(s, "address", "is missing: neither a gid nor a lid");
	*p = new;
	return 0;
}

static int row_like(struct session *s)
{
	return fail_row(s, "like", "{qpn 17 psn 4711 gid ::ffff:10.0.0.2}");
}

int qp_peer_from_dict(struct session *s, Tcl_Obj *dict, struct qp_peer *p)
{
	Tcl_Size n;

	if (Tcl_DictObjSize(NULL, dict, &n) != TCL_OK) {
		const char *word = Tcl_GetString(dict);

		fail(s, "peer", "EINVAL", "'%s' does not contain QP number, PSN and GID", word);
		row_like(s);
		return obj_find(s, &qp_class, word) ? fail_next(s, "-peer [qp-info %s]", word) : -1;
	}
	return take_peer(s, dict, p) ? row_like(s) : 0;
}

/* The members of a JSON object as a dict; to be released. A value that is no number or text becomes
 * its JSON text, which no field takes. */
static Tcl_Obj *dict_of_json(struct json_object *object)
{
	Tcl_Obj *dict = Tcl_NewDictObj();

	Tcl_IncrRefCount(dict);
	json_object_object_foreach(object, key, value) if (value)
		Tcl_DictObjPut(NULL, dict, Tcl_NewStringObj(key, -1),
			       Tcl_NewStringObj(json_object_get_string(value), -1));
	return dict;
}

int qp_peer_from_json(struct session *s, const char *text, size_t len, struct qp_peer *p)
{
	struct json_tokener *tok = json_tokener_new_ex(4);
	struct json_object *j = tok ? json_tokener_parse_ex(tok, text, (int)len) : NULL;
	Tcl_Obj *dict;
	int rc;

	if (!j || !json_object_is_type(j, json_type_object)) {
		rc = fail(s, "peer", "EPROTO", "the peer's message is not a JSON object%s%s",
			  tok && !j ? ": " : "",
			  tok && !j ? json_tokener_error_desc(json_tokener_get_error(tok)) : "");
	} else {
		dict = dict_of_json(j);
		rc = take_peer(s, dict, p);
		Tcl_DecrRefCount(dict);
	}
	json_object_put(j);
	if (tok)
		json_tokener_free(tok);
	return rc;
}

int qp_peer_adopt(struct session *s, struct qp *qp, const struct qp_peer *p)
{
	if (p->type && p->type != qp->type)
		return fail(s, "peer", "EPROTO", "the peer's QP is %s, %s is %s",
			    word_name(qp_type_words, p->type), qp->o.name,
			    word_name(qp_type_words, qp->type));
	qp->peer = *p;
	return 0;
}

static void put_number(struct json_object *j, const char *key, uint64_t v)
{
	json_object_object_add(j, key, json_object_new_uint64(v));
}

/* Eight groups of four digits, which Python programs (pyverbs) parse. */
static const char *gid_groups(const union ibv_gid *gid, char text[41])
{
	for (int i = 0; i < 8; i++)
		snprintf(text + 5 * i, 6, "%02x%02x%s", gid->raw[2 * i], gid->raw[2 * i + 1],
			 i < 7 ? ":" : "");
	return text;
}

char *qp_peer_to_json(const struct qp_peer *p)
{
	struct json_object *j = json_object_new_object();
	char *text, gid[41];

	put_number(j, "qpn", p->qpn);
	put_number(j, "psn", p->psn);
	put_number(j, "lid", p->lid);
	json_object_object_add(j, "gid", json_object_new_string(gid_groups(&p->gid, gid)));
	put_number(j, "rkey", p->rkey);
	put_number(j, "addr", p->addr);
	put_number(j, "len", p->len);
	put_number(j, "gid_index", p->gid_index);
	put_number(j, "qkey", p->qkey);
	put_number(j, "mtu", p->mtu ? 128u << p->mtu : 0);
	json_object_object_add(j, "type",
			       json_object_new_string(word_name(qp_type_words, p->type)));
	text = xstrdup(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
	json_object_put(j);
	return text;
}

void qp_peer_out(struct out *o, const struct qp_peer *p)
{
	const char *type = p->type ? word_name(qp_type_words, p->type) : "";

	if (p->type)
		out_str(o, "type", type, NULL);
	out_u64(o, "qpn", p->qpn, "%s%sqpn %u", type, *type ? "  " : "", p->qpn);
	out_u64(o, "psn", p->psn, "  psn %u", p->psn);
	out_u64(o, "lid", p->lid, "  lid %u", p->lid);
	out_str(o, "gid", why_gid(&p->gid), "  gid %s", why_gid(&p->gid));
	out_u64(o, "gid_index", p->gid_index, NULL);
	if (p->mtu)
		out_int(o, "mtu", spec_mtu_bytes(p->mtu), "  mtu %u", spec_mtu_bytes(p->mtu));
	out_u64(o, "qkey", p->qkey, NULL);
	if (p->qkey)
		out_text(o, "  qkey 0x%x", p->qkey);
	out_text(o, "\n");
	if (!p->rkey && !p->addr)
		return;
	out_u64(o, "addr", p->addr, "  addr 0x%llx", (unsigned long long)p->addr);
	out_u64(o, "rkey", p->rkey, "  rkey 0x%x", p->rkey);
	out_u64(o, "len", p->len, "  len %llu\n", (unsigned long long)p->len);
}
