/* SPDX-License-Identifier: MIT */
#include "call_record.h"
#include "record_rings.h"
#include "recorded.h"

#include <ctype.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_object {
	struct record_object o;
	struct known_object *older;	 /* that was at the same address before */
	struct known_object *gone_after; /* the next that went, of those that are gone */
	uint64_t holds[2];		 /* of an id: the QP and the SRQ that were made with it */
};

struct record_objects {
	pthread_mutex_t lock;
	void *newest; /* a tree of tsearch(3): at each address the one that lives, or lived last */
	struct known_object *first_gone, *last_gone;
	unsigned ngone;
	uint64_t serial;
	bool names_them;
	unsigned named[OBJECT_KINDS]; /* how many, of the first kind that is called so */
};

struct record_objects record_own_objects = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int by_address(const void *a, const void *b)
{
	const uint64_t x = ((const struct known_object *)a)->o.address,
		       y = ((const struct known_object *)b)->o.address;

	return (x > y) - (x < y);
}

/* Where the newest at that address is; NULL: there was none. */
static struct known_object **newest_at(const struct record_objects *b, uint64_t address)
{
	const struct known_object key = { .o.address = address };

	return tfind(&key, &b->newest, by_address);
}

static struct known_object *find_living(const struct record_objects *b, uint64_t address)
{
	struct known_object **e = newest_at(b, address);

	return e && !(*e)->o.gone ? *e : NULL;
}

static void forget_oldest(struct record_objects *b)
{
	struct known_object *e = b->first_gone, **newest = newest_at(b, e->o.address);
	struct known_object **at = newest;

	while (*at != e)
		at = &(*at)->older;
	if (at == newest && !e->older)
		tdelete(e, &b->newest, by_address);
	else
		*at = e->older;
	b->first_gone = e->gone_after;
	b->ngone--;
	free(e);
}

static void end_life(struct record_objects *b, struct known_object *e, uint64_t when)
{
	e->o.gone = when;
	e->gone_after = NULL;
	if (b->ngone++)
		b->last_gone->gone_after = e;
	else
		b->first_gone = e;
	b->last_gone = e;
	if (b->ngone > RECORD_OBJECTS_GONE)
		forget_oldest(b);
}

/* "qp0": the first that is called so; a QP is, extended or not. */
static void name_by_number(struct record_objects *b, struct record_object *o)
{
	const char *called = call_objects[o->kind].called;
	enum call_object first = OBJECT_NONE + 1;

	while (strcmp(call_objects[first].called, called) != 0)
		first++;
	snprintf(o->name, sizeof o->name, "%s%u", called, b->named[first]++);
}

/* Begins the life of an object created by a call that began at since. An object at this address
 * that is newer than that was created by a nested call. */
static struct known_object *begin_life(struct record_objects *b, uint64_t address,
				       enum call_object kind, uint64_t since, uint64_t when)
{
	struct known_object *e = find_living(b, address), **newest;

	if (e && e->o.made >= since)
		return e;
	if (e)
		end_life(b, e, when); /* its end was not recorded */
	e = calloc(1, sizeof *e);
	if (!e)
		record_no_memory();
	e->o = (struct record_object){
		.address = address, .kind = kind, .serial = ++b->serial, .made = when
	};
	if (b->names_them)
		name_by_number(b, &e->o);
	newest = tsearch(e, &b->newest, by_address);
	if (!newest)
		record_no_memory();
	e->older = *newest == e ? NULL : *newest;
	*newest = e;
	return e;
}

const struct record_object *record_objects_at(struct record_objects *b, uint64_t address,
					      uint64_t when)
{
	struct known_object **newest, *e;

	pthread_mutex_lock(&b->lock);
	newest = newest_at(b, address);
	e = newest ? *newest : NULL;
	while (e && (e->o.made > when || (e->o.gone && e->o.gone < when)))
		e = e->older;
	pthread_mutex_unlock(&b->lock);
	return e ? &e->o : NULL;
}

