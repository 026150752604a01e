// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "dict.h"
#include "far_end.h"
#include "interp.h"
#include "objects.h"
#include "peer.h"
#include "session.h"

const char *far_text(Tcl_Obj *object, const char *key)
{
	Tcl_Obj *value = dict_get(object, key);

	return value ? Tcl_GetString(value) : "";
}

uint64_t far_number(Tcl_Obj *object, const char *key)
{
	Tcl_Obj *value = dict_get(object, key);
	Tcl_WideInt n = 0;

	if (value)
		Tcl_GetWideIntFromObj(NULL, value, &n);
	return (uint64_t)n;
}

bool far_allows(Tcl_Obj *object, const char *key, const char *word)
{
	const char *list = far_text(object, key), *at = strstr(list, word);
	size_t len = strlen(word);

	return at && (at == list || at[-1] == ',') && (!at[len] || at[len] == ',');
}

/* The first object for which fits(object, arg) holds. */
static Tcl_Obj *first(Tcl_Obj *objects, bool (*fits)(Tcl_Obj *object, const void *arg),
		      const void *arg)
{
	Tcl_Obj *key, *object, *found = NULL;
	Tcl_DictSearch search;
	int done;

	if (Tcl_DictObjFirst(NULL, objects, &search, &key, &object, &done) != TCL_OK)
		return NULL;
	for (; !done && !found; Tcl_DictObjNext(&search, &key, &object, &done))
		if (fits(object, arg))
			found = object;
	Tcl_DictObjDone(&search);
	return found;
}

struct numbers {
	uint32_t qpn, peer;
};

static bool is_qp(Tcl_Obj *object, const void *arg)
{
	const struct numbers *n = arg;

	return dict_get(object, "qpn") && dict_get(object, "dest_qpn") &&
	       far_number(object, "qpn") == n->qpn && far_number(object, "dest_qpn") == n->peer;
}

struct key {
	const char *name;
	uint32_t value;
};

static bool has_key(Tcl_Obj *object, const void *arg)
{
	const struct key *k = arg;

	return dict_get(object, k->name) && far_number(object, k->name) == k->value;
}

Tcl_Obj *far_region(const struct far_end *f, const char *key, uint32_t value)
{
	return first(f->objects, has_key, &(struct key){ key, value });
}

/* Takes objects (NULL: there are none to be seen). */
static bool look(struct far_end *f, Tcl_Obj *objects, const struct numbers *n)
{
	if (!objects)
		return false;
	Tcl_IncrRefCount(objects);
	f->qp = first(objects, is_qp, n);
	if (!f->qp) {
		Tcl_DecrRefCount(objects);
		return false;
	}
	f->objects = objects;
	f->name = far_text(f->qp, "name");
	return true;
}

/* What the peer shows; NULL when it is busy or gone. */
static Tcl_Obj *ask(struct session *s, const char *name)
{
	const struct peer *p = obj_find(s, &peer_class, name);
	Tcl_Obj *script, *result = NULL;

	if (!p || p->state != PEER_READY || peer_busy(p))
		return NULL;
	script = Tcl_ObjPrintf("@%s -within 3s show", name);
	Tcl_IncrRefCount(script);
	if (interp_eval(s, script) == TCL_OK)
		result = Tcl_DuplicateObj(Tcl_GetObjResult(s->tcl));
	else
		fail_clear(&s->fail);
	Tcl_DecrRefCount(script);
	Tcl_ResetResult(s->tcl);
	return result;
}

#define PEERS 16

struct far_end far_end_find(struct session *s, uint32_t qpn, uint32_t mine)
{
	const struct numbers n = { qpn, mine };
	struct far_end f = { .objects = NULL };
	char names[PEERS]
		  [sizeof(((struct obj *)NULL)->name)]; /* objects may go while one is asked */
	unsigned peers = 0;
	struct obj *o;

	if (look(&f, app.objects(s), &n))
		return f;
	obj_foreach_of(o, s, &peer_class)
		if (peers < PEERS)
			snprintf(names[peers++], sizeof names[0], "%s", o->name);
	for (unsigned i = 0; i < peers; i++)
		if (look(&f, ask(s, names[i]), &n)) {
			snprintf(f.whose, sizeof f.whose, "%.31s: ", names[i]);
			break;
		}
	return f;
}

void far_end_free(struct far_end *f)
{
	if (f->objects)
		Tcl_DecrRefCount(f->objects);
	*f = (struct far_end){ .objects = NULL };
}
