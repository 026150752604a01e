/* SPDX-License-Identifier: MIT */
/* Answers of a peer: what a command has brought there, or how it failed. */
#include <stdlib.h>
#include <string.h>

#include "language/script.h"
#include "peer/peer.h"
#include "serve/frames.h"
#include "session.h"
#include "alloc.h"

/* Expectations met there count here. A peer cannot take any away. */
static void count(struct peer *p, const struct call *c, struct json_object *body)
{
	uint64_t passed = frames_get_int(body, "passed"), failed = frames_get_int(body, "failed");

	if (passed > c->passed && passed - c->passed < 1000000)
		p->s->passed += (unsigned)(passed - c->passed);
	if (failed > c->failed && failed - c->failed < 1000000)
		p->s->failed += (unsigned)(failed - c->failed);
	if (frames_get_bool(body, "skipped") && !p->s->opt.interactive)
		p->s->skipped = true;
}

/* A member of an error. */
static const char *part(struct json_object *error, const char *key, const char *otherwise)
{
	const char *text = frames_get_str(error, key);

	return text ? text : otherwise;
}

void peer_answer(struct peer *p, struct json_object *body)
{
	uint64_t id = frames_get_int(body, "id");
	struct json_object *error, *objects;
	struct call *c;

	STAILQ_FOREACH(c, &p->calls, link)
		if (c->id == id && !c->done)
			break;
	if (!c)
		return;
	count(p, c, body);
	if (json_object_object_get_ex(body, "objects", &objects) &&
	    json_object_is_type(objects, json_type_array)) {
		json_object_put(p->objects);
		p->objects = json_object_get(objects);
	}
	if (c->unwanted && !c->awaited) {
		peer_call_free(p, c);
		return;
	}
	c->done = true;
	c->answer = json_object_get(body);
	if (c->background && json_object_object_get_ex(body, "error", &error))
		notice_post(p->s->notices, NOTICE_PEER, "%s: %s: %s", p->o.name, c->what,
			    part(error, "text", "error"));
}

int peer_dead(struct session *s, const struct peer *p)
{
	unsigned n = p->nsaid < PEER_SAID ? p->nsaid : PEER_SAID;

	fail(s, "peer", "ENDED", "%s %s: %s", p->o.name,
	     p->version ? "has ended" : "has not come up", p->why ? p->why : p->how);
	fail_row(s, "was", "%s", p->command);
	for (unsigned i = p->nsaid - n; i < p->nsaid; i++)
		fail_row(s, i == p->nsaid - n ? "said last" : "", "%s", p->said[i % PEER_SAID]);
	return -1;
}

static void add_rows(struct session *s, struct json_object *error)
{
	struct json_object *rows;

	if (!json_object_object_get_ex(error, "rows", &rows) ||
	    !json_object_is_type(rows, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(rows) && i < 100; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct json_object *first, *second;

		if (!json_object_is_type(row, json_type_array))
			continue;
		first = json_object_array_get_idx(row, 0);
		second = json_object_array_get_idx(row, 1);
		if (!json_object_is_type(first, json_type_string) ||
		    !json_object_is_type(second, json_type_string))
			continue;
		fail_row(s, json_object_get_string(first), "%s", json_object_get_string(second));
	}
}

/* The error as it was there, with the same -errorcode. */
static void raise_error(struct peer *p, struct json_object *error)
{
	const char *call = part(error, "call", "peer"), *code = part(error, "code", "ERROR");
	const char *text = part(error, "text", "error"), *where = part(error, "where", "");
	struct session *s = p->s;
	struct json_object *list = NULL;
	Tcl_Obj *errorcode;
	Tcl_DString here;
	int n;

	fail(s, call, code, "%s", text);
	add_rows(s, error);
	fail_row(s, "on", "%s", p->o.name);
	Tcl_DStringInit(&here);
	script_where(s, &here);
	s->fail.where = xstrdup(*where ? where : Tcl_DStringValue(&here));
	Tcl_DStringFree(&here);
	json_object_object_get_ex(error, "errorcode", &list);
	errorcode = frames_obj(list);
	Tcl_IncrRefCount(errorcode);
	if (Tcl_ListObjLength(NULL, errorcode, &n) == TCL_OK && n)
		Tcl_SetObjErrorCode(s->tcl, errorcode);
	else
		Tcl_SetErrorCode(s->tcl, "RDMASH", call, code, NULL);
	Tcl_DecrRefCount(errorcode);
	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(text, -1));
}

Tcl_Obj *peer_take(struct peer *p, struct call *c)
{
	struct json_object *answer = c->answer, *error = NULL, *value = NULL;
	Tcl_Obj *result = NULL;

	c->answer = NULL;
	peer_call_free(p, c);
	if (!answer) {
		peer_dead(p->s, p);
		return NULL;
	}
	if (json_object_object_get_ex(answer, "error", &error)) {
		raise_error(p, error);
	} else {
		json_object_object_get_ex(answer, "value", &value);
		result = frames_obj(value);
	}
	json_object_put(answer);
	return result;
}