const struct record_object *record_objects_gone(struct record_objects *b, uint64_t address,
						uint64_t when)
{
	struct known_object **newest;
	const struct record_object *o;

	pthread_mutex_lock(&b->lock);
	newest = newest_at(b, address);
	o = newest ? &(*newest)->o : NULL;
	pthread_mutex_unlock(&b->lock);
	return o && o->gone && o->gone < when ? o : NULL;
}

void record_object_name(const void *object, enum call_object kind, const char *name)
{
	struct record_objects *b = &record_own_objects;
	struct known_object *e;

	pthread_mutex_lock(&b->lock);
	e = find_living(b, (uintptr_t)object);
	if (!e)
		e = begin_life(b, (uintptr_t)object, kind, UINT64_MAX, record_time());
	snprintf(e->o.name, sizeof e->o.name, "%s", name);
	pthread_mutex_unlock(&b->lock);
}

/* Tracks objects that librdmacm creates and destroys for an id; they are visible only in the id. */
static void learn_held(struct record_objects *b, struct known_object *id, const uint64_t holds[2],
		       uint64_t begin, uint64_t end)
{
	static const enum call_object kinds[2] = { OBJECT_QP, OBJECT_SRQ };
	struct known_object *was;

	for (unsigned i = 0; i < 2; i++) {
		if (id->holds[i] == holds[i])
			continue;
		was = id->holds[i] ? find_living(b, id->holds[i]) : NULL;
		if (was && was->o.made < begin)
			end_life(b, was, begin);
		if (holds[i])
			begin_life(b, holds[i], kinds[i], begin, end);
		id->holds[i] = holds[i];
	}
}

/* The object at address as it was after a call: in this process, or as the record has kept it. */
static const void *bytes_at(const struct record *kept, uint64_t address)
{
	return kept ? record_bytes(kept, address, NULL) : (const void *)(uintptr_t)address;
}

static void learn_id(struct record_objects *b, const struct record *kept, uint64_t address,
		     uint64_t begin, uint64_t end)
{
	const struct rdma_cm_id *id = bytes_at(kept, address);
	struct known_object *e = find_living(b, address);

	if (e && id)
		learn_held(b, e, (const uint64_t[]){ (uintptr_t)id->qp, (uintptr_t)id->srq }, begin,
			   end);
}

