/* SPDX-License-Identifier: MIT */
/* vtrace --check: memory that the program gives back while a region has it (SHARED_CHANGED_ROW),
 * by functions that are in a library of their own (memory_calls.c). */
#ifndef VTRACE_FREED_H
#define VTRACE_FREED_H

#include <stdbool.h>
#include <stdint.h>

#include "call_record.h"
#include "shared_area.h"

/* Is it noted in this process? */
extern bool freed_is_noted;
/* After hold_begin(): from now on it is, if shared says so. */
void freed_begin(const struct shared_area *shared);
/* In the child of fork(), which has no regions and is not traced yet. */
void freed_forget(void);
/* The call may have registered memory, or deregistered it. */
void freed_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result);

/* Of libvtrace.so, for libvtrace-memory.so. The first is fast, and false for almost all memory. The
 * second is to be asked before the memory is given back: then another thread can get it. */
bool vtrace_may_be_registered(const void *p);
bool vtrace_is_registered(uint64_t at, uint64_t len);
/* Keeps errno. With --stop-on freed the thread is held here. */
void vtrace_note_freed(uint64_t at, uint64_t len, enum shared_freed by, struct record_from from);

#endif
