/* SPDX-License-Identifier: MIT */
/*
 * Objects as arguments: found by name, or the default if none is named. And their indexes: by the
 * library's pointer, by the number of a QP or a key, by an address in their memory.
 */
#include <ctype.h>
#include <string.h>

#include "alloc.h"
#include "language/interp.h"
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
			list_append(names, o->name);
}

static int fail_no_such(struct session *s, const struct obj_class *class, const char *typed)
{
	struct obj *other = obj_find(s, NULL, typed);
	SCOPED_LIST(names);
	const char *near;

	if (other) {
		fail(s, "args", "BADVALUE", "%s is a %s, not a %s", typed, other->class->title,
		     class->title);
	} else {
		fail(s, "args", "BADVALUE", "there is no %s named %s",
		     class ? class->title : "object", typed);
	}
	list_class(s, class, names);
	near = suggest(typed, names);
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
KINDS(ec);
KINDS(id);
KINDS(oob);
KINDS(tcp);
KINDS(tcpl);
const struct arg_kind kind_any = OBJECT("object", NULL, NULL);

/*
 * Each index is a hash table. Addresses: an object of 2^k bytes and more, but less than twice that,
 * is filed under k and the number of the block of 2^k bytes that it begins in. An object that
 * covers an address begins in its block or in one of the two before it, so three look-ups for each
 * k in use find it.
 */

void *obj_pointer(const struct obj *o)
{
	const struct obj_class *c = o->class;

	return c->pointer ? *(void *const *)((const char *)o + c->pointer) : NULL;
}

static unsigned log_of(size_t len)
{
	return 63 - (unsigned)__builtin_clzll(len);
}

static uint64_t block_key(unsigned log, uint64_t block)
{
	return (uint64_t)(log + 1) << 57 ^ block;
}

static unsigned log_of_key(uint64_t key)
{
	return (unsigned)(key >> 57) - 1;
}

static uint64_t address_key(const struct obj *o)
{
	size_t len = 0;
	void *memory = o->class->memory ? o->class->memory(o, &len) : NULL;

	if (!memory || !len)
		return 0;
	return block_key(log_of(len), (uintptr_t)memory >> log_of(len));
}

static uint64_t index_key(const struct obj *o, enum obj_index i)
{
	switch (i) {
	case OBJ_BY_POINTER:
		return (uintptr_t)obj_pointer(o);
	case OBJ_BY_NUMBER:
		return o->class->number ? o->class->number(o) + 1 : 0;
	default:
		return address_key(o);
	}
}

static void insert_key(struct obj_store *store, struct obj *o, enum obj_index i)
{
	struct obj_key *k = &o->keys[i];
	int is_new;

	k->key = index_key(o, i);
	if (!k->key)
		return;
	k->o = o;
	k->before = NULL;
	k->entry = Tcl_CreateHashEntry(&store->keys[i], (void *)(uintptr_t)k->key, &is_new);
	k->next = is_new ? NULL : Tcl_GetHashValue(k->entry);
	if (k->next)
		k->next->before = k;
	Tcl_SetHashValue(k->entry, k);
	if (i == OBJ_BY_ADDRESS)
		store->of_size[log_of_key(k->key)]++;
}

static void remove_key(struct obj_store *store, struct obj *o, enum obj_index i)
{
	struct obj_key *k = &o->keys[i];

	if (!k->key)
		return;
	if (k->next)
		k->next->before = k->before;
	if (k->before)
		k->before->next = k->next;
	else if (k->next)
		Tcl_SetHashValue(k->entry, k->next);
	else
		Tcl_DeleteHashEntry(k->entry);
	if (i == OBJ_BY_ADDRESS)
		store->of_size[log_of_key(k->key)]--;
	k->key = 0;
}

void obj_index(struct obj_store *store, struct obj *o)
{
	for (enum obj_index i = 0; i < OBJ_INDEXES; i++)
		insert_key(store, o, i);
}

void obj_unindex(struct obj_store *store, struct obj *o)
{
	for (enum obj_index i = 0; i < OBJ_INDEXES; i++)
		remove_key(store, o, i);
}

void obj_reindex(struct session *s, void *object)
{
	struct obj *o = object;

	for (enum obj_index i = 0; i < OBJ_INDEXES && o->life == OBJ_LIVES; i++)
		if (index_key(o, i) != o->keys[i].key) {
			remove_key(&s->ctx->store, o, i);
			insert_key(&s->ctx->store, o, i);
		}
}

/* ---------------------------------------------------------------- looking up -- */

/* The first entry from k on with this key and class (NULL: any). */
static struct obj_key *next_with_key(struct obj_key *k, const struct obj_class *class, uint64_t key)
{
	while (k && (k->key != key || (class && k->o->class != class)))
		k = k->next;
	return k;
}

static struct obj_key *first_alike(struct session *s, enum obj_index i,
				   const struct obj_class *class, uint64_t key)
{
	Tcl_HashEntry *e = key ? Tcl_FindHashEntry(&s->ctx->store.keys[i], (void *)(uintptr_t)key)
			       : NULL;

	return next_with_key(e ? Tcl_GetHashValue(e) : NULL, class, key);
}

void *obj_by_pointer(struct session *s, const struct obj_class *class, const void *v)
{
	struct obj_key *k = first_alike(s, OBJ_BY_POINTER, class, (uintptr_t)v);

	return k ? k->o : NULL;
}

void *obj_by_number(struct session *s, const struct obj_class *class, uint64_t number)
{
	struct obj_key *k = first_alike(s, OBJ_BY_NUMBER, class, number + 1);

	return k ? k->o : NULL;
}

static struct obj *next_obj(const struct obj *o, enum obj_index i, const struct obj_class *class)
{
	struct obj_key *k = next_with_key(o->keys[i].next, class, o->keys[i].key);

	return k ? k->o : NULL;
}

void *obj_next_pointer(const void *o)
{
	return next_obj(o, OBJ_BY_POINTER, NULL);
}

void *obj_next_number(const void *o)
{
	return next_obj(o, OBJ_BY_NUMBER, ((const struct obj *)o)->class);
}

static bool has_all(const struct obj *o, uint64_t addr, uint64_t len)
{
	size_t n;
	uint64_t base = (uintptr_t)o->class->memory(o, &n);

	return addr >= base && addr - base <= n && len <= n - (addr - base);
}

void *obj_by_address(struct session *s, const struct obj_class *class, uint64_t addr, uint64_t len)
{
	for (unsigned log = 0; log < 64; log++)
		for (uint64_t back = 0; s->ctx->store.of_size[log] && back < 3; back++) {
			uint64_t key = block_key(log, (addr >> log) - back);
			struct obj_key *k = first_alike(s, OBJ_BY_ADDRESS, class, key);

			for (; k; k = next_with_key(k->next, class, key))
				if (has_all(k->o, addr, len))
					return k->o;
		}
	return NULL;
}
