/* SPDX-License-Identifier: MIT */
#include "record_objects.h"

#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"

struct entry {
	struct record_object o;
	struct entry *older;	  /* of the same bucket */
	struct entry *gone_after; /* the next that went, of those that are gone */
	uint64_t holds[2];	  /* of an id: the QP and the SRQ that were made with it */
};

static struct {
	pthread_mutex_t lock;
	struct entry **buckets;
	unsigned nbuckets, n; /* a power of two */
	struct entry *first_gone, *last_gone;
	unsigned ngone;
	uint64_t serial;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct entry **bucket(uint64_t address)
{
	return &the.buckets[(address * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (the.nbuckets - 1)];
}

/* The newest first, so that the one that lives is found before those that were there. */
static void link_entry(struct entry *e)
{
	struct entry **b = bucket(e->o.address);

	e->older = *b;
	*b = e;
}

static void grow(void)
{
	struct entry **old = the.buckets;
	unsigned n = the.nbuckets;

	the.nbuckets = n ? 2 * n : 256;
	the.buckets = calloc(the.nbuckets, sizeof *the.buckets);
	if (!the.buckets)
		abort();
	for (unsigned i = 0; i < n; i++) {
		struct entry *turned = NULL, *e, *older;

		for (e = old[i]; e; e = older) { /* oldest first, to keep the order */
			older = e->older;
			e->older = turned;
			turned = e;
		}
		for (e = turned; e; e = older) {
			older = e->older;
			link_entry(e);
		}
	}
	free(old);
}

static struct entry *living(uint64_t address)
{
	if (!the.nbuckets)
		return NULL;
	for (struct entry *e = *bucket(address); e; e = e->older)
		if (e->o.address == address && !e->o.gone)
			return e;
	return NULL;
}

static void forget_oldest(void)
{
	struct entry *e = the.first_gone, **at = bucket(e->o.address);

	while (*at != e)
		at = &(*at)->older;
	*at = e->older;
	the.first_gone = e->gone_after;
	the.ngone--;
	the.n--;
	free(e);
}

static void end_life(struct entry *e, uint64_t when)
{
	e->o.gone = when;
	e->gone_after = NULL;
	if (the.ngone++)
		the.last_gone->gone_after = e;
	else
		the.first_gone = e;
	the.last_gone = e;
	if (the.ngone > RECORD_OBJECTS_GONE)
		forget_oldest();
}

/* Of a call that began at since: one that was made since then was made by a call within it. */
static struct entry *begin_life(uint64_t address, enum call_object kind, uint64_t since,
				uint64_t when)
{
	struct entry *e = living(address);

	if (e && e->o.made >= since)
		return e;
	if (e)
		end_life(e, when); /* nobody has said so */
	if (the.n >= the.nbuckets)
		grow();
	e = calloc(1, sizeof *e);
	if (!e)
		abort();
	e->o = (struct record_object){
		.address = address, .kind = kind, .serial = ++the.serial, .made = when
	};
	link_entry(e);
	the.n++;
	return e;
}

const struct record_object *record_object_at(uint64_t address, uint64_t when)
{
	const struct entry *found = NULL;

	pthread_mutex_lock(&the.lock);
	for (const struct entry *e = the.nbuckets && address ? *bucket(address) : NULL; e && !found;
	     e = e->older)
		if (e->o.address == address && e->o.made <= when &&
		    (!e->o.gone || when <= e->o.gone))
			found = e;
	pthread_mutex_unlock(&the.lock);
	return found ? &found->o : NULL;
}

void record_object_name(const void *object, enum call_object kind, const char *name)
{
	struct entry *e;

	pthread_mutex_lock(&the.lock);
	e = living((uintptr_t)object);
	if (!e)
		e = begin_life((uintptr_t)object, kind, UINT64_MAX, record_time());
	snprintf(e->o.name, sizeof e->o.name, "%s", name);
	pthread_mutex_unlock(&the.lock);
}

void record_object_gone(const void *object)
{
	struct entry *e;

	pthread_mutex_lock(&the.lock);
	e = living((uintptr_t)object);
	if (e)
		end_life(e, record_time());
	pthread_mutex_unlock(&the.lock);
}

/* Events and lists come and go with every look, and have no name. */
static bool is_lasting(enum call_object kind)
{
	return kind != OBJECT_CM_EVENT && kind != OBJECT_ASYNC_EVENT &&
	       kind != OBJECT_DEVICE_LIST && kind != OBJECT_CONTEXT_LIST;
}

/* What librdmacm has made and ended for an id shows in the id alone. */
static void learn_held(struct entry *id, const uint64_t holds[2], uint64_t begin, uint64_t end)
{
	static const enum call_object kinds[2] = { OBJECT_QP, OBJECT_SRQ };
	struct entry *was;

	for (unsigned i = 0; i < 2; i++) {
		if (id->holds[i] == holds[i])
			continue;
		was = id->holds[i] ? living(id->holds[i]) : NULL;
		if (was && was->o.made < begin)
			end_life(was, begin);
		if (holds[i])
			begin_life(holds[i], kinds[i], begin, end);
		id->holds[i] = holds[i];
	}
}

static void learn_id(const struct rdma_cm_id *id, uint64_t begin, uint64_t end)
{
	const uint64_t holds[2] = { (uintptr_t)id->qp, (uintptr_t)id->srq };
	struct entry *e = living((uintptr_t)id);

	if (e)
		learn_held(e, holds, begin, end);
}

/* The id of a request was made by the library. */
static void learn_event(const struct rdma_cm_event *event, uint64_t begin, uint64_t end)
{
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		begin_life((uintptr_t)event->id, OBJECT_CM_ID, begin, end);
}

static void learn_end(uint64_t address, uint64_t begin, uint64_t end)
{
	static const uint64_t nothing[2];
	struct entry *e = living(address);

	if (!e)
		return;
	learn_held(e, nothing, begin, end);
	end_life(e, begin);
}

static void learn_arg(const struct call_value *v, uint64_t arg, uint64_t begin, uint64_t end)
{
	const void *object = (const void *)(uintptr_t)arg;

	if (v->role == CALL_GONE) {
		learn_end(arg, begin, end);
		return;
	}
	if (v->role == CALL_MADE && v->object != OBJECT_ASYNC_EVENT)
		object = *(void *const *)object;
	if (v->role == CALL_MADE && is_lasting(v->object))
		begin_life((uintptr_t)object, v->object, begin, end);
	if (v->object == OBJECT_CM_ID && object)
		learn_id(object, begin, end);
	if (v->role == CALL_MADE && v->object == OBJECT_CM_EVENT)
		learn_event(object, begin, end);
}

void record_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			  uint64_t begin, uint64_t end)
{
	pthread_mutex_lock(&the.lock);
	for (unsigned i = 0; fn->args[i].name; i++)
		if (fn->args[i].kind == CALL_OBJECT && args[i])
			learn_arg(&fn->args[i], args[i], begin, end);
	if (fn->result.kind == CALL_OBJECT && fn->result.role == CALL_MADE &&
	    is_lasting(fn->result.object))
		begin_life(result, fn->result.object, begin, end);
	pthread_mutex_unlock(&the.lock);
}

void record_objects_clear(void)
{
	pthread_mutex_lock(&the.lock);
	while (the.ngone)
		forget_oldest();
	pthread_mutex_unlock(&the.lock);
}
