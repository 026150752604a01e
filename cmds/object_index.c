/* SPDX-License-Identifier: MIT */
/*
 * Indexes of objects besides their names: by the library's pointer, by the number of a QP or a key,
 * by an address in their memory. Each is a hash table.
 *
 * Addresses: an object of 2^k bytes and more, but less than twice that, is filed under k and the
 * number of the block of 2^k bytes that it begins in. An object that covers an address begins in
 * its block or in one of the two before it, so three look-ups for each k in use find it.
 */
#include "objects.h"
#include "session.h"

static uint64_t pointer_key(const struct obj *o)
{
	const struct obj_class *c = o->class;

	return c->pointer ? (uintptr_t) * (void *const *)((const char *)o + c->pointer) : 0;
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
		return pointer_key(o);
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
