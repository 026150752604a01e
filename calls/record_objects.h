/* SPDX-License-Identifier: MIT */
/*
 * Which objects lived when: a pointer in a record is one of them, and may be another later.
 * They are learnt from the calls that make and end them.
 */
#ifndef CALLS_RECORD_OBJECTS_H
#define CALLS_RECORD_OBJECTS_H

#include <stdint.h>

#include "calls.h"

#define RECORD_OBJECTS_GONE 65536 /* that are remembered; the oldest are forgotten */

struct record_object {
	uint64_t address;
	enum call_object kind;
	uint64_t serial;     /* no two have the same; from 1 */
	uint64_t made, gone; /* ticks; gone 0: it lives */
	char name[32];	     /* what the program calls it, or "" */
};

/* The object that was at address at that time (of a call that makes it: its end), or NULL.
 * Valid until the next is made or ended. */
const struct record_object *record_object_at(uint64_t address, uint64_t when);
/* Gives the one that is there now a name, at most 31 bytes; one that no call has made begins
 * now. */
void record_object_name(const void *object, enum call_object kind, const char *name);
/* It ends otherwise than by a call of this program. */
void record_object_gone(const void *object);

/* Takes from a call that went well what it has made and ended. */
void record_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			  uint64_t begin, uint64_t end);
void record_objects_clear(void);

#endif
