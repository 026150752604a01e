/* SPDX-License-Identifier: MIT */
/* Objects as arguments: found by name, or the default if none is named. And what finds them by the
 * library's pointer, by the number of a QP or a key, by an address in their memory. */
#include <ctype.h>
#include <string.h>

#include "alloc.h"
#include "connection/cm_id.h"
#include "language/interp.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "peer/peer.h"
#include "session.h"

static void list_class(struct session *s, const struct obj_class *class, Tcl_Obj *names)
{
	struct obj *o;

	if (s->at) {
		peer_names(s, s->at, class, names);
		return;
	}
	obj_foreach(o, s)
		if (!class || o->class == class)
			value_append(names, o->name);
}

static int fail_no_such(struct session *s, const struct obj_class *class, const char *typed)
{
	struct obj *other = obj_find(s, NULL, typed);
	SCOPED_LIST(names);
	const char *near;

	if (other && other->class->kind == class->kind) {
		fail(s, "args", "BADVALUE",
		     "%s is a %s that call has made, of a kind that only call takes", typed,
		     class->title);
	} else if (other) {
		fail(s, "args", "BADVALUE", "%s is a %s, not a %s", typed, other->class->title,
		     class->title);
	} else {
		fail(s, "args", "BADVALUE", "there is no %s named %s",
		     class ? class->title : "object", typed);
	}
	list_class(s, class, names);
	near = cmd_suggest(typed, names);
	if (near)
		fail_row(s, "near", "did you mean %s?", near);
	if (*Tcl_GetString(names))
		fail_row(s, "there are", "%s", Tcl_GetString(names));
	else if (class && class->remedy)
		fail_next(s, "%s", class->remedy);
	return -1;
}

static int use_as_arg(struct session *s, struct obj *o, void *dst)
{
	obj_hold_arg(s, o);
	o->named = true;
	*(void **)dst = o;
	return 0;
}

/* The object that word names, or the one that a command has made whose value word is: it has the
 * name in it. */
static struct obj *find_meant(struct session *s, const struct obj_class *class, Tcl_Obj *word)
{
	struct obj *o = obj_find(s, class, Tcl_GetString(word));
	Tcl_Obj *name;

	if (o || !strchr(Tcl_GetString(word), ' '))
		return o;
	name = dict_get(word, "name");
	return name ? obj_find(s, class, Tcl_GetString(name)) : NULL;
}

int obj_arg_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct obj *o = find_meant(s, a->kind->of, word);

	if (!o)
		return fail_no_such(s, a->kind->of, Tcl_GetString(word));
	return use_as_arg(s, o, dst);
}

/* At a server a QP comes with its client, and a script does not wait for one by itself. */
static void tell_no_client(struct session *s)
{
	fail_row(s, "cause", "no client has come yet");
	fail_row(
		s, "in a script",
		"listen without -accept; then 'accept -prepare' waits for a client, post recv, accept");
}

int obj_arg_default(struct session *s, const struct arg *a, void *dst)
{
	const struct obj_class *class = a->kind->of;
	SCOPED_LIST(names);
	struct obj *o = NULL;
	unsigned n = 1;

	if (class == &qp_class && s->ctx->qp)
		o = &s->ctx->qp->o;
	else if (class == &id_class && s->ctx->id)
		o = &s->ctx->id->o;
	if (!o)
		o = obj_only(s, class, &n);
	if (o)
		return use_as_arg(s, o, dst);
	if (n == 0) {
		fail(s, "args", "ENOENT", "there is no %s", class->title);
		if (class == &qp_class && s->ctx->listening)
			tell_no_client(s);
		return class->remedy ? fail_next(s, "%s", class->remedy) : -1;
	}
	list_class(s, class, names);
	fail(s, "args", "AMBIGUOUS", "which %s? Name it%s%s", class->title,
	     a->flags & ARG_POS ? "" : " with -", a->flags & ARG_POS ? "" : a->name);
	fail_row(s, "there are", "%s", Tcl_GetString(names));
	return -1;
}

static bool could_be_name(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)s, (void)a;
	return isalpha((unsigned char)*Tcl_GetString(word));
}

void obj_arg_complete(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	list_class(s, a->kind->of, words);
}

#define OBJECT(word_, class_, absent_)                                                            \
	{                                                                                         \
		.word = word_, .size = sizeof(void *), .parse = obj_arg_parse, .absent = absent_, \
		.matches = could_be_name, .complete = obj_arg_complete, .of = class_              \
	}
#define KINDS(x)                                                                  \
	const struct arg_kind kind_##x = OBJECT(#x, &x##_class, obj_arg_default), \
			      kind_##x##_opt = OBJECT(#x, &x##_class, NULL)

KINDS(pd);
KINDS(cc);
KINDS(cq);
KINDS(srq);
KINDS(qp);
KINDS(mr);
KINDS(mw);
KINDS(ah);
KINDS(id);
KINDS(oob);
KINDS(tcp);
KINDS(tcpl);
const struct arg_kind kind_any = OBJECT("object", NULL, NULL);

/* ---------------------------------------------------------------- looking up -- */

void *obj_pointer(const struct obj *o)
{
	const struct obj_class *c = o->class;

	return c->pointer ? *(void *const *)((const char *)o + c->pointer) : NULL;
}

void *obj_by_pointer(struct session *s, const struct obj_class *class, const void *v)
{
	struct obj *o;

	obj_foreach(o, s)
		if ((!class || o->class == class) && v && obj_pointer(o) == v)
			return o;
	return NULL;
}

void *obj_next_pointer(const void *object)
{
	struct obj *o = (struct obj *)object;
	const void *v = obj_pointer(o);

	while ((o = TAILQ_NEXT(o, link)) && obj_pointer(o) != v)
		;
	return o;
}

/* The first object from o on, of its class, that has the number. The library may have freed what
 * has that of an object that is being destroyed. */
static struct obj *first_with_number(struct obj *o, uint64_t number)
{
	while (o && (o->life != OBJ_LIVES || o->class->number(o) != number))
		o = TAILQ_NEXT(o, alike);
	return o;
}

void *obj_by_number(struct session *s, const struct obj_class *class, uint64_t number)
{
	return first_with_number(obj_first(s, class), number);
}

void *obj_next_number(const void *object)
{
	const struct obj *o = object;

	return first_with_number(TAILQ_NEXT(o, alike), o->class->number(o));
}

static bool has_all(const struct obj *o, uint64_t addr, uint64_t len)
{
	size_t n;
	uint64_t base = (uintptr_t)o->class->memory(o, &n);

	return base && addr >= base && addr - base <= n && len <= n - (addr - base);
}

void *obj_by_address(struct session *s, const struct obj_class *class, uint64_t addr, uint64_t len)
{
	struct obj *o;

	obj_foreach(o, s)
		if ((!class || o->class == class) && o->class->memory && has_all(o, addr, len))
			return o;
	return NULL;
}