/* The id of a request was made by the library. */
static void learn_event(struct record_objects *b, const struct record *kept, uint64_t address,
			uint64_t begin, uint64_t end)
{
	const struct rdma_cm_event *event = bytes_at(kept, address);

	if (event && event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		begin_life(b, (uintptr_t)event->id, OBJECT_CM_ID, begin, end);
}

/* rdma_destroy_ep() ends the QP and the SRQ that were made with the id, which rdma_destroy_id()
 * leaves. */
static void end_held(struct record_objects *b, uint64_t id, uint64_t begin, uint64_t end)
{
	static const uint64_t nothing[2];
	struct known_object *e = find_living(b, id);

	if (e)
		learn_held(b, e, nothing, begin, end);
}

static void learn_end(struct record_objects *b, uint64_t address, uint64_t begin)
{
	struct known_object *e = find_living(b, address);

	if (e)
		end_life(b, e, begin);
}

/* The call has left an object in memory of its caller, where arg leads to. */
static void learn_made(struct record_objects *b, const struct record *kept,
		       const struct call_value *v, uint64_t arg, uint64_t begin, uint64_t end)
{
	const uint64_t made = *(const uint64_t *)(uintptr_t)arg;

	begin_life(b, made, v->object, begin, end);
	if (v->object == OBJECT_CM_ID && made)
		learn_id(b, kept, made, begin, end);
	if (v->object == OBJECT_CM_EVENT)
		learn_event(b, kept, made, begin, end);
}

/* A device has a name of its own, which any program may write: it becomes one word of Tcl, and text
 * in JSON. */
static void learn_device(struct record_objects *b, const struct record *kept, uint64_t address,
			 uint64_t begin, uint64_t end)
{
	const struct ibv_device *device = kept ? bytes_at(kept, address) : NULL;
	struct known_object *e;

	if (!device)
		return;
	e = find_living(b, address);
	if (!e)
		e = begin_life(b, address, OBJECT_DEVICE, begin, end);
	snprintf(e->o.name, sizeof e->o.name, "%.31s", device->name);
	for (char *c = e->o.name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.:+@", *c))
			*c = '?';
}

static void learn_arg(struct record_objects *b, const struct record *kept,
		      const struct call_value *v, uint64_t arg, uint64_t begin, uint64_t end)
{
	if (v->role == CALL_GONE)
		learn_end(b, arg, begin);
	else if (v->role == CALL_MADE && v->object != OBJECT_ASYNC_EVENT)
		learn_made(b, kept, v, arg, begin, end);
	else if (v->object == OBJECT_CM_ID && v->role == CALL_IN)
		learn_id(b, kept, arg, begin, end);
	else if (v->object == OBJECT_DEVICE)
		learn_device(b, kept, arg, begin, end);
}

static void learn_call(struct record_objects *b, const struct record *kept,
		       const struct call_fn *fn, const uint64_t *args, uint64_t result,
		       uint64_t begin, uint64_t end)
{
	pthread_mutex_lock(&b->lock);
	if (fn == &call_table[ROW_rdma_destroy_ep])
		end_held(b, args[0], begin, end);
	for (unsigned i = 0; fn->args[i].name; i++)
		if (fn->args[i].kind == CALL_OBJECT && args[i])
			learn_arg(b, kept, &fn->args[i], args[i], begin, end);
	if (fn->result.kind == CALL_OBJECT && fn->result.role == CALL_MADE)
		begin_life(b, result, fn->result.object, begin, end);
	pthread_mutex_unlock(&b->lock);
}

void record_own_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			      uint64_t begin, uint64_t end)
{
	learn_call(&record_own_objects, NULL, fn, args, result, begin, end);
}

void record_objects_learn(struct record_objects *b, const struct record *r)
{
	if (r->ended && !r->err)
		learn_call(b, r, r->fn, r->after, r->result, r->begin, r->end);
}

const struct record_object *record_objects_meet(struct record_objects *b, uint64_t address,
						enum call_object kind, uint64_t when)
{
	const struct record_object *o = record_objects_at(b, address, when);

	if (o || !address)
		return o;
	pthread_mutex_lock(&b->lock);
	o = &begin_life(b, address, kind, when, when)->o;
	pthread_mutex_unlock(&b->lock);
	return o;
}

const char *record_objects_name(struct record_objects *b, const struct record *r, uint64_t address,
				enum call_object kind)
{
	const struct record_object *o = record_objects_at(b, address, r->end);

	if (!o)
		o = record_objects_at(b, address, r->begin); /* the call has destroyed it */
	if (!o)
		o = record_objects_meet(b, address, kind, r->end);
	return o->name;
}

struct record_objects *record_objects_new(void)
{
	struct record_objects *b = calloc(1, sizeof *b);

	if (!b)
		record_no_memory();
	pthread_mutex_init(&b->lock, NULL);
	b->names_them = true;
	return b;
}

static void free_objects_at(void *newest)
{
	for (struct known_object *e = newest, *older; e; e = older) {
		older = e->older;
		free(e);
	}
}

void record_objects_free(struct record_objects *b)
{
	if (!b)
		return;
	tdestroy(b->newest, free_objects_at);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void record_clear(void)
{
	struct record_objects *b = &record_own_objects;

	record_forget();
	pthread_mutex_lock(&b->lock);
	while (b->ngone)
		forget_oldest(b);
	pthread_mutex_unlock(&b->lock);
}

/* ------------------------------ a program that keeps its record for itself -- */

void *record_area_memory(size_t *size)
{
	static struct record_area area;

	memset(&area, 0, sizeof area); /* after fork() it has what the parent's had */
	*size = sizeof area;
	return &area;
}

void record_ending(const struct call_fn *fn)
{
	(void)fn;
}

void record_refused(const struct call_fn *fn, const uint64_t *args)
{
	(void)fn, (void)args;
}
