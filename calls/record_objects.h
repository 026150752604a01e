/* SPDX-License-Identifier: MIT */
/*
 * The lifetimes of objects: the same pointer may refer to different objects at different times.
 * They are derived from the calls that create and destroy objects.
 */
#ifndef CALLS_RECORD_OBJECTS_H
#define CALLS_RECORD_OBJECTS_H

#include <stdint.h>

#include "calls.h"

struct record;

#define RECORD_OBJECTS_GONE 65536 /* destroyed objects that are kept; older ones are dropped */

struct record_object {
	uint64_t address;
	enum call_object kind;
	uint64_t serial;     /* no two have the same; from 1 */
	uint64_t made, gone; /* ticks; gone 0: it lives */
	char name[32];	     /* its name in the program, or "" */
};

/* The objects of one process. */
struct record_objects;
/* The objects of this process, updated with each call. */
extern struct record_objects record_own_objects;

/* The object that was at address at that time (of a call that makes it: its end), or NULL.
 * Valid until the next is made or ended. */
const struct record_object *record_objects_at(struct record_objects *b, uint64_t address,
					      uint64_t when);
static inline const struct record_object *record_object_at(uint64_t address, uint64_t when)
{
	return record_objects_at(&record_own_objects, address, when);
}

/* Gives the one that is there now a name, at most 31 bytes; one that no call has made begins
 * now. */
void record_object_name(const void *object, enum call_object kind, const char *name);
/* To be called when an object is destroyed without a call of this program. */
void record_object_gone(const void *object);

/* Updates the objects after a successful call. */
void record_own_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			      uint64_t begin, uint64_t end);
void record_own_objects_clear(void);

/* Objects of another process, derived from its records in the order in which the calls ended. Each
 * gets a name: "qp0" is the first QP. */
struct record_objects *record_objects_new(void);
void record_objects_free(struct record_objects *b);
void record_objects_learn(struct record_objects *b, const struct record *r);
/* As record_objects_at(); one that no call has made begins there. */
const struct record_object *record_objects_meet(struct record_objects *b, uint64_t address,
						enum call_object kind, uint64_t when);
/* Of all that live, in no order. */
void record_objects_each(struct record_objects *b,
			 void (*told)(void *arg, const struct record_object *o), void *arg);

#endif
