/* SPDX-License-Identifier: MIT */
/* vtrace --check: memory that the program gives back while a region has it (SHARED_CHANGED_ROW),
 * by free(), realloc() or munmap(). */
#ifndef VTRACE_FREED_H
#define VTRACE_FREED_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* Is it noted in this process? */
extern bool freed_is_noted;
/* The call may have registered memory, or deregistered it. */
void freed_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result);

#endif
