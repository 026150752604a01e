/* SPDX-License-Identifier: MIT */
/* Objects as arguments: found by name, or the default if none is named. */
#include <ctype.h>
#include <string.h>

#include "edit/complete.h"
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
			Tcl_ListObjAppendElement(NULL, names, Tcl_NewStringObj(o->name, -1));
}

static int fail_no_such(struct session *s, const struct obj_class *class, const char *typed)
{
	struct obj *other = obj_find(s, NULL, typed);
	Tcl_Obj *names = Tcl_NewListObj(0, NULL);
	const char *near;

	if (other) {
		fail(s, "args", "BADVALUE", "%s is a %s, not a %s", typed, other->class->title,
		     class->title);
	} else {
		fail(s, "args", "BADVALUE", "there is no %s named %s",
		     class ? class->title : "object", typed);
	}
	Tcl_IncrRefCount(names);
	list_class(s, class, names);
	near = suggest(typed, names);
	if (near)
		fail_row(s, "near", "did you mean %s?", near);
	if (*Tcl_GetString(names))
		fail_row(s, "there are", "%s", Tcl_GetString(names));
	else if (class && class->remedy)
		fail_next(s, "%s", class->remedy);
	Tcl_DecrRefCount(names);
	return -1;
}

static int use_as_arg(struct session *s, struct obj *o, void *dst)
{
	obj_hold_arg(s, o);
	o->named = true;
	*(void **)dst = o;
	return 0;
}

static int parse_obj(struct session *s, Tcl_Obj *word, void *dst, const struct obj_class *class)
{
	struct obj *o = obj_find(s, class, Tcl_GetString(word));

	if (!o)
		return fail_no_such(s, class, Tcl_GetString(word));
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

/* Takes the current object of the class, else the only one. */
static int pick_default(struct session *s, const struct arg *a, void *dst,
			const struct obj_class *class)
{
	Tcl_Obj *names;
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
	names = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(names);
	list_class(s, class, names);
	fail(s, "args", "AMBIGUOUS", "which %s? Name it%s%s", class->title,
	     a->flags & ARG_POS ? "" : " with -", a->flags & ARG_POS ? "" : a->name);
	fail_row(s, "there are", "%s", Tcl_GetString(names));
	Tcl_DecrRefCount(names);
	return -1;
}

static bool could_be_name(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)s, (void)a;
	return isalpha((unsigned char)*Tcl_GetString(word));
}

#define OBJECT_FNS(x)                                                                          \
	static int parse_##x(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst) \
	{                                                                                      \
		(void)a;                                                                       \
		return parse_obj(s, word, dst, &x##_class);                                    \
	}                                                                                      \
	static int absent_##x(struct session *s, const struct arg *a, void *dst)               \
	{                                                                                      \
		return pick_default(s, a, dst, &x##_class);                                    \
	}                                                                                      \
	static void complete_##x(struct session *s, const struct arg *a, Tcl_Obj *words)       \
	{                                                                                      \
		(void)a;                                                                       \
		list_class(s, &x##_class, words);                                              \
	}                                                                                      \
	const struct arg_kind kind_##x = { .word = #x,                                         \
					   .size = sizeof(void *),                             \
					   .parse = parse_##x,                                 \
					   .absent = absent_##x,                               \
					   .matches = could_be_name,                           \
					   .complete = complete_##x };                         \
	const struct arg_kind kind_##x##_opt = { .word = #x,                                   \
						 .size = sizeof(void *),                       \
						 .parse = parse_##x,                           \
						 .matches = could_be_name,                     \
						 .complete = complete_##x };

OBJECT_FNS(pd)
OBJECT_FNS(cc)
OBJECT_FNS(cq)
OBJECT_FNS(srq)
OBJECT_FNS(qp)
OBJECT_FNS(mr)
OBJECT_FNS(mw)
OBJECT_FNS(ah)
OBJECT_FNS(ec)
OBJECT_FNS(id)
OBJECT_FNS(oob)
OBJECT_FNS(tcp)
OBJECT_FNS(tcpl)

static int parse_any(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	(void)a;
	return parse_obj(s, word, dst, NULL);
}

static void complete_any(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)a;
	list_class(s, NULL, words);
}

const struct arg_kind kind_any = { .word = "object",
				   .size = sizeof(void *),
				   .parse = parse_any,
				   .matches = could_be_name,
				   .complete = complete_any };
